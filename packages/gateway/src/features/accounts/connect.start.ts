/** The way of a person to a kept credential: flows at authorization servers, keys that are tried, and who is already there. */
import { PROVIDERS, type UserId } from '@toolway/contract'
import type { BaseWithDatabase } from '../../base/base.ts'
import { removeOldFlows } from '../../credentials/flows.ts'
import type { Accounts } from '../../identity/accounts.ts'
import type { Principal } from '../../identity/principal.ts'
import { spendState } from '../../identity/spent-states.ts'
import { kindFor } from '../../kinds/kinds.ts'
import { createCleanOld } from '../../lib/clean-old.ts'
import { createKeepKey } from '../../oauth/outgoing/credentials/keep-key.ts'
import { findInTheWay, listExistingAccounts } from '../../oauth/outgoing/flows/existing-accounts.ts'
import { nameAt, probeAuth, tryAuth } from '../../oauth/outgoing/flows/auth-probe.ts'
import { createChooseClient } from '../../oauth/outgoing/flows/choose-client.ts'
import type { ConnectRequestLinks } from '../../oauth/outgoing/flows/connect-links.ts'
import { createFlows } from '../../oauth/outgoing/flows/flows.ts'
import { createTargets, type ConnectRequest, type Target } from '../../oauth/outgoing/flows/target.ts'
import type { Challenge, CredentialKeeping, OutgoingOAuth, RevealSecret } from '../../oauth/outgoing/ports.ts'
import { readChallenge } from '../../oauth/outgoing/protocol/read-challenge.ts'
import type { GlobalApps } from '../../oauth/outgoing/vendors/global-apps.ts'
import { vendorAuthorityOf, vendorOf } from '../../oauth/outgoing/vendors/vendor-of.ts'
import type { KeepSnapshots } from '../../snapshot/keep-snapshots.ts'
import { accessRefusedOf } from '../../upstreams/access-refused.ts'
import type { AdminConnect } from './admin-connect.ts'
import { brokeredBy } from './brokered-by.ts'

export interface StartConnectParts extends Pick<AdminConnect, 'whoAsks'> {
  readonly oauth: OutgoingOAuth
  readonly reveal: RevealSecret
  readonly keeping: CredentialKeeping
  readonly links: ConnectRequestLinks
  readonly snapshots: () => Pick<KeepSnapshots, 'find'>
  readonly accounts: Accounts
  /** The clients of the gateway's own settings. */
  readonly globalApps: GlobalApps
  publicUrl(): string
}

const HOUR = 60 * 60_000

/** The flows as operations and pages use them. */
export type Connect = ReturnType<typeof startConnect>

export function startConnect({ db, vault, log, opened }: BaseWithDatabase, parts: StartConnectParts) {
  const { oauth, reveal, keeping, links, snapshots, accounts, publicUrl, globalApps, whoAsks } = parts
  const find: KeepSnapshots['find'] = (name) => snapshots().find(name)
  const targets = createTargets({ find, unseal: vault.open, vendor: vendorOf, accounts })
  const clients = createChooseClient({ db, vault, oauth, reveal, publicUrl, global: globalApps.of, now: Date.now })
  const inTheWay = (connectRequest: ConnectRequest, target: Target) => findInTheWay(db, connectRequest, target)
  const keepKey = createKeepKey({ db, keeping, tryAuth })
  const flows = createFlows({
    ...{ db, vault, oauth, clients, keeping, targets, inTheWay, nameAt, publicUrl },
    challenge: challengeOf,
    scopesOf: (settings) => kindFor(settings.connector).scopes?.(settings),
    memberOf: (id) => memberOf(accounts, id as UserId),
    now: Date.now,
  })
  const removeOld = () => db.system(removeOldFlows)
  const cleaning = createCleanOld({ removeOld, what: 'ways to accounts that nobody finished', log, every: HOUR })
  opened.defer(() => cleaning.close())
  const existingAccounts = (target: Target) => listExistingAccounts(db, target)
  const admin: AdminConnect = {
    ...{ links, flows, targets, keepKey, whoAsks, providers: PROVIDERS },
    ...{ hasGlobal: globalApps.has, spend: spendState },
    apps: { vendorAuthority: vendorAuthorityOf, hasGlobalApp: (authority) => globalApps.of(authority) !== undefined },
    brokeredBy: (organizationId, connectionId) => brokeredBy(find({ id: organizationId }), connectionId),
  }
  return { admin, pages: { links, flows, clients, targets, keepKey, inTheWay, existingAccounts } }
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
