/** A command's way to the installation: settings, database and vault, opened for it and closed after it. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openStore, type Store } from '../admin/open-store.ts'
import { loadConfig, type LoadedConfig } from '../config.ts'
import type { Log } from '../lib/log.ts'
import { DEFAULT_SLUG, listOrganizations, type OrganizationRow } from '../organizations/organizations.ts'
import { CommandFault } from './output.ts'

const SILENT: Log = { debug() {}, info() {}, warn() {}, error() {} }

export interface Opened extends Store {
  readonly loaded: LoadedConfig
  readonly organization: OrganizationRow
}

export async function withStore<T>(slug: string, work: (opened: Opened) => Promise<T>): Promise<T> {
  const loaded = loadConfig()
  const { TOOLWAY_DATA: directory, DATABASE_URL: databaseUrl } = loaded.config
  const store = await openStore({ directory, databaseUrl, owner: false, log: SILENT })
  try {
    const organization = (await store.db.system(listOrganizations)).find((one) => one.slug === slug)
    if (organization === undefined) {
      const first =
        slug === DEFAULT_SLUG ? 'Start Toolway once; it is made then.' : 'Declare it in the file of TOOLWAY_CONFIG.'
      throw new CommandFault(`There is no organization "${slug}" in ${directory}. ${first}`)
    }
    return await work({ ...store, loaded, organization })
  } finally {
    await store.close()
  }
}

/** Where the running gateway answers: what it wrote down when it began to listen, else what the settings say. */
export async function addressOf({ config }: LoadedConfig): Promise<string> {
  const noted = await readFile(join(config.TOOLWAY_DATA, ADDRESS_FILE), 'utf8').catch(() => '')
  const stated = `http://${config.TOOLWAY_HOST === '0.0.0.0' ? '127.0.0.1' : config.TOOLWAY_HOST}:${config.TOOLWAY_PORT}`
  return noted.trim() === '' ? stated : noted.trim()
}

export const ADDRESS_FILE = 'address'
export const KEY_FILE = 'command-line.key'

/** Whether a gateway answers there. */
export const isRunning = async (address: string): Promise<boolean> =>
  fetch(`${address}/health/live`, { signal: AbortSignal.timeout(2_000) }).then(
    ({ ok }) => ok,
    () => false,
  )
