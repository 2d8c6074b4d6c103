/** Answers of servers that are not quite as the specification says: which are read, which are refused, and in which words. */
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import type { Fault } from '@toolway/contract'
import type { JsonObject } from '@toolway/protocol'
import { NOBODY, type LegacySession } from '@toolway/protocol/client'
import { describe, expect, test } from 'vitest'
import { startScriptedUpstream, type Heard } from '../../../../../test/fault/scripted-upstream.ts'
import { createSessionPool } from '../session-pool.ts'
import { createHttpUpstream } from './http-upstream.ts'

type Says = (response: ServerResponse, heard: Heard) => void
const done = (heard: Heard, text = 'done', id: unknown = heard.id): JsonObject => ({
  jsonrpc: '2.0',
  id: id as number,
  result: { resultType: 'complete', content: [{ type: 'text', text }] },
})
const event = (value: unknown, end = '\n\n') => `data: ${JSON.stringify(value)}${end}`
const json =
  (value: (heard: Heard) => unknown, type = 'application/json', status = 200): Says =>
  (response, heard) =>
    void response.writeHead(status, { 'content-type': type }).end(JSON.stringify(value(heard)))
const stream =
  (text: (heard: Heard) => string, type = 'text/event-stream'): Says =>
  (response, heard) =>
    void response.writeHead(200, { 'content-type': type }).end(text(heard))
const coded =
  (coding: string, compress: (bytes: Buffer) => Buffer, type = 'application/json'): Says =>
  (response, heard) => {
    const text = type === 'application/json' ? JSON.stringify(done(heard)) : `: hello\n\n${event(done(heard))}`
    response.writeHead(200, { 'content-type': type, 'content-encoding': coding }).end(compress(Buffer.from(text)))
  }

function upstreamAt(url: string, revision: '2026-07-28' | '2025-11-25', timeout = 60) {
  let last = 0
  const notes: Record<string, unknown>[] = []
  const pool = createSessionPool<LegacySession>({ now: Date.now })
  const upstream = createHttpUpstream({
    reach: {
      ...{ connectionId: 'con_1', alias: 'web', timeout, revision, pinned: true },
      wire: { url, private: true, headers: {} },
    },
    ids: () => ++last,
    pool,
    onRevision() {},
    onTurn() {},
    onNote: (facts) => void notes.push(facts),
  })
  const call = (params: JsonObject = {}) =>
    upstream
      .ask({
        ...{
          method: 'tools/call',
          params: { name: 'good', ...params },
          caller: NOBODY,
          session: undefined,
          owner: 'ann',
        },
        ...{ headerParameters: [], signal: AbortSignal.timeout(60_000), onNotification() {} },
        onQuestion: () => Promise.resolve({ error: { code: -32601, message: 'no' } }),
      })
      .then(
        (answer) => {
          if ('error' in answer) return `${answer.error.code} ${answer.error.message}`
          const [first] = (answer.result['content'] ?? []) as { text: string }[]
          return first?.text ?? JSON.stringify(answer.result)
        },
        (thrown: Fault) => `${thrown.code}: ${thrown.message}`,
      )
  const close = async () => {
    await upstream.close()
    pool.close()
  }
  return { call, notes, [Symbol.asyncDispose]: close }
}

/** A server that gives this answer to a call, and a call of it. */
async function outcomeOf(says: Says, revision: '2026-07-28' | '2025-11-25') {
  await using server = await startScriptedUpstream({
    era: revision === '2026-07-28' ? 'modern' : 'legacy',
    act(heard, response) {
      if (heard.method !== 'tools/call') return false
      says(response, heard)
      return true
    },
  })
  await using held = upstreamAt(server.url, revision)
  const outcome = await held.call()
  return { outcome, notes: held.notes, calls: server.of('tools/call') }
}

