/**
 * The files of a session (ledger S4-FS): read, written and listed within its roots. A relative path is one of the first root; an absolute
 * one has to lie in a root. Answers name absolute paths.
 */
import { constants, type Stats } from 'node:fs'
import { Refusal } from '../refusal.ts'
import { FileReader } from './file-reader.ts'
import { FileWriter, sweepParts, type WriterOptions, type Written } from './file-writer.ts'
import type { Folder } from './folder.ts'
import { isPartName } from './part-names.ts'
import type { LocalPath, LocalText } from './paths.ts'
import { closeRoots, openRoot, openWithin, placeOf, walk, type Root } from './roots.ts'

const { O_APPEND, O_CREAT, O_RDONLY, O_WRONLY } = constants

/** Milliseconds for which a folder needs no look at its parts, and how many folders are remembered. */
const SWEPT_FOR_MS = 60_000
const MOST_SWEPT = 10_000

export interface Listed {
  readonly name: string
  readonly type: 'file' | 'directory' | 'other'
  /** Bytes; null for what is not a file. */
  readonly size: number | null
  readonly modified: string
}

export class Workspace implements AsyncDisposable {
  readonly #roots: readonly Root[]
  /** When the parts in a folder were last looked at. */
  readonly #swept = new Map<string, number>()

  private constructor(roots: readonly Root[]) {
    this.#roots = roots
  }

  /** Throws a `Refusal` for a root that is no folder. Parts that earlier processes left in a root are removed. */
  static async open(roots: readonly string[]): Promise<Workspace> {
    const opened: Root[] = []
    try {
      for (const root of roots) opened.push(await openRoot(root))
      if (opened.length === 0) throw new Refusal('No root is set: start the toolkit with --root FOLDER.')
      for (const { folder } of opened) await sweepParts(folder)
      return new Workspace(opened)
    } catch (thrown) {
      await closeRoots(opened)
      throw thrown
    }
  }

  /** A workspace in the parts of these folders that lie within this one; undefined where there is none. Close it, too. */
  async within(folders: readonly string[]): Promise<Workspace | undefined> {
    const opened: Root[] = []
    // A folder that is not there gives nothing.
    for (const folder of folders) opened.push(...(await openWithin(this.#roots, folder).catch(() => [])))
    return opened.length === 0 ? undefined : new Workspace(opened)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await closeRoots(this.#roots)
  }

  get roots(): readonly string[] {
    return this.#roots.map(({ canonical }) => canonical)
  }

  /** The folder of a path, held open, and the last name. */
  async #parentOf(path: LocalText, make: boolean): Promise<{ folder: Folder; name: string; shown: LocalPath }> {
    const { root, parts, path: shown } = placeOf(this.#roots, path)
    const name = parts.at(-1)
    if (name === undefined) throw new Refusal(`${root.canonical} is a root, not a file.`)
    return { folder: await this.#walk(root, parts.slice(0, -1), make), name, shown }
  }

  async #walk(root: Root, parts: readonly string[], make: boolean): Promise<Folder> {
    if (!(await root.folder.isInPlace()))
      throw new Refusal(`The root ${root.canonical} was moved or replaced: restart the toolkit.`, 'NOT_FOUND')
    return walk(root.folder, parts, make)
  }

  /** Where a path leads: absolute, with the root that it is of. Nothing has to be there. */
  resolve(path: LocalText): { path: LocalPath; root: string } {
    const { root, path: shown } = placeOf(this.#roots, path)
    return { path: shown, root: root.canonical }
  }

  /** The entry under a path; undefined where there is none. Throws a `Refusal` where a link or a file is in the way to it. */
  async look(path: LocalText): Promise<(Pick<Listed, 'type' | 'size'> & { path: LocalPath }) | undefined> {
    const { path: shown, root } = this.resolve(path)
    if (shown === root) return { path: shown, type: 'directory', size: null }
    try {
      const { folder, name } = await this.#parentOf(path, false)
      await using _ = folder
      const found = await folder.look(name)
      return found === undefined ? undefined : { path: shown, ...kindOf(found) }
    } catch (thrown) {
      if (thrown instanceof Refusal && thrown.code === 'NOT_FOUND') return undefined
      throw thrown
    }
  }

  /** The folder of a path, held open; close it (`await using`). */
  async openFolder(path: LocalText): Promise<Folder> {
    const { root, parts } = placeOf(this.#roots, path)
    return this.#walk(root, parts, false)
  }

  /**
   * Opens a writer of a file that is made anew, with its folders. Close it (`await using`): without `commit` nothing has changed, and a part
   * that is resumable waits for the next call.
   */
  async createFile(path: LocalText, options: WriterOptions = {}): Promise<FileWriter> {
    const { folder, name, shown } = await this.#parentOf(path, true)
    return FileWriter.open({ folder, name, path: shown, options, sweep: () => this.#sweep(folder) })
  }

  /** Removes parts that other processes left in a folder: when it is first written to, and from time to time. */
  async #sweep(folder: Folder): Promise<void> {
    const last = this.#swept.get(folder.path)
    if (last !== undefined && Date.now() - last < SWEPT_FOR_MS) return
    if (this.#swept.size >= MOST_SWEPT) this.#swept.clear()
    this.#swept.set(folder.path, Date.now())
    await sweepParts(folder)
  }

  /** Writes a file anew, whole or not at all. */
  async write(path: LocalText, content: string | Uint8Array, options: WriterOptions = {}): Promise<Written> {
    await using writer = await this.createFile(path, options)
    await writer.append(typeof content === 'string' ? Buffer.from(content) : content)
    return await writer.commit()
  }

  /** Adds to the end of a file, which is made where it is not there. */
  async append(path: LocalText, content: string): Promise<Written> {
    const { folder, name, shown } = await this.#parentOf(path, true)
    await using _ = folder
    const handle = await folder.file(name, O_WRONLY | O_APPEND | O_CREAT)
    try {
      const { nlink, size } = await handle.stat()
      // Another name of the same file may lie outside of the roots.
      if (nlink > 1) throw new Refusal(`${shown} has several names (hard links).`)
      try {
        await handle.writeFile(content)
      } catch (thrown) {
        // A full disk leaves no half of the text.
        await handle.truncate(size).catch(() => {})
        throw thrown
      }
      await handle.sync()
    } finally {
      await handle.close()
    }
    return { path: shown, bytes: Buffer.byteLength(content) }
  }

  /** Opens a file to read; close it (`await using`). */
  async open(path: LocalText): Promise<FileReader> {
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
  async read(path: LocalText, most: number): Promise<{ path: LocalPath; text: string }> {
    await using file = await this.open(path)
    return { path: file.path, text: await file.text(most) }
  }

  /** @param most entries that are told; `left`: how many more there are. */
  async list(path: LocalText, most: number): Promise<{ path: string; entries: Listed[]; left: number }> {
    await using folder = await this.openFolder(path)
    const names = (await folder.names()).filter((name) => !isPartName(name))
    const entries = await Promise.all(
      names.slice(0, most).map(async (name): Promise<Listed[]> => {
        const found = await folder.look(name)
        if (found === undefined) return []
        return [{ name, ...kindOf(found), modified: found.mtime.toISOString() }]
      }),
    )
    return { path: folder.path, entries: entries.flat(), left: Math.max(0, names.length - most) }
  }
}

function kindOf(found: Stats): Pick<Listed, 'type' | 'size'> {
  const type = found.isFile() ? 'file' : found.isDirectory() ? 'directory' : 'other'
  return { type, size: type === 'file' ? found.size : null }
}
