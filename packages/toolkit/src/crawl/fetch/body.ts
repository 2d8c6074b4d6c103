/**
 * The body of an answer, decompressed, within a bound that holds for the bytes that arrive and again for those that come out: a
 * compressed bomb ends as soon as it grows over the bound.
 */
import type { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import * as zlib from 'node:zlib'
import { PageProblem } from '../page-problem.ts'

/** Codings in one another that are undone. */
const MOST_CODINGS = 2
const HAS_ZSTD = typeof zlib.createZstdDecompress === 'function'

export const ACCEPT_ENCODING = HAS_ZSTD ? 'gzip, deflate, br, zstd' : 'gzip, deflate, br'

const tooLarge = (most: number) => new PageProblem(`The page is larger than ${most} bytes and was not read.`)
const bomb = (most: number) =>
  new PageProblem(`The page is larger than ${most} bytes when it is decompressed, and was not read.`)

const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: () => zlib.createGunzip(),
  'x-gzip': () => zlib.createGunzip(),
  br: () => zlib.createBrotliDecompress(),
  ...(HAS_ZSTD ? { zstd: () => zlib.createZstdDecompress() } : {}),
}

/** "deflate" is zlib's format (RFC 9110, section 8.4.1.2), and by mistake of many servers the bare one. */
const inflater = (first: number | undefined): Transform =>
  ((first ?? 0) & 0x0f) === 8 ? zlib.createInflate() : zlib.createInflateRaw()

const codingsOf = (header: string): string[] =>
  header
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding !== 'identity')
    .reverse()

/** @param header `Content-Encoding` */
export async function readBody(body: Readable, header: string, most: number, signal: AbortSignal): Promise<Buffer> {
  const codings = codingsOf(header)
  const unknown = codings.find((coding) => coding !== 'deflate' && !Object.hasOwn(DECODERS, coding))
  if (unknown !== undefined || codings.length > MOST_CODINGS)
    throw new PageProblem(`The page is compressed with an unsupported method (${header.slice(0, 100)}).`)
  let bytes = await collectBody(body, [], tooLarge(most), most, signal)
  for (const coding of codings) {
    if (bytes.length === 0) break
    const decoder = coding === 'deflate' ? inflater(bytes[0]) : DECODERS[coding]?.()
    if (decoder !== undefined) bytes = await collectBody([bytes], [decoder], bomb(most), most, signal)
  }
  return bytes
}

async function collectBody(
  source: Readable | readonly Buffer[],
  through: readonly Transform[],
  problem: PageProblem,
  most: number,
  signal: AbortSignal,
): Promise<Buffer> {
  const parts: Buffer[] = []
  let size = 0
  const collect = async (from: AsyncIterable<Buffer>) => {
    for await (const part of from) {
      size += part.length
      if (size > most) throw problem
      parts.push(part)
    }
  }
  try {
    await pipeline([source, ...through, collect] as never, { signal })
  } catch (thrown) {
    if (through.length === 0 || thrown instanceof PageProblem || signal.aborted) throw thrown
    throw new PageProblem('The compressed page is damaged or cut off.', { passing: true, cause: thrown })
  }
  return Buffer.concat(parts, size)
}
