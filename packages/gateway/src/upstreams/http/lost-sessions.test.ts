/** The ways in which servers say that they have lost a session, and what a call in it comes to. */
import type { Fault } from '@toolway/contract'
import { NOBODY, type LegacySession } from '@toolway/protocol/client'
import { describe, expect, test } from 'vitest'
import { sayJson, startScriptedUpstream } from '../../../../../test/fault/scripted-upstream.ts'
import { startForgetful, startForgetfulPairs, startForgetfulSocket } from '../../../../../test/wild/forgetful-server.ts'
import {
  errorTo,
  failing,
  KEPT_SESSIONS,
  LOST_PAIRS,
  LOST_SESSIONS,
  LOST_SOCKETS,
  plain,
} from '../../../../../test/wild/rows/sessions.ts'
import { createSessionPool } from '../session-pool.ts'
import type { Ask, SessionRef } from '../upstream.ts'
import { createHttpUpstream } from './http-upstream.ts'

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
    onStateChange() {},
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

describe.each(HOLDERS)('a server that has lost %s', (_, whose) => {
  test.each(LOST_SESSIONS)('and says so by %s: the session is opened anew', async (_, says, outcome) => {
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
  test.each(KEPT_SESSIONS)('is passed on where a ping succeeds: %s', async (_, says, outcome) => {
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
      response.end(`data: ${JSON.stringify(errorTo(heard, -32001, 'Session not found'))}\n\n`)
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

test('the roots of a client are asked for in the new session, too', async () => {
  let isLost = false
  await using server = await startScriptedUpstream({
    era: 'legacy',
    act(heard, response) {
      if (isLost && heard.session === 'session-1') {
        failing(404, -32001, 'Session not found')(heard, response)
        return true
      }
      if (heard.method !== 'tools/call') return false
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(
        `data: ${JSON.stringify({ jsonrpc: '2.0', id: `roots-${heard.session}`, method: 'roots/list' })}\n\n`,
      )
      setTimeout(() => {
        const result = { content: [{ type: 'text', text: 'done' }] }
        response.end(`data: ${JSON.stringify({ jsonrpc: '2.0', id: heard.id, result })}\n\n`)
      }, 50)
      return true
    },
  })
  await using held = upstreamAt(server.url)
  const caller = { ...NOBODY, capabilities: { roots: {} } }
  const session: SessionRef = { id: 'ses_1', caller }
  const questions: string[] = []
  const onQuestion: Ask['onQuestion'] = ({ method }) => {
    questions.push(method)
    return Promise.resolve({ result: { roots: [{ uri: 'file:///work' }] } })
  }
  const ask = () => held.ask('tools/call', { session, caller, onQuestion })
  expect(await ask()).toBe('ok')
  isLost = true
  expect(await ask()).toBe('ok')
  expect(questions).toEqual(['roots/list', 'roots/list'])
  expect(server.of('initialize').map(({ params }) => params['capabilities'])).toEqual([
    expect.objectContaining({ roots: {} }),
    expect.objectContaining({ roots: {} }),
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
    await expect.poll(() => subscribed).toEqual(['session-1 note://1', 'session-2 note://1'])
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

test.each(LOST_PAIRS)(
  'a session over HTTP+SSE that the server has lost (%s) is opened anew',
  async (_, status, text) => {
    await using server = await startForgetfulPairs((response) => void response.writeHead(status).end(text))
    await using held = upstreamAt(server.url)
    expect(await held.ask('tools/call')).toBe('ok')
    server.forget()
    expect(await held.ask('tools/call')).toBe('ok')
    expect(server.ran).toEqual(['s1', 's2'])
  },
)

test.each(LOST_SOCKETS)('a session over WebSocket that the server has lost (%s) is opened anew', async (_, lost) => {
  await using server = await startForgetfulSocket(lost)
  await using held = upstreamAt(server.url)
  expect(await held.ask('tools/call')).toBe('ok')
  server.forget()
  expect(await held.ask('tools/call')).toBe('ok')
  expect(server.ran).toEqual([1, 2])
  await expect.poll(() => server.size).toBe(1)
})
