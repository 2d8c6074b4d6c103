/**
 * All processes of PostgreSQL stand still, as they do when its disk or its machine hangs: no connection breaks, and nothing answers.
 * The gateways serve, so no probe and no balancer may take them out, and whoever needs the database is told at once.
 */
// @module-tag long
import { spawnSync } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { bringEnvoy } from '../../tools/counterparts.ts'
import { IS_SHORT } from '../setup/form.ts'
import { freePort } from '../../packages/gateway/src/testing/free-port.ts'
import { makeInstallation, type Installation, type Running } from '../cli/installation.ts'
import { until } from '../e2e/peers/until.ts'
import { startRealBalancer } from '../replicas/balancers.ts'
import { callTool, textIn } from './caller.ts'
import { startDocumentedBalancer } from './documented-balancers.ts'
import { readDocumentedProbes } from './documented-probes.ts'
import { startOutsideDatabase, type OutsideDatabase } from './outside-database.ts'

const KEY = `uru_${'ab'.repeat(32)}`
const ROLE = 'gate'
const slowly = { interval: 100 }
const AUDIT = '/api/v1/admin/tenants/default/audit'
/** A look begins each second, and has two: after this time it is told that nothing answers. Milliseconds. */
const LOOKED = 4_000

const parts = new AsyncDisposableStack()
let outside: OutsideDatabase
let here: Installation
let running: Running
let port: number
let adminKey: string
let platformKey: string
beforeAll(async () => {
  outside = parts.use(await startOutsideDatabase())
  await outside.query(`create role ${ROLE} login superuser`)
  port = await freePort()
  here = parts.use(
    await makeInstallation({
      DATABASE_URL: outside.urlFor(ROLE),
      TOOLWAY_BOOTSTRAP_KEY: KEY,
      TOOLWAY_DATABASE_GRACE_SECONDS: '600',
      TOOLWAY_PORT: String(port),
    }),
  )
  running = await here.start()
  const made = (await here.json(['key', 'add', 'admin', '--role', 'tenant_admin'])) as { key: string }
  adminKey = made.key
  const platform = (await here.json(['key', 'add', 'platform', '--role', 'platform_admin'])) as { key: string }
  platformKey = platform.key
  await until('the demo is there', async () => (await product()).includes('= 42'))
  // Known to memory, as a person who has signed in; the first request of each takes as long as it takes.
  for (const [path, key] of [
    ['/metrics', KEY],
    [AUDIT, adminKey],
    ['/api/v1/admin/settings', platformKey],
  ] as const)
    await fetch(`${running.address}${path}`, { headers: { authorization: `Bearer ${key}` } })
})
afterAll(() => parts.disposeAsync())
beforeEach(() => outside.stopProcesses())
afterEach(async () => {
  outside.resume()
  await until('it is ready again', async () => (await readiness()).status === 'ready')
})

const product = async (at = running.address) =>
  textIn(await callTool({ url: `${at}/mcp`, key: KEY }, 'demo__calculate', { expression: '6*7' }))
const readiness = async () =>
  (await (await fetch(`${running.address}/health/ready`)).json()) as { status: string; age_ms: { database: number } }
/** As a scraper or an administrator who gives up before the gateway itself gives the database up, which is after two seconds. */
const patiently = (path: string, key: string) =>
  fetch(`${running.address}${path}`, {
    headers: { authorization: `Bearer ${key}` },
    signal: AbortSignal.timeout(1_900),
  })
const metrics = async () => (await patiently('/metrics', KEY)).text()
const admin = () => patiently(AUDIT, adminKey)

/** Probes until the time is over; resolves to what went wrong. */
async function probe({ path, timeout }: { path: string; timeout: number }, milliseconds: number): Promise<string[]> {
  const faults: string[] = []
  for (const end = Date.now() + milliseconds; Date.now() < end; await sleep(400))
    await fetch(`${running.address}${path}`, { signal: AbortSignal.timeout(timeout) }).then(
      ({ status }) => void (status === 200 || faults.push(`status ${status}`)),
      (thrown: unknown) => void faults.push(String(thrown)),
    )
  return faults
}

test('every documented health check is answered within its own timeout, and says how old its knowledge is', async () => {
  const probes = await readDocumentedProbes()
  expect(probes.length).toBeGreaterThanOrEqual(10)
  for (const { where, timeout } of probes) expect(timeout, where).toBeGreaterThanOrEqual(1_000)
  const faults = await Promise.all(probes.map((one) => probe(one, LOOKED + 2_000)))
  expect(probes.flatMap(({ where }, at) => (faults[at] ?? []).map((fault) => `${where}: ${fault}`))).toEqual([])
  await expect.poll(readiness, slowly).toMatchObject({ status: 'degraded', age_ms: { database: expect.any(Number) } })
  expect(await product()).toContain('42')
})

