/** The file store of an installation, opened: where content is, its rows, its addresses, and the removal of what is over. */
import type { FilePlace } from '../../config/files.ts'
import type { Db } from '../../db/db.ts'
import type { FileStore } from '../../snapshot/ports/file-store.ts'
import { fileKeySealContext } from '../../vault/sealed-columns.ts'
import type { Vault } from '../../vault/vault.ts'
import type { AdminFiles } from './admin-files.ts'
import type { Blobs } from './blobs/blobs.ts'
import { createFolderBlobs } from './blobs/folder-blobs.ts'
import { createS3Blobs } from './blobs/s3-blobs.ts'
import { createFileStore } from './create-file-store.ts'
import type { FileLimits, FileParts } from './file-parts.ts'
import { createFileSweep, type FileSweep } from './file-sweep.ts'
import { createFileTransfers, type FileTransfers } from './file-transfers.ts'
import { createUploads } from './uploads.ts'

export interface OpeningFiles {
  readonly db: Pick<Db, 'organization' | 'system'>
  readonly vault: Pick<Vault, 'seal' | 'open' | 'hash'>
  readonly blobs: Blobs
  readonly limits: FileLimits
}

export interface OpenedFiles {
  readonly store: FileStore
  readonly transfers: FileTransfers
  readonly sweep: FileSweep
  readonly admin: Omit<AdminFiles, 'wake'>
}

export function openFiles({ db, vault, blobs, limits }: OpeningFiles): OpenedFiles {
  const admin = filesWithoutContent(vault, limits)
  const parts: FileParts = {
    ...{ db, blobs, ...admin },
    openKey: (sealed, id) => Buffer.from(vault.open(sealed, fileKeySealContext(id)), 'base64'),
  }
  return {
    store: createFileStore(parts),
    transfers: createFileTransfers({ ...parts, uploads: createUploads(parts), hash: vault.hash }),
    sweep: createFileSweep(parts),
    admin,
  }
}

/** The parts of operations besides the database: content goes to a gateway, and so does its removal. */
export const filesWithoutContent = (vault: Pick<Vault, 'seal'>, limits: FileLimits): Omit<AdminFiles, 'wake'> => ({
  sealKey: (key, id) => vault.seal(key.toString('base64'), fileKeySealContext(id)),
  limits,
})

/** The content at a place; the store's library is loaded for an object store only. */
export async function openBlobs(location: FilePlace): Promise<Blobs & { close(): void }> {
  if (location.kind === 's3') return createS3Blobs(location)
  return { ...createFolderBlobs(location.folder), close() {} }
}
