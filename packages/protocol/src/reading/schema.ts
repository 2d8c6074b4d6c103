/**
 * Reads a JSON Schema of a tool as servers write it: what every reader of schemas takes the same way is mended (`null` for absent, `[]`
 * for an empty map as PHP writes it, `required: true` of draft 3), everything else stays as it is.
 *
 * Sources: JSON Schema 2020-12, core and validation; draft 3, section 5.7 (`required`).
 */
import { isObject, type Json, type JsonObject } from '../json.ts'
import { withChanges, kindName, leftOut, placeOf, type Change, type Repairs } from './repairs.ts'

const MAPS = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'] as const
const LISTS = ['allOf', 'anyOf', 'oneOf', 'prefixItems'] as const
const SCHEMAS = [
  ...['additionalProperties', 'contains', 'not', 'if', 'then', 'else', 'propertyNames'],
  ...['unevaluatedItems', 'unevaluatedProperties'],
] as const
const TEXTS = ['$ref', '$id', '$schema', '$anchor', 'title', 'description', 'format', 'pattern', '$comment'] as const
const NUMBERS = [
  ...['minimum', 'maximum', 'multipleOf', 'minLength', 'maxLength', 'minItems', 'maxItems'],
  ...['minProperties', 'maxProperties'],
] as const
export const TYPES: ReadonlySet<unknown> = new Set([
  'object',
  'array',
  'string',
  'number',
  'integer',
  'boolean',
  'null',
])

/** A schema whose parts fit together, as far as that is beyond doubt. */
export function readSchema(schema: JsonObject, place: string, repairs: Repairs): JsonObject {
  const changes: Change[] = []
  for (const name of MAPS) add(changes, name, readMap(schema, name, place, repairs))
  for (const name of LISTS) add(changes, name, readList(schema, name, place, repairs))
  for (const name of SCHEMAS) {
    const member = schema[name]
    if (isObject(member)) inner(changes, name, member, readSchema(member, placeOf(place, name), repairs))
    else if (member !== undefined && typeof member !== 'boolean')
      add(changes, name, { value: undefined, repair: leftOut(member, 'a schema') })
  }
  add(changes, 'items', readItems(schema, place, repairs))
  for (const name of TEXTS) {
    const member = schema[name]
    if (member !== undefined && typeof member !== 'string')
      add(changes, name, { value: undefined, repair: leftOut(member, 'a text') })
  }
  for (const name of NUMBERS) {
    const member = schema[name]
    if (member !== undefined && typeof member !== 'number')
      add(changes, name, { value: undefined, repair: leftOut(member, 'a number') })
  }
  if (schema['type'] === null) add(changes, 'type', { value: undefined, repair: leftOut(null, 'a type') })
  const { enum: choices } = schema
  if (choices !== undefined && (!Array.isArray(choices) || choices.length === 0))
    add(changes, 'enum', { value: undefined, repair: leftOut(choices, 'a list of values') })
  add(changes, 'required', readRequired(schema))
  return quietly(schema, place, changes, repairs)
}

type Found = Omit<Change, 'name'> | undefined

function add(changes: Change[], name: string, found: Found): void {
  if (found !== undefined) changes.push({ name, ...found })
}

/** A member that was mended within: its own places are noted already. */
const NOTED = ''
function inner(changes: Change[], name: string, before: Json, after: Json): void {
  if (before !== after) changes.push({ name, value: after, repair: NOTED })
}

function quietly(schema: JsonObject, place: string, changes: readonly Change[], repairs: Repairs): JsonObject {
  const unnoted: Repairs = []
  const made = withChanges(schema, place, changes, unnoted)
  repairs.push(...unnoted.filter((_, at) => changes[at]?.repair !== NOTED))
  return made
}

/** Names to schemas. */
function readMap(schema: JsonObject, name: string, place: string, repairs: Repairs): Found {
  const map = schema[name]
  if (map === undefined) return undefined
  if (Array.isArray(map) && map.length === 0)
    return { value: {}, repair: 'was an empty list and is an empty object now' }
  if (!isObject(map)) return { value: undefined, repair: leftOut(map, 'an object') }
  const at = placeOf(place, name)
  const changes: Change[] = []
  for (const [key, member] of Object.entries(map)) {
    if (isObject(member)) inner(changes, key, member, readSchema(member, placeOf(at, key), repairs))
    else if (typeof member !== 'boolean')
      changes.push({ name: key, value: {}, repair: `was ${kindName(member)}, not a schema, and allows everything now` })
  }
  const made = quietly(map, at, changes, repairs)
  return made === map ? undefined : { value: made, repair: NOTED }
}

function readList(schema: JsonObject, name: string, place: string, repairs: Repairs): Found {
  const list = schema[name]
  if (list === undefined) return undefined
  if (!Array.isArray(list) || list.length === 0) return { value: undefined, repair: leftOut(list, 'a list of schemas') }
  const made = readSchemas(list, placeOf(place, name), repairs)
  return made === list ? undefined : { value: made, repair: NOTED }
}

