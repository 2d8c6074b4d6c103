/**
 * Discovers the authorization server of an MCP server. The protected-resource metadata names an authorization server, whose own
 * metadata names the endpoints (MCP 2026-07-28, authorization; RFC 9728, RFC 8414, OpenID Connect Discovery). A server without
 * any is treated as revision 2025-03-26 says: its own origin is the authorization server.
 *
 * Each document must be about exactly the resource or issuer for which it was requested. Nothing is cached, so a move of a server
 * takes effect at once.
 */
import { Fault, type Authority } from '@toolway/contract'
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { fetchDocument } from './fetch-document.ts'
import type { Challenge, Egress } from '../ports.ts'
import { webAddress } from './web-address.ts'
import { malformed } from './word-failure.ts'

const Texts = z.array(z.string()).max(1_000).optional().catch(undefined)
const Resource = z.looseObject({
  resource: z.string(),
  authorization_servers: z.array(z.string()).max(100).optional(),
  scopes_supported: Texts,
  resource_name: z.string().optional().catch(undefined),
})
const Metadata = z.looseObject({
  issuer: z.string(),
  authorization_endpoint: z.string(),
  token_endpoint: z.string(),
  registration_endpoint: z.string().optional(),
  revocation_endpoint: z.string().optional(),
  scopes_supported: Texts,
  code_challenge_methods_supported: Texts,
  token_endpoint_auth_methods_supported: Texts,
  authorization_response_iss_parameter_supported: z.boolean().optional().catch(undefined),
  client_id_metadata_document_supported: z.boolean().optional().catch(undefined),
})
type Resource = z.output<typeof Resource>
type Metadata = z.output<typeof Metadata>

const RESOURCE = '/.well-known/oauth-protected-resource'
const SERVER = '/.well-known/oauth-authorization-server'
const OPENID = '/.well-known/openid-configuration'

export interface Discovering {
  readonly url: string
  readonly challenge: Challenge | undefined
  readonly egress: Egress
}

export const discover = async (discovering: Discovering): Promise<Authority> =>
  (await discoverNamed(discovering)).authority

export interface DiscoveredAuthority {
  readonly authority: Authority
  /** The server's own name for people, as it wrote it (RFC 9728, section 2, `resource_name`). */
  readonly name: string | undefined
}

export async function discoverNamed({ url, challenge, egress }: Discovering): Promise<DiscoveredAuthority> {
  const server = new URL(url)
  const resource = await findResource(server, challenge, egress)
  if (resource === undefined) return { authority: await discoverOlder(server, egress), name: undefined }
  refuseForeign(resource, server, egress)
  const issuers = resource.authorization_servers ?? []
  if (issuers.length === 0)
    throw malformed(egress, 'its protected-resource metadata does not list an authorization server')
  const { issuer, metadata } = await findServer(issuers, egress)
  return { authority: authorityOf(metadata, { issuer, resource }, egress), name: resource.resource_name }
}

/** The challenge's own address, else below the server's path, else at its root (RFC 9728, section 3.1). */
async function findResource(
  server: URL,
  challenge: Challenge | undefined,
  egress: Egress,
): Promise<Resource | undefined> {
  const what = 'its protected-resource metadata'
  const named = challenge?.resourceMetadata
  const path = server.pathname === '/' ? '' : server.pathname
  const known = [...new Set([`${RESOURCE}${path}`, RESOURCE])].map((at) => new URL(at, server.origin))
  for (const at of named === undefined ? known : [webAddress(named, what, egress), ...known]) {
    const found = await fetchDocument(at, { shape: Resource, what, egress }).catch(absentIfPage(at, named))
    if (found !== undefined) return found
  }
  return undefined
}

/** Sites answer every unknown address with a page of theirs; only where the server itself named it is that a fault. */
const absentIfPage = (at: URL, named: string | undefined) => (thrown: unknown) => {
  if (thrown instanceof Fault && thrown.code === 'authority.malformed' && at.href !== named && isNoJson(thrown))
    return undefined
  throw thrown
}
const isNoJson = ({ facts }: Fault): boolean => /instead of JSON|is not JSON/.test(String(facts['problem']))

/** A token is asked for that resource, so it must be this server or what it lies under (RFC 9728, section 3.3). */
function refuseForeign({ resource }: Resource, server: URL, egress: Egress): void {
  const named = URL.parse(resource)
  const under = (path: string) => (path.endsWith('/') ? path : `${path}/`)
  if (named?.origin !== server.origin || !under(server.pathname).startsWith(under(named.pathname)))
    throw malformed(egress, 'its protected-resource metadata is for another server')
}

