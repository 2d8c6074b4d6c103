/** The operations that begin to connect an account, and say how it ended. They make links; who opens one has to be whom it is for. */
import { appNamesOf, findProvider, Fault, type ConnectionId, type UserId } from '@toolway/contract'
import * as shapes from '@toolway/contract/admin'
import type { z } from 'zod'
import type { Snapshot } from '../../snapshot/snapshot.ts'
import { listOAuthApps } from '../../credentials/oauth-apps.ts'
import type { Principal } from '../../identity/principal.ts'
import { isLoopback } from '../../oauth/client-shape.ts'
import type { Ending } from '../../oauth/outgoing/flows/connect-links.ts'
import { unlessConnected } from '../../oauth/outgoing/flows/unless-connected.ts'
import type { ConnectRequest, Target } from '../../oauth/outgoing/flows/target.ts'
import { findEndedWay } from '../../records/connect-records.ts'
import { findConnectionOf } from '../../operations/find-connection.ts'
import { serveAnyone, serveOrganization, serveSignedIn, type AccountParts, type Served } from './serve.operations.ts'
import { isSessionOf, makeSession } from './connect-session.ts'
import { roleForbidden } from '../../lib/role-forbidden.ts'

type Owner = 'member' | 'organization'

/** A member's own unless they say otherwise; who is nobody's member connects for everybody. */
const ownerOf = (
  { userId }: Principal,
  snapshot: Snapshot | undefined,
  input: Owner | undefined,
): UserId | undefined => {
  const own = userId !== undefined && snapshot?.members.has(userId) === true ? userId : undefined
  if (input === 'member' && own === undefined)
    throw new Fault('body.shape', { place: '/owner', problem: 'must be organization: you are not a member there' })
  return input === 'organization' ? undefined : own
}

/** Throws `role.forbidden` where it would be everybody's and the caller does not administer connections, and `flow.unfit`. */
export function openTarget(
  { connect }: Pick<AccountParts, 'connect'>,
  principal: Principal,
  connectRequest: ConnectRequest,
): Target {
  const target = connect.targets.open(connectRequest)
  if (connect.targets.may(principal, target) !== 'yes') throw roleForbidden(principal.role, 'connector_update')
  return target
}

type OAuthRedirect = z.output<(typeof shapes.beginProviderAuth)['query']>

interface Setting {
  readonly parts: AccountParts
  readonly principal: Principal
  readonly snapshot: Snapshot
  readonly provider: string
  readonly said: OAuthRedirect
}

/** Returns the connect request and how its flow ends. Throws as `openTarget` does. */
function connectRequestOf({ parts, principal, snapshot, provider, said }: Setting): {
  connectRequest: ConnectRequest
  ending: Ending
} {
  const { id: organizationId, slug } = snapshot.organization
  const known = findProvider(provider)
  if (known === undefined) throw new Fault('thing.unknown', { thing: 'provider' })
  const wish = {
    organizationId,
    userId: ownerOf(principal, snapshot, said.owner),
    account: said.account,
    replaces: said.replaces,
    scopes: [],
  }
  const connectionId: ConnectionId | undefined =
    said.connection === undefined ? undefined : findConnectionOf(parts, organizationId, said.connection).id
  const connectRequest: ConnectRequest =
    connectionId === undefined ? { ...wish, provider: known.key } : { ...wish, connectionId }
  const target = openTarget(parts, principal, connectRequest)
  if (connectionId !== undefined && target.vendor?.authority.provider !== known.key)
    throw new Fault('flow.unfit', { connection: target.egress.alias, problem: `it does not use ${known.title}` })
  return {
    connectRequest,
    ending: {
      page: '/oauth/success',
      callback: `/api/v1/oauth/${slug}/callback/${provider}`,
      returnTo: returnTo(said),
      session: makeSession(parts.vault, principal.id, Date.now()),
    },
  }
}

/** A program of the same machine, judged by the address as it is read and not as it is written (RFC 8252, section 7.3). */
function returnTo({ custom_redirect_uri: input, custom_state: state }: OAuthRedirect): string | undefined {
  if (input === undefined) return undefined
  const url = URL.parse(input)
  if (url === null || !isLoopback(url) || url.username !== '' || url.password !== '' || url.hash !== '')
    throw new Fault('body.shape', {
      place: '/custom_redirect_uri',
      problem: 'must be an address of this machine, such as http://127.0.0.1:8765/done',
    })
  if (state !== undefined) url.searchParams.set('state', state)
  return url.href
}

/** A link; the address of the authorization server itself, with the cookie of its flow, only for a browser that asks by itself. */
function linkAnswer(
  parts: AccountParts,
  { connectRequest, ending }: { connectRequest: ConnectRequest; ending: Ending },
) {
  const { url, expiresAt } = parts.connect.links.make({ connectRequest, ending })
  return { authorization_url: url, session_id: ending.session ?? '', expires_at: expiresAt.toISOString() }
}

const knownSnapshot = ({ snapshots }: AccountParts, name: string): Snapshot | undefined =>
  snapshots.find({ slug: name }) ?? snapshots.find({ id: name })

