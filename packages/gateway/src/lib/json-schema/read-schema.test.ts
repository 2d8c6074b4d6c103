import type { Json, JsonObject } from '@toolway/protocol'
import { Ajv } from 'ajv'
import { Ajv2019 } from 'ajv/dist/2019.js'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readSchema } from './read-schema.ts'
import { schemaRead } from './schemas-read.ts'
import { UnusableSchema } from './usable.ts'

const told = (schema: JsonObject, value: Json) =>
  readSchema(schema)
    .check(value)
    .problems.map(({ path, message }) => `${path} ${message}`)
const fits = (schema: JsonObject, value: Json) => readSchema(schema).check(value).count === 0

describe('what does not fit is told', () => {
  test('every mistake at once, each with its place and what would fit', () => {
    const schema = {
      type: 'object',
      properties: {
        query: { type: 'string', minLength: 2 },
        limit: { type: 'integer', minimum: 1, maximum: 50 },
        since: { type: 'string', format: 'date-time' },
        sort: { enum: ['newest', 'oldest'] },
        filters: { type: 'object', properties: { owner: { type: ['string', 'null'] } }, additionalProperties: false },
      },
      required: ['query', 'sources'],
      additionalProperties: false,
    }
    const value = { query: 'x', limit: 500, since: 'yesterday', sort: 'best', filters: { ownr: 1, owner: 2 }, limt: 3 }
    expect(told(schema, value)).toEqual([
      '/query must have at least 2 characters',
      '/limit must be at most 50',
      '/since must be a date and time such as 2026-01-31T09:30:00Z (RFC 3339)',
      '/sort must be one of "newest", "oldest"',
      '/filters/owner must be a string or null',
      '/filters/ownr is unknown; did you mean "owner"?',
      '/limt is unknown; did you mean "limit"?',
      '/sources is required',
    ])
  })

  test('of several forms, the nearest one is told', () => {
    const forms = {
      anyOf: [
        {
          type: 'object',
          properties: { kind: { const: 'file' }, path: { type: 'string' } },
          required: ['kind', 'path'],
        },
        {
          type: 'object',
          properties: { kind: { const: 'page' }, url: { type: 'string' }, depth: { type: 'integer' } },
          required: ['kind', 'url', 'depth'],
        },
      ],
    }
    expect(told(forms, { kind: 'page' })).toEqual(['/url is required', '/depth is required'])
    expect(told({ anyOf: [{ type: 'string' }, { type: 'null' }, { type: 'array' }] }, 5)).toEqual([
      ' must be a string, null or an array',
    ])
    expect(told({ oneOf: [{ type: 'number' }, { type: 'integer' }] }, 5)).toEqual([
      ' must match exactly one of its 2 forms, but matches 2',
    ])
  })

  test('never the value itself, few at a time, and names of any length are cut', () => {
    const secret = 'hunter2'.repeat(1000)
    const schema = { type: 'object', additionalProperties: { type: 'integer' } }
    const value = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`${at}`.padEnd(400, 'n'), secret]))
    const checked = readSchema(schema).check(value)
    expect(checked).toMatchObject({ count: 500 })
    expect(checked.problems).toHaveLength(20)
    const text = JSON.stringify(checked.problems)
    expect(text).not.toContain('hunter2')
    expect(text.length).toBeLessThan(20 * 500)
  })

  test('a place is a JSON Pointer', () => {
    const schema = { properties: { 'a/b~c': { items: { type: 'string' } } } }
    expect(told(schema, { 'a/b~c': ['x', 1] })).toEqual(['/a~1b~0c/1 must be a string'])
  })
})

