/**
 * Keys: what they look like, how they are kept (by keyed hash only) and found.
 *
 * A key is 256 bits of randomness, so its hash needs no slowness; the key itself is shown once and stored nowhere.
 */
import { randomBytes } from 'node:crypto'
import { LIMITS, newId, ROLES, type KeyId, type OrganizationId, type UserId } from '@toolway/contract'
import { z } from 'zod'
import type { OrgSql, SystemSql } from '../db/db.ts'

/** `uru_` and 64 hex digits (S0-AUT-09). */
export const KEY_FORM = /^uru_[0-9a-f]{64}$/
export const mintKey = (): string => `uru_${randomBytes(32).toString('hex')}`

const HINT_LENGTH = 4
export const hintOf = (key: string): string => key.slice(-HINT_LENGTH)

export const KeyRow = z.object({
  id: z.string().transform((id) => id as KeyId),
  /** Null for a platform key. */
  organization_id: z
    .string()
    .transform((id) => id as OrganizationId)
    .nullable(),
  user_id: z
    .string()
    .transform((id) => id as UserId)
    .nullable(),
  role: z.enum(ROLES),
  effect_limit: z.enum(LIMITS),
  name: z.string(),
  hint: z.string(),
  toolset: z.string().nullable(),
  origin: z.string(),
  created_at: z.date(),
  expires_at: z.date().nullable(),
})
export type KeyRow = z.output<typeof KeyRow>

export interface NewKey {
  readonly organizationId: OrganizationId
  readonly name: string
  readonly hint: string
  readonly hash: Buffer
  readonly toolset: string | undefined
  readonly origin: string
}

/** Add a key; undefined when the organization has one of that name already. */
export async function addKey(sql: OrgSql, { organizationId, name, hint, hash, toolset, origin }: NewKey) {
  const rows = await sql(KeyRow)`
    insert into keys (id, organization_id, name, hint, hash, toolset, origin)
    values (${newId('key')}, ${organizationId}, ${name}, ${hint}, ${hash}, ${toolset ?? null}, ${origin})
    on conflict do nothing
    returning id, organization_id, user_id, role, effect_limit, name, hint, toolset, origin, created_at, expires_at`
  return rows[0]
}

export const listKeys = (sql: OrgSql) => sql(KeyRow)`
  select id, organization_id, user_id, role, effect_limit, name, hint, toolset, origin, created_at, expires_at from keys order by created_at, id`

/** Whether the key of this name is the one with this hash. */
export const holdsKey = async (sql: OrgSql, name: string, hash: Buffer): Promise<boolean> =>
  (await sql(z.object({ id: z.string() }))`select id from keys where name = ${name} and hash = ${hash}`).length > 0

export const removeKey = async (sql: OrgSql, name: string): Promise<boolean> =>
  (await sql(z.object({ id: z.string() }))`delete from keys where name = ${name} returning id`).length > 0

/** The key behind a hash, in whichever organization: sign-in happens before the organization is known. */
export async function findKey(sql: SystemSql, hash: Buffer): Promise<KeyRow | undefined> {
  const rows = await sql(KeyRow)`
    select id, organization_id, user_id, role, effect_limit, name, hint, toolset, origin, created_at, expires_at from keys where hash = ${hash}`
  return rows[0]
}
