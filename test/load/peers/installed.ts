/**
 * Installs the published programs on demand, apart from the packages of this repository.
 *
 * `npm ci` by the lock file of this folder, without lifecycle scripts, into `.cache/bench-peers`; a second run finds them there.
 * Never changes the lock file.
 */
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ensureInstalled } from '../../../tools/install.mjs'

export interface Installed {
  /** The root of an installed package. */
  folderOf(name: string): string
}

/** @returns where the packages are, or why they are not there, in a sentence */
export async function installPeers(root: string): Promise<Installed | string> {
  const folder = join(root, '.cache', 'bench-peers')
  mkdirSync(folder, { recursive: true })
  for (const name of ['package.json', 'package-lock.json'])
    copyFileSync(new URL(name, import.meta.url), join(folder, name))
  writeFileSync(join(folder, '.npmrc'), 'ignore-scripts=true\n')
  const fault = await ensureInstalled(folder, { production: false })
  if (fault !== undefined) return fault.sentence
  return { folderOf: (name) => join(folder, 'node_modules', name) }
}

/** By package, as package.json of this folder pins it. */
export const pinnedVersions = (): Readonly<Record<string, string>> =>
  (
    JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8')) as {
      dependencies: Record<string, string>
    }
  ).dependencies
