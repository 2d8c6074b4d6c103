/**
 * The places of a tool's arguments that take a stored file, by the marks in its input schema, and what stands there in a call. Pure.
 */
import { isObject, type Json, type JsonObject } from '@toolway/protocol'

/** Names from the top; `*` stands for the items of a list. */
export type FilePlace = readonly string[]

/** The gateway's own mark, and Composio's. */
const MARKS = ['x-toolway-file', 'file_uploadable'] as const
const DEEPEST = 12
/** Nodes of a schema that are looked at. */
const MOST_NODES = 5_000

export const isFileMark = (schema: JsonObject): boolean => MARKS.some((mark) => schema[mark] === true)

/** Undefined for a tool that takes no files. */
export function filePlacesOf(schema: unknown): readonly FilePlace[] | undefined {
  if (!isObject(schema)) return undefined
  const root = schema
  const places = new Map<string, FilePlace>()
  let nodes = 0
  const walk = (node: unknown, at: FilePlace, depth: number): void => {
    if (!isObject(node) || depth > DEEPEST || ++nodes > MOST_NODES) return
    if (isFileMark(node)) return void places.set(JSON.stringify(at), at)
    const { properties, items, anyOf, oneOf, allOf, $ref: reference } = node
    if (isObject(properties))
      for (const [name, value] of Object.entries(properties)) walk(value, [...at, name], depth + 1)
    walk(items, [...at, '*'], depth + 1)
    for (const list of [anyOf, oneOf, allOf])
      if (Array.isArray(list)) for (const value of list) walk(value, at, depth + 1)
    if (typeof reference === 'string') walk(definitionAt(root, reference), at, depth + 1)
  }
  walk(root, [], 0)
  return places.size === 0 ? undefined : [...places.values()]
}

function definitionAt(root: JsonObject, reference: string): Json | undefined {
  const match = /^#\/(\$defs|definitions)\/([^/]+)$/.exec(reference)
  const group = match?.[1] === undefined ? undefined : root[match[1]]
  return isObject(group) ? group[match?.[2] ?? ''] : undefined
}

export interface PlacedValue {
  /** JSON Pointer into the arguments (RFC 6901). */
  readonly place: string
  readonly value: Json
}

/** The values that stand at the places; at most so many of them. */
export function valuesAt(input: JsonObject, places: readonly FilePlace[], most: number): PlacedValue[] {
  const found: PlacedValue[] = []
  const walk = (value: Json | undefined, [name, ...rest]: FilePlace, at: string): void => {
    if (value === undefined || value === null || found.length >= most) return
    if (name === undefined) return void found.push({ place: at, value })
    if (name === '*') {
      if (Array.isArray(value)) value.forEach((item, index) => walk(item, rest, `${at}/${index}`))
    } else if (isObject(value) && Object.hasOwn(value, name)) walk(value[name], rest, `${at}/${escapePointer(name)}`)
  }
  for (const place of places) walk(input, place, '')
  return found
}

const escapePointer = (name: string) => name.replaceAll('~', '~0').replaceAll('/', '~1')

/** The same arguments with other values at the places, for whoever sends something else than the caller wrote. */
export async function replaceAt(
  input: JsonObject,
  places: readonly FilePlace[],
  replace: (value: Json) => Promise<Json>,
): Promise<JsonObject> {
  const walk = async (value: Json, [name, ...rest]: FilePlace): Promise<Json> => {
    if (name === undefined) return replace(value)
    if (name === '*') return Array.isArray(value) ? Promise.all(value.map((item) => walk(item, rest))) : value
    const inner = isObject(value) ? value[name] : undefined
    if (!isObject(value) || !Object.hasOwn(value, name) || inner === undefined || inner === null) return value
    return { ...value, [name]: await walk(inner, rest) }
  }
  let made: Json = input
  for (const place of places) made = await walk(made, place)
  return isObject(made) ? made : input
}
