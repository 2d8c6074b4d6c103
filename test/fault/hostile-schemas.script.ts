/**
 * Schemas and values that are made to hang or to crash whoever checks one by the other, one line of JSON for each.
 *
 * A process of its own, so that whoever starts it can end it: what hangs here hangs nothing else.
 */
import type { Json, JsonObject } from '@toolway/protocol'
import fc from 'fast-check'
import { readSchema } from '../../packages/gateway/src/lib/json-schema/read-schema.ts'
import { UnusableSchema } from '../../packages/gateway/src/lib/json-schema/usable.ts'

const MEGABYTE = 'a'.repeat(1_000_000)

const nested = (levels: number, around: (inner: Json) => Json, inner: Json = 'x'): Json => {
  let value = inner
  for (let level = 0; level < levels; level++) value = around(value)
  return value
}
const list = <T>(length: number, make: (at: number) => T): T[] => Array.from({ length }, (_, at) => make(at))

/** Each names the next one twice: small to write, and 2^40 ways through it. */
const doubling = (keyword: string, last: JsonObject): JsonObject => ({
  $ref: '#/$defs/s0',
  $defs: Object.fromEntries([
    ...list(
      40,
      (at) => [`s${at}`, { [keyword]: [{ $ref: `#/$defs/s${at + 1}` }, { $ref: `#/$defs/s${at + 1}` }] }] as const,
    ),
    ['s40', last] as const,
  ]),
})

/** Twice as many ways with each level of the value. */
const branching: JsonObject = {
  anyOf: [
    { properties: { next: { $ref: '#' } }, required: ['none'] },
    { properties: { next: { $ref: '#' } }, required: ['never'] },
  ],
}

const BAD_PATTERNS = [
  '^(a+)+$',
  '^(a|a)*$',
  '^(a|aa)+$',
  '(x+x+)+y',
  '^(([a-z])+.)+[A-Z]([a-z])+$',
  '^(?:a?){900}a{900}$',
  '^(a|b)*a(a|b){500}c$',
  '(a{1000}){1000}',
  '((((a{100}){100}){100}){100})',
  '^(?=(a+)+$)',
  '(.)\\1+',
  '(',
  '[z-a]',
  'a'.repeat(1_000_000),
]
const FORMATS = [
  'date-time',
  'email',
  'uri',
  'url',
  'uri-reference',
  'uri-template',
  'hostname',
  'regex',
  'duration',
  'iri',
  'idn-email',
  'json-pointer',
  'ipv6',
  'uuid',
  'time',
]

