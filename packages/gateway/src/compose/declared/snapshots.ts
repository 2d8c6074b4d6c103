/** Snapshots of each organization, made of the rows that files declare. */
import { createSnapshot } from '../../call/snapshot.ts'
import type { Changes } from '../../catalog/changes.ts'
import type { OpenStreams } from '../../http/streams/open-streams.ts'
import { createKeepSnapshots, type KeepSnapshots } from '../../jobs/keep-snapshots.ts'
import { createTellChanges } from '../../jobs/tell-changes.ts'
import type { Upstreams } from '../../upstreams/upstreams.ts'
import type { Catalogs } from '../catalogs.ts'
import type { Base } from '../core-dependencies.ts'
import { watchedOf } from '../snapshots.ts'
import type { Rows } from './rows.ts'

export interface ComposeDeclaredSnapshotsParts extends Pick<Catalogs, 'catalogs' | 'healthy'> {
  readonly rows: Pick<Rows, 'organizations'>
  readonly upstreams: Upstreams
  readonly changes: Changes
  readonly open: () => Pick<OpenStreams, 'recheck'>
}

export function composeDeclaredSnapshots(
  { vault, log, opened }: Base,
  parts: ComposeDeclaredSnapshotsParts,
): KeepSnapshots {
  const { rows, upstreams, changes, catalogs, healthy, open } = parts
  const tellChanges = createTellChanges(changes.tell)
  const snapshots: KeepSnapshots = createKeepSnapshots({
    log,
    load: (ids) =>
      Promise.resolve(
        rows
          .organizations()
          .filter(({ organization }) => ids?.includes(organization.id) ?? true)
          .map(({ policy: rules, ...one }) =>
            createSnapshot({ ...one, rules, members: new Map(), upstreams, unseal: vault.open }),
          ),
      ),
    onLoad(all) {
      const watched = all.flatMap((snapshot) => watchedOf(snapshot, snapshots))
      catalogs.want(watched)
      healthy.want(watched)
      tellChanges(all)
      open().recheck()
    },
  })
  opened.defer(() => snapshots.close())
  return snapshots
}
