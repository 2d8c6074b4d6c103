/** What follows each load of organizations: their connections are watched, and who lists their tools hears of changes. */
import { runsHere } from '@toolway/contract'
import type { Changes } from '../../catalog/changes.ts'
import type { KeepSnapshots } from '../../snapshot/keep-snapshots.ts'
import { versionOf, type Snapshot } from '../../snapshot/snapshot.ts'
import { createTellChanges } from '../../snapshot/tell-changes.ts'
import type { WatchedConnection } from './keep-catalog.job.ts'

interface Watching {
  want(all: readonly WatchedConnection[], concerned: ReadonlySet<string>): void
}

export interface FollowLoadsParts {
  readonly changes: Pick<Changes, 'tell'>
  /** Who keeps the lists of connections, and who their health. */
  readonly watching: readonly Watching[]
  readonly snapshots: () => Pick<KeepSnapshots, 'find'>
  /** Streams of these organizations may not be their caller's any more. */
  recheck(concerned: ReadonlySet<string>): void
}

export function createFollowLoads({ changes, watching, snapshots, recheck }: FollowLoadsParts) {
  const tellChanges = createTellChanges(changes.tell)
  return (loaded: readonly Snapshot[], gone: ReadonlySet<string>): void => {
    const concerned = new Set([...loaded.map(({ organization }) => organization.id as string), ...gone])
    const watched = loaded.flatMap((snapshot) => watchedOf(snapshot, snapshots()))
    for (const each of watching) each.want(watched, concerned)
    tellChanges(loaded, gone)
    // An endpoint may be gone, or not be this key's any more.
    recheck(concerned)
  }
}

/** The connections of an organization that are to be kept, each opened as it stands when it is asked. */
export const watchedOf = (snapshot: Snapshot, snapshots: Pick<KeepSnapshots, 'find'>): WatchedConnection[] =>
  snapshot.connections
    .filter(({ enabled }) => enabled && snapshot.organization.active)
    .map((connection) => ({
      organizationId: snapshot.organization.id,
      connectionId: connection.id,
      alias: connection.alias,
      version: versionOf(connection),
      kind: runsHere(connection.settings) ? 'child' : 'remote',
      upstream: () => (snapshots.find({ id: snapshot.organization.id }) ?? snapshot).upstream(connection.id),
    }))
