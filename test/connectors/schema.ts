/** Schemas of OpenAPI 3.0 and 3.1 as JSON Schema 2020, and values that fit them. */
import { get, isJson } from '../../packages/connectors/src/kit/shape.ts'
import type { Json } from '../../packages/connectors/src/index.ts'

const DROPPED = new Set([
  'discriminator',
  'example',
  'examples',
  'xml',
  'externalDocs',
  'readOnly',
  'writeOnly',
  'deprecated',
])
const MAPS = new Set(['properties', 'schemas', 'patternProperties', '$defs'])
const AS_IS = new Set(['enum', 'const', 'default', 'required'])
const COMBINED = new Set(['allOf', 'anyOf', 'oneOf', 'not'])

/** How a schema is translated: `closed` refuses members that nobody described; not so inside a combination, whose parts would refuse one another. */
export interface Tidy {
  readonly closed: boolean
  readonly inside: boolean
}

export function tidy(schema: unknown, how: Tidy): unknown {
  if (Array.isArray(schema)) return schema.map((one) => tidy(one, how))
  if (!isJson(schema)) return schema
  const out: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(schema)) {
    if (DROPPED.has(key) || key.startsWith('x-')) continue
    if (AS_IS.has(key)) out[key] = value
    else if (key === '$ref') out[key] = `${how.closed && !how.inside ? 'closed' : 'open'}${String(value)}`
    else if (MAPS.has(key)) out[key] = tidyMap(value, { ...how, inside: false })
    // Alternatives stay open, so that a value can fit several.
    else if (key === 'oneOf' && schema['anyOf'] === undefined) out['anyOf'] = tidy(value, { ...how, inside: true })
    else out[key] = tidy(value, { ...how, inside: COMBINED.has(key) || (key !== 'items' && how.inside) })
  }
  return closed(legacy(out), how)
}

export const tidyMap = (schemas: unknown, how: Tidy): Json =>
  isJson(schemas) ? Object.fromEntries(Object.entries(schemas).map(([name, one]) => [name, tidy(one, how)])) : {}

/** What OpenAPI 3.0 says in its own words. */
function legacy(out: Record<string, unknown>): Record<string, unknown> {
  for (const bound of ['Minimum', 'Maximum']) {
    const exclusive = `exclusive${bound}`
    if (out[exclusive] === true) out[exclusive] = out[bound.toLowerCase()]
    else if (out[exclusive] === false) delete out[exclusive]
  }
  if (out['type'] === 'file' || out['type'] === 'any') delete out['type']
  return out
}

function closed(out: Record<string, unknown>, how: Tidy): unknown {
  const isObject = out['properties'] !== undefined || out['allOf'] !== undefined
  const isOpen = out['additionalProperties'] === undefined
  if (how.closed && !how.inside && isObject && isOpen)
    out[
      ['allOf', 'anyOf', 'oneOf'].some((key) => out[key] !== undefined)
        ? 'unevaluatedProperties'
        : 'additionalProperties'
    ] = false
  const { nullable, ...rest } = out
  const bare = rest['$ref'] !== undefined && rest['unevaluatedProperties'] === undefined ? { $ref: rest['$ref'] } : rest
  return nullable === true ? { anyOf: [bare, { type: 'null' }] } : bare
}

/** Follows references inside a document. */
export function resolved(document: unknown, value: unknown): Json {
  let at = value
  while (isJson(at) && typeof at['$ref'] === 'string') at = pointed(document, at['$ref'])
  return isJson(at) ? at : {}
}

const pointed = (document: unknown, pointer: string): unknown =>
  pointer
    .slice(2)
    .split('/')
    .reduce<unknown>(
      (node, part) => (isJson(node) ? node[part.replaceAll('~1', '/').replaceAll('~0', '~')] : undefined),
      document,
    )

/** Levels of a sample, and those that have optional members. */
const DEEPEST = 9
const WIDE = 6

/** A value with all described members, or with the required ones alone. */
export function sample(document: unknown, schema: unknown, all: boolean, depth = 0): unknown {
  const s = resolved(document, schema)
  if (depth > DEEPEST) return undefined
  const fixed = s['const'] ?? get(s, 'enum[]') ?? undefined
  if (fixed !== undefined) return Array.isArray(fixed) ? fixed[0] : fixed
  const type = Array.isArray(s['type']) ? s['type'].find((one) => one !== 'null') : s['type']
  const choices = s['anyOf'] ?? s['oneOf']
  if (Array.isArray(choices) && s['properties'] === undefined)
    return sample(document, richest(document, choices), all, depth)
  if (Array.isArray(s['allOf'])) {
    const parts: unknown[] = s['allOf'].map((one) => sample(document, one, all, depth))
    return parts.every(isJson) ? Object.assign({}, ...parts, membersOf(document, s, all, depth)) : parts[0]
  }
  if (type === 'array' || s['items'] !== undefined) {
    const item = sample(document, s['items'], all, depth + 1)
    return item === undefined ? [] : [item]
  }
  if (type === 'object' || s['properties'] !== undefined) return membersOf(document, s, all, depth)
  return scalar(s, type)
}

/** Of several possible schemas, the object with the most members. */
export const richest = (document: unknown, choices: readonly unknown[]): unknown =>
  choices.toSorted((a, b) => breadth(document, b) - breadth(document, a))[0]

function breadth(document: unknown, schema: unknown): number {
  const s = resolved(document, schema)
  const parts = Array.isArray(s['allOf']) ? s['allOf'] : []
  const own = Object.keys(isJson(s['properties']) ? s['properties'] : {}).length
  return own + parts.reduce<number>((sum, one) => sum + breadth(document, one), 0) + (s['type'] === 'null' ? -1 : 0)
}

function membersOf(document: unknown, { properties, required }: Json, all: boolean, depth: number): Json {
  const needed = new Set(Array.isArray(required) ? required : [])
  const out: Record<string, unknown> = {}
  for (const [name, one] of Object.entries(isJson(properties) ? properties : {})) {
    if (!needed.has(name) && (!all || depth >= WIDE)) continue
    const value = sample(document, one, all, depth + 1)
    if (value !== undefined) out[name] = value
  }
  return out
}

const FORMATS: Readonly<Record<string, string>> = {
  'date-time': '2026-11-22T12:00:00Z',
  date: '2026-11-22',
  uri: 'https://example.com/',
  email: 'ada@example.com',
}

function scalar(s: Json, type: unknown): unknown {
  if (type === 'integer' || type === 'number') return typeof s['minimum'] === 'number' ? s['minimum'] : 1
  if (type === 'boolean') return true
  if (type === 'string') return FORMATS[String(s['format'])] ?? (typeof s['example'] === 'string' ? s['example'] : 'x')
  return undefined
}
