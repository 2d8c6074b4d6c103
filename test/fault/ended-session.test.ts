/**
 * A session ends while calls of it run: at this gateway or another, by its client, or because a newer session takes its place. Each
 * call ends with an answer that says so, over every transport, and its record does, too.
 */
import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { removeKey } from '../../packages/gateway/src/identity/keys/keys.ts'
import { startTestGateway, type TestGateway } from '../../packages/gateway/src/testing/gateway.ts'
import { callTool, openSession, start, tell, type RawPeer } from '../e2e/peers/clients/raw-client.ts'
import { LINE_WAYS, openLegacyLine } from '../e2e/peers/clients/raw-line.ts'
import { startScriptedUpstream, type Heard } from './scripted-upstream.ts'

/** A server that never answers a call; `reports`: it says something meanwhile, so that the client's answer is a stream. */
async function startSilentUpstream(reports = false) {
  let pending = 0
  const upstream = await startScriptedUpstream({
    era: 'modern',
    act({ method, params }: Heard, response: ServerResponse) {
      if (method !== 'tools/call') return false
      pending++
      response.once('close', () => pending--)
      if (!reports) return true
      const { progressToken } = params['_meta'] as { progressToken: string }
      const progress = { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken, progress: 1 } }
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(`data: ${JSON.stringify(progress)}\n\n`)
      return true
    },
  })
  return {
    url: upstream.url,
    pending: () => pending,
    [Symbol.asyncDispose]: () => upstream[Symbol.asyncDispose](),
  }
}

async function startGateway(url: string, settings: Readonly<Record<string, string>> = {}): Promise<TestGateway> {
  const gateway = await startTestGateway({
    connections: [{ alias: 'up', revision: '2026-07-28', timeout: 300, wire: { kind: 'http', url, headers: {} } }],
    settings,
  })
  await gateway.settled('up')
  return gateway
}

const end = ({ url, key, session = '' }: RawPeer) =>
  fetch(url, { method: 'DELETE', headers: { authorization: `Bearer ${key}`, 'mcp-session-id': session } })

const ENDED = { code: -32003, data: { fault: 'session.ended', code: 'CANCELLED' } }

const recorded = ({ log }: TestGateway) =>
  log.flatMap(({ facts }) => (facts['method'] === 'tools/call' ? [`${facts['outcome']} ${facts['code']}`] : []))

test.each([
  ['as JSON', false, 'application/json'],
  ['on the stream that has begun', true, 'text/event-stream'],
])('a session that its client ends answers the calls that run in it, %s', async (_, reports, type) => {
  await using upstream = await startSilentUpstream(reports)
  await using gateway = await startGateway(upstream.url)
  const peer = await openSession(gateway.connectionUrl('up'), gateway.key)
  const call = callTool(peer, 'good', {}, { id: 7, meta: { progressToken: 'p' } })
  await expect.poll(upstream.pending).toBe(1)
  await end(peer)
  const { status, headers, answer } = await call
  expect([status, headers.get('content-type')]).toEqual([200, expect.stringContaining(type)])
  expect(answer).toMatchObject({ id: 7, error: ENDED })
  await expect.poll(upstream.pending).toBe(0)
  expect(recorded(gateway)).toEqual(['cancelled session.ended'])
  expect((await callTool(peer, 'good')).status).toBe(404)
})

test('a session that is ended at another gateway answers the calls that run here', async () => {
  await using upstream = await startSilentUpstream()
  await using gateway = await startGateway(upstream.url)
  await using other = await gateway.another()
  const url = gateway.connectionUrl('up')
  const peer = await openSession(url, gateway.key)
  const calls = [1, 2, 3].map((id) => callTool(peer, 'good', {}, { id }))
  await expect.poll(upstream.pending).toBe(3)
  await expect
    .poll(async () => (await end({ ...peer, url: url.replace(gateway.address, other.address) })).status)
    .toBe(204)
  for (const [at, { answer }] of (await Promise.all(calls)).entries())
    expect(answer).toMatchObject({ id: at + 1, error: ENDED })
})

