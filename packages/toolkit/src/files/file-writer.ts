/**
 * Writes one file in parts, whole or not at all: to a hidden part beside it, to the disk, then in its place in one step. A part that is
 * resumable stays when its writer is closed or its process is killed, and a later call goes on where it ended. One writer holds a part at
 * a time: it claims the part by renaming it, which only one can do.
 */
import { createHash, type Hash } from 'node:crypto'
import { constants } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { Refusal } from '../refusal.ts'
import type { Folder } from './folder.ts'
import type { LocalPath } from './paths.ts'
import { findPart, freePartName, heldPartName, isAbandoned, newPartKey, partKeyOf } from './part-names.ts'

const { O_CREAT, O_EXCL, O_RDWR } = constants
const CHUNK = 1024 * 1024

export interface Written {
  readonly path: LocalPath
  readonly bytes: number
}

export interface WriterOptions {
  /** Bytes; more are refused. */
  readonly most?: number
  /** Ends the writing with its reason; nothing takes the place of the file then. */
  readonly signal?: AbortSignal
  /** Makes the part resumable: the same file and purpose find it again. */
  readonly resume?: string
  /** False: a file that is there is not replaced. */
  readonly replace?: boolean
}

interface WriterParts {
  /** Held by the writer, which closes it. */
  readonly folder: Folder
  readonly name: string
  readonly path: LocalPath
  readonly options: WriterOptions
  /** Removes parts that nobody writes any more. */
  sweep(): Promise<void>
}

export class FileWriter implements AsyncDisposable {
  readonly #parts: WriterParts
  readonly #handle: FileHandle
  readonly #key: string
  #hash: Hash
  #size: number
  #done = false

  private constructor(parts: WriterParts, handle: FileHandle, key: string, begun: { hash: Hash; size: number }) {
    this.#parts = parts
    this.#handle = handle
    this.#key = key
    this.#hash = begun.hash
    this.#size = begun.size
  }

  /** Takes the folder, and closes it also where it fails. */
  static async open(parts: WriterParts): Promise<FileWriter> {
    const { folder, name, options } = parts
    try {
      options.signal?.throwIfAborted()
      await refuseOther(parts)
      await parts.sweep()
      const key = options.resume === undefined ? newPartKey() : partKeyOf(name, options.resume)
      const claimed = options.resume !== undefined && (await claimPart(parts, key))
      const handle = await folder.file(heldPartName(key), O_RDWR | O_CREAT | (claimed ? 0 : O_EXCL))
      try {
        // Two processes may have begun at once: then neither goes on.
        if (options.resume !== undefined && (await findPartOf(folder, key, heldPartName(key))) !== undefined)
          throw busy(parts.path)
        return new FileWriter(parts, handle, key, await readBegun(handle, options.signal))
      } catch (thrown) {
        await handle.close()
        if (claimed) await folder.rename(heldPartName(key), freePartName(key))
        else await folder.remove(heldPartName(key))
        throw thrown
      }
    } catch (thrown) {
      await folder[Symbol.asyncDispose]()
      throw thrown
    }
  }

  /** Of the file that it becomes. */
  get path(): LocalPath {
    return this.#parts.path
  }

  /** Bytes so far, with those of earlier calls. */
  get size(): number {
    return this.#size
  }

  /** Of the bytes so far, in hexadecimal. */
  sha256(): string {
    return this.#hash.copy().digest('hex')
  }

