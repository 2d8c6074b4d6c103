/** Values with one or two of their members changed as careless programs change them. The same seed gives the same values. */
import { isObject, type Json } from '../../packages/protocol/src/json.ts'
import { WRONG } from './variants.ts'

type Random = () => number

/** Mulberry32: enough to choose by. */
function createRandom(seed: number): Random {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** Returns a function that makes another variation of a value at each call. */
export function createVaried(seed: number): (value: Json) => Json {
  const random = createRandom(seed)
  return (value) => {
    const once = change(value, random)
    return random() < 0.5 ? once : change(once, random)
  }
}

const pick = <Item>(items: readonly Item[], random: Random): Item => items[Math.floor(random() * items.length)] as Item

/** Goes down to a member at random, and changes it there. */
function change(value: Json, random: Random): Json {
  const size = Array.isArray(value) ? value.length : isObject(value) ? Object.keys(value).length : 0
  if (size === 0) return pick(WRONG, random)
  const goesDown = random() < 0.6
  if (Array.isArray(value)) return goesDown ? inList(value, random) : list(value, random)
  const entries = Object.entries(value as Record<string, Json>)
  const at = Math.floor(random() * entries.length)
  return Object.fromEntries(
    goesDown
      ? entries.map(([name, member], index) => [name, index === at ? change(member, random) : member])
      : members(entries, at, random),
  )
}

const inList = (items: readonly Json[], random: Random): Json => {
  const at = Math.floor(random() * items.length)
  return items.map((item, index) => (index === at ? change(item, random) : item))
}

function list(items: readonly Json[], random: Random): Json {
  const at = Math.floor(random() * items.length)
  switch (Math.floor(random() * 4)) {
    case 0:
      return items.toSpliced(at, 1)
    case 1:
      return items.with(at, pick(WRONG, random))
    case 2:
      return [...items, items[at] as Json]
    default:
      return items.toReversed()
  }
}

/** Drops, replaces, renames, repeats under another name, or reorders. */
function members(entries: readonly [string, Json][], at: number, random: Random): [string, Json][] {
  const [name, member] = entries[at] as [string, Json]
  switch (Math.floor(random() * 5)) {
    case 0:
      return entries.toSpliced(at, 1)
    case 1:
      return entries.with(at, [name, pick(WRONG, random)])
    case 2:
      return entries.with(at, [`${name}X`, member])
    case 3:
      return [...entries, [name.toUpperCase(), member]]
    default:
      return entries.toReversed()
  }
}
