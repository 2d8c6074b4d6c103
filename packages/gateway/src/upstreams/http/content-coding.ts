/**
 * Bodies that a server compresses, although it is asked for none: gzip, deflate, br, zstd (RFC 9110, section 8.4.1).
 *
 * Bytes are passed on as they are decompressed, so that whoever takes them can end it at any size: a bomb is never unpacked as a whole.
 * A body that breaks off is passed on as far as it goes.
 */
import type { Transform } from 'node:stream'
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
} from 'node:zlib'

export interface Decoding {
  write(chunk: Buffer): void
  /** The body is complete. */
  end(): void
  destroy(): void
  /** Compressed bytes that wait. */
  readonly waiting: number
}

export interface DecodingSink {
  onData(chunk: Buffer): void
  onEnd(): void
  onError(error: Error): void
}

const ZLIB = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH }
const BROTLI = { flush: constants.BROTLI_OPERATION_FLUSH, finishFlush: constants.BROTLI_OPERATION_FLUSH }
const ZSTD = { flush: constants.ZSTD_e_continue, finishFlush: constants.ZSTD_e_continue }
/** Codings one upon the other. */
const MOST_CODINGS = 3

const DECODERS: Readonly<Record<string, (first: Buffer) => Transform>> = {
  gzip: () => createGunzip(ZLIB),
  'x-gzip': () => createGunzip(ZLIB),
  // The name stands for the format with a header; many servers leave that out.
  deflate: (first) => (((first[0] ?? 0) & 0x0f) === 0x08 ? createInflate(ZLIB) : createInflateRaw(ZLIB)),
  br: () => createBrotliDecompress(BROTLI),
  zstd: () => createZstdDecompress(ZSTD),
}

/** The codings that a header names, the last one applied last; empty where the body is plain. */
export const codingsOf = (header: string | readonly string[] | undefined): string[] =>
  header === undefined
    ? []
    : String(header)
        .toLowerCase()
        .split(',')
        .map((name) => name.trim())
        .filter((name) => name !== '' && name !== 'identity')

export const isReadable = (codings: readonly string[]): boolean =>
  codings.length <= MOST_CODINGS && codings.every((name) => Object.hasOwn(DECODERS, name))

/** Begins with the first byte: an answer without a body has nothing to decode. */
export function createDecoding(codings: readonly string[], sink: DecodingSink): Decoding {
  let first: Transform | undefined
  let all: Transform[] = []

  function begin(chunk: Buffer): Transform {
    all = codings.toReversed().flatMap((name) => DECODERS[name]?.(chunk) ?? [])
    const last = all.reduce((before, next) => {
      before.on('error', sink.onError)
      return before.pipe(next)
    })
    last.on('data', sink.onData).on('end', sink.onEnd).on('error', sink.onError)
    return all[0] ?? last
  }

  return {
    write: (chunk) => void (first ??= begin(chunk)).write(chunk),
    end: () => (first === undefined ? sink.onEnd() : void first.end()),
    destroy() {
      for (const decoder of all) decoder.destroy()
    },
    get waiting() {
      return first?.writableLength ?? 0
    },
  }
}
