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
import type { OrgSql, SystemSql } from '../../db/db.ts'
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
const Id = z.object({ id: z.string() })

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
    insert into keys (id, organization_id, user_id, family, role, effect_limit, trusted, trusted_by, name, hint, prefix, hash, sealed,
                      toolset, origin, created_by, expires_at)
    values (${id}, ${organizationId}, ${userId}, ${family}, ${role}, ${limit}, ${trustedBy !== null}, ${trustedBy}, ${name}, ${hint}, ${prefix},
            ${hash}, ${sealed}, ${toolset}, ${origin}, ${createdBy}, ${expiresAt})
    on conflict do nothing
    returning id, organization_id, user_id, family, role, effect_limit, trusted, trusted_by, name, hint, prefix, toolset, origin,
              created_at, expires_at, last_used_at`
  return rows[0]
}

/** All that the organization has, those of its members too. */
export const listKeys = (sql: OrgSql) => sql(KeyRow)`
  select id, organization_id, user_id, family, role, effect_limit, trusted, trusted_by, name, hint, prefix, toolset, origin, created_at,
         expires_at, last_used_at
    from keys order by created_at, id`

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
    update keys set trusted = true, trusted_by = ${by} where id = ${id} and trusted and trusted_by is null
    returning id, organization_id, user_id, family, role, effect_limit, trusted, trusted_by, name, hint, prefix, toolset, origin,
              created_at, expires_at, last_used_at`
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
    delete from keys where id = ${id}
    returning id, organization_id, user_id, family, role, effect_limit, trusted, trusted_by, name, hint, prefix, toolset, origin,
              created_at, expires_at, last_used_at`
  return rows[0]
}

/** The key behind a hash, in whichever organization: sign-in happens before the organization is known. */
export async function findKey(sql: SystemSql, hash: Buffer): Promise<KeyRow | undefined> {
  const rows = await sql(KeyRow)`
    select id, organization_id, user_id, family, role, effect_limit, trusted, trusted_by, name, hint, prefix, toolset, origin,
           created_at, expires_at, last_used_at
      from keys where hash = ${hash}`
  return rows[0]
}

/** Note that keys were used up to now. No gateway is told: it changes nothing about them. */
export const noteUses = (sql: SystemSql, ids: readonly KeyId[]) =>
  sql(z.object({}))`update keys set last_used_at = now() where id = any(${ids}::text[])`

/** All keys of the installation, or those of nobody's organization: what a platform administrator sees. */
export const listAllKeys = (sql: SystemSql) => sql(KeyRow)`
  select id, organization_id, user_id, family, role, effect_limit, trusted, trusted_by, name, hint, prefix, toolset, origin, created_at,
         expires_at, last_used_at
    from keys order by created_at, id`
