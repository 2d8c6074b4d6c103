/**
 * The names and descriptions that an endpoint gives single tools in place of their servers' own. Rules, switches, limits and
 * records use a tool's own name in any case.
 */
import type { ToolWords } from '@toolway/contract'
import type { JsonObject } from '@toolway/protocol'

export interface Renamed<Tool> {
  /** In their order, each under the name that it has now. */
  readonly tools: Map<string, Tool>
  /** From the name that it had to the one that it has. */
  readonly names: ReadonlyMap<string, string>
}

/** A name is given where no tool has it; else the tool keeps its own. */
export function renamed<Tool>(
  tools: ReadonlyMap<string, Tool>,
  wordsOf: (tool: Tool) => ToolWords | undefined,
): Renamed<Tool> {
  const names = new Map<string, string>()
  const given = new Set<string>()
  const next = Array.from(tools, ([name, tool]) => {
    const wanted = wordsOf(tool)?.name
    if (wanted === undefined || tools.has(wanted) || given.has(wanted)) return [name, tool] as const
    given.add(wanted)
    names.set(name, wanted)
    return [wanted, tool] as const
  })
  return { tools: new Map(next), names }
}

export function worded(definition: JsonObject, words: ToolWords | undefined): JsonObject {
  if (words === undefined) return definition
  const { title, description } = words
  return {
    ...definition,
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
  }
}
