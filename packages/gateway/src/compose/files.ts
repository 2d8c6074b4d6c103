/** The file store: where content is, its rows, its addresses, and the job that removes what is over. */
import { randomUUID } from 'node:crypto'
import type { AdminFiles } from '../admin/files/admin-files.ts'
import { createFileTransfers } from '../admin/files/file-transfers.ts'
import { filePlaceOf, type Config, type FilePlace } from '../config.ts'
import type { Blobs } from '../files/blobs/blobs.ts'
import { createFolderBlobs } from '../files/blobs/folder-blobs.ts'
import { createS3Blobs } from '../files/blobs/s3-blobs.ts'
import { createFileStore } from '../files/create-file-store.ts'
import type { FileParts } from '../files/file-parts.ts'
import type { FileStore } from '../files/file-store.ts'
import { createFileSweep } from '../files/sweep-files.ts'
import { createUploads } from '../files/uploads.ts'
import type { Clients } from '../http/client-address.ts'
import { createFilesDoor, type FilesDoor } from '../http/files/files-door.ts'
import { createSweepFiles } from '../jobs/sweep-files.ts'
import { fileKeyRow } from '../vault/sealed-columns.ts'
import type { CoreDependencies } from './core-dependencies.ts'

export interface ComposedFiles {
  readonly store: FileStore
  readonly admin: AdminFiles
  readonly door: FilesDoor
}

/** Undefined: this installation keeps no files. */
export async function composeFiles(core: CoreDependencies, clients: Clients): Promise<ComposedFiles | undefined> {
  const { config, db, vault, log, opened } = core
  const place = filePlaceOf(config)
  if (place === undefined) return undefined
  const blobs = await blobsAt(place)
  opened.defer(() => blobs.close())
  const parts: FileParts = {
    ...{ db, blobs, sealKey: sealOf(vault), limits: limitsOf(config) },
    openKey: (sealed, id) => Buffer.from(vault.open(sealed, fileKeyRow(id)), 'base64'),
  }
  const sweeping = createSweepFiles({ sweep: createFileSweep(parts), log })
  opened.defer(() => sweeping.close())
  const transfers = createFileTransfers({ ...parts, uploads: createUploads(parts), hash: vault.hash })
  return {
    store: createFileStore(parts),
    admin: { sealKey: parts.sealKey, limits: parts.limits, wake: sweeping.wake },
    door: createFilesDoor({ transfers, clients, log, newCorrelationId: randomUUID }),
  }
}

const sealOf =
  (vault: CoreDependencies['vault']): FileParts['sealKey'] =>
  (key, id) =>
    vault.seal(key.toString('base64'), fileKeyRow(id))

/** For the command line beside the gateway: content goes to the gateway, and so does the removal of content. */
export const localFiles = ({ config, vault }: Pick<CoreDependencies, 'config' | 'vault'>): AdminFiles | undefined =>
  filePlaceOf(config) === undefined ? undefined : { sealKey: sealOf(vault), limits: limitsOf(config), wake() {} }

/** The content at a place; the store's library is loaded for an object store only. */
export async function blobsAt(place: FilePlace): Promise<Blobs & { close(): void }> {
  if (place.kind === 's3') return createS3Blobs(place)
  return { ...createFolderBlobs(place.folder), close() {} }
}

const DAY = 24 * 60 * 60
const limitsOf = (config: Config): FileParts['limits'] => ({
  one: config.TOOLWAY_FILES_LIMIT,
  organization: config.TOOLWAY_FILES_QUOTA,
  seconds: config.TOOLWAY_FILES_DAYS * DAY,
  resultSeconds: Math.max(config.TOOLWAY_RESULTS_SECONDS, 60),
})
