/**
 * The rows that a snapshot is made of. They are kept, so that a change reads the rows that it names and nothing else; the result is
 * the same as if all were read. Whatever is not sure is read whole: rows that are new or have another name, tables without a way
 * here.
 */
import type { ConnectionId, OrganizationId, UserId } from '@toolway/contract'
import { listCatalogs, listCatalogsOf, type CatalogRow } from '../catalog/catalogs.ts'
import { listConnections, listConnectionsOf, type ConnectionRow } from '../connections/connections.ts'
import { listToolStates, listToolStatesOf, type ToolStateRow } from '../connections/tool-states.ts'
import type { OrgSql, SystemSql } from '../db/db.ts'
import type { NamedRows, WantedRows } from './wanted-rows.ts'
import { listGroupsOfMembers, listGroupsOfMembersOf } from '../organizations/groups.ts'
import { listRoles, listRolesOf } from '../organizations/members.ts'
import { findVersion, findVersionsOf } from '../organizations/versions.ts'
import {
  listOrganizationRules,
  listOrganizationRulesOf,
  type OrganizationRuleRow,
} from '../policy/stored/organization-rules.ts'
import { listToolsets, listToolsetsOf, type ToolsetRow } from '../toolsets/toolsets.ts'

export interface OrganizationRows {
  /** Never newer than the rows. */
  readonly version: number
  readonly connections: readonly ConnectionRow[]
  readonly catalogs: readonly CatalogRow[]
  readonly toolsets: readonly ToolsetRow[]
  readonly members: Awaited<ReturnType<typeof listRoles>>
  readonly groups: Awaited<ReturnType<typeof listGroupsOfMembers>>
  readonly states: readonly ToolStateRow[]
  readonly rules: readonly OrganizationRuleRow[]
}

type Ids = ReadonlySet<string> | 'all'
type Part = Exclude<keyof OrganizationRows, 'version'>

/** The part that each table is in. `organizations` is read with every change. */
const PART_OF: ReadonlyMap<string, Part | undefined> = new Map([
  ['organizations', undefined],
  ['connections', 'connections'],
  ['catalogs', 'catalogs'],
  ['tool_locks', 'catalogs'],
  ['tool_states', 'states'],
  ['toolsets', 'toolsets'],
  ['members', 'members'],
  ['groups', 'groups'],
  ['group_members', 'groups'],
  ['organization_rules', 'rules'],
])

export async function readRows(
  sql: OrgSql,
  changed: WantedRows,
  before: OrganizationRows | undefined,
): Promise<OrganizationRows> {
  if (before === undefined || changed === 'all' || [...changed.tables.keys()].some((table) => !PART_OF.has(table)))
    return readAll(sql, before)
  return readNamed(sql, changed, before)
}

const byConnection = (rows: readonly CatalogRow[] = []) => new Map(rows.map((row) => [row.connection_id, row]))

async function readAll(sql: OrgSql, organizationRows: OrganizationRows | undefined): Promise<OrganizationRows> {
  return {
    // First, so that what is read after it is never older than it says.
    version: await findVersion(sql),
    connections: await listConnections(sql),
    catalogs: await listCatalogs(sql, byConnection(organizationRows?.catalogs)),
    toolsets: await listToolsets(sql),
    members: await listRoles(sql),
    groups: await listGroupsOfMembers(sql),
    states: await listToolStates(sql),
    rules: await listOrganizationRules(sql),
  }
}

/** Organizations whose rows are read by the same statements: enough that a round trip counts for little. */
export const AT_ONCE = 100

/**
 * All rows of these organizations, at most AT_ONCE, by their ids, in nine statements however many they are: a start with a thousand
 * organizations would otherwise wait for eleven thousand. The rows are told apart by the organization or the connection that the
 * database has them under; `before` are those of the last time.
 */
export async function readAllOf(
  sql: SystemSql,
  ids: readonly string[],
  before: ReadonlyMap<string, OrganizationRows>,
): Promise<ReadonlyMap<string, OrganizationRows>> {
  // First, so that what is read after it is never older than it says.
  const versions = await findVersionsOf(sql, ids)
  const connections = await listConnectionsOf(sql, ids)
  const ownerOf = new Map(connections.map(({ id, organization_id: owner }) => [id, owner]))
  const connectionIds = [...ownerOf.keys()]
  const known = byConnection(ids.flatMap((id) => before.get(id)?.catalogs ?? []))
  const owner = (row: { readonly organization_id: string }) => row.organization_id
  const byOwner = (row: { readonly connection_id: ConnectionId }) => ownerOf.get(row.connection_id)
  const parts = {
    connections: Map.groupBy(connections, owner),
    // A connection that came after the statement before is told of by its notice.
    catalogs: Map.groupBy(await listCatalogsOf(sql, known, connectionIds), byOwner),
    toolsets: Map.groupBy(await listToolsetsOf(sql, ids), owner),
    members: await listRolesOf(sql, ids),
    groups: await listGroupsOfMembersOf(sql, ids),
    states: Map.groupBy(await listToolStatesOf(sql, connectionIds), byOwner),
    rules: Map.groupBy(await listOrganizationRulesOf(sql, ids), owner),
  }
  return new Map(
    ids.map((id) => [
      id,
      {
        version: versions.get(id) ?? 0,
        connections: parts.connections.get(id as OrganizationId) ?? [],
        catalogs: parts.catalogs.get(id as OrganizationId) ?? [],
        toolsets: parts.toolsets.get(id as OrganizationId) ?? [],
        members: parts.members.get(id) ?? new Map(),
        groups: parts.groups.get(id) ?? new Map(),
        states: parts.states.get(id as OrganizationId) ?? [],
        rules: parts.rules.get(id as OrganizationId) ?? [],
      },
    ]),
  )
}

