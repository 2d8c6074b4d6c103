/**
 * Locates the server's socket in a folder that only its account may enter: the server trusts every process that reaches the
 * socket (there is no password), so this folder is the access control. It checks before it answers and never loosens a mode.
 */
import { createHash } from 'node:crypto'
import { chmod, chown, lstat, mkdir } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import type { Owner } from './account.ts'

/** The port is only a part of the socket's name: `.s.PGSQL.5432`. */
export const socketPort = 5432

/** sun_path holds 108 bytes with its final zero on Linux (unix(7)), and 104 on macOS. */
const longest = process.platform === 'linux' ? 107 : 103

export const socketFile = (folder: string) => path.join(folder, `.s.PGSQL.${socketPort}`)

/** The folder for the cluster of this directory (a real path), made if it is missing. */
export async function openSocketFolder(directory: string, { uid, gid }: Owner): Promise<string> {
  const folder = chooseFolder(directory, uid)
  await mkdir(folder, { mode: 0o700 }).catch((thrown: NodeJS.ErrnoException) => {
    if (thrown.code !== 'EEXIST') throw thrown
  })
  const found = await lstat(folder)
  if (!found.isDirectory()) throw new Error(`${folder} must be a folder for the database socket`)
  const me = process.getuid?.()
  if (found.uid === me) {
    await chmod(folder, 0o700)
    if (uid !== me) await chown(folder, uid, gid)
  }
  if (!(await isGuarded(folder, uid))) {
    throw new Error(
      `${folder} must be owned by uid ${uid} and have mode 0700, because it protects the database. Remove it and start again.`,
    )
  }
  return folder
}

/** A folder, not a link to one, that nobody but its owner (and root) may enter. */
export async function isGuarded(folder: string, uid: number): Promise<boolean> {
  const found = await lstat(folder).catch(() => undefined)
  return found !== undefined && found.isDirectory() && found.uid === uid && (found.mode & 0o077) === 0
}

/** In the data directory; elsewhere when the path is too long for a socket, or has a sign that PostgreSQL's list of folders takes apart. */
function chooseFolder(directory: string, uid: number): string {
  const inside = path.join(directory, 'run')
  if (isShortEnough(inside) && !/[",]/.test(inside)) return inside
  const name = `toolway-${uid}-${createHash('sha256').update(directory).digest('hex').slice(0, 16)}`
  const short = path.join(os.tmpdir(), name)
  return isShortEnough(short) ? short : path.join('/tmp', name)
}

const isShortEnough = (folder: string) => Buffer.byteLength(socketFile(folder)) < longest
