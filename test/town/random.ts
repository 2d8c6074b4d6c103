/**
 * Chance that is the same each time: the town is made of it, so that two people who look at one town see the same rows. Not for
 * secrets.
 */
const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz'

export interface Chance {
  /** From 0 up to, and without, `below`. */
  under(below: number): number
  /** True in `share` of the cases, from 0 to 1. */
  yes(share: number): boolean
  of<Item>(items: readonly [Item, ...Item[]]): Item
  /** `prefix_` and 26 characters, sorted by `at`, as the gateway makes them. */
  id(prefix: string, at: number): string
  hex(length: number): string
}

/** Mulberry32 (Tommy Ettinger, 2017): 32 bits of state, good enough for rows. */
export function createChance(seed: number): Chance {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const under = (below: number) => Math.floor(next() * below)
  const digits = (count: number) => Array.from({ length: count }, () => DIGITS.charAt(under(32))).join('')
  return {
    under,
    yes: (share) => next() < share,
    of: (items) => items[under(items.length)] ?? items[0],
    id: (prefix, at) => `${prefix}_${timeDigits(at)}${digits(16)}`,
    hex: (length) => Array.from({ length }, () => under(16).toString(16)).join(''),
  }
}

function timeDigits(at: number): string {
  let text = ''
  for (let rest = Math.floor(at), place = 0; place < 10; place++, rest = Math.floor(rest / 32))
    text = DIGITS.charAt(rest % 32) + text
  return text
}
