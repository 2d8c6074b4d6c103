/**
 * What servers list, as the official clients take it: each entry is repaired or left out, and what is taken passes the schemas of both
 * SDKs, which refuse a whole list for one entry, and the first one's compiler of output schemas.
 */
import * as modern from '@modelcontextprotocol/core'
import * as legacy from '@modelcontextprotocol/sdk/types.js'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv'
import { describe, expect, test } from 'vitest'
import type { Revision } from '../era.ts'
import type { Json, JsonObject } from '../json.ts'
import { readDefinition, type Definition } from './definitions.ts'

const OBJECT = { type: 'object' }
const SCHEMA = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const tool = (more: JsonObject): JsonObject => ({ name: 'look', inputSchema: SCHEMA, ...more })

const LISTS = {
  tool: [legacy.ToolSchema, modern.ToolSchema],
  resource: [legacy.ResourceSchema, modern.ResourceSchema],
  template: [legacy.ResourceTemplateSchema, modern.ResourceTemplateSchema],
  prompt: [legacy.PromptSchema, modern.PromptSchema],
} as const

/** Why an official client would refuse it; undefined: both take it. */
function refusalOf(kind: Definition, item: JsonObject): string | undefined {
  for (const [at, schema] of LISTS[kind].entries()) {
    const { error } = schema.safeParse(item)
    if (error !== undefined) return `SDK ${at + 1}: ${error.message}`
  }
  if (kind !== 'tool' || item['outputSchema'] === undefined) return undefined
  try {
    new AjvJsonSchemaValidator().getValidator(item['outputSchema'] as never)
    return undefined
  } catch (thrown) {
    return `compiler: ${String(thrown)}`
  }
}

const taken = (kind: Definition, given: JsonObject, revision: Revision = '2025-11-25') => {
  const read = readDefinition(kind, given, revision)
  if ('reason' in read) return expect.fail(read.reason)
  expect(refusalOf(kind, read.item)).toBeUndefined()
  return read
}
const reasonOf = (kind: Definition, given: JsonObject) => {
  const read = readDefinition(kind, given, '2025-11-25')
  return 'reason' in read ? read.reason : undefined
}