function readSchemas(list: Json[], place: string, repairs: Repairs): Json[] {
  const made = list.map((member, at) => (isObject(member) ? readSchema(member, placeOf(place, at), repairs) : member))
  return made.some((member, at) => member !== list[at]) ? made : list
}

/** A schema, or a list of them before 2020-12. */
function readItems({ items }: JsonObject, place: string, repairs: Repairs): Found {
  if (items === undefined || typeof items === 'boolean') return undefined
  if (Array.isArray(items)) {
    if (items.length === 0) return { value: undefined, repair: leftOut(items, 'a schema') }
    const made = readSchemas(items, placeOf(place, 'items'), repairs)
    return made === items ? undefined : { value: made, repair: NOTED }
  }
  if (!isObject(items)) return { value: undefined, repair: leftOut(items, 'a schema') }
  const made = readSchema(items, placeOf(place, 'items'), repairs)
  return made === items ? undefined : { value: made, repair: NOTED }
}

/** The names in the list; with those of members that say it of themselves, as draft 3 has it. */
function readRequired(schema: JsonObject): Found {
  const { required, properties } = schema
  const own = isObject(properties)
    ? Object.keys(properties).filter((name) => isObject(properties[name]) && properties[name]['required'] === true)
    : []
  const isList = Array.isArray(required)
  const names = isList ? required.filter((name) => typeof name === 'string') : []
  const all = [...new Set([...names, ...own])]
  if (own.length > 0 && all.length > names.length)
    return { value: all, repair: `lists ${own.join(', ')} now, which said it of themselves` }
  if (required === undefined) return undefined
  if (!isList) return { value: undefined, repair: leftOut(required, 'a list of names') }
  return all.length === required.length
    ? undefined
    : { value: all, repair: 'had entries that are no names, or the same name twice' }
}

/**
 * Why validators of clients refuse a schema as a whole, as the rest of a sentence; undefined: they take it. They compile the output
 * schemas of all tools when they list them, so that one bad schema costs them the whole list (SDK v1).
 */
export function problemOfSchema(root: JsonObject): string | undefined {
  const open: Json[] = [root]
  const visited = new Set<Json>()
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next === 'boolean' || visited.has(next)) continue
    if (!isObject(next)) return `has ${kindName(next)} in place of a schema`
    visited.add(next)
    const { $id: id, $ref: reference } = next
    if (id !== undefined && next !== root) return `has the schema ${JSON.stringify(id)} within`
    const problem = problemOfOne(root, next)
    if (problem !== undefined) return problem
    open.push(...schemasWithin(next))
    if (typeof reference === 'string') open.push(targetOf(root, reference) ?? true)
  }
  return undefined
}

function schemasWithin(schema: JsonObject): Json[] {
  const maps = MAPS.flatMap((name) => Object.values(isObject(schema[name]) ? schema[name] : {}))
  return [...maps, ...[...LISTS, ...SCHEMAS, 'items'].flatMap((name) => schema[name] ?? [])]
}

function problemOfOne(root: JsonObject, schema: JsonObject): string | undefined {
  const { $ref: reference, type, pattern } = schema
  if (typeof reference === 'string' && targetOf(root, reference) === undefined)
    return `refers to ${reference}, which is not in it`
  if (type !== undefined && !isType(type)) return `has the type ${JSON.stringify(type)}`
  if (typeof pattern === 'string' && !isPattern(pattern)) return 'has a pattern that is no regular expression'
  const count = COUNTS.find((name) => typeof schema[name] === 'number' && !isCount(schema[name]))
  return count === undefined ? undefined : `has a ${count} that is no count`
}

const isType = (type: Json): boolean =>
  Array.isArray(type) ? type.length > 0 && type.every((name) => TYPES.has(name)) : TYPES.has(type)

const COUNTS = ['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'] as const
const isCount = (value: Json | undefined): boolean => Number.isSafeInteger(value) && Number(value) >= 0

/** Where a pointer into the schema itself leads (RFC 6901); undefined: nowhere. */
function targetOf(root: JsonObject, reference: string): Json | undefined {
  if (reference === '#') return root
  if (!reference.startsWith('#/')) return undefined
  let at: Json | undefined = root
  for (const part of reference.slice(2).split('/')) {
    const name = decodedOrUndefined(part)?.replaceAll('~1', '/').replaceAll('~0', '~')
    if (name === undefined || typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return undefined
    at = Array.isArray(at) ? at[Number(name)] : at[name]
  }
  return at
}

function decodedOrUndefined(part: string): string | undefined {
  try {
    return decodeURIComponent(part)
  } catch {
    return undefined
  }
}

function isPattern(text: string): boolean {
  try {
    return new RegExp(text, 'u') instanceof RegExp
  } catch {
    return false
  }
}
