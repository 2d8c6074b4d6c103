/**
 * Discovers the authorization server of an MCP server. The protected-resource metadata names an authorization server, whose own
 * metadata names the endpoints (MCP 2026-07-28, authorization; RFC 9728, RFC 8414, OpenID Connect Discovery). A server without
 * any is treated as revision 2025-03-26 says: its own origin is the authorization server.
 *
 * Each document must be about exactly the resource or issuer for which it was requested (`same-issuer.ts`); what is optional in it
 * may be anything (`tidy-answer.ts`). Nothing is cached, so a move of a server takes effect at once.
 */
import { Fault, type Authority } from '@toolway/contract'
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { maskUrl } from '@toolway/contract/secret-marks'
import { fetchDocument } from './fetch-document.ts'
import type { Challenge, Egress } from '../ports.ts'
import { isSameIssuer } from './same-issuer.ts'
import { cleanDescription } from './server-words.ts'
import { tidyResource, tidyServer } from './tidy-answer.ts'
import { webAddress } from './web-address.ts'
import { documentAt, malformedAuthority, type OnRead } from './word-failure.ts'

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
  userinfo_endpoint: z.string().optional(),
  scopes_supported: Texts,
  code_challenge_methods_supported: Texts,
  token_endpoint_auth_methods_supported: Texts,
  authorization_response_iss_parameter_supported: z.boolean().optional(),
  client_id_metadata_document_supported: z.boolean().optional(),
})
type Resource = z.output<typeof Resource>
type Metadata = z.output<typeof Metadata>

/** How each document is read. */
const RESOURCE_METADATA = { what: 'protected-resource metadata', shape: Resource, tidy: tidyResource, mark: 'resource' }
const SERVER_METADATA = {
  what: 'authorization server metadata',
  shape: Metadata,
  tidy: tidyServer,
  mark: 'issuer',
}

const RESOURCE = '/.well-known/oauth-protected-resource'
const SERVER = '/.well-known/oauth-authorization-server'
const OPENID = '/.well-known/openid-configuration'
/** Servers that are tried of a list, and places that a message names. */
const MOST_SERVERS = 5
const MOST_PLACES = 6

export interface Discovering {
  readonly url: string
  readonly challenge: Challenge | undefined
  readonly egress: Egress
  readonly onRead?: OnRead | undefined
}

export const discover = async (discovering: Discovering): Promise<Authority> =>
  (await discoverNamed(discovering)).authority

export interface DiscoveredAuthority {
  readonly authority: Authority
  /** The server's own name for people, as it wrote it (RFC 9728, section 2, `resource_name`). */
  readonly name: string | undefined
}

/** A document with the address that it was at. */
interface Sourced<Value> {
  readonly value: Value
  readonly at: URL
  readonly notes: readonly string[]
}
type Reading = Pick<Discovering, 'egress' | 'onRead'>

export async function discoverNamed({ url, challenge, ...reading }: Discovering): Promise<DiscoveredAuthority> {
  const server = new URL(url)
  const found = await findResource(server, challenge, reading)
  if (found === undefined) return { authority: await discoverOlder(server, reading), name: undefined }
  const { value: resource, at, notes } = found
  const document = documentAt(RESOURCE_METADATA.what, at.href)
  refuseForeign(resource, server, { document, egress: reading.egress })
  reading.onRead?.({ egress: reading.egress, kind: RESOURCE_METADATA.what, document, repaired: notes })
  const issuers = resource.authorization_servers ?? []
  const metadata =
    issuers.length === 0 ? await findOwn(server, document, reading) : await findServer(issuers, document, reading)
  return { authority: authorityOf(metadata, resource, reading), name: resource.resource_name }
}

/** The challenge's own address, else below the server's path, else at its root (RFC 9728, section 3.1). */
async function findResource(
  server: URL,
  challenge: Challenge | undefined,
  reading: Reading,
): Promise<Sourced<Resource> | undefined> {
  const { egress } = reading
  const named = challenge?.resourceMetadata
  const path = server.pathname === '/' ? '' : server.pathname
  const known = [...new Set([`${RESOURCE}${path}`, RESOURCE])].map((at) => new URL(at, server.origin))
  const what = `its ${RESOURCE_METADATA.what}`
  for (const at of named === undefined ? known : [webAddress(named, what, egress), ...known]) {
    const found = await fetchDocument(at, { ...RESOURCE_METADATA, ...reading })
    if ('value' in found) return { ...found, at }
    // Sites answer every unknown address with a page of theirs; only where the server itself named it is that a fault.
    if (at.href === named && !found.absent.startsWith('HTTP '))
      throw malformedAuthority(egress, `the ${documentAt(RESOURCE_METADATA.what, at.href)} is ${found.absent}`)
  }
  return undefined
}

/** A token is asked for that resource, so it must be this server or what it lies under (RFC 9728, section 3.3). */
function refuseForeign(
  { resource }: Resource,
  server: URL,
  { document, egress }: { document: string; egress: Egress },
): void {
  const named = URL.parse(resource)
  const under = (path: string) => (path.endsWith('/') ? path : `${path}/`)
  if (named?.origin !== server.origin || !under(server.pathname).startsWith(under(named.pathname)))
    throw malformedAuthority(egress, `the ${document} is for another server: resource is ${maskUrl(resource)}`)
}

