/**
 * Members of JSON by their paths: kept, redacted, and lists cut to a number of rows. Nothing is changed in place.
 *
 * Paths are those of rules (`items.*.id`). Paths to hide match more widely than paths to show: a list on the path needs no `*`,
 * and a `*` matches the members of an object too.
 */
import { isObject, type Json, type JsonObject } from '@toolway/protocol'
import type { Path } from '../../lib/parameter-path.ts'
import { UNFIT } from '../../upstreams/contract/contract-tool.ts'

const EACH = '*'
export const REDACTED = '[redacted]'

/** Paths as a tree; `whole` ends one. */
interface Branch {
  whole: boolean
  readonly below: Map<string, Branch>
}
const branch = (): Branch => ({ whole: false, below: new Map() })

function treeOf(paths: readonly Path[]): Branch {
  const root = branch()
  for (const path of paths) {
    let at = root
    for (const name of path) {
      const next = at.below.get(name) ?? branch()
      at.below.set(name, next)
      at = next
    }
    at.whole = true
  }
  return root
}

/**
 * The wrappers that a value may have: `result` for clients of the legacy era (`adaptResult`), and a member of the gateway's where
 * an answer does not match its contract. Paths refer to the value within.
 */
function wrappingOf(value: Json): { readonly inner: Json; wrap(inner: Json): Json } | undefined {
  if (!isObject(value)) return undefined
  const { [UNFIT]: unfit, result } = value
  if (isObject(unfit) && unfit['value'] !== undefined)
    return { inner: unfit['value'], wrap: (inner) => ({ ...value, [UNFIT]: { ...unfit, value: inner } }) }
  if (result === undefined || Object.keys(value).length !== 1) return undefined
  return { inner: result, wrap: (inner) => ({ result: inner }) }
}

/** Only what the paths lead to, in the objects and lists around it. */
export const selectMembers = (value: Json, paths: readonly Path[]): Json => selectWithin(value, treeOf(paths)) ?? {}

function selectWithin(value: Json, tree: Branch): Json | undefined {
  const kept = select(value, tree)
  const wrapping = kept === undefined ? wrappingOf(value) : undefined
  const inner = wrapping === undefined ? undefined : selectWithin(wrapping.inner, tree)
  return inner === undefined ? kept : wrapping?.wrap(inner)
}

function select(value: Json, tree: Branch): Json | undefined {
  if (tree.whole) return value
  if (Array.isArray(value)) {
    const each = tree.below.get(EACH)
    return each === undefined ? undefined : value.flatMap((item) => select(item, each) ?? [])
  }
  if (!isObject(value)) return undefined
  const kept: [string, Json][] = []
  for (const [name, below] of tree.below) {
    const member = Object.hasOwn(value, name) ? value[name] : undefined
    const inner = member === undefined ? undefined : select(member, below)
    if (inner !== undefined) kept.push([name, inner])
  }
  return kept.length === 0 ? undefined : Object.fromEntries(kept)
}

/** The same value where nothing was found. */
export function redactMembers(value: Json, paths: readonly Path[]): Json {
  return paths.length === 0 ? value : redactWithin(value, treeOf(paths))
}

function redactWithin(value: Json, tree: Branch): Json {
  const made = redact(value, [tree])
  const wrapping = wrappingOf(made)
  if (wrapping === undefined) return made
  const inner = redactWithin(wrapping.inner, tree)
  return inner === wrapping.inner ? made : wrapping.wrap(inner)
}

function redact(value: Json, trees: readonly Branch[]): Json {
  if (trees.length === 0) return value
  if (trees.some(({ whole }) => whole)) return REDACTED
  if (Array.isArray(value)) {
    // A list on the way is gone through, with `*` or without.
    const inner = [...new Set([...trees, ...trees.flatMap(({ below }) => below.get(EACH) ?? [])])]
    return changed(value, (item) => redact(item, inner))
  }
  if (!isObject(value)) return value
  let copy: JsonObject | undefined
  for (const [name, member] of Object.entries(value)) {
    const next = trees.flatMap(({ below }) =>
      [below.get(name) ?? [], name === EACH ? [] : (below.get(EACH) ?? [])].flat(),
    )
    const made = redact(member, next)
    if (made === member) continue
    copy ??= { ...value }
    Object.defineProperty(copy, name, { value: made, enumerable: true, writable: true, configurable: true })
  }
  return copy ?? value
}

const changed = (list: Json[], change: (item: Json) => Json): Json[] => {
  const made = list.map(change)
  return made.some((item, at) => item !== list[at]) ? made : list
}

export interface Rows {
  readonly value: Json
  /** Rows of the longest list that was cut; undefined where none was. */
  readonly of: number | undefined
}

/** Lists with no more than so many rows, wherever they are. The same value where none was longer. */
export function capRows(value: Json, most: number): Rows {
  let of: number | undefined
  function cap(inner: Json): Json {
    if (Array.isArray(inner)) {
      if (inner.length > most) of = Math.max(of ?? 0, inner.length)
      const values = inner.length > most ? inner.slice(0, most) : inner
      return changed(values, cap)
    }
    if (!isObject(inner)) return inner
    let copy: JsonObject | undefined
    for (const [name, member] of Object.entries(inner)) {
      const made = cap(member)
      if (made === member) continue
      copy ??= { ...inner }
      Object.defineProperty(copy, name, { value: made, enumerable: true, writable: true, configurable: true })
    }
    return copy ?? inner
  }
  return { value: cap(value), of }
}

/** The longest list in it; 0 where there is none. */
export function longestList(value: Json): number {
  if (Array.isArray(value)) return value.reduce<number>((most, item) => Math.max(most, longestList(item)), value.length)
  if (!isObject(value)) return 0
  return Object.values(value).reduce<number>((most, member) => Math.max(most, longestList(member)), 0)
}
