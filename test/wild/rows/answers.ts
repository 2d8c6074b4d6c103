/**
 * Answers to a call over HTTP as servers in the field give them: heartbeats among events, compression that nobody asked for, ids as text,
 * errors without a code. Each is read as the one meaning that it has, passed on as an error, or refused with its reason.
 */
import type { ServerResponse } from 'node:http'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import type { JsonObject } from '../../../packages/protocol/src/json.ts'
import type { Heard } from '../../fault/scripted-upstream.ts'

export interface Says {
  (response: ServerResponse, heard: Heard): void
  /** Of an answer that is odd as a message and not as one of HTTP: any transport can carry it. */
  readonly message?: (heard: Pick<Heard, 'id'>) => unknown
}
export const done = (heard: Pick<Heard, 'id'>, text = 'done', id: unknown = heard.id): JsonObject => ({
  jsonrpc: '2.0',
  id: id as number,
  result: { resultType: 'complete', content: [{ type: 'text', text }] },
})
export const event = (value: unknown, end = '\n\n') => `data: ${JSON.stringify(value)}${end}`
function json(message: (heard: Pick<Heard, 'id'>) => unknown, type = 'application/json', status = 200): Says {
  const says: Says = (response, heard) =>
    void response.writeHead(status, { 'content-type': type }).end(JSON.stringify(message(heard)))
  return type === 'application/json' && status === 200 ? Object.assign(says, { message }) : says
}
/** Odd as a message, and said by what stands before a server of HTTP alone. */
const ofProxies =
  (says: Says): Says =>
  (response, heard) =>
    says(response, heard)
export const stream =
  (text: (heard: Heard) => string, type = 'text/event-stream'): Says =>
  (response, heard) =>
    void response.writeHead(200, { 'content-type': type }).end(text(heard))
const coded =
  (coding: string, compress: (bytes: Buffer) => Buffer, type = 'application/json'): Says =>
  (response, heard) => {
    const text = type === 'application/json' ? JSON.stringify(done(heard)) : `: hello\n\n${event(done(heard))}`
    response.writeHead(200, { 'content-type': type, 'content-encoding': coding }).end(compress(Buffer.from(text)))
  }

/** Understood as an answer with the text "done". */
export const READ_ANSWERS: readonly (readonly [behaviour: string, says: Says])[] = [
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

/** Passed on as an error with this code and message. */
export const ERROR_ANSWERS: readonly (readonly [behaviour: string, says: Says, error: string])[] = [
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

/** Refused with a fault of this code and sentence. */
export const REFUSED_ANSWERS: readonly (readonly [behaviour: string, says: Says, fault: RegExp])[] = [
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
  ['404 of another interface', json(() => ({ error: 'Not found' }), undefined, 404), /^upstream./],
  ['an error of another interface', ofProxies(json(() => ({ error: 'Not found' }))), /^upstream.malformed: /],
]
