/** Snapshots of each organization, made of the database's rows. */
import type { BaseWithDatabase } from '../base/base.ts'
import { isStandIn as isUnreadableConnection } from '../connections/unreadable-connections.ts'
import type { Db } from '../db/db.ts'
import { listOrganizations, type OrganizationRow } from '../organizations/organizations.ts'
import type { Policy } from '../policy/verdict.ts'
import { isStandIn as isUnreadableToolset } from '../toolsets/toolsets.ts'
import { createKeepSnapshots, type KeepSnapshots, type KeepSnapshotsParts } from './keep-snapshots.ts'
import { AT_ONCE, readAllOf, readRows, type OrganizationRows } from './organization-rows.ts'
import type { SnapshotReferences } from './secret-references.ts'
import { createSnapshot, type Snapshot, type SnapshotParts } from './snapshot.ts'
import type { WantedRows } from './wanted-rows.ts'

export interface StartSnapshotsParts extends Pick<
  SnapshotParts,
  'upstreams' | 'credentials' | 'documents' | 'keepsFiles'
> {
  readonly references: SnapshotReferences
  policyOf(organization: OrganizationRow, rows: OrganizationRows): Policy
  readonly onLoad: KeepSnapshotsParts['onLoad']
}

export function startSnapshots(base: BaseWithDatabase, parts: StartSnapshotsParts): KeepSnapshots {
  const { log, opened } = base
  const snapshots = createKeepSnapshots({
    log,
    load: createLoad(base, parts),
    onLoad(loaded, gone) {
      for (const snapshot of loaded) noteUnreadable(snapshot, log)
      parts.onLoad(loaded, gone)
    },
  })
  opened.defer(() => snapshots.close())
  return snapshots
}

/** Rows that stand in a list without what they should say. */
function noteUnreadable({ organization: { id }, connections, toolsets }: Snapshot, log: BaseWithDatabase['log']): void {
  for (const { id: connection } of connections.filter(isUnreadableConnection))
    log.error({ organization: id, connection }, 'the settings of a connection are unreadable; it is off')
  for (const { slug: toolset } of toolsets.filter(isUnreadableToolset))
    log.error({ organization: id, toolset }, 'the settings of a toolset are unreadable; it selects nothing')
}

function createLoad(
  { db, vault }: Pick<BaseWithDatabase, 'db' | 'vault'>,
  { policyOf, references, onLoad: _, ...parts }: StartSnapshotsParts,
) {
  let held = new Map<string, OrganizationRows>()
  return async (requested: ReadonlyMap<string, WantedRows> | undefined): Promise<Snapshot[]> => {
    const ids = requested && [...requested.keys()]
    const organizations = await db.system((sql) => listOrganizations(sql, ids))
    const loaded =
      requested === undefined
        ? await readEvery(db, organizations, held)
        : await Promise.all(
            organizations.map(async (organization) => {
              const rows = await db.organization(organization.id, (sql) =>
                readRows(sql, requested.get(organization.id) ?? 'all', held.get(organization.id)),
              )
              return { organization, rows }
            }),
          )
    const kept = ids === undefined ? [] : [...held].filter(([id]) => !requested?.has(id))
    held = new Map([...kept, ...loaded.map(({ organization, rows }) => [organization.id, rows] as const)])
    await Promise.all(loaded.map(({ organization, rows }) => references.prepare(organization.slug, rows.connections)))
    const shared = { ...parts, references, unseal: vault.open }
    return loaded.map(({ organization, rows }) =>
      createSnapshot({ ...rows, organization, rules: policyOf(organization, rows), ...shared }),
    )
  }
}

/** One part after another, so that what the driver holds at a time stays bounded. */
async function readEvery(
  db: Pick<Db, 'system'>,
  organizations: readonly OrganizationRow[],
  before: ReadonlyMap<string, OrganizationRows>,
) {
  const loaded: { readonly organization: OrganizationRow; readonly rows: OrganizationRows }[] = []
  for (let from = 0; from < organizations.length; from += AT_ONCE) {
    const part = organizations.slice(from, from + AT_ONCE)
    const ids = part.map(({ id }) => id)
    const read = await db.system((sql) => readAllOf(sql, ids, before))
    for (const organization of part) {
      const rows = read.get(organization.id)
      if (rows !== undefined) loaded.push({ organization, rows })
    }
  }
  return loaded
}
