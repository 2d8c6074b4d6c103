/**
 * The format of stored content: frames of 64 KiB, each sealed by AES-256-GCM (NIST SP 800-38D) with the key of its file and a nonce
 * of its own. The associated data are the file, the number of the frame and whether it is the last one, so that frames which were
 * changed, reordered, cut off or taken from another file do not open; any range is read without the rest.
 *
 * A sealed frame is nonce (12), body, tag (16). All frames of a file but the last one are full; an empty file is one empty frame.
 */
import { createCipheriv, createDecipheriv, randomBytes, randomFillSync } from 'node:crypto'

export const FRAME = 64 * 1024
const NONCE = 12
const TAG = 16
export const SEALED_FRAME = NONCE + FRAME + TAG
const ALGORITHM = 'aes-256-gcm'

/** The key of one file, and the text that its frames are bound to. */
export interface FrameKey {
  readonly key: Buffer
  readonly binding: string
}

/** `tail`: the end of an upload so far, which is sealed anew when more of it comes. */
export type Place = 'inner' | 'last' | 'tail'

export const newFrameKey = (): Buffer => randomBytes(32)
export const framesOf = (size: number): number => Math.max(1, Math.ceil(size / FRAME))
export const sealedSizeOf = (size: number): number => size + framesOf(size) * (NONCE + TAG)

const associatedData = (binding: string, index: number, place: Place) => Buffer.from(`${binding} ${index} ${place}`)

/** `into`: a buffer that is used again for the next frame, so that a large file leaves little garbage. */
export function sealFrame(
  { key, binding }: FrameKey,
  { index, place }: { readonly index: number; readonly place: Place },
  bytes: Uint8Array,
  into = Buffer.allocUnsafe(NONCE + bytes.length + TAG),
): Buffer {
  const nonce = randomFillSync(into.subarray(0, NONCE))
  const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(associatedData(binding, index, place))
  // In this mode all of the body comes from `update`.
  into.set(cipher.update(bytes), NONCE)
  cipher.final()
  into.set(cipher.getAuthTag(), NONCE + bytes.length)
  return into.subarray(0, NONCE + bytes.length + TAG)
}

/** Undefined where it does not open: it was changed, or belongs elsewhere. */
export function openFrame({ key, binding }: FrameKey, index: number, place: Place, sealed: Buffer): Buffer | undefined {
  if (sealed.length < NONCE + TAG) return undefined
  const decipher = createDecipheriv(ALGORITHM, key, sealed.subarray(0, NONCE), { authTagLength: TAG })
  decipher.setAAD(associatedData(binding, index, place)).setAuthTag(sealed.subarray(-TAG))
  // In this mode all of the body comes from `update`, and `final` only verifies it.
  const body = decipher.update(sealed.subarray(NONCE, -TAG))
  try {
    decipher.final()
    return body
  } catch {
    return undefined
  }
}
