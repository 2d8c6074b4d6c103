/**
 * The life of one embedded server on a cluster that exists: wait until the directory is free, launch, wait until it is
 * ours that answers, end. PostgreSQL's lock decides who wins; whoever loses learns who holds the directory.
 */
import { constants } from 'node:fs'
import { open, readFile, stat, truncate } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Log } from '../../lib/log.ts'
import type { Account } from './account.ts'
import type { Binaries } from './binaries.ts'
import { clearStaleLocks, findHolder, isAlive } from './cluster.ts'
import { DirectoryInUse } from './directory-in-use.ts'
import { ServerNotStarted } from './not-started.ts'
import { startGuarded } from './process.ts'
import type { Exit } from './process.ts'
import { openSocketFolder, socketPort } from './socket.ts'

/** Fits pg.PoolConfig. Everything that pg would otherwise read from PG* variables is said. */
export interface EmbeddedConnection {
  /** The folder of the socket. */
  host: string
  port: number
  user: string
  database: string
  ssl: false
}

export interface EmbeddedPostgres {
  connection: EmbeddedConnection
  /** Of the server itself. */
  pid: number
  /** Ends it cleanly; resolves when it has ended. May be called twice. */
  stop(): Promise<void>
  /** Hear that it ended without having been asked to. */
  onExit(listener: (exit: Exit) => void): void
}

export interface ClusterLocation {
  home: string
  cluster: string
  account: Account
  binaries: Binaries
  log: Log | undefined
  /** At a time. */
  connections: number
}

const patience = { holderLeaves: 15_000, serverReady: 120_000, fastStop: 10_000, hardStop: 5_000 }
const logLimit = 5 * 1024 * 1024

/** Twice: a server that was about to end may have refused the first try and be gone now. */
export async function launch(location: ClusterLocation): Promise<EmbeddedPostgres> {
  for (let attempt = 1; ; attempt++) {
    await waitUntilFree(location)
    const folder = await openSocketFolder(location.home, location.account)
    await clearStaleLocks(location.cluster, folder)
    const logFile = await openLog(location)
    try {
      const { child, exited } = startGuarded(location.account, serverCommand(location, folder), logFile.fd)
      const ready = await waitUntilReady(location, folder, child.pid, exited).catch(async (thrown: unknown) => {
        await end(child, exited)
        throw thrown
      })
      if (ready) return createServer(location, folder, child, exited)
    } finally {
      await logFile.close()
    }
    if (attempt < 2) continue
    await waitUntilFree(location)
    throw new ServerNotStarted(await tail(location.home), logOf(location.home))
  }
}

/** Settings on the command line win over the cluster's own files. Errors are logged without rows and statements: those hold secrets. */
function serverCommand({ cluster, binaries, connections }: ClusterLocation, folder: string): string[] {
  const settings = {
    listen_addresses: '',
    unix_socket_permissions: '0700',
    cluster_name: `toolway_started_by_${process.pid}`, // read back by findHolder
    shared_buffers: '32MB',
    max_connections: String(connections),
    max_wal_size: '256MB',
    log_error_verbosity: 'terse',
    log_min_error_statement: 'panic',
  }
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  return [binaries.postgres, '-D', cluster, '-k', folder, '-p', String(socketPort), ...flags]
}

/** A server that is ending, or whose starter has died so that it will, is worth a wait. Any other is not ours to end. */
async function waitUntilFree({ home, cluster }: ClusterLocation): Promise<void> {
  const started = Date.now()
  for (;;) {
    const holder = await findHolder(cluster)
    if (!holder) return
    const leaving = holder.status === 'stopping' || (holder.starter !== undefined && !(await isAlive(holder.starter)))
    if (!leaving || Date.now() - started > patience.holderLeaves) throw new DirectoryInUse(home, holder.pid)
    await sleep(50)
  }
}

