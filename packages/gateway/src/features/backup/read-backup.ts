/**
 * Reads a backup: decrypts it, and holds what it contains against what it says of itself. `verifyBackup` reads all of it and keeps
 * nothing; a restore does so first, so that nothing is begun with a file that is broken at its end.
 */
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { z } from 'zod'
import { BrokenCipher, decryptStream, WrongOpener, type Opener } from '../../lib/archive/age.ts'
import { BrokenTar, readTar, type TarEntry } from '../../lib/archive/tar.ts'
import { keysOfText } from '../../vault/key-files.ts'
import { BrokenCopy } from '../../db/backup/copy-text.ts'
import type { UnorderedVerdict } from '../../records/chain/unordered-chains.ts'
import { Closing, FORMATS, Manifest, partOf, type Part } from './manifest.ts'
import { createRecordsProof } from './prove-records.ts'
import { TableProof } from './table-proof.ts'

/** The file cannot be restored; the message says why, in words for the operator. */
export class BackupUnusable extends Error {}

export interface ReadParts {
  readonly file: string
  readonly opener: Opener
}

export interface BackupHead {
  readonly manifest: Manifest
  readonly keys: readonly Buffer[]
}

export interface VerifiedBackup extends BackupHead {
  readonly closing: Closing
  /** Of each organization that has records; undefined if this program cannot read the forms of the values. */
  readonly chains: readonly UnorderedVerdict[] | undefined
}

/**
 * Everything that the file promises is there and whole, and its rows are read as a restore reads them. Throws BackupUnusable. A chain
 * of records that is not valid is a result and does not throw: the backup may be a true copy of a database in which it is not.
 */
export async function verifyBackup(parts: ReadParts): Promise<VerifiedBackup> {
  const files = { count: 0, bytes: 0 }
  let closing: Closing | undefined
  let rows: RowsProof | undefined
  const heads: BackupHead[] = []
  const onHead = (head: BackupHead) => {
    heads.push(head)
    rows = createRowsProof(parts.file, head.manifest)
  }
  for await (const { part, entry } of readBackup(parts, onHead)) {
    if (closing !== undefined) throw damaged(parts.file, 'there is data after its end')
    if (part.kind === 'rows') {
      for await (const chunk of entry.content) rows?.add(part.table, chunk)
    } else if (part.kind === 'file') {
      files.count++
      for await (const chunk of entry.content) files.bytes += chunk.length
    } else if (part.kind === 'closing') closing = await parseEntry(Closing, entry, parts.file)
  }
  const [head] = heads
  if (head === undefined || closing === undefined || rows === undefined) throw damaged(parts.file, 'its end is missing')
  const chains = rows.close(closing)
  if (files.count !== closing.files || files.bytes !== closing.file_bytes)
    throw damaged(parts.file, 'file contents are missing')
  return { ...head, closing, chains }
}

interface RowsProof {
  add(table: string, chunk: Uint8Array): void
  close(closing: Closing): UnorderedVerdict[] | undefined
}

/** All rows, read as a restore reads them. Throws BackupUnusable. */
function createRowsProof(file: string, { tables }: Manifest): RowsProof {
  const records = createRecordsProof(tables)
  const read = <T>(work: () => T): T => {
    try {
      return work()
    } catch (thrown) {
      throw thrown instanceof BrokenCopy ? damaged(file, thrown.message) : thrown
    }
  }
  const proofs = new Map(
    tables.map((table) => [table.name, new TableProof(table, (fields) => records.row(table.name, fields))]),
  )
  return {
    add(name, chunk) {
      const proof = proofs.get(name)
      if (proof === undefined) throw damaged(file, `it contains rows of a table ${name} that it does not describe`)
      read(() => proof.add(chunk))
    },
    close(closing) {
      for (const [name, proof] of proofs) {
        const [stated, found] = [closing.tables[name], read(() => proof.close())]
        if (stated?.sha256 !== found.sha256 || stated.rows !== found.rows)
          throw damaged(file, `the rows of the table ${name} were changed`)
      }
      return records.close()
    },
  }
}

interface ReadPart {
  readonly part: Exclude<Part, { kind: 'manifest' | 'keys' }>
  readonly entry: TarEntry & { readonly content: AsyncIterable<Uint8Array> }
}