test('metrics are read with a known key, and administration is refused at once and works again at once', async () => {
  for (const end = Date.now() + LOOKED; Date.now() < end; await sleep(300))
    expect(await metrics()).toContain('toolway_database_up')
  await expect.poll(metrics, slowly).toContain('toolway_database_up 0')
  // Many at once hold no connection of the pool, so the first that comes after the standstill finds one.
  const refused = await Promise.all(Array.from({ length: 30 }, admin))
  expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 503))
  expect(await refused[0]?.json()).toMatchObject({ code: 'database.unavailable' })
  // A key that memory does not know: refused as what cannot be looked up, not as unknown.
  expect((await patiently('/metrics', `uru_${'cd'.repeat(32)}`)).status).toBe(503)
  const answered = await callTool({ url: `${running.address}/mcp`, key: KEY }, 'demo__calculate', { expression: '6*7' })
  outside.resume()
  await expect.poll(async () => (await admin()).status, slowly).toBe(200)
  const stored = async () =>
    (await outside.query(`select from records where correlation_id = '${answered.correlation}'`)).rowCount
  await expect.poll(stored, slowly).toBe(1)
})

test('the runtime screen is answered from the last known state, with its time, as soon as it is asked', async () => {
  const look = async (path: string) => {
    const response = await patiently(path, platformKey)
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }
  const frozen = new Date().toISOString()
  for (const end = Date.now() + LOOKED; Date.now() < end; await sleep(500))
    for (const path of ['/api/v1/admin/stats', '/api/v1/admin/gateways']) {
      const { status, body } = await look(path)
      expect([path, status, body['up_to_date']]).toEqual([path, 200, false])
      expect(String(body['read_at']) < frozen).toBe(true)
    }
  expect((await look('/api/v1/admin/stats')).body).toMatchObject({ tenants: 1, keys: expect.any(Number) })
  expect((await look('/api/v1/admin/gateways')).body['items']).toMatchObject([{ current: true, responding: true }])
  outside.resume()
  await expect.poll(async () => (await look('/api/v1/admin/stats')).body['up_to_date'], slowly).toBe(true)
  await expect.poll(async () => (await look('/api/v1/admin/gateways')).body['up_to_date'], slowly).toBe(true)
})

const hasBalancer = spawnSync('haproxy', ['-v']).status === 0
if (!hasBalancer)
  console.warn('haproxy is not installed: it was not tried in front of a gateway with a frozen database')
test.runIf(hasBalancer)('HAProxy goes on sending calls to a gateway whose database stands still', async () => {
  await using balancer = await startRealBalancer({
    kind: 'haproxy',
    affinity: 'none',
    port: await freePort(),
    targets: [port],
  })
  const answers: boolean[] = []
  for (const end = Date.now() + LOOKED + 3_000; Date.now() < end; await sleep(100))
    answers.push((await product(balancer.address)).includes('= 42'))
  expect(answers).not.toContain(false)
})

const envoy = IS_SHORT ? { lacking: 'it is for the long form' } : bringEnvoy()
if ('lacking' in envoy && !IS_SHORT)
  console.warn(`Envoy was not tried in front of a gateway with a frozen database: ${envoy.lacking}`)
const documented = [
  { kind: 'nginx' as const, program: spawnSync('nginx', ['-v']).status === 0 ? 'nginx' : undefined },
  { kind: 'envoy' as const, program: 'lacking' in envoy ? undefined : envoy.program },
]
for (const { kind, program } of documented) {
  if (program === undefined && kind === 'nginx')
    console.warn('nginx is not installed: it was not tried in front of a gateway with a frozen database')
  test.skipIf(program === undefined)(
    `${kind} with the settings of the guide goes on sending calls to a gateway whose database stands still`,
    async () => {
      await using balancer = await startDocumentedBalancer({
        ...{ kind, program: program ?? kind, port: await freePort(), targets: [port] },
      })
      const answers: boolean[] = []
      // As many as that also where each takes long.
      for (const end = Date.now() + LOOKED + 3_000; Date.now() < end || answers.length <= 20; await sleep(100))
        answers.push((await product(balancer.address)).includes('= 42'))
      expect(answers).not.toContain(false)
    },
  )
}