/** Where the caller is at home: where it is bound to, what it says, else the only organization that it belongs to. */
function homeOf(parts: AccountParts, { organizationId, userId }: Principal, input: string | undefined): Snapshot {
  const isHome = ({ organization, members }: Snapshot) =>
    organization.active &&
    (organizationId === undefined || organizationId === organization.id) &&
    (userId === undefined || members.has(userId))
  const snapshot = input === undefined ? undefined : knownSnapshot(parts, input)
  const homes =
    input === undefined ? parts.snapshots.all().filter(isHome) : [snapshot].filter((item) => item !== undefined)
  const [home, other] = homes.filter(isHome)
  if (home === undefined) throw new Fault('place.unknown')
  if (other !== undefined)
    throw new Fault('body.shape', { place: '/organization', problem: 'is required: you belong to several' })
  return home
}

const WORDS = { success: 'success', error: 'error' } as const

export const connectOperations: readonly Served[] = [
  serveOrganization(shapes.linkConnection, ({ parts, organization, principal, params, body = {} }) => {
    const connection = findConnectionOf(parts, organization.id, params['connection'] ?? '')
    const userId = ownerOf(principal, parts.snapshots.find({ id: organization.id }), body.owner)
    const { account, replaces, scopes = [] } = body
    const wish = { organizationId: organization.id, connectionId: connection.id, userId }
    const connectRequest = { ...wish, account, replaces, scopes }
    openTarget(parts, principal, connectRequest)
    const session = makeSession(parts.vault, principal.id, Date.now())
    const { url, expiresAt } = parts.connect.links.make({ connectRequest, ending: { session } })
    return {
      url,
      session_id: session,
      expires_at: expiresAt.toISOString(),
      owner: userId === undefined ? ('organization' as const) : ('member' as const),
    }
  }),

  serveOrganization(shapes.beginProviderAuth, ({ parts, organization, principal, params, query, header }) => {
    const snapshot = parts.snapshots.find({ id: organization.id })
    if (snapshot === undefined) throw new Fault('place.unknown')
    const begun = linkAnswer(
      parts,
      connectRequestOf({ parts, principal, snapshot, provider: params['provider'] ?? '', said: query }),
    )
    if (header('accept')?.includes('text/html') !== true) return begun
    return new Response(null, { status: 303, headers: { location: begun.authorization_url } })
  }),

  serveSignedIn(shapes.beginOwnProviderAuth, async ({ parts, actor, principal, params, body = {}, head }) => {
    const { organization, ...redirect } = body
    const snapshot = homeOf(parts, principal, organization)
    const setting = connectRequestOf({ parts, principal, snapshot, provider: params['provider'] ?? '', said: redirect })
    if (principal.client !== 'browser') return linkAnswer(parts, setting)
    const begun = await unlessConnected(parts.connect.flows.begin({ ...setting, principal, actor }))
    if (begun === undefined) return linkAnswer(parts, setting)
    const { url, cookie, expiresAt } = begun
    head.append('set-cookie', cookie)
    return {
      authorization_url: url.href,
      session_id: setting.ending.session ?? '',
      expires_at: expiresAt.toISOString(),
    }
  }),

  serveAnyone(shapes.listProviders, async ({ parts, header }) => {
    const principal = await parts.connect.whoAsks(header('authorization'), header('cookie'))
    const configured = principal === undefined ? undefined : await configuredFor(parts, principal)
    return {
      items: parts.connect.providers.map(({ key, title, scopes, registration }) => ({
        id: key,
        name: title,
        scopes: [...scopes],
        documentation: registration,
        configured:
          configured === undefined
            ? null
            : parts.connect.hasGlobal(key) || appNamesOf(key).some((name) => configured.has(name)),
      })),
    }
  }),

  serveSignedIn(shapes.readConnectSession, async ({ parts, principal, params }) => {
    const { session = '' } = params
    if (!isSessionOf(parts.vault, principal.id, session, Date.now()))
      throw new Fault('thing.unknown', { thing: 'session' })
    const ended = await parts.db.system(async (sql) => {
      const found = await findEndedWay(sql, session)
      if (found === undefined) return undefined
      const until = new Date(Date.now() + 60 * 60_000)
      if (!(await parts.connect.spend(sql, parts.vault.hash(`connect session ${session}`), until)))
        throw new Fault('thing.unknown', { thing: 'session' })
      return found
    })
    if (ended === undefined)
      return { status: 'pending' as const, provider: null, connection: null, error: null, reason: null }
    const fact = (name: string) => (typeof ended.detail?.[name] === 'string' ? ended.detail[name] : null)
    const status = ended.outcome === 'ok' ? WORDS.success : WORDS.error
    return {
      ...{ status, provider: fact('provider'), connection: fact('connection') },
      ...{ error: fact('problem'), reason: fact('reason') },
    }
  }),
]

/** The names of the providers for which an organization of the caller's has a client. */
async function configuredFor(parts: AccountParts, principal: Principal): Promise<ReadonlySet<string>> {
  const { organizationId, userId } = principal
  const homes = parts.snapshots
    .all()
    .filter(
      ({ organization, members }) =>
        (organizationId ?? organization.id) === organization.id && (userId === undefined || members.has(userId)),
    )
  const apps = await Promise.all(
    homes.map(({ organization }) => parts.db.organization(organization.id, (sql) => listOAuthApps(sql))),
  )
  return new Set(apps.flat().flatMap(({ provider, issuer, active }) => (active && issuer === null ? [provider] : [])))
}
