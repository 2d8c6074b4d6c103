/** The operations on identity providers, of one organization and of the installation. Secrets go in and never come out. */
import { Fault, Slug, type Role } from '@toolway/contract'
import * as shapes from '@toolway/contract/admin'
import type { OrgSql, SystemSql } from '../../db/db.ts'
import { firstExpiryOf } from '../../identity/federated/saml-metadata.ts'
import { namesPrivate } from '../../kinds/remote.ts'
import { refuseDeclared, type Origin } from '../../lib/origin.ts'
import { eachOf } from '../../lib/unreadable-rows.ts'
import { operationServers, type OperationBase, type Served } from '../../operations/serve.ts'
import type { Change } from '../../records/change.ts'
import { INSTALLATION } from '../../snapshot/installation.ts'
import { identityProviderSealContext } from '../../vault/sealed-columns.ts'
import {
  findProvider,
  listProviders,
  newProviderId,
  putProvider,
  removeLinks,
  removeProvider,
  settingsOf,
  type ProviderRow,
} from './identity-providers.rows.ts'
import type { EnvironmentProvider } from './environment-provider.ts'
import { logoutUriOf, redirectUriOf, serviceProviderOf, signInUrlOf, startPathOf } from './provider-addresses.ts'
import { checkSettings, hasSameSource } from './provider-settings.ts'
import { sealTrial } from './trials.ts'

/** The parts that these operations work with. */
export interface IdentityProviderParts extends OperationBase {
  readonly publicUrl: () => string
  readonly environmentProvider: EnvironmentProvider | undefined
}

const MOST = 50
const RESOURCE = 'identity provider'
/** The slug of the provider that environment variables set. */
export const ENVIRONMENT = 'environment'

/** A request about the providers of one owner: an organization, or the installation. */
interface ProviderRequest {
  readonly parts: IdentityProviderParts
  readonly role: Role
  readonly owner: string
  /** The name of the owner in addresses. */
  readonly ownerSlug: string
  readonly params: Readonly<Record<string, string>>
  readonly origin: Origin
  read<T>(work: (sql: OrgSql | SystemSql) => Promise<T>): Promise<T>
  change<T>(say: (result: T) => Change, work: (sql: OrgSql | SystemSql) => Promise<T>): Promise<T>
}

const iso = (at: Date | null): string | null => at?.toISOString() ?? null

function toProvider(
  { parts, ownerSlug }: Pick<ProviderRequest, 'parts' | 'ownerSlug'>,
  row: ProviderRow,
): shapes.IdentityProvider {
  const settings = settingsOf(row)
  const redirectUri = redirectUriOf(parts.publicUrl(), row.id)
  const expiry = settings.kind === 'saml' ? firstExpiryOf(settings.certificates) : undefined
  return {
    ...{ slug: row.slug, title: row.title, settings, enabled: row.enabled, private: row.private },
    ...{ has_secret: row.sealed_secret !== null, origin: row.origin },
    redirect_uri: redirectUri,
    logout_uri: settings.kind === 'oidc' ? logoutUriOf(parts.publicUrl(), row.id) : null,
    sign_in_url: signInUrlOf(parts.publicUrl(), ownerSlug),
    service_provider: settings.kind === 'saml' ? serviceProviderOf(redirectUri) : null,
    certificate_expires_at: iso(expiry ?? null),
    ...{ signed_in_at: iso(row.signed_in_at), last_problem: row.last_problem, failed_at: iso(row.failed_at) },
  }
}

function toEnvironment(parts: IdentityProviderParts): shapes.IdentityProvider[] {
  const own = parts.environmentProvider
  if (own === undefined) return []
  return [
    {
      slug: ENVIRONMENT,
      title: own.title,
      settings: shapes.OidcSettings.parse({
        ...{ kind: 'oidc', issuer: own.issuer, client_id: own.clientId ?? '-', newcomers: own.newcomers },
      }),
      ...{ enabled: true, private: true, has_secret: own.hasSecret, origin: ENVIRONMENT },
      redirect_uri: `${parts.publicUrl()}/sign-in/oidc/callback`,
      logout_uri: null,
      sign_in_url: signInUrlOf(parts.publicUrl(), INSTALLATION),
      ...{ service_provider: null, certificate_expires_at: null },
      ...{ signed_in_at: null, last_problem: null, failed_at: null },
    },
  ]
}

async function list({ parts, read, owner, ownerSlug }: ProviderRequest) {
  const rows = eachOf(await read((sql) => listProviders(sql, owner)), (row) => toProvider({ parts, ownerSlug }, row))
  return { items: owner === INSTALLATION ? [...toEnvironment(parts), ...rows] : rows }
}

/** Throws `thing.unknown`. */
async function find(sql: OrgSql | SystemSql, { owner, params }: ProviderRequest): Promise<ProviderRow> {
  const row = await findProvider(sql, owner, params['provider'] ?? '')
  if (row === undefined) throw new Fault('thing.unknown', { thing: RESOURCE })
  return row
}

/**
 * Only a platform administrator lets a provider lie in a private network, and only there is plain http allowed. The gateway itself asks
 * nothing of a SAML provider, so that one may lie wherever browsers find it.
 */
function reachOf(
  role: Role,
  settings: shapes.ProviderSettings,
  { requested, before }: { readonly requested: boolean | undefined; readonly before: boolean },
) {
  const address = settings.kind === 'oidc' ? settings.issuer : settings.sso_url
  const isSafe = address.startsWith('https:')
  const named = namesPrivate(address)
  const reach = requested ?? before
  if (reach && !before && role !== 'platform_admin') throw new Fault('private.forbidden')
  if (named && !reach && (settings.kind === 'oidc' || !isSafe)) throw new Fault('private.forbidden')
  if (!isSafe && !(named && reach)) throw new Fault('url.malformed', { problem: 'does not start with https://' })
  return reach
}

