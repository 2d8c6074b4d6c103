/**
 * Asking one connection at once what it offers, for somebody who waits: the same job as always, with an end and with its fault.
 */
import { Fault, type ConnectionId, type OrganizationId } from '@toolway/contract'
import type { Snapshot } from '../../snapshot/snapshot.ts'
import { createSingleFlight } from '../../lib/single-flight.ts'
import { createSyncCatalog, type SyncParts } from '../../upstreams/capabilities/fetch-capabilities.ts'

export interface SyncNowParts extends SyncParts {
  find(organizationId: OrganizationId): Snapshot | undefined
  refresh(organizationId: OrganizationId): Promise<void>
}

/** Seconds that somebody waits: longer than a program may take to start, so that its failure is told as what it is. */
const PATIENCE_SECONDS = 90

/** The fault, if it failed; several who ask at once wait for the same answer. */
export function createSyncNow({ find, refresh, ...parts }: SyncNowParts) {
  const flights = createSingleFlight<ConnectionId, Fault | undefined>()

  async function sync(organizationId: OrganizationId, connectionId: ConnectionId): Promise<Fault | undefined> {
    const snapshot = find(organizationId)
    const alias = snapshot?.connections.find(({ id }) => id === connectionId)?.alias
    if (snapshot === undefined || alias === undefined) return new Fault('thing.unknown', { thing: 'connection' })
    let failure: Fault | undefined
    const run = createSyncCatalog({
      ...parts,
      fail(organization, connection, fault) {
        failure = fault
        return parts.fail(organization, connection, fault)
      },
    })
    const signal = AbortSignal.timeout(PATIENCE_SECONDS * 1000)
    const upstream = () => snapshot.upstream(connectionId)
    const good = await run({ organizationId, connectionId, alias, upstream }, signal)
    if (good) return undefined
    return failure ?? new Fault('upstream.timeout', { connection: alias, seconds: PATIENCE_SECONDS })
  }

  return (organizationId: OrganizationId, connectionId: ConnectionId): Promise<Fault | undefined> =>
    flights(connectionId, async () => {
      const fault = await sync(organizationId, connectionId)
      await refresh(organizationId)
      return fault
    })
}
