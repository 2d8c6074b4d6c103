/**
 * Where an account is connected: an authorization server, as its metadata or the table of vendors describes it (RFC 8414, RFC 9728).
 *
 * It is kept with each flow and each credential, as it was then: a token is never sent to an endpoint that was found later.
 */
import { z } from 'zod'
import { ProviderName } from './connection-auth.ts'

export const Authority = z.strictObject({
  /** `mcp` where the server named it, else the vendor's key in the provider table, whose peculiarities then hold. */
  provider: ProviderName,
  /** As its metadata says it, to the letter (RFC 8414, section 3.3). */
  issuer: z.string().min(1),
  authorizationEndpoint: z.url(),
  tokenEndpoint: z.url(),
  registrationEndpoint: z.url().optional(),
  revocationEndpoint: z.url().optional(),
  /** Where it tells whose token one is (OpenID Connect Core 1.0, section 5.3). */
  userinfoEndpoint: z.url().optional(),
  /** The resource of the protected-resource metadata, to the letter; absent where there is none (RFC 8707). */
  resource: z.string().optional(),
  /** The default scopes to request. */
  scopes: z.array(z.string()).optional(),
  /** All that it knows, where it says so: `offline_access` is asked for only where it is among them. */
  scopesSupported: z.array(z.string()).optional(),
  /** Whether its answers carry `iss` (RFC 9207). */
  issInResponse: z.boolean().default(false),
  /** Whether it takes a client id that is the address of a metadata document. */
  clientDocuments: z.boolean().default(false),
  tokenAuthMethods: z.array(z.string()).default([]),
})
export type Authority = z.output<typeof Authority>

/** How a client proves itself at a token endpoint (RFC 7591, section 2). */
export const ClientAuthMethod = z.enum(['client_secret_basic', 'client_secret_post', 'none'])
export type ClientAuthMethod = z.output<typeof ClientAuthMethod>