/** The first that has metadata, in the server's order. */
async function findServer(issuers: readonly string[], document: string, reading: Reading): Promise<Sourced<Metadata>> {
  const absent: string[] = []
  for (const issuer of issuers.slice(0, MOST_SERVERS)) {
    const metadata = await findMetadata(issuer, absent, reading)
    if (metadata !== undefined) return metadata
  }
  const places = absent.slice(0, MOST_PLACES).join(', ')
  throw malformedAuthority(
    reading.egress,
    `the authorization server that the ${document} lists has no metadata: ${places}`,
  )
}

/** A server may leave it out (RFC 9728, section 2): then it is its own one, as without that document; nothing is assumed of it. */
async function findOwn({ origin }: URL, document: string, reading: Reading): Promise<Sourced<Metadata>> {
  const absent: string[] = []
  const metadata = await findMetadata(origin, absent, reading)
  if (metadata !== undefined) return metadata
  const places = absent.join(', ')
  throw malformedAuthority(
    reading.egress,
    `the ${document} does not list an authorization server, and the server itself is none: ${places}`,
  )
}

/** With a path of its own, an issuer has three places; without, two (MCP 2026-07-28, authorization server metadata discovery). */
function placesOf(issuer: string, egress: Egress): URL[] {
  const { origin, pathname } = webAddress(issuer, 'its authorization server', egress)
  const path = pathname.replace(/\/$/, '')
  const all = path === '' ? [SERVER, OPENID] : [`${SERVER}${path}`, `${OPENID}${path}`, `${path}${OPENID}`]
  return all.map((at) => new URL(at, origin))
}

/** `absent` collects what was at each place instead. */
async function findMetadata(
  issuer: string,
  absent: string[],
  reading: Reading,
): Promise<Sourced<Metadata> | undefined> {
  const { egress } = reading
  for (const at of placesOf(issuer, egress)) {
    const found = await fetchDocument(at, { ...SERVER_METADATA, ...reading })
    if ('absent' in found) {
      absent.push(`${maskUrl(at.href)} (${found.absent})`)
      continue
    }
    const { value, notes } = found
    // A document about another issuer would give its author that issuer's codes (RFC 8414, section 3.3).
    if (!isSameIssuer(value.issuer, issuer))
      throw malformedAuthority(
        egress,
        `the ${documentAt(SERVER_METADATA.what, at.href)} is for another issuer: ${cleanDescription(value.issuer)} instead of ${cleanDescription(issuer)}`,
      )
    return { value, at, notes }
  }
  return undefined
}

/** Revision 2025-03-26: the origin itself, and three addresses where it says nothing. */
async function discoverOlder(server: URL, reading: Reading): Promise<Authority> {
  const { origin } = server
  const metadata = await findMetadata(origin, [], reading)
  if (metadata !== undefined) return authorityOf(metadata, undefined, reading)
  webAddress(origin, 'its authorization server', reading.egress)
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

/** The issuer is as its metadata spell it: its answers and its identity tokens do, too. */
function authorityOf(
  { value: found, at, notes }: Sourced<Metadata>,
  resource: Resource | undefined,
  { egress, onRead }: Reading,
): Authority {
  const unused: string[] = []
  const document = documentAt(SERVER_METADATA.what, at.href)
  if (found.code_challenge_methods_supported?.includes('S256') !== true)
    throw malformedAuthority(egress, `the ${document} does not declare support for PKCE with S256`)
  const checkedEndpoint = (text: string, what: string) =>
    webAddress(text, `the ${document}: its ${what}`, egress).href && text
  /** What can be done without is left out: the account works, but nobody is registered or nothing is revoked there. */
  const optional = (text: string | undefined, what: string) => {
    if (text === undefined) return undefined
    try {
      return checkedEndpoint(text, what)
    } catch (thrown) {
      const { facts } = Fault.of(thrown)
      unused.push(`${String(facts['problem'])}; it is not used`)
      return undefined
    }
  }
  const registrationEndpoint = optional(found.registration_endpoint, 'registration endpoint')
  const revocationEndpoint = optional(found.revocation_endpoint, 'revocation endpoint')
  const userinfoEndpoint = optional(found.userinfo_endpoint, 'userinfo endpoint')
  const scopes = resource?.scopes_supported
  const authority: Authority = {
    provider: 'mcp',
    issuer: found.issuer,
    authorizationEndpoint: checkedEndpoint(found.authorization_endpoint, 'authorization endpoint'),
    tokenEndpoint: checkedEndpoint(found.token_endpoint, 'token endpoint'),
    ...(registrationEndpoint === undefined ? {} : { registrationEndpoint }),
    ...(revocationEndpoint === undefined ? {} : { revocationEndpoint }),
    ...(userinfoEndpoint === undefined ? {} : { userinfoEndpoint }),
    ...(resource === undefined ? {} : { resource: resource.resource }),
    ...(scopes === undefined ? {} : { scopes }),
    ...(found.scopes_supported === undefined ? {} : { scopesSupported: found.scopes_supported }),
    issInResponse: found.authorization_response_iss_parameter_supported === true,
    clientDocuments: found.client_id_metadata_document_supported === true,
    tokenAuthMethods: found.token_endpoint_auth_methods_supported ?? [],
  }
  onRead?.({ egress, kind: SERVER_METADATA.what, document, repaired: [...notes, ...unused] })
  return authority
}