/** The parts behind the head, in their order. */
export async function* readBackup(
  { file, opener }: ReadParts,
  onHead: (head: BackupHead) => void,
): AsyncGenerator<ReadPart> {
  await stat(file).catch((cause: unknown) => {
    throw new BackupUnusable(`The backup ${file} does not exist or cannot be read.`, { cause })
  })
  let manifest: Manifest | undefined
  let wasTold = false
  const reportHead = (keys: readonly Buffer[]) => {
    if (manifest === undefined) throw damaged(file, 'it does not begin with a manifest')
    wasTold = true
    onHead({ manifest, keys })
  }
  try {
    const source = Readable.from(decryptStream(createReadStream(file), opener), { objectMode: false })
    const unpacked = source.pipe(createGunzip())
    source.on('error', (error) => unpacked.destroy(error))
    for await (const entry of readTar(unpacked)) {
      const part = partOf(entry.name)
      if (part === undefined) throw damaged(file, `it contains ${entry.name}, which is not part of a backup`)
      if (part.kind === 'manifest') manifest = await manifestOf(entry, file)
      else if (part.kind === 'keys') reportHead(await keysOf(entry, file))
      else {
        if (!wasTold) reportHead([])
        yield { part, entry: { ...entry, content: wordedContent(entry.content, file) } }
      }
    }
  } catch (thrown) {
    throw wordReadFailure(thrown, file)
  }
}

/** Failures of a content reach the reader of that content, not the reader of the next entry. */
async function* wordedContent(content: TarEntry['content'], file: string): AsyncGenerator<Uint8Array> {
  try {
    yield* content
  } catch (thrown) {
    throw wordReadFailure(thrown, file)
  }
}

async function manifestOf(entry: TarEntry, file: string): Promise<Manifest> {
  const value = await parseEntry(z.looseObject({ format: z.string() }), entry, file)
  if (!FORMATS.some((known) => known === value.format))
    throw new BackupUnusable(
      `The backup ${file} has the format "${value.format}", but this version reads only ${FORMATS.map((known) => `"${known}"`).join(' and ')}: use the version that wrote it, or a later one.`,
    )
  const parsed = Manifest.safeParse(value)
  if (parsed.success) return parsed.data
  throw damaged(file, 'its description cannot be read')
}

async function keysOf(entry: TarEntry, file: string): Promise<Buffer[]> {
  const keys = keysOfText(await textOf(entry))
  if (keys === undefined) throw damaged(file, 'its vault keys cannot be read')
  return keys
}

async function parseEntry<T>(shape: z.ZodType<T>, entry: TarEntry, file: string): Promise<T> {
  try {
    return shape.parse(JSON.parse(await textOf(entry)))
  } catch (thrown) {
    if (thrown instanceof SyntaxError || thrown instanceof z.ZodError)
      throw damaged(file, `${entry.name} cannot be read`)
    throw thrown
  }
}

/** Of parts that are small; larger ones are none of ours. */
const MOST_TEXT = 16 * 1024 * 1024

async function textOf({ size, name, content }: TarEntry): Promise<string> {
  if (size > MOST_TEXT) throw new BrokenTar(`${name} is too large`)
  const chunks: Uint8Array[] = []
  for await (const chunk of content) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

const damaged = (file: string, why: string) =>
  new BackupUnusable(`The backup ${file} is damaged: ${why}. Use another copy of it, or an earlier one.`)

function wordReadFailure(thrown: unknown, file: string): unknown {
  if (thrown instanceof WrongOpener)
    return new BackupUnusable(
      `The backup ${file} cannot be decrypted: the passphrase is wrong, or it was not encrypted for this identity.`,
      { cause: thrown },
    )
  if (thrown instanceof BrokenTar) return damaged(file, thrown.message)
  const { code, syscall } = thrown as NodeJS.ErrnoException
  if (syscall !== undefined)
    return new BackupUnusable(
      `The backup ${file} cannot be read (${code}): check the path, its permissions and its disk.`,
      {
        cause: thrown,
      },
    )
  if (thrown instanceof BrokenCipher || (typeof code === 'string' && code.startsWith('Z_')))
    return damaged(file, 'it is not a backup, or it was changed or cut off')
  return thrown
}
