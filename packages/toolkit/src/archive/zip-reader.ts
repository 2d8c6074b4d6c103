/** Unpacks one file of a ZIP archive in parts, and holds it to the size and the checksum that its header says. */
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createInflateRaw } from 'node:zlib'
import type { FileReader } from '../files/file-reader.ts'
import { Refusal } from '../refusal.ts'
import { crc32 } from './crc32.ts'
import type { ZipEntry } from './zip-directory.ts'

const STORED = 0

/** Throws a `Refusal` as soon as the content is not what the header says. */
export async function* unpack(
  file: FileReader,
  entry: ZipEntry,
  signal: AbortSignal,
): AsyncGenerator<Buffer, void, void> {
  const { name, size, crc, method } = entry
  let [length, sum] = [0, 0]
  const packed = file.chunks({ from: entry.at, to: entry.at + entry.packed, signal })
  for await (const chunk of method === STORED ? packed : inflateStream(packed)) {
    length += chunk.byteLength
    if (length > size) throw new Refusal(`${name} is larger than the archive states.`)
    sum = crc32(chunk, sum)
    yield chunk
  }
  if (length !== size || sum !== crc) throw new Refusal(`${name} is damaged.`)
}

async function* inflateStream(packed: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, void> {
  const stream = createInflateRaw()
  // An error here is thrown by the reading below.
  const fed = pipeline(Readable.from(packed), stream).catch(() => {})
  try {
    for await (const chunk of stream) yield chunk as Buffer
  } catch (thrown) {
    throw isOfZlib(thrown) ? new Refusal('A file in the archive is damaged.') : thrown
  } finally {
    stream.destroy()
    await fed
  }
}

const isOfZlib = (thrown: unknown): boolean => (thrown as NodeJS.ErrnoException).code?.startsWith('Z_') === true
