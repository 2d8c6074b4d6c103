/** An exception: it lifts the rules that it names (`decide.ts`). */
import type { ActionBehaviour } from './action.ts'
import { show } from './action-words.ts'

export const allow: ActionBehaviour<'allow'> = {
  action: 'allow',
  check({ name, parameters }, scope, say) {
    if (scope === 'member' || scope === 'key')
      say(
        '/action',
        `cannot be allow for a ${scope}: create it for the organization, with a condition on the principal`,
      )
    if (parameters.lifts.includes(name)) say('/parameters/lifts', 'refers to the rule itself')
  },
  follows: ({ parameters }) => `it lifts ${parameters.lifts.join(', ')}.`,
  says({ changes, arguments: args }) {
    const listed = args === undefined ? ' as far as can be told without arguments' : ''
    return changes.length === 0
      ? `The call is made unchanged${listed}.`
      : `The call is made with ${changes.map(({ place, to }) => `${place} = ${show(to)}`).join(', ')}.`
  },
  couldChange: ({ action }) => action !== 'allow',
}
