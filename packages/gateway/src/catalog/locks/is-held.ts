/** Whether a tool that is another one now comes in by itself or is held, by the mode of its connection's lock. Pure. */
import { changesEffect, effectOf, type Effect, type EffectSpeakers, type LockMode } from '@toolway/contract'
import { canonicalJson, isObject, type Json, type JsonObject } from '@toolway/protocol'

/**
 * `before` is what was accepted; undefined for a tool that is new. A change of what a tool does, as far as anybody's word of it counts,
 * is held under every mode.
 */
export function isHeld(
  mode: LockMode,
  before: JsonObject | undefined,
  after: JsonObject,
  speakers: EffectSpeakers,
): boolean {
  if (before !== undefined && changesEffect(statedBy(before), statedBy(after), speakers)) return true
  if (mode === 'off') return false
  if (mode === 'all') return true
  if (before === undefined) return false
  return mode === 'additions' || !onlyWidens(before, after)
}

const statedBy = ({ annotations }: JsonObject): Effect => effectOf(annotations)

const SCHEMAS = new Set(['inputSchema', 'outputSchema'])

/** Whether nothing is another but schemas, and of these nothing but optional properties that are new. */
function onlyWidens(before: JsonObject, after: JsonObject): boolean {
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...names].every((name) =>
    SCHEMAS.has(name) ? widens(before[name], after[name]) : isSame(before[name], after[name]),
  )
}

function widens(before: Json | undefined, after: Json | undefined): boolean {
  if (isSame(before, after)) return true
  if (!isObject(before) || !isObject(after)) return false
  const { properties: had = {}, ...rest } = before
  const { properties: has = {}, ...others } = after
  // The list of required properties is part of the rest: a new property that is required makes the rest differ.
  if (!isObject(had) || !isObject(has) || !isSame(rest, others)) return false
  return Object.keys(had).every((name) => Object.hasOwn(has, name) && widens(had[name], has[name]))
}

const isSame = (definition: Json | undefined, other: Json | undefined): boolean =>
  definition === undefined || other === undefined
    ? definition === other
    : canonicalJson(definition) === canonicalJson(other)
