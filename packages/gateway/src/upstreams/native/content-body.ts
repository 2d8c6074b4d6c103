/**
 * The body of a request that is made of texts and files, as a stream of known length: one chunk of a file at a time is in memory.
 */
import { Readable } from 'node:stream'
import type { Content, FileSource, Piece } from '@toolway/connectors'
import { Fault } from '@toolway/contract'
import type { CallerFiles } from '../caller-files.ts'

export interface ContentBody {
  readonly stream: Readable
  /** Bytes. */
  readonly length: number
}

/** Characters of a line of base64, and the bytes that they stand for (RFC 2045, section 6.8). */
const LINE = 76
const LINE_BYTES = 57

/** Throws `file.*`. */
export async function contentBody({ pieces }: Content, files: CallerFiles | undefined): Promise<ContentBody> {
  const lengths = await Promise.all(pieces.map((piece) => lengthOf(piece, files)))
  return {
    stream: Readable.from(bytesOf(pieces, files), { objectMode: false }),
    length: lengths.reduce((sum, value) => sum + value, 0),
  }
}

async function lengthOf(piece: Piece, files: CallerFiles | undefined): Promise<number> {
  if (typeof piece === 'string') return Buffer.byteLength(piece)
  const size = await sizeOf(piece.file, files)
  if (piece.as === 'bytes') return Math.max(0, Math.min(size, piece.to ?? size) - (piece.from ?? 0))
  const characters = Math.ceil(size / 3) * 4
  if (piece.as === 'base64-text') return characters
  return characters + 2 * Math.max(0, Math.ceil(characters / LINE) - 1)
}

const sizeOf = async (source: FileSource, files: CallerFiles | undefined): Promise<number> =>
  'data' in source ? Buffer.byteLength(source.data, 'base64') : (await filesOf(files).find(source.reference)).size

const openOf = async (source: FileSource, files: CallerFiles | undefined): Promise<AsyncIterable<Uint8Array>> =>
  'data' in source ? Readable.from([Buffer.from(source.data, 'base64')]) : filesOf(files).open(source.reference)

function filesOf(files: CallerFiles | undefined): CallerFiles {
  if (files === undefined) throw new Fault('file.off')
  return files
}

async function* bytesOf(pieces: readonly Piece[], files: CallerFiles | undefined): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) {
    if (typeof piece === 'string') yield Buffer.from(piece)
    else if (piece.as === 'bytes') yield* part(await openOf(piece.file, files), piece)
    else if (piece.as === 'base64-text') yield* base64Text(await openOf(piece.file, files))
    else yield* base64Lines(await openOf(piece.file, files))
  }
}

/** The bytes from `from` to `to`. A stored file is read from its beginning, and no further than needed. */
async function* part(content: AsyncIterable<Uint8Array>, { from = 0, to = Number.POSITIVE_INFINITY }: Range) {
  let at = 0
  for await (const chunk of content) {
    const bytes = chunk.subarray(Math.max(0, from - at), Math.max(0, to - at))
    if (bytes.length > 0) yield bytes
    at += chunk.length
    if (at >= to) return
  }
}

interface Range {
  readonly from?: number
  readonly to?: number
}

/** Base64 without lines. */
async function* base64Text(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let rest = Buffer.alloc(0)
  for await (const chunk of content) {
    const bytes = Buffer.concat([rest, chunk])
    const whole = bytes.length - (bytes.length % 3)
    if (whole > 0) yield Buffer.from(bytes.toString('base64', 0, whole))
    rest = bytes.subarray(whole)
  }
  if (rest.length > 0) yield Buffer.from(rest.toString('base64'))
}

/** Base64 in lines with CRLF between them; none after the last. */
async function* base64Lines(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let rest = Buffer.alloc(0)
  let first = true
  for await (const chunk of content) {
    const bytes = rest.length === 0 ? Buffer.from(chunk) : Buffer.concat([rest, chunk])
    // The part that is kept back makes the last line, so that it is known where no line follows.
    const whole = bytes.length - (bytes.length % LINE_BYTES || LINE_BYTES)
    if (whole > 0) {
      yield Buffer.from(`${first ? '' : '\r\n'}${inLines(bytes.subarray(0, whole))}`)
      first = false
    }
    rest = bytes.subarray(Math.max(0, whole))
  }
  if (rest.length > 0) yield Buffer.from(`${first ? '' : '\r\n'}${inLines(rest)}`)
}

const inLines = (bytes: Buffer): string => bytes.toString('base64').replaceAll(/.{76}(?=.)/g, '$&\r\n')
