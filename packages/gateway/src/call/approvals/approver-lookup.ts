/**
 * The present identity of an approver: role, address and groups from memory, so that a user who lost a role can no longer
 * approve. A webhook is an approver as long as it exists and is enabled.
 */
import type { OrganizationId, Role, UserId } from '@toolway/contract'
import { z } from 'zod'
import type { Approver } from '../../approvals/approvers.ts'
import type { OrgSql } from '../../db/db.ts'
import type { AccountRow } from '../../identity/accounts.ts'

export interface ApproverLookupParts {
  /** Undefined for who is not active. */
  account(id: UserId): Pick<AccountRow, 'email' | 'platform_admin'> | undefined
  membersOf(organizationId: OrganizationId): ReadonlyMap<UserId, Role>
  groupsOf(organizationId: OrganizationId, userId: UserId): readonly string[]
}

export interface ApproverLookup {
  /** Undefined for who is nobody in the organization. */
  person(organizationId: OrganizationId, id: string): Approver | undefined
  /** The same for all of these, webhooks too. */
  all(
    sql: OrgSql,
    organizationId: OrganizationId,
    ids: readonly string[],
  ): Promise<(id: string) => Approver | undefined>
}

/** The operator of the machine: answers from the command line count as those of a platform administrator. */
const COMMAND_LINE = 'command line'
const OPERATOR = 'operator'

const Id = z.object({ id: z.string() })

export function createApproverLookup({ account, membersOf, groupsOf }: ApproverLookupParts): ApproverLookup {
  function person(organizationId: OrganizationId, id: string): Approver | undefined {
    if (id === COMMAND_LINE || id === OPERATOR) return { id, role: 'platform_admin', email: undefined, groups: [] }
    const userId = id as UserId
    const known = account(userId)
    if (known === undefined) return undefined
    const role = known.platform_admin ? 'platform_admin' : membersOf(organizationId).get(userId)
    return role === undefined ? undefined : { id, role, email: known.email, groups: groupsOf(organizationId, userId) }
  }

  return {
    person,
    async all(sql, organizationId, ids) {
      const named = ids.filter((id) => id.startsWith('whk_'))
      const rows = named.length === 0 ? [] : await sql(Id)`select id from webhooks where id = any(${named}) and enabled`
      const webhooks = new Set(rows.map(({ id }) => id))
      return (id) =>
        webhooks.has(id) ? { id, role: undefined, email: undefined, groups: [] } : person(organizationId, id)
    },
  }
}
