/** The OpenAPI documents of connections, as they came: packed here, and read by whoever opens a connection. */
import { DOCUMENT_LIMIT, type ConnectionId, type OrganizationId } from '@toolway/contract'
import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { z } from 'zod'
import type { OrgSql } from '../db/db.ts'

const [pack, unpack] = [promisify(gzip), promisify(gunzip)]

/** A document that is ready to be kept. */
export interface PackedDocument {
  readonly packed: Buffer
  readonly bytes: number
  readonly digest: string
}

export async function packDocument(text: string): Promise<PackedDocument> {
  const bytes = Buffer.from(text)
  return { packed: await pack(bytes), bytes: bytes.length, digest: createHash('sha256').update(bytes).digest('hex') }
}

/** Never more than a document may have, whatever was packed. */
export const unpackDocument = async (packed: Uint8Array): Promise<string> =>
  (await unpack(packed, { maxOutputLength: DOCUMENT_LIMIT })).toString('utf8')

const Row = z.object({ packed: z.instanceof(Buffer), digest: z.string() })

export const findDocument = async (
  sql: OrgSql,
  connectionId: ConnectionId,
): Promise<z.output<typeof Row> | undefined> =>
  (await sql(Row)`select packed, digest from openapi_documents where connection_id = ${connectionId}`)[0]

const Kept = z.object({ digest: z.string() })

/** In the place of the one before. */
export const putDocument = (
  sql: OrgSql,
  organizationId: OrganizationId,
  connectionId: ConnectionId,
  { packed, bytes, digest }: PackedDocument,
) => sql(Kept)`
  insert into openapi_documents (organization_id, connection_id, packed, bytes, digest)
  values (${organizationId}, ${connectionId}, ${packed}, ${bytes}, ${digest})
      on conflict (organization_id, connection_id) do update
     set packed = excluded.packed, bytes = excluded.bytes, digest = excluded.digest, kept_at = now()
  returning digest`

/** Removes the document that was stored for another address of the connection. */
export const removeDocument = (sql: OrgSql, connectionId: ConnectionId) =>
  sql(Kept)`delete from openapi_documents where connection_id = ${connectionId} returning digest`

/** Marks the connection as changed, so that it is opened with its new document from now on. */
export const touchConnection = (sql: OrgSql, connectionId: ConnectionId) =>
  sql(
    Id,
  )`update connections set updated_at = now(), status = 'new', status_reason = null where id = ${connectionId} returning id`
const Id = z.object({ id: z.string() })