describe('the draft that a schema names is the one that it is read by', () => {
  const siblings = { $ref: '#/$defs/n', maximum: 5, $defs: { n: { type: 'number' } } }
  const drafts = [
    { $schema: 'http://json-schema.org/draft-07/schema#', beside: true },
    { $schema: 'https://json-schema.org/draft/2019-09/schema', beside: false },
    { $schema: 'https://json-schema.org/draft/2020-12/schema', beside: false },
    { $schema: 'https://example.com/whatever', beside: false },
  ]
  test.for(drafts)('what stands beside a reference: $$schema', ({ $schema, beside }) => {
    expect(fits({ $schema, ...siblings }, 9)).toBe(beside)
  })

  test('draft-04 writes exclusive bounds with true', () => {
    const schema = { $schema: 'http://json-schema.org/draft-04/schema#', maximum: 5, exclusiveMaximum: true }
    expect([fits(schema, 5), fits(schema, 4.9)]).toEqual([false, true])
  })

  test('lists with places are written in two ways', () => {
    const older = {
      $schema: 'http://json-schema.org/draft-07/schema#',
      items: [{ type: 'string' }],
      additionalItems: false,
    }
    const newer = { prefixItems: [{ type: 'string' }], items: false }
    for (const schema of [older, newer])
      expect([fits(schema, ['a']), fits(schema, ['a', 'b']), fits(schema, [1])]).toEqual([true, false, false])
  })

  test('references go by pointer, anchor and identifier within the document', () => {
    const schema = {
      $id: 'https://example.com/root.json',
      properties: {
        a: { $ref: '#/$defs/with~1slash' },
        b: { $ref: '#named' },
        c: { $ref: 'other.json' },
        d: { $ref: 'other.json#/$defs/deep' },
        e: { $ref: 'https://example.com/root.json#/$defs/with~1slash' },
      },
      $defs: {
        'with/slash': { type: 'integer' },
        two: { $anchor: 'named', type: 'string' },
        three: { $id: 'other.json', type: 'boolean', $defs: { deep: { type: 'null' } } },
      },
    }
    expect(fits(schema, { a: 1, b: 'x', c: true, d: null, e: 2 })).toBe(true)
    expect(told(schema, { a: 'x', b: 1, c: 1, d: 1, e: 'x' })).toHaveLength(5)
  })

  test('a tree of itself is followed as deep as the value goes', () => {
    const schema = {
      type: 'object',
      properties: { name: { type: 'string' }, children: { type: 'array', items: { $ref: '#' } } },
      required: ['name'],
    }
    const value = { name: 'a', children: [{ name: 'b', children: [{ children: [] }] }] }
    expect(told(schema, value)).toEqual(['/children/0/children/0/name is required'])
  })
})

describe('a schema that nothing can be checked by is not used', () => {
  const nested = (levels: number): JsonObject => {
    let schema: JsonObject = { type: 'string' }
    for (let level = 0; level < levels; level++) schema = { properties: { a: schema } }
    return schema
  }
  const unusable: [string, unknown, RegExp][] = [
    ['refers to another address', { $ref: 'https://example.com/schema.json' }, /refers to https:\/\/example\.com/],
    ['refers to a file', { properties: { a: { $ref: 'file:///etc/passwd' } } }, /which is not in it/],
    ['refers to something that does not exist', { $ref: '#/$defs/none' }, /which is not in it/],
    ['nests too deep', nested(200), /deeper than 100 levels/],
    ['has too many values', { enum: Array.from({ length: 60_000 }, (_, at) => at) }, /more than 50000 values/],
    ['has a giant choice', { enum: Array.from({ length: 20_000 }, (_, at) => at) }, /more than 10000 values/],
    ['is a list', [], /not an object/],
    ['names no type', { type: 'text' }, /not a JSON type/],
    ['requires a number', { required: [1] }, /not a list of names/],
    ['bounds by a text', { maximum: '5' }, /not a number/],
    ['is a text within', { properties: { a: 'string' } }, /not a schema at/],
  ]
  test.for(unusable)('because it %s', ([, schema, why]) => {
    expect(() => readSchema(schema)).toThrow(UnusableSchema)
    expect(() => readSchema(schema)).toThrow(why)
  })

  test('because it refers to itself endlessly, which shows when something is checked', () => {
    const { check } = readSchema({ allOf: [{ $ref: '#' }] })
    expect(() => check(1)).toThrow(/refers to itself endlessly/)
  })

  test('and is refused only once', () => {
    const schema = { $ref: 'https://example.com/' }
    const thrown = () => {
      try {
        return schemaRead(schema)
      } catch (thrown) {
        return thrown
      }
    }
    expect(thrown()).toBe(thrown())
  })
})

test('the same text is made into checks once, also when it comes as another object', () => {
  const one = { type: 'object', properties: { unlike: { type: 'string' } } }
  expect(schemaRead(structuredClone(one))).toBe(schemaRead(one))
})

