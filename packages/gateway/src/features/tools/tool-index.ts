/**
 * The tools of all connections of an organization, sorted once for each snapshot, so that a page costs no more than looking
 * through them. Other requests are served between slices of the work: an organization can have 100,000 tools.
 */
import { shownEffectOf, type SHOWN_EFFECTS } from '@toolway/contract'
import type { OrganizationTool, TOOL_PLIGHTS, TOOL_SORTS } from '@toolway/contract/admin'
import type { JsonObject } from '@toolway/protocol'
import type { Snapshot } from '../../snapshot/snapshot.ts'
import type { ConnectionRow } from '../../connections/connections.ts'
import { nextTurn } from '../../lib/next-turn.ts'
import { tokensOf } from '../../lib/tokens.ts'
import { describeTools, type DescribedTool } from '../connections/index.ts'
import { marksOf } from './definition-marks.ts'

export interface IndexedTool extends Omit<DescribedTool, 'tool'> {
  readonly connection: ConnectionRow
  /** With its whole description. */
  readonly tool: OrganizationTool
}

export interface ToolIndex {
  /** By their joined names, in the order of their UTF-16 code units. */
  readonly all: readonly IndexedTool[]
  /** Tokens of the definitions of all tools. */
  readonly tokens: number
  /** The first of that joined name, else the one that rules know by it. */
  joined(name: string): IndexedTool | undefined
  sortedBy(sort: ToolSort): readonly IndexedTool[]
}

export type ToolSort = (typeof TOOL_SORTS)[number]

/** Tools that are described, or looked through, in one slice. */
const DESCRIBED_AT_ONCE = 500
const LOOKED_THROUGH_AT_ONCE = 10_000

const indexes = new WeakMap<Snapshot, Promise<ToolIndex>>()

export function toolIndexOf(snapshot: Snapshot): Promise<ToolIndex> {
  const known = indexes.get(snapshot)
  if (known !== undefined) return known
  const made = makeIndex(snapshot)
  indexes.set(snapshot, made)
  made.catch(() => indexes.delete(snapshot))
  return made
}

async function makeIndex(snapshot: Snapshot): Promise<ToolIndex> {
  const names = countNames(snapshot)
  const describe = createDescribe(snapshot)
  const all: IndexedTool[] = []
  let tokens = 0
  for (const connection of snapshot.connections)
    for (const entry of await describe(connection)) {
      tokens += entry.tool.tokens
      all.push((names.get(entry.tool.name) ?? 0) > 1 ? asDuplicate(entry) : entry)
    }
  all.sort((first, second) => compare(first.tool.joined_name, second.tool.joined_name))
  const byName = new Map<string, IndexedTool>()
  for (const name of ['joined_name', 'rule_name'] as const)
    for (const entry of all) if (!byName.has(entry.tool[name])) byName.set(entry.tool[name], entry)
  const sorted = new Map<ToolSort, readonly IndexedTool[]>([['name', all]])
  return {
    all,
    tokens,
    joined: (name) => byName.get(name),
    sortedBy(sort) {
      const list = sorted.get(sort) ?? all.toSorted(SORTS[sort])
      sorted.set(sort, list)
      return list
    },
  }
}

/** The tools of a connection, and everything that their description depends on. */
interface Described {
  readonly by: Pick<Snapshot, 'rules' | 'states' | 'toolsets'> & {
    readonly catalog: unknown
    readonly approvals: unknown
  }
  readonly tools: readonly IndexedTool[]
}
const described = new WeakMap<ConnectionRow, Described>()

/**
 * The tools of a connection. Where nothing that they are described by has changed, they are those of the snapshot before: the state of
 * one connection changes more often than anybody lists the tools of all. Rows that did not change are the same objects
 * (`snapshot/organization-rows.ts`).
 */
function createDescribe(snapshot: Snapshot) {
  const { rules, states, toolsets, catalogs, organization } = snapshot
  const describe = describeTools(snapshot)
  return async (connection: ConnectionRow): Promise<readonly IndexedTool[]> => {
    const { approvals } = organization.settings
    const by = { rules, states, toolsets, catalog: catalogs.get(connection.id), approvals }
    const before = described.get(connection)
    if (before !== undefined && Object.entries(before.by).every(([name, part]) => by[name as keyof typeof by] === part))
      return before.tools
    const tools: IndexedTool[] = []
    for (const entry of describe(connection)) {
      tools.push({ ...entry, connection, tool: toOrganizationTool(entry, connection) })
      if (tools.length % DESCRIBED_AT_ONCE === 0) await nextTurn()
    }
    described.set(connection, { by, tools })
    // Connections with few tools are many.
    await nextTurn()
    return tools
  }
}

