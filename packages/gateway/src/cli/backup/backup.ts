/** `toolway backup …` and `toolway restore`: where things are, what opens them, and what became of it. */
import { readdir, rm, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import {
  removeLeftovers,
  BackupExists,
  KeyNotThere,
  makeBackup,
  type BackupParts,
  type Closing,
  type Manifest,
  BackupUnusable,
  verifyBackup,
  type VerifiedBackup,
  restoreBackup,
} from '../../features/backup/index.ts'
import { keySourcesOf, openBareDatabase } from '../../base/open-store.ts'
import { VERSION } from '../../call/introduce.ts'
import { filePlaceOf, type LoadedConfig } from '../../config.ts'
import { countWithNoun } from '../../lib/count-with-noun.ts'
import { openConfig } from '../open-config.ts'
import { openingFault } from '../opening-fault.ts'
import { createDb } from '../../db/db.ts'
import { LoadRefused } from '../../db/backup/load.ts'
import { NoToolwayDatabase } from '../../db/backup/snapshot.ts'
import { NoAgeKey } from '../../lib/archive/age.ts'
import { idOf } from '../../vault/root.ts'
import { recordChange } from '../../records/change.ts'
import { ownActor } from '../own-actor.ts'
import { isMade, SILENT } from '../store.ts'
import { CommandFault, EXIT, type Output } from '../terminal/output.ts'
import { refuseElsewhere } from '../transport/named-gateway.ts'
import { lockOf, openerOf, type Given, type Locking } from './passphrase.ts'

export type { Given } from './passphrase.ts'
export interface BackupParameters extends Locking {
  readonly withKey?: boolean
  readonly keep?: number
}

export async function make(target: string, options: BackupParameters, output: Output): Promise<number> {
  const loaded = await openConfig()
  await refuseElsewhere(loaded)
  const { TOOLWAY_DATA: directory } = loaded.config
  if (!(await isMade(loaded)))
    throw new CommandFault(`Toolway has not been set up in ${directory} yet, so there is nothing to back up.`)
  const now = new Date()
  const { file, folder } = await targetOf(target, now, options.keep)
  const lock = await lockOf(options)
  const keys = options.withKey === true ? (await sourcesOf(loaded).find()).keys : undefined
  const leftovers = await removeLeftovers(dirname(file), now).catch(() => [])
  const wording = { what: `The backup ${file} was not written`, loaded }
  const made = await withDatabase(loaded, wording, async (connection) => {
    const parts = { connection, file, lock, version: VERSION, now, keys, files: filesOf(loaded) }
    const written = await interruptible((signal) => wordFailures(makeBackup({ ...parts, signal }), wording))
    await noteBackup(connection, file, written).catch(() =>
      output.progress('The backup could not be recorded in the audit log.'),
    )
    return written
  })
  const dropped = folder === undefined || options.keep === undefined ? [] : await keepNewest(folder, options.keep)
  const { manifest, ...closing } = made
  output.result({ file, ...summaryOf(manifest, closing), dropped }, [
    `The backup ${file} was written: ${wordsOf(manifest, closing)}.`,
    ...(manifest.with_keys
      ? ['It contains the vault key: anyone who can open the backup can open every secret.']
      : manifest.vault_keys
          .slice(0, 1)
          .map(
            (key) =>
              `The backup does not contain the vault key ${idOf(key)}. Store that key elsewhere; you need it to restore the backup.`,
          )),
    ...(manifest.files === 'left' ? ['File contents stay in the object store and are not included.'] : []),
    ...dropped.map((name) => `Removed: ${name}`),
    ...leftovers.map((name) => `Removed: ${name} (what remained of a backup that was interrupted)`),
  ])
  return EXIT.ok
}

/** Records the backup in the audit log of the platform, where the console looks for the last one. The backup itself does not contain the record. */
async function noteBackup(
  connection: BackupParts['connection'],
  file: string,
  { manifest, ...closing }: { manifest: Manifest } & Closing,
): Promise<void> {
  const { rows, files, with_key } = summaryOf(manifest, closing)
  const db = createDb({ connection, log: SILENT })
  try {
    await db.system((sql) =>
      recordChange(sql, ownActor(), undefined, {
        action: 'backup.create',
        resource: 'backup',
        id: basename(file),
        detail: { rows, files, with_key },
      }),
    )
  } finally {
    await db.close()
  }
}

export async function verify(file: string, options: Given, output: Output): Promise<number> {
  const { manifest, closing, chains } = await wordFailures(verifyBackup({ file, opener: await openerOf(options) }), {
    what: `The backup ${file} was not verified`,
  })
  output.result({ file, ...summaryOf(manifest, closing), chains: chains ?? null }, [
    `The backup ${file} is complete: ${wordsOf(manifest, closing)}.`,
    ...chainWords(chains),
    `It was created at ${manifest.made_at} by version ${manifest.version}, with the database at migration ${manifest.migrations.at(-1)}.`,
    ...(manifest.with_keys
      ? ['It contains the vault key.']
      : manifest.vault_keys
          .slice(0, 1)
          .map(
            (key) => `Restoring this backup requires the vault key ${idOf(key)}, which the backup does not contain.`,
          )),
  ])
  return chains?.every(({ good }) => good) === false ? EXIT.failed : EXIT.ok
}

/** The result of the chains in sentences: one for all, and one more for each chain that is not valid. */
function chainWords(chains: VerifiedBackup['chains']): string[] {
  if (chains === undefined)
    return [
      'Its record chains were not verified, because its values are in a form that depends on the settings of their server: run `toolway records verify` after you restore it.',
    ]
  const good = chains.filter((chain) => chain.good)
  const records = good.reduce((sum, chain) => sum + chain.records, 0)
  return [
    `${countWithNoun(records, 'audit record')} in ${countWithNoun(good.length, 'record chain')} ${records === 1 ? 'was' : 'were'} verified.`,
    ...chains
      .filter((chain) => !chain.good)
      .map((chain) => `INVALID: the record chain of ${chain.organization_id}: ${chain.problem}.`),
  ]
}

export async function restore(file: string, options: Given, output: Output): Promise<number> {
  const loaded = await openConfig()
  await refuseElsewhere(loaded)
  const files = filesOf(loaded)
  const opener = await openerOf(options)
  const { manifest, closing, rows, chains } = await wordFailures(
    restoreBackup({
      ...{ file, opener, directory: loaded.config.TOOLWAY_DATA, sources: sourcesOf(loaded) },
      folder: typeof files === 'string' ? undefined : files.folder,
      openDatabase: () => openBareDatabase(storeOf(loaded)),
    }),
    { what: `The backup ${file} was not restored`, loaded },
  )
  output.result({ file, ...summaryOf(manifest, closing), rows, chains: chains ?? null }, [
    `The backup ${file} was restored: ${wordsOf(manifest, closing)}.`,
    ...chainWords(chains),
    ...(closing.files_gone > 0
      ? [`${countWithNoun(closing.files_gone, 'file was', 'files were')} removed while the backup was being written.`]
      : []),
    'Start the gateway, then run `toolway doctor` and `toolway records verify`.',
  ])
  return EXIT.ok
}

const storeOf = ({ config }: LoadedConfig) => ({
  ...{ directory: config.TOOLWAY_DATA, databaseUrl: config.DATABASE_URL, keys: config, owner: false, log: SILENT },
})
const sourcesOf = ({ config }: LoadedConfig) => keySourcesOf({ directory: config.TOOLWAY_DATA, keys: config })

async function withDatabase<T>(
  loaded: LoadedConfig,
  wording: Wording,
  work: (connection: BackupParts['connection']) => Promise<T>,
): Promise<T> {
  const { connection, stop } = await wordFailures(openBareDatabase(storeOf(loaded)), wording)
  try {
    return await work(connection)
  } finally {
    await stop()
  }
}

function filesOf({ config }: LoadedConfig): BackupParts['files'] {
  const fileLocation = filePlaceOf(config)
  if (fileLocation === undefined) return 'none'
  return fileLocation.kind === 'folder' ? { folder: fileLocation.folder } : 'left'
}

const NAMED = /^toolway-\d{8}T\d{6}Z\.toolway$/

async function targetOf(
  target: string,
  now: Date,
  count: number | undefined,
): Promise<{ file: string; folder?: string }> {
  if (count !== undefined && !(Number.isInteger(count) && count >= 1))
    throw new CommandFault('--keep must be a whole number of at least 1.', EXIT.usage)
  const path = resolve(target)
  const found = await stat(path).catch(() => undefined)
  if (found?.isDirectory() === true) {
    const name = `toolway-${now.toISOString().replaceAll(/[-:]|\.\d+/g, '')}.toolway`
    return { file: join(path, name), folder: path }
  }
  if (found !== undefined) throw new CommandFault(`${path} already exists. A backup never replaces a file.`)
  if (count !== undefined)
    throw new CommandFault('--keep applies to the backups in a folder: specify an existing folder.', EXIT.usage)
  return { file: path }
}

async function keepNewest(folder: string, count: number): Promise<string[]> {
  const names = (await readdir(folder)).filter((name) => NAMED.test(name)).sort()
  const old = names.slice(0, Math.max(names.length - count, 0))
  for (const name of old) await rm(join(folder, name))
  return old
}

function summaryOf(manifest: Manifest, { tables, files, file_bytes, files_gone }: Closing) {
  const rows = Object.values(tables).reduce((sum, table) => sum + table.rows, 0)
  return {
    ...{ made_at: manifest.made_at, version: manifest.version, migration: manifest.migrations.at(-1) },
    ...{ with_key: manifest.with_keys, vault_keys: manifest.vault_keys.map(idOf), rows, files, file_bytes, files_gone },
  }
}

function wordsOf(manifest: Manifest, closing: Closing): string {
  const { rows, files } = summaryOf(manifest, closing)
  const records = closing.tables['records']?.rows ?? 0
  return `${countWithNoun(rows, 'row')} from ${countWithNoun(manifest.tables.length, 'table')}, including ${countWithNoun(records, 'audit record')}, and ${countWithNoun(files, 'file')}`
}

const KNOWN = [BackupExists, BackupUnusable, KeyNotThere, LoadRefused, NoAgeKey, NoToolwayDatabase]

interface Wording {
  /** The act that failed, without a period. */
  readonly what: string
  /** Where a database is opened for it. */
  readonly loaded?: LoadedConfig
}

/** Every failure in words: what did not happen, why, and what to do. */
const wordFailures = <T>(work: Promise<T>, wording: Wording): Promise<T> =>
  work.catch((thrown: unknown) => {
    throw wordFailure(thrown, wording)
  })

function wordFailure(thrown: unknown, { what, loaded }: Wording): unknown {
  const fault = (words: string) => new CommandFault(words, EXIT.failed, { cause: thrown })
  if (KNOWN.some((kind) => thrown instanceof kind)) return fault((thrown as Error).message)
  const { code, syscall, path } = thrown as NodeJS.ErrnoException
  if (syscall !== undefined && path !== undefined)
    return fault(
      `${what}: ${path} cannot be used (${code}). Check its folder, its permissions and the space on its disk.`,
    )
  if (loaded === undefined) return thrown
  const { TOOLWAY_DATA: directory, DATABASE_URL: url } = loaded.config
  const opening = openingFault(thrown, { directory, outside: url !== undefined })
  return opening instanceof CommandFault ? fault(`${what}. ${opening.message}`) : thrown
}

/** SIGINT and SIGTERM end the work, which leaves nothing behind; a second one ends the process. */
async function interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stop = new AbortController()
  const abort = () => stop.abort()
  process.once('SIGINT', abort).once('SIGTERM', abort)
  try {
    return await work(stop.signal)
  } catch (thrown) {
    if (!stop.signal.aborted) throw thrown
    throw new CommandFault('The backup was interrupted, and nothing was written: run the command again.', EXIT.failed, {
      cause: thrown,
    })
  } finally {
    process.off('SIGINT', abort).off('SIGTERM', abort)
  }
}
