/**
 * Carries a local file to a workbench (ledger S4-TK-08 to S4-TK-10): part by part into a hidden part file, which takes the place of the
 * file when its size and hash are right. What an earlier upload left behind is continued where its bytes are those of this file.
 */
import { createHash, type Hash } from 'node:crypto'
import type { FileReader } from '../files/file-reader.ts'
import type { RemotePath } from '../files/paths.ts'
import { Refusal } from '../refusal.ts'
import { retryPassing } from './retry-passing.ts'
import { isFailure } from './remote-failure.ts'
import type { Doing, RemoteFile, Workbench } from './workbench.ts'

export interface Carrying extends Doing {
  progress(done: number, total: number | undefined, message: string): void
}

export interface Carried extends RemoteFile {
  /** Bytes that were there already, from an earlier call. */
  readonly resumedAt: number
}

/** A part is never made smaller than this. */
export const LEAST_PART_BYTES = 16 * 1024

export async function carryUp(
  bench: Workbench,
  file: FileReader,
  remote: RemotePath,
  carrying: Carrying,
): Promise<Carried> {
  const { signal, progress } = carrying
  const { hash, at: resumedAt } = await beginOf(bench, file, remote, carrying)
  let at = resumedAt
  let most = bench.parts.write
  do {
    const bytes = await file.read(at, Math.min(most, file.size - at))
    if (bytes.byteLength < Math.min(most, file.size - at))
      throw new Refusal(`${file.path} became shorter while it was uploaded.`)
    try {
      await retryPassing(signal, () => bench.writePart(remote, at, bytes, { signal }))
    } catch (thrown) {
      if (!isFailure(thrown, 'too-large') || bytes.byteLength <= LEAST_PART_BYTES) throw thrown
      most = Math.ceil(bytes.byteLength / 2)
      continue
    }
    hash.update(bytes)
    at += bytes.byteLength
    progress(at, file.size, `${at} of ${file.size} bytes are on the workbench`)
  } while (at < file.size)
  const sent = { size: file.size, sha256: hash.digest('hex') }
  await retryPassing(signal, () => bench.finish(remote, sent, { signal }))
  return { ...sent, resumedAt }
}

/** Where to go on: behind the bytes of an earlier upload, if the file still begins with them. */
async function beginOf(
  bench: Workbench,
  file: FileReader,
  remote: RemotePath,
  { signal, progress }: Carrying,
): Promise<{ hash: Hash; at: number }> {
  const part = await retryPassing(signal, () => bench.statPart(remote, { signal }))
  if (part === undefined || part.size === 0 || part.size > file.size) return { hash: createHash('sha256'), at: 0 }
  const hash = createHash('sha256')
  let left = part.size
  for await (const chunk of file.chunks({ signal })) {
    hash.update(chunk.subarray(0, left))
    left -= Math.min(left, chunk.byteLength)
    if (left === 0) break
  }
  if (hash.copy().digest('hex') !== part.sha256) return { hash: createHash('sha256'), at: 0 }
  progress(part.size, file.size, `going on after ${part.size} bytes of an earlier upload`)
  return { hash, at: part.size }
}
