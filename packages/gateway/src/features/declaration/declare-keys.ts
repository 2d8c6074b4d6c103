/**
 * Keys of a declaration file, whose values no operation takes: only a start has them. A key that changes is another one, and keeps the
 * rules that were made for it.
 */
import type { OrganizationId } from '@toolway/contract'
import type { OrgSql } from '../../db/db.ts'
import { hintOf, prefixOf, roleOfMark } from '../../identity/keys/key-forms.ts'
import { addKey, holdsKey, listKeys, removeKey, type KeyRow } from '../../identity/keys/keys.ts'
import { carryKeyRules } from '../../policy/stored/organization-rules.ts'
import type { Change } from '../../records/change.ts'
import type { Vault } from '../../vault/vault.ts'
import { keyChange } from '../keys/index.ts'
import type { DeclaredKey } from './declared.ts'
import { START } from './steps.ts'

const FILE = 'file'

export interface DeclareKeys {
  readonly sql: OrgSql
  readonly vault: Pick<Vault, 'hash'>
  readonly organizationId: OrganizationId
}

/** Returns the changes, for the records. Throws DeclarationConflict. */
export async function declareKeys(parts: DeclareKeys, keys: readonly DeclaredKey[]): Promise<readonly Change[]> {
  const listOwn = async () => (await listKeys(parts.sql)).filter(({ user_id: user }) => user === null)
  const before = await listOwn()
  if (keys.length === 0 && before.every(({ origin }) => origin !== FILE)) return []
  const changes: Change[] = []
  await carryKeyRules(
    parts.sql,
    parts.organizationId,
    async () => void changes.push(...(await replaceKeys(parts, before, keys))),
    async () => {
      const after = new Map((await listOwn()).map(({ id, name }) => [name, id]))
      return new Map(before.flatMap(({ id, name }) => [[id, after.get(name)] as const]))
    },
  )
  return changes
}

async function replaceKeys(
  { sql, vault, organizationId }: DeclareKeys,
  present: readonly KeyRow[],
  keys: readonly DeclaredKey[],
): Promise<Change[]> {
  const changes: Change[] = []
  const missing = new Map(keys.map((key) => [key.name, key]))
  for (const stored of present) {
    if (stored.origin !== FILE) continue
    const key = missing.get(stored.name)
    const same = key !== undefined && isSame(key, stored) && (await holdsKey(sql, stored.name, vault.hash(key.value)))
    if (same) {
      missing.delete(stored.name)
      continue
    }
    await removeKey(sql, stored.name)
    changes.push(keyChange('key.remove', stored, { origin: FILE }))
  }
  for (const { name, value, expires, trusted = false, ...rest } of missing.values()) {
    const added = await addKey(sql, {
      ...rest,
      trustedBy: trusted ? FILE : undefined,
      organizationId,
      family: roleOfMark(value) === undefined ? 'uru' : 'smcp',
      name,
      hint: hintOf(value),
      prefix: prefixOf(value),
      hash: vault.hash(value),
      expiresAt: expires,
      origin: FILE,
    })
    if (added === undefined) {
      const origin = present.find((stored) => stored.name === name)?.origin ?? 'another key with the same value'
      START.refuse({ thing: 'key', name, origin, fields: [] })
    } else changes.push(keyChange('key.add', added, { origin: FILE }))
  }
  return changes
}

const isSame = ({ toolset, role, limit, trusted, expires }: DeclaredKey, stored: KeyRow): boolean =>
  (toolset ?? null) === stored.toolset &&
  (role ?? 'tenant_member') === stored.role &&
  (limit ?? 'execute') === stored.effect_limit &&
  (trusted ?? false) === stored.trusted &&
  (expires?.getTime() ?? null) === (stored.expires_at?.getTime() ?? null)
