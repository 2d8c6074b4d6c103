/** The present state of an organization, as the list and get operations tell it. Values of secrets are not part of it. */
import type { EgressExceptions, LockMode } from '@toolway/contract'
import {
  getEgress,
  getOpenApiDocument,
  getOrganization,
  getProvisioning,
  getToolLock,
  listConnections,
  listGroups,
  listIdentityDomains,
  listIdentityProviders,
  listInstallationIdentityProviders,
  listOrganizationKeys,
  listOrganizationRules,
  listOrganizations,
  listPlatformRules,
  listToolsets,
  listWebhooks,
  type Connection,
  type Group,
  type IdentityDomain,
  type IdentityProvider,
  type Key,
  type KeptRule,
  type Organization,
  type ScimToken,
  type Toolset,
  type Webhook,
} from '@toolway/contract/admin'
import type { z } from 'zod'
import { allOf, type Call } from './call.ts'
import type { KnownSignIn } from './plan-sign-in.ts'

export interface PresentConnection extends Connection {
  /** Whether its server is believed about the effects of its tools. */
  readonly trusted: boolean
  /** Lock mode: which changes of the server's tools are held for review. */
  readonly lock: LockMode
  /** The text of its OpenAPI document, where the document was given and not fetched. */
  readonly document: string | undefined
}

/** What a plan compares a connection with. */
export type KnownConnection = Pick<
  PresentConnection,
  'alias' | 'origin' | 'connector' | 'private' | 'header_names' | 'environment_names' | 'trusted' | 'lock' | 'document'
>

/** What a plan compares the sections of an organization with. */
export interface KnownOrganization {
  readonly organization: Pick<Organization, 'name' | 'description' | 'contact_email' | 'settings'>
  readonly egress: EgressExceptions
}

/** What a plan compares the content of an organization with. */
export interface KnownContent extends KnownSignIn {
  readonly webhooks: readonly Pick<Webhook, 'id' | 'url' | 'private' | 'description' | 'events' | 'enabled'>[]
  readonly connections: readonly KnownConnection[]
  readonly toolsets: readonly Pick<Toolset, 'slug' | 'title' | 'settings' | 'origin'>[]
  readonly groups: readonly (Pick<Group, 'slug' | 'title' | 'awaited' | 'origin'> & {
    readonly members: readonly { readonly email: string }[]
  })[]
  readonly rules: readonly KeptRule[]
}

export type KnownState = KnownOrganization & KnownContent

/** All that an export writes. */
export interface Present {
  readonly organization: Organization
  readonly egress: EgressExceptions
  readonly webhooks: readonly Webhook[]
  readonly connections: readonly PresentConnection[]
  /** Without those that are supplied. */
  readonly toolsets: readonly Toolset[]
  readonly groups: readonly Group[]
  /** Its own rules of every scope; those of toolsets are in their toolsets. */
  readonly rules: readonly KeptRule[]
  /** The organization's own keys, without those of its members. */
  readonly keys: readonly z.output<typeof Key>[]
  readonly identityProviders: readonly IdentityProvider[]
  readonly identityDomains: readonly IdentityDomain[]
  readonly scimTokens: readonly Pick<ScimToken, 'name'>[]
}

const SUPPLIED = 'supplied'
const ENVIRONMENT = 'environment'

export async function readPresent(call: Call, slug: string): Promise<Present> {
  const params = { organization: slug }
  const organization = await call(getOrganization, { params })
  const { networks, hosts } = await call(getEgress, { params })
  const connections = await allOf((query) => call(listConnections, { params, query }))
  const rules = await allOf((query) => call(listOrganizationRules, { params, query }))
  const keys = await allOf((query) => call(listOrganizationKeys, { params, query }))
  return {
    organization,
    egress: { networks, hosts },
    webhooks: (await call(listWebhooks, { params })).items,
    connections: await inOrder(connections, (connection) => readConnection(call, slug, connection)),
    toolsets: (await call(listToolsets, { params })).items.filter(({ origin }) => origin !== SUPPLIED),
    groups: await allOf((query) => call(listGroups, { params, query })),
    rules: rules.filter(({ scope }) => scope !== 'platform' && scope !== 'toolset'),
    keys: keys.filter(({ user_id: user }) => user === null),
    identityProviders: (await call(listIdentityProviders, { params })).items,
    identityDomains: (await call(listIdentityDomains, { params })).items,
    scimTokens: (await call(getProvisioning, { params })).tokens,
  }
}

async function readConnection(call: Call, slug: string, connection: Connection): Promise<PresentConnection> {
  const params = { organization: slug, connection: connection.alias }
  const { trusted, mode: lock } = await call(getToolLock, { params })
  const isGiven = connection.openapi !== null && connection.openapi.document === null
  const document = isGiven ? (await call(getOpenApiDocument, { params })).document : undefined
  return { ...connection, trusted, lock, document }
}

/** One after another: the gateway limits how much one caller asks at a time. */
async function inOrder<From, To>(rows: readonly From[], work: (row: From) => Promise<To>): Promise<To[]> {
  const done: To[] = []
  for (const row of rows) done.push(await work(row))
  return done
}

export const readOrganizations = (call: Call): Promise<Organization[]> =>
  allOf((query) => call(listOrganizations, { query }))

export const readPlatformRules = (call: Call): Promise<KeptRule[]> =>
  allOf((query) => call(listPlatformRules, { query }))

/** Without the provider that environment variables set. */
export const readPlatformProviders = async (call: Call): Promise<IdentityProvider[]> =>
  (await call(listInstallationIdentityProviders, {})).items.filter(({ origin }) => origin !== ENVIRONMENT)