type Row = readonly [behaviour: string, kind: Definition, given: JsonObject, item: JsonObject, repair: RegExp]
const within = (member: Json) => tool({ inputSchema: { type: 'object', properties: { a: member } } })
const REPAIRED: readonly Row[] = [
  ['no inputSchema', 'tool', { name: 'look' }, { name: 'look', inputSchema: OBJECT }, /^inputSchema was missing/],
  ['inputSchema null', 'tool', tool({ inputSchema: null }), tool({ inputSchema: OBJECT }), /^inputSchema was null/],
  ['inputSchema true', 'tool', tool({ inputSchema: true }), tool({ inputSchema: OBJECT }), /^inputSchema was true/],
  ['inputSchema of PHP', 'tool', tool({ inputSchema: [] }), tool({ inputSchema: OBJECT }), /an empty list/],
  ['inputSchema {}', 'tool', tool({ inputSchema: {} }), tool({ inputSchema: OBJECT }), /^inputSchema\/type was not/],
  [
    'anyOf without type',
    'tool',
    tool({ inputSchema: { anyOf: [SCHEMA, OBJECT] } }),
    tool({ inputSchema: { type: 'object', anyOf: [SCHEMA, OBJECT] } }),
    /type was not/,
  ],
  ['type null', 'tool', tool({ inputSchema: { type: null } }), tool({ inputSchema: OBJECT }), /type was null/],
  [
    'type with null',
    'tool',
    tool({ inputSchema: { type: ['object', 'null'] } }),
    tool({ inputSchema: OBJECT }),
    /type was not "object"/,
  ],
  [
    'properties [] of PHP',
    'tool',
    tool({ inputSchema: { type: 'object', properties: [], required: [] } }),
    tool({ inputSchema: { type: 'object', properties: {}, required: [] } }),
    /^inputSchema\/properties was an empty list/,
  ],
  [
    'properties null',
    'tool',
    tool({ inputSchema: { type: 'object', properties: null } }),
    tool({ inputSchema: OBJECT }),
    /properties was null/,
  ],
  [
    'required true at the root',
    'tool',
    tool({ inputSchema: { type: 'object', required: true } }),
    tool({ inputSchema: OBJECT }),
    /required was true/,
  ],
  [
    'required null',
    'tool',
    tool({ inputSchema: { ...SCHEMA, required: null } }),
    tool({ inputSchema: { type: 'object', properties: SCHEMA.properties } }),
    /required was null/,
  ],
  [
    'required within (draft 3)',
    'tool',
    within({ type: 'string', required: true }),
    tool({ inputSchema: { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] } }),
    /required lists a now/,
  ],
  [
    'required twice and no name',
    'tool',
    tool({ inputSchema: { ...SCHEMA, required: ['city', 1, 'city'] } }),
    tool({}),
    /required had entries/,
  ],
  ['a property true', 'tool', within(true), within({}), /properties\/a was true/],
  ['a property false', 'tool', within(false), within({ not: {} }), /properties\/a was false/],
  ['a property null', 'tool', within(null), within({}), /properties\/a was null/],
  [
    'description of a property null',
    'tool',
    within({ type: 'string', description: null, enum: null }),
    within({ type: 'string' }),
    /a\/description was null/,
  ],
  [
    'items [] of PHP',
    'tool',
    within({ type: 'array', items: [] }),
    within({ type: 'array' }),
    /items was an empty list/,
  ],
  [
    'nested properties []',
    'tool',
    within({ type: 'object', properties: [] }),
    within({ type: 'object', properties: {} }),
    /a\/properties was an empty list/,
  ],
  [
    'title null',
    'tool',
    tool({ title: null, description: null, _meta: null, icons: null }),
    tool({}),
    /title was null/,
  ],
  ['description a number', 'tool', tool({ description: 7 }), tool({}), /description was a number/],
  ['annotations null', 'tool', tool({ annotations: null }), tool({}), /annotations was null/],
  ['annotations a list', 'tool', tool({ annotations: [] }), tool({}), /annotations was an empty list/],
  [
    'hints null',
    'tool',
    tool({ annotations: { title: null, readOnlyHint: null, openWorldHint: false } }),
    tool({ annotations: { openWorldHint: false } }),
    /readOnlyHint was null/,
  ],
  [
    'a hint as text',
    'tool',
    tool({ annotations: { readOnlyHint: 'true' } }),
    tool({ annotations: {} }),
    /readOnlyHint was a text/,
  ],
  ['outputSchema null', 'tool', tool({ outputSchema: null }), tool({}), /outputSchema was null/],
  ['outputSchema true', 'tool', tool({ outputSchema: true }), tool({}), /outputSchema was true/],
  [
    'outputSchema of an array',
    'tool',
    tool({ outputSchema: { type: 'array', items: OBJECT } }),
    tool({}),
    /outputSchema is not of an object/,
  ],
  [
    'outputSchema without type',
    'tool',
    tool({ outputSchema: { properties: {} } }),
    tool({ outputSchema: { type: 'object', properties: {} } }),
    /outputSchema\/type/,
  ],
  [
    'outputSchema that refers to nothing',
    'tool',
    tool({ outputSchema: { type: 'object', properties: { a: { $ref: '#/$defs/Missing' } } } }),
    tool({}),
    /refers to #\/\$defs\/Missing/,
  ],
  [
    'outputSchema that refers elsewhere',
    'tool',
    tool({ outputSchema: { type: 'object', properties: { a: { $ref: 'https://x.example/a.json' } } } }),
    tool({}),
    /refers to https/,
  ],
  [
    'outputSchema with a wrong pattern',
    'tool',
    tool({ outputSchema: { type: 'object', properties: { a: { type: 'string', pattern: '[' } } } }),
    tool({}),
    /pattern/,
  ],
  [
    'outputSchema of an unknown type',
    'tool',
    tool({ outputSchema: { type: 'object', properties: { a: { type: 'text' } } } }),
    tool({}),
    /has the type "text"/,
  ],
  [
    'outputSchema with a boolean property',
    'tool',
    tool({ outputSchema: { type: 'object', properties: { a: true } } }),
    tool({ outputSchema: { type: 'object', properties: { a: {} } } }),
    /a was true/,
  ],
  [
    'outputSchema with an id',
    'tool',
    tool({ outputSchema: { $id: 'https://x.example/a', ...OBJECT } }),
    tool({ outputSchema: OBJECT }),
    /\$id is left out/,
  ],
  ['execution null', 'tool', tool({ execution: null }), tool({}), /execution was null/],
  ['taskSupport that is none', 'tool', tool({ execution: { taskSupport: 'maybe' } }), tool({}), /taskSupport/],
  [
    'icons without an address',
    'tool',
    tool({ icons: [{ mimeType: 'image/png' }, { src: 'https://a.example/i.png', sizes: null }] }),
    tool({ icons: [{ src: 'https://a.example/i.png' }] }),
    /icons\/0 could not be read|sizes was null/,
  ],
  ['a resource without a name', 'resource', { uri: 'a://b' }, { uri: 'a://b', name: 'a://b' }, /name was missing/],
  [
    'a size as text',
    'resource',
    { uri: 'a://b', name: 'b', size: '7', mimeType: null },
    { uri: 'a://b', name: 'b' },
    /size was a text/,
  ],
  [
    'an audience that is none',
    'resource',
    { uri: 'a://b', name: 'b', annotations: { audience: ['all', 'user'], priority: 5 } },
    { uri: 'a://b', name: 'b', annotations: { audience: ['user'] } },
    /audience had entries/,
  ],
  [
    'a template without a name',
    'template',
    { uriTemplate: 'a://{b}', name: null },
    { uriTemplate: 'a://{b}', name: 'a://{b}' },
    /name was missing/,
  ],
  ['arguments null', 'prompt', { name: 'p', arguments: null }, { name: 'p' }, /arguments was null/],
  ['arguments {}', 'prompt', { name: 'p', arguments: {} }, { name: 'p' }, /arguments was an object/],
  [
    'an argument without a name',
    'prompt',
    { name: 'p', arguments: [{ description: 'x' }, { name: 'a', required: 'yes' }] },
    { name: 'p', arguments: [{ name: 'a' }] },
    /arguments\/0 could not be read/,
  ],
]

