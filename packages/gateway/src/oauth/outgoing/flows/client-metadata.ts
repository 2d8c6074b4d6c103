/**
 * Our client metadata document, read by an authorization server that supports client id metadata documents
 * (draft-ietf-oauth-client-id-metadata-document-00, section 4; RFC 7591, section 2). The address of the document is our client id
 * there.
 *
 * It exists only where the gateway has a public https address.
 */
export const CLIENT_METADATA = '/oauth/client-metadata.json'
export const CALLBACK = '/oauth/callback'
/** That of the source system (ledger S2-API-11). */
export const INTEGRATIONS_CALLBACK = '/api/v1/integrations/oauth/callback'
export const CLIENT_NAME = 'Toolway'

/** Our client id at such an authorization server, if there can be one. */
export const documentIdOf = (publicUrl: string): string | undefined =>
  publicUrl.startsWith('https://') ? `${publicUrl}${CLIENT_METADATA}` : undefined

/** The addresses that every client of ours is registered with. */
export const redirectsOf = (publicUrl: string): readonly string[] => [
  `${publicUrl}${CALLBACK}`,
  `${publicUrl}${INTEGRATIONS_CALLBACK}`,
]

export function clientMetadata(publicUrl: string): object | undefined {
  const id = documentIdOf(publicUrl)
  if (id === undefined) return undefined
  return {
    client_id: id,
    client_name: CLIENT_NAME,
    client_uri: publicUrl,
    redirect_uris: redirectsOf(publicUrl),
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    application_type: 'web',
  }
}
