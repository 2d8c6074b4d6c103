/**
 * The effect of each tool in a list, for clients of ours that show it: `tools/list` with `_meta: {"dev.toolway/effects": true}` is answered
 * with `_meta: {"dev.toolway/effect": {"effect": …, "from": …}}` in each tool. Annotations are claims of a server; this is what rules and
 * approvals go by. Lists of clients that do not ask are as they were.
 */
import { z } from 'zod'
import { EFFECT_SOURCES, EFFECTS } from './effects.ts'

/** In the `_meta` of a request: whoever lists wants them. */
export const WANTS_EFFECTS = 'dev.toolway/effects'
/** In the `_meta` of a tool. */
export const TOOL_EFFECT = 'dev.toolway/effect'

export const ToolEffect = z.object({ effect: z.enum(EFFECTS), from: z.enum(EFFECT_SOURCES) })
export type ToolEffect = z.output<typeof ToolEffect>

/** Undefined where a list has none: of a tool of the gateway's own, and in that of an older gateway. */
export function toolEffectIn(meta: unknown): ToolEffect | undefined {
  const effect = typeof meta === 'object' && meta !== null ? (meta as Record<string, unknown>)[TOOL_EFFECT] : undefined
  return ToolEffect.safeParse(effect).data
}
