/**
 * The database and the vault of an installation, opened the same way by the gateway and by its command line.
 *
 * The gateway owns an embedded cluster and starts it; the command line uses one that runs, and starts one for itself only
 * when none does. A database whose values were sealed with another key is refused before anything is read.
 */
import { chmod, mkdir, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { createDb, type DatabaseConnection, type Db } from '../db/db.ts'
import { findEmbeddedPostgres, startEmbeddedPostgres } from '../db/embedded-postgres.ts'
import { keepRunning } from '../db/keep-running.ts'
import { migrate } from '../db/migrate.ts'
import { notSetUp, refuseOtherSchema } from '../db/schema-version.ts'
import type { Log } from '../lib/log.ts'
import { operatorFetch } from '../upstreams/http/guarded-fetch.ts'
import { createKeyService } from '../vault/key-service/create-key-service.ts'
import type { KeyService, KeyServiceSettings } from '../vault/key-service/key-service.ts'
import {
  createKeyServiceWatch,
  withSealingGuard,
  type KeyServiceWatch,
} from '../vault/key-service/key-service-watch.ts'
import { createWrappedKeys, type WrappedKeys } from '../vault/key-service/wrapped-keys.ts'
import { createKeySources, type KeySettings, type KeySources } from '../vault/key-sources.ts'
import { createKeychain } from '../vault/keychain.ts'
import { openVault, readRemembered, type BoundRing } from '../vault/ring.ts'
import type { Vault } from '../vault/vault.ts'

export { KeyServiceFault } from '../vault/key-service/key-service.ts'
export { WrongVaultKey } from '../vault/ring.ts'

export interface StoreParts {
  readonly directory: string
  readonly databaseUrl: string | undefined
  /** Leads to the server itself, where `databaseUrl` leads to a pooler in transaction mode. */
  readonly directUrl?: string | undefined
  /** Connections of the pool; without it the default of the pool holds. */
  readonly connections?: number
  /** Where vault keys may come from, besides the directory. */
  readonly keys: KeySettings & KeyServiceSettings
  /**
   * A gateway owns its installation: it makes the directory, the cluster and the keys, and migrates. The command line uses what is
   * there, and refuses a database of another version.
   */
  readonly owner: boolean
  /** Nothing is started either: an embedded database that does not run is DatabaseStopped. */
  readonly looking?: boolean
  /** The embedded database that the first of several processes runs. */
  readonly running?: DatabaseConnection | undefined
  /** Gateway processes that use the embedded database; unsaid: one. */
  readonly processes?: number
  readonly log: Log
  onProgress?(text: string): void
}

export interface Store {
  readonly db: Db
  readonly vault: Vault
  readonly sources: KeySources
  /** Undefined where no key service is set, and for the command line. */
  readonly keyService: KeyServiceWatch | undefined
  /** The vault's keys as they were when the store was opened. */
  readonly ring: BoundRing
  /** Look for the vault's keys anew. Throws WrongVaultKey, and the vault stays as it was. */
  reloadVault(): Promise<BoundRing>
  /** The embedded database; undefined for one of DATABASE_URL. */
  readonly embedded: DatabaseConnection | undefined
  close(): Promise<void>
}

/** An embedded database does not run, and whoever only looks starts none. */
export class DatabaseStopped extends Error {}

/** Throws OtherSchema, DatabaseStopped, WrongVaultKey, KeyServiceFault, or the errors of migrations and of the driver. */
export async function openStore(parts: StoreParts): Promise<Store> {
  const { directory, log } = parts
  if (parts.owner) await makeDirectory(directory)
  const wrappedKeys = wrappedKeysOf(parts)
  const sources = keySourcesOf(parts, wrappedKeys)
  // A key that cannot be read is told before a database is started for it.
  if (parts.keys.TOOLWAY_KEY_SERVICE === undefined) await sources.find()
  const { connection, direct, stop } = await openDatabase(parts)
  try {
    if (parts.owner) await migrate(direct ?? connection, { log })
    else await refuseOtherSchema(direct ?? connection, { embedded: parts.databaseUrl === undefined })
    const db = createDb({
      connection,
      direct,
      log,
      ...(parts.connections === undefined ? {} : { connections: poolOf(parts.connections, parts.databaseUrl) }),
    })
    const { vault, bound, reload } = await openRing(db, sources, parts).catch(async (thrown: unknown) => {
      await db.close()
      throw thrown
    })
    const keyService = parts.owner ? watchOf(wrappedKeys, log) : undefined
    return {
      db,
      vault: keyService === undefined ? vault : withSealingGuard(vault, keyService.problem),
      keyService,
      sources,
      ring: bound,
      reloadVault: reload,
      embedded: parts.databaseUrl === undefined ? connection : undefined,
      async close() {
        keyService?.[Symbol.dispose]()
        await db.close()
        await stop()
      },
    }
  } catch (thrown) {
    await stop()
    throw thrown
  }
}

/** Keys are made by a start alone. */
async function openRing(db: Db, sources: KeySources, { owner, databaseUrl }: StoreParts) {
  if (!owner && (await db.system(readRemembered)) === undefined) throw notSetUp({ embedded: databaseUrl === undefined })
  return openVault(db, sources)
}

/** The embedded server takes 40 connections for one process, of which the command line needs some. */
const EMBEDDED = 40
const MOST_EMBEDDED = 30
/** A gateway listens, looks whether the database is there and counts limits beside its pool. */
const BESIDE_POOL = 3
const poolOf = (requested: number, databaseUrl: string | undefined) =>
  databaseUrl === undefined ? Math.min(requested, MOST_EMBEDDED) : requested

export const keySourcesOf = (
  parts: Pick<StoreParts, 'directory' | 'keys'>,
  wrappedKeys = wrappedKeysOf(parts),
): KeySources =>
  createKeySources({ directory: parts.directory, settings: parts.keys, keychain: createKeychain(), wrappedKeys })

/** Undefined where no key service is set. */
function wrappedKeysOf({ directory, keys }: Pick<StoreParts, 'directory' | 'keys'>): WrappedKeys | undefined {
  const { TOOLWAY_KEY_SERVICE: address } = keys
  if (address === undefined) return undefined
  let made: Promise<KeyService> | undefined
  return createWrappedKeys({
    directory,
    service: () => (made ??= createKeyService({ ...keys, TOOLWAY_KEY_SERVICE: address }, operatorFetch('key service'))),
  })
}

const watchOf = (wrappedKeys: WrappedKeys | undefined, log: Log): KeyServiceWatch | undefined =>
  wrappedKeys === undefined ? undefined : createKeyServiceWatch({ prove: () => wrappedKeys.prove(), log })

/** 0700, for one that exists and lets others in too. (As root, PostgreSQL's own account may need to pass through: 0710.) */
async function makeDirectory(directory: string): Promise<void> {
  await mkdir(dirname(resolve(directory)), { recursive: true })
  // By itself: a recursive one never comes back where nothing can be made, as below /proc (Node 24).
  await mkdir(directory, { mode: 0o700 }).catch(unlessDirectory(directory))
  const { mode } = await stat(directory)
  if ((mode & OTHERS) !== 0) await chmod(directory, 0o700)
}

/** A file in its place is told as what it is. */
const unlessDirectory = (path: string) => async (thrown: NodeJS.ErrnoException) => {
  if (thrown.code !== 'EEXIST' || !(await stat(path)).isDirectory()) throw thrown
}

/** Mode bits that group and others must not have. Group execute (0710) is permitted, for PostgreSQL's own account. */
export const OTHERS = 0o067

interface Opened {
  readonly connection: DatabaseConnection
  readonly direct?: DatabaseConnection
  stop(): Promise<void>
}

/** A connection to the database as it is, without migrating it or looking into it: for backups. */
export async function openBareDatabase(parts: StoreParts): Promise<Omit<Opened, 'direct'>> {
  await makeDirectory(parts.directory)
  const { connection, direct, stop } = await openDatabase(parts)
  return { connection: direct ?? connection, stop }
}

async function openDatabase(parts: StoreParts): Promise<Opened> {
  const { directory, databaseUrl, directUrl, owner, log, onProgress, processes = 1 } = parts
  const stop = async () => {}
  if (databaseUrl !== undefined) {
    const direct = directUrl === undefined ? {} : { direct: { connectionString: directUrl } }
    return { connection: { connectionString: databaseUrl }, ...direct, stop }
  }
  const running = parts.running ?? (owner ? undefined : await findEmbeddedPostgres({ directory }))
  if (running !== undefined) return { connection: running, stop }
  if (parts.looking === true) throw new DatabaseStopped('The database does not run.')
  // A restart has one more for a while.
  const more = processes === 1 ? 0 : processes * (Math.min(parts.connections ?? 0, MOST_EMBEDDED) + BESIDE_POOL)
  const options = { directory, log, connections: EMBEDDED + more }
  const first = await startEmbeddedPostgres({ ...options, ...(onProgress === undefined ? {} : { onProgress }) })
  return keepRunning({ first, start: () => startEmbeddedPostgres(options), log })
}
