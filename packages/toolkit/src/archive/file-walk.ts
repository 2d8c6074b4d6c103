/** The files below paths of a workspace, sorted by their names. Symbolic links, pipes and devices are counted and left out. */
import type { Folder } from '../files/folder.ts'
import { isPartName } from '../files/part-names.ts'
import type { LocalText } from '../files/paths.ts'
import type { Workspace } from '../files/workspace.ts'
import { LIMITS } from '../limits.ts'
import { Refusal } from '../refusal.ts'

const { entries: MOST, bytes: MOST_BYTES, depth: DEEPEST } = LIMITS.archive

export interface Found {
  /** Absolute. */
  readonly path: string
  readonly size: number
}

export interface Walked {
  readonly files: readonly Found[]
  /** Entries that are no files. */
  readonly skipped: number
}

/** Throws a `Refusal` for a path that is not there or is not a file or folder, and for more than an archive holds. */
export async function walkFiles(
  workspace: Workspace,
  paths: readonly LocalText[],
  signal: AbortSignal,
): Promise<Walked> {
  const found = new Map<string, number>()
  let [skipped, seen, bytes] = [0, 0, 0]

  function add(path: string, size: number): void {
    if (found.has(path)) return
    found.set(path, size)
    bytes += size
    if (bytes > MOST_BYTES)
      throw new Refusal(`The files are larger than ${MOST_BYTES} bytes in total.`, 'PAYLOAD_TOO_LARGE')
  }

  async function walk(folder: Folder, depth: number): Promise<void> {
    if (depth > DEEPEST) throw new Refusal(`${folder.path} is more than ${DEEPEST} folders deep.`, 'PAYLOAD_TOO_LARGE')
    for (const name of await folder.names()) {
      signal.throwIfAborted()
      if (isPartName(name)) continue
      if (++seen > MOST) throw new Refusal(`There are more than ${MOST} files and folders.`, 'PAYLOAD_TOO_LARGE')
      const entry = await folder.look(name)
      if (entry === undefined) continue
      if (entry.isFile()) add(`${folder.path === '/' ? '' : folder.path}/${name}`, entry.size)
      else if (entry.isDirectory()) {
        await using inner = await folder.child(name, false)
        await walk(inner, depth + 1)
      } else skipped++
    }
  }

  for (const path of paths) {
    const entry = await workspace.look(path)
    if (entry === undefined) throw new Refusal(`${path} does not exist.`, 'NOT_FOUND')
    if (entry.type === 'other') throw new Refusal(`${path} is neither a file nor a folder, or is a symbolic link.`)
    if (entry.type === 'file') add(entry.path, entry.size ?? 0)
    else {
      await using folder = await workspace.openFolder(path)
      await walk(folder, 1)
    }
  }
  const files = [...found].map(([path, size]) => ({ path, size }))
  return { files: files.sort((file, other) => (file.path < other.path ? -1 : 1)), skipped }
}
