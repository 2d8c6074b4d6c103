/**
 * Several processes behind one port (TOOLWAY_PROCESSES), as a person starts them: one address, one database, one count of limits. One
 * that is killed is replaced and loses no record; SIGUSR2 replaces all of them while callers go on.
 */
// @module-tag long
import { readFile } from 'node:fs/promises'
import pg from 'pg'
import { SSEClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findEmbeddedPostgres } from '../../packages/gateway/src/db/embedded-postgres.ts'
import { makeInstallation, type Installation, type Running } from '../cli/installation.ts'
import { startEverythingServer } from '../conformance/everything-server.ts'
import { connectClient, connectOver, textOf } from '../e2e/peers/clients/client.ts'
import { sseOf } from '../e2e/peers/clients/lasting-transports.ts'
import { callTool, openSession, type RawPeer } from '../e2e/peers/clients/raw-client.ts'
import { until } from '../e2e/peers/until.ts'
import { callTool as callOnce, type Called } from '../fault/caller.ts'

const PROCESSES = 2
const CALLERS = 6
/** An answer names its call by hexadecimal digits, among which 42 may be. */
const ANSWER = '6*7 = 42'
const CALLS = 'toolway_calls_total{method="tools/call",outcome="ok"}'
const settings = { TOOLWAY_PROCESSES: String(PROCESSES) }
const parts = new AsyncDisposableStack()
let here: Installation
let running: Running
let key: string
let peer: RawPeer
beforeAll(async () => {
  here = parts.use(await makeInstallation(settings))
  running = await here.start()
  key = await here.localKey()
  peer = { url: `${running.address}/mcp`, key, era: 'modern' }
})
afterAll(() => parts.disposeAsync())

/** The gateway processes that a first process has. */
async function processesOf({ pid }: Running): Promise<number[]> {
  const children = (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).trim().split(' ')
  const isGateway = (child: string) =>
    readFile(`/proc/${child}/cmdline`, 'utf8').then(
      (words) => words.includes('gateway-process'),
      () => false,
    )
  const found = await Promise.all(children.map(isGateway))
  return children.filter((_, at) => found[at]).map(Number)
}