/** Another connection has a tool of the same name. */
const asDuplicate = (entry: IndexedTool): IndexedTool => ({
  ...entry,
  tool: { ...entry.tool, marks: [...entry.tool.marks, 'duplicate'] },
})

const compare = (first: string, second: string): number => (first < second ? -1 : first > second ? 1 : 0)

/** The sort is stable: tools that are alike stay in the order of their names. */
const SORTS: Readonly<Record<ToolSort, (first: IndexedTool, second: IndexedTool) => number>> = {
  name: (first, second) => compare(first.tool.joined_name, second.tool.joined_name),
  tokens: (first, second) => second.tool.tokens - first.tool.tokens,
  marks: (first, second) => second.tool.marks.length - first.tool.marks.length,
}

/** How many connections have a tool of each name. */
function countNames({ connections, catalogs }: Snapshot): ReadonlyMap<unknown, number> {
  const counts = new Map<unknown, number>()
  for (const { id } of connections)
    for (const name of new Set(catalogs.get(id)?.tools?.map((definition) => definition['name'])))
      counts.set(name, (counts.get(name) ?? 0) + 1)
  return counts
}

const costs = new WeakMap<JsonObject, number>()
/** A definition never changes while it is in memory, and a list asks for all of them. */
function costOf(definition: JsonObject, name: string): number {
  const known = costs.get(definition)
  if (known !== undefined) return known
  const cost = tokensOf({ ...definition, name })
  costs.set(definition, cost)
  return cost
}

function toOrganizationTool(
  { tool, definition, facts }: DescribedTool,
  { id, alias, enabled, settings }: ConnectionRow,
): OrganizationTool {
  return {
    ...tool,
    connection: id,
    alias,
    connector: settings.connector,
    rule_name: facts.joined,
    hidden_by: enabled ? tool.hidden_by : 'connection',
    tokens: costOf(definition, tool.joined_name),
    marks: marksOf({ definition, joined: tool.joined_name }),
  }
}

export interface ToolFilter {
  /** Part of a name, a title or a description. */
  readonly search?: string | undefined
  readonly effect?: (typeof SHOWN_EFFECTS)[number] | undefined
  /** Alias or id. */
  readonly connection?: string | undefined
  readonly state?: (typeof TOOL_PLIGHTS)[number] | undefined
}

const PLIGHT = { connection: 'hidden', switch: 'off', hold: 'held', rule: 'hidden' } as const
const plightOf = ({ hidden_by: by }: OrganizationTool) => (by === null ? 'on' : PLIGHT[by])

export function fitsFilter({ search, effect, connection, state }: ToolFilter): (tool: OrganizationTool) => boolean {
  const sought = search?.trim().toLowerCase() ?? ''
  return (tool) =>
    (effect === undefined || shownEffectOf(tool) === effect) &&
    (connection === undefined || tool.connection === connection || tool.alias === connection) &&
    (state === undefined || plightOf(tool) === state) &&
    (sought === '' ||
      [tool.joined_name, tool.name, tool.title, tool.description].some(
        (text) => text?.toLowerCase().includes(sought) === true,
      ))
}

/** In the order of `list`. */
export async function findIndexed(
  list: readonly IndexedTool[],
  isWanted: (tool: OrganizationTool) => boolean,
): Promise<IndexedTool[]> {
  const found: IndexedTool[] = []
  for (let at = 0; at < list.length; at += LOOKED_THROUGH_AT_ONCE) {
    if (at > 0) await nextTurn()
    for (const entry of list.slice(at, at + LOOKED_THROUGH_AT_ONCE)) if (isWanted(entry.tool)) found.push(entry)
  }
  return found
}

/** Tokens. */
export const costOfAll = (found: readonly IndexedTool[]): number =>
  found.reduce((sum, { tool }) => sum + tool.tokens, 0)
