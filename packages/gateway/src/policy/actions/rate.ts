/** A budget of calls: spent before a call is sent. */
import { countWithNoun } from '../../lib/count-with-noun.ts'
import type { ActionBehaviour } from './action.ts'
import { reasonOf } from './action-words.ts'

export const rate: ActionBehaviour<'rate'> = {
  action: 'rate',
  enforce(rules, { organizationId, caller, session, spend }) {
    // A client without a session has one budget for all that it calls.
    const sharers = { caller, organization: 'all', session: session ?? caller }
    return spend(
      rules.map((rule) => {
        const { calls, per, of } = rule.parameters
        return { name: `${organizationId} ${rule.id} ${sharers[of]}`, calls, seconds: per, reason: reasonOf(rule) }
      }),
    )
  },
  follows: ({ parameters: { calls, per, of } }) =>
    `${countWithNoun(calls, 'call')} in ${per} s for each ${of} ${calls === 1 ? 'is' : 'are'} allowed.`,
  notReplayed: true,
}