describe('no regular expression is slow', () => {
  test('one that backtracks for ever elsewhere answers at once', () => {
    const schema = { type: 'string', pattern: '^(a+)+$' }
    expect([fits(schema, `${'a'.repeat(50_000)}!`), fits(schema, 'aaa')]).toEqual([false, true])
  })

  test('one that RE2 cannot do is left out, and said to be', () => {
    const { check, unchecked } = readSchema({ properties: { a: { pattern: '^(?=.*x)y' }, b: { pattern: '^b$' } } })
    expect(check({ a: 'anything', b: 'c' }).problems).toEqual([{ path: '/b', message: 'must match the pattern ^b$' }])
    expect(unchecked).toEqual(['the pattern ^(?=.*x)y at /properties/a'])
  })

  test('a name that such a pattern may speak of is not refused as unknown', () => {
    const schema = { patternProperties: { '^(?!x)': { type: 'string' } }, additionalProperties: false }
    expect(fits(schema, { a: 1 })).toBe(true)
  })
})

const FORMATS: Record<string, { good: string[]; bad: string[] }> = {
  'date-time': {
    good: ['2026-01-31T09:30:00Z', '2026-01-31t09:30:00.123+05:30', '2016-12-31T23:59:60Z'],
    bad: ['2026-01-31', '2026-02-30T00:00:00Z', '2026-01-31T25:00:00Z', '2026-01-31T09:30:00', '2026-01-31T23:58:60Z'],
  },
  date: { good: ['2024-02-29'], bad: ['2023-02-29', '2026-13-01', '26-01-01', '2026-1-1'] },
  time: { good: ['09:30:00Z', '23:59:60Z'], bad: ['09:30', '24:00:00Z', '09:30:00'] },
  duration: { good: ['P1D', 'PT1H30M', 'P2W', 'P1Y2M3DT4H5M6S'], bad: ['P', 'PT', '1D', 'P1W2D', 'P1S'] },
  email: { good: ['a@b.de', 'a.b+c@d-e.org', '"a b"@c.de'], bad: ['a', '@b', 'a@', 'a..b@c.de', '.a@b.de', 'a@-b.de'] },
  hostname: { good: ['a', 'a-b.example'], bad: ['-a', 'a-', 'a..b', '', `${'a'.repeat(64)}.de`] },
  ipv4: { good: ['127.0.0.1'], bad: ['127.1', '0x7f.0.0.1', '256.0.0.1', '127.0.0.01'] },
  ipv6: { good: ['::1', 'fe80::1:2', '::ffff:1.2.3.4'], bad: ['1', ':::', '::1%eth0', '1::2::3'] },
  uri: {
    good: ['https://a.de/b?c#d', 'urn:x:y', 'mailto:a@b.de'],
    bad: ['/a', 'a b:c', 'https://[::', 'http://a/%zz', ':a'],
  },
  'uri-reference': { good: ['/a', '#b', 'c?d', 'https://a'], bad: ['a b', '#a#b', '\\a'] },
  uuid: { good: ['123e4567-e89b-12d3-a456-426614174000'], bad: ['123e4567e89b12d3a456426614174000', 'x'] },
  'json-pointer': { good: ['', '/a/~0~1'], bad: ['a', '/~2', '/~'] },
  'relative-json-pointer': { good: ['0', '1/a', '2#'], bad: ['/a', '01', '-1'] },
  'uri-template': { good: ['/a/{b}', '{+c}'], bad: ['{a', 'a}', '{}'] },
  regex: { good: ['^a$', '(?=a)'], bad: ['(', '[a'] },
}
test.for(Object.entries(FORMATS))('the format %s', ([format, { good, bad }]) => {
  for (const text of good) expect(told({ format }, text), text).toEqual([])
  for (const text of bad) expect(told({ format }, text), text).toHaveLength(1)
  expect(fits({ format }, 5)).toBe(true)
})

