/** What clamps, locks and rejections do to single values of arguments. */
import { kindOf, type Rule, type RuleRef } from '@toolway/contract'
import { isObject, type Json, type JsonObject } from '@toolway/protocol'
import { pointerOf, spotsOf, withValue, type Path } from '../lib/parameter-path.ts'
import type { Bounds, Change, ReadRule } from './verdict.ts'

export const refOf = ({ id, name, scope, action, reason }: Rule): RuleRef => ({ id, name, scope, action, reason })

/** What is fixed replaces whatever the caller said; its value is told to nobody. */
export function lockValue({ rule, path }: ReadRule, args: JsonObject, changes: Change[]): JsonObject {
  if (rule.action !== 'lock' || path === undefined) return args
  const { value, as } = rule.parameters
  const spots = path.includes('*') ? spotsOf(args, path) : [{ keys: path, value: valueAt(args, path) }]
  let next = args
  for (const { keys, value: from } of spots) {
    if (as === 'default' ? from !== undefined : same(from, value)) continue
    next = withValue(next, keys, value)
    const how = as === 'default' ? 'defaulted' : 'fixed'
    changes.push({ place: pointerOf(keys), how, from, to: value, rule: refOf(rule) })
  }
  return next
}

/**
 * The stricter of the rule and of the tool's own schema; of a lower and an upper bound that contradict one another, the upper holds.
 * What is no number is left for the schema to refuse (ledger U-06).
 */
export function clampValue(
  { rule, path }: ReadRule,
  args: JsonObject,
  changes: Change[],
  own: Bounds = {},
): JsonObject {
  if (rule.action !== 'clamp' || path === undefined) return args
  const { min, max, default: otherwise } = rule.parameters
  let next = args
  for (const { keys, value: from } of spotsOf(args, path)) {
    const given = from === undefined ? (otherwise as Json | undefined) : from
    if (given === undefined) continue
    const to = typeof given === 'number' ? bounded(given, { min, max }, own) : given
    if (same(from, to)) continue
    next = withValue(next, keys, to)
    const how = from === undefined ? 'defaulted' : 'clamped'
    changes.push({ place: pointerOf(keys), how, from, to, rule: refOf(rule) })
  }
  return next
}

/**
 * Where a number is meant and something else stands: a server may make a number of it after all, so that what nobody checks before it
 * leaves is refused; undefined where there is nothing of the kind.
 */
export function unboundedOf(
  { rule, path }: ReadRule,
  args: JsonObject,
  { counts }: Bounds,
  connector: string,
): { readonly place: string; readonly problem: string } | undefined {
  if (rule.action !== 'clamp' || path === undefined || counts !== true) return undefined
  // Arguments of a described tool are checked by its schema before they leave.
  if (kindOf(connector)?.described === true) return undefined
  const { min, max } = rule.parameters
  if (min === undefined && max === undefined) return undefined
  const spot = spotsOf(args, path).find(
    ({ value }) => value !== undefined && value !== null && typeof value !== 'number',
  )
  return spot === undefined ? undefined : { place: pointerOf(spot.keys), problem: 'it must be a number' }
}

function bounded(given: number, { min, max }: Bounds, own: Bounds): number {
  const lower = min === undefined ? undefined : Math.max(min, own.min ?? min)
  const upper = max === undefined ? undefined : Math.min(max, own.max ?? max)
  let value = given
  if (lower !== undefined) value = Math.max(value, own.integer === true ? Math.ceil(lower) : lower)
  if (upper !== undefined) value = Math.min(value, own.integer === true ? Math.floor(upper) : upper)
  return value
}

/** Why a rule does not allow these arguments, and where; undefined where it does. */
export function rejectionOf(
  { rule, path, pattern, problem }: ReadRule,
  args: JsonObject,
): { readonly place: string; readonly problem: string } | undefined {
  if (rule.action !== 'reject') return undefined
  if (problem !== undefined) return { place: '/', problem: 'the rule cannot be read' }
  // Without a place it is its condition that says what is not allowed.
  if (path === undefined) return { place: '/', problem: 'these arguments are not allowed' }
  const { min, max, in: allowed } = rule.parameters
  const bare = min === undefined && max === undefined && allowed === undefined && pattern === undefined
  for (const { keys, value } of spotsOf(args, path)) {
    if (value === undefined) continue
    const place = pointerOf(keys)
    if (bare) return { place, problem: 'it may not be said' }
    if (allowed?.some((one) => same(one, value)) === false)
      return {
        place,
        problem: `it must be one of ${allowed
          .map((one) => JSON.stringify(one))
          .join(', ')
          .slice(0, 200)}`,
      }
    // What is no number has no bounds, and what is no text fits no pattern: a rule that bounds it does not let it through.
    if (max !== undefined && !(typeof value === 'number' && value <= max))
      return {
        place,
        problem:
          typeof value === 'number'
            ? `${value} exceeds the allowed maximum of ${max}`
            : `it must be a number of at most ${max}`,
      }
    if (min !== undefined && !(typeof value === 'number' && value >= min))
      return {
        place,
        problem:
          typeof value === 'number'
            ? `${value} is below the allowed minimum of ${min}`
            : `it must be a number of at least ${min}`,
      }
    if (pattern !== undefined && !(typeof value === 'string' && pattern.matches(value)))
      return { place, problem: 'it does not have the form that is allowed' }
  }
  return undefined
}

/** The bounds that a JSON Schema sets at a place, as far as plain properties and items lead there. */
export function boundsAt(schema: unknown, path: Path): Bounds {
  const at = schemaAt(schema, path)
  if (at === undefined) return {}
  const { minimum, maximum, type } = at
  return {
    min: typeof minimum === 'number' ? minimum : undefined,
    max: typeof maximum === 'number' ? maximum : undefined,
    integer: type === 'integer',
    counts: type === 'integer' || type === 'number',
  }
}

export function schemaAt(schema: unknown, path: Path): JsonObject | undefined {
  let at: unknown = schema
  for (const name of path) {
    if (!isObject(at)) return undefined
    const { properties, items } = at
    if (name === '*') at = items
    else at = isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined
  }
  return isObject(at) ? at : undefined
}

const valueAt = (args: JsonObject, path: Path): Json | undefined => spotsOf(args, path, true)[0]?.value

const same = (one: Json | undefined, other: Json | undefined): boolean =>
  one === other || (typeof one === 'object' && JSON.stringify(one) === JSON.stringify(other))
