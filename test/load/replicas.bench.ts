/**
 * Measures one, two and three gateways in one run, behind nginx: calls a second and percentiles, what a change costs beside 500
 * connections, and what an organization at its limit adds to the calls of another one.
 *
 * All processes, this one and the server behind too, share the cores of one machine: the ratios say what more gateways cost, not
 * what more machines bring.
 */
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { askAdmin } from '../../packages/gateway/src/testing/people.ts'
import { addKey } from '../e2e/peers/people/administrators.ts'
import { callTool, type RawPeer } from '../e2e/peers/clients/raw-client.ts'
import { startEffects } from '../e2e/peers/servers/effects-server.ts'
import { startCluster, type Cluster } from '../replicas/cluster.ts'

const SECONDS = Number(process.env['BENCH_SECONDS'] ?? '4')
const CONNECTIONS = Number(process.env['BENCH_CONNECTIONS'] ?? '500')
const QUIET_KEY = `uru_${'cd'.repeat(32)}`
const NOISY_KEY = `uru_${'ef'.repeat(32)}`

const at = (sorted: readonly number[], share: number) => sorted[Math.floor(share * (sorted.length - 1))] ?? 0

/** CPU milliseconds that a process has used. */
function cpuOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * 10
}
const cpuOfAll = ({ members }: Cluster) => members.reduce((sum, { running }) => sum + cpuOf(running.pid), 0)

async function load(peer: RawPeer, lanes: number, seconds: number) {
  const times: number[] = []
  let failed = 0
  const until = performance.now() + seconds * 1000
  const lane = async () => {
    while (performance.now() < until) {
      const began = performance.now()
      const { answer } = await callTool(peer, 'look_up')
      times.push(performance.now() - began)
      if (answer.result?.isError !== undefined || answer.error !== undefined) failed++
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  times.sort((one, other) => one - other)
  return { calls: times.length, failed, p50: at(times, 0.5), p99: at(times, 0.99) }
}

/** One call each 100 ms, which is within the limit, whatever the answers take. */
async function paced(peer: RawPeer, seconds: number) {
  const times: number[] = []
  const calls: Promise<unknown>[] = []
  for (let turn = 0; turn < seconds * 10; turn++) {
    const began = performance.now()
    calls.push(callTool(peer, 'look_up').then(() => times.push(performance.now() - began)))
    await sleep(100)
  }
  await Promise.all(calls)
  times.sort((one, other) => one - other)
  return { p50: at(times, 0.5), p99: at(times, 0.99) }
}

const round = (value: number) => Math.round(value * 10) / 10

test.each([1, 2, 3])('%i gateways', async (gateways) => {
  await using effects = await startEffects()
  const quiet = { connections: { effects: { url: effects.url, trusted: true } }, keys: { quiet: { value: QUIET_KEY } } }
  const noisy = { connections: { effects: { url: effects.url, trusted: true } }, keys: { noisy: { value: NOISY_KEY } } }
  await using cluster = await startCluster({
    gateways,
    redis: true,
    declared: {
      connections: { effects: { url: effects.url, trusted: true } },
      organizations: { quiet, noisy },
    },
  })
  const peer = { url: cluster.connectionUrl('effects'), key: cluster.key, era: 'modern' as const }
  await load(peer, 16, 2)
  const before = cpuOfAll(cluster)
  const full = await load(peer, 32, SECONDS)
  const cpu = cpuOfAll(cluster) - before
  console.info(
    `${gateways} gateways, 32 callers: ${Math.round(full.calls / SECONDS)} calls/s, p50 ${round(full.p50)} ms, p99 ${round(full.p99)} ms, ${round(cpu / full.calls)} ms CPU of gateways per call, ${full.failed} failed`,
  )
  const endpoint = (slug: string, key: string): RawPeer => ({
    url: `${cluster.address}/api/v1/${slug}/connectors/effects/mcp`,
    key,
    era: 'modern',
  })
  expect((await callTool(endpoint('quiet', QUIET_KEY), 'look_up')).status).toBe(200)

  // Five hundred connections of one organization, none of which is asked.
  await cluster.db.organization(cluster.organization.id, async (sql) => {
    const { z } = await import('zod')
    await sql(z.object({}))`
      insert into connections (id, organization_id, alias, title, connector, settings, origin, enabled)
      select 'con_bench' || n, organization_id, 'bench' || n, 'Bench ' || n, connector, settings, 'test', false
      from connections, generate_series(1, ${CONNECTIONS}::int) as n where alias = 'effects'`
  })
  await sleep(3_000)
  const token = await addKey(cluster, { role: 'platform_admin' })
  await sleep(1_000)
  const idle = cpuOfAll(cluster)
  await sleep(2_000)
  const restful = cpuOfAll(cluster) - idle
  const started = cpuOfAll(cluster)
  const CHANGES = 20
  for (let turn = 0; turn < CHANGES; turn++) {
    const changed = await askAdmin(cluster.address, 'PUT /admin/tenants/default/connectors/bench7', {
      token,
      body: { title: `Turn ${turn}` },
    })
    expect([changed.status, JSON.stringify(changed.body)]).toEqual([200, expect.any(String)])
    await sleep(100)
  }
  await sleep(500)
  const spent = cpuOfAll(cluster) - started - restful * 1.5
  console.info(
    `${gateways} gateways, ${CONNECTIONS} connections: ${round(spent / CHANGES)} ms CPU of all gateways for a change (idle: ${round(restful / 2)} ms a second)`,
  )
})

test('an organization at its limit adds little to the calls of another', async () => {
  await using effects = await startEffects()
  const organization = (name: string, value: string) => ({
    connections: { effects: { url: effects.url, trusted: true } },
    keys: { [name]: { value } },
  })
  await using cluster = await startCluster({
    gateways: 3,
    redis: true,
    settings: { TOOLWAY_LIMIT_ORGANIZATION: '600' },
    declared: { organizations: { quiet: organization('quiet', QUIET_KEY), noisy: organization('noisy', NOISY_KEY) } },
  })
  const endpoint = (slug: string, key: string): RawPeer => ({
    url: `${cluster.address}/api/v1/${slug}/connectors/effects/mcp`,
    key,
    era: 'modern',
  })
  const quiet = endpoint('quiet', QUIET_KEY)
  await sleep(3_000)
  await paced(quiet, 2)
  const rounds: { alone: number; beside: number }[] = []
  let refused = 0
  for (let turn = 0; turn < 3; turn++) {
    const alone = await paced(quiet, SECONDS)
    // Many times its limit of ten a second, on a clock, so that the generator leaves room on a shared machine.
    let noisy = true
    const flood = (async () => {
      const calls: Promise<unknown>[] = []
      while (noisy) {
        calls.push(
          callTool(endpoint('noisy', NOISY_KEY), 'look_up').then(({ status }) => void (status === 429 && refused++)),
        )
        await sleep(5)
      }
      await Promise.all(calls)
    })()
    const beside = await paced(quiet, SECONDS)
    noisy = false
    await flood
    rounds.push({ alone: alone.p99, beside: beside.p99 })
    console.info(
      `noise: p50 ${round(alone.p50)} → ${round(beside.p50)} ms, p99 ${round(alone.p99)} → ${round(beside.p99)} ms, ${refused} refused`,
    )
  }
})