describe('it agrees with Ajv', () => {
  const scalar = fc.oneof(
    fc.constantFrom('', 'a', 'ab', 'x1', 'ää'),
    fc.integer({ min: -3, max: 6 }),
    fc.constantFrom(0.5, 2.5, true, false, null),
  )
  const names = fc.constantFrom('a', 'b', 'c', 'x1')
  const { value } = fc.letrec<{ value: Json }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      scalar,
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(names, tie('value'), { maxKeys: 4, noNullPrototype: true }),
    ),
  }))
  const type = fc.constantFrom('string', 'integer', 'number', 'boolean', 'array', 'object', 'null')
  const small = fc.integer({ min: 0, max: 3 })
  const { schema } = fc.letrec<{ schema: Json; map: Json; list: Json }>((tie) => ({
    map: fc.dictionary(names, tie('schema'), { maxKeys: 3, noNullPrototype: true }),
    list: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }),
    schema: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constantFrom<Json>(true, false, {}),
      fc.record(
        {
          type: fc.oneof(type, fc.uniqueArray(type, { minLength: 1, maxLength: 3 })),
          minimum: small,
          exclusiveMaximum: small,
          multipleOf: fc.constantFrom(1, 2, 0.5),
          minLength: small,
          maxLength: small,
          pattern: fc.constantFrom('^a', '[0-9]', 'b$'),
        },
        { requiredKeys: [] },
      ),
      fc.record(
        {
          properties: tie('map'),
          patternProperties: fc.dictionary(fc.constantFrom('^a', '[0-9]'), tie('schema'), {
            maxKeys: 2,
            noNullPrototype: true,
          }),
          additionalProperties: tie('schema'),
          propertyNames: tie('schema'),
          required: fc.uniqueArray(names, { maxLength: 2 }),
          minProperties: small,
          maxProperties: small,
        },
        { requiredKeys: [] },
      ),
      fc.record(
        { items: tie('schema'), contains: tie('schema'), minItems: small, maxItems: small, uniqueItems: fc.boolean() },
        { requiredKeys: [] },
      ),
      fc.record(
        {
          allOf: tie('list'),
          anyOf: tie('list'),
          oneOf: tie('list'),
          not: tie('schema'),
          if: tie('schema'),
          then: tie('schema'),
          else: tie('schema'),
          enum: fc.uniqueArray(scalar, { minLength: 1, maxLength: 3 }),
          const: scalar,
        },
        { requiredKeys: [] },
      ),
      fc.record(
        { properties: tie('map'), anyOf: tie('list'), allOf: tie('list'), unevaluatedProperties: tie('schema') },
        { requiredKeys: ['unevaluatedProperties'] },
      ),
      fc.record(
        { items: tie('schema'), contains: tie('schema'), anyOf: tie('list'), unevaluatedItems: tie('schema') },
        { requiredKeys: ['unevaluatedItems'] },
      ),
      fc.constant({ $ref: '#/$defs/one' }),
    ),
  }))
  const options = { strict: false, validateFormats: false, allErrors: false, logger: false } as const
  const engines = [
    ['2020-12', 'https://json-schema.org/draft/2020-12/schema', () => new Ajv2020(options)],
    ['2019-09', 'https://json-schema.org/draft/2019-09/schema', () => new Ajv2019(options)],
    ['07', 'http://json-schema.org/draft-07/schema#', () => new Ajv(options)],
  ] as const

  test.for(engines)('in draft %s', ([draft, $schema, engine]) => {
    const body = fc.tuple(schema, schema, fc.array(value, { minLength: 1, maxLength: 3 }))
    fc.assert(
      fc.property(body, ([root, one, values]) => {
        // Not the bare reference: Ajv follows one to itself until its stack ends, while it reads the schema.
        const defined = { $schema, allOf: [root], $defs: { one: { allOf: [one] } } }
        const whole = draft === '07' ? without(defined) : defined
        // Items that `contains` finds are evaluated (2020-12, core 11.2), but not by Ajv in every position.
        const words = JSON.stringify(whole)
        if (words.includes('"contains"') && words.includes('"unevaluatedItems"')) return
        const peer = engine().compile(whole)
        for (const value of values) {
          // Ajv 8 takes over what `contains` found in the array before where an inner array is empty: [[1], []] passes, [[], [1]] fails.
          if (words.includes('"contains"') && JSON.stringify(value).includes('[]', 1)) continue
          const ours = outcome(() => fits(whole, value))
          // Ajv ends at the first mismatch, and may never come to the reference that leads to itself.
          const theirs = ours === 'endless' ? ours : outcome(() => peer(value))
          if (theirs !== 'broken') expect(ours).toBe(theirs)
        }
      }),
      { numRuns: 80 },
    )
  })
})

const outcome = (check: () => boolean): boolean | 'endless' | 'broken' => {
  try {
    return check()
  } catch (thrown) {
    if (thrown instanceof RangeError) return 'endless'
    // Ajv makes code that names what it does not define, of some `unevaluated…` within others.
    if (thrown instanceof ReferenceError) return 'broken'
    if (thrown instanceof UnusableSchema && thrown.message.includes('endlessly')) return 'endless'
    throw thrown
  }
}

/** Draft-07 knows nothing of `unevaluated…`. */
function without<T>(schema: T): T {
  return JSON.parse(
    JSON.stringify(schema, (name, value: unknown) => (name.startsWith('unevaluated') ? undefined : value)),
  ) as T
}
