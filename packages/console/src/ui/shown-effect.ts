/** The effect of a tool as screens show and filter it: one that no source that counts states is unknown, though rules treat it as a write. */
import type { Effect, EffectSource } from '@toolway/contract'

export type ShownEffect = Effect | 'unknown'

export const SHOWN_EFFECTS = ['read', 'write', 'destructive', 'unknown'] as const

export const shownEffectOf = (tool: { readonly effect: Effect; readonly effect_from: EffectSource }): ShownEffect =>
  tool.effect_from === 'unknown' ? 'unknown' : tool.effect
