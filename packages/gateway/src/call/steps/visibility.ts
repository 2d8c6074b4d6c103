/** Rules that hide a tool from some callers: it is neither listed nor called, and answers like a tool that does not exist. */
import { Fault } from '@toolway/contract'
import { ruledDefinition } from '../../catalog/ruled-definition.ts'
import { factsOf } from '../policy/facts.ts'
import type { Step } from './step.ts'

export const visibility: Step = {
  name: 'visibility',
  admits: true,
  // A tool that is hidden from everybody is not in the view.
  applies: ({ policy }) => policy?.varies === true,
  list: (definition, { policy }, caller) =>
    policy === undefined ? definition : ruledDefinition(definition, policy, caller()),
  before({ target: { policy }, requestContext, audit, name }) {
    if (policy?.hides !== true) return
    const facts = factsOf(requestContext, { client: audit.facts.client, from: audit.from })
    if (policy.decide(facts).action === 'hide') throw new Fault('tool.unknown', { tool: name })
  },
}
