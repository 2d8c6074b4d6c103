/** Results as servers in the field write them, each with what becomes of it and the note that says so. */
import type { Json, JsonObject } from '../../../packages/protocol/src/json.ts'

export type Method = 'tools/call' | 'prompts/get' | 'resources/read'

export const text = (value: string) => ({ type: 'text', text: value })
const content = (...blocks: Json[]): JsonObject => ({ content: blocks })

export type ResultRow = readonly [
  behaviour: string,
  method: Method,
  given: JsonObject,
  result: JsonObject,
  repair: RegExp,
]
export const MENDED_RESULTS: readonly ResultRow[] = [
  ['content null', 'tools/call', { content: null }, content(), /content was null/],
  ['content as text', 'tools/call', { content: 'hello' }, content(text('hello')), /content was a text/],
  ['content that is one block', 'tools/call', { content: text('a') }, content(text('a')), /content was an object/],
  ['a block that is text', 'tools/call', content('hello'), content(text('hello')), /content\/0 was a text/],
  [
    'a block that is null',
    'tools/call',
    content(null, text('a')),
    content(text('null'), text('a')),
    /content\/0 was null/,
  ],
  ['a text that is null', 'tools/call', content({ type: 'text', text: null }), content(text('')), /text was null/],
  [
    'a text that is an object',
    'tools/call',
    content({ type: 'text', text: { a: 1 } }),
    content(text('{"a":1}')),
    /text was an object/,
  ],
  ['a text that is missing', 'tools/call', content({ type: 'text' }), content(text('')), /text was missing/],
  [
    'a block without a kind',
    'tools/call',
    content({ text: 'a' }),
    content(text('{"text":"a"}')),
    /no block of content/,
  ],
  [
    'a block of an unknown kind',
    'tools/call',
    content({ type: 'json', json: {} }),
    content(text('{"type":"json","json":{}}')),
    /no block/,
  ],
  [
    'an image without its type',
    'tools/call',
    content({ type: 'image', data: 'AA==' }),
    content(text('{"type":"image","data":"AA=="}')),
    /no block/,
  ],
  [
    'an image as an address of data',
    'tools/call',
    content({ type: 'image', data: 'data:image/png;base64,_-A=', mimeType: 'image/png' }),
    content({ type: 'image', data: '/+A=', mimeType: 'image/png' }),
    /base64 of another form/,
  ],
  [
    'bytes that are none',
    'resources/read',
    { contents: [{ uri: 'a://b', blob: '§' }] },
    { contents: [] },
    /contents\/0 could not be read/,
  ],
  [
    'a resource without content',
    'tools/call',
    content({ type: 'resource', resource: { uri: 'a://b' } }),
    content(text('{"type":"resource","resource":{"uri":"a://b"}}')),
    /no block/,
  ],
  [
    'a media type that is null',
    'tools/call',
    content({ type: 'resource', resource: { uri: 'a://b', text: 'x', mimeType: null } }),
    content({ type: 'resource', resource: { uri: 'a://b', text: 'x' } }),
    /mimeType was null/,
  ],
  [
    'a link without a name',
    'tools/call',
    content({ type: 'resource_link', uri: 'a://b' }),
    content({ type: 'resource_link', uri: 'a://b', name: 'a://b' }),
    /name was missing/,
  ],
  [
    'annotations that are null',
    'tools/call',
    content({ ...text('a'), annotations: null }),
    content(text('a')),
    /annotations was null/,
  ],
  ['isError null', 'tools/call', { content: [], isError: null }, content(), /isError was null/],
  [
    'isError "true"',
    'tools/call',
    { content: [], isError: 'true' },
    { content: [], isError: true },
    /isError was the text/,
  ],
  [
    'structured content null',
    'tools/call',
    { content: [], structuredContent: null },
    content(),
    /structuredContent was null/,
  ],
  ['_meta null', 'tools/call', { content: [], _meta: null }, content(), /_meta was null/],
  ['messages null', 'prompts/get', { messages: null, description: null }, { messages: [] }, /messages was null/],
  [
    'a role that is none',
    'prompts/get',
    { messages: [{ role: 'system', content: text('a') }] },
    { messages: [{ role: 'user', content: text('a') }] },
    /role was neither/,
  ],
  [
    'a message that is text',
    'prompts/get',
    { messages: [{ role: 'user', content: 'a' }] },
    { messages: [{ role: 'user', content: text('a') }] },
    /was a text/,
  ],
  [
    'a message without content',
    'prompts/get',
    { messages: [{ role: 'user' }, { role: 'user', content: text('a') }] },
    { messages: [{ role: 'user', content: text('a') }] },
    /messages\/0 could not be read/,
  ],
  ['contents null', 'resources/read', { contents: null }, { contents: [] }, /contents was null/],
  [
    'contents without text',
    'resources/read',
    { contents: [{ uri: 'a://b' }, { uri: 'a://c', text: '', mimeType: null }] },
    { contents: [{ uri: 'a://c', text: '' }] },
    /contents\/0 could not be read/,
  ],
]
