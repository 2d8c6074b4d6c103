/**
 * Earlier names by which a tool can still be called: found by a call, never listed. Rules and switches of the tool apply
 * whichever name a call uses.
 */
import { kindOf } from '@toolway/contract'
import { isObject, joinName, type JsonObject } from '@toolway/protocol'

/** The facts of a contract in a tool's `_meta`; only kinds with old names are believed them. */
const CONTRACT = 'dev.toolway/contract'

interface Listed {
  readonly from: { readonly alias: string; readonly connector?: string }
  readonly definition: JsonObject
}

const NONE: ReadonlyMap<string, string> = new Map()

/** From an old name, as the endpoint's clients say it, to the one that the tool is listed under; none is another tool's name. */
export function oldNames(tools: ReadonlyMap<string, Listed>, joined: boolean): ReadonlyMap<string, string> {
  const found = [...tools].flatMap(([name, { from, definition }]) =>
    earlierNames(from.connector, definition).map(
      (alias) => [joined ? joinName(from.alias, alias) : alias, name] as const,
    ),
  )
  return found.length === 0 ? NONE : new Map(found.filter(([alias]) => !tools.has(alias)))
}

/** As its server would say them. */
export const earlierNames = (connector: string | undefined, definition: JsonObject): readonly string[] =>
  kindOf(connector)?.oldNames === true ? aliasesOf(definition) : NO_NAMES

const NO_NAMES: readonly string[] = []

function aliasesOf({ _meta: meta }: JsonObject): string[] {
  const contract = isObject(meta) ? meta[CONTRACT] : undefined
  const aliases = isObject(contract) ? contract['aliases'] : undefined
  return Array.isArray(aliases) ? aliases.filter((alias) => typeof alias === 'string') : []
}
