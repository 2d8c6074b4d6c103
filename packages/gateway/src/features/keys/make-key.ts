/**
 * How a key is made, whoever asks for it: over HTTP or on the command line. One set of rules, one shape, one record.
 *
 * It does not ask who may; it refuses what no key can be, and `refuseBeyond` what this asker may not give.
 */
import {
  Fault,
  LIMITS,
  lesserRole,
  newId,
  type Limit,
  type OrganizationId,
  type Role,
  type UserId,
} from '@toolway/contract'
import type * as shapes from '@toolway/contract/admin'
import type { OrgSql, SystemSql } from '../../db/db.ts'
import { hintOf, mintKey, prefixOf } from '../../identity/keys/key-forms.ts'
import { addKey, type KeyRow } from '../../identity/keys/keys.ts'
import type { Principal } from '../../identity/principal.ts'
import type { Change } from '../../records/change.ts'
import { expiryOf } from './key-expiry.rows.ts'
import { isToolset } from '../../toolsets/supplied-toolsets.ts'

export interface KeyWords {
  readonly organizationId: OrganizationId | undefined
  readonly userId?: UserId
  readonly name: string
  readonly family: 'uru' | 'scoped'
  readonly role: Role
  readonly limit: Limit
  readonly toolset: string | undefined
  readonly trusted: boolean
  readonly expiresAt: Date | undefined
  readonly origin: string
  readonly createdBy: string
}

export interface MadeKey {
  readonly row: KeyRow
  readonly key: string
}

/** Those that were made; the supplied ones are there too. */
export type Toolsets = readonly { readonly slug: string }[]

const wrong = (place: string, problem: string) => new Fault('body.shape', { place, problem })

/** Throws `body.shape` for what no key can be. A key of no organization is the platform's, and of an organization never is. */
function refuseImpossible(
  { organizationId, family, role, toolset, trusted, expiresAt }: KeyWords,
  toolsets: Toolsets,
): void {
  if (role === 'platform_admin' && organizationId !== undefined)
    throw wrong('/scope', 'belongs to no organization: omit tenant_id')
  if (role !== 'platform_admin' && organizationId === undefined)
    throw wrong('/tenant_id', `must specify the organization of a key with the scope ${role}`)
  if (organizationId === undefined && family === 'uru') throw wrong('/family', 'must be scoped for a platform key')
  if (organizationId === undefined && trusted) throw wrong('/trusted', 'is only for keys of an organization')
  if (toolset !== undefined && !isToolset(toolsets, toolset))
    throw wrong('/toolset', 'is not a toolset in that organization')
  if (expiresAt !== undefined && expiresAt.getTime() <= Date.now()) throw wrong('/expires_at', 'must be in the future')
}

/** Throws `body.shape`, and `thing.taken` for a name that its owner has given already. */
export async function makeKey(
  sql: OrgSql | SystemSql,
  hash: (key: string) => Buffer,
  words: KeyWords,
  toolsets: Toolsets,
): Promise<MadeKey> {
  refuseImpossible(words, toolsets)
  const { family: word, trusted, ...rest } = words
  const family = word === 'uru' ? 'uru' : 'smcp'
  const key = mintKey(family, words.role)
  const row = await addKey(sql, {
    ...rest,
    trustedBy: trusted ? words.createdBy : undefined,
    id: newId('key'),
    family,
    hint: hintOf(key),
    prefix: prefixOf(key),
    hash: hash(key),
  })
  if (row === undefined) throw new Fault('thing.taken', { thing: 'key', name: words.name })
  return { row, key }
}

/**
 * Throws `key.beyond` unless the asker, who has that role there, may do at least as much, for as long. A key that calls on behalf of
 * members reaches their files and their accounts, which no role in the organization does: only a platform administrator makes it.
 */
export async function refuseBeyond(
  sql: OrgSql | SystemSql,
  { limit, toolset, keyId }: Principal,
  role: Role,
  keyWords: Pick<KeyWords, 'role' | 'limit' | 'toolset' | 'trusted' | 'expiresAt'>,
): Promise<void> {
  const beyond = (problem: string) => new Fault('key.beyond', { problem })
  if (keyWords.trusted && role !== 'platform_admin')
    throw beyond('only a platform administrator can create a key that calls on behalf of members')
  if (lesserRole(keyWords.role, role) !== keyWords.role)
    throw beyond(`its scope would be ${keyWords.role}, but yours is ${role}`)
  if (LIMITS.indexOf(keyWords.limit) > LIMITS.indexOf(limit))
    throw beyond(`its limit would be ${keyWords.limit}, but yours is ${limit}`)
  if (toolset !== undefined && keyWords.toolset !== toolset) throw beyond(`yours is limited to the toolset ${toolset}`)
  if (keyId === undefined) return
  const until = await expiryOf(sql, keyId)
  if (until !== undefined && (keyWords.expiresAt === undefined || keyWords.expiresAt > until))
    throw beyond('it would expire after the key that creates it')
}

export const toKey = (row: KeyRow): shapes.Key => ({
  id: row.id,
  name: row.name,
  family: row.family === 'uru' ? 'uru' : 'scoped',
  prefix: row.prefix,
  hint: row.hint,
  scope: row.role,
  limit: row.effect_limit,
  toolset: row.toolset,
  trusted: row.trusted,
  trust_waits: row.trusted && row.trusted_by === null,
  tenant_id: row.organization_id,
  user_id: row.user_id,
  origin: row.origin,
  created_at: row.created_at.toISOString(),
  expires_at: row.expires_at?.toISOString() ?? null,
  last_used_at: row.last_used_at?.toISOString() ?? null,
})

export const keyChange = (
  action: shapes.AuditAction & `key.${string}`,
  row: KeyRow,
  more: Record<string, unknown> = {},
): Change => ({
  action,
  resource: 'key',
  id: row.id,
  detail: {
    name: row.name,
    scope: row.role,
    limit: row.effect_limit,
    ...(row.toolset === null ? {} : { toolset: row.toolset }),
    ...(row.user_id === null ? {} : { user: row.user_id }),
    ...(row.trusted ? { trusted: true } : {}),
    ...(row.expires_at === null ? {} : { expires_at: row.expires_at.toISOString() }),
    ...more,
  },
})
