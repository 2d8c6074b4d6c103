/** The names and texts of tools in a toolset: written into its settings, and checked before they are saved. */
import type { ToolsetSettings, ToolWords } from '@toolway/contract'
import { texts } from '../../texts/texts.ts'

/** As the contract has it (ToolWords). */
const NAME = /^[a-zA-Z](?:[a-zA-Z0-9-]|_(?!_)){0,63}$/
const OWN_TOOLS: ReadonlySet<string> = new Set(['search_tools', 'describe_tool', 'call_tool', 'read_result'])

export const wordsOf = ({ tools = {} }: ToolsetSettings, tool: string): ToolWords | undefined =>
  Object.hasOwn(tools, tool) ? tools[tool] : undefined

/** Sets the texts of a tool; empty ones fall back to its server's. */
export function withWords(settings: ToolsetSettings, tool: string, words: ToolWords): ToolsetSettings {
  const { tools = {}, ...rest } = settings
  const { [tool]: _, ...others } = tools
  const filled = Object.fromEntries(Object.entries(words).filter(([, word]) => word !== undefined && word !== ''))
  const next = Object.keys(filled).length === 0 ? others : { ...others, [tool]: filled }
  return Object.keys(next).length === 0 ? rest : { ...rest, tools: next }
}

/** Why a name cannot be given; undefined where it can. */
export function nameProblem(settings: ToolsetSettings, tool: string): string | undefined {
  const name = wordsOf(settings, tool)?.name
  const t = texts.toolsets.edit
  if (name === undefined) return undefined
  if (!NAME.test(name)) return t.nameWrong
  if (OWN_TOOLS.has(name)) return t.nameOwn
  const others = Object.entries(settings.tools ?? {}).filter(([other]) => other !== tool)
  return others.some(([, words]) => words.name === name) ? t.nameTaken : undefined
}

/** The first thing that keeps the settings from being saved. */
export function problemsOf(settings: ToolsetSettings): string | undefined {
  for (const tool of Object.keys(settings.tools ?? {})) {
    const problem = nameProblem(settings, tool)
    if (problem !== undefined) return `${tool}: ${problem}`
  }
  const { audience } = settings
  return audience !== undefined && Object.values(audience).every((item) => item === undefined || item.length === 0)
    ? texts.toolsets.audience.nobody
    : undefined
}
