/** A file store on a database and a folder of a test's own. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Blobs } from './blobs/blobs.ts'
import { createFolderBlobs } from './blobs/folder-blobs.ts'
import { createFileStore } from './create-file-store.ts'
import type { FileLimits, FileParts } from './file-parts.ts'
import type { FileOwner } from '../../snapshot/ports/file-store.ts'
import { createFileSweep } from './file-sweep.ts'
import { createUploads } from './uploads.ts'
import { ensureOrganization } from '../../organizations/organizations.ts'
import { fileKeySealContext } from '../../vault/sealed-columns.ts'
import { createTestDatabase } from '../../testing/database.ts'
import { createTestVault } from '../../testing/gateway.ts'

export const MIB = 1024 * 1024

export interface FileHouseOptions {
  readonly limits?: Partial<FileLimits>
  /** Instead of the folder. */
  readonly blobs?: Blobs
}

export async function openFileHouse({ limits = {}, blobs }: FileHouseOptions = {}) {
  await using opening = new AsyncDisposableStack()
  const database = opening.use(await createTestDatabase())
  const folder = await mkdtemp(join(tmpdir(), 'toolway-files-'))
  opening.defer(() => rm(folder, { recursive: true, force: true }))
  const { db } = database
  const vault = createTestVault()
  const parts: FileParts = {
    db,
    blobs: blobs ?? createFolderBlobs(folder),
    sealKey: (key, id) => vault.seal(key.toString('base64'), fileKeySealContext(id)),
    openKey: (sealed, id) => Buffer.from(vault.open(sealed, fileKeySealContext(id)), 'base64'),
    limits: { one: 64 * MIB, organization: 256 * MIB, seconds: 3600, resultSeconds: 600, ...limits },
  }
  const ownerIn = async (slug: string, principal: string): Promise<FileOwner> => {
    const { id } = await db.system((sql) => ensureOrganization(sql, slug, slug, 'test'))
    return { organizationId: id, principal }
  }
  const owned = opening.move()
  return {
    ...{ db, folder, parts },
    store: createFileStore(parts),
    uploads: createUploads(parts),
    sweep: createFileSweep(parts),
    ann: await ownerIn('default', 'usr_ann'),
    bob: await ownerIn('default', 'usr_bob'),
    stranger: await ownerIn('other', 'usr_ann'),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

/** Content in pieces of that many bytes. */
export async function* piecesOf(bytes: Uint8Array, length = 40_000): AsyncIterable<Uint8Array> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length)
}

export async function allOf(content: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  for await (const piece of content) pieces.push(piece)
  return Buffer.concat(pieces)
}