const LEFT_OUT: readonly (readonly [behaviour: string, kind: Definition, given: JsonObject, reason: RegExp])[] = [
  ['no name', 'tool', { inputSchema: OBJECT }, /its name is missing/],
  ['a name that is a number', 'tool', { name: 7, inputSchema: OBJECT }, /its name is a number/],
  ['an empty name', 'prompt', { name: '' }, /its name is/],
  ['inputSchema false', 'tool', tool({ inputSchema: false }), /inputSchema is false, not an object/],
  ['inputSchema as text', 'tool', tool({ inputSchema: '{"type":"object"}' }), /inputSchema is a text/],
  ['inputSchema of a text', 'tool', tool({ inputSchema: { type: 'string' } }), /its type is string/],
  ['a resource without an address', 'resource', { name: 'a' }, /its uri is missing/],
  ['a template without an address', 'template', { name: 'a', uriTemplate: null }, /its uriTemplate is null/],
]

describe('an entry of a list', () => {
  test.each(REPAIRED)('with %s is taken, repaired', (_, kind, given, item, repair) => {
    const read = taken(kind, given)
    expect(read.item).toEqual(item)
    expect(read.repairs.join('; ')).toMatch(repair)
  })

  test.each(LEFT_OUT)('with %s is left out', (_, kind, given, reason) => {
    expect(reasonOf(kind, given)).toMatch(reason)
  })

  test('without a fault is the very one that came, with what nobody knows in it', () => {
    const items: [Definition, JsonObject][] = [
      [
        'tool',
        tool({
          title: 'Look',
          outputSchema: SCHEMA,
          annotations: { readOnlyHint: true, more: 1 },
          icons: [{ src: 'https://a.example/i' }],
          execution: { taskSupport: 'optional' },
          _meta: { a: 1 },
          later: { x: [] },
        }),
      ],
      [
        'tool',
        tool({
          inputSchema: {
            $schema: 'x',
            $defs: { A: { enum: [null, 'a'], default: null } },
            ...SCHEMA,
            allOf: [{ $ref: '#/$defs/A' }],
            additionalProperties: false,
          },
        }),
      ],
      ['resource', { uri: 'a://b', name: 'b', annotations: { audience: ['user'], priority: 0.5 }, size: 3 }],
      ['template', { uriTemplate: 'a://{b}', name: 'b' }],
      ['prompt', { name: 'p', arguments: [{ name: 'a', required: true }] }],
    ]
    for (const [kind, item] of items) expect(taken(kind, item)).toEqual({ item, repairs: [] })
    for (const [kind, item] of items) expect(taken(kind, item).item).toBe(item)
  })

  test('of a modern server may have an output schema of any value', () => {
    const item = tool({ outputSchema: { type: 'array', items: OBJECT } })
    expect(readDefinition('tool', item, '2026-07-28')).toEqual({ item, repairs: [] })
  })

  test('with any member changed in any of many ways is left out, or taken by both clients', () => {
    const wholes: readonly (readonly [Definition, JsonObject])[] = [
      [
        'tool',
        tool({
          title: 'Look',
          description: 'd',
          outputSchema: {
            type: 'object',
            properties: { a: { type: 'array', items: { $ref: '#/$defs/B' } } },
            required: ['a'],
            $defs: { B: { type: 'string', pattern: '^a', enum: ['a'], minLength: 1 } },
            anyOf: [OBJECT],
            additionalProperties: false,
          },
          annotations: { title: 't', readOnlyHint: true },
          icons: [{ src: 'https://a.example/i', sizes: ['any'], theme: 'dark' }],
          execution: { taskSupport: 'optional' },
          _meta: { a: 1 },
        }),
      ],
      [
        'resource',
        {
          uri: 'a://b',
          name: 'b',
          title: 't',
          mimeType: 'a/b',
          size: 1,
          annotations: { audience: ['user'], priority: 0.5, lastModified: '2026-01-01T00:00:00Z' },
          icons: [{ src: 'https://a.example/i' }],
          _meta: {},
        },
      ],
      ['template', { uriTemplate: 'a://{b}', name: 'b', title: 't', mimeType: 'a/b', annotations: { priority: 1 } }],
      [
        'prompt',
        {
          name: 'p',
          title: 't',
          description: 'd',
          arguments: [{ name: 'a', title: 't', description: 'd', required: true }],
          icons: [],
          _meta: {},
        },
      ],
    ]
    let tried = 0
    for (const [kind, whole] of wholes) {
      for (const given of variantsOf(whole) as Iterable<JsonObject>) {
        tried += 1
        const read = readDefinition(kind, given, '2025-11-25')
        if ('reason' in read) continue
        const refusal = refusalOf(kind, read.item)
        if (refusal !== undefined)
          expect.fail(`${JSON.stringify(given)} became ${JSON.stringify(read.item)}: ${refusal}`)
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
