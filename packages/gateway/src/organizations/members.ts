/** Members: which role a user has in an organization. */
import type { OrganizationId, Role, UserId } from '@toolway/contract'
import { z } from 'zod'
import type { OrgSql, SystemSql } from '../db/db.ts'

const RoleRow = z.object({
  user_id: z.string().transform((id) => id as UserId),
  role: z.enum(['tenant_admin', 'tenant_member', 'tenant_viewer']),
})

/** Everybody's role in the organization. */
export async function listRoles(sql: OrgSql): Promise<ReadonlyMap<UserId, Role>> {
  const rows = await sql(RoleRow)`select user_id, role from members`
  return new Map(rows.map(({ user_id: id, role }) => [id, role]))
}

export interface NewMember {
  readonly organizationId: OrganizationId
  readonly userId: UserId
  readonly role: z.output<typeof RoleRow>['role']
}

/** False when the person is a member already. */
export const addMember = async (sql: SystemSql, { organizationId, userId, role }: NewMember): Promise<boolean> =>
  (
    await sql(RoleRow)`
      insert into members (organization_id, user_id, role) values (${organizationId}, ${userId}, ${role})
      on conflict do nothing returning user_id, role`
  ).length > 0
