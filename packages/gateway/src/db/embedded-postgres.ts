/**
 * The embedded database: the real PostgreSQL from npm on a Unix socket in the data directory, started by this process and ending
 * with it, however it ends. It never listens on the network, never takes over a running server, and exactly one of several
 * starters wins.
 *
 * - `<directory>/postgres`: the cluster, 0700
 * - `<directory>/run`: the socket, 0700 (a short folder in the temporary directory if the path is long)
 * - `<directory>/postgres.log`: output of the server, 0600
 */
import { access, constants, mkdir, realpath, stat } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Log } from '../lib/log.ts'
import { chooseAccount } from './embedded/account.ts'
import { findBinaries } from './embedded/binaries.ts'
import { clusterOf, createCluster, findHolder, findOwner } from './embedded/cluster.ts'
import { ask, connectionTo, launch } from './embedded/server.ts'
import type { EmbeddedConnection, EmbeddedPostgres } from './embedded/server.ts'
import { isGuarded } from './embedded/socket.ts'

export { NoEmbeddedPostgres } from './embedded/binaries.ts'
export { DirectoryInUse } from './embedded/directory-in-use.ts'
export { ServerNotStarted } from './embedded/not-started.ts'
export type { EmbeddedConnection, EmbeddedPostgres } from './embedded/server.ts'

export interface EmbeddedParts {
  /** The data directory; made with mode 0700 if it is missing. */
  directory: string
  log?: Log
  /** Told in words what takes a while. */
  onProgress?: (text: string) => void
  /** Connections that it takes at a time; one gateway needs fewer than the default of 40. */
  connections?: number
}

/** Throws DirectoryInUse, NoEmbeddedPostgres, or an Error that says what stands in the way. */
export async function startEmbeddedPostgres({
  directory,
  log,
  onProgress,
  connections = 40,
}: EmbeddedParts): Promise<EmbeddedPostgres> {
  const binaries = await findBinaries()
  const home = await openHome(directory, log)
  const cluster = clusterOf(home)
  const owner = await findOwner(cluster)
  const account = await chooseAccount({ directory: home, binaries, owner })
  if (!owner) {
    onProgress?.('Preparing the database for the first time')
    await createCluster(home, account, binaries)
  }
  onProgress?.('Starting the database')
  const server = await launch({ home, cluster, account, binaries, log, connections })
  try {
    await addDatabase(server.connection)
  } catch (thrown) {
    await server.stop()
    throw thrown
  }
  log?.info({ pid: server.pid, directory: home }, 'the embedded PostgreSQL is ready')
  return server
}

/** The connection of a server that another process runs on this directory and that answers, else undefined. */
export async function findEmbeddedPostgres({
  directory,
}: {
  directory: string
}): Promise<EmbeddedConnection | undefined> {
  const home = await realpath(directory).catch(() => undefined)
  const cluster = clusterOf(home ?? directory)
  const owner = await findOwner(cluster).catch(() => undefined)
  if (!owner) return undefined
  const started = Date.now()
  for (;;) {
    const holder = await findHolder(cluster).catch(() => undefined)
    if (!holder || holder.status === 'stopping') return undefined
    if (holder.folder !== '' && !(await isGuarded(holder.folder, owner.uid))) return undefined
    const connection = connectionTo(holder.folder)
    const state = holder.folder === '' ? '' : await ask(connection, 'select 1').then(() => undefined, stateOf)
    if (state === undefined) return connection
    // Starting up, or between start and `create database`: soon. Anything else does not get better by waiting.
    const soon = state === '57P03' || state === '3D000' || state === '28000' || holder.status === 'starting'
    if (!soon || Date.now() - started > 5_000) return undefined
    await sleep(50)
  }
}

/** A directory that exists keeps its mode: the cluster and the socket have folders of their own that nobody else may enter. */
async function openHome(directory: string, log?: Log): Promise<string> {
  if (/[\n\r\0]/.test(directory)) throw new Error('the name of a data directory must not contain a line break')
  await mkdir(path.dirname(path.resolve(directory)), { recursive: true })
  await mkdir(directory, { mode: 0o700 }).catch((thrown: NodeJS.ErrnoException) => {
    if (thrown.code !== 'EEXIST') throw thrown
  })
  const home = await realpath(directory)
  const { mode, uid } = await stat(home)
  await access(home, constants.R_OK | constants.W_OK | constants.X_OK).catch((cause: unknown) => {
    throw new Error(
      `the data directory ${home} belongs to uid ${uid}, and uid ${process.getuid?.()} cannot write there`,
      { cause },
    )
  })
  if (mode & 0o022)
    log?.warn({ directory: home, mode: (mode & 0o777).toString(8) }, 'the data directory is writable by other users')
  return home
}

/**
 * The gateway's own role owns its database and is no superuser, as on a server of the user's own: row-level security
 * binds it, and SQL that should never have run cannot read files or start programs.
 */
async function addDatabase(connection: EmbeddedConnection): Promise<void> {
  const admin = { ...connection, user: 'postgres', database: 'postgres' }
  const { user, database } = connection
  const [roles, databases] = await ask(
    admin,
    `select from pg_roles where rolname = '${user}'`,
    `select from pg_database where datname = '${database}'`,
  )
  if (roles === 0) await ask(admin, `create role ${user} login createrole`)
  if (databases === 0) await ask(admin, `create database ${database} owner ${user}`)
}

const stateOf = (thrown: unknown) => (thrown instanceof pg.DatabaseError ? (thrown.code ?? '') : '')