const cases: [string, Json, Json][] = [
  ['two ways forty times (allOf)', doubling('allOf', { type: 'string' }), 'x'],
  ['two ways forty times (anyOf)', doubling('anyOf', { type: 'number' }), 'x'],
  ['two ways forty times (oneOf)', doubling('oneOf', { type: 'string' }), 'x'],
  ['two ways at each level', branching, nested(60, (next) => ({ next }))],
  ['a circle', { $ref: '#' }, {}],
  [
    'a circle of two',
    { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { anyOf: [{ $ref: '#/$defs/a' }] } } },
    {},
  ],
  ['a circle by not', { not: { $ref: '#' } }, 1],
  ['a circle by the name of names', { propertyNames: { $ref: '#' } }, { a: 1 }],
  [
    'a long chain',
    { $ref: '#/$defs/s0', $defs: Object.fromEntries(list(10_000, (at) => [`s${at}`, { $ref: `#/$defs/s${at + 1}` }])) },
    1,
  ],
  ['a deep schema', nested(20_000, (inner) => ({ properties: { a: inner } }), true), {}],
  ['a deep schema of lists', nested(20_000, (inner) => [inner], true), {}],
  ['a deep value', { items: { $ref: '#' } }, nested(20_000, (inner) => [inner])],
  ['a deep value where nothing is asked', {}, nested(100_000, (inner) => [inner])],
  ['a wide schema', { properties: Object.fromEntries(list(20_000, (at) => [`p${at}`, { type: 'string' }])) }, {}],
  ['a too wide schema', { properties: Object.fromEntries(list(200_000, (at) => [`p${at}`, {}])) }, {}],
  ['a giant choice', { enum: list(1_000_000, (at) => at) }, 5],
  ['a large choice', { enum: list(9_999, (at) => `${at}`) }, MEGABYTE],
  [
    'a wide value',
    { additionalProperties: false, properties: Object.fromEntries(list(500, (at) => [`name_${at}`, {}])) },
    Object.fromEntries(list(100_000, (at) => [`nome_${at}`, at])),
  ],
  [
    'many forms for many items',
    { items: { anyOf: list(5_000, (at) => ({ const: `c${at}` })) } },
    list(100_000, (at) => at),
  ],
  ['a million items', { items: { type: 'string' }, uniqueItems: true }, list(1_000_000, (at) => at)],
  ['alike items', { uniqueItems: true }, list(20_000, (at) => ({ a: list(10, () => 'x'), at }))],
  [
    'contained in many',
    { contains: { contains: { contains: { const: 1 } } } },
    list(50, () => list(50, () => list(50, () => 2))),
  ],
  ['a long text against many patterns', { allOf: list(1_000, () => ({ pattern: '^(a+)+$' })) }, `${MEGABYTE}!`],
  [
    'many names against many patterns',
    { patternProperties: Object.fromEntries(list(500, (at) => [`^(a|b)*${at}$`, {}])) },
    Object.fromEntries(list(10_000, (at) => [`ab${at}`, at])),
  ],
  ['a number of many digits', { multipleOf: 5e-324 }, 1.7976931348623157e308],
  [
    'names of the prototype',
    {
      properties: { constructor: { type: 'string' }, ['__proto__']: { type: 'string' } },
      required: ['toString', '__proto__'],
    },
    JSON.parse('{"__proto__": 1}') as Json,
  ],
  ['keywords of the prototype', JSON.parse('{"__proto__": {"type": "string"}, "constructor": 1}') as Json, 5],
  ...BAD_PATTERNS.flatMap((pattern): [string, Json, Json][] => [
    [`the pattern ${pattern.slice(0, 30)}`, { pattern }, `${'ab'.repeat(500_000)}!`],
    [
      `names by ${pattern.slice(0, 30)}`,
      { patternProperties: { [pattern]: false }, additionalProperties: false },
      { [MEGABYTE]: 1 },
    ],
  ]),
  ...FORMATS.flatMap((format): [string, Json, Json][] => [
    [`a long ${format}`, { format }, MEGABYTE],
    [`a long ${format} of signs`, { format }, `a@${'a-.'.repeat(2_000)}:/?#[]%41{a}1`],
    [`a long ${format} of digits`, { format }, `2026-01-31T00:00:00.${'0'.repeat(8_000)}`],
  ]),
]

/** A short text for each way that it can end; whatever else is thrown ends this process. */
function end(schema: Json, value: Json): string {
  try {
    const { count, problems, work } = readSchema(schema).check(value)
    const told = JSON.stringify(problems).length
    if (told > 20_000) throw new Error(`${told} characters are told`)
    return `${count === 0 ? 'fits' : problems[0]?.message.startsWith('cannot be checked') ? 'too much' : 'does not fit'} ${work}`
  } catch (thrown) {
    if (thrown instanceof UnusableSchema) return `unusable: ${thrown.message.slice(0, 80)}`
    throw thrown
  }
}

for (const [name, schema, value] of cases) console.log(JSON.stringify([name, end(schema, value)]))

const keyword = fc.constantFrom(
  'type',
  'properties',
  'items',
  'allOf',
  'anyOf',
  'oneOf',
  'not',
  '$ref',
  'enum',
  'const',
  'pattern',
  'format',
  'required',
  'if',
  'then',
  'else',
  'additionalProperties',
  'patternProperties',
  'unevaluatedProperties',
  'unevaluatedItems',
  'dependentRequired',
  'dependencies',
  'contains',
  'uniqueItems',
  'minimum',
  'multipleOf',
  '$id',
  '$anchor',
  '$defs',
  '$schema',
  '__proto__',
)
const word = fc.constantFrom(
  '#',
  '#/$defs/a',
  '#/properties/a',
  'string',
  'object',
  'array',
  '^(a+)+$',
  'email',
  '#a',
  'https://e.com/#/a',
)
const { any } = fc.letrec<{ any: Json }>((tie) => ({
  any: fc.oneof(
    { depthSize: 'medium' },
    word,
    fc.jsonValue() as fc.Arbitrary<Json>,
    fc.array(tie('any'), { maxLength: 4 }),
    fc.dictionary(fc.oneof(keyword, fc.constantFrom('a', 'b')), tie('any'), { maxKeys: 5, noNullPrototype: true }),
  ),
}))
let drawn = 0
fc.assert(
  fc.property(fc.dictionary(keyword, any, { maxKeys: 6, noNullPrototype: true }), any, (schema, value) => {
    end(JSON.parse(JSON.stringify(schema)) as Json, JSON.parse(JSON.stringify(value)) as Json)
    drawn += 1
  }),
  { numRuns: 3_000 },
)
console.log(JSON.stringify(['drawn', `${drawn}`]))
