/**
 * The roots of a session, and the files in them (ledger S4-FS). A relative path is one of the first root; an absolute one has to lie in
 * a root. Answers name absolute paths.
 */
import { constants } from 'node:fs'
import { realpath, type FileHandle } from 'node:fs/promises'
import { randomBytes } from 'node:crypto'
import { isAbsolute, join, resolve } from 'node:path'
import { Refusal } from '../refusal.ts'
import { Folder } from './folder.ts'
import { partsOf, REMOTE_HOME, type LocalPath } from './paths.ts'

const { O_APPEND, O_CREAT, O_EXCL, O_RDONLY, O_WRONLY } = constants

interface Root {
  /** As it was given, which is how a client writes paths. */
  readonly given: string
  readonly canonical: string
}

interface Place {
  readonly root: Root
  readonly path: LocalPath
}

export interface Listed {
  readonly name: string
  readonly type: 'file' | 'directory' | 'other'
  /** Bytes; null for what is no file. */
  readonly size: number | null
  readonly modified: string
}

export interface Written {
  /** Absolute. */
  readonly path: string
  readonly bytes: number
}

/** Places of the system in which a file is no file. */
const SYSTEM = /^\/(?:proc|sys|dev)(?:\/|$)/

export class Workspace {
  readonly #roots: readonly Root[]

  private constructor(roots: readonly Root[]) {
    this.#roots = roots
  }

  /** Throws a `Refusal` for a root that is no folder. */
  static async open(roots: readonly string[]): Promise<Workspace> {
    const opened = await Promise.all(
      roots.map(async (given) => {
        const canonical = await realpath(given).catch(() => {
          throw new Refusal(`The root ${given} is not there.`, 'NOT_FOUND')
        })
        if (SYSTEM.test(canonical)) throw new Refusal(`The root ${given} is a place of the system.`)
        await using _ = await Folder.root(canonical)
        return { given: resolve(given), canonical }
      }),
    )
    if (opened.length === 0) throw new Refusal('No root is known: start the toolkit with --root FOLDER.')
    return new Workspace(opened)
  }

  get roots(): readonly string[] {
    return this.#roots.map(({ canonical }) => canonical)
  }

  #placeOf(path: string): Place {
    const parts = partsOf(path)
    if (!isAbsolute(path)) return { root: this.#first(), path: parts as unknown as LocalPath }
    const whole = `/${parts.join('/')}`
    for (const root of this.#roots)
      for (const place of [root.canonical, root.given]) {
        const below = place === '/' ? whole : whole.startsWith(`${place}/`) ? whole.slice(place.length) : undefined
        if (below !== undefined || whole === place) return { root, path: partsOf(below ?? '') as unknown as LocalPath }
      }
    const remote = whole.startsWith(`${REMOTE_HOME}/`)
      ? ', and one of the remote workbench belongs to its own tools'
      : ''
    throw new Refusal(`${whole} lies in no root (${this.roots.join(', ')})${remote}.`)
  }

  #first(): Root {
    const [first] = this.#roots
    if (first === undefined) throw new Refusal('No root is known.')
    return first
  }

  /** The folder of a path, held open, and the last name. */
  async #parentOf(path: string, make: boolean): Promise<{ folder: Folder; name: string; shown: string }> {
    const { root, path: parts } = this.#placeOf(path)
    const name = parts.at(-1)
    if (name === undefined) throw new Refusal(`${root.canonical} is a root, and no file.`)
    const folder = await this.#walk(root, parts.slice(0, -1), make)
    return { folder, name, shown: join(root.canonical, ...parts) }
  }

  async #walk(root: Root, parts: readonly string[], make: boolean): Promise<Folder> {
    let folder = await Folder.root(root.canonical)
    for (const part of parts) {
      const above = folder
      try {
        folder = await above.child(part, make)
      } finally {
        await above[Symbol.asyncDispose]()
      }
    }
    return folder
  }

  /** Writes a file anew, whole or not at all: to a file beside it, to the disk, then in its place. */
  async write(path: string, content: string | Uint8Array): Promise<Written> {
    const { folder, name, shown } = await this.#parentOf(path, true)
    await using _ = folder
    const there = await folder.look(name)
    if (there !== undefined && !there.isFile()) throw new Refusal(`${shown} is there, and is no file.`)
    const bytes = typeof content === 'string' ? Buffer.from(content) : content
    const beside = `.${randomBytes(8).toString('hex')}.part`
    const handle = await folder.file(beside, O_WRONLY | O_CREAT | O_EXCL)
    try {
      await handle.writeFile(bytes)
      await handle.sync()
    } catch (thrown) {
      await folder.remove(beside)
      throw thrown
    } finally {
      await handle.close()
    }
    await folder.rename(beside, name)
    return { path: shown, bytes: bytes.byteLength }
  }

  /** Adds to the end of a file, which is made where it is not there. */
  async append(path: string, content: string): Promise<Written> {
    const { folder, name, shown } = await this.#parentOf(path, true)
    await using _ = folder
    const handle = await folder.file(name, O_WRONLY | O_APPEND | O_CREAT)
    try {
      // Another name of the same file may lie outside of the roots.
      if ((await handle.stat()).nlink > 1) throw new Refusal(`${shown} has several names (hard links).`)
      await handle.writeFile(content)
      await handle.sync()
    } finally {
      await handle.close()
    }
    return { path: shown, bytes: Buffer.byteLength(content) }
  }

  /** Opens a file to read; the caller closes it. */
  async open(path: string): Promise<{ handle: FileHandle; path: string; size: number }> {
    const { folder, name, shown } = await this.#parentOf(path, false)
    await using _ = folder
    const handle = await folder.file(name, O_RDONLY)
    return { handle, path: shown, size: (await handle.stat()).size }
  }

  /** @param most bytes. Throws a `Refusal` for a larger file, and for one that is no text. */
  async read(path: string, most: number): Promise<{ path: string; text: string }> {
    const { handle, path: shown, size } = await this.open(path)
    try {
      if (size > most) throw new Refusal(`${shown} has ${size} bytes, and no more than ${most} are read.`, 'TOO_LARGE')
      const bytes = await handle.readFile()
      return { path: shown, text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) }
    } catch (thrown) {
      throw thrown instanceof TypeError ? new Refusal(`${shown} is no text in UTF-8.`) : thrown
    } finally {
      await handle.close()
    }
  }

  /** @param most entries that are told; `left`: how many more there are. */
  async list(path: string, most: number): Promise<{ path: string; entries: Listed[]; left: number }> {
    const { root, path: parts } = this.#placeOf(path)
    await using folder = await this.#walk(root, parts, false)
    const names = await folder.names()
    const entries = await Promise.all(
      names.slice(0, most).map(async (name): Promise<Listed[]> => {
        const found = await folder.look(name)
        if (found === undefined) return []
        const type = found.isFile() ? 'file' : found.isDirectory() ? 'directory' : 'other'
        return [{ name, type, size: type === 'file' ? found.size : null, modified: found.mtime.toISOString() }]
      }),
    )
    return { path: folder.path, entries: entries.flat(), left: Math.max(0, names.length - most) }
  }
}
