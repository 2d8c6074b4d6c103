/**
 * Requests as clients in the field send them to the gateway, each a call of the tool `good`: `null` for absent, other types of content,
 * headers left out, bodies that are no request. What is refused is refused with the member that is wrong. Origins: SDKs, curl, no-code tools.
 */
import type { Json, JsonObject } from '../../../packages/protocol/src/json.ts'

export interface ClientRequest {
  /** A text is sent as it is. */
  readonly body: Json
  /** Beside those of a good request; undefined leaves one out. */
  readonly headers?: Readonly<Record<string, string | undefined>>
  /** Behind the path of the endpoint. */
  readonly suffix?: string
}

export const call = (params: JsonObject = {}, rest: JsonObject = {}): JsonObject => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'good', arguments: {}, ...params },
  ...rest,
})
const text = (value: Json) => JSON.stringify(value)

/** Of clients of 2025-11-25: each is answered with a result. */
export const TAKEN_REQUESTS: readonly (readonly [behaviour: string, request: ClientRequest])[] = [
  ['arguments that are null', { body: call({ arguments: null }) }],
  ['no arguments', { body: { ...call(), params: { name: 'good' } } }],
  ['_meta that is null', { body: call({ _meta: null }) }],
  ['params that are null', { body: { ...call(), method: 'tools/list', params: null } }],
  ['unknown members', { body: call({ x: 1 }, { y: null }) }],
  ['a text as its id', { body: call({}, { id: 'a-1' }) }],
  ['the id 0', { body: call({}, { id: 0 }) }],
  ['a charset', { body: call(), headers: { 'content-type': 'application/json; charset=UTF-8' } }],
  ['its type in capitals', { body: call(), headers: { 'content-type': 'Application/JSON' } }],
  ['a byte order mark', { body: `\uFEFF${text(call())}` }],
  ['blanks around', { body: `\n  ${text(call())}\r\n` }],
  ['accept for JSON alone', { body: call(), headers: { accept: 'application/json' } }],
  ['accept for anything', { body: call(), headers: { accept: '*/*' } }],
  ['a slash behind the address', { body: call(), suffix: '/' }],
  ['no revision in a header', { body: call(), headers: { 'mcp-protocol-version': undefined } }],
  ['an escaped name', { body: text(call()).replace('good', 'g\\u006fod') }],
]

/** Each is refused with this status and in these words. */
export const REFUSED_REQUESTS: readonly (readonly [
  behaviour: string,
  request: ClientRequest,
  status: number,
  words: RegExp,
])[] = [
  ['arguments that are a list', { body: call({ arguments: [] }) }, 200, /\/arguments must be an object/],
  ['arguments that are a text', { body: call({ arguments: '{}' }) }, 200, /\/arguments must be an object/],
  ['arguments that are 0', { body: call({ arguments: 0 }) }, 200, /\/arguments must be an object/],
  ['arguments that are false', { body: call({ arguments: false }) }, 200, /\/arguments must be an object/],
  ['no name', { body: { ...call(), params: {} } }, 200, /\/name must be a string/],
  ['a name that is a number', { body: call({ name: 7 }) }, 200, /\/name must be a string/],
  ['the name of no tool', { body: call({ name: 'none' }) }, 200, /Unknown tool: none/],
  ['params that are a list', { body: { ...call(), params: ['good'] } }, 400, /\/params must be an object/],
  ['no jsonrpc', { body: { id: 1, method: 'tools/call', params: { name: 'good' } } }, 400, /\/jsonrpc must be /],
  ['jsonrpc 1.0', { body: call({}, { jsonrpc: '1.0' }) }, 400, /\/jsonrpc must be /],
  [
    'an id that is an object',
    { body: call({}, { id: {} }) },
    400,
    /\/id must be a string or an integer of at most 53 bits/,
  ],
  [
    'an id beyond 53 bits',
    { body: text(call()).replace('"id":1', '"id":9007199254740993') },
    400,
    /\/id must be a string or an integer of at most 53 bits/,
  ],
  ['a batch', { body: [call()] }, 400, /does not support batches/],
  ['nothing', { body: '' }, 400, /not valid JSON: it is empty/],
  [
    'JSON that breaks off',
    { body: '{"jsonrpc":"2.0","id":1,' },
    400,
    /not valid JSON: it ends too early, at line 1, column 25/,
  ],
  ['a text in JSON', { body: '"tools/call"' }, 400, /the body must be an object/],
  ['null', { body: 'null' }, 400, /the body must be an object/],
  [
    'a form',
    { body: 'method=tools/call', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
    415,
    /The Content-Type is not application\/json/,
  ],
  ['a method that nobody knows', { body: call({}, { method: 'tools/run' }) }, 200, /Method not found: tools\/run/],
]
