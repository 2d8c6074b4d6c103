/**
 * Keys as they are kept: by keyed hash only, with what they may, and never as a text that somebody could read.
 *
 * A key of a member also has a copy that the vault sealed, which only `member-keys.ts` makes.
 */
import {
  LIMITS,
  newId,
  ROLES,
  type KeyId,
  type Limit,
  type OrganizationId,
  type Role,
  type UserId,
} from '@toolway/contract'
import { z } from 'zod'
import type { KEY_SORTS } from '@toolway/contract/admin'
import type { OrgSql, SystemSql } from '../../db/db.ts'
import { part } from '../../db/sql-part.ts'
import type { Order } from '../../lib/page.ts'
import { FAMILIES, type Family } from './key-forms.ts'

export { hintOf, KEY_FORM, mintKey } from './key-forms.ts'

export const KeyRow = z.object({
  id: z.string().transform((id) => id as KeyId),
  /** Null for a platform key. */
  organization_id: z
    .string()
    .transform((id) => id as OrganizationId)
    .nullable(),
  /** The user that owns the key; null for keys of the organization. */
  user_id: z
    .string()
    .transform((id) => id as UserId)
    .nullable(),
  family: z.enum(FAMILIES),
  role: z.enum(ROLES),
  effect_limit: z.enum(LIMITS),
  /** Made to call on behalf of members. */
  trusted: z.boolean(),
  /** The platform administrator, or the operator's file, that allows that; null: nobody has, and it may not. */
  trusted_by: z.string().nullable(),
  name: z.string(),
  hint: z.string(),
  /** Null for keys that were made before prefixes were kept. */
  prefix: z.string().nullable(),
  toolset: z.string().nullable(),
  origin: z.string(),
  created_at: z.date(),
  expires_at: z.date().nullable(),
  last_used_at: z.date().nullable(),
})
export type KeyRow = z.output<typeof KeyRow>
/** The columns of a `KeyRow`, of `keys k`. */
export const KEY_COLUMNS = part`
  k.id, k.organization_id, k.user_id, k.family, k.role, k.effect_limit, k.trusted, k.trusted_by, k.name, k.hint, k.prefix, k.toolset,
  k.origin, k.created_at, k.expires_at, k.last_used_at`
const Id = z.object({ id: z.string() })
const Count = z.object({ count: z.int() })

export interface NewKey {
  readonly id?: KeyId
  /** Undefined for a platform key, which only the system can add. */
  readonly organizationId: OrganizationId | undefined
  readonly userId?: UserId | undefined
  readonly family?: Family
  readonly role?: Role
  readonly limit?: Limit
  /** Who allows it to call on behalf of members: a platform administrator, or the operator's file. Undefined: it may not. */
  readonly trustedBy?: string | undefined
  readonly name: string
  readonly hint: string
  readonly prefix?: string
  readonly hash: Buffer
  /** The copy that its member may see again, sealed for `sealedKeyRow(id)`. */
  readonly sealed?: Buffer
  readonly toolset: string | undefined
  readonly origin: string
  readonly createdBy?: string
  readonly expiresAt?: Date | undefined
}

/** Add a key; undefined when its owner has one of that name already, or its second of the first family. */
export async function addKey(sql: OrgSql | SystemSql, key: NewKey): Promise<KeyRow | undefined> {
  const { id = newId('key'), organizationId = null, userId = null, family = 'uru', role = 'tenant_member' } = key
  const { limit = 'execute', trustedBy = null, name, hint, prefix = null, hash, sealed = null } = key
  const { toolset = null, origin, createdBy = null, expiresAt = null } = key
  const rows = await sql(KeyRow)`
    insert into keys as k (id, organization_id, user_id, family, role, effect_limit, trusted, trusted_by, name, hint, prefix, hash, sealed,
                      toolset, origin, created_by, expires_at)
    values (${id}, ${organizationId}, ${userId}, ${family}, ${role}, ${limit}, ${trustedBy !== null}, ${trustedBy}, ${name}, ${hint}, ${prefix},
            ${hash}, ${sealed}, ${toolset}, ${origin}, ${createdBy}, ${expiresAt})
    on conflict do nothing
    returning ${KEY_COLUMNS}`
  return rows[0]
}

/** All that the organization has, those of its members too. */
export const listKeys = (sql: OrgSql) => sql(KeyRow)`
  select ${KEY_COLUMNS} from keys k order by created_at, id`

/** Those of these ids or names. */
export const listKeysOf = (sql: OrgSql, names: readonly string[]) => sql(KeyRow)`
  select ${KEY_COLUMNS} from keys k where id = any(${names}::text[]) or name = any(${names}::text[]) order by created_at, id`

const KeyOnPage = KeyRow.extend({ key: z.string(), user_email: z.string().nullable() })
export type KeyOnPage = z.output<typeof KeyOnPage>

