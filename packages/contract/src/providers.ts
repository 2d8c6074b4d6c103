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
  return PROVIDERS.find((one) => one.key === key)
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
  /** Where it runs in place of the vendor's, for those that can (`gitlab_url`): scheme, host, and a path where it lies under one. */
  readonly base?: string | undefined
  /** Microsoft: a directory's id or domain; `common`, where nothing is said, `organizations` or `consumers`. */
  readonly tenant?: string | undefined
}

/** The place cannot be; the message says why, in words for whoever gave it. */
export class PlaceProblem extends Error {}

const TENANT = /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/i

/** Its authorization server. Throws `PlaceProblem` for a place that cannot be, and where no vendor has that name. */
export function authorityOf(name: string, place: ProviderPlace = {}): Authority {
  const found = findProvider(name)
  if (found === undefined) throw new PlaceProblem(`there is no provider ${name}`)
  const { base, tenant } = place
  if (tenant !== undefined && found.tenant === undefined) throw new PlaceProblem(`${found.title} has no tenants`)
  if (tenant !== undefined && !TENANT.test(tenant))
    throw new PlaceProblem('a tenant is the ID or a domain of a directory')
  const at = (address: string): string =>
    moved(address, found, base).replaceAll('{tenant}', tenant ?? found.tenant ?? '')
  return Authority.parse({
    provider: found.key,
    issuer: at(found.issuer),
    authorizationEndpoint: at(found.authorizationEndpoint),
    tokenEndpoint: at(found.tokenEndpoint),
    ...(found.revocationEndpoint === undefined ? {} : { revocationEndpoint: at(found.revocationEndpoint) }),
    scopes: found.scopes,
    issInResponse: found.iss,
    tokenAuthMethods: [found.clientAuth],
  })
}

/** Whether it is the vendor's own: a client that was registered there is not shown to anybody else's server. */
export function isAtVendor({ provider, authorizationEndpoint, tokenEndpoint }: Authority): boolean {
  const found = findProvider(provider)
  if (found === undefined) return false
  const alike = (address: string, known: string) => new URL(address).origin === new URL(known).origin
  return alike(tokenEndpoint, found.tokenEndpoint) && alike(authorizationEndpoint, found.authorizationEndpoint)
}

function moved(address: string, { issuer, selfHosted, title }: Provider, base: string | undefined): string {
  if (base === undefined) return address
  if (!selfHosted) throw new PlaceProblem(`${title} runs only at its vendor's address`)
  return baseOf(base) + address.slice(issuer.length)
}

function baseOf(base: string): string {
  const url = URL.parse(base)
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.search !== '' || url.hash !== '')
    throw new PlaceProblem('the address of a self-hosted server looks like https://gitlab.example.com')
  return url.origin + url.pathname.replace(/\/+$/, '')
}
