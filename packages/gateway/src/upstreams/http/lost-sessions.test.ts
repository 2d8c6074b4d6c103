/** The ways in which servers say that they have lost a session, and what a call in it comes to. */
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Fault } from '@toolway/contract'
import { NOBODY, type LegacySession } from '@toolway/protocol/client'
import { describe, expect, test } from 'vitest'
import { WebSocketServer } from 'ws'
import { sayJson, startScriptedUpstream, type Heard } from '../../../../../test/fault/scripted-upstream.ts'
import { createSessionPool } from '../session-pool.ts'
import type { Ask, SessionRef } from '../upstream.ts'
import { createHttpUpstream } from './http-upstream.ts'

type Says = (heard: Heard, response: ServerResponse) => void
const error = (heard: Heard, code: number, message: string, id = heard.id) => ({
  jsonrpc: '2.0',
  id,
  error: { code, message },
})
const plain =
  (status: number, text = ''): Says =>
  (_, response) =>
    void response.writeHead(status, { 'content-type': 'text/plain' }).end(text)
const failing =
  (status: number, code: number, message: string, id?: null): Says =>
  (heard, response) =>
    sayJson(response, error(heard, code, message, id === undefined ? heard.id : id), status)

/** A server that forgets its sessions when it is told to, and says so as the row does. */
async function startForgetful(
  says: Says,
  { pings = 'as the others' }: { pings?: 'as the others' | 'well' | 'never' } = {},
) {
  const forgotten = new Set<string | undefined>()
  const ran: unknown[] = []
  let isForgetful = false
  const server = await startScriptedUpstream({
    era: 'legacy',
    capabilities: { tools: {}, logging: {}, resources: { subscribe: true } },
    results: { 'resources/subscribe': {} },
    act(heard, response) {
      const { method, session, verb } = heard
      if (method === 'initialize' || verb === 'DELETE') return false
      if (isForgetful && method === 'tools/call') forgotten.add(session)
      if (pings === 'well' && method === 'ping') return false
      const isLost = forgotten.has(session) || (pings === 'never' && method === 'ping')
      if (isLost) says(heard, response)
      else if (method === 'tools/call') ran.push(heard.params['name'])
      return isLost
    },
  })
  return Object.assign(server, {
    ran,
    forget: () => {
      for (const { session } of server.of('initialize')) forgotten.add(session)
    },
    forgetAlways: (is: boolean) => (isForgetful = is),
  })
}

function upstreamAt(url: string) {
  let last = 0
  const troubles: (Fault | undefined)[] = []
  const pool = createSessionPool<LegacySession>({ now: Date.now })
  const upstream = createHttpUpstream({
    reach: {
      ...{ connectionId: 'con_1', alias: 'web', timeout: 5, revision: '2025-11-25', pinned: true },
      wire: { url, private: true, headers: {} },
    },
    ids: () => ++last,
    pool,
    onRevision() {},
    onTurn() {},
    onTrouble: (failure) => troubles.push(failure),
  })
  const ask = (method: string, more: Partial<Ask> = {}) =>
    upstream
      .ask({
        ...{ method, params: { name: 'write' }, caller: NOBODY, session: undefined, owner: 'ann' },
        ...{ headerParameters: [], signal: AbortSignal.timeout(10_000), onNotification() {} },
        onQuestion: () => Promise.resolve({ error: { code: -32601, message: 'no' } }),
        ...more,
      })
      .then(
        (answer) => ('error' in answer ? `${answer.error.code} ${answer.error.message}` : 'ok'),
        (thrown: Fault) => thrown.code,
      )
  const close = async () => {
    await upstream.close()
    pool.close()
  }
  return { upstream, ask, troubles, pool, [Symbol.asyncDispose]: close }
}

/** A 2025-era client's own session at our door; absent, the pooled session of a modern client's key. */
const CLIENT: SessionRef = { id: 'ses_1', caller: NOBODY }
const HOLDERS: [string, Partial<Ask>][] = [
  ['the pooled session of a key', {}],
  ['the session of a 2025-era client', { session: CLIENT }],
]

