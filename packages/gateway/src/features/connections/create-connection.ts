/** Makes a connection with all that belongs to it, in the transaction of its caller. Every way of making one goes through here. */
import {
  Fault,
  firstLockOf,
  type ConnectionId,
  type ConnectionSettings,
  type ConnectionSecrets,
  type ImportId,
  type LockMode,
  type OrganizationId,
} from '@toolway/contract'
import { settingsSealContext } from '../../snapshot/snapshot.ts'
import { addConnection, setToolLock } from '../../connections/connections.ts'
import { putDocument, type PackedDocument } from '../../connections/openapi-documents.ts'
import { takesOver } from '../../connections/spent-aliases.ts'
import type { OrgSql } from '../../db/db.ts'
import type { Change } from '../../records/change.ts'
import { sealerOf } from '../../kinds/kinds.ts'

export interface WantedConnection {
  readonly alias: string
  readonly title: string
  readonly description?: string | null
  readonly enabled: boolean
  readonly origin: string
  readonly settings: ConnectionSettings
  readonly secrets: ConnectionSecrets
  /** Of a connection that is made of an OpenAPI document that is given now. */
  readonly document?: PackedDocument | undefined
  /** Whether its server is believed about the effects of its tools. */
  readonly trusted?: boolean | undefined
  /** Lock mode: which changes of the server's tools are held for review. That of new connections of its kind if absent. */
  readonly lock?: LockMode | undefined
  /** Of a connection that is made together with others. */
  readonly importId?: ImportId
}

export interface CreatedConnection {
  readonly id: ConnectionId
  /** For the audit log. */
  readonly change: Change
}

interface CreateParts {
  readonly organizationId: OrganizationId
  readonly vault: { seal(text: string, row: string): Buffer }
}

/** Throws `thing.taken` where the alias is another connection's. */
export async function createConnection(
  sql: OrgSql,
  { organizationId, vault }: CreateParts,
  { secrets, document, trusted = false, lock: mode, ...connection }: WantedConnection,
): Promise<CreatedConnection> {
  const { alias, settings } = connection
  const lock = mode ?? firstLockOf(settings.connector)
  const taken = await takesOver(sql, alias, settings)
  const seal = sealerOf(secrets, vault.seal, settingsSealContext)
  const id = await addConnection(sql, { ...connection, organizationId, seal })
  if (id === undefined) throw new Fault('thing.taken', { thing: 'connection', name: alias })
  if (document !== undefined) await putDocument(sql, organizationId, id, document)
  if (trusted || lock !== 'off') await setToolLock(sql, id, { mode: lock, trusted })
  const digest = document === undefined ? {} : { document: document.digest }
  const detail = { alias, connector: settings.connector, ...digest, ...taken }
  return { id, change: { action: 'connection.add', resource: 'connection', id, detail } }
}
