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

export type MemberRole = z.output<typeof RoleRow>['role']

/** Give a person a role in an organization, whatever it was before. */
export const putMember = (sql: SystemSql, organizationId: OrganizationId, userId: UserId, role: MemberRole) => sql(
  RoleRow,
)`
  insert into members (organization_id, user_id, role) values (${organizationId}, ${userId}, ${role})
  on conflict (organization_id, user_id) do update set role = excluded.role, updated_at = now()
  returning user_id, role`
