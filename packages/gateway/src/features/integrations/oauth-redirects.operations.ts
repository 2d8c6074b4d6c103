/** The operations that send a person to connect an account: whose it is to be, and where the browser goes. */
import { authOf, Fault, kindOf, permits, type ConnectionSettings, type UserId } from '@toolway/contract'
import * as shapes from '@toolway/contract/admin'
import { unlessConnected } from '../../oauth/outgoing/flows/unless-connected.ts'
import { findConnectionOf } from '../../operations/find-connection.ts'
import { serveOrganization, type OrganizationRequest, type Served } from './serve.operations.ts'
import { roleForbidden } from '../../lib/role-forbidden.ts'

type RedirectRequest = OrganizationRequest<typeof shapes.getOAuthUrl>

/** The page of the console on which a way ends, in the organization in which it began. */
const pageIn = ({ organization }: RedirectRequest) =>
  `/settings/integrations?org=${encodeURIComponent(organization.slug)}`

const mismatch = (pointer: string, problem: string) => new Fault('body.shape', { place: pointer, problem })

/** Undefined: the organization's. Throws `role.forbidden` and `body.shape`. */
function ownerOf({ role, principal, query }: RedirectRequest, owners: readonly string[]): UserId | undefined {
  const administers = permits(role, 'connector_update')
  const owner = query.owner ?? (administers && owners.includes('organization') ? 'organization' : 'member')
  if (!owners.includes(owner))
    throw mismatch('/query/owner', `cannot be ${owner} here: the connection does not accept such accounts`)
  if (owner === 'organization') {
    if (!administers) throw roleForbidden(role, 'connector_update')
    return undefined
  }
  if (principal.userId === undefined) throw mismatch('/query/owner', 'cannot be member for a key without a user')
  return principal.userId
}

/** Throws `body.shape` where no account is connected by OAuth. */
function ownersBySignIn(settings: ConnectionSettings): readonly string[] {
  const auth = authOf(settings)
  if (auth === undefined || auth.kind === 'none' || auth.kind === 'key')
    throw mismatch('/connection', 'does not use OAuth at its server')
  return auth.owners
}

async function depart(request: RedirectRequest, page?: string) {
  const { parts, organization, params, principal, actor, query, head } = request
  if (principal.limit === 'read') throw new Fault('key.limit', { limit: 'reading' })
  const { id, settings } = findConnectionOf(parts, organization.id, params['connection'] ?? '')
  const brokered = kindOf(settings.connector).brokersAccounts === true
  const connectRequest = {
    organizationId: organization.id,
    connectionId: id,
    userId: ownerOf(request, brokered ? ['member'] : ownersBySignIn(settings)),
    account: query.account,
    replaces: query.replaces,
    scopes: [],
  }
  const ending = { callback: shapes.finishOAuth.path, ...(page === undefined ? {} : { page }) }
  // The callback is recognized by a cookie. A client without cookies gets a link; the browser that opens the link begins the
  // flow. A page of ours leads on to the server that keeps the accounts of users, and asks before an account is replaced.
  const begun =
    brokered || !isBrowser(request)
      ? undefined
      : await unlessConnected(parts.connect.flows.begin({ connectRequest, principal, actor, ending }))
  if (begun === undefined) {
    const { url, expiresAt } = parts.connect.links.make({ connectRequest, ending })
    return { url, expires_in: secondsUntil(expiresAt) }
  }
  const { url, cookie, expiresAt } = begun
  head.append('set-cookie', cookie)
  return { url: url.href, expires_in: secondsUntil(expiresAt) }
}

/** Signed in by cookies, or a script of a page of ours, which no program says it is by mistake (Fetch Metadata). */
const isBrowser = ({ principal, header }: RedirectRequest): boolean =>
  principal.client === 'browser' || header('sec-fetch-site') === 'same-origin'
const secondsUntil = (at: Date): number => Math.max(0, Math.round((at.getTime() - Date.now()) / 1000))

export const oauthRedirectOperations: readonly Served[] = [
  serveOrganization(shapes.getOAuthUrl, (request) => depart(request)),
  serveOrganization(shapes.connectIntegration, (request) => depart(request)),
  serveOrganization(shapes.departForAccount, (request) => depart(request, pageIn(request))),
]
