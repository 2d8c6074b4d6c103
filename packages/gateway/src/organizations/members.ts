/**
 * Members: which role a user has in an organization. A suspended membership gives none: it is in the lists of members, and nothing
 * else is told of it.
 */
import type { OrganizationId, Role, UserId } from '@toolway/contract'
import { MemberRole, type MEMBER_SORTS } from '@toolway/contract/admin'
import { z } from 'zod'
import type { OrgSql, SystemSql } from '../db/db.ts'
import { part } from '../db/sql-part.ts'
import type { Order } from '../lib/page.ts'

const RoleRow = z.object({
  user_id: z.string().transform((id) => id as UserId),
  role: z.enum(['tenant_admin', 'tenant_member', 'tenant_viewer']),
})

/** The role of everybody in the organization, or of these users; those who are suspended have none. */
export async function listRoles(sql: OrgSql, userIds?: readonly string[]): Promise<ReadonlyMap<UserId, Role>> {
  const rows = await sql(RoleRow)`
    select user_id, role from members
     where active and (${userIds ?? null}::text[] is null or user_id = any(${userIds ?? null}::text[]))`
  return new Map(rows.map(({ user_id: id, role }) => [id, role]))
}

const RoleOfRow = RoleRow.extend({ organization_id: z.string() })

/** The roles of everybody in these organizations, by the organization's id; those without members are left out. */
export async function listRolesOf(
  sql: SystemSql,
  organizations: readonly string[],
): Promise<ReadonlyMap<string, ReadonlyMap<UserId, Role>>> {
  const rows = await sql(RoleOfRow)`
    select organization_id, user_id, role from members
     where organization_id = any(${organizations}::text[]) and active`
  const of = Map.groupBy(rows, (row) => row.organization_id)
  return new Map([...of].map(([id, all]) => [id, new Map(all.map(({ user_id: user, role }) => [user, role]))]))
}

export const MemberRow = z.object({
  user_id: z.string().transform((id) => id as UserId),
  role: MemberRole,
  created_at: z.date(),
  email: z.string(),
  name: z.string(),
  active: z.boolean(),
  signed_in_at: z.date().nullable(),
})
export type MemberRow = z.output<typeof MemberRow>

export const listMembers = (sql: OrgSql, { limit, offset }: { limit: number; offset: number }) => sql(MemberRow)`
  select m.user_id, m.role, m.created_at, u.email, u.name, u.active and m.active as active, u.signed_in_at
    from members m join users u on u.id = m.user_id order by u.email limit ${limit} offset ${offset}`

/** Those of these ids or addresses, which are in lower case. */
export const listMembersNamed = (sql: OrgSql, names: readonly string[]) => sql(MemberRow)`
  select m.user_id, m.role, m.created_at, u.email, u.name, u.active and m.active as active, u.signed_in_at
    from members m join users u on u.id = m.user_id where m.user_id = any(${names}::text[]) or u.email = any(${names}::text[])`

const MemberOnPage = MemberRow.extend({
  key: z.string(),
  /** Whether the membership itself is suspended. */
  suspended: z.boolean(),
  /** `manual`, `scim`, or `provider:` and an id. */
  source: z.string(),
  groups: z.array(z.string()),
  last_seen_at: z.date().nullable(),
})
export type MemberOnPage = z.output<typeof MemberOnPage>

export interface MemberFilter {
  /** Part of an email or a name, or a whole id. */
  readonly search?: string | undefined
  readonly role?: MemberRole | undefined
  /** A slug. */
  readonly group?: string | undefined
  /** `provider`: any of them. */
  readonly source?: string | undefined
  readonly is_active?: boolean | undefined
  readonly seen_after?: string | undefined
  /** People who were never seen are among them. */
  readonly seen_before?: string | undefined
}

