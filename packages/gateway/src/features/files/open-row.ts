/** Makes the row of a new file, within the limits of its organization. */
import { Fault, type OrganizationId } from '@toolway/contract'
import type { OrgSql } from '../../db/db.ts'
import { newFrameKey } from './content/frames.ts'
import { safeFileName, safeMediaType } from './file-name.ts'
import { MOST_SECONDS, type FileParts } from './file-parts.ts'
import { addFileRow, countUploads, newFileId, readUsage, reserve, type FileRow } from './files.rows.ts'
import type { FileOwner, NewFile } from '../../snapshot/ports/file-store.ts'

/** Of one owner. */
const MOST_UPLOADS = 100

/** Throws `file.too-large`, `file.quota` and `file.many`. */
export async function openRow(
  sql: OrgSql,
  { sealKey, limits }: Pick<FileParts, 'sealKey' | 'limits'>,
  owner: FileOwner,
  file: NewFile,
): Promise<FileRow> {
  const { size, sha256, origin } = file
  if (size !== undefined && size > limits.one) throw new Fault('file.too-large', { limit: limits.one })
  await refuseBeyond(sql, limits, owner.organizationId, size ?? 0)
  if (origin.kind === 'upload' && (await countUploads(sql, owner.principal)) >= MOST_UPLOADS)
    throw new Fault('file.many', { limit: MOST_UPLOADS })
  const id = newFileId()
  const usual = origin.kind === 'upload' ? limits.seconds : limits.resultSeconds
  return addFileRow(sql, owner, {
    id,
    name: safeFileName(file.name),
    mediaType: safeMediaType(file.mediaType),
    size,
    // A client may promise any size and send nothing: an upload takes room as its bytes arrive.
    reserved: origin.kind === 'upload' ? 0 : (size ?? 0),
    sha256: sha256?.toLowerCase(),
    origin,
    seconds: Math.min(file.expiresIn ?? usual, MOST_SECONDS),
    sealedKey: sealKey(newFrameKey(), id),
  })
}

/** Holds the organization's count until the transaction ends; the bytes that are free. Throws `file.quota`. */
async function refuseBeyond(
  sql: OrgSql,
  limits: FileParts['limits'],
  organizationId: OrganizationId,
  bytes: number,
): Promise<number> {
  const { used, quota } = await readUsage(sql, organizationId, true)
  const most = quota ?? limits.organization
  if (used + bytes > most) throw new Fault('file.quota', { quota: most, used, bytes })
  return most - used
}

/** Bytes of the quota that a file takes in advance while its content arrives. */
const STEP_BYTES = 16 * 1024 * 1024

/**
 * Takes room for `size` bytes, of which it has `had`, and for some in advance, up to the `whole` of the file where that is known; all that
 * it has then. Throws `file.quota` and `file.unknown`.
 */
export async function growTo(
  sql: OrgSql,
  limits: FileParts['limits'],
  row: Pick<FileRow, 'id' | 'organization_id'>,
  { had, size, whole = Infinity }: { readonly had: number; readonly size: number; readonly whole?: number },
): Promise<number> {
  const free = await refuseBeyond(sql, limits, row.organization_id, size - had)
  const reserved = Math.min(had + Math.min(size - had + STEP_BYTES, free), Math.max(whole, size))
  if (!(await reserve(sql, row.id, reserved))) throw new Fault('file.unknown', { file: row.id })
  return reserved
}
