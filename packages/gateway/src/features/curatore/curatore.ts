/**
 * The preset `curatore` (ledger S1): one organization, one contract backend, and toolsets that are what policy files say.
 *
 * Each policy file has a connection of its own to the backend, because it says which contracts become tools and how long they are
 * used; an endpoint knows its tools by their own names. Undeclared settings are refused before anything is opened.
 */
import { createHash } from 'node:crypto'
import type { Rule } from '@toolway/contract'
import { ConfigFault, type Config } from '../../config.ts'
import { CONFIRM, type CuratorePolicy } from '../../policy-file.ts'
import type { EndpointPath } from '../../snapshot/ports/endpoint.ts'
import type { RequestContext } from '../../snapshot/ports/request-context.ts'
import type { Principal } from '../../identity/principal.ts'
import type { Declared } from '../declaration/index.ts'
import { backendOf } from '../../kinds/contract/contract.ts'
import { contractWordsOf, CURATORE_ALIASES, SHIPPED_POLICIES } from '../../preset-curatore.ts'

/** One endpoint of the preset, and the file that says what it is. */
export interface Profile {
  /** Slug of its toolset. */
  readonly toolset: string
  /** Alias of its connection. */
  readonly alias: string
  readonly path: string
}

const DEFAULT = 'default'
const ADMIN = 'admin'

/** Throws ConfigFault where the preset cannot be what it is for: above all, without a key it would be open to everybody. */
export function refuseUnready(config: Config): void {
  const needs = (name: 'MCP_API_KEY' | 'DEFAULT_ORG_ID' | 'CURATORE_BACKEND_URL', what: string) => {
    if (config[name] === undefined) throw new ConfigFault(`The curatore preset needs ${name}: ${what}.`)
  }
  needs(
    'MCP_API_KEY',
    'the key that its clients send as "Authorization: Bearer …", with at least 16 characters if possible',
  )
  needs('DEFAULT_ORG_ID', 'the ID of the organization for which every call with that key is made')
  needs('CURATORE_BACKEND_URL', 'the address of the backend, such as http://backend:8000')
  if (config.MCP_ADMIN_API_KEY === config.MCP_API_KEY)
    throw new ConfigFault('MCP_ADMIN_API_KEY is the same as MCP_API_KEY: the toolset admin needs a key of its own.')
  if (config.TOOLWAY_AUTH === 'off')
    throw new ConfigFault('TOOLWAY_AUTH=off cannot be combined with the curatore preset: its clients send MCP_API_KEY.')
}

/** The organization `default` is the preset's own: what a file says of it would be silently nothing. */
export function refuseDeclared(declared: readonly Declared[]): void {
  const own = declared.find(({ slug }) => slug === DEFAULT)
  const declaredParts =
    own === undefined
      ? []
      : [...own.connections, ...own.toolsets, ...own.keys, ...(own.groups ?? []), ...(own.rules ?? [])]
  if (declaredParts.length > 0)
    throw new ConfigFault(
      'TOOLWAY_CONFIG declares the default organization, which the curatore preset creates: declare others under organizations, and rules for all of them under platform.',
    )
}

/**
 * Names the gateways that count their limits together in one Redis: those in front of the same backend for the same organization. No
 * secret is part of it, so that somebody who reads Redis has nothing to guess at.
 */
export const installationOf = ({ DEFAULT_ORG_ID: id, CURATORE_BACKEND_URL: url }: Config): string =>
  createHash('sha256')
    .update(JSON.stringify(['curatore', id, url]))
    .digest('hex')
    .slice(0, 16)

export function profilesOf({
  POLICY_FILE: file,
  ADMIN_POLICY_FILE: adminFile,
  MCP_ADMIN_API_KEY: adminKey,
}: Config): Profile[] {
  const profile = (toolset: typeof DEFAULT | typeof ADMIN, path: string | undefined): Profile => ({
    toolset,
    alias: CURATORE_ALIASES[toolset] ?? toolset,
    path: path ?? SHIPPED_POLICIES[toolset],
  })
  return [profile(DEFAULT, file), ...(adminKey === undefined ? [] : [profile(ADMIN, adminFile)])]
}

export function curatoreOrganization(
  config: Config,
  profiles: readonly (Profile & { readonly policy: CuratorePolicy })[],
): Declared & { readonly id: string } {
  const {
    DEFAULT_ORG_ID: id = '',
    CURATORE_BACKEND_URL: url = '',
    BACKEND_API_KEY: key,
    BACKEND_TIMEOUT: timeout,
  } = config
  return {
    slug: DEFAULT,
    id,
    name: id,
    connections: profiles.map(({ alias, policy }) => ({
      alias,
      title: alias,
      enabled: true,
      revision: 'auto',
      timeout,
      // The operator of this gateway configured the backend, so its address may be private.
      private: true,
      wire: backendOf({
        url,
        headers: key === undefined ? {} : { 'X-API-Key': key },
        words: contractWordsOf(id, policy),
      }),
    })),
    toolsets: profiles.map(({ toolset, alias, policy }) => ({
      slug: toolset,
      title: toolset,
      settings: { connections: [alias], ...policy.selection(alias), rules: [...policy.rules] },
    })),
    keys: [],
    groups: [],
  }
}

/** Only its key reaches the toolset `admin`; tokens of others and MCP_API_KEY reach the default one. */
export const bindToProfile = (principal: Principal): Principal =>
  principal.toolset === undefined ? { ...principal, toolset: DEFAULT } : principal

/** An endpoint is its one connection, so that tools are known by their own names. */
export function placeOfProfile(place: EndpointPath, { toolset }: Principal): EndpointPath {
  const alias = CURATORE_ALIASES[place.toolset ?? toolset ?? DEFAULT]
  return place.connection !== undefined || alias === undefined ? place : { ...place, connection: alias }
}

/** The rule of a policy file; whoever holds the key answers it, as there are no accounts that could tell people apart. */
export const isConfirmation = ({ name, scope }: Pick<Rule, 'name' | 'scope'>): boolean =>
  name === CONFIRM && scope === 'toolset'

/** Whether calls at this endpoint may have to be confirmed. */
export const asksAt = (
  profiles: readonly (Profile & { readonly policy: Pick<CuratorePolicy, 'confirms'> })[],
  { organization, connection }: Pick<RequestContext, 'organization' | 'connection'>,
): boolean => organization === DEFAULT && profiles.some(({ alias, policy }) => alias === connection && policy.confirms)
