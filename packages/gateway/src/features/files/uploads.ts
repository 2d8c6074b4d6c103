/**
 * Uploads in pieces (tus 1.0, core protocol): where one stands, and what is appended to it. An upload is written by one gateway at a
 * time, which holds a lease; a second request at the same gateway ends the first one, because its client came back.
 *
 * A killed process loses the bytes that were not saved and nothing else: the client asks where the upload stands and goes on there.
 */
import { createHash, randomUUID, type Hash } from 'node:crypto'
import { Fault, type FileId } from '@toolway/contract'
import { LRUCache } from 'lru-cache'
import type { OrgSql } from '../../db/db.ts'
import { createFrameWriter, type FrameWriter } from './content/frame-writer.ts'
import { FRAME, openFrame, type FrameKey } from './content/frames.ts'
import { readContent } from './content/read-content.ts'
import { contentOf, frameKeyOf, memoryOf, type FileParts } from './file-parts.ts'
import {
  finishFile,
  leaseUpload,
  readReserved,
  releaseUpload,
  removeFileRow,
  reserve,
  type FileRow,
} from './files.rows.ts'
import { growTo } from './open-row.ts'
import type { Resumed } from './blobs/blobs.ts'

/** An upload whose size is known. */
export type UploadRow = FileRow & { readonly size: number }

export interface Appending {
  readonly offset: number
  readonly content: AsyncIterable<Uint8Array>
  readonly signal: AbortSignal
  /** In the transaction that makes the file ready. */
  onReady(sql: OrgSql, row: FileRow): Promise<void>
}

export interface Uploads {
  /** Bytes that are stored. */
  offset(row: UploadRow, onReady: Appending['onReady']): Promise<number>
  /** The offset afterwards. Throws `file.offset`, `file.busy` and `file.mismatch`, after which the upload is gone. */
  append(row: UploadRow, appending: Appending): Promise<number>
}

/** Seconds of a lease, and milliseconds between two renewals. */
const LEASE_SECONDS = 20
const RENEW_MS = 5_000

/** Hashes of uploads under way, so that pieces are not read again; one that was dropped is computed from what is stored. */
const MOST_HASHES = 500

export function createUploads(parts: FileParts): Uploads {
  const hashes = new LRUCache<FileId, { hash: Hash; size: number }>({ max: MOST_HASHES })
  const runAlone = createAlone(parts)

  async function append(row: UploadRow, { offset, content, signal, onReady }: Appending, ending: AbortSignal) {
    const resumed = await parts.blobs.resume(row.storage_key, memoryOf(parts, row))
    if (resumed === undefined) {
      if (offset !== row.size) throw new Fault('file.offset', { offset: row.size })
      return complete(row, undefined, onReady)
    }
    try {
      const frameKey = frameKeyOf(parts, row)
      const tail = openTail(frameKey, resumed)
      const frames = createFrameWriter(frameKey, resumed.draft, { frames: resumed.frames, tail })
      if (frames.size !== offset) throw new Fault('file.offset', { offset: frames.size })
      const hash = hashes.get(row.id)
      hashes.delete(row.id)
      const going = offset === 0 ? createHash('sha256') : hash?.size === offset ? hash.hash : undefined
      const taking = {
        ...{ content, signal: AbortSignal.any([signal, ending]), size: row.size, hash: going },
        room: await roomFor(parts, row),
      }
      const onSaved = () => going && hashes.set(row.id, { hash: going, size: frames.size })
      try {
        await receiveContent(frames, taking, onSaved)
      } finally {
        // Bytes that did not arrive take no room of others.
        if (frames.size < row.size) await giveBack(parts, row, frames.size)
      }
      if (frames.size < row.size) return frames.size
      await frames.complete()
      return await complete(row, going?.digest('hex'), onReady)
    } finally {
      await resumed.draft.close()
    }
  }

  /** The content is stored: it is verified, and the file is ready. */
  async function complete(row: UploadRow, hash: string | undefined, onReady: Appending['onReady']): Promise<number> {
    const sha256 = hash ?? (await hashOf(parts, row))
    if (row.sha256 !== null && row.sha256 !== sha256) {
      await parts.db.organization(row.organization_id, (sql) => removeFileRow(sql, row.id))
      throw new Fault('file.mismatch', { fact: 'sha256' })
    }
    const { size } = row
    await parts.db.organization(row.organization_id, async (sql) => {
      const done = await finishFile(sql, row.id, { size, sha256 })
      if (done === undefined) throw new Fault('file.link')
      await onReady(sql, done)
    })
    return size
  }

  return {
    async offset(row, onReady) {
      return runAlone(row, new AbortController().signal, async () => {
        const resumed = await parts.blobs.resume(row.storage_key, memoryOf(parts, row))
        if (resumed === undefined) return complete(row, undefined, onReady)
        await resumed.draft.close()
        return resumed.frames * FRAME + (openTail(frameKeyOf(parts, row), resumed)?.length ?? 0)
      })
    },
    append: (row, appending) => runAlone(row, appending.signal, (signal) => append(row, appending, signal)),
  }
}

