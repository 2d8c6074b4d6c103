/**
 * Determines which root keys belong to this database, and which of them seals. The database remembers their fingerprints and
 * never a key (installation row `vault`); the keys themselves come from `key-sources.ts`. The very first start binds the two.
 *
 * The database chooses the sealing key, and not the order of the sources, so that every gateway can know a key before the first
 * value is sealed with it.
 */
import { z } from 'zod'
import type { Db, SystemSql } from '../db/db.ts'
import { countSealed } from './count-sealed.ts'
import type { KeyServiceFault } from './key-service/key-service.ts'
import { addWrappedKey, readWrappedKeys } from './key-service/wrapped-rows.ts'
import type { Found, FoundKey, KeySources } from './key-sources.ts'
import { firstHashRoot, idOf } from './root.ts'
import { secretSealContext } from './sealed-columns.ts'
import { createVault, type Ring, type TurningVault } from './vault.ts'

const Remembered = z.object({
  /** Of the key that seals. */
  fingerprint: z.string(),
  /** Every key that values may be sealed with. Absent where an earlier version wrote it: that one alone. */
  fingerprints: z.array(z.string()).optional(),
})
const Row = z.object({ value: Remembered })
const Secret = z.object({ sealed: z.instanceof(Buffer) })
const Nothing = z.object({})
const Said = z.object({ said: z.string() })
const HASH_ROOT = 'hash root'
/** "vault" as digits of a phone: starts, rotations and retirements take turns. */
const LOCK = 82_858

/** The database's values are sealed with a key that is not there. */
export class WrongVaultKey extends Error {
  constructor(directory: string, missing: readonly string[], { keys, notes }: Found) {
    const there = keys.length === 0 ? 'none was found' : keys.map(({ id, source }) => `${id} from ${source}`).join(', ')
    super(
      `The database was encrypted with a different vault key than the one in ${directory} (it needs ${missing.join(', ')}; ${[there, ...notes].join('; ')}): restore that vault.key, or set MCP_ENCRYPTION_KEY or MCP_ENCRYPTION_KEY_PREVIOUS to what it was, or use the data directory that belongs to the database.`,
    )
  }
}

/** The key service did not open the key that the database needs: a matter of minutes or of rights, and no wrong key. */
export class WrappedKeyClosed extends Error {
  constructor(failure: KeyServiceFault) {
    super(
      `The vault key of this database is wrapped, and ${failure.message}: check the service and this gateway’s permissions in it, then start again.`,
      { cause: failure },
    )
  }
}

/** A database that is bound, as the vault needs it. */
export interface BoundRing {
  /** The one that seals first; those that the database knows. */
  readonly keys: readonly [FoundKey, ...FoundKey[]]
  /** Keys from the sources that the database does not know. */
  readonly unknown: readonly FoundKey[]
  /** Ids of keys that the database knows and no source has; nothing is sealed with them. */
  readonly missing: readonly string[]
  readonly notes: readonly string[]
  readonly ring: Ring
}

export const lockRing = (sql: SystemSql) => sql(Said)`select pg_advisory_xact_lock(${LOCK})::text as said`

/** Throws WrongVaultKey. Makes the first key of an installation, and what look-up hashes are keyed with. */
export const bindRing = (db: Db, sources: KeySources): Promise<BoundRing> =>
  db.system((sql) => bindRingIn(sql, sources))

/** Within a transaction, whose end lets the next one in. */
export async function bindRingIn(sql: SystemSql, sources: KeySources): Promise<BoundRing> {
  await lockRing(sql)
  const found = await sources.find(await readWrappedKeys(sql))
  const remembered = (await readRemembered(sql)) ?? (await rememberFirst(sql, found, sources))
  const current = remembered.first ?? found.keys.find(({ fingerprint }) => fingerprint === remembered.fingerprint)
  if (current === undefined && found.failure !== undefined) throw new WrappedKeyClosed(found.failure)
  if (current === undefined) throw new WrongVaultKey(sources.directory, [idOf(remembered.fingerprint)], found)
  const { others, missing } = await othersOf(sql, sources.directory, remembered, found)
  const keys = [current, ...others] as const
  const ring = await withHashRoot(
    sql,
    keys.map(({ root }) => root),
    current.root,
  )
  const unknown = found.keys.filter((key) => !keys.some(({ id }) => id === key.id))
  return { keys, unknown, missing, notes: found.notes, ring }
}

