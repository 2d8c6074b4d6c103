/** Groups that an identity provider provides, as rows of one organization; their members are those of the source `scim`. */
import { newId, type OrganizationId, type ScimGroupId } from '@toolway/contract'
import { z } from 'zod'
import type { OrgSql } from '../../db/db.ts'
import { part } from '../../db/sql-part.ts'

export const ScimGroupRow = z.object({
  id: z.string().transform((id) => id as ScimGroupId),
  slug: z.string(),
  external_id: z.string().nullable(),
  display_name: z.string(),
  version: z.int(),
  created_at: z.date(),
  updated_at: z.date(),
})
export type ScimGroupRow = z.output<typeof ScimGroupRow>

const COLUMNS = part`id, slug, external_id, display_name, version::int as version, created_at, updated_at`

export const findGroup = async (sql: OrgSql, id: string): Promise<ScimGroupRow | undefined> =>
  (await sql(ScimGroupRow)`select ${COLUMNS} from scim_groups where id = ${id} for update`)[0]

export async function findGroups(
  sql: OrgSql,
  { by, is }: { by: 'id' | 'displayname' | 'externalid' | 'member'; is: string },
) {
  if (by === 'id') return sql(ScimGroupRow)`select ${COLUMNS} from scim_groups where id = ${is}`
  if (by === 'displayname')
    return sql(ScimGroupRow)`select ${COLUMNS} from scim_groups where lower(display_name) = lower(${is})`
  if (by === 'externalid')
    return sql(ScimGroupRow)`select ${COLUMNS} from scim_groups where external_id = ${is} order by id limit 1000`
  return sql(ScimGroupRow)`
    select ${COLUMNS} from scim_groups g
     where exists (select from group_members m where m.organization_id = g.organization_id and m.group_slug = g.slug
                      and m.user_id = ${is} and m.source = 'scim') order by id limit 1000`
}

export interface GroupsWanted {
  readonly since: string | null
  readonly sort: string
  readonly down: boolean
  readonly after: readonly [string, string] | null
  readonly offset: number
  readonly limit: number
}

const Keyed = ScimGroupRow.extend({ key: z.string() })
export type KeyedGroup = z.output<typeof Keyed>
const Count = z.object({ count: z.int() })

export const countGroups = async (sql: OrgSql, { since }: GroupsWanted): Promise<number> =>
  (
    await sql(Count)`
      select count(*)::int as count from scim_groups
       where ${since}::timestamptz is null or updated_at >= ${since}::timestamptz`
  )[0]?.count ?? 0

export const countProvidedGroups = async (sql: OrgSql): Promise<number> =>
  (await sql(Count)`select count(*)::int as count from scim_groups`)[0]?.count ?? 0

export const listGroups = (sql: OrgSql, { since, sort, down, after, offset, limit }: GroupsWanted) => sql(Keyed)`
  select * from (
    select ${COLUMNS},
           (case ${sort}::text when 'displayname' then lower(display_name) when 'externalid' then coalesce(external_id, '')
              when 'meta.lastmodified' then to_char(updated_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.US')
              when 'meta.created' then to_char(created_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.US')
              else id end) collate "C" as key
      from scim_groups where ${since}::timestamptz is null or updated_at >= ${since}::timestamptz) found
   where ${after?.[0] ?? null}::text is null
      or case when ${down}::boolean then (key, id) < (${after?.[0] ?? null}::text, ${after?.[1] ?? null}::text)
              else (key, id) > (${after?.[0] ?? null}::text, ${after?.[1] ?? null}::text) end
   order by case when ${down}::boolean then key end desc, case when ${down}::boolean then id end desc, key, id
   limit ${limit} offset ${offset}`

export interface GroupWords {
  readonly displayName: string
  readonly externalId: string | null
}

/** Undefined where another group has that name. */
export const addGroup = async (sql: OrgSql, organization: OrganizationId, slug: string, words: GroupWords) =>
  (
    await sql(ScimGroupRow)`
      insert into scim_groups (organization_id, id, slug, external_id, display_name)
      values (${organization}, ${newId('scg')}, ${slug}, ${words.externalId}, ${words.displayName})
      on conflict do nothing returning ${COLUMNS}`
  )[0]

/** Its members count as a change, too. */
export const changeGroup = async (sql: OrgSql, id: ScimGroupId, { displayName, externalId }: GroupWords) =>
  (
    await sql(ScimGroupRow)`
      update scim_groups set display_name = ${displayName}, external_id = ${externalId}, version = version + 1, updated_at = now()
       where id = ${id} returning ${COLUMNS}`
  )[0]

const Id = z.object({ id: z.string() })

export const isGroupNameTaken = async (sql: OrgSql, displayName: string, but: string | null): Promise<boolean> =>
  (
    await sql(
      Id,
    )`select id from scim_groups where lower(display_name) = lower(${displayName}) and id is distinct from ${but}`
  ).length > 0

const MemberRow = z.object({ slug: z.string(), user_id: z.string() })

/** Members that the provider added, of these groups; so many at most. */
export const listProvidedMembers = (sql: OrgSql, slugs: readonly string[], limit: number) => sql(MemberRow)`
  select group_slug as slug, user_id from group_members
   where source = 'scim' and group_slug = any(${slugs}::text[]) order by group_slug, user_id limit ${limit}`

/** Those of these people that the provider added to these groups. */
export const listProvidedAmong = (sql: OrgSql, slugs: readonly string[], userIds: readonly string[]) => sql(MemberRow)`
  select group_slug as slug, user_id from group_members
   where source = 'scim' and user_id = any(${[...userIds]}::text[]) and group_slug = any(${slugs}::text[])`

const GroupOfRow = z.object({ user_id: z.string(), id: z.string(), display_name: z.string() })

/** The provided groups of these people. */
export const listGroupsOf = (sql: OrgSql, userIds: readonly string[]) => sql(GroupOfRow)`
  select m.user_id, g.id, g.display_name
    from group_members m join scim_groups g on g.organization_id = m.organization_id and g.slug = m.group_slug
   where m.source = 'scim' and m.user_id = any(${userIds}::text[]) order by m.user_id, g.id`

/** Those of these ids that are members of the organization. */
export const listKnown = async (sql: OrgSql, ids: readonly string[]): Promise<ReadonlySet<string>> =>
  new Set(
    (await sql(Id)`select user_id as id from members where user_id = any(${[...ids]}::text[])`).map(({ id }) => id),
  )

export const dropProvided = (sql: OrgSql, slug: string, but: readonly string[]) => sql(Id)`
  delete from group_members where group_slug = ${slug} and source = 'scim' and user_id <> all(${[...but]}::text[])
  returning user_id as id`
