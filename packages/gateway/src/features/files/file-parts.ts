/** Values that the parts of the file store share: the database, the store of content, the seal of file keys, and the limits. */
import type { FileId } from '@toolway/contract'
import type { Db } from '../../db/db.ts'
import type { Blobs, PartMemory } from './blobs/blobs.ts'
import type { Content } from './content/read-content.ts'
import { readParts, writeParts, type FileRow } from './files.rows.ts'
import type { FrameKey } from './content/frames.ts'

export interface FileLimits {
  /** Bytes of one file. */
  readonly one: number
  /** Bytes of an organization that has no quota of its own. */
  readonly organization: number
  /** Seconds until a file expires, and until a result or a download does. */
  readonly seconds: number
  readonly resultSeconds: number
}

export interface FileParts {
  readonly db: Pick<Db, 'organization' | 'system'>
  readonly blobs: Blobs
  /** Seals the key of a file for its row. */
  sealKey(key: Buffer, id: FileId): Buffer
  /** Throws where it was sealed for another row, or with a root key that is not there. */
  openKey(sealed: Buffer, id: FileId): Buffer
  readonly limits: FileLimits
}

/** The most that anybody may ask for. */
export const MOST_SECONDS = 30 * 24 * 60 * 60

type KeyedRow = Pick<FileRow, 'id' | 'organization_id' | 'sealed_key'>

/** The key of a file. Its frames are bound to organization and file. */
export const frameKeyOf = ({ openKey }: Pick<FileParts, 'openKey'>, row: KeyedRow): FrameKey => ({
  key: openKey(row.sealed_key, row.id),
  binding: `${row.organization_id} ${row.id}`,
})

export const contentOf = (parts: Pick<FileParts, 'openKey'>, row: FileRow, size: number): Content => ({
  id: row.id,
  storageKey: row.storage_key,
  size,
  frameKey: frameKeyOf(parts, row),
})

/** Remembers the parts of an upload in its row. Throws where the row is gone. */
export const memoryOf = ({ db }: Pick<FileParts, 'db'>, row: Pick<FileRow, 'id' | 'organization_id'>): PartMemory => ({
  read: () => db.organization(row.organization_id, (sql) => readParts(sql, row.id)),
  async write(parts) {
    const written = await db.organization(row.organization_id, (sql) => writeParts(sql, row.id, parts))
    if (!written) throw new Error('the file was removed while it was written')
  },
})
