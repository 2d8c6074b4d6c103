/**
 * Approval by a person. Asked last before the call is sent: nobody is asked about arguments that a rule or a schema refuses.
 */
import { Fault, type GivenFile } from '@toolway/contract'
import { wantsInput } from '@toolway/protocol'
import { givenFiles } from '../files/given-files.ts'
import type { Answer } from '../../upstreams/upstream.ts'
import type { ApprovalAsking } from '../approvals/approval-port.ts'
import type { CallParts } from '../call-parts.ts'
import { argumentsOf, type Call, type Step } from './step.ts'

export const approval: Step = {
  name: 'approval',
  applies: ({ policy }) => policy?.rules.some(({ action }) => action === 'approve') === true,
  async before(call, parts): Promise<Answer | undefined> {
    const { decided, target } = call
    if (decided === undefined || decided.verdict.approvals.length === 0) return undefined
    const { approvals } = parts
    // Where nobody can be asked nobody grants.
    if (approvals === undefined)
      throw new Fault('policy.blocked', { tool: target.name, reason: 'nobody can be asked here' })
    const asking = askingOf(call, decided, await filesOf(call, parts))
    const settling = () => approvals.settle(asking)
    call.audit.enter('approval')
    const answer = await (call.audit.trace?.within('approval', settling) ?? settling())
    call.audit.enter('policy')
    return answer
  },
  async after({ audit, requestContext }, result, { approvals }) {
    const granted = audit.facts.approval
    if (granted !== undefined && wantsInput(result)) await approvals?.asks(requestContext.organizationId, granted)
    return result
  },
}

/** A rule may have put other files into the arguments than the caller. */
async function filesOf(call: Call, parts: CallParts): Promise<readonly GivenFile[]> {
  const { target, files = [], decided, requestContext } = call
  if (target.filePlaces === undefined || decided?.verdict.changes.length === 0) return files
  return givenFiles(parts, requestContext, target.filePlaces, argumentsOf(call) ?? {})
}

function askingOf(
  call: Call,
  { verdict, facts }: NonNullable<Call['decided']>,
  files: readonly GivenFile[],
): ApprovalAsking {
  const { requestContext, mcpRequest, channel, audit, target, account } = call
  const { organizationId, organization, principal } = requestContext
  return {
    ...{ organizationId, organization, principal, facts, mcpRequest, channel, target, account },
    audit,
    arguments: argumentsOf(call) ?? {},
    files,
    rules: verdict.approvals,
  }
}
