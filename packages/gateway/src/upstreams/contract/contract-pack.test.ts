import { readFile } from 'node:fs/promises'
import { Fault } from '@toolway/contract'
import type { JsonObject } from '@toolway/protocol'
import { describe, expect, test } from 'vitest'
import { readPack, type PackWords } from './contract-pack.ts'
import { readContract } from './read-contract.ts'

const WORDS: PackWords = { exposes: 'agent', sideEffects: false, allows: new Set(), aliases: {} }
const given = (more: object = {}): JsonObject => ({
  name: 'search_assets',
  description: 'Search assets.',
  category: 'search',
  version: '1.2.0',
  input_schema: {
    type: 'object',
    properties: {
      query: { type: 'string', description: 'Words' },
      limit: { type: 'integer', minimum: 1, maximum: 1000, default: 10, nullable: true },
      since: { type: 'string', format: 'date', default: null, nullable: true },
      sort: {
        type: 'object',
        nullable: true,
        properties: {
          by: { type: 'string', enum: ['date', 'score'], nullable: true },
          step: { type: 'object', 'x-procedure-only': true },
        },
        required: ['by', 'step'],
      },
      items: { type: 'array', items: { type: 'object' }, 'x-procedure-only': true },
      org_id: { type: 'string' },
    },
    required: ['query', 'items', 'org_id'],
  },
  output_schema: {
    type: 'object',
    description: 'What was found',
    $defs: { hit: { type: 'object', properties: { note: { type: 'string', nullable: true } } } },
    properties: { hits: { type: 'array', items: { $ref: '#/$defs/hit' } } },
    required: ['hits'],
  },
  side_effects: false,
  is_primitive: true,
  payload_profile: 'thin',
  exposure_profile: { procedure: true, agent: true },
  requires_llm: false,
  requires_session: true,
  tags: ['search', 'assets'],
  required_data_sources: ['assets'],
  ...more,
})
const pack = (list: readonly unknown[], words: Partial<PackWords> = {}) =>
  readPack({ contracts: list, total: list.length }, { ...WORDS, ...words }, 'cwr')
const definitionOf = (contract: JsonObject, words: Partial<PackWords> = {}) => {
  const { tools, leftOut } = pack([contract], { sideEffects: true, exposes: 'all', ...words })
  expect(leftOut).toEqual([])
  return [...tools.values()][0]?.definition ?? {}
}

describe('a contract becomes a tool', () => {
  test('S1-LST-04: with its name, description, schemas, and annotations from its flags', async () => {
    const definitions = {
      search: definitionOf(given(), { aliases: { find_assets: 'search_assets', other: 'unknown' } }),
      act: definitionOf(given({ name: 'send_email', side_effects: true, payload_profile: 'full', requires_llm: true })),
      least: definitionOf({
        name: 'ping',
        description: 'Ping.',
        category: 'utility',
        input_schema: { properties: {} },
        output_schema: { type: 'string' },
        side_effect: false,
      }),
    }
    const golden: unknown = JSON.parse(await readFile(new URL('golden/definitions.json', import.meta.url), 'utf8'))
    expect(definitions).toEqual(golden)
  })

  test('S1-LST-07: what is for procedures alone is gone from properties and from what is required; the original stays', () => {
    const contract = given()
    const before = JSON.stringify(contract)
    const schema = definitionOf(contract)['inputSchema'] as JsonObject
    expect(Object.keys(schema['properties'] as object)).toEqual(['query', 'limit', 'since', 'sort'])
    expect(schema['required']).toEqual(['query'])
    expect((schema['properties'] as JsonObject)['sort']).toEqual({
      type: 'object',
      properties: { by: { type: ['string', 'null'], enum: ['date', 'score', null] } },
      required: ['by'],
    })
    expect(JSON.stringify(contract)).toBe(before)
    expect(readContract(contract)).toMatchObject({
      contract: {
        version: '1.2.0',
        primitive: true,
        payload: 'thin',
        exposure: { procedure: true, agent: true },
        requiresLlm: false,
        requiresSession: true,
        tags: ['search', 'assets'],
        dataSources: ['assets'],
      },
    })
  })

  test.each([
    [{ side_effects: undefined, side_effect: false }, false],
    [{ side_effects: undefined, side_effect: true }, true],
    [{ side_effects: false, side_effect: undefined }, false],
    [{ side_effects: true, side_effect: undefined }, true],
    [{ side_effects: false, side_effect: true }, true],
    [{ side_effects: true, side_effect: false }, true],
    [{ side_effects: undefined, side_effect: undefined }, true],
    [{ side_effects: null, side_effect: undefined }, true],
    [{ side_effects: 'no', side_effect: undefined }, true],
    [{ side_effects: 0, side_effect: undefined }, true],
  ])(
    'S1-LST-06: side effects by either name, absent meaning true, keep it from the standard profile: %j',
    (flags, acts) => {
      const contract = given(flags)
      expect(readContract(contract)).toMatchObject({ contract: { sideEffects: acts } })
      expect(pack([contract]).tools.size).toBe(acts ? 0 : 1)
      expect(pack([contract], { allows: new Set(['search_assets']) }).tools.size).toBe(1)
      expect((definitionOf(contract)['annotations'] as JsonObject)['readOnlyHint']).toBe(!acts)
    },
  )

  test('a reference at the root of its output schema still leads to what it meant', () => {
    const { anyOf } = definitionOf(given())['outputSchema'] as { anyOf: JsonObject[] }
    expect(JSON.stringify(anyOf[0])).toContain('"$ref":"#/anyOf/0/$defs/hit"')
  })
})

