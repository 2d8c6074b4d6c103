/**
 * The effect of a call, its source, and the limit of a key or a token (ledger U-07).
 *
 * Every tool has one effect; a tool that states none counts as a write. A limit of `read` reaches tools that read, `write` those
 * that write too, `execute` all of them. One rule holds for limits, rules and approvals alike: the hint of a server that is not
 * trusted can only make a tool more dangerous (MCP 2026-07-28, tool annotations are untrusted).
 */
export const EFFECTS = ['read', 'write', 'destructive'] as const
export type Effect = (typeof EFFECTS)[number]

export const LIMITS = ['read', 'write', 'execute'] as const
export type Limit = (typeof LIMITS)[number]

export const reaches = (limit: Limit, effect: Effect): boolean => LIMITS.indexOf(limit) >= EFFECTS.indexOf(effect)

/** The narrower of two limits. */
export const lesserLimit = (limit: Limit, other: Limit): Limit =>
  LIMITS.indexOf(limit) < LIMITS.indexOf(other) ? limit : other

/** The effect that a definition states by its annotations (MCP 2026-07-28, tool annotations); what is not stated is a write. */
export function effectOf(annotations: unknown): Effect {
  if (typeof annotations !== 'object' || annotations === null) return 'write'
  const { readOnlyHint, destructiveHint } = annotations as { readOnlyHint?: unknown; destructiveHint?: unknown }
  if (readOnlyHint === true) return 'read'
  return destructiveHint === true ? 'destructive' : 'write'
}

/** Whether annotations state an effect at all. */
export const statesEffect = (annotations: unknown): boolean =>
  typeof annotations === 'object' &&
  annotations !== null &&
  ['readOnlyHint', 'destructiveHint'].some(
    (hint) => typeof (annotations as Record<string, unknown>)[hint] === 'boolean',
  )

/**
 * The source of a tool's effect: an administrator; the definition of its connection (an HTTP method, a contract); its server,
 * where it is trusted or states that the tool is destructive; or none that counts, and then it is a write.
 */
export const EFFECT_SOURCES = ['administrator', 'connector', 'server', 'unknown'] as const
export type EffectSource = (typeof EFFECT_SOURCES)[number]

/** The effect of a tool as people see and filter it: one that no source that counts states is unknown, though rules treat it as a write. */
export const SHOWN_EFFECTS = [...EFFECTS, 'unknown'] as const
export type ShownEffect = (typeof SHOWN_EFFECTS)[number]

export const shownEffectOf = <Stated extends string>(tool: {
  readonly effect: Stated
  readonly effect_from?: EffectSource | null | undefined
}): Stated | 'unknown' => (tool.effect_from === 'unknown' ? 'unknown' : tool.effect)

export interface ResolvedEffect {
  readonly effect: Effect
  readonly from: EffectSource
}
