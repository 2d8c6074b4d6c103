/**
 * Approval by a person. Asked last before the call is sent: nobody is asked about arguments that a rule or a schema refuses.
 */
import { Fault } from '@toolway/contract'
import { wantsInput } from '@toolway/protocol'
import type { Answer, ApprovalAsking } from '../ports.ts'
import { argumentsOf, type Call, type Step } from './step.ts'

export const approval: Step = {
  name: 'approval',
  applies: ({ policy }) => policy?.rules.some(({ action }) => action === 'approve') === true,
  before(call, { approvals }): Promise<Answer | undefined> | undefined {
    const { decided, target } = call
    if (decided === undefined || decided.verdict.approvals.length === 0) return undefined
    // Where nobody can be asked nobody grants.
    if (approvals === undefined)
      throw new Fault('policy.blocked', { tool: target.name, reason: 'nobody can be asked here' })
    return approvals.settle(askingOf(call, decided))
  },
  async after({ audit, requestContext }, result, { approvals }) {
    const granted = audit.facts.approval
    if (granted !== undefined && wantsInput(result)) await approvals?.asks(requestContext.organizationId, granted)
    return result
  },
}

function askingOf(call: Call, { verdict, facts }: NonNullable<Call['decided']>): ApprovalAsking {
  const { requestContext, mcpRequest, channel, audit, target, account } = call
  const { organizationId, organization, principal } = requestContext
  return {
    ...{ organizationId, organization, principal, facts, mcpRequest, channel, target, account },
    audit,
    arguments: argumentsOf(call) ?? {},
    rules: verdict.approvals,
  }
}
