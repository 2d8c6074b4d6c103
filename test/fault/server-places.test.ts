/**
 * More calls than one server is sent at once: those that find no place wait here and are told so, nothing is sent of those whose time
 * runs out, and the server is not blamed for it.
 */
import type { ServerResponse } from 'node:http'
import { fileURLToPath } from 'node:url'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { countLevels } from '../../packages/gateway/src/features/usage/service-levels.rows.ts'
import { startTestGateway, type TestConnection, type TestGateway } from '../../packages/gateway/src/testing/gateway.ts'
import { listRecords } from '../../packages/gateway/src/testing/listed-records.ts'
import { callTool, faultIn, textIn, type Called } from './caller.ts'
import { sayResult, startScriptedUpstream, type Heard } from './scripted-upstream.ts'

const PLACES = 4
const CHILD = fileURLToPath(new URL('counting-child.script.ts', import.meta.url))

const connection = (alias: string, url: string, timeout: number): TestConnection => ({
  alias,
  revision: '2026-07-28',
  timeout,
  wire: { kind: 'http', url, headers: {} },
})

/** A server that answers no call until it is let go. */
async function startSlowUpstream() {
  const held: (() => void)[] = []
  const upstream = await startScriptedUpstream({
    era: 'modern',
    act(heard: Heard, response: ServerResponse) {
      if (heard.method !== 'tools/call') return false
      held.push(() => sayResult(response, heard, { content: [{ type: 'text', text: 'late' }] }))
      return true
    },
  })
  return {
    url: upstream.url,
    calls: () => upstream.of('tools/call').length,
    /** Answers what waits by now. */
    letGo() {
      for (const answer of held.splice(0)) answer()
    },
    [Symbol.asyncDispose]: () => upstream[Symbol.asyncDispose](),
  }
}

const gatewayFor = (...connections: readonly TestConnection[]) =>
  startTestGateway({ connections, settings: { TOOLWAY_CALLS_PER_CONNECTION: String(PLACES) } })

const callMany = (gateway: TestGateway, alias: string, count: number, signal?: AbortSignal) =>
  Array.from({ length: count }, () =>
    callTool({ url: gateway.connectionUrl(alias), key: gateway.key }, 'good', {}, signal),
  )

const faultsOf = (answers: readonly Called[]) => answers.flatMap((one) => faultIn(one)?.fault ?? [])

test(
  'a call whose time runs out while it waits for a place is told so, was never sent, and counts against nobody',
  { tags: 'long' },
  async () => {
    await using upstream = await startSlowUpstream()
    await using gateway = await gatewayFor(connection('up', upstream.url, 6))
    await gateway.settled('up')
    const ended: Called[] = []
    const calls = callMany(gateway, 'up', 20).map((call) => call.then((answer) => void ended.push(answer)))
    await expect.poll(upstream.calls).toBe(PLACES)
    // The next four are sent now and have their whole time at the server; for the others theirs runs out here.
    await sleep(3_000)
    upstream.letGo()
    await expect.poll(() => ended.length).toBe(20 - PLACES)
    upstream.letGo()
    await Promise.all(calls)
    expect(ended.filter((one) => textIn(one) === 'late')).toHaveLength(2 * PLACES)
    expect(upstream.calls()).toBe(2 * PLACES)
    const late = ended.filter((one) => faultIn(one) !== undefined)
    expect(faultsOf(late)).toEqual(Array(20 - 2 * PLACES).fill('connection.busy'))
    for (const { status, headers } of late)
      expect([status, Number(headers.get('retry-after')) > 0]).toEqual([503, true])

    // The circuit is closed, and the server has failed nobody.
    const [again] = callMany(gateway, 'up', 1)
    await expect.poll(upstream.calls).toBe(2 * PLACES + 1)
    upstream.letGo()
    expect(again && textIn(await again)).toBe('late')
    await expect.poll(() => recordsOf(gateway)).toHaveLength(21)
    const { organization } = gateway
    const { rows } = await gateway.db.snapshot(organization.id, (sql) =>
      countLevels(sql, new Date(Date.now() + 1_000), 5),
    )
    expect(rows[0]).toMatchObject({ hour: 2 * PLACES + 1, hour_failed: 0 })
    for (const { correlation } of late) {
      const facts = gateway.log.find(({ facts: { request_id: id } }) => id === correlation)?.facts
      const { outcome, code, detail } = facts as { outcome: string; code: string; detail: Record<string, unknown> }
      expect({ outcome, code, sent: detail['sent'] }).toEqual({
        outcome: 'refused',
        code: 'connection.busy',
        sent: false,
      })
      const timings = detail['timings'] as Record<string, number>
      expect(timings['queue']).toBeGreaterThan(timings['upstream'] ?? 0)
    }
  },
)

const recordsOf = ({ db, organization }: TestGateway) =>
  db
    .organization(organization.id, (sql) => listRecords(sql, { limit: 100 }))
    .then((rows) => rows.filter(({ method }) => method === 'tools/call'))

/** Calls that have ended, by the log. */
const endedIn = ({ log }: TestGateway) => log.filter(({ facts: { method } }) => method === 'tools/call').length

test('so many calls wait for each place, and one more is refused at once; another connection to the same server has its own', async () => {
  await using upstream = await startSlowUpstream()
  await using gateway = await gatewayFor(connection('up', upstream.url, 60), connection('other', upstream.url, 60))
  await gateway.settled('up')
  await gateway.settled('other')
  const first = callMany(gateway, 'up', PLACES)
  await expect.poll(upstream.calls).toBe(PLACES)
  const left = new AbortController()
  const waiting = callMany(gateway, 'up', 4 * PLACES + 1, left.signal)
  const [refused] = faultsOf([await Promise.race(waiting)])
  expect(refused).toBe('connection.busy')
  const others = callMany(gateway, 'other', PLACES)
  await expect.poll(upstream.calls).toBe(2 * PLACES)
  // Nothing is sent of calls whose clients leave while they wait, and their places in line are free.
  left.abort()
  const settled = await Promise.allSettled(waiting)
  expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  await expect.poll(() => endedIn(gateway)).toBe(4 * PLACES + 1)
  upstream.letGo()
  await Promise.all([...first, ...others])
  expect(upstream.calls()).toBe(2 * PLACES)
  const more = callMany(gateway, 'up', PLACES)
  await expect.poll(upstream.calls).toBe(3 * PLACES)
  upstream.letGo()
  expect((await Promise.all(more)).map(textIn)).toEqual(Array(PLACES).fill('late'))
})

test('a program that the gateway runs is sent no more calls at once than a server elsewhere', async () => {
  await using gateway = await gatewayFor({
    alias: 'child',
    timeout: 60,
    wire: { kind: 'process', command: process.execPath, args: [CHILD], environment: {} },
  })
  await gateway.settled('child')
  const answers = await Promise.all(callMany(gateway, 'child', 3 * PLACES))
  const atOnce = answers.map((one) => Number(textIn(one)))
  expect(Math.max(...atOnce)).toBe(PLACES)
})
