/**
 * The folders within which a session works, each held open from the moment that it was given, so that another folder in its place is
 * noticed. A path is of exactly one root.
 */
import { realpath } from 'node:fs/promises'
import { isAbsolute, join, resolve } from 'node:path'
import { Refusal } from '../refusal.ts'
import { Folder } from './folder.ts'
import { partsOf, REMOTE_HOME, type LocalPath, type LocalText } from './paths.ts'

export interface Root {
  /** As it was given, which is how a client writes paths. */
  readonly given: string
  readonly canonical: string
  readonly folder: Folder
}

export interface Place {
  readonly root: Root
  /** The names below the root, each checked. */
  readonly parts: readonly string[]
  readonly path: LocalPath
}

/** Places of the system in which a file is not a regular file. */
const SYSTEM = /^\/(?:proc|sys|dev)(?:\/|$)/

/** Throws a `Refusal` for a root that is no folder. */
export async function openRoot(text: string): Promise<Root> {
  const canonical = await canonicalOf(text)
  if (SYSTEM.test(canonical)) throw new Refusal(`The root ${text} is a system folder and cannot be used.`)
  try {
    return { given: resolve(text), canonical, folder: await Folder.root(canonical) }
  } catch (thrown) {
    throw thrown instanceof Refusal ? thrown : new Refusal(`The root ${text} is not a folder that can be opened.`)
  }
}

/** The part of a folder that lies within outer roots: itself, or the outer roots within it. */
export async function openWithin(outer: readonly Root[], text: string): Promise<Root[]> {
  const canonical = await canonicalOf(text)
  for (const root of outer) {
    const below = partBelow(canonical, root.canonical)
    if (below === undefined) continue
    return [{ given: resolve(text), canonical, folder: await walk(root.folder, partsOf(below), false) }]
  }
  const inner = outer.filter((root) => partBelow(root.canonical, canonical) !== undefined)
  return Promise.all(inner.map(async (root) => ({ ...root, folder: await root.folder.again() })))
}

export async function closeRoots(roots: readonly Root[]): Promise<void> {
  for (const { folder } of roots) await folder[Symbol.asyncDispose]()
}

const canonicalOf = (text: string): Promise<string> =>
  realpath(text).catch(() => {
    throw new Refusal(`The root ${text} does not exist.`, 'NOT_FOUND')
  })

/** The rest of a path within a folder, with its slash; undefined where the path is not within. */
function partBelow(path: string, folder: string): string | undefined {
  if (path === folder) return ''
  if (folder === '/') return path
  return path.startsWith(`${folder}/`) ? path.slice(folder.length) : undefined
}

/** The folder below an open one, which stays open. Symbolic links are refused in every part. */
export async function walk(from: Folder, parts: readonly string[], make: boolean): Promise<Folder> {
  let folder = await from.again()
  for (const part of parts) {
    await using above = folder
    folder = await above.child(part, make)
  }
  return folder
}

/** The place of a path: relative to the first root, or absolute within one. Throws a `Refusal`. */
export function placeOf(roots: readonly Root[], path: LocalText): Place {
  const parts = partsOf(path)
  const [first] = roots
  if (first === undefined) throw new Refusal('No root is set.')
  if (!isAbsolute(path)) return placeIn(first, parts)
  const whole = `/${parts.join('/')}`
  for (const root of roots)
    for (const folder of [root.canonical, root.given]) {
      const below = partBelow(whole, folder)
      if (below !== undefined) return placeIn(root, partsOf(below))
    }
  const remote = whole.startsWith(`${REMOTE_HOME}/`)
    ? '; a path of the remote workbench can be used only with the workbench tools'
    : ''
  const known = roots.map(({ canonical }) => canonical).join(', ')
  throw new Refusal(`${whole} is not in a root (${known})${remote}.`)
}

const placeIn = (root: Root, parts: readonly string[]): Place => ({
  root,
  parts,
  path: join(root.canonical, ...parts) as LocalPath,
})
