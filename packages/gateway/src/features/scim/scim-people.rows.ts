/** People whom an identity provider provides, as rows of one organization. Narrowing is by indexes; the rest is compared elsewhere. */
import type { OrganizationId, UserId } from '@toolway/contract'
import { z } from 'zod'
import type { OrgSql, SystemSql } from '../../db/db.ts'
import { part } from '../../db/sql-part.ts'

export const PersonRow = z.object({
  id: z.string().transform((id) => id as UserId),
  external_id: z.string().nullable(),
  user_name: z.string(),
  attributes: z.record(z.string(), z.unknown()),
  version: z.int(),
  created_at: z.date(),
  updated_at: z.date(),
  active: z.boolean(),
})
export type PersonRow = z.output<typeof PersonRow>

const COLUMNS = part`p.user_id as id, p.external_id, p.user_name, p.attributes, p.version::int as version, p.created_at,
       p.updated_at, m.active`
const FROM = part`from scim_people p join members m using (organization_id, user_id)`

type AnySql = OrgSql | SystemSql

export const findPerson = async (
  sql: AnySql,
  organization: OrganizationId,
  id: string,
): Promise<PersonRow | undefined> =>
  (
    await sql(PersonRow)`
      select ${COLUMNS} ${FROM} where p.organization_id = ${organization} and p.user_id = ${id} for update of p`
  )[0]

/** How an index finds a few people. */
export type Narrowing = { readonly by: 'id' | 'username' | 'externalid' | 'displayname' | 'email'; readonly is: string }

export async function findPeople(
  sql: AnySql,
  organization: OrganizationId,
  { by, is }: Narrowing,
): Promise<PersonRow[]> {
  if (by === 'id')
    return sql(PersonRow)`select ${COLUMNS} ${FROM} where p.organization_id = ${organization} and p.user_id = ${is}`
  if (by === 'username')
    return sql(PersonRow)`
      select ${COLUMNS} ${FROM} where p.organization_id = ${organization} and lower(p.user_name) = lower(${is})`
  if (by === 'externalid')
    return sql(PersonRow)`
      select ${COLUMNS} ${FROM} where p.organization_id = ${organization} and p.external_id = ${is} order by p.user_id limit 1000`
  if (by === 'displayname')
    return sql(PersonRow)`
      select ${COLUMNS} ${FROM} where p.organization_id = ${organization} and lower(p.display_name) = lower(${is})
       order by p.user_id limit 1000`
  return sql(PersonRow)`
    select ${COLUMNS} ${FROM} join scim_emails e using (organization_id, user_id)
     where p.organization_id = ${organization} and e.address = lower(${is}) order by p.user_id limit 1000`
}

export interface ListWanted {
  readonly active: boolean | null
  /** Not changed before. */
  readonly since: string | null
  readonly sort: string
  readonly down: boolean
  readonly after: readonly [string, string] | null
  readonly offset: number
  readonly limit: number
}

const Keyed = PersonRow.extend({ key: z.string() })
export type KeyedPerson = z.output<typeof Keyed>
const Count = z.object({ count: z.int() })

export const countPeople = async (sql: AnySql, organization: OrganizationId, { active, since }: ListWanted) =>
  (
    await sql(Count)`
      select count(*)::int as count ${FROM} where p.organization_id = ${organization}
         and (${active}::boolean is null or m.active = ${active})
         and (${since}::timestamptz is null or p.updated_at >= ${since}::timestamptz)`
  )[0]?.count ?? 0

/** In an order, with the key that a cursor goes on from. */
export const listPeople = (
  sql: AnySql,
  organization: OrganizationId,
  { active, since, sort, down, after, offset, limit }: ListWanted,
) => sql(Keyed)`
  select * from (
    select ${COLUMNS},
           (case ${sort}::text when 'username' then lower(p.user_name) when 'displayname' then lower(p.display_name)
              when 'externalid' then coalesce(p.external_id, '')
              when 'meta.lastmodified' then to_char(p.updated_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.US')
              when 'meta.created' then to_char(p.created_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.US')
              else p.user_id end) collate "C" as key
      ${FROM} where p.organization_id = ${organization}
       and (${active}::boolean is null or m.active = ${active})
       and (${since}::timestamptz is null or p.updated_at >= ${since}::timestamptz)) found
   where ${after?.[0] ?? null}::text is null
      or case when ${down}::boolean then (key, id) < (${after?.[0] ?? null}::text, ${after?.[1] ?? null}::text)
              else (key, id) > (${after?.[0] ?? null}::text, ${after?.[1] ?? null}::text) end
   order by case when ${down}::boolean then key end desc, case when ${down}::boolean then id end desc, key, id
   limit ${limit} offset ${offset}`

