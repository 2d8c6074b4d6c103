/** The rows of files: what is known of each, and how much of an organization's quota is taken. */
import { newId, type FileId, type OrganizationId } from '@toolway/contract'
import { z } from 'zod'
import type { OrgSql, SystemSql } from '../../db/db.ts'
import { uriOfFile, type FileOrigin, type FileOwner, type StoredFile } from '../../snapshot/ports/file-store.ts'

/** The parts of an upload in an object store, as they are remembered outside of it. */
export interface PartList {
  readonly upload: string
  readonly etags: readonly string[]
}

export const FileRow = z.object({
  id: z.string().transform((id) => id as FileId),
  organization_id: z.string().transform((id) => id as OrganizationId),
  owner: z.string(),
  name: z.string(),
  media_type: z.string(),
  size: z.number().nullable(),
  sha256: z.string().nullable(),
  state: z.enum(['uploading', 'ready']),
  origin: z.enum(['upload', 'result', 'download']),
  tool: z.string().nullable(),
  storage_key: z.string(),
  sealed_key: z.instanceof(Buffer),
  created_at: z.date(),
  expires_at: z.date(),
})
export type FileRow = z.output<typeof FileRow>
const Id = z.object({ id: z.string() })

export interface AddedFile {
  readonly id: FileId
  readonly name: string
  readonly mediaType: string
  readonly size: number | undefined
  /** Bytes of the quota that it takes from now on. */
  readonly reserved: number
  readonly sha256: string | undefined
  readonly origin: FileOrigin
  readonly seconds: number
  readonly sealedKey: Buffer
}

/** The row of a file that is not complete, with `reserved` bytes of the quota. */
export async function addFileRow(sql: OrgSql, owner: FileOwner, added: AddedFile): Promise<FileRow> {
  const { id, name, mediaType, size, reserved, sha256, origin, seconds, sealedKey } = added
  const [row] = await sql(FileRow)`
    insert into files (id, organization_id, owner, name, media_type, size, reserved, sha256, origin, tool, storage_key, sealed_key,
                       expires_at)
    values (${id}, ${owner.organizationId}, ${owner.principal}, ${name}, ${mediaType}, ${size ?? null}, ${reserved},
            ${sha256 ?? null}, ${origin.kind}, ${origin.tool ?? null}, ${`${owner.organizationId}/${id}`}, ${sealedKey},
            now() + make_interval(secs => ${seconds}))
    returning id, organization_id, owner, name, media_type, size::float8 as size, sha256, state, origin, tool, storage_key,
              sealed_key, created_at, expires_at`
  if (row === undefined) throw new Error('the row of a file was not stored')
  return row
}

export const newFileId = (): FileId => newId('file')

/** One that has not expired. */
export async function findFileRow(sql: OrgSql | SystemSql, id: string): Promise<FileRow | undefined> {
  const [row] = await sql(FileRow)`
    select id, organization_id, owner, name, media_type, size::float8 as size, sha256, state, origin, tool, storage_key, sealed_key,
           created_at, expires_at
      from files where id = ${id} and expires_at > now()`
  return row
}

export interface FileFilter {
  /** Undefined: of everybody in the organization. */
  readonly owner: string | undefined
  /** Part of the name. */
  readonly search: string
  readonly limit: number
  readonly offset: number
}

const Count = z.object({ count: z.int() })

/** The newest first, and how many there are in all. */
export async function listFileRows(sql: OrgSql, { owner, search, limit, offset }: FileFilter) {
  const [who, searched] = [owner ?? null, search.toLowerCase()]
  const rows = await sql(FileRow)`
    select id, organization_id, owner, name, media_type, size::float8 as size, sha256, state, origin, tool, storage_key, sealed_key,
           created_at, expires_at
      from files
     where expires_at > now() and owner = coalesce(${who}::text, owner) and position(${searched} in lower(name)) > 0
     order by created_at desc, id desc limit ${limit} offset ${offset}`
  const [counted] = await sql(Count)`
    select count(*)::int as count from files
     where expires_at > now() and owner = coalesce(${who}::text, owner) and position(${searched} in lower(name)) > 0`
  return { rows, total: counted?.count ?? 0 }
}

