/** A refusal by the value of an argument, or by the condition alone where no argument is named. */
import { Fault, type Rule } from '@toolway/contract'
import type { Json } from '@toolway/protocol'
import { RE2JS } from 're2js'
import { isMissing, pathOf, pointerOf, spotsOf, textOf } from '../../lib/parameter-path.ts'
import type { ActionBehaviour } from './action.ts'
import { isUpsideDown, isSameValue } from './values.ts'
import { reasonOf } from './action-words.ts'

type Parameters = Rule<'reject'>['parameters']

export const reject: ActionBehaviour<'reject'> = {
  action: 'reject',
  check({ parameters }, _, say) {
    const { min, max, in: values, pattern, parameter } = parameters
    const bounds = [min, max, values, pattern].some((item) => item !== undefined)
    if (bounds && parameter === undefined) say('/parameters/parameter', 'must specify the argument')
    if (isUpsideDown(parameters)) say('/parameters/min', 'is larger than max')
  },
  unreadable(parameters) {
    try {
      patternIn(parameters)
      return undefined
    } catch (thrown) {
      const problem = `is not a valid RE2 regular expression: ${(thrown as Error).message.split('\n')[0] ?? ''}`
      return { place: '/parameters/pattern', problem }
    }
  },
  compile: patternIn,
  refuse({ rule, path, compiled, problem }, args) {
    if (problem !== undefined) return { place: '/', problem: 'the rule cannot be read' }
    // Without a place it is its condition that says what is not allowed.
    if (path === undefined) return { place: '/', problem: 'these arguments are not allowed' }
    if (isMissing(args, path)) return undefined
    for (const { keys, value } of spotsOf(args, path)) {
      const found = value === undefined ? undefined : problemOf(value, rule.parameters, compiled as RE2JS | undefined)
      if (found !== undefined) return { place: pointerOf(keys), problem: found }
    }
    return undefined
  },
  refusal({ rejected, rule }) {
    if (rejected?.readAs !== undefined)
      return new Fault('arguments.ambiguous', { place: rejected.place, name: rejected.readAs })
    return new Fault('policy.rejected', {
      place: rejected?.place ?? '/',
      problem: rejected?.problem ?? 'it is not allowed',
      reason: reasonOf(rule),
    })
  },
  exampleValues({ parameter, min, max, in: allowed }, text) {
    if (parameter === undefined || textOf(pathOf(parameter)) !== text) return []
    return [...(max === undefined ? [] : [max]), ...(min === undefined ? [] : [min]), ...(allowed ?? [])]
  },
  follows(_, { rejected }, { arguments: args }) {
    if (rejected !== undefined) return `the call is refused: ${rejected.place} ${rejected.problem}.`
    return args === undefined ? 'it depends on the arguments.' : 'it allows this value.'
  },
  says: ({ rejected }, by) => `The call is refused${by} (${rejected?.place}: ${rejected?.problem})`,
}

function patternIn({ pattern }: Parameters): RE2JS | undefined {
  return pattern === undefined ? undefined : RE2JS.compile(pattern)
}

/**
 * A value that is not a number has no bounds, and one that is not a text matches no pattern: a rule that bounds it refuses it.
 */
function problemOf(value: Json, { min, max, in: allowed }: Parameters, pattern: RE2JS | undefined): string | undefined {
  if (min === undefined && max === undefined && allowed === undefined && pattern === undefined)
    return 'it must not be set'
  if (allowed?.some((item) => isSameValue(item, value)) === false) {
    const values = allowed.map((item) => JSON.stringify(item)).join(', ')
    return `it must be one of ${values.slice(0, 200)}`
  }
  if (max !== undefined && typeof value !== 'number') return `it must be a number of at most ${max}`
  if (max !== undefined && !(Number(value) <= max)) return `${Number(value)} exceeds the allowed maximum of ${max}`
  if (min !== undefined && typeof value !== 'number') return `it must be a number of at least ${min}`
  if (min !== undefined && !(Number(value) >= min)) return `${Number(value)} is below the allowed minimum of ${min}`
  if (pattern !== undefined && !(typeof value === 'string' && pattern.matches(value)))
    return 'it does not have an allowed format'
  return undefined
}
