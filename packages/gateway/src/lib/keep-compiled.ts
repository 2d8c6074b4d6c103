/**
 * Keeps compiled code between starts: a start from sources takes a third of its time with it. Node runs what it finds there, and its own
 * default is a folder in the temporary folder of all users of the machine, where another one could have put theirs. So it is a folder
 * of this user's, or none.
 */
import { lstatSync, mkdirSync } from 'node:fs'
import module from 'node:module'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'

/** Bits of a mode with which the group or everybody may write. */
const WRITABLE_BY_OTHERS = 0o022

/** The operator's own choice (`NODE_COMPILE_CACHE`, which Node reads by itself) counts; a folder that is not safe is not used. */
export function keepCompiled(): void {
  if (process.env['NODE_COMPILE_CACHE'] !== undefined || process.platform === 'win32') {
    module.enableCompileCache()
    return
  }
  const folder = ownFolder(join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'toolway', 'compiled'))
  if (folder !== undefined) module.enableCompileCache(folder)
}

/** The folder in which this process keeps compiled code, for a child that may keep its own there; undefined where it keeps none. */
export function keptIn(): string | undefined {
  const folder = module.getCompileCacheDir()
  // Node's own folder in it is named by version, architecture and user.
  return folder === undefined ? undefined : dirname(folder)
}

/** The path, made where it was missing; undefined where it cannot be made, or others may write to it. */
export function ownFolder(path: string): string | undefined {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 })
    const found = lstatSync(path)
    const isOurs = found.isDirectory() && found.uid === process.getuid?.() && (found.mode & WRITABLE_BY_OTHERS) === 0
    return isOurs ? path : undefined
  } catch {
    return undefined
  }
}
