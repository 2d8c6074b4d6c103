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
  IdentityProviderId,
  RecordStreamId,
  WebhookId,
} from '@toolway/contract'

export interface SealedColumn {
  readonly table: string
  readonly column: string
  /** The identity of a row, as a text in SQL. */
  readonly id: string
  /** The associated data of the row's value. */
  sealContext(id: string): string
}

export const connectionSealContext = (id: ConnectionId): string => `connection ${id}`
export const keySealContext = (id: KeyId): string => `key ${id}`
export const oauthAppSealContext = (id: OAuthAppId): string => `oauth app ${id}`
export const accessTokenSealContext = (id: CredentialId): string => `credential ${id} access token`
export const refreshTokenSealContext = (id: CredentialId): string => `credential ${id} refresh token`
export const flowVerifierSealContext = (id: FlowId): string => `flow ${id} verifier`
export const flowSecretSealContext = (id: FlowId): string => `flow ${id} client secret`
export const webhookSecretSealContext = (id: WebhookId): string => `webhook ${id} secret`
export const previousWebhookSecretSealContext = (id: WebhookId): string => `webhook ${id} previous secret`
export const recordStreamSealContext = (id: RecordStreamId): string => `record stream ${id} secrets`
export const identityProviderSealContext = (id: IdentityProviderId): string => `identity provider ${id} secret`
export const approvalSealContext = (id: ApprovalId): string => `approval ${id} arguments`
export const approvalAnswerSealContext = (id: ApprovalId): string => `approval ${id} answer`
export const keptAnswerSealContext = (hash: string): string => `kept answer ${hash}`
export const keptResultSealContext = (id: StoredResultId): string => `kept result ${id}`
export const fileKeySealContext = (id: FileId): string => `file ${id} key`
export const payloadSealContext = (id: string): string => `record ${id} payload`
export const agentModelSealContext = (id: OrganizationId): string => `organization ${id} agent model`
export const authenticatorAppSealContext = (id: AuthenticatorAppId): string => `authenticator app ${id} secret`
export const streamEventSealContext = (id: string): string => `stream event ${id}`
export const secretSealContext = (name: string): string => `vault secret ${name}`

const column = (table: string, name: string, sealContext: (id: never) => string, id = 'id'): SealedColumn => ({
  table,
  column: name,
  id,
  sealContext,
})

export const SEALED_COLUMNS: readonly SealedColumn[] = Object.freeze([
  column('connections', 'sealed', connectionSealContext),
  column('keys', 'sealed', keySealContext),
  column('oauth_apps', 'sealed', oauthAppSealContext),
  column('credentials', 'sealed_access_token', accessTokenSealContext),
  column('credentials', 'sealed_refresh_token', refreshTokenSealContext),
  column('oauth_flows', 'sealed_verifier', flowVerifierSealContext),
  column('oauth_flows', 'sealed_client_secret', flowSecretSealContext),
  column('webhooks', 'sealed_secret', webhookSecretSealContext),
  column('record_streams', 'sealed_secrets', recordStreamSealContext),
  column('identity_providers', 'sealed_secret', identityProviderSealContext),
  column('webhooks', 'sealed_previous', previousWebhookSecretSealContext),
  column('approvals', 'sealed_arguments', approvalSealContext),
  column('approvals', 'sealed_answer', approvalAnswerSealContext),
  column('agent_models', 'sealed', agentModelSealContext, 'organization_id'),
  column('kept_answers', 'sealed_answer', keptAnswerSealContext, "encode(hash, 'hex')"),
  column('kept_results', 'sealed', keptResultSealContext),
  column('files', 'sealed_key', fileKeySealContext),
  column('record_payloads', 'sealed', payloadSealContext),
  column('authenticator_apps', 'sealed_secret', authenticatorAppSealContext),
  column('stream_reader_events', 'sealed', streamEventSealContext, "(reader || ' ' || at)"),
  column('vault_secrets', 'sealed', secretSealContext, 'name'),
])

/** The same statement for each column: `@table`, `@column` and `@id` are words of the list above, never anybody's input. */
export function withNames(
  texts: TemplateStringsArray,
  { table, column: name, id }: SealedColumn,
): TemplateStringsArray {
  const named = texts.map((text) => text.replaceAll('@table', table).replaceAll('@column', name).replaceAll('@id', id))
  return Object.assign(named, { raw: named })
}
