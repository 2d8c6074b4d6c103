/**
 * The names by which clients know the tools of one connection (ledger U-08). Pure: a name that was given stays; a new tool gets
 * the name by the rule, or, where that is taken, one of its own. A name in use is never given to another tool.
 *
 * An alias is never the beginning of another alias with `__`, so that connections cannot take each other's names.
 */
import { joinName, joinNameApart } from '@toolway/protocol'

export interface GivenName {
  /** The server's own name. */
  readonly original: string
  readonly name: string
  /** It is what the rule gives, without regard to others. */
  readonly plain: boolean
}

/** The names of those that have none yet; `input` names everything that was ever named. */
export function giveNames(
  alias: string,
  input: readonly Pick<GivenName, 'original' | 'name'>[],
  originals: readonly string[],
): GivenName[] {
  const present = new Set(input.map(({ original }) => original))
  const taken = new Set(input.map(({ name }) => name))
  // In an order of their own, not the server's; and who needs no change goes before who does.
  const fresh = [...new Set(originals)]
    .filter((original) => !present.has(original))
    .toSorted((first, other) => rank(alias, first) - rank(alias, other) || (first < other ? -1 : 1))
  return fresh.map((original) => {
    const rule = joinName(alias, original)
    let name = rule
    for (let apart = original; taken.has(name); apart += '\u0000') name = joinNameApart(alias, apart)
    taken.add(name)
    return { original, name, plain: name === rule }
  })
}

const rank = (alias: string, original: string): number =>
  joinName(alias, original) === `${alias}__${original}` ? 0 : 1
