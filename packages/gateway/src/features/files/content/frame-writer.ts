/** Cuts content into frames and hands them, sealed, to a draft. It holds less than one frame of plain bytes. */
import type { Draft } from '../blobs/blobs.ts'
import { FRAME, SEALED_FRAME, sealFrame, type FrameKey, type Place } from './frames.ts'

export interface FrameWriter {
  /** Plain bytes so far. */
  readonly size: number
  write(bytes: Uint8Array): Promise<void>
  /** Has everything so far survive this process; more may follow. */
  save(): Promise<void>
  /** Nothing follows. */
  complete(): Promise<void>
}

export interface FrameWriterStart {
  /** Whole frames that are stored, and the plain bytes behind them. */
  readonly frames: number
  readonly tail?: Buffer | undefined
}

export function createFrameWriter(frameKey: FrameKey, draft: Draft, { frames, tail }: FrameWriterStart): FrameWriter {
  const frame = Buffer.alloc(FRAME)
  // A draft takes each frame before the next one is sealed.
  const sealed = Buffer.alloc(SEALED_FRAME)
  let index = frames
  let used = tail?.copy(frame) ?? 0
  const seal = (place: Place) => sealFrame(frameKey, { index, place }, frame.subarray(0, used), sealed)
  return {
    get size() {
      return index * FRAME + used
    },
    async write(bytes) {
      for (let at = 0; at < bytes.length;) {
        // A full frame waits for what follows it: it may be the last one.
        if (used === FRAME) {
          await draft.append(seal('inner'))
          index++
          used = 0
        }
        const taken = Math.min(FRAME - used, bytes.length - at)
        frame.set(bytes.subarray(at, at + taken), used)
        used += taken
        at += taken
      }
    },
    save: () => draft.save(used === 0 ? undefined : seal('tail')),
    complete: () => draft.complete(seal('last')),
  }
}
