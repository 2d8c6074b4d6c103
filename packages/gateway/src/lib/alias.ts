/**
 * Derives a connection's alias from the name a client used, unlike every alias taken before it: the second of a name gets `_2`. The
 * same file gives the same aliases in the same order.
 */
import { ALIAS_LENGTH, aliasOf } from '@toolway/contract'

/** Gives out aliases; one allotment per file. */
export function createAliasAllotment(taken: Iterable<string> = []) {
  const used = new Set(taken)
  return (name: string): string => {
    const plain = aliasOf(name)
    let alias = plain
    for (let next = 2; used.has(alias); next += 1) {
      const ending = `_${next}`
      alias = plain.slice(0, ALIAS_LENGTH - ending.length).replace(/[-_]+$/, '') + ending
    }
    used.add(alias)
    return alias
  }
}
