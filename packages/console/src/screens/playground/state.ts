/** The part of a call that is in the address: the endpoint, the tool, the client; its arguments where they may be shared. */
import { z } from 'zod'
import { ALL_ABILITIES } from '../../parts/call/tools.ts'
import type { Abilities } from '../../parts/call/mcp/exchange.ts'

export const PlaygroundState = z.object({
  connection: z.string().optional(),
  toolset: z.string().optional(),
  tool: z.string().optional(),
  args: z.string().default('{}'),
  era: z.enum(['modern', 'legacy']).default('modern'),
  /** The capabilities that the client lacks. */
  without: z.string().default(''),
})
export type PlaygroundState = z.output<typeof PlaygroundState>

const NAMES = ['forms', 'pages', 'tasks'] as const satisfies readonly (keyof Abilities)[]

export function abilitiesOf(without: string): Abilities {
  const lacking = new Set(without.split('.'))
  return Object.fromEntries(
    NAMES.map((name) => [name, ALL_ABILITIES[name] && !lacking.has(name)]),
  ) as unknown as Abilities
}

export const withoutOf = (able: readonly string[]): string => NAMES.filter((name) => !able.includes(name)).join('.')
export const ableOf = (abilities: Abilities): string[] => NAMES.filter((name) => abilities[name])