const Held = z.object({ held: z.string() })
const Used = z.object({ used: z.number(), quota: z.number().nullable(), files: z.int() })

/** Bytes that the organization's files take, and its own quota where it has one. `lock`: nobody else counts meanwhile. */
export async function readUsage(sql: OrgSql, organizationId: OrganizationId, lock = false) {
  if (lock)
    await sql(Held)`select pg_advisory_xact_lock(hashtextextended(${`files of ${organizationId}`}, 0))::text as held`
  const [found] = await sql(Used)`
    select coalesce(sum(f.reserved), 0)::float8 as used, count(f.id)::int as files,
           (select (settings ->> 'files_quota_bytes')::float8 from organizations where id = ${organizationId}) as quota
      from files f`
  return found ?? { used: 0, quota: null, files: 0 }
}

export async function countUploads(sql: OrgSql, owner: string): Promise<number> {
  const [found] = await sql(Count)`
    select count(*)::int as count from files where owner = ${owner} and state = 'uploading' and expires_at > now()`
  return found?.count ?? 0
}

const Reserved = z.object({ reserved: z.number() })
/** Bytes of the quota that a file takes now; 0 for one that is gone. */
export const readReserved = async (sql: OrgSql, id: FileId): Promise<number> =>
  (await sql(Reserved)`select reserved::float8 as reserved from files where id = ${id}`)[0]?.reserved ?? 0

/** Whether it is there to be reserved for. */
export const reserve = async (sql: OrgSql, id: FileId, bytes: number): Promise<boolean> =>
  (await sql(Id)`update files set reserved = ${bytes} where id = ${id} returning id`).length > 0

/** Undefined: it was removed meanwhile. */
export async function finishFile(
  sql: OrgSql,
  id: FileId,
  { size, sha256 }: { readonly size: number; readonly sha256: string },
): Promise<FileRow | undefined> {
  const [row] = await sql(FileRow)`
    update files set state = 'ready', size = ${size}, reserved = ${size}, sha256 = ${sha256}, parts = null, writer = null,
                     writer_until = null
     where id = ${id} and state = 'uploading'
    returning id, organization_id, owner, name, media_type, size::float8 as size, sha256, state, origin, tool, storage_key,
              sealed_key, created_at, expires_at`
  return row
}

/** The content goes with it: a trigger notes it for the job that removes it. */
export const removeFileRow = async (sql: OrgSql, id: string): Promise<boolean> =>
  (await sql(Id)`delete from files where id = ${id} returning id`).length > 0

const Parts = z.object({ parts: z.custom<PartList>().nullable() })
export async function readParts(sql: OrgSql, id: FileId): Promise<PartList | undefined> {
  const [row] = await sql(Parts)`select parts from files where id = ${id}`
  return row?.parts ?? undefined
}

export const writeParts = async (sql: OrgSql, id: FileId, parts: PartList): Promise<boolean> =>
  (await sql(Id)`update files set parts = ${JSON.stringify(parts)}::jsonb where id = ${id} returning id`).length > 0

/** Whether this gateway is the one that writes the upload for the next `seconds`. */
export const leaseUpload = async (sql: OrgSql, id: FileId, writer: string, seconds: number): Promise<boolean> =>
  (
    await sql(Id)`
      update files set writer = ${writer}, writer_until = now() + make_interval(secs => ${seconds})
       where id = ${id} and state = 'uploading' and (writer is null or writer = ${writer} or writer_until < now())
      returning id`
  ).length > 0

export const releaseUpload = (sql: OrgSql, id: FileId, writer: string) =>
  sql(Id)`update files set writer = null, writer_until = null where id = ${id} and writer = ${writer} returning id`

/** Throws for one that is not complete. */
export function toStoredFile(row: FileRow): StoredFile {
  const { size, sha256 } = row
  if (row.state !== 'ready' || size === null || sha256 === null) throw new Error('this file is incomplete')
  return {
    id: row.id,
    uri: uriOfFile(row.id),
    organizationId: row.organization_id,
    owner: row.owner,
    name: row.name,
    mediaType: row.media_type,
    size,
    sha256,
    origin: { kind: row.origin, ...(row.tool === null ? {} : { tool: row.tool }) },
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  }
}
