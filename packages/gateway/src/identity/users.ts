/** People: their rows, found by who signs in before any organization is known. It never tells a password's hash onwards. */
import { newId, type OrganizationId, type UserId } from '@toolway/contract'
import { z } from 'zod'
import type { USER_SORTS, USER_SOURCES } from '@toolway/contract/admin'
import type { SystemSql } from '../db/db.ts'
import { part } from '../db/sql-part.ts'
import type { Order } from '../lib/page.ts'

export const UserRow = z.object({
  id: z.string().transform((id) => id as UserId),
  email: z.string(),
  name: z.string(),
  provider: z.string(),
  platform_admin: z.boolean(),
  active: z.boolean(),
  epoch: z.int(),
  created_at: z.date(),
  signed_in_at: z.date().nullable(),
})
export type UserRow = z.output<typeof UserRow>

const WithPassword = UserRow.extend({
  password: z.string().nullable(),
  provider_subject: z.string().nullable(),
  /** The organization on whose word alone the email is the person's; null where that is proven. */
  vouched_by: z.string().nullable(),
})
export type UserWithPassword = z.output<typeof WithPassword>

export const emailOf = (text: string): string => text.trim().toLowerCase()

export async function findUser(sql: SystemSql, id: string): Promise<UserWithPassword | undefined> {
  const rows = await sql(WithPassword)`
    select id, email, name, provider, platform_admin, active, epoch, created_at, signed_in_at, password, provider_subject,
           vouched_by
      from users where id = ${id}`
  return rows[0]
}

export async function findUserByEmail(sql: SystemSql, email: string): Promise<UserWithPassword | undefined> {
  const rows = await sql(WithPassword)`
    select id, email, name, provider, platform_admin, active, epoch, created_at, signed_in_at, password, provider_subject,
           vouched_by
      from users where email = ${emailOf(email)}`
  return rows[0]
}

export async function findUserOfProvider(sql: SystemSql, provider: string, subject: string) {
  const rows = await sql(WithPassword)`
    select id, email, name, provider, platform_admin, active, epoch, created_at, signed_in_at, password, provider_subject,
           vouched_by
      from users where provider = ${provider} and provider_subject = ${subject}`
  return rows[0]
}

const Count = z.object({ count: z.int() })
export const countUsers = async (sql: SystemSql): Promise<number> =>
  (await sql(Count)`select count(*)::int as count from users`)[0]?.count ?? 0

export interface NewUser {
  readonly email: string
  readonly name: string
  /** A hash. */
  readonly password: string | null
  readonly provider?: { readonly issuer: string; readonly subject: string }
  readonly platformAdmin?: boolean
  /** The organization whose administrator makes it. */
  readonly vouchedBy?: OrganizationId | undefined
}

/** Undefined when somebody has that email already. */
export async function addUser(sql: SystemSql, user: NewUser): Promise<UserRow | undefined> {
  const { email, name, password, provider, platformAdmin = false, vouchedBy } = user
  const rows = await sql(UserRow)`
    insert into users (id, email, name, password, provider, provider_subject, platform_admin, vouched_by)
    values (${newId('usr')}, ${emailOf(email)}, ${name}, ${password}, ${provider?.issuer ?? 'local'},
            ${provider?.subject ?? null}, ${platformAdmin}, ${vouchedBy ?? null})
    on conflict do nothing
    returning id, email, name, provider, platform_admin, active, epoch, created_at, signed_in_at`
  return rows[0]
}

export const noteSignedIn = (sql: SystemSql, id: UserId) => sql(Id)`
  update users set signed_in_at = now() where id = ${id} returning id`

const Id = z.object({ id: z.string() })

/** Every token that was made before is refused: the epoch is raised. */
export const setPassword = async (sql: SystemSql, id: UserId, password: string): Promise<void> =>
  void (await sql(Id)`
    update users set password = ${password}, epoch = epoch + 1, updated_at = now() where id = ${id} returning id`)

export interface UserFilter {
  /** Part of an email or a name. */
  readonly search?: string | undefined
  readonly is_active?: boolean | undefined
  readonly platform_admin?: boolean | undefined
  readonly source?: (typeof USER_SOURCES)[number] | undefined
  /** The slug of an organization that they are members of. */
  readonly organization?: string | undefined
  readonly seen_after?: string | undefined
  /** People who were never seen are among them. */
  readonly seen_before?: string | undefined
}

const UserOnPage = UserRow.extend({
  key: z.string(),
  source: z.enum(['local', 'provider', 'scim']),
  last_seen_at: z.date().nullable(),
})
export type UserOnPage = z.output<typeof UserOnPage>

const FOUND = part`
  from users u
  cross join lateral (
    select case when exists (select from scim_people p where p.user_id = u.id) then 'scim'
                when u.provider <> 'local' or exists (select from identity_links i where i.user_id = u.id) then 'provider'
                else 'local' end as source) s
  cross join lateral (
    select greatest(u.signed_in_at, (select max(f.used_at) from sign_ins f where f.user_id = u.id)) as last_seen_at) l`