/** Each member with where the membership comes from, and when the person last signed in or used a key of this organization. */
const FOUND = part`
  from members m join users u on u.id = m.user_id
  left join scim_people p on p.organization_id = m.organization_id and p.user_id = m.user_id
  cross join lateral (select case when p.user_id is null then m.source else 'scim' end as source) s
  cross join lateral (
    select greatest(u.signed_in_at, (select max(k.last_used_at) from keys k
                                      where k.organization_id = m.organization_id and k.user_id = m.user_id)) as last_seen_at) l`

function matching({ search, role, group, source, is_active: isActive, ...seen }: MemberFilter) {
  const searched = search?.trim().toLowerCase() ?? ''
  const [only, of, by, active] = [role ?? null, group ?? null, source ?? null, isActive ?? null]
  const [after, before] = [seen.seen_after ?? null, seen.seen_before ?? null]
  return part`
    where (u.id = ${searched} or position(${searched} in lower(u.email)) > 0 or position(${searched} in lower(u.name)) > 0)
      and (${only}::text is null or m.role = ${only})
      and (${of}::text is null
           or exists (select from group_members g where g.group_slug = ${of} and g.organization_id = m.organization_id
                                                    and g.user_id = m.user_id))
      and (${by}::text is null or s.source = ${by} or ${by} = 'provider' and s.source like 'provider:%')
      and (${active}::boolean is null or (u.active and m.active) = ${active})
      and (${after}::timestamptz is null or l.last_seen_at >= ${after}::timestamptz)
      and (${before}::timestamptz is null or coalesce(l.last_seen_at < ${before}::timestamptz, true))`
}

const UTC = part`'YYYY-MM-DD HH24:MI:SS.US'`

/** A page in an order, read by the key of its last row, and how many there are in all. */
export async function listMemberPage(
  sql: OrgSql,
  filter: MemberFilter,
  { sort = 'email', order, after, offset, rowLimit }: Order<(typeof MEMBER_SORTS)[number]>,
) {
  const down = order === 'desc'
  const [key = null, id = null] = after ?? []
  const where = matching(filter)
  const [counted] = await sql(Count)`select count(*)::int as count ${FOUND} ${where}`
  const rows = await sql(MemberOnPage)`
    select found.*, array(select distinct g.group_slug from group_members g where g.user_id = found.user_id order by 1) as groups
      from (
      select m.user_id, m.role, m.created_at, u.email, u.name, u.active and m.active as active, u.signed_in_at,
             not m.active as suspended, s.source, l.last_seen_at,
             (case ${sort}::text when 'name' then lower(u.name) when 'role' then m.role
                when 'added_at' then to_char(m.created_at at time zone 'UTC', ${UTC})
                when 'signed_in_at' then coalesce(to_char(u.signed_in_at at time zone 'UTC', ${UTC}), '')
                when 'last_seen_at' then coalesce(to_char(l.last_seen_at at time zone 'UTC', ${UTC}), '')
                else u.email end) collate "C" as key
        ${FOUND} ${where}) found
     where ${key}::text is null
        or case when ${down}::boolean then (key, user_id) < (${key}::text, ${id}::text)
                else (key, user_id) > (${key}::text, ${id}::text) end
     order by case when ${down}::boolean then key end desc, case when ${down}::boolean then user_id end desc, key, user_id
     limit ${rowLimit} offset ${offset}`
  return { rows, total: counted?.count ?? 0 }
}

/** The names of these users, members of the organization or not any more. */
export const listNamesOf = (sql: OrgSql | SystemSql, ids: readonly string[]) =>
  sql(z.object({ id: z.string(), email: z.string(), name: z.string() }))`
    select id, email, name from users where id = any(${ids}::text[])`

const Count = z.object({ count: z.int() })
export const countMembers = async (sql: OrgSql): Promise<number> =>
  (await sql(Count)`select count(*)::int as count from members`)[0]?.count ?? 0

