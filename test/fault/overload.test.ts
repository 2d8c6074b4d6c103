/**
 * More calls than a gateway takes in: who is refused, how that is worded at each door, and that everything else goes on. The bounds are
 * small, so that few calls reach them; what a real flood does is measured by test/load/overload.ts.
 */
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { startTestGateway, TEST_KEY, type TestGateway } from '../../packages/gateway/src/testing/gateway.ts'
import { modern, openLine } from '../e2e/peers/clients/raw-line.ts'
import { until } from '../e2e/peers/until.ts'
import { sayResult, startScriptedUpstream, type ScriptedUpstream } from './scripted-upstream.ts'

const OTHER_KEY = `uru_${'ab'.repeat(32)}`

/** A server that answers no call before `answer()`. */
async function startSilentUpstream(): Promise<ScriptedUpstream & { answer(): void }> {
  const waiting: (() => void)[] = []
  let isOpen = false
  const upstream = await startScriptedUpstream({
    era: 'modern',
    act(heard, response) {
      if (heard.method !== 'tools/call' || isOpen) return false
      waiting.push(() => sayResult(response, heard, { content: [{ type: 'text', text: 'done' }] }))
      return true
    },
  })
  return Object.assign(upstream, {
    answer() {
      isOpen = true
      for (const answer of waiting.splice(0)) answer()
    },
  })
}

/** A gateway with so small bounds, one organization that floods and another. */
async function startBounded(url: string, settings: Record<string, string>): Promise<TestGateway> {
  const connection = {
    ...({ alias: 'up', title: 'up', enabled: true, revision: '2026-07-28', timeout: 60 } as const),
    wire: { kind: 'http', url, headers: {} } as const,
  }
  const gateway = await startTestGateway({
    connections: [connection],
    others: [
      {
        ...{ slug: 'other', name: 'Other', connections: [connection], toolsets: [] },
        keys: [{ name: 'other', value: OTHER_KEY, toolset: undefined }],
      },
    ],
    settings,
  })
  await gateway.settled('up')
  await until('the other organization has its tools', async () =>
    (await (await call(gateway, { key: OTHER_KEY, organization: 'other', method: 'tools/list' })).text()).includes(
      'good',
    ),
  )
  return gateway
}

interface Asking {
  readonly key?: string
  readonly organization?: string
  readonly id?: number
  readonly method?: string
  readonly text?: string
  readonly signal?: AbortSignal
}