/** False when our server ended first. The pid is checked: the one that answers may be another starter's. */
async function waitUntilReady(
  location: ClusterLocation,
  folder: string,
  pid: number | undefined,
  exited: Promise<Exit>,
): Promise<boolean> {
  const connection = { ...connectionTo(folder), user: 'postgres', database: 'postgres' }
  let ended = false
  const end = exited.then(() => (ended = true))
  const started = Date.now()
  while (!ended) {
    const holder = await findHolder(location.cluster)
    const isReady =
      holder?.pid === pid &&
      (await ask(connection, 'select 1').then(
        () => true,
        () => false,
      ))
    if (isReady) return true
    if (Date.now() - started > patience.serverReady)
      throw new Error(`PostgreSQL is not ready after two minutes:\n${await tail(location.home)}`)
    await Promise.race([sleep(15), end])
  }
  return false
}

type Guarded = ReturnType<typeof startGuarded>

function createServer(
  { home, log }: ClusterLocation,
  folder: string,
  child: Guarded['child'],
  exited: Promise<Exit>,
): EmbeddedPostgres {
  const listeners = new Set<(exit: Exit) => void>()
  const logCut = setInterval(() => void cutLog(home), 60_000).unref()
  let stopping: Promise<void> | undefined
  child.unref() // a process that forgets to stop it may end all the same, and the guard stops it then
  void exited.then((exit) => {
    clearInterval(logCut)
    if (stopping) return
    log?.error({ ...exit }, 'the embedded PostgreSQL ended unexpectedly')
    for (const listener of listeners) listener(exit)
  })
  return {
    connection: connectionTo(folder),
    pid: child.pid ?? 0,
    stop: () => (stopping ??= end(child, exited)),
    onExit: (listener) => void listeners.add(listener),
  }
}

/** Fast (backends are cut off), then at once (it recovers at the next start), then by force. */
async function end(child: Guarded['child'], exited: Promise<Exit>): Promise<void> {
  child.ref()
  const steps: [NodeJS.Signals, number][] = [
    ['SIGINT', patience.fastStop],
    ['SIGQUIT', patience.hardStop],
    ['SIGKILL', patience.hardStop],
  ]
  for (const [signal, millis] of steps) {
    child.kill(signal)
    const stopWaiting = new AbortController()
    const timedOut = sleep(millis, 'late', { signal: stopWaiting.signal }).catch(() => 'late')
    const how = await Promise.race([exited, timedOut])
    stopWaiting.abort()
    if (how !== 'late') return
  }
}

export const connectionTo = (folder: string): EmbeddedConnection => ({
  host: folder,
  port: socketPort,
  user: 'toolway',
  database: 'toolway',
  ssl: false,
})

/** The number of rows of each statement. */
export async function ask(connection: EmbeddedConnection, ...statements: string[]): Promise<number[]> {
  const client = new pg.Client({ ...connection, connectionTimeoutMillis: 5_000 })
  client.on('error', () => {}) // the query rejects with the same
  try {
    await client.connect()
    const counts: number[] = []
    for (const statement of statements) counts.push((await client.query(statement)).rowCount ?? 0)
    return counts
  } finally {
    await client.end().catch(() => {})
  }
}

const logOf = (home: string) => path.join(home, 'postgres.log')

async function openLog({ home, account }: ClusterLocation) {
  await cutLog(home)
  const { O_APPEND, O_CREAT, O_WRONLY, O_NOFOLLOW } = constants
  const file = await open(logOf(home), O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW, 0o600)
  if ('uid' in account.become) await file.chown(account.uid, account.gid)
  return file
}

/** The server appends, so that a file cut to nothing under it goes on from its start. */
async function cutLog(home: string): Promise<void> {
  const found = await stat(logOf(home)).catch(() => undefined)
  if (found && found.size > logLimit) await truncate(logOf(home)).catch(() => {})
}

async function tail(home: string): Promise<string> {
  const text = await readFile(logOf(home), 'utf8').catch(() => '')
  return text.trim().split('\n').slice(-8).join('\n')
}
