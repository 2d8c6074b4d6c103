/**
 * A folder that is held open, and what can be done in it by a single name. On Linux every name is looked up in the open folder itself
 * (`/proc/self/fd/N/name`, which is what `openat` does), so that nobody can put another folder in its place between a check and its use.
 * Elsewhere what was opened is compared with what stands at the path afterwards, and refused where it is another file.
 *
 * Symbolic links are never followed, in no part of a path.
 */
import { constants } from 'node:fs'
import { link, lstat, mkdir, open, readdir, realpath, rename, statfs, unlink, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { Refusal } from '../refusal.ts'

const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants
const BY_HANDLE = process.platform === 'linux'

/** Types of file systems in which a file is not a regular file (linux/magic.h): proc, sysfs, cgroup, debugfs, tracefs, securityfs, devpts, nsfs, bpf. */
const SYSTEM = new Set([
  ...[0x9fa0, 0x62656572, 0x27e0eb, 0x63677270, 0x64626720, 0x74726163, 0x73636673, 0x1cd1, 0x6e736673, 0xcafe4a11],
])

const codeOf = (thrown: unknown): string | undefined => (thrown as NodeJS.ErrnoException).code

export class Folder implements AsyncDisposable {
  readonly #handle: FileHandle
  /** Absolute. */
  readonly path: string

  private constructor(handle: FileHandle, path: string) {
    this.#handle = handle
    this.path = path
  }

  /** @param path absolute and canonical (`realpath`) */
  static async root(path: string): Promise<Folder> {
    const folder = new Folder(await open(path, O_RDONLY | O_DIRECTORY), path)
    return folder.#checked()
  }

  /** The same folder, held once more. */
  async again(): Promise<Folder> {
    return new Folder(await this.#opened('.', O_RDONLY | O_DIRECTORY), this.path)
  }

  /** Whether this very folder still stands at its path, and no link is on the way. */
  async isInPlace(): Promise<boolean> {
    return isAt(this.#handle, this.path).catch(() => false)
  }

  async #checked(): Promise<Folder> {
    const type = BY_HANDLE ? (await statfs(this.#at('.'))).type : 0
    if (!SYSTEM.has(type)) return this
    await this.#handle.close()
    throw new Refusal(`${this.path} is a system folder.`)
  }

  #at(name: string): string {
    // `join` would drop a single dot, and with it what follows the link of the system.
    return `${BY_HANDLE ? `/proc/self/fd/${this.#handle.fd}` : this.path}/${name}`
  }

  /** @param make whether it is made where it is not there */
  async child(name: string, make: boolean): Promise<Folder> {
    const path = join(this.path, name)
    try {
      return await new Folder(await this.#opened(name, O_RDONLY | O_DIRECTORY), path).#checked()
    } catch (thrown) {
      if (codeOf(thrown) !== 'ENOENT' || !make) throw refusalOf(thrown, path)
    }
    try {
      await mkdir(this.#at(name))
    } catch (thrown) {
      if (codeOf(thrown) !== 'EEXIST') throw refusalOf(thrown, path)
    }
    return this.child(name, false)
  }

  /** A regular file. Throws a `Refusal` for everything else. */
  async file(name: string, flags: number, mode = 0o644): Promise<FileHandle> {
    const path = join(this.path, name)
    let handle
    try {
      // A pipe that nobody reads would block the opening.
      handle = await this.#opened(name, flags | O_NONBLOCK, mode)
    } catch (thrown) {
      throw refusalOf(thrown, path)
    }
    if ((await handle.stat()).isFile()) return handle
    await handle.close()
    throw new Refusal(`${path} is not a file.`)
  }

  /** The entry under a name; undefined where there is none. */
  async look(name: string) {
    try {
      return await lstat(this.#at(name))
    } catch (thrown) {
      if (codeOf(thrown) === 'ENOENT') return undefined
      throw refusalOf(thrown, join(this.path, name))
    }
  }

  /** Sorted. */
  async names(): Promise<string[]> {
    return (await readdir(this.#at('.'))).sort()
  }

  /** Puts one file of this folder in the place of another, in one step. */
  async rename(from: string, to: string): Promise<void> {
    await rename(this.#at(from), this.#at(to)).catch((thrown: unknown) => {
      throw refusalOf(thrown, join(this.path, to))
    })
    await this.#sync()
  }

  /** Gives a file another name that nothing has yet. */
  async add(from: string, to: string): Promise<void> {
    await link(this.#at(from), this.#at(to)).catch((thrown: unknown) => {
      throw refusalOf(thrown, join(this.path, to))
    })
    await this.remove(from)
    await this.#sync()
  }

  /** Like `rename`, and false where the file is not there any more. */
  async take(from: string, to: string): Promise<boolean> {
    try {
      await rename(this.#at(from), this.#at(to))
      return true
    } catch (thrown) {
      if (codeOf(thrown) === 'ENOENT') return false
      throw refusalOf(thrown, join(this.path, to))
    }
  }

  /** The name is as lasting as the bytes only when the folder is written. Some file systems cannot. */
  async #sync(): Promise<void> {
    await this.#handle.sync().catch(() => {})
  }

  async remove(name: string): Promise<void> {
    await unlink(this.#at(name)).catch(() => {})
  }

  async #opened(name: string, flags: number, mode?: number): Promise<FileHandle> {
    const handle = await open(this.#at(name), flags | O_NOFOLLOW, mode)
    if (BY_HANDLE || (await isAt(handle, join(this.path, name)))) return handle
    await handle.close()
    throw Object.assign(new Error('it was replaced while it was being opened'), { code: 'ELOOP' })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#handle.close()
  }
}

/** Whether that very file stands at this path, and no link is on the way. */
async function isAt(handle: FileHandle, path: string): Promise<boolean> {
  const [stored, named] = await Promise.all([handle.stat({ bigint: true }), lstat(path, { bigint: true })])
  return stored.ino === named.ino && stored.dev === named.dev && (await realpath(path)) === path
}

const WORDS: Readonly<Record<string, string>> = {
  ELOOP: 'is a symbolic link, or was replaced by one',
  ENOTDIR: 'is not a folder, or its path contains a symbolic link',
  EISDIR: 'is a folder',
  EACCES: 'cannot be accessed: permission denied',
  EPERM: 'cannot be accessed: permission denied',
  ENXIO: 'is not a file',
  EEXIST: 'is there already',
  ENAMETOOLONG: 'has a name that is too long',
  ENOSPC: 'cannot be written: the disk is full',
  EROFS: 'cannot be written: the disk is read-only',
}

function refusalOf(thrown: unknown, path: string): unknown {
  if (thrown instanceof Refusal) return thrown
  const code = codeOf(thrown)
  if (code === 'ENOENT') return new Refusal(`${path} does not exist.`, 'NOT_FOUND')
  const words = code === undefined ? undefined : WORDS[code]
  return words === undefined ? thrown : new Refusal(`${path} ${words}.`)
}
