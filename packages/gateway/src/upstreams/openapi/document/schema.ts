/**
 * Converts a schema of OpenAPI 3.0 to 3.2 to a self-contained JSON Schema 2020-12: references are inlined, cycles end in
 * "anything", and keywords that only OpenAPI has are removed.
 *
 * The size of the result is bounded during conversion: if it is too large, texts are removed first, then deep levels. A schema
 * that was cut accepts anything, so that no call is refused because of the cut.
 */
import type { JsonObject } from '@toolway/protocol'
import { isObject } from './json.ts'
import type { References } from './references.ts'
import { textOf } from './texts.ts'
import { LIMITS } from './limits.ts'

/** Read-only properties are left out of requests, and write-only ones out of answers (OpenAPI 3.0, `readOnly`, `writeOnly`). */
export type Direction = 'sent' | 'answered'

export interface SchemaParts {
  readonly references: References
  /** Told, once for each kind, what of a schema could not be carried over. */
  note(problem: string): void
  /** Values that were written out for the whole document: what unfolds without end takes no more than its share. */
  readonly spent: { values: number }
  /** Schemas of the document that were written out whole before, by their reference: many operations share one. */
  readonly written: Map<string, Written>
}

interface Written {
  readonly schema: JsonObject | undefined
  readonly notes: readonly string[]
}

/** A schema that nothing can be sent for, in words that go on after "it". */
export class Unfit extends Error {}

interface ConversionContext extends SchemaParts {
  readonly direction: Direction
  readonly depth: number
  readonly texts: boolean
  /** References that are being written out. */
  readonly within: ReadonlySet<string>
  readonly left: { values: number }
}

/** Limits that are tried in turn until the schema fits. */
const TRIES = [
  { depth: 16, texts: true },
  { depth: 16, texts: false },
  { depth: 6, texts: false },
  { depth: 3, texts: false },
  { depth: 1, texts: false },
] as const
/** Characters of the shortest schema of a property: more values than fit of these are not written out first. */
const LEAST = 8
class TooMuch extends Error {}

/** Undefined where even the least of it is larger than `most` characters. Throws Unfit. */
export function standalone(
  schema: unknown,
  direction: Direction,
  most: number,
  parts: SchemaParts,
): JsonObject | undefined {
  const ref = isObject(schema) && Object.keys(schema).length === 1 ? schema['$ref'] : undefined
  if (typeof ref !== 'string') return convertWithin(schema, direction, most, parts)
  const key = `${direction} ${most} ${ref}`
  let found = parts.written.get(key)
  if (found === undefined) {
    const notes = new Set<string>()
    const made = convertWithin(schema, direction, most, { ...parts, note: (problem) => void notes.add(problem) })
    found = { schema: made, notes: [...notes] }
    parts.written.set(key, found)
  }
  for (const note of found.notes) parts.note(note)
  return found.schema
}

function convertWithin(
  schema: unknown,
  direction: Direction,
  most: number,
  parts: SchemaParts,
): JsonObject | undefined {
  let unfolds = false
  for (const [at, attempt] of TRIES.entries()) {
    // What has too many values has as many without its texts.
    if (at === 1 && unfolds) continue
    const left = { values: Math.floor(most / LEAST) }
    try {
      const made = convert(schema, { ...parts, ...attempt, direction, within: new Set(), left })
      const converted = isObject(made) ? made : made ? {} : { not: {} }
      if (JSON.stringify(converted).length > most) continue
      if (at > 0)
        parts.note(
          at === 1 ? 'text inside its schema is left out' : 'its schema is truncated where it is nested too deeply',
        )
      return converted
    } catch (thrown) {
      if (!(thrown instanceof TooMuch)) throw thrown
      unfolds = true
    }
  }
  return undefined
}

const TYPES = new Set(['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'])
const NUMBERS = [
  'multipleOf',
  'maximum',
  'exclusiveMaximum',
  'minimum',
  'exclusiveMinimum',
  'maxLength',
  'minLength',
  'maxItems',
  'minItems',
  'maxContains',
  'minContains',
  'maxProperties',
  'minProperties',
] as const
const ONE = [
  'not',
  'if',
  'then',
  'else',
  'contains',
  'propertyNames',
  'additionalProperties',
  'unevaluatedProperties',
] as const
const LISTS = ['allOf', 'anyOf', 'oneOf', 'prefixItems'] as const

