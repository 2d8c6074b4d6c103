/** Snapshots of each organization, made of the rows that files declare. */
import { createSnapshot } from '../../snapshot/snapshot.ts'
import type { Changes } from '../../catalog/changes.ts'
import type { OpenStreams } from '../../http/streams/open-streams.ts'
import { createKeepSnapshots, type KeepSnapshots } from '../../snapshot/keep-snapshots.ts'
import { createTellChanges } from '../../snapshot/tell-changes.ts'
import type { Upstreams } from '../../upstreams/upstreams.ts'
import { watchedOf, type Catalogs } from '../../features/catalog/index.ts'
import type { Base } from '../../base/base.ts'
import type { SnapshotReferences } from '../../snapshot/secret-references.ts'
import type { Rows } from './rows.ts'

export interface ComposeDeclaredSnapshotsParts extends Pick<Catalogs, 'catalogs' | 'healthy'> {
  readonly rows: Pick<Rows, 'organizations'>
  readonly upstreams: Upstreams
  readonly changes: Changes
  readonly open: () => Pick<OpenStreams, 'recheck'>
  readonly references: SnapshotReferences
}

export function composeDeclaredSnapshots(
  { vault, log, opened }: Base,
  parts: ComposeDeclaredSnapshotsParts,
): KeepSnapshots {
  const { rows, upstreams, changes, catalogs, healthy, open, references } = parts
  const tellChanges = createTellChanges(changes.tell)
  const snapshots: KeepSnapshots = createKeepSnapshots({
    log,
    async load(requested) {
      const all = rows.organizations().filter(({ organization }) => requested?.has(organization.id) ?? true)
      await Promise.all(all.map(({ organization, connections }) => references.prepare(organization.slug, connections)))
      return all.map(({ policy: rules, ...one }) =>
        createSnapshot({ ...one, rules, members: new Map(), upstreams, unseal: vault.open, references }),
      )
    },
    onLoad(loaded, gone) {
      const concerned = new Set([...loaded.map(({ organization }) => organization.id as string), ...gone])
      const watched = loaded.flatMap((snapshot) => watchedOf(snapshot, snapshots))
      catalogs.want(watched, concerned)
      healthy.want(watched, concerned)
      tellChanges(loaded, gone)
      open().recheck(concerned)
    },
  })
  opened.defer(() => snapshots.close())
  return snapshots
}
