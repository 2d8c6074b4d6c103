/** What memory knows of each organization, made of the rows that files declare. */
import type { Rule } from '@toolway/contract'
import { createSnapshot } from '../../call/snapshot.ts'
import type { Changes } from '../../catalog/changes.ts'
import type { OpenStreams } from '../../http/streams/open-streams.ts'
import { createKeepSnapshots, type KeepSnapshots } from '../../jobs/keep-snapshots.ts'
import { createTellChanges } from '../../jobs/tell-changes.ts'
import { createPolicy } from '../../policy/compile.ts'
import type { Upstreams } from '../../upstreams/upstreams.ts'
import type { Catalogs } from '../catalogs.ts'
import type { Base } from '../ground.ts'
import { watchedOf } from '../snapshots.ts'
import type { Rows } from './rows.ts'

export interface ComposeDeclaredSnapshotsParts extends Pick<Catalogs, 'catalogs' | 'healthy'> {
  readonly rows: Pick<Rows, 'organizations'>
  /** All rules in force in an organization, by its slug. */
  readonly rules: (slug: string) => readonly Rule[]
  readonly upstreams: Upstreams
  readonly changes: Changes
  readonly open: () => Pick<OpenStreams, 'recheck'>
}

export function composeDeclaredSnapshots(
  { vault, log, opened }: Base,
  parts: ComposeDeclaredSnapshotsParts,
): KeepSnapshots {
  const { rows, rules, upstreams, changes, catalogs, healthy, open } = parts
  const tellChanges = createTellChanges(changes.tell)
  /** Compiled once for each change of them. */
  const compiled = new Map<string, { readonly of: readonly Rule[]; readonly policy: ReturnType<typeof createPolicy> }>()
  function policyOf(slug: string) {
    const written = rules(slug)
    const held = compiled.get(slug)
    if (held?.of === written) return held.policy
    const policy = createPolicy(written)
    compiled.set(slug, { of: written, policy })
    return policy
  }
  const snapshots: KeepSnapshots = createKeepSnapshots({
    log,
    load: (ids) =>
      Promise.resolve(
        rows
          .organizations()
          .filter(({ organization }) => ids?.includes(organization.id) ?? true)
          .map((one) =>
            createSnapshot({
              ...one,
              members: new Map(),
              rules: policyOf(one.organization.slug),
              upstreams,
              unseal: vault.open,
            }),
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