function convert(input: unknown, context: ConversionContext): JsonObject | boolean {
  if (typeof input === 'boolean') return input
  if (!isObject(input)) return {}
  if (--context.left.values < 0) throw new TooMuch()
  if (++context.spent.values > LIMITS.written)
    throw new Unfit('is beyond what is read of one document at a time: select fewer operations')
  if (typeof input['$ref'] === 'string') return follow(input, input['$ref'], context)
  if (context.depth < 0) {
    context.note('its schema is truncated where it is nested too deeply')
    return {}
  }
  if (input['type'] === 'file') throw new Unfit('takes a file')
  const inner = { ...context, depth: context.depth - 1 }
  const out: JsonObject = {}
  copyTexts(input, out, context)
  copyPlain(input, out, context)
  for (const name of LISTS) {
    const list = input[name]
    if (Array.isArray(list) && list.length > 0) out[name] = list.map((value) => convert(value, inner))
  }
  for (const name of ONE) {
    if (isObject(input[name]) || typeof input[name] === 'boolean') out[name] = convert(input[name], inner)
  }
  copyItems(input, out, inner)
  copyProperties(input, out, inner)
  return input['nullable'] === true ? nullable(out) : out
}

function follow(value: JsonObject, ref: string, context: ConversionContext): JsonObject | boolean {
  if (context.within.has(ref)) {
    context.note('its schema contains itself, and is truncated there')
    return {}
  }
  const found = context.references.find(ref)
  if (found === undefined) {
    context.note(
      ref.startsWith('#')
        ? 'its schema refers to something that does not exist'
        : `its schema refers to another file, "${(ref.split('#')[0] ?? '').slice(0, 100)}", which did not come along`,
    )
    return {}
  }
  const made = convert(found, { ...context, within: new Set([...context.within, ref]) })
  // Beside a reference 3.1 lets a schema say more, above all another text; in 3.0 what stands there counts for nothing else.
  const description = context.texts ? textOf(value['description'], LIMITS.note) : undefined
  return isObject(made) && description !== undefined ? { ...made, description } : made
}

function copyTexts(value: JsonObject, out: JsonObject, { texts }: ConversionContext): void {
  const description = texts ? textOf(value['description'], LIMITS.note) : undefined
  const title = texts ? textOf(value['title'], 100) : undefined
  if (title !== undefined) out['title'] = title
  if (description !== undefined) out['description'] = description
}

function copyPlain(input: JsonObject, out: JsonObject, { texts, note }: ConversionContext): void {
  const { type, enum: options, pattern, format, required } = input
  const types = (Array.isArray(type) ? type : [type]).filter(
    (item): item is string => typeof item === 'string' && TYPES.has(item),
  )
  const [first] = types
  if (first !== undefined) out['type'] = types.length === 1 ? first : [...new Set(types)]
  if (Array.isArray(options) && options.length > 0) out['enum'] = options
  if ('const' in input) out['const'] = input['const']
  if ('default' in input) out['default'] = input['default']
  if (texts && 'example' in input && sizeOf(input['example']) < 200) out['examples'] = [input['example']]
  if (typeof format === 'string') out['format'] = format.slice(0, 50)
  if (typeof pattern === 'string') {
    if (isPattern(pattern)) out['pattern'] = pattern
    else note('it has a pattern that JSON Schema validators do not accept')
  }
  for (const name of ['uniqueItems', 'deprecated'] as const) if (input[name] === true) out[name] = true
  for (const name of NUMBERS) {
    const value = input[name]
    if (typeof value === 'number' && Number.isFinite(value)) out[name] = value
  }
  // In 3.0 these are yes or no, and belong to the number beside them.
  for (const [exclusive, plain] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const) {
    if (input[exclusive] !== true || out[plain] === undefined) continue
    out[exclusive] = out[plain]
    delete out[plain]
  }
  if (Array.isArray(required)) {
    const names = [...new Set(required.filter((value) => typeof value === 'string'))]
    if (names.length > 0) out['required'] = names
  }
}

const sizeOf = (value: unknown) => (JSON.stringify(value) ?? '').length

function isPattern(pattern: string): boolean {
  try {
    return pattern.length < 1_000 && new RegExp(pattern, 'u') instanceof RegExp
  } catch {
    return false
  }
}

function copyItems(value: JsonObject, out: JsonObject, inner: ConversionContext): void {
  const { items } = value
  if (Array.isArray(items)) out['prefixItems'] ??= items.map((item) => convert(item, inner))
  else if (isObject(items) || typeof items === 'boolean') out['items'] = convert(items, inner)
}

