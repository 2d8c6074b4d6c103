/**
 * The names and descriptions that an endpoint gives its tools in place of their servers' own: to single ones by words, to all by a
 * naming. Rules, switches, limits and records use a tool's own name in any case.
 */
import { OWN_TOOLS, type Naming, type ToolWords } from '@toolway/contract'
import { joinName, joinNameApart, type JsonObject } from '@toolway/protocol'

export interface Renamed<Tool> {
  /** In their order, each under the name that it has now. */
  readonly tools: Map<string, Tool>
  /** From the name that it had to the one that it has. */
  readonly names: ReadonlyMap<string, string>
}

interface NameChoice<Tool> {
  readonly naming: Naming
  readonly wordsOf: ((tool: Tool) => ToolWords | undefined) | undefined
  /** The name that its server gave the tool. */
  readonly ownName: (tool: Tool) => string
}

/** A name is given where no tool has it; else the tool keeps its own. A name of single words counts for more than the naming. */
export function renameTools<Tool>(
  tools: ReadonlyMap<string, Tool>,
  { naming, wordsOf, ownName }: NameChoice<Tool>,
): Renamed<Tool> {
  const names = new Map<string, string>()
  const taken = new Set<string>()
  const counts = naming === 'plain' ? countNames(tools, ownName) : undefined
  const next = Array.from(tools, ([name, tool]) => {
    const newName = wordsOf?.(tool)?.name ?? nameBy(naming, name)
    if (newName === undefined || tools.has(newName) || taken.has(newName)) return [name, tool] as const
    taken.add(newName)
    names.set(name, newName)
    return [newName, tool] as const

    function nameBy(style: Naming, joined: string): string | undefined {
      if (style === 'mcp') return agentName(joined, tools)
      return counts?.get(ownName(tool)) === 1 ? plainName(ownName(tool)) : undefined
    }
  })
  return { tools: new Map(next), names }
}

/** Which of two tools came first decides nothing: a name that two of them have leads to neither. */
function countNames<Tool>(tools: ReadonlyMap<string, Tool>, ownName: (tool: Tool) => string): Map<string, number> {
  const counts = new Map<string, number>()
  for (const tool of tools.values()) counts.set(ownName(tool), (counts.get(ownName(tool)) ?? 0) + 1)
  return counts
}

/** Undefined for a name that clients could refuse, that is a tool of the gateway itself, or that looks like one of a connection. */
const plainName = (name: string): string | undefined =>
  /^[\w-]{1,64}$/.test(name) && !name.includes('__') && !OWN_TOOLS.has(name) ? name : undefined

/** `mcp__server__tool` (ledger S4-SRV-03), of at most 64 characters; a name that a tool has already gets a hash. */
function agentName(joined: string, tools: ReadonlyMap<string, unknown>): string {
  const name = joinName('mcp', joined)
  return tools.has(name) ? joinNameApart('mcp', joined) : name
}

export function withToolWords(definition: JsonObject, words: ToolWords | undefined): JsonObject {
  if (words === undefined) return definition
  const { title, description } = words
  return {
    ...definition,
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
  }
}
