/** The effect of a tool that counts, of those that its definition, its server and an administrator state. */
import type { Effect, ResolvedEffect } from './effects.ts'
import { kindOf } from './kinds/kinds.ts'

export interface EffectSpeakers {
  /** The kind of the connection. */
  readonly connector: string | undefined
  /** Whether what its server says of effects is believed. */
  readonly trusted: boolean
  /** The effect that an administrator set for this tool. */
  readonly said?: Effect | undefined
  /** Whether the definition states an effect at all; absent: a write counts as one that nothing states. */
  readonly isStated?: boolean | undefined
}

/** The effect that counts; `stated` is the one that the definition states. */
export function resolveEffect(stated: Effect, speakers: EffectSpeakers): ResolvedEffect {
  const { connector, trusted, said: chosen, isStated = stated !== 'write' } = speakers
  if (chosen !== undefined) return { effect: chosen, from: 'administrator' }
  const kind = kindOf(connector)
  const isOpen = kind?.leavesEffectsOpen === true && !isStated && !trusted
  if (kind?.described === true && !isOpen) return { effect: stated, from: 'connector' }
  if (trusted || stated === 'destructive') return { effect: stated, from: 'server' }
  return { effect: 'write', from: 'unknown' }
}

/**
 * Whether a tool would do something else than it did, by all that counts; what an administrator said was said of what stood there. Some
 * descriptions change by the act of an administrator alone.
 */
export function changesEffect(before: Effect, after: Effect, speakers: EffectSpeakers): boolean {
  if (kindOf(speakers.connector)?.changedByAdministrators === true) return false
  if (speakers.said !== undefined) return before !== after
  return resolveEffect(before, speakers).effect !== resolveEffect(after, speakers).effect
}