function call(
  gateway: TestGateway,
  { key = TEST_KEY, organization = 'default', id = 1, method = 'tools/call', text = '', signal }: Asking = {},
) {
  return fetch(`${gateway.address}/api/v1/${organization}/connectors/up/mcp`, {
    method: 'POST',
    ...(signal === undefined ? {} : { signal }),
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${key}`,
      'mcp-protocol-version': '2025-11-25',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id, method, params: { name: 'good', arguments: { text } } }),
  })
}

const calls = (gateway: TestGateway, count: number, asking: Asking = {}) =>
  Array.from({ length: count }, (_, id) => call(gateway, { ...asking, id }))

async function metricOf(gateway: TestGateway, name: string): Promise<number> {
  const response = await fetch(`${gateway.address}/metrics`, { headers: { authorization: `Bearer ${TEST_KEY}` } })
  const line = (await response.text()).split('\n').find((one) => one.startsWith(name) && !one.startsWith('#'))
  return Number(line?.split(' ').at(-1) ?? 0)
}

const callLines = ({ log }: TestGateway): number => log.filter(({ message }) => message === 'call').length

const running = (upstream: ScriptedUpstream, count: number) =>
  until(`${count} calls are at the server`, () => upstream.of('tools/call').length >= count)

/** Nothing is taken any more: whatever ended, its place is free. */
const allFree = (gateway: TestGateway) =>
  until('every place is free', async () => {
    const taken = await Promise.all(
      ['toolway_calls_in_flight', 'toolway_calls_bytes'].map((name) => metricOf(gateway, name)),
    )
    return taken.every((value) => value === 0)
  })

/** Fills the share of the default organization: eight of ten places, while its server is silent. */
async function fill(gateway: TestGateway, upstream: ScriptedUpstream): Promise<Promise<Response>[]> {
  const first = call(gateway, { id: 100 })
  // Its key is known from then on, and counts as its organization's.
  await running(upstream, 1)
  const others = calls(gateway, 7)
  await running(upstream, 8)
  return [first, ...others]
}

test('a call beyond the bound is told 503 and when to come back, as JSON-RPC, without a record or a line of the log for each', async () => {
  await using upstream = await startSilentUpstream()
  await using gateway = await startBounded(upstream.url, { TOOLWAY_CALLS_IN_FLIGHT: '10' })
  const filled = await fill(gateway, upstream)
  const lines = callLines(gateway)
  for (const response of await Promise.all(calls(gateway, 20))) {
    expect(response.status).toBe(503)
    expect(response.headers.get('retry-after')).toBe('1')
    const body = (await response.json()) as { jsonrpc: string; id?: unknown; error: { data: object } }
    expect(body).toMatchObject({
      jsonrpc: '2.0',
      error: {
        code: -32003,
        data: {
          code: 'UNAVAILABLE',
          fault: 'gateway.busy',
          retryable: true,
          retry_after: 1,
          correlation_id: response.headers.get('x-correlation-id'),
        },
      },
    })
    // The body was not read, so its id is not known (2026-07-28, transports).
    expect(body).not.toHaveProperty('id')
  }
  expect(callLines(gateway)).toBe(lines)
  expect(await metricOf(gateway, 'toolway_calls_shed_total{reason="in_flight"}')).toBe(20)
  expect(await metricOf(gateway, 'toolway_refusals_total{code="gateway.busy"}')).toBe(20)
  upstream.answer()
  expect((await Promise.all(filled)).map(({ status }) => status)).toEqual(Array(8).fill(200))
  expect((await call(gateway)).status).toBe(200)
})

test('while one organization floods, the calls of another, health, metrics and administration are answered', async () => {
  await using upstream = await startSilentUpstream()
  await using gateway = await startBounded(upstream.url, { TOOLWAY_CALLS_IN_FLIGHT: '10' })
  const filled = await fill(gateway, upstream)
  expect((await call(gateway)).status).toBe(503)
  const other = call(gateway, { key: OTHER_KEY, organization: 'other' })
  await running(upstream, 9)
  for (const path of ['/health/live', '/health/ready', '/metrics', '/api/v1/admin/tenants/default/connectors'])
    expect(
      (await fetch(`${gateway.address}${path}`, { headers: { authorization: `Bearer ${TEST_KEY}` } })).status,
      path,
    ).toBeLessThan(500)
  upstream.answer()
  expect((await other).status).toBe(200)
  await Promise.all(filled)
})

test('each door words it for its clients: problem+json, the form of the source system, an error on a socket', async () => {
  await using upstream = await startSilentUpstream()
  await using gateway = await startBounded(upstream.url, { TOOLWAY_CALLS_IN_FLIGHT: '10' })
  await using line = await openLine({ way: 'socket', url: gateway.url, key: TEST_KEY })
  const filled = await fill(gateway, upstream)
  const post = (path: string) =>
    fetch(`${gateway.address}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${TEST_KEY}` },
      body: '{}',
    })
  // These are at another address, where the key was not admitted yet: the first of them counts as its address's.
  const strangers = [post('/rest/tools/up__good/call')]
  await running(upstream, 9)
  const rest = await post('/rest/tools/up__good/call')
  expect([rest.status, rest.headers.get('content-type'), rest.headers.get('retry-after')]).toEqual([
    503,
    'application/problem+json',
    '1',
  ])
  expect(await rest.json()).toMatchObject({ status: 503, code: 'gateway.busy' })
  expect(await (await post('/execute/up__good')).json()).toMatchObject({ code: 'UNAVAILABLE', retry_after_ms: 1_000 })
  const answer = await line.ask('tools/call', modern({ name: 'up__good', arguments: {} }), 7)
  expect(answer).toMatchObject({ id: 7, error: { data: { fault: 'gateway.busy' } } })
  expect(line.closed).toBeUndefined()
  upstream.answer()
  await Promise.all([...filled, ...strangers])
  expect(await line.ask('tools/call', modern({ name: 'up__good', arguments: {} }), 8)).toHaveProperty('result')
})

test('the requests of a batch are refused one by one, each with its id', async () => {
  await using upstream = await startSilentUpstream()
  await using gateway = await startBounded(upstream.url, { TOOLWAY_CALLS_IN_FLIGHT: '10' })
  const first = call(gateway)
  await running(upstream, 1)
  // With the batch itself and four of its requests at a time, one organization has its eight places.
  const more = calls(gateway, 4)
  await running(upstream, 5)
  const batch = fetch(gateway.connectionUrl('up'), {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${TEST_KEY}`,
      'mcp-protocol-version': '2025-03-26',
    },
    body: JSON.stringify(
      Array.from({ length: 12 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'good' } })),
    ),
  })
  await running(upstream, 7)
  await until('requests are refused', async () => (await metricOf(gateway, 'toolway_calls_shed_total')) > 0)
  upstream.answer()
  const answers = (await (await batch).json()) as { id: number; error?: { data: { fault: string } } }[]
  expect(answers.map(({ id }) => id)).toEqual(Array.from({ length: 12 }, (_, id) => id))
  const refused = answers.filter(({ error }) => error !== undefined)
  expect(new Set(refused.map(({ error }) => error?.data.fault))).toEqual(new Set(['gateway.busy']))
  expect(refused.length).toBeLessThan(12)
  await Promise.all([first, ...more])
  await allFree(gateway)
})

