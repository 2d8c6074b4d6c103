/** The filter and the order of the tools, as the address states them. */
import { SHOWN_EFFECTS } from '@toolway/contract'
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

export type ToolFilter = Pick<ToolsState, 'q' | 'effect' | 'connection' | 'state' | 'sort'>

/** As the gateway is asked, which finds, sorts and counts. */
export const queryOf = ({ q, effect, connection, state, sort }: ToolFilter) => ({
  ...(q.trim() === '' ? {} : { search: q.trim() }),
  ...{ effect, connection, state, sort },
})

export const isFiltered = ({ q, effect, connection, state }: ToolFilter): boolean =>
  q !== '' || effect !== undefined || connection !== undefined || state !== undefined

export const tokensOf = (tools: readonly Pick<OrganizationTool, 'tokens'>[]): number =>
  tools.reduce((sum, { tokens }) => sum + tokens, 0)