function createAlone(parts: FileParts) {
  const writer = randomUUID()
  const running = new Map<FileId, { stop: AbortController; ended: Promise<unknown> }>()

  /** Runs alone for that upload, here and in other gateways. */
  return async <T>(row: UploadRow, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> => {
    for (let other = running.get(row.id); other !== undefined; other = running.get(row.id)) {
      other.stop.abort()
      await other.ended
    }
    const stop = new AbortController()
    const ended = Promise.withResolvers<void>()
    running.set(row.id, { stop, ended: ended.promise })
    try {
      return await withLease(parts, row, writer, (lost) => work(AbortSignal.any([signal, stop.signal, lost])))
    } finally {
      running.delete(row.id)
      ended.resolve()
    }
  }
}

/** A tail that does not open is as good as none: its bytes are sent again. */
const openTail = (key: FrameKey, { frames, tail }: Resumed): Buffer | undefined =>
  tail === undefined ? undefined : openFrame(key, frames, 'tail', tail)

/** Takes room of the quota before bytes are written. Throws `file.quota`. */
async function roomFor({ db, limits }: FileParts, row: UploadRow): Promise<Taking['room']> {
  let had = await db.organization(row.organization_id, (sql) => readReserved(sql, row.id))
  return async (size) => {
    if (size <= had) return
    had = await db.organization(row.organization_id, (sql) => growTo(sql, limits, row, { had, size, whole: row.size }))
  }
}

/** Where this fails, the next piece or the end of the upload mends it. */
const giveBack = ({ db }: FileParts, { id, organization_id: organizationId }: UploadRow, size: number) =>
  db.organization(organizationId, (sql) => reserve(sql, id, size)).catch(() => false)

interface Taking {
  /** For so many bytes in all. */
  readonly room: (size: number) => Promise<void>
  readonly content: AsyncIterable<Uint8Array>
  readonly signal: AbortSignal
  readonly size: number
  readonly hash: Hash | undefined
}

/** Writes what comes. What came before the sender stopped is saved, also where it stopped with a failure, which is thrown on. */
async function receiveContent(
  frames: FrameWriter,
  { content, signal, size, hash, room }: Taking,
  onSaved: () => void,
): Promise<void> {
  let isWriting = false
  try {
    for await (const bytes of until(signal, content)) {
      if (frames.size + bytes.length > size) throw new Fault('file.mismatch', { fact: 'size' })
      await room(frames.size + bytes.length)
      hash?.update(bytes)
      isWriting = true
      await frames.write(bytes)
      isWriting = false
    }
  } catch (thrown) {
    // After a write that failed, what is stored is found out when the upload goes on.
    if (!isWriting) await frames.save().then(onSaved, () => {})
    throw thrown
  }
  if (frames.size === size) return
  await frames.save()
  onSaved()
}

/**
 * The same bytes, ended with the reason of the signal also while none comes. A race with one lasting promise would hold every piece
 * until its end, so each piece has a promise of its own.
 */
async function* until(signal: AbortSignal, content: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  let stop: (reason: unknown) => void = () => {}
  const onAbort = () => stop(signal.reason)
  signal.addEventListener('abort', onAbort)
  const bytes = content[Symbol.asyncIterator]()
  try {
    for (;;) {
      signal.throwIfAborted()
      const next = await new Promise<IteratorResult<Uint8Array>>((resolve, reject) => {
        stop = reject
        bytes.next().then(resolve, reject)
      })
      if (next.done === true) return
      yield next.value
    }
  } finally {
    signal.removeEventListener('abort', onAbort)
    // The rest may never come, so nobody waits for it.
    void bytes.return?.()?.catch(() => {})
  }
}

async function hashOf(parts: FileParts, row: UploadRow): Promise<string> {
  const hash = createHash('sha256')
  const content = readContent(parts.blobs, contentOf(parts, row, row.size), { start: 0, end: row.size })
  for await (const bytes of content) hash.update(bytes)
  return hash.digest('hex')
}

/** Runs while the lease is held. A gateway that could not renew it in time stops before another one may begin. */
async function withLease<T>(
  { db }: FileParts,
  { id, organization_id: organizationId }: UploadRow,
  writer: string,
  work: (lost: AbortSignal) => Promise<T>,
): Promise<T> {
  const lost = new AbortController()
  let until = 0
  const lease = async () => {
    const askedAt = performance.now()
    const isLeased = await db.organization(organizationId, (sql) => leaseUpload(sql, id, writer, LEASE_SECONDS))
    if (isLeased) until = askedAt + LEASE_SECONDS * 1000
    return isLeased
  }
  if (!(await lease())) throw new Fault('file.busy', { seconds: LEASE_SECONDS })
  const renew = () =>
    lease().then(
      (stored) => stored || lost.abort(),
      () => performance.now() + RENEW_MS > until && lost.abort(),
    )
  const renewing = setInterval(() => void renew(), RENEW_MS)
  try {
    return await work(lost.signal)
  } finally {
    clearInterval(renewing)
    await db.organization(organizationId, (sql) => releaseUpload(sql, id, writer)).catch(() => {})
  }
}