/** The answer of the server; what a call comes to, and how often it has run. */
const LOST: [string, Says, string][] = [
  ['404 without a body', plain(404), 'ok'],
  ['404 with a text', plain(404, 'no such session'), 'ok'],
  ['404 with the id of the request', failing(404, -32001, 'Session not found'), 'ok'],
  ['404 with id null', failing(404, -32600, 'Session terminated', null), 'ok'],
  ['404 with JSON that is no message', (_, response) => sayJson(response, { detail: 'Not Found' }, 404), 'ok'],
  ['400 with id null', failing(400, -32000, 'Bad Request: No valid session ID provided', null), 'ok'],
  ['400 with the id of the request', failing(400, -32000, 'Bad Request: Server not initialized'), 'ok'],
  ['400 with a text', plain(400, 'Invalid session ID'), 'ok'],
  ['400 with nothing', plain(400), 'ok'],
  ['401 without a challenge', plain(401, 'unauthorized'), 'ok'],
  ['410 with nothing', plain(410), 'ok'],
  ['403 that speaks of the session', plain(403, 'session expired'), 'ok'],
  ['409 that speaks of the session', failing(409, -32602, 'Unknown session'), 'ok'],
  ['500 that speaks of the session', failing(500, -32603, 'session abc not found'), 'ok'],
  ['503 that speaks of the session', plain(503, 'Session is no longer available on this node'), 'ok'],
  ['500 that says nothing', plain(500, 'Internal Server Error'), 'upstream.lost'],
  ['200 with -32001', failing(200, -32001, 'Session not found'), 'ok'],
  ['200 with -32000 that speaks of the session', failing(200, -32000, 'Invalid or missing session ID'), 'ok'],
  ['200 with -32000 that says nothing', failing(200, -32000, 'Server error'), 'upstream.lost'],
  ['200 with another code that speaks of the session', failing(200, -32602, 'The session has expired'), 'ok'],
  ['200 with a text', plain(200, 'Session expired, please initialize again'), 'ok'],
  [
    '200 with an event stream',
    (heard, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end(`data: ${JSON.stringify(error(heard, -32001, 'Session not found'))}\n\n`)
    },
    'ok',
  ],
]

describe.each(HOLDERS)('a server that has lost %s', (_, whose) => {
  test.each(LOST)('and says so by %s: the session is opened anew', async (_, says, outcome) => {
    await using server = await startForgetful(says)
    await using held = upstreamAt(server.url)
    expect(await held.ask('tools/call', whose)).toBe('ok')
    server.forget()
    expect(await held.ask('tools/call', whose)).toBe(outcome)
    // Nothing has run twice, and the session is there again for what comes next.
    expect(server.ran).toHaveLength(outcome === 'ok' ? 2 : 1)
    expect(await held.ask('tools/call', whose)).toBe('ok')
    server.forget()
    expect(await held.ask('tools/list', whose)).toBe('ok')
    expect(held.pool.size).toBe(1)
  })
})

test('calls that fail at the same time in a lost session open one new session', async () => {
  await using server = await startForgetful(failing(400, -32000, 'no valid session', null))
  await using held = upstreamAt(server.url)
  await held.ask('tools/call')
  server.forget()
  expect(new Set(await Promise.all(Array.from({ length: 20 }, () => held.ask('tools/call'))))).toEqual(new Set(['ok']))
  expect(server.ran).toHaveLength(21)
  expect(server.of('initialize').length).toBeLessThanOrEqual(3)
})

