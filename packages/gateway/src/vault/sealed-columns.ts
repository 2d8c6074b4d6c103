/**
 * The columns with sealed values, and the text that each value is bound to. The one list of them: rotation, counting and the
 * sealing of plain values walk it. A test asks the schema for every bytea column named `sealed…` that is missing here.
 */
import type {
  ApprovalId,
  AuthenticatorAppId,
  ConnectionId,
  CredentialId,
  FileId,
  FlowId,
  StoredResultId,
  KeyId,
  OrganizationId,
  OAuthAppId,
  RecordStreamId,
  WebhookId,
} from '@toolway/contract'

export interface SealedColumn {
  readonly table: string
  readonly column: string
  /** The identity of a row, as a text in SQL. */
  readonly id: string
  /** The associated data of the row's value. */
  row(id: string): string
}

export const connectionRow = (id: ConnectionId): string => `connection ${id}`
export const keyRow = (id: KeyId): string => `key ${id}`
export const oauthAppRow = (id: OAuthAppId): string => `oauth app ${id}`
export const accessTokenRow = (id: CredentialId): string => `credential ${id} access token`
export const refreshTokenRow = (id: CredentialId): string => `credential ${id} refresh token`
export const flowVerifierRow = (id: FlowId): string => `flow ${id} verifier`
export const flowSecretRow = (id: FlowId): string => `flow ${id} client secret`
export const webhookSecretRow = (id: WebhookId): string => `webhook ${id} secret`
export const webhookPreviousRow = (id: WebhookId): string => `webhook ${id} previous secret`
export const recordStreamRow = (id: RecordStreamId): string => `record stream ${id} secrets`
export const approvalRow = (id: ApprovalId): string => `approval ${id} arguments`
export const approvalAnswerRow = (id: ApprovalId): string => `approval ${id} answer`
export const keptAnswerRow = (hash: string): string => `kept answer ${hash}`
export const keptResultRow = (id: StoredResultId): string => `kept result ${id}`
export const fileKeyRow = (id: FileId): string => `file ${id} key`
export const payloadRow = (id: string): string => `record ${id} payload`
export const agentModelRow = (id: OrganizationId): string => `organization ${id} agent model`
export const authenticatorAppRow = (id: AuthenticatorAppId): string => `authenticator app ${id} secret`
export const streamEventRow = (id: string): string => `stream event ${id}`
export const secretRow = (name: string): string => `vault secret ${name}`

const column = (table: string, name: string, row: (id: never) => string, id = 'id'): SealedColumn => ({
  table,
  column: name,
  id,
  row,
})

export const SEALED_COLUMNS: readonly SealedColumn[] = Object.freeze([
  column('connections', 'sealed', connectionRow),
  column('keys', 'sealed', keyRow),
  column('oauth_apps', 'sealed', oauthAppRow),
  column('credentials', 'sealed_access_token', accessTokenRow),
  column('credentials', 'sealed_refresh_token', refreshTokenRow),
  column('oauth_flows', 'sealed_verifier', flowVerifierRow),
  column('oauth_flows', 'sealed_client_secret', flowSecretRow),
  column('webhooks', 'sealed_secret', webhookSecretRow),
  column('record_streams', 'sealed_secrets', recordStreamRow),
  column('webhooks', 'sealed_previous', webhookPreviousRow),
  column('approvals', 'sealed_arguments', approvalRow),
  column('approvals', 'sealed_answer', approvalAnswerRow),
  column('agent_models', 'sealed', agentModelRow, 'organization_id'),
  column('kept_answers', 'sealed_answer', keptAnswerRow, "encode(hash, 'hex')"),
  column('kept_results', 'sealed', keptResultRow),
  column('files', 'sealed_key', fileKeyRow),
  column('record_payloads', 'sealed', payloadRow),
  column('authenticator_apps', 'sealed_secret', authenticatorAppRow),
  column('stream_reader_events', 'sealed', streamEventRow, "(reader || ' ' || at)"),
  column('vault_secrets', 'sealed', secretRow, 'name'),
])

/** The same statement for each column: `@table`, `@column` and `@id` are words of the list above, never anybody's input. */
export function withNames(
  texts: TemplateStringsArray,
  { table, column: name, id }: SealedColumn,
): TemplateStringsArray {
  const named = texts.map((text) => text.replaceAll('@table', table).replaceAll('@column', name).replaceAll('@id', id))
  return Object.assign(named, { raw: named })
}
