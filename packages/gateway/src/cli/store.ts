/** A command's way to the installation: settings, database and vault, opened for it and closed after it. */
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { openStore, type Store, type StoreParts } from '../base/open-store.ts'
import type { LoadedConfig } from '../config.ts'
import { openConfig } from './open-config.ts'
import { openingFault } from './opening-fault.ts'
import { clusterOf } from '../db/embedded/cluster.ts'
import type { Log } from '../lib/log.ts'
import { DEFAULT_SLUG, listOrganizations, type OrganizationRow } from '../organizations/organizations.ts'
import { KEY_FILES } from '../vault/key-files.ts'
import { WRAPPED_FILE } from '../vault/key-service/wrapped-keys.ts'
import { KEYCHAIN_FILE } from '../vault/keychain-roots.ts'
import { CommandFault } from './terminal/output.ts'

export const SILENT: Log = { debug() {}, info() {}, warn() {}, error() {} }

export interface Opened extends Store {
  readonly loaded: LoadedConfig
  readonly organization: OrganizationRow
}

type Looking = Pick<StoreParts, 'looking'>

export const withStore = <T>(slug: string, work: (opened: Opened) => Promise<T>, looking?: Looking): Promise<T> =>
  withInstallation(async (opened) => {
    const organization = (await opened.db.system(listOrganizations)).find((item) => item.slug === slug)
    if (organization !== undefined) return work({ ...opened, organization })
    throw noOrganization(slug, opened.loaded.config.TOOLWAY_DATA)
  }, looking)

export function noOrganization(slug: string, directory: string): CommandFault {
  const first = slug === DEFAULT_SLUG ? 'Start Toolway once to create it.' : `\`toolway org add ${slug}\` creates it.`
  return new CommandFault(`There is no organization "${slug}" in ${directory}. ${first}`)
}

type Installation = Omit<Opened, 'organization'>

/** For what belongs to no organization. */
export async function withInstallation<T>(work: (opened: Installation) => Promise<T>, looking?: Looking): Promise<T> {
  await using opened = await openInstallation(looking)
  return await work(opened)
}

/** Throws CommandFault where no start has been, or one of another version. A command migrates nothing and makes no key. */
export async function openInstallation(looking: Looking = {}): Promise<Installation & AsyncDisposable> {
  const loaded = await openConfig()
  const { TOOLWAY_DATA: directory, DATABASE_URL: databaseUrl, DATABASE_DIRECT_URL: directUrl } = loaded.config
  // A command looks at what is there; making it is for a start.
  if (!(await isMade(loaded)))
    throw new CommandFault(
      `Toolway has not been set up in ${directory} yet. Start it once with \`npm start\` or \`npx toolway start\`, or set TOOLWAY_DATA to its directory.`,
    )
  const parts = { directory, databaseUrl, directUrl, keys: loaded.config, owner: false, log: SILENT, ...looking }
  const store = await openStore(parts).catch((thrown: unknown) => {
    throw openingFault(thrown, { directory, outside: databaseUrl !== undefined })
  })
  return { ...store, loaded, [Symbol.asyncDispose]: () => store.close() }
}

/** Whether a start has been here; with a database elsewhere that cannot be told from the directory. */
export const isMade = async ({ config }: LoadedConfig): Promise<boolean> => {
  if (config.DATABASE_URL !== undefined) return true
  const { TOOLWAY_DATA: directory } = config
  const traces = [...KEY_FILES, KEYCHAIN_FILE, WRAPPED_FILE].map((name) => join(directory, name))
  const found = await Promise.all([...traces, clusterOf(directory)].map((path) => stat(path).catch(() => undefined)))
  return found.some((item) => item !== undefined)
}

/** Where the running gateway answers: what it wrote down when it began to listen, else what the settings say. */
export async function addressOf({ config }: LoadedConfig): Promise<string> {
  const noted = await readFile(join(config.TOOLWAY_DATA, ADDRESS_FILE), 'utf8').catch(() => '')
  const stated = `http://${config.TOOLWAY_HOST === '0.0.0.0' ? '127.0.0.1' : config.TOOLWAY_HOST}:${config.TOOLWAY_PORT}`
  return noted.trim() === '' ? stated : noted.trim()
}

export const ADDRESS_FILE = 'address'
export const KEY_FILE = 'command-line.key'
/** The first key and the setup code, where the first start had no terminal to show them on. */
export const FIRST_FILE = 'first-start.txt'

/** Whether a gateway answers there. */
export const isRunning = async (address: string): Promise<boolean> =>
  fetch(`${address}/health/live`, { signal: AbortSignal.timeout(2_000) }).then(
    ({ ok }) => ok,
    () => false,
  )