interface KnownRootKey extends z.output<typeof Remembered> {
  readonly first?: FoundKey
}

export async function readRemembered(sql: SystemSql): Promise<KnownRootKey | undefined> {
  const [row] = await sql(Row)`select value from installation where name = 'vault'`
  return row?.value
}

export const knownFingerprints = ({ fingerprint, fingerprints }: KnownRootKey): readonly string[] => [
  fingerprint,
  ...(fingerprints ?? []).filter((value) => value !== fingerprint),
]

export const writeRemembered = async (sql: SystemSql, fingerprint: string, fingerprints: readonly string[]) => {
  const value = JSON.stringify({ fingerprint, fingerprints: [...new Set([fingerprint, ...fingerprints])] })
  await sql(Nothing)`
    insert into installation (name, value) values ('vault', ${value})
    on conflict (name) do update set value = excluded.value`
  // Every gateway looks its keys up anew.
  await sql(Said)`select announce_change('{"table":"vault"}')::text as said`
}

async function rememberFirst(sql: SystemSql, { keys }: Found, sources: KeySources): Promise<KnownRootKey> {
  const first = keys[0] ?? (await sources.makeFirst())
  if (first.wrapped !== undefined) await addWrappedKey(sql, first.wrapped)
  await writeRemembered(sql, first.fingerprint, [])
  return { fingerprint: first.fingerprint, first }
}

/** A key that nothing is sealed with may be away; one that is needed may not. */
async function othersOf(sql: SystemSql, directory: string, known: KnownRootKey, found: Found) {
  const older = knownFingerprints(known).slice(1)
  const keyOf = (wantedOne: string) => found.keys.find(({ fingerprint }) => fingerprint === wantedOne)
  const missing = older.filter((value) => keyOf(value) === undefined).map(idOf)
  if (missing.length > 0) {
    const counts = await countSealed(sql)
    const needed = missing.filter((id) => counts.some(({ key }) => key === id || key === 'unnamed'))
    if (needed.length > 0 && found.failure !== undefined) throw new WrappedKeyClosed(found.failure)
    if (needed.length > 0) throw new WrongVaultKey(directory, needed, found)
  }
  return { others: older.flatMap((value) => keyOf(value) ?? []), missing }
}

/** Kept apart from the root keys, so that keys are found by the same hash whichever of them seals. */
async function withHashRoot(sql: SystemSql, roots: readonly Buffer[], current: Buffer): Promise<Ring> {
  const vault = createVault({ roots })
  const [stored] = await sql(Secret)`select sealed from vault_secrets where name = ${HASH_ROOT}`
  if (stored !== undefined) {
    const hashRoot = Buffer.from(vault.open(stored.sealed, secretSealContext(HASH_ROOT)), 'hex')
    return { roots, hashRoot }
  }
  if (roots.length > 1)
    throw new Error('The table vault_secrets lacks the data that keys are looked up by: restore it from a backup.')
  // Until now there has been one root key only, and the hashes that the database holds were made with what it derives.
  const hashRoot = firstHashRoot(current)
  const sealed = vault.seal(hashRoot.toString('hex'), secretSealContext(HASH_ROOT))
  await sql(Nothing)`insert into vault_secrets (name, sealed) values (${HASH_ROOT}, ${sealed})`
  return { roots, hashRoot }
}

/** A vault for the database, and what makes it look again. */
export async function openVault(db: Db, sources: KeySources): Promise<OpenedVault> {
  const bound = await bindRing(db, sources)
  const vault = createVault(bound.ring)
  return {
    vault,
    bound,
    async reload() {
      const again = await bindRing(db, sources)
      vault.turn(again.ring)
      return again
    },
  }
}

export interface OpenedVault {
  readonly vault: TurningVault
  readonly bound: BoundRing
  /** Throws WrongVaultKey, and the vault stays as it was. */
  reload(): Promise<BoundRing>
}
