/**
 * The database and the vault of an installation, opened the same way by the gateway and by its command line.
 *
 * The gateway owns an embedded cluster and starts it; the command line uses one that runs, and starts one for itself only
 * when none does. A database whose values were sealed with another key is refused before anything is read.
 */
import { chmod, mkdir, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { createDb, type Db } from '../../db/db.ts'
import { findEmbeddedPostgres, startEmbeddedPostgres } from '../../db/embedded-postgres.ts'
import { keepRunning } from '../../db/keep-running.ts'
import { migrate } from '../../db/migrate.ts'
import type { Log } from '../../lib/log.ts'
import { createKeySources, type KeySettings, type KeySources } from '../../vault/key-sources.ts'
import { createKeychain } from '../../vault/keychain.ts'
import { openVault, type BoundRing } from '../../vault/ring.ts'
import type { Vault } from '../../vault/vault.ts'

export { WrongVaultKey } from '../../vault/ring.ts'

export interface StoreParts {
  readonly directory: string
  readonly databaseUrl: string | undefined
  /** Connections of the pool; without it the default of the pool holds. */
  readonly connections?: number
  /** Where vault keys may come from, besides the directory. */
  readonly keys: KeySettings
  /** The gateway owns its cluster; the command line may use another's. */
  readonly owner: boolean
  readonly log: Log
  onProgress?(text: string): void
}

export interface Store {
  readonly db: Db
  readonly vault: Vault
  readonly sources: KeySources
  /** The vault's keys as they were when the store was opened. */
  readonly ring: BoundRing
  /** Look for the vault's keys anew. Throws WrongVaultKey, and the vault stays as it was. */
  reloadVault(): Promise<BoundRing>
  close(): Promise<void>
}

export async function openStore(parts: StoreParts): Promise<Store> {
  const { directory, log } = parts
  await makeDirectory(directory)
  const sources = keySourcesOf(parts)
  // A key that cannot be read is told before a database is started for it.
  await sources.find()
  const { connection, stop } = await openDatabase(parts)
  try {
    await migrate(connection, { log })
    const db = createDb({
      connection,
      log,
      ...(parts.connections === undefined ? {} : { connections: poolOf(parts.connections, parts.databaseUrl) }),
    })
    const { vault, bound, reload } = await openVault(db, sources).catch(async (thrown: unknown) => {
      await db.close()
      throw thrown
    })
    return {
      db,
      vault,
      sources,
      ring: bound,
      reloadVault: reload,
      async close() {
        await db.close()
        await stop()
      },
    }
  } catch (thrown) {
    await stop()
    throw thrown
  }
}

/** The embedded server takes 40 connections, of which the command line needs some. */
const MOST_EMBEDDED = 30
const poolOf = (wanted: number, databaseUrl: string | undefined) =>
  databaseUrl === undefined ? Math.min(wanted, MOST_EMBEDDED) : wanted

export const keySourcesOf = ({ directory, keys }: Pick<StoreParts, 'directory' | 'keys'>): KeySources =>
  createKeySources({ directory, settings: keys, keychain: createKeychain() })

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

/** A connection to the database as it is, without migrating it or looking into it: for backups. */
export async function openBareDatabase(parts: StoreParts) {
  await makeDirectory(parts.directory)
  return openDatabase(parts)
}

async function openDatabase({ directory, databaseUrl, owner, log, onProgress }: StoreParts) {
  const stop = async () => {}
  if (databaseUrl !== undefined) return { connection: { connectionString: databaseUrl }, stop }
  const running = owner ? undefined : await findEmbeddedPostgres({ directory })
  if (running !== undefined) return { connection: running, stop }
  const first = await startEmbeddedPostgres({ directory, log, ...(onProgress === undefined ? {} : { onProgress }) })
  return keepRunning({ first, start: () => startEmbeddedPostgres({ directory, log }), log })
}
