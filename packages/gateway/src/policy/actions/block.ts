/** A refusal with the reason of the rule. */
import { Fault } from '@toolway/contract'
import type { ActionBehaviour } from './action.ts'
import { reasonOf } from './action-words.ts'

export const block: ActionBehaviour<'block'> = {
  action: 'block',
  refusal: ({ rule }, tool) => new Fault('policy.blocked', { tool, reason: reasonOf(rule) }),
  follows: () => 'the call is refused.',
  says: (_, by) => `The call is refused${by}`,
}
