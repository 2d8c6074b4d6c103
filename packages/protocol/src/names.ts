/**
 * The names under which several connections stand side by side on one endpoint (ledger U-08, specification 2026-07-28:
 * aggregators prefix with an id of their own).
 *
 * `alias__tool` for tools and prompts, at most 64 characters of A-Z a-z 0-9 _ -; whatever had to be changed to fit carries
 * six hex digits of a hash of the original, so that two originals never meet. The way back is the caller's stored map,
 * not a parse: a tool's own name may contain `__`.
 */
const MAX_LENGTH = 64
const HASH_LENGTH = 6
const UNFIT = /[^A-Za-z0-9_-]/g

/** 32-bit FNV-1a (http://www.isthe.com/chongo/tech/comp/fnv/), of which six hex digits are kept: stable, not secret. */
export function shortHash(text: string): string {
  let hash = 0x811c9dc5
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0
  return hash.toString(16).padStart(8, '0').slice(-HASH_LENGTH)
}

const suffixName = (name: string, original: string): string =>
  `${name.slice(0, MAX_LENGTH - HASH_LENGTH - 1)}_${shortHash(original)}`

/** The joined name of one tool. Pure: the same pair gives the same name in every process. */
export function joinName(alias: string, name: string): string {
  const original = `${alias}__${name}`
  const fit = original.replace(UNFIT, '_')
  return fit === original && fit.length <= MAX_LENGTH ? fit : suffixName(fit, original)
}

/** The name for the later of two originals that would otherwise share one (`a` + `b__c` and `a__b` + `c`). */
export const joinNameApart = (alias: string, name: string): string =>
  suffixName(joinName(alias, name), `${alias}\u0000${name}`)
