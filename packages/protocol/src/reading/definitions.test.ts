/**
 * What servers list, as the official clients take it: each entry is repaired or left out, and what is taken passes the schemas of both
 * SDKs, which refuse a whole list for one entry, and the first one's compiler of output schemas.
 */
import * as modern from '@modelcontextprotocol/core'
import * as legacy from '@modelcontextprotocol/sdk/types.js'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv'
import { describe, expect, test } from 'vitest'
import type { Revision } from '../era.ts'
import {
  LEFT_OUT_DEFINITIONS,
  OBJECT,
  REPAIRED_DEFINITIONS,
  SCHEMA,
  tool,
} from '../../../../test/wild/rows/definitions.ts'
import { variantsOf } from '../../../../test/wild/variants.ts'
import type { JsonObject } from '../json.ts'
import { adaptTool } from '../bridge/definitions.ts'
import { readDefinition, type Definition } from './definitions.ts'

const LISTS = {
  tool: [legacy.ToolSchema, modern.ToolSchema],
  resource: [legacy.ResourceSchema, modern.ResourceSchema],
  template: [legacy.ResourceTemplateSchema, modern.ResourceTemplateSchema],
  prompt: [legacy.PromptSchema, modern.PromptSchema],
} as const

/** Why an official client would refuse it, as it is listed for clients of its revision; undefined: both take it. */
function refusalOf(kind: Definition, read: JsonObject): string | undefined {
  const item = kind === 'tool' ? adaptTool(read, '2025-11-25', '2025-11-25') : read
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

describe('an entry of a list', () => {
  test.each(REPAIRED_DEFINITIONS)('with %s is taken, repaired', (_, kind, given, item, repair) => {
    const read = taken(kind, given)
    expect(read.item).toEqual(item)
    expect(read.repairs.join('; ')).toMatch(repair)
  })

  test.each(LEFT_OUT_DEFINITIONS)('with %s is left out', (_, kind, given, reason) => {
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

  test('of a legacy server may have an output schema of a list, which its clients see in an object', () => {
    const { item, repairs } = taken('tool', tool({ outputSchema: { type: 'array', items: OBJECT } }))
    expect(repairs).toEqual([])
    expect(adaptTool(item, '2025-11-25', '2025-06-18')).toMatchObject({
      outputSchema: { type: 'object', properties: { result: { type: 'array' } }, required: ['result'] },
    })
    expect(adaptTool(item, '2025-11-25', '2026-07-28')).toEqual(item)
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
