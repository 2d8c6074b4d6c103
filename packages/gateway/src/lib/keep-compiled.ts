/**
 * Keeps compiled code between starts: a start from sources takes a third of its time with it. Node runs what it finds there, and its own
 * default is a folder in the temporary folder of all users of the machine, where another one could have put theirs. So it is a folder
 * of this user's that nobody else can change or replace, or none.
 */
import { lstatSync, mkdirSync, realpathSync, type Stats } from 'node:fs'
import module from 'node:module'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'

/** Bits of a mode with which the group or everybody may write. */
const WRITABLE_BY_OTHERS = 0o022
/** The bit of a folder in which everybody removes their own files alone. */
const STICKY = 0o1000
const ROOT = 0

/** Where an operator has chosen a folder (`NODE_COMPILE_CACHE`), Node has read that by itself; an empty one keeps nothing. */
export function keepCompiled(): void {
  if (process.env['NODE_COMPILE_CACHE'] !== undefined) return
  const folder = ownFolder()
  if (folder !== undefined) module.enableCompileCache(folder)
}

/** The folder in which this process keeps compiled code, for a child that may keep its own there; undefined where it keeps none. */
export function compileCacheFolder(): string | undefined {
  const folder = module.getCompileCacheDir()
  // Node's own folder in it is named by version, architecture and user.
  return folder === undefined ? undefined : dirname(folder)
}

/** The folder that no server may write to: our own as a whole; in one that an operator has chosen for several things, Node's part of it. */
export const compileCacheToHide = (): string | undefined =>
  process.env['NODE_COMPILE_CACHE'] === undefined ? compileCacheFolder() : module.getCompileCacheDir()

function ownFolder(): string | undefined {
  try {
    const caches =
      process.platform === 'win32'
        ? process.env['LOCALAPPDATA']
        : // The specification of XDG has relative paths ignored.
          [process.env['XDG_CACHE_HOME'], join(homedir(), '.cache')].find(
            (path) => path !== undefined && isAbsolute(path),
          )
    return caches === undefined ? undefined : safeFolder(join(caches, 'toolway', 'compiled'))
  } catch {
    return undefined
  }
}

/**
 * The real path of a folder, which is made where it is missing. Undefined where it is not of this user alone, or somebody else could put
 * another one in its place: a folder on the way belongs to another user, or others may write there. Throws where it cannot be made.
 */
export function safeFolder(path: string): string | undefined {
  // Windows keeps a user's own folder from others by itself.
  const isSafe = process.platform === 'win32' ? () => true : isSafeFrom
  if (!isSafe(realpathSync(existingOf(path)))) return undefined
  mkdirSync(path, { recursive: true, mode: 0o700 })
  const real = realpathSync(path)
  return isSafe(real) && isOwn(lstatSync(real)) ? real : undefined
}

/** The folder itself, or the nearest one above it that is there. */
function existingOf(path: string): string {
  const above = dirname(path)
  return above === path || lstatSync(path, { throwIfNoEntry: false }) !== undefined ? path : existingOf(above)
}

function isSafeFrom(path: string): boolean {
  const found = lstatSync(path)
  const isShared = (found.mode & WRITABLE_BY_OTHERS) !== 0 && (found.mode & STICKY) === 0
  if (isShared || !(found.uid === ROOT || found.uid === process.getuid?.())) return false
  const above = dirname(path)
  return above === path || isSafeFrom(above)
}

const isOwn = ({ uid, mode }: Stats): boolean =>
  process.platform === 'win32' || (uid === process.getuid?.() && (mode & WRITABLE_BY_OTHERS) === 0)
