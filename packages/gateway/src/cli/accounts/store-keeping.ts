/** Keeping and ending credentials from a command, which works on the store itself: a gateway that runs hears of it from the database. */
import { Fault, type UserId } from '@toolway/contract'
import { createSnapshot } from '../../call/snapshot.ts'
import { vendorOf } from '../../compose/vendor-of.ts'
import type { ConnectionRow } from '../../connections/connections.ts'
import { createClientOf } from '../../oauth/outgoing/credentials/client-of.ts'
import { factsOf } from '../../oauth/outgoing/credentials/connection-facts.ts'
import { createKeeping } from '../../oauth/outgoing/credentials/keep-credentials.ts'
import type { CredentialKeeping } from '../../oauth/outgoing/ports.ts'
import { createOutgoingOAuth } from '../../oauth/outgoing/protocol/outgoing-oauth.ts'
import { createEnder } from '../../oauth/outgoing/credentials/revoke-credentials.ts'
import { createTargets, type Target } from '../../oauth/outgoing/flows/target.ts'
import { createGlobalApps } from '../../oauth/outgoing/vendors/global-apps.ts'
import { waysOf } from '../../oauth/outgoing/vendors/ways.ts'
import { appsOf } from '../../config.ts'
import { createExceptions } from '../../upstreams/http/exceptions.ts'
import type { Opened } from '../store.ts'

const nothing = () => {}

export function keepingOf({ db, vault, loaded, organization }: Opened, connection: ConnectionRow): CredentialKeeping {
  const clientOf = createClientOf({ vault, global: createGlobalApps(appsOf(loaded.config)).of })
  const ender = createEnder({
    vault,
    oauth: createOutgoingOAuth({ now: Date.now, ways: waysOf }),
    clientOf,
    log: { warn: nothing },
  })
  const { egress } = factsOf(vault, connection, createExceptions(organization.egress))
  const quiet = { memory: { changed: nothing }, onKept: nothing }
  return createKeeping({ db, vault, ender, egressOf: () => egress, now: Date.now, ...quiet })
}

/** Throws `flow.unfit`. */
export function targetOf(
  { organization, vault }: Opened,
  connection: ConnectionRow,
  userId: UserId | undefined,
): Target {
  const snapshot = createSnapshot({
    organization,
    connections: [connection],
    catalogs: [],
    toolsets: [],
    members: new Map(),
    upstreams: {
      open: (): never => {
        throw new Fault('upstream.disabled', { connection: connection.alias })
      },
    },
    unseal: vault.open,
  })
  const targets = createTargets({
    find: () => snapshot,
    unseal: vault.open,
    vendor: vendorOf,
    accounts: { find: () => undefined },
  })
  const { id: connectionId, organization_id: organizationId } = connection
  return targets.open({ organizationId, connectionId, userId, account: undefined, scopes: [] })
}