test('bodies have a bound together, also those that come without a length', async () => {
  await using upstream = await startSilentUpstream()
  await using gateway = await startBounded(upstream.url, { TOOLWAY_CALLS_BYTES: '2000', TOOLWAY_BODY_LIMIT: '2000' })
  const text = 'x'.repeat(1_200)
  const first = call(gateway, { text })
  await running(upstream, 1)
  expect((await call(gateway, { text })).status).toBe(503)
  const chunked = await fetch(gateway.connectionUrl('up'), {
    method: 'POST',
    duplex: 'half',
    headers: { 'content-type': 'application/json', accept: 'application/json', authorization: `Bearer ${TEST_KEY}` },
    body: new Blob([text]).stream(),
  })
  expect(chunked.status).toBe(503)
  expect(await chunked.json()).toMatchObject({ error: { data: { fault: 'gateway.busy' } } })
  upstream.answer()
  expect((await first).status).toBe(200)
  await allFree(gateway)
})

test('a place is free again however its call ended: answered, refused, cut off, given up, with a body that is none', async () => {
  await using upstream = await startSilentUpstream()
  await using gateway = await startBounded(upstream.url, { TOOLWAY_CALLS_IN_FLIGHT: '10' })
  const post = (body: string, headers: Record<string, string> = {}) =>
    fetch(gateway.connectionUrl('up'), {
      method: 'POST',
      body,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        authorization: `Bearer ${TEST_KEY}`,
        ...headers,
      },
    })
  for (let round = 0; round < 12; round++) {
    await post('{')
    await post('{}', { authorization: 'Bearer uru_nobody' })
    await post('{}', { accept: 'text/plain' })
    await post(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'none' } }))
    await post(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }))
    const socket = connect(Number(new URL(gateway.address).port), '127.0.0.1')
    socket.on('error', () => {})
    socket.write(
      `POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\naccept: application/json\r\nauthorization: Bearer ${TEST_KEY}\r\ncontent-length: 500\r\n\r\nhalf`,
      () => socket.destroy(),
    )
  }
  await allFree(gateway)
  upstream.answer()
  expect((await call(gateway)).status).toBe(200)
})

test('whoever listens takes no place: calls go on beside more listeners than there are places', async () => {
  await using upstream = await startSilentUpstream()
  await using gateway = await startBounded(upstream.url, { TOOLWAY_CALLS_IN_FLIGHT: '5' })
  upstream.answer()
  const leave = new AbortController()
  for (let n = 0; n < 8; n++) {
    const response = await fetch(gateway.connectionUrl('up'), {
      method: 'POST',
      signal: leave.signal,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: `Bearer ${TEST_KEY}`,
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'subscriptions/listen',
      },
      body: JSON.stringify({
        ...{ jsonrpc: '2.0', id: n, method: 'subscriptions/listen' },
        params: modern({ notifications: { toolsListChanged: true } }),
      }),
    })
    expect(response.status).toBe(200)
  }
  expect((await call(gateway)).status).toBe(200)
  leave.abort()
})
