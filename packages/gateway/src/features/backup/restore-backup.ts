/**
 * Restores a backup into an empty place: its vault keys, the contents of its files, and its rows, which become visible all at once
 * and last. The whole file is verified before anything is written, so that what is broken or for somebody else changes nothing.
 * A restore that was cut off can be run again.
 */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { DatabaseConnection } from '../../db/db.ts'
import { loadRows, LoadRefused, refuseOccupied, refuseUnknown } from '../../db/backup/load.ts'
import { placeContent } from './folder-copies.ts'
import { replaceFile, RING_FILE, textOfKeys } from '../../vault/key-files.ts'
import type { KeySources } from '../../vault/key-sources.ts'
import { fingerprintOf, idOf } from '../../vault/root.ts'
import {
  BackupUnusable,
  readBackup,
  verifyBackup,
  type BackupHead,
  type ReadParts,
  type VerifiedBackup,
} from './read-backup.ts'

export interface RestoreParts extends ReadParts {
  readonly directory: string
  readonly sources: KeySources
  /** The folder of the file store; undefined where this installation keeps files elsewhere, or none. */
  readonly folder: string | undefined
  /** Called once the backup is known to be whole. */
  openDatabase(): Promise<{ connection: DatabaseConnection; stop(): Promise<void> }>
  /** Tests hand in fewer or other migrations. */
  readonly migrations?: string
  onStep?(step: 'verified' | 'loaded'): void
}

export interface Restored extends VerifiedBackup {
  readonly rows: number
}

/** Throws BackupUnusable and LoadRefused, before anything is changed. */
export async function restoreBackup(parts: RestoreParts): Promise<Restored> {
  const verified = await verifyBackup(parts)
  const { manifest } = verified
  await refuseUnknown(manifest.migrations, parts.migrations)
  const writesKeys = await chooseKeys(parts, verified)
  if (verified.closing.files > 0 && parts.folder === undefined)
    throw new BackupUnusable(
      'The backup contains file contents, but TOOLWAY_FILES is not a folder here: set it to folder:/a/path, or leave it unset.',
    )
  parts.onStep?.('verified')
  const { connection, stop } = await parts.openDatabase()
  try {
    await refuseOccupied(connection, manifest.migrations)
    const ring = join(parts.directory, RING_FILE)
    if (writesKeys) await replaceFile(ring, textOfKeys(verified.keys))
    const counts = await load(parts, connection, verified).catch(async (thrown: unknown) => {
      if (writesKeys) await rm(ring, { force: true })
      throw thrown
    })
    parts.onStep?.('loaded')
    return { ...verified, rows: [...counts.values()].reduce((sum, count) => sum + count, 0) }
  } finally {
    await stop()
  }
}

/** Whether the keys of the backup are to be written. Throws where values of the backup would not open. */
async function chooseKeys({ sources, file }: RestoreParts, { manifest, keys }: BackupHead): Promise<boolean> {
  const [seals] = manifest.vault_keys
  if (seals === undefined) return false
  const there = (await sources.find(manifest.wrapped_keys)).keys
  if (there.some(({ fingerprint }) => fingerprint === seals)) return false
  if (there.some(({ kind }) => kind !== 'environment' && kind !== 'service'))
    throw new BackupUnusable(
      `The vault key in ${sources.directory} is not the one that the backup uses (${idOf(seals)}): restore into an empty data directory, or provide that key.`,
    )
  if (keys.some((root) => fingerprintOf(root) === seals)) return true
  throw new BackupUnusable(
    `The backup ${file} does not contain a vault key, and its secrets can be decrypted only with ${idOf(seals)}, which was not found: put that vault.key into ${sources.directory}, or set MCP_ENCRYPTION_KEY to it, and restore again.`,
  )
}

async function load(parts: RestoreParts, connection: DatabaseConnection, { manifest, closing }: VerifiedBackup) {
  async function* rows() {
    for await (const { part, entry } of readBackup(parts, () => {})) {
      if (part.kind === 'file' && parts.folder !== undefined) await placeContent(parts.folder, part.key, entry.content)
      else if (part.kind === 'rows') yield { table: part.table, content: entry.content }
    }
  }
  const { migrations, tables, months } = manifest
  const directory = parts.migrations === undefined ? {} : { directory: parts.migrations }
  const check = (counts: ReadonlyMap<string, number>) => {
    for (const [table, { rows: stated }] of Object.entries(closing.tables))
      if ((counts.get(table) ?? 0) !== stated)
        throw new LoadRefused(`The table ${table} has ${counts.get(table) ?? 0} rows where the backup has ${stated}.`)
  }
  return loadRows({ connection, migrations, tables, months, rows: rows(), check, ...directory })
}