async function metrics(): Promise<Record<string, number>> {
  const response = await fetch(`${running.address}/metrics`, { headers: { authorization: `Bearer ${key}` } })
  const lines = (await response.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return Object.fromEntries(lines.map((line) => [line.replace(/ \S+$/, ''), Number(/ (\S+)$/.exec(line)?.[1])]))
}

/** On a connection of its own, so that the processes take turns. */
const call = (at: RawPeer) =>
  callTool(at, 'demo__calculate', { expression: '6*7' }, { headers: { connection: 'close' } })

/** Callers that go on until they are stopped. */
function keepCalling() {
  const answered: Called[] = []
  const failed: string[] = []
  let isOver = false
  const one = async () => {
    while (!isOver)
      await callOnce({ url: `${running.address}/mcp`, key }, 'demo__calculate', { expression: '6*7' }).then(
        (given) => (given.text.includes(ANSWER) ? answered.push(given) : failed.push(given.text)),
        (thrown: unknown) => failed.push(String((thrown as Error).cause ?? thrown)),
      )
  }
  const all = Array.from({ length: CALLERS }, one)
  return {
    answered,
    failed,
    async stop() {
      isOver = true
      await Promise.all(all)
    },
  }
}

async function recorded(): Promise<Set<string>> {
  const client = new pg.Client(await findEmbeddedPostgres({ directory: here.data }))
  await client.connect()
  try {
    const { rows } = await client.query<{ id: string }>('select correlation_id as id from records')
    return new Set(rows.map(({ id }) => id))
  } finally {
    await client.end()
  }
}

test('calls are served by all processes, and their metrics are those of one gateway', async () => {
  const pids = await processesOf(running)
  expect(pids).toHaveLength(PROCESSES)
  const readBytes = () =>
    Promise.all(
      pids.map(async (pid) => Number(/^rchar: (\d+)/m.exec(await readFile(`/proc/${pid}/io`, 'utf8'))?.[1] ?? 0)),
    )
  const before = await readBytes()
  for (let one = 0; one < 20; one++) expect((await call(peer)).text).toContain(ANSWER)
  const read = (await readBytes()).map((bytes, at) => bytes - (before[at] ?? 0))
  // Each has ten requests of more than 400 bytes.
  for (const bytes of read) expect(bytes).toBeGreaterThan(4_000)
  expect(await metrics()).toMatchObject({
    toolway_gateway_processes: PROCESSES,
    [CALLS]: 20,
    toolway_database_up: 1,
  })
})

test('a rule is in force in every process when its answer comes, and so is its end', async () => {
  const made = await here.json(['key', 'add', 'rules', '--role', 'tenant_admin'])
  const { key: admin } = made as { key: string }
  const rules = `${running.address}/api/v1/organizations/default/rules`
  const ask = (method: string, path = '', body?: object) =>
    fetch(rules + path, {
      method,
      headers: { authorization: `Bearer ${admin}`, 'content-type': 'application/json', connection: 'close' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  const rule = { action: 'block', reason: 'Nobody calculates', match: { tools: ['demo__calculate'] }, parameters: {} }
  /** At once, over connections of their own: each process has some. */
  const passed = async () => {
    const called = await Promise.all(Array.from({ length: 3 * PROCESSES }, () => call(peer)))
    return called.filter(({ text }) => text.includes(ANSWER)).length
  }
  const counts: (readonly [number, number])[] = []
  for (let one = 0; one < 30; one++) {
    const added = await ask('POST', '', { ...rule, name: `rule-${one}` })
    expect(added.status, await added.clone().text()).toBe(201)
    const blocked = await passed()
    const { id } = (await added.json()) as { id: string }
    expect((await ask('DELETE', `/${id}`)).status).toBe(204)
    counts.push([blocked, await passed()])
  }
  expect(counts).toEqual(counts.map(() => [0, 3 * PROCESSES]))
})

test('a session that one process opened is served by all', async () => {
  const session = await openSession(peer.url, key)
  for (let one = 0; one < 2 * PROCESSES; one++) expect((await call(session)).text).toContain(ANSWER)
})

const LEGACY_KINDS = ['SDK 1', 'SDK 2 legacy'] as const
const asked = 'legacy__test_elicitation'

describe('every request comes to another process than the one before', () => {
  const headers = { connection: 'close' }
  beforeAll(async () => {
    const server = parts.use(await startEverythingServer({ era: 'legacy' }))
    await here.json(['connection', 'add', 'legacy', '--url', server.url])
    await until('the tools are there', async () => !(await callTool(peer, asked)).text.includes('tool.unknown'))
  })

  test.each(LEGACY_KINDS)('a question to %s is answered', async (kind) => {
    await using client = await connectClient({ kind, url: peer.url, key, answers: true, headers })
    for (let one = 0; one < 2 * PROCESSES; one++)
      expect(textOf(await client.call(asked, { message: `Who, ${one}?` }))).toContain('action=accept')
    expect(client.asked).toHaveLength(2 * PROCESSES)
  })

  test.each(LEGACY_KINDS)('%s cancels a call', async (kind) => {
    await using client = await connectClient({ kind, url: peer.url, key, headers })
    const inFlight = async () => (await metrics())['toolway_calls_in_flight']
    for (let one = 0; one < PROCESSES; one++) {
      const stop = new AbortController()
      const call = client.call('demo__wait_for', { seconds: 30 }, { signal: stop.signal })
      const ended = call.then(
        () => 'answered',
        () => 'cancelled',
      )
      await expect.poll(inFlight).toBe(1)
      stop.abort()
      expect(await ended).toBe('cancelled')
      // By itself it would end after the thirty seconds.
      await expect.poll(inFlight, { timeout: 15_000 }).toBe(0)
    }
  })

  test('HTTP+SSE answers on the stream, wherever a message is posted', async () => {
    const requestInit = { headers: { ...headers, authorization: `Bearer ${key}` } }
    await using client = await connectOver(new SSEClientTransport(new URL(sseOf(peer.url)), { requestInit }))
    for (let one = 0; one < 2 * PROCESSES; one++)
      expect(textOf(await client.call('demo__calculate', { expression: '6*7' }))).toContain(ANSWER)
  })

  test('a stream that no process has, or that another key opened, is unknown', async () => {
    const response = await fetch(sseOf(peer.url), { headers: { authorization: `Bearer ${key}` } })
    const reader = response.body?.getReader()
    const first = new TextDecoder().decode((await reader?.read())?.value)
    const [, place = ''] = /^data: (\S+)$/m.exec(first) ?? []
    const { key: stranger } = (await here.json(['key', 'add', 'stranger'])) as { key: string }
    const post = async (path: string, by: string) => {
      const sent = await fetch(new URL(path, running.address), {
        method: 'POST',
        headers: { ...headers, authorization: `Bearer ${by}`, 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
      })
      await sent.text()
      return sent.status
    }
    for (let one = 0; one < PROCESSES; one++) {
      expect(await post(place, stranger)).toBe(404)
      expect(await post(place.replace(/.{4}$/, '0000'), key)).toBe(404)
      expect(await post(place, key)).toBe(202)
    }
    await reader?.cancel()
  })
})

test('a process that is killed is replaced, and every call that was answered is on record', async () => {
  const callers = keepCalling()
  await expect.poll(() => callers.answered.length).toBeGreaterThan(50)
  const [victim = 0, other = 0] = await processesOf(running)
  process.kill(victim, 'SIGKILL')
  await expect
    .poll(async () => (await processesOf(running)).filter((pid) => pid !== victim && pid !== other))
    .toHaveLength(1)
  await expect.poll(async () => (await metrics())['toolway_gateway_processes']).toBe(PROCESSES)
  await callers.stop()
  expect(running.err()).toContain('a gateway process ended unexpectedly')
  // Calls that were under way at the killed one break off, and no other does.
  expect(callers.failed.length).toBeLessThanOrEqual(CALLERS)
  const ids = callers.answered.map(({ correlation }) => correlation)
  await expect.poll(async () => recorded().then((kept) => ids.filter((id) => !kept.has(id)))).toEqual([])
})

test('SIGUSR2 replaces all processes, and no call is lost', async () => {
  const before = await processesOf(running)
  const counted = (await metrics())[CALLS] ?? 0
  const callers = keepCalling()
  await expect.poll(() => callers.answered.length).toBeGreaterThan(50)
  const replaced = () => running.err().split('a gateway process was replaced').length - 1
  const earlier = replaced()
  running.signal('SIGUSR2')
  await expect.poll(replaced).toBe(earlier + PROCESSES)
  await callers.stop()
  expect(callers.failed).toEqual([])
  // What the replaced ones had counted stays in the sums; the calls of their last moments may be missing.
  expect((await metrics())[CALLS]).toBeGreaterThan(counted)
  const after = await processesOf(running)
  expect(after).toHaveLength(PROCESSES)
  expect(after.filter((pid) => before.includes(pid))).toEqual([])
})

test('a limit counts for all processes together', async () => {
  const limited = { ...settings, TOOLWAY_LIMIT_KEY: '60' }
  await using other = await makeInstallation(limited)
  const gateway = await other.start()
  const at: RawPeer = { url: `${gateway.address}/mcp`, key: await other.localKey(), era: 'modern' }
  const began = performance.now()
  const statuses: number[] = []
  for (let one = 0; one < 100; one++) statuses.push((await call(at)).status)
  const refilled = Math.ceil((performance.now() - began) / 1000)
  const passed = statuses.filter((status) => status === 200).length
  expect(passed).toBeLessThanOrEqual(60 + refilled)
  expect(passed).toBeGreaterThanOrEqual(50)
  expect(await gateway.stop()).toBe(0)
})

test('a port that is taken is told in the words of a single process', async () => {
  const { port } = new URL(running.address)
  await using other = await makeInstallation({ ...settings, TOOLWAY_PORT: port })
  const starting = other.begin()
  expect(await starting.ended).toBe(1)
  expect(starting.err().trim().split('\n').at(-1)).toContain(`Port ${port} on 127.0.0.1 is in use by another program`)
})

test('SIGTERM ends all of them, and nothing is left', async () => {
  const pids = await processesOf(running)
  expect(await running.stop()).toBe(0)
  const alive = pids.filter((pid) => {
    try {
      return process.kill(pid, 0)
    } catch {
      return false
    }
  })
  expect(alive).toEqual([])
})
