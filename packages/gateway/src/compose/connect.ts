/** The way of a person to a kept credential: flows, the pages for them, and where authorization servers lead back to. */
import { randomUUID } from 'node:crypto'
import { PROVIDERS, type UserId } from '@toolway/contract'
import type { HttpBindings } from '@hono/node-server'
import { Hono } from 'hono'
import type { AdminConnect } from '../features/accounts/index.ts'
import { createBrokerEvents, type BrokerEventsParts } from '../http/connect/broker-events.ts'
import { createDoneDoor } from '../http/connect/done-door.ts'
import { createCallbackDoor } from '../http/connect/callback-door.ts'
import { createConnectDoor } from '../http/connect/connect-door.ts'
import { createVisitors } from '../http/connect/visitor.ts'
import type { Clients } from '../http/client-address.ts'
import type { WebSession } from '../http/sign-in/web-session.ts'
import type { Accounts } from '../identity/accounts.ts'
import type { Identity } from '../identity/identify.ts'
import type { Principal } from '../identity/principal.ts'
import { spendState } from '../identity/spent-states.ts'
import { findUser } from '../identity/users.ts'
import { removeOldFlows } from '../credentials/flows.ts'
import { createCleanOAuth } from '../features/authorization/index.ts'
import type { KeepSnapshots } from '../snapshot/keep-snapshots.ts'
import { findInTheWay, listAccountsThere } from '../oauth/outgoing/flows/existing-accounts.ts'
import { createChooseClient } from '../oauth/outgoing/flows/choose-client.ts'
import type { ConnectRequestLinks } from '../oauth/outgoing/flows/connect-links.ts'
import { kindFor } from '../kinds/kinds.ts'
import { createFailureDetails } from '../oauth/outgoing/flows/failure-details.ts'
import { createFlows } from '../oauth/outgoing/flows/flows.ts'
import { createKeepKey } from '../oauth/outgoing/credentials/keep-key.ts'
import { nameAt, probeAuth, tryAuth } from '../oauth/outgoing/flows/auth-probe.ts'
import type { Challenge, CredentialKeeping, OutgoingOAuth, RevealSecret } from '../oauth/outgoing/ports.ts'
import { createTargets, type ConnectRequest, type Target } from '../oauth/outgoing/flows/target.ts'
import { readChallenge } from '../oauth/outgoing/protocol/read-challenge.ts'
import type { GlobalApps } from '../oauth/outgoing/vendors/global-apps.ts'
import { accessRefusedOf } from '../upstreams/access-refused.ts'
import type { BaseWithDatabase } from '../base/base.ts'
import { brokeredBy } from './credentials.ts'
import { vendorAuthorityOf, vendorOf } from '../oauth/outgoing/vendors/vendor-of.ts'

export interface ComposeConnectParts {
  readonly oauth: OutgoingOAuth
  readonly reveal: RevealSecret
  readonly keeping: CredentialKeeping
  readonly links: ConnectRequestLinks
  readonly snapshots: Pick<KeepSnapshots, 'find' | 'all'>
  readonly accounts: Accounts
  readonly identity: Pick<Identity, 'identify'>
  readonly web: WebSession
  readonly clients: Clients
  readonly limits: BrokerEventsParts['limits']
  /** The clients of the gateway's own settings. */
  readonly globalApps: GlobalApps
  publicUrl(): string
}

export interface Connect {
  readonly door: Hono<{ Bindings: HttpBindings }>
  readonly admin: AdminConnect
}

export function composeConnect(core: BaseWithDatabase, parts: ComposeConnectParts): Connect {
  const { config, db, vault, log, opened } = core
  const { oauth, reveal, keeping, links, snapshots, accounts, web, clients, publicUrl, globalApps } = parts
  const targets = createTargets({ find: snapshots.find, unseal: vault.open, vendor: vendorOf, accounts })
  const chosen = createChooseClient({ db, vault, oauth, reveal, publicUrl, global: globalApps.of, now: Date.now })
  const inTheWay = (connectRequest: ConnectRequest, target: Target) => findInTheWay(db, connectRequest, target)
  const keepKey = createKeepKey({ db, keeping, tryAuth })
  const flows = createFlows({
    db,
    vault,
    oauth,
    clients: chosen,
    keeping,
    targets,
    inTheWay,
    nameAt,
    challenge: challengeOf,
    scopesOf: (settings) => kindFor(settings.connector).scopes?.(settings),
    memberOf: (id) => memberOf(accounts, id as UserId),
    publicUrl,
    now: Date.now,
  })
  const clean = createCleanOAuth({ clean: () => db.system(removeOldFlows), log })
  opened.defer(() => clean.close())

  const prefix = () => new URL(publicUrl()).pathname.replace(/\/$/, '')
  const asked = { clients, newCorrelationId: randomUUID, prefix, publicUrl }
  const visitors = createVisitors({
    ...asked,
    web,
    vault,
    isOpen: config.TOOLWAY_AUTH === 'off',
    emailOf: (id) => db.system(async (sql) => (await findUser(sql, id))?.email),
  })
  const details = createFailureDetails(vault, Date.now)
  const door = new Hono<{ Bindings: HttpBindings }>()
  door.route('/', createCallbackDoor({ ...asked, flows, details }))
  door.route(
    '/',
    createBrokerEvents({
      ...asked,
      ...{ db, accounts, limits: parts.limits, now: Date.now, brokeredBy },
      findSnapshot: (slug) => snapshots.find({ slug }),
    }),
  )
  door.route('/', createDoneDoor({ ...asked, accounts, visitors, details, all: snapshots.all }))
  door.route(
    '/',
    createConnectDoor({
      ...asked,
      links,
      flows,
      clients: chosen,
      targets,
      keepKey,
      visitors,
      accountsThere: (target) => listAccountsThere(db, target),
      inTheWay,
      brokeredBy: ({ snapshot, connection }) => connection && brokeredBy(snapshot, connection.id),
    }),
  )
  const whoAsks = async (authorization: string | undefined, cookies: string | undefined) => {
    try {
      return (await web.principalOf(cookies)) ?? (await parts.identity.identify(authorization))
    } catch {
      return undefined
    }
  }
  return {
    door,
    admin: {
      ...{ links, flows, targets, keepKey, whoAsks, providers: PROVIDERS },
      ...{ hasGlobal: globalApps.has, spend: spendState },
      apps: { vendorAuthority: vendorAuthorityOf, hasGlobalApp: (authority) => globalApps.of(authority) !== undefined },
      brokeredBy: (organizationId, connectionId) => brokeredBy(snapshots.find({ id: organizationId }), connectionId),
    },
  }
}

const challengeOf = async (target: Target): Promise<Challenge | undefined> =>
  readChallenge(accessRefusedOf(await probeAuth(target, {}))?.challenge)

/** As the browser of a member who is signed in: what that one may is asked anew. */
const memberOf = (accounts: Accounts, userId: UserId): Principal | undefined =>
  accounts.find(userId) === undefined
    ? undefined
    : {
        id: userId,
        kind: 'user',
        userId,
        organizationId: undefined,
        keyId: undefined,
        role: 'platform_admin',
        limit: 'execute',
        toolset: undefined,
        resource: undefined,
        endpoint: undefined,
        client: undefined,
        signInId: undefined,
      }
