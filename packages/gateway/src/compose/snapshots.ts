/** Snapshots of each organization, made of the database's rows, and the rules that apply to all of them. */
import { runsHere } from '@toolway/contract'
import { withPreset } from '../call/approvals/preset.ts'
import { createDocuments } from '../call/openapi/documents.ts'
import type { OwnCredentials } from '../snapshot/ports/credentials.ts'
import { createSnapshot, versionOf, type Snapshot } from '../snapshot/snapshot.ts'
import type { Changes } from '../catalog/changes.ts'
import { isStandIn as isUnreadableConnection } from '../connections/unreadable-connections.ts'
import type { Db } from '../db/db.ts'
import type { OpenStreams } from '../http/streams/open-streams.ts'
import type { WatchedConnection, Catalogs } from '../features/catalog/index.ts'
import { alertOfTroubles, createKeepRules, type KeepRules } from '../features/rules/index.ts'
import { createKeepSnapshots, type KeepSnapshots } from '../snapshot/keep-snapshots.ts'
import { createTellChanges } from '../snapshot/tell-changes.ts'
import type { WantedRows } from '../snapshot/wanted-rows.ts'
import { listOrganizations, type OrganizationRow } from '../organizations/organizations.ts'
import { listPlatformRules } from '../policy/stored/platform-rules.ts'
import { createPlatformRules, type PlatformRules } from '../policy/stored/rules-in-force.ts'
import type { Policy } from '../policy/verdict.ts'
import { isStandIn as isUnreadableToolset } from '../toolsets/toolsets.ts'
import type { Upstreams } from '../upstreams/upstreams.ts'
import type { BaseWithDatabase } from '../base/base.ts'
import { AT_ONCE, readAllOf, readRows, type OrganizationRows } from '../snapshot/organization-rows.ts'
import type { SnapshotReferences } from '../snapshot/secret-references.ts'

export interface ComposeSnapshotsParts {
  readonly catalogs: Pick<Catalogs['catalogs'], 'want'>
  readonly healthy: Pick<Catalogs['healthy'], 'want'>
  readonly upstreams: Upstreams
  readonly changes: Changes
  readonly open: () => Pick<OpenStreams, 'recheck'>
  readonly credentials?: OwnCredentials | undefined
  /** Whether this installation keeps files. */
  readonly keepsFiles?: boolean
  readonly references: SnapshotReferences
}

export interface Snapshots {
  readonly snapshots: KeepSnapshots
  readonly rules: PlatformRules
  /** The rules as they are now, soon in every organization; what cannot be loaded stays as it was. */
  readonly reloadRules: () => Promise<void>
}

export function composeSnapshots(core: BaseWithDatabase, parts: ComposeSnapshotsParts): Snapshots {
  const { db, log, opened } = core
  const { upstreams, changes, catalogs, healthy, open, credentials, keepsFiles = false, references } = parts
  const rules = createPlatformRules({ list: () => db.system(listPlatformRules) })
  const keepRules = createKeepRules({
    platform: rules,
    log,
    async tell(id, troubles) {
      for (const { id: rule, name, scope, problem } of troubles)
        log.error(
          { organization: id, rule, name, scope, problem },
          'a rule cannot be read; it blocks the tools that it matches',
        )
      await db.organization(id, (sql) => alertOfTroubles(sql, id, troubles))
    },
  })
  const tellChanges = createTellChanges(changes.tell)
  const snapshots: KeepSnapshots = createKeepSnapshots({
    log,
    load: createLoad(core, {
      keepRules,
      upstreams,
      credentials,
      keepsFiles,
      references,
    }),
    onLoad(loaded, gone) {
      const concerned = new Set([...loaded.map(({ organization }) => organization.id as string), ...gone])
      keepRules.forget(gone)
      for (const snapshot of loaded) noteUnreadable(snapshot, log)
      const watched = loaded.flatMap((snapshot) => watchedOf(snapshot, snapshots))
      catalogs.want(watched, concerned)
      healthy.want(watched, concerned)
      tellChanges(loaded, gone)
      // An endpoint may be gone, or not be this key's any more.
      open().recheck(concerned)
    },
  })
  opened.defer(() => snapshots.close())
  let again: NodeJS.Timeout | undefined
  opened.defer(() => clearTimeout(again))
  const reloadRules = (): Promise<void> =>
    rules.load().then(
      () => snapshots.signal(),
      (thrown: unknown) => {
        log.error({ err: thrown }, 'rules could not be loaded; the previous rules stay in use; retrying')
        clearTimeout(again)
        again = setTimeout(() => void reloadRules(), AGAIN)
      },
    )
  return { snapshots, rules, reloadRules }
}

/** Milliseconds. */
const AGAIN = 1_000

/** Rows that stand in a list without what they should say. */
function noteUnreadable({ organization: { id }, connections, toolsets }: Snapshot, log: BaseWithDatabase['log']): void {
  for (const { id: connection } of connections.filter(isUnreadableConnection))
    log.error({ organization: id, connection }, 'the settings of a connection are unreadable; it is off')
  for (const { slug: toolset } of toolsets.filter(isUnreadableToolset))
    log.error({ organization: id, toolset }, 'the settings of a toolset are unreadable; it selects nothing')
}

interface LoadParts {
  readonly keepRules: KeepRules
  readonly upstreams: Pick<Upstreams, 'open'>
  readonly credentials: OwnCredentials | undefined
  readonly keepsFiles: boolean
  readonly references: SnapshotReferences
}

function createLoad(
  { db, vault }: Pick<BaseWithDatabase, 'db' | 'vault'>,
  { keepRules, upstreams, credentials, keepsFiles, references }: LoadParts,
) {
  const documents = createDocuments({ db })
  const policyOf = createPolicyOf(keepRules)
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
    const parts = { upstreams, unseal: vault.open, references, credentials, documents, keepsFiles }
    return loaded.map(({ organization, rows }) =>
      createSnapshot({ ...rows, organization, rules: policyOf(organization, rows), ...parts }),
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

/** Compiled once for the same words: rules that the settings add are one for each connection. */
function createPolicyOf(keepRules: KeepRules) {
  const known = new WeakMap<Policy, { readonly words: string; readonly policy: Policy }>()
  return (organization: OrganizationRow, { rules, toolsets, connections }: OrganizationRows): Policy => {
    const own = keepRules.policyOf(organization, rules, toolsets)
    const words = JSON.stringify([organization.settings.approvals, connections.map(({ alias }) => alias)])
    const before = known.get(own)
    if (before?.words === words) return before.policy
    const policy = withPreset(own, organization, connections)
    known.set(own, { words, policy })
    return policy
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
