/**
 * Reads stored content, or a range of it, frame by frame. No byte of a frame is given out before all of that frame was verified; what
 * does not open is `file.damaged`.
 */
import { Fault, type FileId } from '@toolway/contract'
import type { Blobs } from '../blobs/blobs.ts'
import { FRAME, framesOf, openFrame, SEALED_FRAME, sealedSizeOf, type FrameKey } from './frames.ts'

export interface Content {
  readonly id: FileId
  readonly storageKey: string
  readonly size: number
  readonly frameKey: FrameKey
}

/** Bytes `start` to `end`, exclusive. */
export async function* readContent(
  blobs: Pick<Blobs, 'read'>,
  { id, storageKey, size, frameKey }: Content,
  { start, end }: { readonly start: number; readonly end: number },
  signal?: AbortSignal,
): AsyncIterable<Buffer> {
  if (start >= end && size > 0) return
  const last = framesOf(size) - 1
  const from = Math.floor(start / FRAME)
  const to = Math.max(from, Math.ceil(end / FRAME) - 1)
  const stop = Math.min((to + 1) * SEALED_FRAME, sealedSizeOf(size))
  const source = blobs.read(storageKey, from * SEALED_FRAME, stop, signal)
  let index = from
  for await (const sealed of cutIntoPieces(source, SEALED_FRAME)) {
    const bytes = index <= to ? openFrame(frameKey, index, index === last ? 'last' : 'inner', sealed) : undefined
    if (bytes === undefined) throw new Fault('file.damaged', { file: id })
    const at = index * FRAME
    yield bytes.subarray(Math.max(0, start - at), Math.min(bytes.length, end - at))
    index++
  }
  if (index <= to) throw new Fault('file.damaged', { file: id })
}

/** The same bytes in pieces of that length, but for the last one. A piece is good until the next one is asked for. */
async function* cutIntoPieces(source: AsyncIterable<Buffer>, length: number): AsyncIterable<Buffer> {
  const part = Buffer.alloc(length)
  let used = 0
  for await (const chunk of source) {
    for (let at = 0; at < chunk.length;) {
      const taken = chunk.copy(part, used, at)
      used += taken
      at += taken
      if (used < length) continue
      yield part
      used = 0
    }
  }
  if (used > 0) yield part.subarray(0, used)
}
