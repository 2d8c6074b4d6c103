/**
 * Writes a backup part by part, as tests need it: with parts that end anywhere, as earlier versions wrote them, or with rows that a
 * program could not have written. Sums are those of the rows that it gets, so that only who reads the rows notices.
 */
import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { RowSum, NAMES, type Closing, type Manifest } from '../features/backup/index.ts'
import { encryptStream, type Lock } from '../lib/archive/age.ts'
import { writeTar, type TarEntry } from '../lib/archive/tar.ts'

export interface RoughBackup {
  readonly file: string
  readonly lock: Lock
  readonly manifest: Manifest
  /** The bytes of each table, in its parts. */
  readonly tables: Readonly<Record<string, readonly Uint8Array[]>>
}

export async function writeRoughBackup({ file, lock, manifest, tables }: RoughBackup): Promise<void> {
  const closing: Closing = { tables: {}, files: 0, file_bytes: 0, files_gone: 0 }
  const text = (name: string, value: unknown): TarEntry => {
    const bytes = Buffer.from(JSON.stringify(value))
    return { name, size: bytes.length, content: [bytes] }
  }
  async function* entries(): AsyncGenerator<TarEntry> {
    yield text(NAMES.manifest, manifest)
    for (const { name } of manifest.tables) {
      const sum = new RowSum()
      for (const [at, part] of (tables[name] ?? []).entries()) {
        sum.add(part)
        yield { name: NAMES.rows(name, at + 1), size: part.length, content: [part] }
      }
      closing.tables[name] = sum.close()
    }
    yield text(NAMES.closing, closing)
    await Promise.resolve()
  }
  await pipeline(
    Readable.from(writeTar(entries()), { objectMode: false }),
    createGzip(),
    (source: AsyncIterable<Uint8Array>) => encryptStream(source, lock),
    createWriteStream(file, { mode: 0o600 }),
  )
}

/** The bytes in parts of this many, whatever stands at their borders. */
export const partsOf = (bytes: Uint8Array, length: number): Uint8Array[] =>
  Array.from({ length: Math.ceil(bytes.length / length) }, (_, at) => bytes.subarray(at * length, (at + 1) * length))
