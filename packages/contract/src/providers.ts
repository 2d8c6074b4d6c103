/**
 * The vendors whose OAuth is known, and the properties of their authorization servers (connectors.md, 2.1).
 *
 * Vendors are rows of data: a difference of one is a field of its row (`providers/provider.ts`), never an `if` elsewhere.
 */
import { Authority } from './authority.ts'
import { BITBUCKET, GITHUB, GITLAB } from './providers/code.ts'
import { GMAIL, GOOGLE_CALENDAR, GOOGLE_DOCS, GOOGLE_SHEETS, GOOGLE_SLIDES } from './providers/google.ts'
import { EXCEL, MICROSOFT, MICROSOFT_TEAMS, OUTLOOK, POWERPOINT } from './providers/microsoft.ts'
import type { Provider } from './providers/provider.ts'
import { DISCORD, SLACK, ZOOM } from './providers/talk.ts'
import { TENANT } from './tenant.ts'
import { CONFLUENCE, JIRA, LINEAR, NOTION } from './providers/work.ts'

export type { ClaimPath, Provider, Revocation } from './providers/provider.ts'

export const PROVIDERS: readonly Provider[] = [
  GITHUB,
  GITLAB,
  BITBUCKET,
  JIRA,
  CONFLUENCE,
  LINEAR,
  SLACK,
  DISCORD,
  GOOGLE_DOCS,
  GOOGLE_SHEETS,
  GMAIL,
  GOOGLE_SLIDES,
  GOOGLE_CALENDAR,
  MICROSOFT,
  MICROSOFT_TEAMS,
  OUTLOOK,
  EXCEL,
  POWERPOINT,
  NOTION,
  ZOOM,
]

/** Other names of them: the source system looks up Copilot's under a name that has no row, so that it never connects. */
const ALIASES: Readonly<Record<string, string>> = { copilot: 'github' }

/** Undefined where no vendor has that name; `mcp` is none. */
export function findProvider(name: string): Provider | undefined {
  const key = ALIASES[name] ?? name
  return PROVIDERS.find((provider) => provider.key === key)
}

/**
 * Under which names an organization may have an OAuth app for it, the closest first: its own key, then that of the client it shares
 * (`confluence` → `jira`, `gmail` → `google`). After them comes the global app of the family.
 */
export function appNamesOf(name: string): readonly string[] {
  const found = findProvider(name)
  return found === undefined ? [name] : [...new Set([found.key, found.family])]
}

export interface ProviderPlace {
  /** Where it runs in place of the vendor's, for those that can: scheme, host, and a path where it lies under one. */
  readonly base?: string | undefined
  /** Microsoft: a directory's id or domain; `common`, where nothing is said, `organizations` or `consumers`. */
  readonly tenant?: string | undefined
}

/** The place cannot be; the message says why and what mends it, as the rest of a sentence that begins with the address. */
export class PlaceProblem extends Error {}

/** Its authorization server. Throws `PlaceProblem` for a place that cannot be, and where no vendor has that name. */
export function authorityOf(name: string, { base, tenant }: ProviderPlace = {}): Authority {
  const found = findProvider(name)
  if (found === undefined) throw new PlaceProblem(`there is no provider ${name}`)
  if (tenant !== undefined && found.tenant === undefined)
    throw new PlaceProblem(`cannot be combined with a tenant: ${found.title} has none`)
  if (tenant !== undefined && !TENANT.test(tenant))
    throw new PlaceProblem('a tenant is the ID or a domain of a directory')
  const withTenant = (address: string): string => address.replaceAll('{tenant}', tenant ?? found.tenant ?? '')
  return Authority.parse({
    provider: found.key,
    ...(base === undefined ? atVendor(found, withTenant) : atOwnServer(found, baseOf(base))),
    issInResponse: found.iss,
  })
}

const atVendor = (found: Provider, at: (address: string) => string): Partial<Authority> => ({
  issuer: at(found.issuer),
  authorizationEndpoint: at(found.authorizationEndpoint),
  tokenEndpoint: at(found.tokenEndpoint),
  ...(found.revocationEndpoint === undefined ? {} : { revocationEndpoint: at(found.revocationEndpoint) }),
  scopes: [...found.scopes],
  tokenAuthMethods: [found.clientAuth],
})

