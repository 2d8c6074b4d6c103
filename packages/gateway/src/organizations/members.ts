/** Members: which role a user has in an organization. */
import type { Role, UserId } from '@toolway/contract'
import { z } from 'zod'
import type { OrgSql } from '../db/db.ts'

const RoleRow = z.object({
  user_id: z.string().transform((id) => id as UserId),
  role: z.enum(['tenant_admin', 'tenant_member', 'tenant_viewer']),
})

/** Everybody's role in the organization. */
export async function listRoles(sql: OrgSql): Promise<ReadonlyMap<UserId, Role>> {
  const rows = await sql(RoleRow)`select user_id, role from members`
  return new Map(rows.map(({ user_id: id, role }) => [id, role]))
}