/** The first that has metadata, in the server's order. */
async function findServer(issuers: readonly string[], egress: Egress) {
  for (const issuer of issuers.slice(0, 5)) {
    const metadata = await findMetadata(issuer, egress)
    if (metadata !== undefined) return { issuer, metadata }
  }
  throw malformed(egress, 'its authorization server has no metadata')
}

/** With a path of its own, an issuer has three places; without, two (MCP 2026-07-28, authorization server metadata discovery). */
function placesOf(issuer: string, egress: Egress): URL[] {
  const { origin, pathname } = webAddress(issuer, 'its authorization server', egress)
  const path = pathname.replace(/\/$/, '')
  const all = path === '' ? [SERVER, OPENID] : [`${SERVER}${path}`, `${OPENID}${path}`, `${path}${OPENID}`]
  return all.map((at) => new URL(at, origin))
}

async function findMetadata(issuer: string, egress: Egress, same = isSame): Promise<Metadata | undefined> {
  const what = 'the metadata of its authorization server'
  for (const at of placesOf(issuer, egress)) {
    const found = await fetchDocument(at, { shape: Metadata, what, egress }).catch(absentIfPage(at, undefined))
    if (found === undefined) continue
    // A document about another issuer would give its author that issuer's codes (RFC 8414, section 3.3).
    if (!same(found.issuer, issuer)) throw malformed(egress, `${what} is for another issuer`)
    return found
  }
  return undefined
}

const isSame = (said: string, asked: string): boolean => said === asked

/** Revision 2025-03-26: the origin itself, and three addresses where it says nothing. */
async function discoverOlder(server: URL, egress: Egress): Promise<Authority> {
  const { origin } = server
  const metadata = await findMetadata(origin, egress, (said) => said === origin || said === `${origin}/`)
  if (metadata !== undefined) return authorityOf(metadata, { issuer: metadata.issuer, resource: undefined }, egress)
  webAddress(origin, 'its authorization server', egress)
  return assumedAt(origin)
}

const assumedAt = (origin: string): Authority => ({
  provider: 'mcp',
  issuer: origin,
  authorizationEndpoint: `${origin}/authorize`,
  tokenEndpoint: `${origin}/token`,
  registrationEndpoint: `${origin}/register`,
  issInResponse: false,
  clientDocuments: false,
  tokenAuthMethods: [],
})

/** Whether nothing was said, and revision 2025-03-26 lets it be taken to be there. */
export const isAssumed = (found: Authority): boolean => isDeepStrictEqual(found, assumedAt(found.issuer))

interface About {
  readonly issuer: string
  readonly resource: Resource | undefined
}

function authorityOf(found: Metadata, { issuer, resource }: About, egress: Egress): Authority {
  if (found.code_challenge_methods_supported?.includes('S256') !== true)
    throw malformed(egress, 'its authorization server does not declare support for PKCE with S256')
  const endpoint = (text: string, what: string) => webAddress(text, what, egress).href && text
  const optional = (text: string | undefined, what: string) => (text === undefined ? undefined : endpoint(text, what))
  const registrationEndpoint = optional(found.registration_endpoint, 'its registration endpoint')
  const revocationEndpoint = optional(found.revocation_endpoint, 'its revocation endpoint')
  const scopes = resource?.scopes_supported
  return {
    provider: 'mcp',
    issuer,
    authorizationEndpoint: endpoint(found.authorization_endpoint, 'its authorization endpoint'),
    tokenEndpoint: endpoint(found.token_endpoint, 'its token endpoint'),
    ...(registrationEndpoint === undefined ? {} : { registrationEndpoint }),
    ...(revocationEndpoint === undefined ? {} : { revocationEndpoint }),
    ...(resource === undefined ? {} : { resource: resource.resource }),
    ...(scopes === undefined ? {} : { scopes }),
    ...(found.scopes_supported === undefined ? {} : { scopesSupported: found.scopes_supported }),
    issInResponse: found.authorization_response_iss_parameter_supported === true,
    clientDocuments: found.client_id_metadata_document_supported === true,
    tokenAuthMethods: found.token_endpoint_auth_methods_supported ?? [],
  }
}
