/**
 * Tar archives (POSIX ustar) as streams: entries in, bytes out, and back. Memory is bounded by one chunk of the source.
 *
 * Only what this program writes is read: regular files with a name, a size and a checksum. Everything else is a BrokenTar.
 */
const BLOCK = 512
const NAME_BYTES = 100
const PREFIX_BYTES = 155
/** Sizes of 8 GiB and more do not fit in eleven octal digits and are written in base 256, as GNU tar does. */
const MOST_OCTAL = 0o77777777777

export interface TarEntry {
  readonly name: string
  readonly size: number
  readonly content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>
}

/** The bytes are no archive, or not all of it. */
export class BrokenTar extends Error {}

export async function* writeTar(entries: AsyncIterable<TarEntry>): AsyncGenerator<Uint8Array> {
  for await (const { name, size, content } of entries) {
    yield headerOf(name, size)
    let written = 0
    for await (const chunk of content) {
      written += chunk.length
      yield chunk
    }
    if (written !== size) throw new BrokenTar(`${name} has ${written} bytes where ${size} were announced`)
    yield Buffer.alloc(paddingOf(size))
  }
  yield Buffer.alloc(2 * BLOCK)
}

/** Entries in their order; what is left unread of one is passed over when the next one is asked for. */
export async function* readTar(source: AsyncIterable<Uint8Array>): AsyncGenerator<TarEntry> {
  const bytes = new ByteReader(source)
  for (;;) {
    const header = await bytes.take(BLOCK)
    if (header.every((byte) => byte === 0)) break
    const { name, size } = parseHeader(header)
    let left = size
    async function* content() {
      while (left > 0) {
        const chunk = await bytes.some(left)
        left -= chunk.length
        yield chunk
      }
    }
    yield { name, size, content: content() }
    while (left > 0) left -= (await bytes.some(left)).length
    await bytes.take(paddingOf(size))
  }
  // Decryption knows that nothing is missing only when it has come to the end.
  while ((await bytes.someOrEnd(BLOCK)) !== undefined);
}

const paddingOf = (size: number): number => (BLOCK - (size % BLOCK)) % BLOCK

function headerOf(name: string, size: number): Buffer {
  const header = Buffer.alloc(BLOCK)
  const cut = Buffer.byteLength(name) > NAME_BYTES ? name.lastIndexOf('/', PREFIX_BYTES) : -1
  const [prefix, rest] = [name.slice(0, Math.max(cut, 0)), name.slice(cut + 1)]
  if (Buffer.byteLength(rest) > NAME_BYTES) throw new BrokenTar(`the name ${name} is too long for an archive`)
  header.write(rest, 0)
  header.write('0000600\0', 100)
  header.write('0000000\0', 108)
  header.write('0000000\0', 116)
  if (size > MOST_OCTAL) {
    header[124] = 0x80
    header.writeBigUInt64BE(BigInt(size), 128)
  } else header.write(`${size.toString(8).padStart(11, '0')}\0`, 124)
  header.write('00000000000\0', 136)
  header.write('0', 156)
  header.write('ustar\x0000', 257, 'latin1')
  header.write(prefix, 345)
  header.write(`${checksumOf(header).toString(8).padStart(6, '0')}\0 `, 148)
  return header
}

function parseHeader(header: Buffer): { name: string; size: number } {
  const text = (start: number, length: number) => {
    const field = header.subarray(start, start + length)
    const end = field.indexOf(0)
    return field.subarray(0, end === -1 ? length : end).toString()
  }
  if (Number.parseInt(text(148, 8), 8) !== checksumOf(header) || text(257, 6) !== 'ustar' || text(156, 1) !== '0')
    throw new BrokenTar('an entry of the archive has no valid header')
  const size = header[124] === 0x80 ? Number(header.readBigUInt64BE(128)) : Number.parseInt(text(124, 12), 8)
  const prefix = text(345, PREFIX_BYTES)
  if (!Number.isSafeInteger(size) || size < 0) throw new BrokenTar('an entry of the archive has no valid size')
  return { name: prefix === '' ? text(0, NAME_BYTES) : `${prefix}/${text(0, NAME_BYTES)}`, size }
}

/** The sum of the bytes, the field of the sum itself counted as spaces. */
function checksumOf(header: Buffer): number {
  let sum = 8 * 0x20
  for (const [at, byte] of header.entries()) if (at < 148 || at >= 156) sum += byte
  return sum
}

class ByteReader {
  readonly #source: AsyncIterator<Uint8Array>
  #held: Uint8Array = new Uint8Array()

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]()
  }

  /** One to `most` bytes, or undefined at the end. */
  async someOrEnd(most: number): Promise<Uint8Array | undefined> {
    while (this.#held.length === 0) {
      const next = await this.#source.next()
      if (next.done === true) return undefined
      this.#held = next.value
    }
    const chunk = this.#held.subarray(0, most)
    this.#held = this.#held.subarray(chunk.length)
    return chunk
  }

  async some(most: number): Promise<Uint8Array> {
    const chunk = await this.someOrEnd(most)
    if (chunk === undefined) throw new BrokenTar('the archive ends too early')
    return chunk
  }

  async take(length: number): Promise<Buffer> {
    const chunks: Uint8Array[] = []
    for (let left = length; left > 0;) {
      const chunk = await this.some(left)
      left -= chunk.length
      chunks.push(chunk)
    }
    return Buffer.concat(chunks)
  }
}
