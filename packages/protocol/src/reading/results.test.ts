/** What servers answer, as the official clients take it: mended with a note, or the very object that came. */
import * as modern from '@modelcontextprotocol/core'
import * as legacy from '@modelcontextprotocol/sdk/types.js'
import { describe, expect, test } from 'vitest'
import type { Revision } from '../era.ts'
import type { Json, JsonObject } from '../json.ts'
import { readResult, REPAIRED } from './results.ts'

const SCHEMAS = {
  'tools/call': [legacy.CallToolResultSchema, modern.CallToolResultSchema],
  'prompts/get': [legacy.GetPromptResultSchema, modern.GetPromptResultSchema],
  'resources/read': [legacy.ReadResourceResultSchema, modern.ReadResourceResultSchema],
} as const
type Method = keyof typeof SCHEMAS

function refusalOf(method: Method, result: JsonObject): string | undefined {
  for (const [at, schema] of SCHEMAS[method].entries()) {
    const { error } = schema.safeParse(result)
    if (error !== undefined) return `SDK ${at + 1}: ${error.message}`
  }
  return undefined
}

function read(method: Method, given: JsonObject, revision: Revision = '2025-11-25') {
  const result = readResult(method, given, revision)
  expect(refusalOf(method, result)).toBeUndefined()
  const { _meta: meta, ...rest } = result
  return { rest, repairs: ((meta as JsonObject | undefined)?.[REPAIRED] ?? []) as string[] }
}

const text = (value: string) => ({ type: 'text', text: value })
const content = (...blocks: Json[]): JsonObject => ({ content: blocks })

type Row = readonly [behaviour: string, method: Method, given: JsonObject, result: JsonObject, repair: RegExp]
const REPAIRS: readonly Row[] = [
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
  [
    'structured content that is a list',
    'tools/call',
    { content: [], structuredContent: [1] },
    content(text('[1]')),
    /told as text/,
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

describe('a result', () => {
  test.each(REPAIRS)('with %s is mended and says so', (_, method, given, result, repair) => {
    const { rest, repairs } = read(method, given)
    expect(rest).toEqual(result)
    expect(repairs.join('; ')).toMatch(repair)
  })

  test('without a fault is the very object that came', () => {
    const results: [Method, JsonObject][] = [
      [
        'tools/call',
        {
          content: [
            text('a'),
            { type: 'image', data: 'AA==', mimeType: 'image/png', annotations: { audience: ['user'] } },
          ],
          structuredContent: { a: null },
          isError: false,
          _meta: { a: 1 },
          later: null,
        },
      ],
      [
        'tools/call',
        {
          content: [
            { type: 'resource', resource: { uri: 'a://b', blob: 'AA==' } },
            { type: 'resource_link', uri: 'a://b', name: 'b', size: 1 },
          ],
        },
      ],
      ['prompts/get', { messages: [{ role: 'assistant', content: text('a') }] }],
      [
        'resources/read',
        {
          contents: [
            { uri: 'a://b', text: '' },
            { uri: 'a://c', blob: '' },
          ],
        },
      ],
    ]
    for (const [method, result] of results) expect(readResult(method, result, '2025-11-25')).toBe(result)
    for (const result of [{ task: { taskId: 't' } }, { resultType: 'input_required', content: 5 }] as JsonObject[])
      expect(readResult('tools/call', result, '2026-07-28')).toBe(result)
    const structured = { content: [], structuredContent: [1] }
    expect(readResult('tools/call', structured, '2026-07-28')).toBe(structured)
  })

  test('with any member changed in any of many ways is one that both clients take', () => {
    const wholes: readonly (readonly [Method, JsonObject])[] = [
      [
        'tools/call',
        {
          content: [
            {
              ...text('a'),
              annotations: { audience: ['user'], priority: 1, lastModified: '2026-01-01T00:00:00Z' },
              _meta: {},
            },
            { type: 'image', data: 'AA==', mimeType: 'image/png' },
            { type: 'resource', resource: { uri: 'a://b', text: 'x', mimeType: 'a/b', _meta: {} } },
            { type: 'resource_link', uri: 'a://b', name: 'b', title: 't', size: 1, icons: [] },
          ],
          structuredContent: { a: 1 },
          isError: false,
          _meta: {},
        },
      ],
      ['prompts/get', { description: 'd', messages: [{ role: 'user', content: text('a') }], _meta: {} }],
      [
        'resources/read',
        {
          contents: [
            { uri: 'a://b', text: 'x', mimeType: 'a/b' },
            { uri: 'a://b', blob: 'AA==' },
          ],
          _meta: {},
        },
      ],
    ]
    let tried = 0
    for (const [method, whole] of wholes) {
      for (const given of variantsOf(whole) as Iterable<JsonObject>) {
        if ('resultType' in given || 'task' in given) continue
        tried += 1
        const result = readResult(method, given, '2025-11-25')
        const refusal = refusalOf(method, result)
        if (refusal !== undefined) expect.fail(`${JSON.stringify(given)} became ${JSON.stringify(result)}: ${refusal}`)
      }
    }
    expect(tried).toBeGreaterThan(500)
  })
})

const WRONG: readonly Json[] = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  '',
  'x',
  [],
  {},
  [null],
  [{}],
  ['x'],
  { a: null },
  { type: 'x' },
]

/** The value with one of its members, at any depth, replaced or gone. */
function* variantsOf(value: Json): Iterable<Json> {
  if (typeof value !== 'object' || value === null) return
  if (Array.isArray(value)) {
    for (const [at, member] of value.entries()) {
      for (const wrong of WRONG) yield value.with(at, wrong)
      for (const inner of variantsOf(member)) yield value.with(at, inner)
    }
    return
  }
  for (const [name, member] of Object.entries(value)) {
    const { [name]: _, ...rest } = value
    yield rest
    for (const wrong of WRONG) yield { ...value, [name]: wrong }
    for (const inner of variantsOf(member)) yield { ...value, [name]: inner }
  }
}
