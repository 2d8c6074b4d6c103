/** The file store: content in, content out, in streams. What is stored in part is never given out, and nothing of it remains. */
import { createHash } from 'node:crypto'
import { Fault } from '@toolway/contract'
import { createFrameWriter } from './content/frame-writer.ts'
import { readContent } from './content/read-content.ts'
import { contentOf, frameKeyOf, memoryOf, type FileParts } from './file-parts.ts'
import { findFileRow, finishFile, removeFileRow, toStoredFile, type FileRow } from './files.rows.ts'
import type { ByteRange, FileOwner, FileStore, NewFile, StoredFile } from '../../snapshot/ports/file-store.ts'
import { growTo, openRow } from './open-row.ts'

export function createFileStore(parts: FileParts): FileStore {
  const { db, blobs } = parts
  const findReady = async ({ organizationId, principal }: FileOwner, id: string) => {
    const row = await db.organization(organizationId, (sql) => findFileRow(sql, id))
    return row?.owner === principal && row.state === 'ready' ? row : undefined
  }
  return {
    put: (owner, file, content, signal) => put(parts, owner, file, { content, signal }),
    async find(owner, id) {
      const row = await findReady(owner, id)
      return row && toStoredFile(row)
    },
    async open(owner, id, range) {
      const row = await findReady(owner, id)
      if (row === undefined) throw new Fault('file.unknown', { file: shownId(id) })
      return openRowContent({ blobs, openKey: parts.openKey }, row, range)
    },
    async remove({ organizationId, principal }, id) {
      return db.organization(organizationId, async (sql) => {
        const row = await findFileRow(sql, id)
        return row?.owner === principal && (await removeFileRow(sql, row.id))
      })
    },
  }
}

/** An id that came from elsewhere, short enough to be said. */
const shownId = (id: string) => id.slice(0, 40)

/** A complete file and its bytes. Throws `file.range`. */
export function openRowContent(
  parts: Pick<FileParts, 'blobs' | 'openKey'>,
  row: FileRow,
  range?: ByteRange,
  signal?: AbortSignal,
) {
  const file = toStoredFile(row)
  const { start, end } = boundsOf(file.size, range)
  return { file, content: readContent(parts.blobs, contentOf(parts, row, file.size), { start, end }, signal) }
}

/** The bytes of a range, the end exclusive. Throws `file.range`. */
export function boundsOf(size: number, range: ByteRange | undefined): { readonly start: number; readonly end: number } {
  if (range === undefined) return { start: 0, end: size }
  const end = Math.min(range.end ?? size - 1, size - 1) + 1
  if (range.start >= size || range.start < 0 || end <= range.start) throw new Fault('file.range', { size })
  return { start: range.start, end }
}

interface Source {
  readonly content: AsyncIterable<Uint8Array>
  readonly signal: AbortSignal | undefined
}

async function put(parts: FileParts, owner: FileOwner, file: NewFile, source: Source): Promise<StoredFile> {
  const { db } = parts
  const row = await db.organization(owner.organizationId, (sql) => openRow(sql, parts, owner, file))
  try {
    const written = await write(parts, row, source)
    const done = await db.organization(owner.organizationId, (sql) => finishFile(sql, row.id, written))
    if (done === undefined) throw new Fault('file.unknown', { file: row.id })
    return toStoredFile(done)
  } catch (thrown) {
    // Where this fails too, the row expires like any other upload that was not completed.
    await db.organization(owner.organizationId, (sql) => removeFileRow(sql, row.id)).catch(() => {})
    throw thrown
  }
}

async function write(parts: FileParts, row: FileRow, { content, signal }: Source) {
  const { db, blobs, limits } = parts
  const draft = await blobs.begin(row.storage_key, memoryOf(parts, row))
  try {
    const writer = createFrameWriter(frameKeyOf(parts, row), draft, { frames: 0 })
    const hash = createHash('sha256')
    let reserved = row.size ?? 0
    for await (const bytes of content) {
      signal?.throwIfAborted()
      const size = writer.size + bytes.length
      if (row.size !== null && size > row.size) throw new Fault('file.mismatch', { fact: 'size' })
      if (size > limits.one) throw new Fault('file.too-large', { limit: limits.one })
      if (size > reserved) {
        const had = reserved
        reserved = await db.organization(row.organization_id, (sql) => growTo(sql, limits, row, { had, size }))
      }
      hash.update(bytes)
      await writer.write(bytes)
    }
    signal?.throwIfAborted()
    const sha256 = hash.digest('hex')
    if (row.size !== null && row.size !== writer.size) throw new Fault('file.mismatch', { fact: 'size' })
    if (row.sha256 !== null && row.sha256 !== sha256) throw new Fault('file.mismatch', { fact: 'sha256' })
    const { size } = writer
    await writer.complete()
    return { size, sha256 }
  } finally {
    await draft.close()
  }
}
