/**
 * The one `uru_` key that each member has in each organization: created with the member, shown again only to its owner, and
 * replaced on request (ledger S0-AUT-11, -13, -14).
 *
 * A sealed copy is stored beside the hash; it opens only for its own row. Permission to see it is checked before, and not here.
 */
import { newId, type KeyId, type OrganizationId, type UserId } from '@toolway/contract'
import { z } from 'zod'
import type { OrgSql, SystemSql } from '../../db/db.ts'
import { hintOf, mintKey, prefixOf } from './key-forms.ts'
import { addKey, KEY_COLUMNS, KeyRow } from './keys.ts'

export interface Seals {
  hash(text: string): Buffer
  seal(text: string, row: string): Buffer
  open(sealed: Uint8Array, row: string): string
}

export interface Membership {
  readonly organizationId: OrganizationId
  readonly userId: UserId
}

/** The row that the copy of a key is sealed for. */
export const sealedKeyRow = (id: KeyId): string => `key ${id}`

/** The name of members' keys; each member has one. */
export const MEMBER_KEY = 'personal'

/** The most a key of an organization can be: what its member may less, the key may less too. */
const MOST = 'tenant_admin'

interface Made {
  readonly row: KeyRow
  /** Its text, which is told to its member alone. */
  readonly key: string
}

/**
 * Make the member's key if it has none; undefined where it has one. Call it in the transaction that adds the member, under
 * either scope of SQL.
 */
export async function ensureMemberKey(
  sql: OrgSql | SystemSql,
  seals: Pick<Seals, 'hash' | 'seal'>,
  { organizationId, userId }: Membership,
): Promise<Made | undefined> {
  const id = newId('key')
  const key = mintKey('uru')
  const row = await addKey(sql, {
    id,
    organizationId,
    userId,
    family: 'uru',
    role: MOST,
    name: MEMBER_KEY,
    hint: hintOf(key),
    prefix: prefixOf(key),
    hash: seals.hash(key),
    sealed: seals.seal(key, sealedKeyRow(id)),
    toolset: undefined,
    origin: 'member',
    createdBy: userId,
  })
  return row === undefined ? undefined : { row, key }
}

/**
 * Put a new key in the place of the old one, which stops. Undefined where another request has just done so: of two at the same
 * time one wins, and the other is told.
 */
export async function regenerateMemberKey(
  sql: OrgSql | SystemSql,
  seals: Pick<Seals, 'hash' | 'seal'>,
  membership: Membership,
): Promise<(Made & { readonly replaced: string | undefined }) | undefined> {
  const { organizationId, userId } = membership
  const [old] = await sql(z.object({ id: z.string() }))`
    delete from keys where organization_id = ${organizationId} and user_id = ${userId} and family = 'uru' returning id`
  const made = await ensureMemberKey(sql, seals, membership)
  return made === undefined ? undefined : { ...made, replaced: old?.id }
}

const Sealed = KeyRow.pick({ id: true }).extend({ sealed: z.instanceof(Uint8Array).nullable() })

/** The text of the member's key; undefined where it has none. Throws when the copy was changed or is another row's. */
export async function revealMemberKey(
  sql: OrgSql | SystemSql,
  { open }: Pick<Seals, 'open'>,
  { organizationId, userId }: Membership,
): Promise<{ id: KeyId; key: string } | undefined> {
  const [stored] = await sql(Sealed)`
    select id, sealed from keys
     where organization_id = ${organizationId} and user_id = ${userId} and family = 'uru'`
  return stored?.sealed == null ? undefined : { id: stored.id, key: open(stored.sealed, sealedKeyRow(stored.id)) }
}

/** The member's keys of both families, in every organization or in one. */
export const listOwnKeys = (sql: SystemSql, userId: UserId, organizationId: OrganizationId | undefined) => sql(KeyRow)`
  select ${KEY_COLUMNS} from keys k
   where user_id = ${userId} and (${organizationId ?? null}::text is null or organization_id = ${organizationId ?? null})
   order by created_at, id`

/** Remove a key of the member's own; undefined where it is not one. */
export async function removeOwnKey(
  sql: SystemSql,
  userId: UserId,
  organizationId: OrganizationId | undefined,
  id: string,
): Promise<KeyRow | undefined> {
  const rows = await sql(KeyRow)`
    delete from keys k
     where id = ${id} and user_id = ${userId}
       and (${organizationId ?? null}::text is null or organization_id = ${organizationId ?? null})
    returning ${KEY_COLUMNS}`
  return rows[0]
}