const READ: [string, Says][] = [
  [
    'an event with another name before the answer',
    stream((heard) => `event: ping\ndata: ping\n\n${event(done(heard))}`),
  ],
  ['a named event that is JSON', stream((heard) => `event: heartbeat\ndata: {"type":"ping"}\n\n${event(done(heard))}`)],
  [
    'a named event that looks like an answer',
    stream((heard) => `event: x\n${event(done(heard, 'no'))}${event(done(heard))}`),
  ],
  ['a text as data', stream((heard) => `data: keep-alive\n\n${event(done(heard))}`)],
  ['JSON as data that is no message', stream((heard) => event({ type: 'heartbeat' }) + event(done(heard)))],
  [
    'null, a number and a text in JSON as data',
    stream((heard) => event(null) + event(7) + event('x') + event(done(heard))),
  ],
  ['a thousand heartbeats', stream((heard) => 'data: x\n\n'.repeat(1_000) + event(done(heard)))],
  ['the name "message"', stream((heard) => `event: message\n${event(done(heard))}`)],
  ['a last event without its blank line', stream((heard) => event(done(heard), '\n'))],
  ['a last event without a line end', stream((heard) => event(done(heard), ''))],
  ['a last event that ends with CR', stream((heard) => event(done(heard), '\r'))],
  ['the stream type in capitals', stream((heard) => event(done(heard)), 'Text/Event-Stream')],
  ['the stream type with parameters', stream((heard) => event(done(heard)), 'text/event-stream ;charset=UTF-8; x=y')],
  ['the JSON type in capitals', json((heard) => done(heard), 'Application/JSON; Charset=utf-8')],
  ['no type', (response, heard) => void response.writeHead(200).end(JSON.stringify(done(heard)))],
  ['a byte order mark', (response, heard) => void response.writeHead(200).end(`\uFEFF${JSON.stringify(done(heard))}`)],
  [
    'another charset that is named',
    (response, heard) =>
      void response
        .writeHead(200, { 'content-type': 'application/json; charset=utf-16le' })
        .end(Buffer.from(JSON.stringify(done(heard)), 'utf16le')),
  ],
  ['its id as a text', json((heard) => done(heard, 'done', String(heard.id)))],
  ['its id as a text in a stream', stream((heard) => event(done(heard, 'done', String(heard.id))))],
  ['error: null', json((heard) => ({ ...done(heard), error: null }))],
  ['error: null in a stream', stream((heard) => event({ ...done(heard), error: null }))],
  ['no jsonrpc', json((heard) => ({ ...done(heard), jsonrpc: undefined }))],
  ['jsonrpc as a number', json((heard) => ({ ...done(heard), jsonrpc: 2 }))],
  ['method: null and params: null', json((heard) => ({ ...done(heard), method: null, params: null }))],
  ['a batch of one', json((heard) => [done(heard)])],
  [
    'a batch with a notification, in a stream',
    stream((heard) => event([{ jsonrpc: '2.0', method: 'notifications/x' }, done(heard)])),
  ],
  ['gzip', coded('gzip', gzipSync)],
  ['GZIP in capitals', coded('GZIP', gzipSync)],
  ['x-gzip', coded('x-gzip', gzipSync)],
  ['deflate', coded('deflate', deflateSync)],
  ['deflate without its header', coded('deflate', deflateRawSync)],
  ['br', coded('br', brotliCompressSync)],
  ['zstd', coded('zstd', zstdCompressSync)],
  ['two codings', coded('gzip, br', (bytes) => brotliCompressSync(gzipSync(bytes)))],
  ['identity', coded('identity', (bytes) => bytes)],
  ['a gzip stream', coded('gzip', gzipSync, 'text/event-stream')],
  ['a br stream', coded('br', brotliCompressSync, 'text/event-stream')],
  ['a zstd stream', coded('zstd', zstdCompressSync, 'text/event-stream')],
]
const ERRORS: [string, Says, string][] = [
  ['an error that is a text', json((heard) => ({ jsonrpc: '2.0', id: heard.id, error: 'no way' })), '-32000 no way'],
  [
    'an error with its code as a text',
    json((heard) => ({ jsonrpc: '2.0', id: heard.id, error: { code: '-32050', message: 'x' } })),
    '-32050 x',
  ],
  [
    'an error without a message',
    json((heard) => ({ jsonrpc: '2.0', id: heard.id, error: { code: -32050 } })),
    '-32050 ',
  ],
  [
    'result: null beside an error',
    json((heard) => ({ jsonrpc: '2.0', id: heard.id, result: null, error: { code: -32050, message: 'x' } })),
    '-32050 x',
  ],
  [
    '-32020, which is about the request',
    json(
      (heard) => ({ jsonrpc: '2.0', id: heard.id, error: { code: -32020, message: 'bad responses' } }),
      undefined,
      400,
    ),
    '-32020 bad responses',
  ],
]
const REFUSED: [string, Says, RegExp][] = [
  ['a coding that nobody knows', coded('snappy', (bytes) => bytes), /^upstream.malformed: .*compressed as snappy/],
  ['a coding that it is not', coded('gzip', (bytes) => bytes), /^upstream.malformed: .*not gzip/],
  [
    'a bomb',
    (response) =>
      void response
        .writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
        .end(gzipSync(Buffer.alloc(33 * 1024 * 1024, ' '))),
    /^result.too-large: /,
  ],
  [
    'a stream that ends after a text',
    stream(() => 'data: oops\n\n'),
    /^upstream.malformed: .*ended without a response.*not JSON/,
  ],
  [
    'a stream that ends in the middle of the answer',
    stream((heard) => event(done(heard)).slice(0, -30)),
    /^upstream.lost: /,
  ],
  [
    'an answer of its own that is none',
    stream((heard) => event({ jsonrpc: '2.0', id: heard.id, result: 7 })),
    /^upstream.malformed: /,
  ],
]