  async append(bytes: Uint8Array): Promise<void> {
    const { path, options } = this.#parts
    options.signal?.throwIfAborted()
    if (options.most !== undefined && this.#size + bytes.byteLength > options.most)
      throw new Refusal(`${path} would be larger than ${options.most} bytes.`, 'PAYLOAD_TOO_LARGE')
    for (let at = 0; at < bytes.byteLength;) {
      const { bytesWritten } = await this.#handle.write(bytes, at, bytes.byteLength - at, this.#size + at)
      at += bytesWritten
    }
    this.#hash.update(bytes)
    this.#size += bytes.byteLength
  }

  /** Begins again with nothing. */
  async restart(): Promise<void> {
    await this.#handle.truncate(0)
    this.#hash = createHash('sha256')
    this.#size = 0
  }

  /** Puts the file in its place, when all of it is on the disk. */
  async commit(): Promise<Written> {
    const { folder, name, path, options } = this.#parts
    options.signal?.throwIfAborted()
    const there = await refuseOther(this.#parts)
    if (there !== undefined) await this.#handle.chmod(there.mode & 0o777)
    await this.#handle.sync()
    if (!(await folder.isInPlace())) throw new Refusal(`${folder.path} was replaced while ${path} was being written.`)
    options.signal?.throwIfAborted()
    this.#done = true
    await this.#handle.close()
    try {
      if (options.replace === false) await folder.add(heldPartName(this.#key), name)
      else await folder.rename(heldPartName(this.#key), name)
    } catch (thrown) {
      await folder.remove(heldPartName(this.#key))
      throw thrown
    } finally {
      await folder[Symbol.asyncDispose]()
    }
    return { path, bytes: this.#size }
  }

  /** Removes what was written. */
  async abort(): Promise<void> {
    await this.#close(() => this.#parts.folder.remove(heldPartName(this.#key)))
  }

  /** Without `commit`: a resumable part stays for a later call, another one is removed. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#parts.options.resume === undefined || this.#size === 0) return this.abort()
    await this.#close(() => this.#parts.folder.rename(heldPartName(this.#key), freePartName(this.#key)))
  }

  async #close(last: () => Promise<void>): Promise<void> {
    if (this.#done) return
    this.#done = true
    try {
      await this.#handle.close()
      await last()
    } finally {
      await this.#parts.folder[Symbol.asyncDispose]()
    }
  }
}

async function refuseOther({ folder, name, path, options }: WriterParts) {
  const there = await folder.look(name)
  if (there === undefined) return undefined
  if (!there.isFile()) throw new Refusal(`${path} exists and is not a file.`)
  if (options.replace === false) throw new Refusal(`${path} already exists.`)
  return there
}

/** Takes over a part of a call that ended. False: there is none. Throws a `Refusal` where another call writes it. */
async function claimPart({ folder, path }: WriterParts, key: string): Promise<boolean> {
  const name = await findPartOf(folder, key)
  if (name === undefined) return false
  // Another process may be faster.
  if (findPart(name)?.writer === 'gone' && (await folder.take(name, heldPartName(key)))) return true
  throw busy(path)
}

const findPartOf = async (folder: Folder, key: string, but?: string): Promise<string | undefined> =>
  (await folder.names()).find((name) => name !== but && findPart(name)?.key === key)

const busy = (path: string): Refusal =>
  new Refusal(`${path} is being written by another call: try again when it has ended.`, 'UNAVAILABLE', {
    retryable: true,
  })

/** Reads what an earlier call wrote. */
async function readBegun(handle: FileHandle, signal: AbortSignal | undefined) {
  const { nlink } = await handle.stat()
  if (nlink > 1) throw new Refusal('A part of the file has several names (hard links).')
  const hash = createHash('sha256')
  const chunk = Buffer.allocUnsafe(CHUNK)
  let size = 0
  for (;;) {
    signal?.throwIfAborted()
    const { bytesRead } = await handle.read(chunk, 0, CHUNK, size)
    if (bytesRead === 0) return { hash, size }
    hash.update(chunk.subarray(0, bytesRead))
    size += bytesRead
  }
}

/** Removes parts that processes left behind. */
export async function sweepParts(folder: Folder): Promise<void> {
  for (const name of await folder.names()) {
    const part = findPart(name)
    if (part === undefined) continue
    const found = await folder.look(name)
    if (found !== undefined && isAbandoned(part, Date.now() - found.mtimeMs)) await folder.remove(name)
  }
}
