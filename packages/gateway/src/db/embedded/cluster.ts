/**
 * The cluster on disk, and the process that holds it. Creates a cluster completely or not at all, and reads PostgreSQL's own lock
 * file to report which process runs it. PostgreSQL's lock decides between two starters; this file only explains it.
 */
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chown, lstat, mkdir, readdir, readFile, rename, rm, stat, unlink } from 'node:fs/promises'
import net from 'node:net'
import path from 'node:path'
import { promisify } from 'node:util'
import type { Account, Owner } from './account.ts'
import type { Binaries } from './binaries.ts'
import { runGuarded } from './process.ts'
import { socketFile } from './socket.ts'

export const clusterOf = (directory: string) => path.join(directory, 'postgres')

export async function findOwner(cluster: string): Promise<Owner | undefined> {
  const exists = await lstat(path.join(cluster, 'PG_VERSION')).catch(unlessMissing)
  return exists && lstat(cluster)
}

/**
 * initdb into a folder beside, then one rename: a kill in between leaves no half cluster, and of two who do it at
 * once the second's rename fails, because its target is not empty any more.
 */
export async function createCluster(directory: string, account: Account, { initdb }: Binaries): Promise<void> {
  await sweep(directory)
  const draft = path.join(directory, `${draftPrefix}${process.pid}-${randomBytes(4).toString('hex')}`)
  await mkdir(draft, { mode: 0o700 })
  try {
    if ('uid' in account.become) await chown(draft, account.uid, account.gid)
    // Trust is sound because the socket's folder is 0700 and there is no other way in. -N leaves out the flushes of
    // every step; one pass at the end then puts the whole on disk, so that a power cut finds all of it or a draft.
    const options = ['-U', 'postgres', '--encoding=UTF8', '--locale=C', '--auth=trust', '-N', '--no-instructions']
    await runGuarded(account, [initdb, '-D', draft, ...options])
    await runGuarded(account, [initdb, '-D', draft, '--sync-only'])
    await rename(draft, clusterOf(directory)).catch(unlessTaken)
  } finally {
    await rm(draft, { recursive: true, force: true, maxRetries: 3 })
  }
}

const draftPrefix = 'postgres.new-'

/** Drafts of starters that were killed. */
async function sweep(directory: string): Promise<void> {
  for (const name of await readdir(directory)) {
    const pid = name.startsWith(draftPrefix) ? Number.parseInt(name.slice(draftPrefix.length), 10) : Number.NaN
    if (Number.isNaN(pid) || (await isAlive(pid))) continue
    await rm(path.join(directory, name), { recursive: true, force: true, maxRetries: 10 })
  }
}

export interface Holder {
  pid: number
  /** The Toolway process that started it, if one did. */
  starter: number | undefined
  /** The folder of its socket. */
  folder: string
  /** `starting`, `ready`, `stopping`, … as PostgreSQL writes it. */
  status: string
}

/** The server that runs on this cluster. Lock files whose process is gone count for nothing. */
export async function findHolder(cluster: string): Promise<Holder | undefined> {
  // Lines: pid, data directory, start time, port, socket folder, address, shared memory, status (pidfile.h).
  const text = await readFile(path.join(cluster, 'postmaster.pid'), 'utf8').catch(unlessMissing)
  const [pid = '', , , , folder = '', , , status = 'starting'] = (text ?? '').split('\n')
  if (!/^\d+$/.test(pid)) return undefined
  const alive = (await isPostgres(Number(pid))) || (folder !== '' && (await answers(folder)))
  if (!alive) return undefined
  const options = await readFile(path.join(cluster, 'postmaster.opts'), 'utf8').catch(() => '')
  const starter = /toolway_started_by_(\d+)/.exec(options)?.[1]
  return {
    pid: Number(pid),
    starter: starter === undefined ? undefined : Number(starter),
    folder,
    status: status.trim(),
  }
}

/**
 * PostgreSQL takes a lock file for live when any process has its pid. After a power cut, and in containers above all,
 * another program may have that pid by now, and the server would never start again.
 */
export async function clearStaleLocks(cluster: string, folder: string): Promise<void> {
  for (const file of [path.join(cluster, 'postmaster.pid'), `${socketFile(folder)}.lock`]) {
    const text = await readFile(file, 'utf8').catch(unlessMissing)
    const pid = Number.parseInt(text ?? '', 10)
    if (Number.isNaN(pid) || !(await isAlive(pid)) || (await isPostgres(pid))) continue
    if ((await readFile(file, 'utf8').catch(unlessMissing)) === text) await unlink(file).catch(unlessMissing)
  }
}

/** A process that has ended but that nobody has waited for yet is not alive. */
export async function isAlive(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0)
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'EPERM') return false
  }
  const line = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  return !/\) [ZX] /.test(line)
}

async function isPostgres(pid: number): Promise<boolean> {
  if (!(await isAlive(pid))) return false
  const name =
    process.platform === 'linux'
      ? await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '')
      : (await promisify(execFile)('ps', ['-o', 'comm=', '-p', String(pid)]).catch(() => ({ stdout: '' }))).stdout
  return path.basename(name.trim()) === 'postgres'
}

/** Sees a server whose pid means nothing here, such as one in another container on the same volume. */
async function answers(folder: string): Promise<boolean> {
  const file = socketFile(folder)
  if (!(await stat(file).catch(() => undefined))) return false
  return new Promise((resolve) => {
    const socket = net.connect(file)
    const done = (answer: boolean) => () => (socket.destroy(), resolve(answer))
    socket.once('connect', done(true)).once('error', done(false)).setTimeout(1_000, done(false))
  })
}

function unlessMissing(thrown: NodeJS.ErrnoException): undefined {
  if (thrown.code !== 'ENOENT') throw thrown
}

function unlessTaken(thrown: NodeJS.ErrnoException): void {
  if (thrown.code !== 'ENOTEMPTY' && thrown.code !== 'EEXIST') throw thrown
}