export interface KeyFilter {
  /** Part of a name, of an ending or of its member's email. */
  readonly search?: string | undefined
  readonly owner?: 'organization' | 'member' | undefined
  /** For those who see the keys of all. */
  readonly organizationId?: string | undefined
}

/** A page in an order, read by the key of its last row, and how many there are in all; of the whole installation for the system. */
export async function listKeyPage(
  sql: OrgSql | SystemSql,
  { search, owner, organizationId }: KeyFilter,
  { sort = 'created_at', order, after, offset, rowLimit }: Order<(typeof KEY_SORTS)[number]>,
) {
  const [searched, down] = [search?.trim().toLowerCase() ?? '', order === 'desc']
  const [key = null, id = null] = after ?? []
  const [organization, members] = [organizationId ?? null, owner === undefined ? null : owner === 'member']
  const found = part`
        from keys k left join users u on u.id = k.user_id
       where (k.id = ${searched} or position(${searched} in lower(k.name)) > 0 or position(${searched} in lower(k.hint)) > 0
              or position(${searched} in coalesce(u.email, '')) > 0)
         and (${organization}::text is null or k.organization_id = ${organization})
         and (${members}::boolean is null or (k.user_id is not null) = ${members}::boolean)`
  const [counted] = await sql(Count)`select count(*)::int as count ${found}`
  const rows = await sql(KeyOnPage)`
    select * from (
      select ${KEY_COLUMNS}, u.email as user_email,
             (case ${sort}::text when 'name' then lower(k.name)
                when 'last_used_at' then coalesce(to_char(k.last_used_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.US'), '')
                when 'expires_at' then coalesce(to_char(k.expires_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.US'), '')
                else to_char(k.created_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.US') end) collate "C" as key
        ${found}) found
     where ${key}::text is null
        or case when ${down}::boolean then (key, id) < (${key}::text, ${id}::text)
                else (key, id) > (${key}::text, ${id}::text) end
     order by case when ${down}::boolean then key end desc, case when ${down}::boolean then id end desc, key, id
     limit ${rowLimit} offset ${offset}`
  return { rows, total: counted?.count ?? 0 }
}

/** These keys, with the emails of their members. */
export const listKeysNamed = (sql: OrgSql | SystemSql, ids: readonly string[]) =>
  sql(z.object({ id: z.string(), name: z.string(), email: z.string().nullable() }))`
    select k.id, k.name, u.email from keys k left join users u on u.id = k.user_id where k.id = any(${ids}::text[])`

/** By its id, else the organization's own of that name. */
export async function findKeyNamed(sql: OrgSql, name: string): Promise<KeyRow | undefined> {
  const rows = await sql(KeyRow)`
    select ${KEY_COLUMNS} from keys k where id = ${name} or (name = ${name} and user_id is null) order by (id = ${name}) desc limit 1`
  return rows[0]
}

/** Whether the key of this name is the one with this hash. */
export const holdsKey = async (sql: OrgSql, name: string, hash: Buffer): Promise<boolean> =>
  (await sql(Id)`select id from keys where name = ${name} and user_id is null and hash = ${hash}`).length > 0

/** Of the organization's own: a member's is removed by its id. */
export const removeKey = async (sql: OrgSql, name: string): Promise<boolean> =>
  (await sql(Id)`delete from keys where name = ${name} and user_id is null returning id`).length > 0

/** Allows a key that was made to call on behalf of members to do so; undefined where there is no such key that waits for it. */
export async function storeTrust(sql: SystemSql, id: string, by: string): Promise<KeyRow | undefined> {
  // `trusted` is set again because gateways are told of a change of that column.
  const rows = await sql(KeyRow)`
    update keys k set trusted = true, trusted_by = ${by} where id = ${id} and trusted and trusted_by is null
    returning ${KEY_COLUMNS}`
  return rows[0]
}

/** Keys that were made to call on behalf of members, which no platform administrator has allowed. */
export const listUntrusted = (sql: OrgSql) =>
  sql(
    z.object({ name: z.string() }),
  )`select name from keys where trusted and trusted_by is null order by created_at, id`

/** Returns the removed key. */
export async function removeKeyById(sql: OrgSql | SystemSql, id: string): Promise<KeyRow | undefined> {
  const rows = await sql(KeyRow)`
    delete from keys k where id = ${id}
    returning ${KEY_COLUMNS}`
  return rows[0]
}

/** The key behind a hash, in whichever organization: sign-in happens before the organization is known. */
export async function findKey(sql: SystemSql, hash: Buffer): Promise<KeyRow | undefined> {
  const rows = await sql(KeyRow)`
    select ${KEY_COLUMNS} from keys k where hash = ${hash}`
  return rows[0]
}

/** Note that keys were used up to now. No gateway is told: it changes nothing about them. */
export const noteUses = (sql: SystemSql, ids: readonly KeyId[]) =>
  sql(z.object({}))`update keys set last_used_at = now() where id = any(${ids}::text[])`
