/** The catalogs and health of connections: fetched at start, after a notification of theirs, and at intervals. */
import type { Changes } from '../../catalog/changes.ts'
import { createKeepCatalogs, type KeepCatalogs } from './keep-catalogs.job.ts'
import { createKeepHealthy, type KeepHealthy } from './keep-healthy.job.ts'
import { createOwnClaims, type LookClaims } from './look-claims.ts'
import { createSyncNow } from './sync-now.ts'
import type { KeepSnapshots } from '../../snapshot/keep-snapshots.ts'
import { createSyncCatalog } from '../../upstreams/capabilities/fetch-capabilities.ts'
import type { Upstreams } from '../../upstreams/upstreams.ts'
import type { Base } from '../../base/base.ts'
import type { Contacts } from './contacts.ts'

export interface StartCatalogsParts {
  readonly upstreams: Upstreams
  readonly contacts: Contacts
  readonly changes: Changes
  readonly snapshots: () => Pick<KeepSnapshots, 'findAny' | 'refresh' | 'refreshSoon'>
  /** Agreed with other gateways; without it, this one is alone. */
  readonly claims?: LookClaims | undefined
}

export interface Catalogs {
  readonly catalogs: KeepCatalogs
  readonly healthy: KeepHealthy
  /** Ask one connection now, because somebody waits for it. */
  readonly syncNow: ReturnType<typeof createSyncNow>
}

export function startCatalogs({ log, counters, opened }: Base, parts: StartCatalogsParts): Catalogs {
  const { upstreams, contacts, changes, snapshots, claims = createOwnClaims() } = parts
  opened.defer(() => claims.close())
  const syncing = { log, store: contacts.store, fail: contacts.fail }
  const catalogs = createKeepCatalogs({
    sync: createSyncCatalog(syncing),
    claims,
    // The list that is announced as changed must be the one that is then listed: what a load found to be another was told then.
    onSynced: ({ organizationId, connectionId }) =>
      snapshots().refreshSoon(organizationId, { table: 'catalogs', ids: [connectionId] }),
    onAnnounced: ({ organizationId, connectionId }, kind, since) =>
      changes.tellUnlessSince(organizationId, connectionId, kind, since),
    random: Math.random,
    drop: (connectionId, version) => upstreams.drop(connectionId, version),
    log,
  })
  opened.defer(() => catalogs.close())
  const healthy = createKeepHealthy({
    now: Date.now,
    random: Math.random,
    claim: (connectionId, within) => claims.claimCheck(connectionId, within),
    note: async (_, connectionId, fault) => void (await contacts.note(connectionId, fault)),
    again: (connectionId) => catalogs.again(connectionId),
    count: counters.check,
    log,
  })
  opened.defer(() => healthy.close())
  const syncNow = createSyncNow({
    ...syncing,
    find: (organizationId) => snapshots().findAny({ id: organizationId }),
    refresh: (organizationId) => snapshots().refresh(organizationId),
  })
  return { catalogs, healthy, syncNow }
}
