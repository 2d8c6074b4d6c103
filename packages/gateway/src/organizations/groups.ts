/**
 * Groups of an organization's members, under names that rules, approvers and toolsets use. Somebody is in a group while at least one
 * source says so, and each source takes back what it said itself: `manual`, `scim`, or `provider:{id}`.
 */
import type { OrganizationId, UserId } from '@toolway/contract'
import { z } from 'zod'
import type { OrgSql, SystemSql } from '../db/db.ts'
import type { PageStart } from '../lib/page.ts'

export const GroupRow = z.object({
  slug: z.string(),
  title: z.string(),
  /** Addresses that a file names, whether or not somebody is a member under them. */
  awaited: z.array(z.string()),
  origin: z.string(),
})
export type GroupRow = z.output<typeof GroupRow>

export const listGroups = (sql: OrgSql) => sql(GroupRow)`select slug, title, awaited, origin from groups order by slug`

/** What administrators, a declaration file and addresses that a file awaits say. */
export const BY_HAND = 'manual'

export const GroupMemberRow = z.object({
  group_slug: z.string(),
  user_id: z.string().transform((id) => id as UserId),
  email: z.string(),
  name: z.string(),
  /** Who says so, in the order of their names. */
  sources: z.array(z.string()),
})
export type GroupMemberRow = z.output<typeof GroupMemberRow>

const Count = z.object({ count: z.int() })

/** A page in the order of slugs. `search`: a part of a slug or a title; `after`: the slug of the last one of the page before. */
export async function listGroupPage(sql: OrgSql, search: string, { after, rowLimit, offset }: PageStart) {
  const [searched, last] = [search.trim().toLowerCase(), after?.[0] ?? null]
  const [counted] = await sql(Count)`
    select count(*)::int as count from groups where position(${searched} in slug) > 0 or position(${searched} in lower(title)) > 0`
  const rows = await sql(GroupRow)`
    select slug, title, awaited, origin from groups
     where (position(${searched} in slug) > 0 or position(${searched} in lower(title)) > 0) and (${last}::text is null or slug > ${last}::text)
     order by slug limit ${rowLimit} offset ${offset}`
  return { rows, total: counted?.count ?? 0 }
}

/** The members of these groups. */
export const listMembersOf = (sql: OrgSql, slugs: readonly string[]) => sql(GroupMemberRow)`
  select g.group_slug, g.user_id, u.email, u.name, array_agg(g.source order by g.source) as sources
    from group_members g join users u on u.id = g.user_id where g.group_slug = any(${slugs}::text[])
   group by g.group_slug, g.user_id, u.email, u.name order by g.group_slug, u.email`

export const findGroup = async (sql: OrgSql, slug: string): Promise<GroupRow | undefined> =>
  (await sql(GroupRow)`select slug, title, awaited, origin from groups where slug = ${slug} for update`)[0]

export const listGroupMembers = (sql: OrgSql) => sql(GroupMemberRow)`
  select g.group_slug, g.user_id, u.email, u.name, array_agg(g.source order by g.source) as sources
    from group_members g join users u on u.id = g.user_id
   group by g.group_slug, g.user_id, u.email, u.name order by g.group_slug, u.email`

const Membership = z.object({ group_slug: z.string(), user_id: z.string().transform((id) => id as UserId) })

/** The groups of each member who is in any, sorted. */
type GroupsOfMembers = ReadonlyMap<UserId, readonly string[]>

/** Of everybody, or of these users. */
export const listGroupsOfMembers = async (sql: OrgSql, userIds?: readonly string[]): Promise<GroupsOfMembers> =>
  byMember(
    await sql(Membership)`
      select distinct group_slug, user_id from group_members
       where ${userIds ?? null}::text[] is null or user_id = any(${userIds ?? null}::text[]) order by group_slug`,
  )

const MembershipOf = Membership.extend({ organization_id: z.string() })

/** The same for these organizations, by their ids; those without groups are left out. */
export async function listGroupsOfMembersOf(
  sql: SystemSql,
  organizations: readonly string[],
): Promise<ReadonlyMap<string, GroupsOfMembers>> {
  const rows = await sql(MembershipOf)`
    select distinct organization_id, group_slug, user_id from group_members
     where organization_id = any(${organizations}::text[]) order by group_slug`
  const of = Map.groupBy(rows, (row) => row.organization_id)
  return new Map([...of].map(([id, all]) => [id, byMember(all)]))
}

function byMember(rows: readonly z.output<typeof Membership>[]): GroupsOfMembers {
  const of = Map.groupBy(rows, ({ user_id: user }) => user)
  return new Map([...of].map(([user, groups]) => [user, groups.map(({ group_slug: slug }) => slug)]))
}

export interface NewGroup {
  readonly organizationId: OrganizationId
  readonly slug: string
  readonly title: string
  readonly awaited: readonly string[]
  readonly origin: string
}

const Slug = z.object({ slug: z.string() })

/** Add the group, or make the one of that slug say this; its members stay. */
export const putGroup = (sql: OrgSql, { organizationId, slug, title, awaited, origin }: NewGroup) => sql(Slug)`
  insert into groups (organization_id, slug, title, awaited, origin)
  values (${organizationId}, ${slug}, ${title}, ${[...awaited]}, ${origin})
  on conflict (organization_id, slug) do update
     set title = excluded.title, awaited = excluded.awaited, origin = excluded.origin, updated_at = now()
  returning slug`

export const removeGroup = async (sql: OrgSql, slug: string): Promise<boolean> =>
  (await sql(Slug)`delete from groups where slug = ${slug} returning slug`).length > 0

/** How many came in by this source; who is in already stays. Each has to be a member of the organization. */
export const joinGroup = async (
  sql: OrgSql,
  organizationId: OrganizationId,
  slug: string,
  users: readonly UserId[],
  source = BY_HAND,
): Promise<number> =>
  (
    await sql(Membership)`
      insert into group_members (organization_id, group_slug, user_id, source)
      select ${organizationId}, ${slug}, id, ${source} from unnest(${[...users]}::text[]) as id
      on conflict do nothing returning group_slug, user_id`
  ).length

/** How many were in by this source; what others say stays. */
export const leaveGroup = async (
  sql: OrgSql,
  slug: string,
  users: readonly UserId[],
  source = BY_HAND,
): Promise<number> =>
  (
    await sql(Membership)`
      delete from group_members where group_slug = ${slug} and source = ${source} and user_id = any (${[...users]}::text[])
      returning group_slug, user_id`
  ).length

const Known = z.object({ user_id: z.string().transform((id) => id as UserId), email: z.string() })

/** Returns the members with these addresses, which are in lower case. */
export async function findMembersByEmail(sql: OrgSql, emails: readonly string[]): Promise<ReadonlyMap<string, UserId>> {
  const rows = await sql(Known)`
    select m.user_id, u.email from members m join users u on u.id = m.user_id where u.email = any (${[...emails]}::text[])`
  return new Map(rows.map(({ email, user_id: id }) => [email, id]))
}