describe('what looks like a lost session and is none', () => {
  test.each<[string, Says, string]>([
    ['400 to a call', failing(400, -32000, 'the budget is spent'), '-32000 the budget is spent'],
    ['404 to a call', failing(404, -32001, 'no such note'), '-32001 no such note'],
    ['500 to a call', plain(500, 'oops'), 'upstream.unreachable'],
    [
      'a word about a session',
      failing(200, -32603, 'the session of the user has expired'),
      '-32603 the session of the user has expired',
    ],
  ])('is passed on where a ping succeeds: %s', async (_, says, outcome) => {
    await using server = await startForgetful(says, { pings: 'well' })
    await using held = upstreamAt(server.url)
    await held.ask('tools/call')
    server.forget()
    expect(await held.ask('tools/call')).toBe(outcome)
    expect(server.of('initialize')).toHaveLength(1)
  })

  test('is passed on where a ping never succeeds, and is looked into once', async () => {
    await using server = await startForgetful(failing(500, -32603, 'unknown method'), { pings: 'never' })
    await using held = upstreamAt(server.url)
    await held.ask('tools/call')
    server.forget()
    for (let at = 0; at < 3; at++) expect(await held.ask('tools/call')).toBe('upstream.unreachable')
    expect(server.of('initialize')).toHaveLength(2)
    expect(server.ran).toHaveLength(1)
  })

  test('a 401 whose new session is refused, too, keeps the session for a newer credential', async () => {
    let isOver = false
    await using server = await startScriptedUpstream({
      era: 'legacy',
      act(_, response) {
        if (isOver) response.writeHead(401).end()
        return isOver
      },
    })
    await using held = upstreamAt(server.url)
    await held.ask('tools/call')
    isOver = true
    expect(await held.ask('tools/call')).toBe('upstream.needs-auth')
    isOver = false
    expect(await held.ask('tools/call')).toBe('ok')
    expect(server.of('tools/call').map(({ session }) => session)).toEqual(['session-1', 'session-1', 'session-1'])
  })
})

test('a call that its server worked on is not repeated, although its session is lost', async () => {
  let isLost = false
  await using server = await startScriptedUpstream({
    era: 'legacy',
    act(heard, response) {
      if (!isLost || heard.session !== 'session-1') return false
      if (heard.method !== 'tools/call') return failing(200, -32001, 'Session not found')(heard, response) === undefined
      const line = { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'half done' } }
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(`data: ${JSON.stringify(line)}\n\n`)
      response.end(`data: ${JSON.stringify(error(heard, -32001, 'Session not found'))}\n\n`)
      return true
    },
  })
  await using held = upstreamAt(server.url)
  await held.ask('tools/call')
  isLost = true
  expect(await held.ask('tools/call')).toBe('upstream.lost')
  expect(server.of('tools/call')).toHaveLength(2)
  expect(await held.ask('tools/call')).toBe('ok')
})

test('the log level of a client is set again in the new session', async () => {
  await using server = await startForgetful(failing(400, -32000, 'no valid session', null))
  await using held = upstreamAt(server.url)
  const session: SessionRef = { id: 'ses_1', caller: { ...NOBODY, logLevel: 'debug' } }
  await held.ask('tools/call', { session })
  server.forget()
  expect(await held.ask('tools/call', { session })).toBe('ok')
  expect(server.of('logging/setLevel').map(({ params, session: own }) => `${own} ${params['level']}`)).toEqual([
    'session-1 debug',
    'session-2 debug',
  ])
})

describe('subscriptions', () => {
  test.each<[string, 'with' | 'without']>([
    ['a stream of its own', 'with'],
    ['no stream of its own', 'without'],
  ])('are made again in the new session of a server with %s', async (_, has) => {
    const subscribed: string[] = []
    const lost = new Set<string | undefined>()
    await using server = await startScriptedUpstream({
      era: 'legacy',
      capabilities: { tools: {}, resources: { subscribe: true } },
      act(heard, response) {
        const { method, verb, session } = heard
        if (lost.has(session) && method !== 'initialize') {
          failing(400, -32000, 'no valid session', null)(heard, response)
          return true
        }
        if (method === 'resources/subscribe') {
          subscribed.push(`${session} ${heard.params['uri']}`)
          sayJson(response, { jsonrpc: '2.0', id: heard.id, result: {} })
          return true
        }
        if (verb !== 'GET' || has === 'without') return false
        response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
        return true
      },
    })
    await using held = upstreamAt(server.url)
    const leaving = new AbortController()
    await held.upstream.listen({
      ...{ session: CLIENT, owner: 'ann', caller: NOBODY, uris: ['note://1'], tasks: [] },
      ...{ signal: leaving.signal, onNotification() {}, onEnd() {} },
    })
    await expect.poll(() => subscribed).toEqual(['session-1 note://1'])
    lost.add('session-1')
    expect(await held.ask('tools/call', { session: CLIENT })).toBe('ok')
    await expect.poll(() => subscribed, { timeout: 5_000 }).toEqual(['session-1 note://1', 'session-2 note://1'])
    leaving.abort()
  })
})

