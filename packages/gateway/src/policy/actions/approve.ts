/** An approval. It is asked for last, by a step of its own (`call/steps/approval.ts`). */
import type { Approvers } from '@toolway/contract'
import type { ActionBehaviour } from './action.ts'

export const approve: ActionBehaviour<'approve'> = {
  action: 'approve',
  check({ parameters }, _, say) {
    const { roles, members, groups, webhooks, self } = parameters.by
    if (!self && [roles, members, groups, webhooks].every((some) => some === undefined))
      say('/parameters/by', 'has no approvers: set roles, members, groups or webhooks')
  },
  follows: ({ parameters: { by, quorum } }) =>
    `the call waits for ${wordApprovers(by)}${quorum > 1 ? `, ${quorum} of them` : ''}.`,
  says: ({ approvals }, by) =>
    `The call waits for ${approvals.map((approval) => wordApprovers(approval.parameters.by)).join('; and for ')}${by}`,
}

export const wordApprovers = ({ roles, members, groups, webhooks, self }: Approvers): string =>
  [
    ...(roles === undefined ? [] : [`a user with the role ${roles.join(' or ')}`]),
    ...(members ?? []),
    ...(groups === undefined ? [] : [`the group ${groups.join(' or ')}`]),
    ...(webhooks === undefined ? [] : [`the webhook ${webhooks.join(' or ')}`]),
    ...(self ? ['the caller'] : []),
  ].join(', ')
