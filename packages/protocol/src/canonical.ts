/**
 * One text for one JSON value, whoever wrote it and in whatever order (RFC 8785, JSON Canonicalization Scheme): for hashes.
 *
 * Members stand in the order of their names' UTF-16 code units, numbers and strings as ECMAScript writes them. A lone surrogate,
 * which the RFC leaves out, stays as its escape, so that two values never share a text. It never changes what it is given.
 */
import { isObject, type Json } from './json.ts'

/** The value comes from a parser that bounds how deep it nests. */
export function canonicalJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (!isObject(value)) return JSON.stringify(value)
  const members = membersOf(value).map(([name, inner]) => `${JSON.stringify(name)}:${canonicalJson(inner)}`)
  return `{${members.join(',')}}`
}

/** The members of an object in canonical order. */
export function membersOf(value: { [key: string]: Json }): [string, Json][] {
  // Names of one object are never equal.
  return Object.entries(value).toSorted(([item], [other]) => (item < other ? -1 : 1))
}
