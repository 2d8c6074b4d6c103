/**
 * One of three gateways behind a real balancer is killed under load, and all are restarted one after the other: no record is
 * lost, and a client that repeats a read once notices nothing. `TEST_ROLLING_REQUESTS=5000` is the long count.
 */
// @module-tag long
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { expect, test } from 'vitest'
import { ask, callTool, openSession, type RawPeer } from '../e2e/peers/clients/raw-client.ts'
import { openStream } from '../e2e/peers/clients/event-reader.ts'
import { beginHeld, startHeldCalls } from '../e2e/peers/servers/held-calls.ts'
import { startEffects } from '../e2e/peers/servers/effects-server.ts'
import { until } from '../e2e/peers/until.ts'
import { startCountingUpstream } from '../fault/counting-upstream.ts'
import type { BalancerKind } from './balancers.ts'
import { startCluster, type Cluster, type Member } from './cluster.ts'

const LEAST = Number(process.env['TEST_ROLLING_REQUESTS'] ?? '600')
const LANES = 6
const Count = z.object({ count: z.int() })

/** Correlation ids of calls on record, once each. */
const recorded = async ({ db }: Cluster, like: string): Promise<number> => {
  const [row] = await db.system(
    (sql) => sql(Count)`
      select count(distinct correlation_id)::int as count from records where kind = 'call' and correlation_id like ${like}`,
  )
  return row?.count ?? 0
}

test('one of three is killed under load: no record is lost, reads repeated once all answer, and sessions go on', async () => {
  await using effects = await startEffects()
  await using held = await startHeldCalls()
  await using cluster = await startCluster({
    declared: { connections: { effects: { url: effects.url, trusted: true }, held: { url: held.url } } },
    pgbouncer: true,
  })
  const peer = { url: cluster.connectionUrl('effects'), key: cluster.key, era: 'modern' as const }
  const sessions = await Promise.all(Array.from({ length: 6 }, () => openSession(cluster.url, cluster.key)))
  let running = true
  let done = 0
  let repeated = 0
  const failures: string[] = []
  const answered: string[] = []
  const once = async (correlation: string) => {
    const answer = await callTool(peer, 'look_up', {}, { headers: { 'x-correlation-id': correlation } })
    if (answer.answer.result?.content?.[0]?.text !== 'did look_up') throw new Error(`${answer.status} ${answer.text}`)
    answered.push(correlation)
  }
  const lane = async () => {
    while (running) {
      const name = `read-${done++}`
      try {
        await once(name)
      } catch {
        repeated++
        await once(`${name}-again`).catch((thrown: unknown) => failures.push(String(thrown)))
      }
    }
  }
  const lanes = Array.from({ length: LANES }, lane)
  await until('reads are answered', () => answered.length >= 50)
  const [first, victim] = cluster.members
  const streamed = await openSession(cluster.connectionUrl('held'), cluster.key)
  const at = (member: Member | undefined): RawPeer => ({
    ...streamed,
    url: new URL(new URL(streamed.url).pathname, member?.address).href,
  })
  const { reader } = await beginHeld(held, at(victim), 'of the killed one')
  victim?.running.signal('SIGKILL')
  await victim?.running.ended
  // The stream of its call is nowhere any more: that is told before anything is written.
  const [gone] = await Promise.all([openStream(at(first), reader.lastId), sleep(2_500)])
  expect([gone.status, gone.text]).toEqual([410, expect.stringContaining('"stream.gone"')])
  await until('a hundred reads', () => done > 100)
  running = false
  await Promise.all(lanes)
  expect(failures).toEqual([])
  expect(done).toBeGreaterThan(100)
  // Each session at each of the two that are left.
  for (const session of sessions)
    for (let turn = 0; turn < 4; turn++) expect((await ask(session, 'tools/list')).status).toBe(200)
  // What reached the server is on record, also what the killed one had under way: another adopts its outbox.
  const reached = effects.called.length
  await expect.poll(() => recorded(cluster, 'read-%'), { interval: 500 }).toBeGreaterThanOrEqual(reached)
  const kept = new Set(
    (
      await cluster.db.system(
        (sql) => sql(z.object({ id: z.string() }))`
          select correlation_id as id from records where correlation_id like 'read-%'`,
      )
    ).map(({ id }) => id),
  )
  expect(answered.filter((id) => !kept.has(id))).toEqual([])
  console.info(`killed: ${done} reads, ${repeated} repeated, ${reached} reached the server, ${kept.size} on record`)
})

/** HAProxy looks at `/health/ready`; nginx without a subscription looks at nothing and learns of a gateway by a refused connection. */
const rolling = async (balancer: BalancerKind) => {
  await using upstream = await startCountingUpstream()
  await using cluster = await startCluster({
    declared: { connections: { counted: { url: upstream.url, revision: '2026-07-28' } } },
    balancer,
    settings: { TOOLWAY_STOP_DELAY: '3' },
  })
  const peer = { url: cluster.connectionUrl('counted'), key: cluster.key, era: 'modern' as const }
  const session = await openSession(cluster.url, cluster.key)
  let restarting = true
  let done = 0
  const lost: unknown[] = []
  const lane = async () => {
    while (restarting || done < LEAST) {
      const mark = `call-${done++}`
      try {
        const { answer, text } = await callTool(peer, 'note', { mark })
        if (answer.result?.content?.[0]?.text !== 'noted') lost.push(text)
      } catch (thrown) {
        lost.push((thrown as Error).cause ?? thrown)
      }
    }
  }
  const lanes = Array.from({ length: LANES }, lane)
  try {
    for (const member of cluster.members) {
      expect(await member.running.stop()).toBe(0)
      await member.start()
    }
  } finally {
    restarting = false
    await Promise.all(lanes)
  }
  expect(lost).toEqual([])
  expect(done).toBeGreaterThanOrEqual(LEAST)
  // Writes, each carried out once.
  expect(new Set(upstream.seen).size).toBe(done)
  expect(upstream.seen).toHaveLength(done)
  expect((await ask(session, 'tools/list')).status).toBe(200)
  console.info(`rolling, ${balancer}: ${done} requests, ${lost.length} lost`)
}

if (process.env['TEST_REPLICAS'] === 'all')
  test.each(['haproxy', 'nginx'] as const)(
    'three are restarted one after the other behind %s, and no request is lost',
    rolling,
  )