function copyProperties(value: JsonObject, out: JsonObject, inner: ConversionContext): void {
  const { properties, patternProperties } = value
  if (isObject(patternProperties)) {
    const valid = Object.entries(patternProperties).filter(([pattern]) => isPattern(pattern))
    if (valid.length > 0)
      out['patternProperties'] = Object.fromEntries(valid.map(([key, item]) => [key, convert(item, inner)]))
  }
  if (!isObject(properties)) return
  const hidden = new Set<string>()
  const made: [string, JsonObject | boolean][] = []
  for (const [name, item] of Object.entries(properties)) {
    if (isHidden(item, inner)) hidden.add(name)
    else made.push([name, convert(item, inner)])
  }
  out['properties'] = Object.fromEntries(made)
  const { required } = out
  if (!Array.isArray(required) || hidden.size === 0) return
  const left = required.filter((name) => !hidden.has(String(name)))
  if (left.length > 0) out['required'] = left
  else delete out['required']
}

/** Whether only the other side ever says it. */
function isHidden(
  schema: unknown,
  { references, direction }: Pick<ConversionContext, 'references' | 'direction'>,
): boolean {
  const word = direction === 'sent' ? 'readOnly' : 'writeOnly'
  return (isObject(schema) && schema[word] === true) || references.open(schema)?.[word] === true
}

/** 3.0 says beside a type that there may be nothing; 2020-12 says it as one more type. */
function nullable(schema: JsonObject): JsonObject {
  const { type, enum: options } = schema
  if (type === undefined) {
    const isEmpty = !['allOf', 'anyOf', 'oneOf', 'enum', 'const', 'not', 'properties'].some((name) => name in schema)
    return isEmpty ? schema : { anyOf: [schema, { type: 'null' }] }
  }
  const types = Array.isArray(type) ? type : [type]
  return {
    ...schema,
    type: types.includes('null') ? types : [...types, 'null'],
    ...(Array.isArray(options) && !options.includes(null) ? { enum: [...options, null] } : {}),
  }
}

const ANSWER_DEPTHS = [8, 4, 2, 1] as const
/** Of an answer: more would not fit into `LIMITS.output`. */
const ANSWER_VALUES = 1_000

interface Loosening extends SchemaParts {
  readonly depth: number
  readonly within: ReadonlySet<string>
  readonly left: { values: number }
}

/**
 * The schema of an answer, permissive so that a server that deviates slightly from its document is still accepted: clients refuse a
 * result that does not match its schema, although the call was made. It is written out no deeper than its size allows. Undefined for
 * anything but an object.
 */
export function answerSchema(schema: unknown, parts: SchemaParts): JsonObject | undefined {
  const value = parts.references.open(schema)
  if (value?.['type'] !== 'object' || !isObject(value['properties'])) return undefined
  for (const depth of ANSWER_DEPTHS) {
    if (parts.spent.values > LIMITS.written) return undefined
    try {
      const left = { values: ANSWER_VALUES }
      const made = { ...loosenSchema(schema, { ...parts, depth, within: new Set(), left }), type: 'object' }
      if (JSON.stringify(made).length <= LIMITS.output) return made
    } catch (thrown) {
      if (!(thrown instanceof TooMuch)) throw thrown
    }
  }
  return undefined
}

function loosenSchema(input: unknown, context: Loosening): JsonObject {
  if (!isObject(input)) return {}
  if (--context.left.values < 0) throw new TooMuch()
  context.spent.values++
  const ref = input['$ref']
  if (typeof ref === 'string') {
    const found = context.within.has(ref) ? undefined : context.references.find(ref)
    return loosenSchema(found, { ...context, within: new Set([...context.within, ref]) })
  }
  const { type, properties, items } = input
  const out: JsonObject = {}
  const types = (Array.isArray(type) ? type : [type]).filter((item) => typeof item === 'string' && TYPES.has(item))
  if (types.length > 0) {
    // A field described as an integer may later contain 1.5.
    const wide = types.map((item) => (item === 'integer' ? 'number' : String(item)))
    out['type'] = [...new Set([...wide, 'null'])]
  }
  const description = textOf(input['description'], LIMITS.note)?.slice(0, 150)
  if (description !== undefined) out['description'] = description
  if (context.depth === 0) return out
  const inner = { ...context, depth: context.depth - 1 }
  if (isObject(properties)) {
    const seen = Object.entries(properties).filter(
      ([, value]) => !isHidden(value, { ...context, direction: 'answered' }),
    )
    out['properties'] = Object.fromEntries(seen.map(([name, value]) => [name, loosenSchema(value, inner)]))
  }
  if (isObject(items)) out['items'] = loosenSchema(items, inner)
  return out
}
