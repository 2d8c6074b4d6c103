/**
 * The roots of a session, and the files in them (ledger S4-FS). A relative path is one of the first root; an absolute one has to lie in
 * a root. Answers name absolute paths.
 */
import { constants } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { isAbsolute, join, resolve } from 'node:path'
import { Refusal } from '../refusal.ts'
import { FileReader } from './file-reader.ts'
import { FileWriter, sweepParts, type WriterOptions, type Written } from './file-writer.ts'
import { Folder } from './folder.ts'
import { isPartName } from './part-names.ts'
import { partsOf, REMOTE_HOME, type LocalPath } from './paths.ts'

const { O_APPEND, O_CREAT, O_RDONLY, O_WRONLY } = constants

interface Root {
  /** As it was given, which is how a client writes paths. */
  readonly given: string
  readonly canonical: string
  /** Held open from the start, so that another folder in its place is noticed. */
  readonly folder: Folder
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

/** Places of the system in which a file is no file. */
const SYSTEM = /^\/(?:proc|sys|dev)(?:\/|$)/

export class Workspace implements AsyncDisposable {
  readonly #roots: readonly Root[]

  private constructor(roots: readonly Root[]) {
    this.#roots = roots
  }

  /** Throws a `Refusal` for a root that is no folder. Parts that earlier processes left in a root are removed. */
  static async open(roots: readonly string[]): Promise<Workspace> {
    const opened: Root[] = []
    try {
      for (const given of roots) opened.push(await openRoot(given))
      if (opened.length === 0) throw new Refusal('No root is known: start the toolkit with --root FOLDER.')
      for (const { folder } of opened) await sweepParts(folder)
      return new Workspace(opened)
    } catch (thrown) {
      for (const { folder } of opened) await folder[Symbol.asyncDispose]()
      throw thrown
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { folder } of this.#roots) await folder[Symbol.asyncDispose]()
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
    if (!(await root.folder.isInPlace()))
      throw new Refusal(`The root ${root.canonical} was moved or replaced: start the toolkit again.`, 'NOT_FOUND')
    let folder = await root.folder.again()
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

  /**
   * Opens a writer of a file that is made anew, with its folders. Close it (`await using`): without `commit` nothing has changed, and a part
   * that is resumable waits for the next call.
   */
  async createFile(path: string, options: WriterOptions = {}): Promise<FileWriter> {
    const { folder, name, shown } = await this.#parentOf(path, true)
    return FileWriter.open({ folder, name, path: shown, options })
  }

  /** Writes a file anew, whole or not at all. */
  async write(path: string, content: string | Uint8Array, options: WriterOptions = {}): Promise<Written> {
    await using writer = await this.createFile(path, options)
    await writer.append(typeof content === 'string' ? Buffer.from(content) : content)
    return await writer.commit()
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

  /** Opens a file to read; close it (`await using`). */
  async open(path: string): Promise<FileReader> {
    const { folder, name, shown } = await this.#parentOf(path, false)
    await using _ = folder
    const handle = await folder.file(name, O_RDONLY)
    try {
      const { size, mtime } = await handle.stat()
      return new FileReader(handle, { path: shown, size, modified: mtime })
    } catch (thrown) {
      await handle.close()
      throw thrown
    }
  }

  /** @param most bytes. Throws a `Refusal` for a larger file, and for one that is no text. */
  async read(path: string, most: number): Promise<{ path: string; text: string }> {
    await using file = await this.open(path)
    return { path: file.path, text: await file.text(most) }
  }

  /** @param most entries that are told; `left`: how many more there are. */
  async list(path: string, most: number): Promise<{ path: string; entries: Listed[]; left: number }> {
    const { root, path: parts } = this.#placeOf(path)
    await using folder = await this.#walk(root, parts, false)
    const names = (await folder.names()).filter((name) => !isPartName(name))
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

async function openRoot(given: string): Promise<Root> {
  const canonical = await realpath(given).catch(() => {
    throw new Refusal(`The root ${given} is not there.`, 'NOT_FOUND')
  })
  if (SYSTEM.test(canonical)) throw new Refusal(`The root ${given} is a place of the system.`)
  return { given: resolve(given), canonical, folder: await Folder.root(canonical) }
}
