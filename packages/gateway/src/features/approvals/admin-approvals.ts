/** Approvals as operations and pages use them, and the check whether a principal is a user who may answer them. */
import type { OrganizationId } from '@toolway/contract'
import type { Approver } from '../../approvals/approvers.ts'
import type { ApproverLookup } from '../../call/approvals/approver-lookup.ts'
import { OWN_CLIENTS, type Principal } from '../../identity/principal.ts'
import type { DescribeParts } from './describe-approval.ts'

/** Data about approvers that operations need. */
export interface AdminApprovals {
  readonly lookup: ApproverLookup
  link(id?: string): string
  /** For people: whoever calls, by the name that the organization knows. */
  describe(organizationId: OrganizationId): DescribeParts
}

/**
 * The person who asks, as somebody who answers; undefined for keys, for clients of others, and for tokens of other issuers, which
 * are in the hands of whatever client they were made for.
 */
export function approverIn(
  lookup: ApproverLookup,
  organizationId: OrganizationId,
  { kind, userId, keyId, client, id }: Principal,
): Approver | undefined {
  if (kind === 'operator') return lookup.person(organizationId, id)
  if (kind !== 'user' || keyId !== undefined || userId === undefined) return undefined
  if (client === undefined || !OWN_CLIENTS.has(client)) return undefined
  return lookup.person(organizationId, userId)
}