function matching({ search, organization, source, is_active: isActive, platform_admin: isAdmin, ...seen }: UserFilter) {
  const searched = search?.trim().toLowerCase() ?? ''
  const [active, admin, by, of] = [isActive ?? null, isAdmin ?? null, source ?? null, organization ?? null]
  const [after, before] = [seen.seen_after ?? null, seen.seen_before ?? null]
  return part`
    where (position(${searched} in lower(u.email)) > 0 or position(${searched} in lower(u.name)) > 0)
      and u.active = coalesce(${active}::boolean, u.active)
      and u.platform_admin = coalesce(${admin}::boolean, u.platform_admin)
      and (${by}::text is null or s.source = ${by})
      and (${of}::text is null
           or exists (select from members m join organizations o on o.id = m.organization_id
                       where m.user_id = u.id and o.slug = ${of}))
      and (${after}::timestamptz is null or l.last_seen_at >= ${after}::timestamptz)
      and (${before}::timestamptz is null or coalesce(l.last_seen_at < ${before}::timestamptz, true))`
}

const UTC = part`'YYYY-MM-DD HH24:MI:SS.US'`

/** A page in an order, read by the key of its last row, and how many there are in all. */
export async function listUserPage(
  sql: SystemSql,
  filter: UserFilter,
  { sort = 'email', order, after, offset, rowLimit }: Order<(typeof USER_SORTS)[number]>,
) {
  const down = order === 'desc'
  const [key = null, id = null] = after ?? []
  const where = matching(filter)
  const [counted] = await sql(Count)`select count(*)::int as count ${FOUND} ${where}`
  const rows = await sql(UserOnPage)`
    select * from (
      select u.id, u.email, u.name, u.provider, u.platform_admin, u.active, u.epoch, u.created_at, u.signed_in_at,
             s.source, l.last_seen_at,
             (case ${sort}::text when 'name' then lower(u.name)
                when 'created_at' then to_char(u.created_at at time zone 'UTC', ${UTC})
                when 'signed_in_at' then coalesce(to_char(u.signed_in_at at time zone 'UTC', ${UTC}), '')
                when 'last_seen_at' then coalesce(to_char(l.last_seen_at at time zone 'UTC', ${UTC}), '')
                else u.email end) collate "C" as key
        ${FOUND} ${where}) found
     where ${key}::text is null
        or case when ${down}::boolean then (key, id) < (${key}::text, ${id}::text)
                else (key, id) > (${key}::text, ${id}::text) end
     order by case when ${down}::boolean then key end desc, case when ${down}::boolean then id end desc, key, id
     limit ${rowLimit} offset ${offset}`
  return { rows, total: counted?.count ?? 0 }
}

export interface UserChange {
  readonly name?: string | undefined
  readonly active?: boolean | undefined
  readonly platformAdmin?: boolean | undefined
}

/** A user who is deactivated loses every token: the epoch is raised. */
export async function changeUser(sql: SystemSql, id: UserId, change: UserChange): Promise<UserRow | undefined> {
  const { name = null, active = null, platformAdmin = null } = change
  const rows = await sql(UserRow)`
    update users
       set name = coalesce(${name}, name),
           active = coalesce(${active}, active),
           platform_admin = coalesce(${platformAdmin}, platform_admin),
           epoch = epoch + case when ${active === false} then 1 else 0 end,
           updated_at = now()
     where id = ${id}
    returning id, email, name, provider, platform_admin, active, epoch, created_at, signed_in_at`
  return rows[0]
}

export const removeUser = async (sql: SystemSql, id: UserId): Promise<boolean> =>
  (await sql(Id)`delete from users where id = ${id} returning id`).length > 0

/** Locks every platform administrator, so that of two who are demoted at once one is refused; whether another is left. */
export async function hasOtherPlatformAdmin(sql: SystemSql, id: UserId): Promise<boolean> {
  const rows = await sql(Id)`select id from users where platform_admin and active order by id for update`
  return rows.some((row) => row.id !== id)
}

/** From now on an identity provider signs the person in, and no password does: whoever set it may not have been them. */
export async function joinProvider(sql: SystemSql, id: UserId, issuer: string, subject: string): Promise<void> {
  await removeOtherWays(sql, id)
  await sql(Id)`
    update users
       set provider = ${issuer}, provider_subject = ${subject}, password = null, vouched_by = null,
           epoch = epoch + 1, updated_at = now()
     where id = ${id} returning id`
}

/**
 * A person who had the account before may have added them, and would come back by a passkey or a linked identity. Links of an account
 * that has no password and needs no organization's word were made by those who decide over its address.
 */
async function removeOtherWays(sql: SystemSql, id: UserId): Promise<void> {
  await sql(Id)`
    delete from identity_links l using users u
     where l.user_id = ${id} and u.id = ${id} and (u.password is not null or u.vouched_by is not null)
    returning l.user_id as id`
  await sql(Id)`delete from passkeys where user_id = ${id} returning user_id as id`
  await sql(Id)`delete from authenticator_apps where user_id = ${id} returning user_id as id`
  await sql(Id)`delete from recovery_codes where user_id = ${id} returning user_id as id`
}

/** Whether an identity provider that is a row signs the person in. */
export const hasProvider = async (sql: SystemSql, id: UserId): Promise<boolean> =>
  (await sql(Id)`select user_id as id from identity_links where user_id = ${id} limit 1`).length > 0

/** The platform says that the account is the person's: its word is good everywhere. */
export const vouchFor = async (sql: SystemSql, id: UserId): Promise<void> =>
  void (await sql(Id)`update users set vouched_by = null, updated_at = now() where id = ${id} returning id`)

/** No password signs the person in any more, and no organization's word is needed: whoever decides over the address has shown who it is. */
export async function dropPassword(sql: SystemSql, id: UserId): Promise<void> {
  await removeOtherWays(sql, id)
  await sql(Id)`
    update users set password = null, vouched_by = null, epoch = epoch + 1, updated_at = now() where id = ${id} returning id`
}
