/**
 * Bounds that a number is clamped to: the stricter of the rule and of the tool's own schema. Of a lower and an upper bound that
 * contradict one another, the upper holds. A value that is not a number is left for the schema to refuse (ledger U-06).
 */
import { kindOf, outcomeOf, type Rule } from '@toolway/contract'
import type { Json, JsonObject } from '@toolway/protocol'
import { isMissing, pathOf, pointerOf, spotsOf, withValue } from '../../lib/parameter-path.ts'
import { refOf, type Bounds } from '../verdict.ts'
import type { ActionBehaviour } from './action.ts'
import { changeAt, isUpsideDown, isSameValue } from './values.ts'
import { wordChanges } from './action-words.ts'

export const clamp: ActionBehaviour<'clamp'> = {
  action: 'clamp',
  check({ parameters }, _, say) {
    const { min, max, default: otherwise } = parameters
    if (min === undefined && max === undefined && otherwise === undefined)
      say('/parameters', 'has no limit: set min, max or default')
    if (isUpsideDown(parameters)) say('/parameters/min', 'is larger than max')
    if (typeof otherwise === 'number' && (otherwise < (min ?? -Infinity) || otherwise > (max ?? Infinity)))
      say('/parameters/default', 'is outside min and max')
  },
  /** A server may make a number of a text: where nothing checks the arguments later, anything but a number is refused. */
  refuse({ rule, path, bounds }, args, { connector }) {
    if (path === undefined || bounds.counts !== true || isMissing(args, path)) return undefined
    // Arguments of a described tool are checked by its schema before they leave.
    if (kindOf(connector)?.described === true) return undefined
    const { min, max } = rule.parameters
    if (min === undefined && max === undefined) return undefined
    const spot = spotsOf(args, path).find(
      ({ value }) => value !== undefined && value !== null && typeof value !== 'number',
    )
    return spot === undefined ? undefined : { place: pointerOf(spot.keys), problem: 'it must be a number' }
  },
  change({ rule, path, bounds: own }, args, changes) {
    if (path === undefined) return args
    const { default: otherwise } = rule.parameters
    if (otherwise === undefined && isMissing(args, path)) return args
    let next = args
    for (const { keys, value: from } of spotsOf(args, path)) {
      const argument = from === undefined ? otherwise : from
      if (argument === undefined) continue
      const to = typeof argument === 'number' ? boundedValue(argument, rule.parameters, own) : argument
      if (isSameValue(from, to)) continue
      next = withValue(next, keys, to)
      const how = from === undefined ? 'defaulted' : 'clamped'
      changes.push({ place: pointerOf(keys), how, from, to, rule: refOf(rule) })
    }
    return next
  },
  shape: (schema, parameters) =>
    changeAt(
      schema,
      pathOf(parameters.parameter),
      (own) => narrowedSchema(own, parameters),
      parameters.default !== undefined,
    ),
  follows: ({ parameters: { parameter } }, { changes }, { arguments: args }) => wordChanges(changes, parameter, args),
  // A refused call sends nothing, so changes of its arguments do not matter.
  couldChange: ({ action }) => outcomeOf(action) !== 'refuses',
}

function boundedValue(input: number, { min, max }: Bounds, own: Bounds): number {
  const lower = min === undefined ? undefined : Math.max(min, own.min ?? min)
  const upper = max === undefined ? undefined : Math.min(max, own.max ?? max)
  let value = input
  if (lower !== undefined) value = Math.max(value, own.integer === true ? Math.ceil(lower) : lower)
  if (upper !== undefined) value = Math.min(value, own.integer === true ? Math.floor(upper) : upper)
  return value
}

function narrowedSchema(own: JsonObject, { min, max, default: otherwise }: Rule<'clamp'>['parameters']): JsonObject {
  const { minimum, maximum, type } = own
  const counts = type === 'number' || type === 'integer'
  const next: JsonObject = { ...own }
  if (counts && max !== undefined) next['maximum'] = typeof maximum === 'number' ? Math.min(maximum, max) : max
  if (counts && min !== undefined) next['minimum'] = typeof minimum === 'number' ? Math.max(minimum, min) : min
  if (otherwise !== undefined) next['default'] = otherwise satisfies Json
  return next
}