test('a connection whose calls lose every session is in trouble until a call succeeds, whatever its own session shows', async () => {
  await using server = await startForgetful(plain(404))
  await using held = upstreamAt(server.url)
  const signal = AbortSignal.timeout(10_000)
  expect(await held.ask('tools/call')).toBe('ok')
  server.forgetAlways(true)
  expect(await held.ask('tools/call')).toBe('upstream.lost')
  expect(held.troubles.map((failure) => failure?.code)).toEqual(['upstream.lost'])
  server.forgetAlways(false)
  expect(await held.upstream.check(signal)).toBe(true)
  expect(held.troubles.map((failure) => failure?.code)).toEqual(['upstream.lost', undefined])
})

interface Rpc {
  readonly id?: number
  readonly method: string
}
const INITIALIZED = {
  protocolVersion: '2024-11-05',
  capabilities: { tools: {} },
  serverInfo: { name: 'x', version: '1' },
}

/** HTTP+SSE behind a proxy: the stream stays open while the server behind it has forgotten the session. */
async function startPairs(says: (response: ServerResponse) => void) {
  const [streams, forgotten, ran] = [new Map<string, ServerResponse>(), new Set<string>(), [] as string[]]
  const server = createServer((request, response) => {
    const session = new URL(request.url ?? '', 'http://x').searchParams.get('s')
    if (request.method === 'GET') {
      const own = `s${streams.size + 1}`
      streams.set(own, response)
      return void response
        .writeHead(200, { 'content-type': 'text/event-stream' })
        .write(`event: endpoint\ndata: /m?s=${own}\n\n`)
    }
    let body = ''
    request.on('data', (chunk) => (body += String(chunk)))
    request.on('end', () => {
      if (session === null) return void response.writeHead(405).end()
      if (forgotten.has(session)) return says(response)
      const { id, method } = JSON.parse(body) as Rpc
      response.writeHead(202).end()
      if (method === 'tools/call') ran.push(session)
      const result = method === 'initialize' ? INITIALIZED : {}
      if (id !== undefined) streams.get(session)?.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/sse`,
    ran,
    forget: () => {
      for (const session of streams.keys()) forgotten.add(session)
    },
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => void (server.closeAllConnections(), server.close(() => resolve()))),
  }
}

test.each<[string, number, string]>([
  ['404', 404, ''],
  ['400', 400, 'Could not find session'],
  ['410', 410, ''],
  ['500 that speaks of the session', 500, 'Session not found'],
])('a session over HTTP+SSE that the server has lost (%s) is opened anew', async (_, status, text) => {
  await using server = await startPairs((response) => void response.writeHead(status).end(text))
  await using held = upstreamAt(server.url)
  expect(await held.ask('tools/call')).toBe('ok')
  server.forget()
  expect(await held.ask('tools/call')).toBe('ok')
  expect(server.ran).toEqual(['s1', 's2'])
})

test('a session over WebSocket that the server has lost is opened anew', async () => {
  const ran: number[] = []
  let [sessions, forgotten] = [0, 0]
  const sockets = new WebSocketServer({ port: 0, host: '127.0.0.1', handleProtocols: () => 'mcp' })
  await new Promise<void>((resolve) => void sockets.once('listening', resolve))
  sockets.on('connection', (socket) => {
    const own = ++sessions
    socket.on('message', (data) => {
      const { id, method } = JSON.parse(String(data)) as Rpc
      if (id === undefined) return
      const said =
        own <= forgotten ? { error: { code: -32001, message: 'Session not found' } } : { result: INITIALIZED }
      if (method === 'tools/call' && 'result' in said) ran.push(own)
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, ...said }))
    })
  })
  {
    await using held = upstreamAt(`ws://127.0.0.1:${(sockets.address() as AddressInfo).port}/`)
    expect(await held.ask('tools/call')).toBe('ok')
    forgotten = sessions
    expect(await held.ask('tools/call')).toBe('ok')
    expect(ran).toEqual([1, 2])
    await expect.poll(() => sockets.clients.size).toBe(1)
  }
  sockets.close()
})