test('a session that a newer session of its key takes the place of answers its calls, each of a batch too', async () => {
  await using upstream = await startSilentUpstream()
  await using gateway = await startGateway(upstream.url, { TOOLWAY_SESSIONS_PER_PRINCIPAL: '1' })
  const url = gateway.connectionUrl('up')
  const peer = await openSession(url, gateway.key, '2025-03-26')
  const messages = Array.from({ length: 6 }, (_, id) => ({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name: 'good', arguments: {} },
  }))
  const batch = fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${gateway.key}`,
      'mcp-session-id': peer.session,
    },
    body: JSON.stringify(messages),
  })
  await expect.poll(upstream.pending).toBe(4)
  await openSession(url, gateway.key)
  const answers = (await (await batch).json()) as { id: number }[]
  // The two that had not begun are not sent any more.
  expect(answers).toMatchObject(messages.map(({ id }) => ({ id, error: ENDED })))
  expect(new Set(recorded(gateway))).toEqual(new Set(['cancelled session.ended']))
})

test.each(LINE_WAYS)(
  'a session over %s that a newer one takes the place of answers its calls, then ends',
  async (way) => {
    await using upstream = await startSilentUpstream()
    await using gateway = await startGateway(upstream.url, { TOOLWAY_SESSIONS_PER_PRINCIPAL: '1' })
    const at = { way, url: gateway.connectionUrl('up'), key: gateway.key }
    await using line = await openLegacyLine(at, '2025-03-26')
    const call = (id: string) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'good', arguments: {} } })
    await line.say(call('single'))
    await line.say([call('b1'), call('b2')])
    await expect.poll(upstream.pending).toBe(3)
    await openSession(at.url, gateway.key)
    await expect.poll(() => line.closed).toBeDefined()
    expect(line.heard).toContainEqual(
      expect.objectContaining({ id: 'single', error: expect.objectContaining(ENDED_ERROR) }),
    )
    const batch = line.heard.find((one) => Array.isArray(one)) as unknown as { id: string; error: object }[]
    expect(batch).toMatchObject([
      { id: 'b1', error: ENDED },
      { id: 'b2', error: ENDED },
    ])
  },
)
const ENDED_ERROR = { code: -32003, data: expect.objectContaining(ENDED.data) }

test('a key that is revoked while its calls run over a socket: they are answered before the socket ends', async () => {
  await using upstream = await startSilentUpstream()
  await using gateway = await startGateway(upstream.url)
  await using line = await openLegacyLine({ way: 'socket', url: gateway.connectionUrl('up'), key: gateway.key })
  const call = line.ask('tools/call', { name: 'good', arguments: {} }, 'call')
  await expect.poll(upstream.pending).toBe(1)
  await gateway.db.organization(gateway.organization.id, (sql) => removeKey(sql, 'test'))
  expect(await call).toMatchObject({ id: 'call', error: ENDED })
  await expect.poll(() => line.closed).toBeDefined()
})

test('a call that its client cancels ends without an answer, on a stream that says no more; a client that takes none is answered', async () => {
  await using upstream = await startSilentUpstream()
  await using gateway = await startGateway(upstream.url)
  const peer = await openSession(gateway.connectionUrl('up'), gateway.key)
  const first = start(peer, 'tools/call', { name: 'good', arguments: {} }, { id: 1 })
  await expect.poll(upstream.pending).toBe(1)
  await tell(peer, 'notifications/cancelled', { requestId: 1 })
  const ended = await first
  expect([ended.status, ended.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
  expect(await ended.text()).not.toContain('data: {')
  const second = callTool(peer, 'good', {}, { id: 2, headers: { accept: 'application/json' } })
  await expect.poll(upstream.pending).toBe(1)
  await tell(peer, 'notifications/cancelled', { requestId: 2 })
  expect((await second).answer).toMatchObject({ id: 2, error: { data: { fault: 'call.cancelled' } } })
  expect(recorded(gateway)).toEqual(Array(2).fill('cancelled call.cancelled'))
})

test('a gateway that one organization has filled with sessions opens one for another organization', async () => {
  const key = `uru_${'fedcba9876543210'.repeat(4)}`
  await using gateway = await startTestGateway({
    settings: { TOOLWAY_SESSIONS_PER_GATEWAY: '4' },
    others: [
      {
        slug: 'acme',
        name: 'Acme',
        connections: [],
        toolsets: [],
        keys: [{ name: 'a', value: key, toolset: undefined }],
      },
    ],
  })
  const full = []
  for (let count = 0; count < 4; count++) full.push(await openSession(gateway.url, gateway.key))
  const other = await openSession(gateway.url, key)
  expect(other.session).not.toBe('')
  expect((await start(other, 'ping', {})).status).toBe(200)
  const states = await Promise.all(full.map((peer) => start(peer, 'ping', {}).then(({ status }) => status)))
  expect(states).toEqual([404, 200, 200, 200])
})