export async function findMemberByEmail(sql: OrgSql, email: string): Promise<MemberRow | undefined> {
  const rows = await sql(MemberRow)`
    select m.user_id, m.role, m.created_at, u.email, u.name, u.active and m.active as active, u.signed_in_at
      from members m join users u on u.id = m.user_id where u.email = ${email.toLowerCase()}`
  return rows[0]
}

export async function findMember(sql: OrgSql, userId: string): Promise<MemberRow | undefined> {
  const rows = await sql(MemberRow)`
    select m.user_id, m.role, m.created_at, u.email, u.name, u.active and m.active as active, u.signed_in_at
      from members m join users u on u.id = m.user_id where m.user_id = ${userId}`
  return rows[0]
}

export interface NewMember {
  readonly organizationId: OrganizationId
  readonly userId: UserId
  readonly role: MemberRole
}

/** False when the person is a member already. */
export const addMember = async (sql: SystemSql, { organizationId, userId, role }: NewMember): Promise<boolean> =>
  (
    await sql(RoleRow)`
      insert into members (organization_id, user_id, role) values (${organizationId}, ${userId}, ${role})
      on conflict do nothing returning user_id, role`
  ).length > 0

export const changeMember = async (sql: OrgSql, userId: UserId, role: MemberRole): Promise<boolean> =>
  (
    await sql(RoleRow)`
      update members set role = ${role}, source = 'manual', updated_at = now() where user_id = ${userId} returning user_id, role`
  ).length > 0

/** Whether it was another before. */
export const suspendMember = async (sql: OrgSql | SystemSql, organizationId: string, userId: UserId, active: boolean) =>
  (
    await sql(RoleRow)`
      update members set active = ${active}, updated_at = now()
       where organization_id = ${organizationId} and user_id = ${userId} and active <> ${active} returning user_id, role`
  ).length > 0

/** The member's keys in this organization go with it. */
export const removeMember = async (sql: OrgSql, userId: UserId): Promise<boolean> =>
  (await sql(RoleRow)`delete from members where user_id = ${userId} returning user_id, role`).length > 0

/** Locks the organization's administrators, so that of two who are demoted at once one is refused; whether another is left. */
export async function hasOtherAdmin(sql: OrgSql, userId: UserId): Promise<boolean> {
  const rows = await sql(RoleRow)`
    select m.user_id, m.role from members m join users u on u.id = m.user_id
     where m.role = 'tenant_admin' and m.active and u.active order by m.user_id for update of m`
  return rows.some((row) => row.user_id !== userId)
}

/** The same where the organization is not that of the transaction. */
export async function hasOtherAdminIn(sql: SystemSql, organizationId: string, userId: UserId): Promise<boolean> {
  const rows = await sql(RoleRow)`
    select m.user_id, m.role from members m join users u on u.id = m.user_id
     where m.organization_id = ${organizationId} and m.role = 'tenant_admin' and m.active and u.active
     order by m.user_id for update of m`
  return rows.some((row) => row.user_id !== userId)
}

/** A member whose role and state do not change before the transaction ends. */
export async function lockMember(
  sql: SystemSql,
  organizationId: string,
  userId: UserId,
): Promise<MemberRow | undefined> {
  const rows = await sql(MemberRow)`
    select m.user_id, m.role, m.created_at, u.email, u.name, u.active and m.active as active, u.signed_in_at
      from members m join users u on u.id = m.user_id
     where m.organization_id = ${organizationId} and m.user_id = ${userId} for update of m`
  return rows[0]
}

/** Whether the person is in any organization but this one. */
export const isElsewhere = async (sql: SystemSql, userId: UserId, organizationId: OrganizationId): Promise<boolean> =>
  (
    await sql(RoleRow)`
      select user_id, role from members where user_id = ${userId} and organization_id <> ${organizationId} limit 1`
  ).length > 0

export const isMember = async (sql: SystemSql, organizationId: OrganizationId, userId: UserId): Promise<boolean> =>
  (
    await sql(RoleRow)`
      select user_id, role from members where organization_id = ${organizationId} and user_id = ${userId}`
  ).length > 0
