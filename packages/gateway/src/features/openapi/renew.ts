/** A newer document held against the one that is kept, and put in its place. */
import type { ConnectionId, LockMode, OpenApiSettings, OrganizationId } from '@toolway/contract'
import { readWith } from '../../call/openapi/documents.ts'
import {
  packDocument,
  putDocument,
  touchConnection,
  unpackDocument,
  type PackedDocument,
} from '../../connections/openapi-documents.ts'
import type { OrgSql } from '../../db/db.ts'
import type { Change } from '../../records/change.ts'
import { toolsOf, type ReadFor } from '../../upstreams/openapi/document/read-apart.ts'
import { driftOf } from './drift.ts'

interface Comparing {
  readonly text: string
  readonly kept: { readonly packed: Uint8Array; readonly digest: string } | undefined
  readonly settings: OpenApiSettings
  readonly mode: LockMode
  readonly whose: ReadFor
}

/** Throws `openapi.unreadable`, and `gateway.not-ready` where too much is being read. */
export async function compare({ text, kept, settings, mode, whose }: Comparing) {
  const packed = await packDocument(text)
  const after = await readWith(text, settings, whose)
  const before = kept === undefined ? undefined : await readWith(await unpackDocument(kept.packed), settings, whose)
  const drift = driftOf(before === undefined ? [] : await toolsOf(before), await toolsOf(after), mode)
  return { packed, before, after, same: kept?.digest === packed.digest, drift }
}

type Compared = Awaited<ReturnType<typeof compare>>

/** Returns the audit entry of a renewed document. */
export const renewal = (id: ConnectionId, { packed, drift }: Compared): Change => ({
  action: 'connection.change',
  resource: 'connection',
  id,
  detail: {
    fields: ['document'],
    document: packed.digest,
    added: drift.added.length,
    removed: drift.removed.length,
    changed: drift.changed.length,
  },
})

export async function keepDocument(
  sql: OrgSql,
  of: { organizationId: OrganizationId; connectionId: ConnectionId },
  packed: PackedDocument,
): Promise<void> {
  await putDocument(sql, of.organizationId, of.connectionId, packed)
  await touchConnection(sql, of.connectionId)
}
