/**
 * Places in arguments, as rules name them: `limit`, `filters.custom.owner`, `items.*.amount` (contract, `ParameterPath`).
 *
 * Only own members are looked at, and nothing is changed in place: arguments belong to whoever sent them.
 */
import { isObject, type Json, type JsonObject } from '@toolway/protocol'

export type Path = readonly string[]

/** As `ParameterPath` writes it. */
export const textOf = (path: Path): string => path.map((name) => name.replaceAll(/[.\\]/g, '\\$&')).join('.')

/** Where a path leads in one value: which members lead there, and what stands there; undefined where nothing does. */
export interface Spot {
  readonly keys: readonly (string | number)[]
  readonly value: Json | undefined
}

const ELEMENTS = '*'

export const pathOf = (text: string): Path =>
  (text.match(/(?:[^.\\]|\\.)+/g) ?? []).map((part) => part.replaceAll(/\\(.)/g, '$1'))

/**
 * Each place that is there to hold a value: the last name may be missing, what it belongs to may not. Servers take one value for a
 * list of one, and a list where a value is meant: such shapes are looked into alike, unless the place is to be taken at its word.
 */
export function spotsOf(root: JsonObject, path: Path, exact = false): Spot[] {
  const [only] = path
  // Nearly all of them.
  if (path.length === 1 && only !== undefined && only !== ELEMENTS)
    return [{ keys: path, value: Object.hasOwn(root, only) ? root[only] : undefined }]
  let found: Spot[] = [{ keys: [], value: root }]
  for (const name of path) {
    const next: Spot[] = []
    for (const { keys, value } of found) {
      if (name === ELEMENTS && Array.isArray(value))
        value.forEach((element, at) => next.push({ keys: [...keys, at], value: element }))
      else if (name === ELEMENTS && !exact) next.push({ keys, value })
      else if (Array.isArray(value) && !exact)
        value.forEach((element, at) => {
          if (isObject(element))
            next.push({ keys: [...keys, at, name], value: Object.hasOwn(element, name) ? element[name] : undefined })
        })
      else if (isObject(value))
        next.push({ keys: [...keys, name], value: Object.hasOwn(value, name) ? value[name] : undefined })
    }
    found = next
  }
  return found
}

export const isPresent = (root: JsonObject, path: Path): boolean =>
  !isMissing(root, path) && spotsOf(root, path).some(({ value }) => value !== undefined)

/** Whether nothing stands there because the arguments have no such member at all: most calls leave out most of them. */
export function isMissing(root: JsonObject, [first]: Path): boolean {
  return first !== undefined && first !== ELEMENTS && !Object.hasOwn(root, first)
}

/** The same arguments with another value there; objects that are missing on the way are made. */
export function withValue(root: JsonObject, keys: readonly (string | number)[], value: Json): JsonObject {
  return set(root, keys, value) as JsonObject
}

function set(holder: Json | undefined, [key, ...rest]: readonly (string | number)[], value: Json): Json {
  if (key === undefined) return value
  if (typeof key === 'number') {
    const list = Array.isArray(holder) ? [...holder] : []
    list[key] = set(list[key], rest, value)
    return list
  }
  const own = isObject(holder) ? holder : {}
  const inner = set(Object.hasOwn(own, key) ? own[key] : undefined, rest, value)
  // Spread and computed key define an own member, whatever it is called.
  return { ...own, [key]: inner }
}

/** RFC 6901. */
export const pointerOf = (keys: readonly (string | number)[]): string =>
  keys.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
