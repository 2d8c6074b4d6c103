/** People who were suspended or removed, and what in their organization goes on without them. */
import type { OrganizationId, UserId } from '@toolway/contract'
import { z } from 'zod'
import type { OrgSql, SystemSql } from '../../db/db.ts'
import type { Newest } from '../../lib/page.ts'

const LeaverRow = z.object({
  id: z.string(),
  email: z.string(),
  name: z.string(),
  suspended: z.boolean(),
  left_at: z.date(),
  key: z.string(),
})
export type LeaverRow = z.output<typeof LeaverRow>
const Count = z.object({ count: z.int() })
const Id = z.object({ user_id: z.string() })

export interface NewLeaver {
  readonly organizationId: OrganizationId
  readonly userId: UserId
  readonly email: string
  readonly name: string
  readonly suspended: boolean
}

export const putLeaver = (
  sql: OrgSql | SystemSql,
  { organizationId, userId, email, name, suspended }: NewLeaver,
) => sql(Id)`
  insert into leavers (organization_id, user_id, email, name, suspended)
  values (${organizationId}, ${userId}, ${email}, ${name}, ${suspended})
  on conflict (organization_id, user_id) do update
     set email = excluded.email, name = excluded.name, suspended = excluded.suspended, left_at = now()
  returning user_id`

export const removeLeaver = async (sql: OrgSql, userId: string): Promise<boolean> =>
  (await sql(Id)`delete from leavers where user_id = ${userId} returning user_id`).length > 0

/** Whoever is back is in the list no more. */
export const removeLeaverOf = (sql: SystemSql, organizationId: OrganizationId, userId: UserId) =>
  sql(Id)`delete from leavers where organization_id = ${organizationId} and user_id = ${userId} returning user_id`

/** The latest first. */
export async function listLeaverPage(sql: OrgSql, { at, id, rowLimit, offset }: Newest) {
  const [counted] = await sql(Count)`select count(*)::int as count from leavers`
  const rows = await sql(LeaverRow)`
    select user_id as id, email, name, suspended, left_at,
           to_char(left_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.US') as key
      from leavers
     where ${at}::text is null or (left_at, user_id) < ((${at}::timestamp at time zone 'UTC'), ${id}::text)
     order by left_at desc, user_id desc limit ${rowLimit} offset ${offset}`
  return { rows, total: counted?.count ?? 0 }
}

const OwnedRow = z.object({
  user_id: z.string(),
  kind: z.enum(['key', 'rule', 'toolset']),
  id: z.string(),
  name: z.string(),
})

/** Keys without a member and rules that they made, and toolsets that are offered to them by name. */
export const listOwned = (sql: OrgSql, userIds: readonly string[]) => sql(OwnedRow)`
  select k.created_by as user_id, 'key' as kind, k.id, k.name from keys k
   where k.user_id is null and k.created_by = any(${userIds}::text[])
  union all
  select r.created_by, 'rule', r.id, r.name from organization_rules r where r.created_by = any(${userIds}::text[])
  union all
  select l.user_id, 'toolset', t.id, t.slug from leavers l join toolsets t on t.settings #> '{audience,members}' ? l.email
   where l.user_id = any(${userIds}::text[])
  order by 1, 2, 4`