describe('a pack', () => {
  test.each([
    ['for agents', { agent: false, procedure: true }, 'agent', 0],
    ['for procedures', { agent: false, procedure: true }, 'procedure', 1],
    ['for both', {}, 'agent', 1],
    ['for neither', { agent: false, procedure: false }, 'all', 1],
  ] as const)('shows what is %s where that is asked for', (_, exposure, exposes, count) => {
    expect(pack([given({ exposure_profile: exposure })], { exposes }).tools.size).toBe(count)
  })

  test('keeps what is good beside what is broken in every way', () => {
    const deep = JSON.parse(`${'{"properties":{"a":'.repeat(20_000)}{}${'}}'.repeat(20_000)}`) as JsonObject
    const broken: unknown[] = [
      null,
      'text',
      [],
      given({ name: '..' }),
      given({ name: 'a\nb' }),
      given({ name: 7 }),
      given({ description: '   ' }),
      given({ name: 'deep', input_schema: deep }),
      given({ name: 'long', description: 'x'.repeat(300_000) }),
      given({ name: 'text_input', input_schema: { type: 'string' } }),
      given({ name: 'no_object', input_schema: {} }),
      given({ name: 'odd', input_schema: { type: 'object', properties: { a: 'text' } } }),
      given({ name: 'odd_required', input_schema: { type: 'object', required: [7] } }),
      given({ name: 'away', output_schema: { $ref: 'https://example.com/schema.json' } }),
    ]
    const read = pack([...broken, given(), given({ description: 'The same once more.' })])
    expect([...read.tools.keys()]).toEqual(['search_assets'])
    expect(read.leftOut).toHaveLength(broken.length + 1)
    expect(read.leftOut.at(-1)?.name).toBe('away')
    expect(read.leftOut.every(({ reason }) => reason !== '' && reason.length < 500)).toBe(true)
    expect(readPack([given()], WORDS, 'cwr').tools.size).toBe(1)
  })

  test.each([undefined, null, {}, { contracts: {} }, 'text', 7])('that is none is refused: %j', (answer) => {
    expect(() => readPack(answer, WORDS, 'cwr')).toThrow(Fault)
  })

  test('an old name is never another tool’s', () => {
    const aliases = { get: 'search_assets', find: 'search_assets' }
    const { tools } = pack([given(), given({ name: 'get' })], { aliases })
    expect(tools.get('search_assets')?.definition['_meta']).toMatchObject({
      'dev.toolway/contract': { aliases: ['find'] },
    })
  })
})
