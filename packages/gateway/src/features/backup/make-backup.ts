/**
 * Makes a backup: one encrypted file with the rows of the database at one moment, the contents of the folder store, and the vault's
 * keys where they are wanted. Gateways go on meanwhile. The file appears under its name when it is whole and on disk.
 */
import { createHash, type Hash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { link, rename, rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { z } from 'zod'
import type { DatabaseConnection } from '../../db/db.ts'
import { WholeRows } from '../../db/backup/copy-text.ts'
import { withSnapshot, type Snapshot, type TableColumns } from '../../db/backup/snapshot.ts'
import { openContent } from './folder-copies.ts'
import { encryptStream, type Lock } from '../../lib/archive/age.ts'
import { writeTar, type TarEntry } from '../../lib/archive/tar.ts'
import { WRAPPED_KEYS, WrappedList } from '../../vault/key-service/wrapped-rows.ts'
import type { FoundKey } from '../../vault/key-sources.ts'
import { textOfKeys } from '../../vault/key-files.ts'
import { unfinishedName } from './leftovers.ts'
import { FORMAT, NAMES, type Closing, type Manifest } from './manifest.ts'

export interface BackupParts {
  readonly connection: DatabaseConnection
  readonly file: string
  readonly lock: Lock
  readonly version: string
  readonly now: Date
  /** Keys to put into it, of those that were found; undefined: it is made without them. */
  readonly keys: readonly FoundKey[] | undefined
  /** The folder of the file store; `left`: contents are kept in an object store and stay there. */
  readonly files: { readonly folder: string } | 'left' | 'none'
  /** Ends it early: nothing of it stays. */
  readonly signal?: AbortSignal
}

export interface MadeBackup extends Closing {
  readonly manifest: Manifest
}

/** Another process has written a file of that name meanwhile. */
export class BackupExists extends Error {}

/** A key that the database needs was not found, and was to be put into the backup. */
export class KeyNotThere extends Error {}

export async function makeBackup(parts: BackupParts): Promise<MadeBackup> {
  const beside = unfinishedName(parts.file)
  try {
    const made = await withSnapshot(parts.connection, async (snapshot) => {
      const manifest = await describe(parts, snapshot)
      const closing: Closing = { tables: {}, files: 0, file_bytes: 0, files_gone: 0 }
      await pipeline(
        Readable.from(writeTar(entriesOf(parts, snapshot, manifest, closing)), { objectMode: false }),
        createGzip({ level: 3 }),
        (source: AsyncIterable<Uint8Array>) => encryptStream(source, parts.lock),
        createWriteStream(beside, { mode: 0o600, flags: 'wx', flush: true }),
        { signal: parts.signal },
      )
      return { manifest, ...closing }
    })
    await giveName(beside, parts.file)
    return made
  } finally {
    await rm(beside, { force: true })
  }
}

/** A link fails where the name is taken, and a rename would replace what has it. Some file systems have no links. */
async function giveName(beside: string, file: string): Promise<void> {
  await link(beside, file).catch(async (thrown: NodeJS.ErrnoException) => {
    if (thrown.code === 'EEXIST') throw new BackupExists(`${file} already exists. A backup never replaces a file.`)
    await rename(beside, file)
  })
}

const Remembered = z.object({ fingerprint: z.string().optional(), fingerprints: z.array(z.string()).optional() })
const Wrapped = z.object({ keys: WrappedList })

async function describe({ version, now, keys, files }: BackupParts, snapshot: Snapshot): Promise<Manifest> {
  const { fingerprint, fingerprints = [] } = Remembered.parse((await snapshot.installation('vault')) ?? {})
  const { keys: wrapped } = Wrapped.parse((await snapshot.installation(WRAPPED_KEYS)) ?? { keys: [] })
  const needed = fingerprint === undefined ? [] : [...new Set([fingerprint, ...fingerprints])]
  if (keys !== undefined && fingerprint !== undefined && !keys.some((key) => key.fingerprint === fingerprint))
    throw new KeyNotThere(
      'The vault key that encrypts the database was not found here, so it cannot be included in the backup.',
    )
  return {
    format: FORMAT,
    version,
    made_at: now.toISOString(),
    migrations: [...snapshot.migrations],
    tables: snapshot.tables.map(({ name, columns, types, required }) => ({
      ...{ name, columns: [...columns], types: [...types], required: [...required] },
    })),
    months: [...snapshot.months],
    vault_keys: needed,
    with_keys: keys !== undefined,
    wrapped_keys: wrapped,
    files: typeof files === 'string' ? files : 'included',
  }
}

async function* entriesOf(
  parts: BackupParts,
  snapshot: Snapshot,
  manifest: Manifest,
  closing: Closing,
): AsyncGenerator<TarEntry> {
  yield text(NAMES.manifest, JSON.stringify(manifest))
  if (parts.keys !== undefined) {
    const order = (key: FoundKey) => manifest.vault_keys.indexOf(key.fingerprint)
    const needed = parts.keys.filter((key) => order(key) !== -1).toSorted((key, other) => order(key) - order(other))
    yield text(NAMES.keys, textOfKeys(needed.map(({ root }) => root)))
  }
  for (const table of snapshot.tables) yield* rowsOf(snapshot, table, closing)
  if (typeof parts.files !== 'string') yield* filesOf(parts.files.folder, snapshot, closing)
  yield text(NAMES.closing, JSON.stringify(closing))
}

function text(name: string, content: string): TarEntry {
  const bytes = Buffer.from(content)
  return { name, size: bytes.length, content: [bytes] }
}

/** An entry of an archive says its size first, so that rows are gathered up to this much. */
const PART = 1024 * 1024

/** An entry ends at the end of a row, since a restore may read it by itself; chunks of COPY end anywhere. */
async function* rowsOf(snapshot: Snapshot, table: TableColumns, closing: Closing): AsyncGenerator<TarEntry> {
  const sum = new RowSum()
  const whole = new WholeRows()
  let gathered: Buffer[] = []
  let size = 0
  let part = 0
  const entry = (): TarEntry => {
    const made = { name: NAMES.rows(table.name, ++part), size, content: gathered }
    gathered = []
    size = 0
    return made
  }
  for await (const chunk of snapshot.rows(table)) {
    sum.add(chunk)
    const block = whole.take(chunk)
    if (block === undefined) continue
    gathered.push(block)
    size += block.length
    if (size >= PART) yield entry()
  }
  whole.close()
  if (size > 0) yield entry()
  closing.tables[table.name] = sum.close()
}

/** Rows, bytes and hash of COPY in text form, in which a line break ends a row and stands nowhere else. */
export class RowSum {
  readonly #hash: Hash = createHash('sha256')
  #rows = 0
  #bytes = 0

  add(chunk: Uint8Array): void {
    this.#hash.update(chunk)
    this.#bytes += chunk.length
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) this.#rows++
  }

  close(): Closing['tables'][string] {
    return { rows: this.#rows, bytes: this.#bytes, sha256: this.#hash.digest('hex') }
  }
}

/** Contents of the files that the snapshot has; a draft of an upload stays behind, and its client sends it again. */
async function* filesOf(folder: string, snapshot: Snapshot, closing: Closing): AsyncGenerator<TarEntry> {
  if (!snapshot.tables.some(({ name }) => name === 'files')) return
  for (const key of await snapshot.fileKeys()) {
    await using opened = await openContent(folder, key)
    if (opened === undefined) {
      closing.files_gone++
      continue
    }
    closing.files++
    closing.file_bytes += opened.size
    yield { name: NAMES.file(key), size: opened.size, content: opened.size === 0 ? [] : opened.content() }
  }
}
