/** A fixed argument, or a default for one. The fixed value is told to nobody. */
import { outcomeOf } from '@toolway/contract'
import { pathOf, pointerOf, spotsOf, withValue } from '../../lib/parameter-path.ts'
import { refOf } from '../verdict.ts'
import type { ActionBehaviour } from './action.ts'
import { changeAt, isSameValue } from './values.ts'
import { wordChanges } from './action-words.ts'

export const lock: ActionBehaviour<'lock'> = {
  action: 'lock',
  change({ rule, path }, args, changes) {
    if (path === undefined) return args
    const { value, as } = rule.parameters
    const spots = path.includes('*')
      ? spotsOf(args, path)
      : [{ keys: path, value: spotsOf(args, path, true)[0]?.value }]
    let next = args
    for (const { keys, value: from } of spots) {
      if (as === 'default' ? from !== undefined : isSameValue(from, value)) continue
      next = withValue(next, keys, value)
      const how = as === 'default' ? 'defaulted' : 'fixed'
      changes.push({ place: pointerOf(keys), how, from, to: value, rule: refOf(rule) })
    }
    return next
  },
  shape: (schema, { parameter, value, as }) =>
    changeAt(schema, pathOf(parameter), (own) => (as === 'fixed' ? undefined : { ...own, default: value }), true),
  follows: ({ parameters: { parameter } }, { changes }, { arguments: args }) => wordChanges(changes, parameter, args),
  // A value that is fixed may be one that is allowed.
  couldChange: ({ action }) => action === 'reject' || outcomeOf(action) !== 'refuses',
}