function atOwnServer(found: Provider, base: string): Partial<Authority> {
  const own = found.selfHosted
  if (own === undefined) throw new PlaceProblem(`${found.title} runs only at its vendor's address`)
  return {
    issuer: base + own.issuer,
    authorizationEndpoint: base + own.authorize,
    tokenEndpoint: base + own.token,
    ...(own.revoke === undefined ? {} : { revocationEndpoint: base + own.revoke }),
    scopes: [...(own.differs?.scopes ?? found.scopes)],
    tokenAuthMethods: [own.differs?.clientAuth ?? found.clientAuth],
  }
}

/**
 * The place of a vendor's authorization server for a connection at an address: the vendor's own where the address is one of its hosts,
 * else the very server at that address, where the product can be run by others. A token is never had at one and sent to the other.
 * Throws `PlaceProblem` where neither is so.
 */
export function placeAt(name: string, address: string, tenant?: string): ProviderPlace {
  const found = findProvider(name)
  const url = URL.parse(address)
  if (found === undefined) throw new PlaceProblem(`there is no provider ${name}`)
  if (url === null) throw new PlaceProblem('is not an address')
  if (isHostOf(found, url.hostname)) {
    if (url.protocol !== 'https:' || url.port !== '')
      throw new PlaceProblem(`is no address for accounts at ${found.title}: use https://${url.hostname} without a port`)
    return { tenant }
  }
  if (found.selfHosted === undefined)
    throw new PlaceProblem(
      `is no address for accounts at ${found.title}, whose tokens are only sent to ${found.hosts.join(', ')}: use one of these, or set the authentication to a key, or to OAuth without a provider`,
    )
  if (tenant !== undefined) throw new PlaceProblem(`cannot be combined with a tenant: ${found.title} has none`)
  return { base: url.origin + pathBefore(url.pathname, found.selfHosted.api) }
}

/** The authorization server for a connection at an address. Throws `PlaceProblem`. */
export const authorityAt = (name: string, address: string, tenant?: string): Authority =>
  authorityOf(name, placeAt(name, address, tenant))

/** A host is compared as the URL parser writes it: in lower case, punycode, and without a dot at its end. */
function isHostOf({ hosts }: Provider, hostname: string): boolean {
  const host = hostname.replace(/\.$/, '')
  return hosts.some((known) => (known.startsWith('*.') ? host.endsWith(known.slice(1)) : host === known))
}

/** The path that stands before the first of these paths in it, without a slash at its end. */
function pathBefore(pathname: string, paths: readonly string[]): string {
  const at = paths
    .map((path) => `${pathname}/`.indexOf(`${path}/`))
    .filter((found) => found !== -1)
    .reduce((first, found) => Math.min(first, found), pathname.length)
  return pathname.slice(0, at).replace(/\/+$/, '')
}

/** Whether it is the vendor's own: a client that was registered there is not shown to anybody else's server. */
export function isAtVendor({ provider, authorizationEndpoint, tokenEndpoint }: Endpoints): boolean {
  const found = findProvider(provider)
  if (found === undefined) return false
  const alike = (address: string, known: string) => new URL(address).origin === new URL(known).origin
  return alike(tokenEndpoint, found.tokenEndpoint) && alike(authorizationEndpoint, found.authorizationEndpoint)
}

type Endpoints = Pick<Authority, 'provider' | 'authorizationEndpoint' | 'tokenEndpoint'>

/** A vendor's row as it holds at an authorization server; undefined for `mcp`. */
export function providerAt(authority: Endpoints): Provider | undefined {
  const found = findProvider(authority.provider)
  return found === undefined || isAtVendor(authority) ? found : { ...found, ...found.selfHosted?.differs }
}

function baseOf(base: string): string {
  const url = URL.parse(base)
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.search !== '' || url.hash !== '')
    throw new PlaceProblem('the address of a self-hosted server looks like https://gitlab.example.com')
  return url.origin + url.pathname.replace(/\/+$/, '')
}
