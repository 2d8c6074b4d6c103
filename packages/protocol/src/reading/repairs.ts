/**
 * Repairs of what a server sends: each changes one member of a copy and is noted with its place and its reason, so that whoever shows
 * the server can say what was wrong with it. A value without a fault is returned as it is, the very object.
 */
import { isObject, type Json, type JsonObject } from '../json.ts'

/** `place: what was wrong and what was done`. */
export type Repairs = string[]

/** A value that differs from the one that came; undefined: the member is left out. */
export interface Change {
  readonly name: string
  readonly value: Json | undefined
  readonly repair: string
}

/** Where in a definition something stands (`inputSchema/properties/city`); the empty text is the definition itself. */
export const placeOf = (place: string, name: string | number): string =>
  place === '' ? String(name) : `${place}/${name}`

/** A copy with these members changed, in their order; the same object where there are none. */
export function withChanges(
  value: JsonObject,
  place: string,
  changes: readonly Change[],
  repairs: Repairs,
): JsonObject {
  if (changes.length === 0) return value
  const copy = { ...value }
  for (const { name, value: next, repair } of changes) {
    repairs.push(`${placeOf(place, name)} ${repair}`)
    if (next === undefined) delete copy[name]
    else Object.defineProperty(copy, name, { value: next, enumerable: true, writable: true, configurable: true })
  }
  return copy
}

/** The kinds of a member that clients check. */
export type Kind = 'text' | 'number' | 'integer' | 'boolean' | 'object' | 'list'

const KINDS: Readonly<Record<Kind, (value: Json) => boolean>> = {
  text: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number' && Number.isFinite(value),
  integer: (value) => Number.isSafeInteger(value),
  boolean: (value) => typeof value === 'boolean',
  object: isObject,
  list: Array.isArray,
}

export const isOf = (kind: Kind, value: Json): boolean => KINDS[kind](value)

/** Optional members that are of another kind are left out: `null` is how many languages write that there is none. */
export function dropUnfit(value: JsonObject, kinds: Readonly<Record<string, Kind>>): Change[] {
  const changes: Change[] = []
  for (const name in kinds) {
    const member = value[name]
    const kind = kinds[name]
    if (member === undefined || kind === undefined || isOf(kind, member)) continue
    changes.push({ name, value: undefined, repair: leftOut(member, NAMES[kind]) })
  }
  return changes
}

export const NAMES: Readonly<Record<Kind, string>> = {
  text: 'a text',
  number: 'a number',
  integer: 'an integer',
  boolean: 'true or false',
  object: 'an object',
  list: 'a list',
}

export const leftOut = (found: Json, requested: string): string =>
  `was ${kindName(found)}, not ${requested}, and is left out`

/** What a value is, in a sentence. */
export function kindName(value: Json | undefined): string {
  if (value === undefined) return 'missing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list'
  if (typeof value === 'object') return 'an object'
  return typeof value === 'string' ? 'a text' : typeof value === 'number' ? 'a number' : String(value)
}

/** Returns the value, a changed one, or undefined where nothing of it can be used. */
export type Reader = (value: Json, place: string, repairs: Repairs) => Json | undefined

export function readMember(item: JsonObject, name: string, read: Reader, repairs: Repairs): JsonObject {
  const value = item[name]
  if (value === undefined) return item
  const made = read(value, name, repairs)
  if (made === value) return item
  const { [name]: _, ...rest } = item
  return made === undefined ? rest : { ...item, [name]: made }
}

/** A list without the entries that cannot be read. */
export function readEntries(
  value: Json,
  place: string,
  repairs: Repairs,
  read: (entry: Json, place: string) => Json | undefined,
): Json {
  if (!Array.isArray(value)) return value
  const made = value.flatMap((entry, at) => {
    const entryPlace = `${place}/${at}`
    const entryRead = read(entry, entryPlace)
    if (entryRead !== undefined) return [entryRead]
    repairs.push(`${entryPlace} could not be read and is left out`)
    return []
  })
  return made.length !== value.length || made.some((entry, at) => entry !== value[at]) ? made : value
}