/** Mappings of an organization's provider name no organization, those of the installation's all do. Throws `body.shape`. */
function refuseMappings(owner: string, { mappings }: shapes.ProviderSettings): void {
  const wanted = owner === INSTALLATION
  const at = mappings.findIndex(({ organization }) => (organization !== undefined) !== wanted)
  if (at < 0) return
  const problem = wanted
    ? 'is required: this provider is for every organization'
    : 'cannot be set: the provider is of one organization'
  throw new Fault('body.shape', { place: `/settings/mappings/${at}/organization`, problem })
}

/** The secret was meant for one client at one issuer, and goes to no other. */
function secretOf(
  { parts }: ProviderRequest,
  own: ProviderRow | undefined,
  id: ProviderRow['id'],
  { settings, secret }: { readonly settings: shapes.ProviderSettings; readonly secret: string | undefined },
): Buffer | null {
  if (settings.kind !== 'oidc') {
    if (secret === undefined) return null
    throw new Fault('body.shape', { place: '/client_secret', problem: 'cannot be set: a SAML provider has none' })
  }
  if (secret !== undefined) return parts.vault.seal(secret, identityProviderSealContext(id))
  if (own === undefined) return null
  const before = settingsOf(own)
  const isSameClient = before.kind === 'oidc' && before.client_id === settings.client_id
  return isSameClient && hasSameSource(before, settings) ? own.sealed_secret : null
}

async function put(request: ProviderRequest, body: shapes.IdentityProviderInput): Promise<shapes.IdentityProvider> {
  const { owner, role, origin, params } = request
  const slug = Slug.safeParse(params['provider'])
  if (!slug.success || slug.data === ENVIRONMENT)
    throw new Fault('body.shape', { place: '/provider', problem: 'is not a valid name of a provider' })
  const settings = checkSettings(body.settings)
  refuseMappings(owner, settings)
  const row = await request.change(
    (put: ProviderRow) => ({
      ...{ action: 'identity-provider.put', resource: RESOURCE, id: put.slug },
      detail: { enabled: put.enabled, ...settings, secret_changed: body.client_secret !== undefined },
    }),
    async (sql) => {
      const own = await findProvider(sql, owner, slug.data)
      if (own !== undefined) refuseDeclared({ thing: RESOURCE, name: slug.data, origin: own.origin }, origin)
      else if ((await listProviders(sql, owner)).length >= MOST)
        throw new Fault('body.shape', { place: '/provider', problem: `cannot be added: there are ${MOST} already` })
      const id = own?.id ?? newProviderId()
      const { title, enabled } = body
      // Another issuer may be somewhere else: the leave of the one before does not count for it.
      const isSame = own !== undefined && hasSameSource(settingsOf(own), settings)
      if (own !== undefined && !isSame) await removeLinks(sql, own)
      const before = isSame && own.private
      await putProvider(sql, {
        ...{ organization_id: owner, id, slug: slug.data, title, settings, enabled, origin },
        private: reachOf(role, settings, { requested: body.private, before }),
        sealed_secret: secretOf(request, own, id, { settings, secret: body.client_secret }),
      })
      return find(sql, request)
    },
  )
  return toProvider(request, row)
}

async function remove(request: ProviderRequest) {
  await request.change(
    (slug: string) => ({ action: 'identity-provider.remove', resource: RESOURCE, id: slug }),
    async (sql) => {
      const row = await find(sql, request)
      refuseDeclared({ thing: RESOURCE, name: row.slug, origin: row.origin }, request.origin)
      await removeProvider(sql, request.owner, row.slug)
      return row.slug
    },
  )
  return undefined
}

async function prepareTrial(request: ProviderRequest) {
  const { parts } = request
  const row = await request.change(
    ({ slug }: ProviderRow) => ({ action: 'identity-provider.try', resource: RESOURCE, id: slug }),
    (sql) => find(sql, request),
  )
  return { url: `${parts.publicUrl()}${startPathOf(row.id)}?trial=${sealTrial(parts.vault, row.id)}` }
}

const { serveOrganization, servePlatform } = operationServers<IdentityProviderParts>()

const ofOrganization = <Request extends { readonly organization: { readonly id: string; readonly slug: string } }>(
  request: Request,
) => ({ ...request, owner: request.organization.id, ownerSlug: request.organization.slug })
const ofInstallation = <Request>(request: Request) => ({
  ...request,
  owner: INSTALLATION,
  ownerSlug: INSTALLATION,
})

export const identityProviderOperations: readonly Served<IdentityProviderParts>[] = [
  serveOrganization(shapes.listIdentityProviders, (request) => list(ofOrganization(request))),
  serveOrganization(shapes.putIdentityProvider, (request) => put(ofOrganization(request), request.body)),
  serveOrganization(shapes.tryIdentityProvider, (request) => prepareTrial(ofOrganization(request))),
  serveOrganization(shapes.removeIdentityProvider, (request) => remove(ofOrganization(request))),
  servePlatform(shapes.listInstallationIdentityProviders, (request) => list(ofInstallation(request))),
  servePlatform(shapes.putInstallationIdentityProvider, (request) => put(ofInstallation(request), request.body)),
  servePlatform(shapes.tryInstallationIdentityProvider, (request) => prepareTrial(ofInstallation(request))),
  servePlatform(shapes.removeInstallationIdentityProvider, (request) => remove(ofInstallation(request))),
]