describe.each(['2026-07-28', '2025-11-25'] as const)('a server of revision %s', (revision) => {
  test.each(READ)('that answers with %s is understood', async (_, says) => {
    const { outcome, calls } = await outcomeOf(says, revision)
    expect(outcome).toBe('done')
    expect(calls).toHaveLength(1)
    expect(calls[0]?.headers['accept-encoding']).toBe('identity')
  })

  test.each(ERRORS)('that answers with %s gives an error of its own', async (_, says, outcome) => {
    expect((await outcomeOf(says, revision)).outcome).toBe(outcome)
  })

  test.each(REFUSED)('that answers with %s is refused, and says why', async (_, says, words) => {
    expect((await outcomeOf(says, revision)).outcome).toMatch(words)
  })

  test('whose events are passed over is told of in the log, at growing intervals', async () => {
    const { notes } = await outcomeOf(
      stream((heard) => 'data: x\n\n'.repeat(150) + event(done(heard))),
      revision,
    )
    expect(notes.map(({ passedOver }) => passedOver)).toEqual([1, 10, 100])
  })
})

/** Redirects a call once, and answers it at `/mcp/`. */
async function startRedirecting(status: number, location: string) {
  const heard: string[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => (body += String(chunk)))
    request.on('end', () => {
      heard.push(`${request.method} ${request.url} ${request.headers['mcp-method'] ?? ''}`)
      if (request.url === '/mcp') return void response.writeHead(status, { location }).end()
      if (request.url?.startsWith('/loop')) return void response.writeHead(307, { location: '/loop' }).end()
      const { id } = JSON.parse(body) as Heard
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify(done({ id } as Heard)))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    heard,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => void (server.closeAllConnections(), server.close(() => resolve()))),
  }
}

describe('a redirect of a call', () => {
  test.each([
    [307, '/mcp/'],
    [308, '/mcp/'],
    [307, 'mcp/?v=2'],
  ])('with %i to %s at the same origin is followed with the same message', async (status, location) => {
    await using server = await startRedirecting(status, location)
    await using held = upstreamAt(server.url, '2026-07-28')
    expect(await held.call()).toBe('done')
    expect(server.heard).toEqual(['POST /mcp tools/call', `POST /${location.replace(/^\//, '')} tools/call`])
  })

  test.each([
    [302, '/mcp/', /HTTP 302 and redirects to http:\/\/127.0.0.1:\d+\/mcp\/, which is not followed/],
    [307, 'https://elsewhere.example/mcp?key=1', /HTTP 307 and redirects to https:\/\/elsewhere.example\/mcp, which/],
    [307, '/loop', /HTTP 307 and redirects to .*\/loop/],
    [307, 'http://[', /HTTP 307\./],
  ])('with %i to %s is not followed, and the reason names where it leads', async (status, location, words) => {
    await using server = await startRedirecting(status, location)
    await using held = upstreamAt(server.url, '2026-07-28')
    expect(await held.call()).toMatch(words)
    expect(server.heard.length).toBeLessThanOrEqual(4)
  })
})

describe('progress', () => {
  const reporting =
    (times: number, each: number): Says =>
    (response, heard) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const meta = heard.params['_meta'] as { progressToken?: string } | undefined
      const params = { progressToken: meta?.progressToken ?? 'p', progress: 1 }
      let left = times
      const timer = setInterval(() => {
        response.write(event({ jsonrpc: '2.0', method: 'notifications/progress', params }))
        if (--left > 0) return
        clearInterval(timer)
        response.end(event(done(heard)))
      }, each)
      response.on('close', () => clearInterval(timer))
    }

  test.each(['2026-07-28', '2025-11-25'] as const)('extends the time limit of a call (%s)', async (revision) => {
    const says = reporting(8, 200)
    await using server = await startScriptedUpstream({
      era: revision === '2026-07-28' ? 'modern' : 'legacy',
      act(heard, response) {
        if (heard.method !== 'tools/call') return false
        says(response, heard)
        return true
      },
    })
    await using held = upstreamAt(server.url, revision, 1)
    expect(await held.call({ _meta: { progressToken: 'mine' } })).toBe('done')
  })
})
