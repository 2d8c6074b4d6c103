/** Rules that hide a tool from some callers: it is neither listed nor called, and answers like a tool that does not exist. */
import { Fault } from '@toolway/contract'
import { ruledDefinition } from '../../catalog/ruled-definition.ts'
import type { ToolTarget } from '../../catalog/tool-listing.ts'
import { factsOf } from '../policy/facts.ts'
import type { Call, Step } from './step.ts'

export const visibility: Step = {
  name: 'visibility',
  admits: true,
  // A tool that is hidden from everybody is not in the view.
  applies: ({ policy }) => policy?.varies === true,
  list: (definition, { policy }, caller) =>
    policy === undefined ? definition : ruledDefinition(definition, policy, caller()),
  before(call) {
    if (isHidden(call.target, call)) throw new Fault('tool.unknown', { tool: call.name })
  },
}

/** Whether a rule hides the tool from this caller. */
export function isHidden(
  { policy }: ToolTarget,
  { requestContext, audit }: Pick<Call, 'requestContext' | 'audit'>,
): boolean {
  if (policy?.hides !== true) return false
  const facts = factsOf(requestContext, { client: audit.facts.client, from: audit.from })
  return policy.decide(facts).action === 'hide'
}
