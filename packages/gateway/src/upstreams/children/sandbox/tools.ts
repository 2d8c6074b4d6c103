/**
 * The programs of the system that confine a child, found in fixed folders: never in the PATH of the child, whose connection may
 * have declared it.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'

const FOLDERS = ['/usr/bin', '/bin', '/usr/sbin', '/sbin', '/usr/local/bin', '/run/current-system/sw/bin']
const PACKAGES: Readonly<Record<string, string>> = { bwrap: 'bubblewrap', nice: 'coreutils', env: 'coreutils' }

/** An absolute path, also where it is not installed: starting it fails then. */
export const findTool = (name: string): string =>
  FOLDERS.map((folder) => join(folder, name)).find((file) => existsSync(file)) ?? `/usr/bin/${name}`

/** One sentence that names what to install; undefined where all are there. */
export function missingTools(names: readonly string[]): string | undefined {
  const missing = names.filter((name) => !existsSync(findTool(name)))
  if (missing.length === 0) return undefined
  const packages = new Set(missing.map((name) => PACKAGES[name] ?? 'util-linux'))
  return `${missing.join(', ')} not found: install ${[...packages].join(' and ')}.`
}
