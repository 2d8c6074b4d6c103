/** The filter and the order of the tools, as the address states them. */
import { SHOWN_EFFECTS, shownEffectOf } from '@toolway/contract'
import type { OrganizationTool } from '@toolway/contract/admin'
import { z } from 'zod'

export const ToolsState = z.object({
  view: z.enum(['list', 'preview']).default('list'),
  q: z.string().default(''),
  effect: z.enum(SHOWN_EFFECTS).optional(),
  connection: z.string().optional(),
  state: z.enum(['on', 'off', 'held', 'hidden']).optional(),
  sort: z.enum(['name', 'tokens', 'marks']).default('name'),
  tool: z.string().optional(),
})
export type ToolsState = z.output<typeof ToolsState>

const PLIGHT = { connection: 'hidden', switch: 'off', hold: 'held', rule: 'hidden' } as const

export const plightOf = ({ hidden_by: by }: Pick<OrganizationTool, 'hidden_by'>) => (by === null ? 'on' : PLIGHT[by])

export type ToolFilter = Pick<ToolsState, 'q' | 'effect' | 'connection' | 'state' | 'sort'>

export function shownTools(
  tools: readonly OrganizationTool[],
  { q, effect, connection, state, sort }: ToolFilter,
): readonly OrganizationTool[] {
  const sought = q.trim().toLowerCase()
  const found = tools.filter(
    (tool) =>
      (effect === undefined || shownEffectOf(tool) === effect) &&
      (connection === undefined || tool.alias === connection) &&
      (state === undefined || plightOf(tool) === state) &&
      (sought === '' || says(tool, sought)),
  )
  if (sort === 'tokens') return found.toSorted((one, other) => other.tokens - one.tokens)
  if (sort === 'marks') return found.toSorted((one, other) => other.marks.length - one.marks.length)
  return found
}

const says = ({ joined_name: joined, name, title, description }: OrganizationTool, sought: string): boolean =>
  [joined, name, title, description].some((text) => text?.toLowerCase().includes(sought) === true)

export const isFiltered = ({ q, effect, connection, state }: ToolFilter): boolean =>
  q !== '' || effect !== undefined || connection !== undefined || state !== undefined

export const tokensOf = (tools: readonly Pick<OrganizationTool, 'tokens'>[]): number =>
  tools.reduce((sum, { tokens }) => sum + tokens, 0)