export interface PersonWords {
  readonly externalId: string | null
  readonly userName: string
  readonly displayName: string
  readonly addresses: readonly string[]
  readonly attributes: object
}

const Id = z.object({ id: z.string() })

/** Undefined where somebody has that user name. */
export async function addPerson(sql: AnySql, organization: OrganizationId, id: UserId, words: PersonWords) {
  const { externalId, userName, displayName, attributes } = words
  const rows = await sql(Id)`
    insert into scim_people (organization_id, user_id, external_id, user_name, display_name, attributes)
    values (${organization}, ${id}, ${externalId}, ${userName}, ${displayName}, ${JSON.stringify(attributes)})
    on conflict do nothing returning user_id as id`
  if (rows.length === 0) return false
  await putAddresses(sql, organization, id, words.addresses)
  return true
}

const putAddresses = async (sql: AnySql, organization: OrganizationId, id: UserId, addresses: readonly string[]) => {
  await sql(Id)`
    delete from scim_emails
     where organization_id = ${organization} and user_id = ${id} and address <> all(${[...addresses]}::text[]) returning user_id as id`
  await sql(Id)`
    insert into scim_emails (organization_id, address, user_id)
    select ${organization}, address, ${id} from unnest(${[...addresses]}::text[]) as address
    on conflict do nothing returning user_id as id`
}

export async function changePerson(sql: AnySql, organization: OrganizationId, id: UserId, words: PersonWords) {
  const { externalId, userName, displayName, attributes } = words
  await sql(Id)`
    update scim_people
       set external_id = ${externalId}, user_name = ${userName}, display_name = ${displayName},
           attributes = ${JSON.stringify(attributes)}, version = version + 1, updated_at = now()
     where organization_id = ${organization} and user_id = ${id} returning user_id as id`
  await putAddresses(sql, organization, id, words.addresses)
}

/** How many people the organization has by SCIM. */
export const countProvided = async (sql: AnySql, organization: OrganizationId): Promise<number> =>
  (await sql(Count)`select count(*)::int as count from scim_people where organization_id = ${organization}`)[0]
    ?.count ?? 0

/** Whether somebody else has the user name, whatever its case. */
export const isNameTaken = async (sql: AnySql, organization: OrganizationId, userName: string, but: string | null) =>
  (
    await sql(Id)`
      select user_id as id from scim_people
       where organization_id = ${organization} and lower(user_name) = lower(${userName}) and user_id is distinct from ${but}`
  ).length > 0

/** Approvals of the person's calls are over: questions as unanswered, and grants that were not used. */
export const endApprovalsOf = (sql: AnySql, organization: OrganizationId, userId: UserId) => sql(Id)`
  update approvals set expires_at = least(expires_at, now()), good_until = least(good_until, now())
   where organization_id = ${organization} and user_id = ${userId} and state in ('pending', 'granted') returning id`

/** The user, where this organization alone vouched for the account and nothing else is the person's (ADR 0142). */
export const removeUserOf = async (sql: SystemSql, organization: OrganizationId, userId: UserId): Promise<boolean> =>
  (
    await sql(Id)`
      delete from users u where u.id = ${userId} and u.vouched_by = ${organization} and not u.platform_admin
         and u.provider = 'local' and u.password is null
         and not exists (select from members m where m.user_id = u.id) returning u.id`
  ).length > 0

/** The account as its provider says it is now: only where no other word than this organization's counts. Whether it has changed. */
export const changeOwnUser = async (
  sql: SystemSql,
  organization: OrganizationId,
  { userId, email, name }: { readonly userId: UserId; readonly email: string; readonly name: string },
) =>
  (
    await sql(Id)`
  update users u set email = ${email}, name = ${name}, updated_at = now()
   where u.id = ${userId} and u.vouched_by = ${organization} and u.provider = 'local' and u.password is null
     and not u.platform_admin and (u.email <> ${email} or u.name <> ${name})
     and not exists (select from members m where m.user_id = u.id and m.organization_id <> ${organization})
  returning u.id`
  ).length > 0
