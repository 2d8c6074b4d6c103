/**
 * The public metadata for clients without a token: of a protected resource (RFC 9728) and of the authorization server (RFC 8414).
 */
import type { JsonWebKey } from 'node:crypto'
import type { SigningKey } from '../identity/access-tokens.ts'
import { SCOPES } from './scopes.ts'

/** Paths below the issuer. Those of 2025-03-26, whose clients may know no other (section 2.3.3 there). */
export const PATHS = {
  authorize: '/authorize',
  token: '/token',
  register: '/register',
  revoke: '/revoke',
  keys: '/.well-known/jwks.json',
  consent: '/consent',
} as const

export const PROTECTED_RESOURCE = '/.well-known/oauth-protected-resource'
export const SERVER_METADATA = ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration'] as const

export const resourceMetadata = (issuer: string, resource: string) => ({
  resource,
  authorization_servers: [issuer],
  scopes_supported: SCOPES,
  bearer_methods_supported: ['header'],
  resource_name: 'Toolway',
})

/** OpenID Connect Discovery asks for a few members that say nothing here; clients that look there insist on them. */
export const serverMetadata = (issuer: string) => ({
  issuer,
  authorization_endpoint: `${issuer}${PATHS.authorize}`,
  token_endpoint: `${issuer}${PATHS.token}`,
  registration_endpoint: `${issuer}${PATHS.register}`,
  revocation_endpoint: `${issuer}${PATHS.revoke}`,
  jwks_uri: `${issuer}${PATHS.keys}`,
  scopes_supported: SCOPES,
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: ['authorization_code', 'refresh_token'],
  token_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'client_secret_post'],
  revocation_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'client_secret_post'],
  code_challenge_methods_supported: ['S256'],
  authorization_response_iss_parameter_supported: true,
  client_id_metadata_document_supported: true,
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: ['EdDSA'],
})

/** RFC 7517: what verifies the tokens, and nothing that signs them. */
export const keySet = (keys: readonly SigningKey[]): { keys: JsonWebKey[] } => ({
  keys: keys.map(({ id, publicKey }) => ({
    ...publicKey.export({ format: 'jwk' }),
    kid: id,
    use: 'sig',
    alg: 'EdDSA',
  })),
})