async function readNamed(
  sql: OrgSql,
  { tables, version }: NamedRows,
  organizationRows: OrganizationRows,
): Promise<OrganizationRows> {
  const parts = partsOf(tables)
  const connections = await placed(
    organizationRows.connections,
    parts.get('connections'),
    ({ alias }) => alias,
    (ids) => listConnections(sql, ids),
  )
  // Rules name their connection.
  const renamed =
    connections !== organizationRows.connections && !isNamedAlike(connections, organizationRows.connections)
  const [memberIds, groupIds] = [parts.get('members'), parts.get('groups')]
  // Times at which lists were fetched are told by no notice: they are read with their connection.
  const catalogIds = joined(parts.get('catalogs'), parts.get('connections'))
  return {
    version: Math.max(organizationRows.version, version ?? 0),
    connections,
    catalogs: await catalogsOf(sql, organizationRows.catalogs, catalogIds),
    toolsets: await placed(
      organizationRows.toolsets,
      parts.get('toolsets'),
      ({ slug }) => slug,
      (ids) => listToolsets(sql, ids),
    ),
    members: await ofMembers(organizationRows.members, memberIds, (ids) => listRoles(sql, ids)),
    groups: await ofMembers(organizationRows.groups, groupIds, (ids) => listGroupsOfMembers(sql, ids)),
    states: await statesOf(sql, organizationRows.states, parts.get('states')),
    rules: parts.has('rules') || renamed ? await listOrganizationRules(sql) : organizationRows.rules,
  }
}

function partsOf(tables: NamedRows['tables']): ReadonlyMap<Part, Ids> {
  const parts = new Map<Part, Ids>()
  for (const [table, ids] of tables) {
    const part = PART_OF.get(table)
    if (part === undefined) continue
    parts.set(part, joined(parts.get(part), ids) ?? ids)
  }
  return parts
}

function joined(one: Ids | undefined, other: Ids | undefined): Ids | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return one === 'all' || other === 'all' ? 'all' : new Set([...one, ...other])
}

const isNamedAlike = (some: readonly ConnectionRow[], others: readonly ConnectionRow[]): boolean =>
  some.length === others.length &&
  some.every(({ id, alias }, at) => others[at]?.id === id && others[at].alias === alias)

/** Rows in the database's order of names: what is new or has another name needs that order, so then all are read. */
async function placed<Row extends { readonly id: string }>(
  rows: readonly Row[],
  ids: Ids | undefined,
  nameOf: (row: Row) => string,
  read: (ids?: readonly string[]) => Promise<readonly Row[]>,
): Promise<readonly Row[]> {
  if (ids === undefined) return rows
  if (ids === 'all') return read()
  const found = new Map((await read([...ids])).map((row) => [row.id, row]))
  const before = new Map(rows.filter(({ id }) => ids.has(id)).map((row) => [row.id, nameOf(row)]))
  if ([...found.values()].some((row) => before.get(row.id) !== nameOf(row))) return read()
  return rows.flatMap((row) => (ids.has(row.id) ? (found.get(row.id) ?? []) : row))
}

/** By member; those who are not found any more are left out. */
async function ofMembers<Value>(
  before: ReadonlyMap<UserId, Value>,
  ids: Ids | undefined,
  read: (ids?: readonly string[]) => Promise<ReadonlyMap<UserId, Value>>,
): Promise<ReadonlyMap<UserId, Value>> {
  if (ids === undefined) return before
  if (ids === 'all') return read()
  return new Map([...[...before].filter(([id]) => !ids.has(id)), ...(await read([...ids]))])
}

async function catalogsOf(
  sql: OrgSql,
  before: readonly CatalogRow[],
  ids: Ids | undefined,
): Promise<readonly CatalogRow[]> {
  if (ids === undefined) return before
  if (ids === 'all') return listCatalogs(sql, byConnection(before))
  const concerned = before.filter((row) => ids.has(row.connection_id))
  const found = await listCatalogs(sql, byConnection(concerned), [...ids])
  return [...before.filter((row) => !ids.has(row.connection_id)), ...found]
}

async function statesOf(
  sql: OrgSql,
  before: readonly ToolStateRow[],
  ids: Ids | undefined,
): Promise<readonly ToolStateRow[]> {
  if (ids === undefined) return before
  if (ids === 'all') return listToolStates(sql)
  const found = await listToolStates(sql, [...ids])
  return [...before.filter((row) => !ids.has(row.connection_id)), ...found]
}
