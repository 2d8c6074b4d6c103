/** The tools of all connections of an organization, from what memory knows of it. */
import { Fault } from '@toolway/contract'
import type { OrganizationTool, ToolInFull } from '@toolway/contract/admin'
import { joinName, MODERN, type JsonObject } from '@toolway/protocol'
import type { Snapshot } from '../../call/snapshot.ts'
import type { ToolListing } from '../../catalog/tool-listing.ts'
import type { ConnectionRow } from '../../connections/connections.ts'
import { tokensOf } from '../../lib/tokens.ts'
import { withSupplied } from '../../toolsets/supplied.ts'
import { describeTools, textOf, titleOf, type DescribedTool } from '../connections/describe-tools.ts'
import { marksOf } from './marks.ts'

/** Characters of a description that a list shows. */
const CUT = 200

interface Known extends DescribedTool {
  readonly connection: ConnectionRow
}

const all = (snapshot: Snapshot): Known[] => {
  const describe = describeTools(snapshot)
  return snapshot.connections.flatMap((connection) =>
    describe(connection).map((described) => ({ ...described, connection })),
  )
}

/** By their joined names. Descriptions are cut. */
export function listOrganizationTools(snapshot: Snapshot): OrganizationTool[] {
  const known = all(snapshot)
  const names = countNames(known)
  return known
    .map((one) => toOrganizationTool(one, names))
    .map((tool) => ({ ...tool, description: cut(tool.description) }))
    .toSorted((one, other) => (one.joined_name < other.joined_name ? -1 : 1))
}

function countNames(known: readonly Known[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { tool } of known) counts.set(tool.name, (counts.get(tool.name) ?? 0) + 1)
  return counts
}

const cut = (text: string | null): string | null =>
  text === null || text.length <= CUT ? text : `${text.slice(0, CUT).trimEnd()}…`

const costs = new WeakMap<JsonObject, number>()
/** A definition never changes while it is held, and a list asks for all of them. */
function costOf(definition: JsonObject, name: string): number {
  const held = costs.get(definition)
  if (held !== undefined) return held
  const cost = tokensOf({ ...definition, name })
  costs.set(definition, cost)
  return cost
}

function toOrganizationTool(
  { tool, definition, connection, facts }: Known,
  names: ReadonlyMap<string, number>,
): OrganizationTool {
  const { id, alias, enabled, settings } = connection
  return {
    ...tool,
    connection: id,
    alias,
    connector: settings.connector,
    rule_name: facts.joined,
    hidden_by: enabled ? tool.hidden_by : 'connection',
    tokens: costOf(definition, tool.joined_name),
    marks: marksOf({ definition, joined: tool.joined_name, shared: (names.get(tool.name) ?? 0) > 1 }),
  }
}

/** Throws `thing.unknown`. */
export function findOrganizationTool(snapshot: Snapshot, joined: string): ToolInFull {
  const known = all(snapshot)
  const found = known.find(({ tool }) => tool.joined_name === joined)
  if (found === undefined) throw new Fault('thing.unknown', { thing: 'tool' })
  const { definition, connection } = found
  return {
    ...toOrganizationTool(found, countNames(known)),
    definition,
    revision: snapshot.catalogs.get(connection.id)?.revision ?? null,
    rules: rulesAbout(snapshot, found),
    toolsets: toolsetsWith(snapshot, found),
  }
}

const DEFAULT = { slug: 'default', title: '' }
/** Its own, those that are supplied, and the endpoint of the organization itself. */
export const toolsetsOf = ({ toolsets }: Pick<Snapshot, 'toolsets'>) => {
  const named = withSupplied(toolsets)
  return named.some(({ slug }) => slug === DEFAULT.slug) ? named : [DEFAULT, ...named]
}

/** At whichever endpoint they speak. */
function rulesAbout(snapshot: Snapshot, { facts, definition }: Known): ToolInFull['rules'] {
  const { organization, rules } = snapshot
  const found = toolsetsOf(snapshot).flatMap(({ slug }) => {
    const endpoint = { organization: organization.slug, toolset: slug }
    return rules.of(facts, endpoint, definition['inputSchema'])?.rules ?? []
  })
  return [...new Map(found.map((rule) => [rule.id, rule])).values()].map(
    ({ id, name, scope, of, action, state, reason }) => ({ id, name, scope, of: of ?? null, action, state, reason }),
  )
}

function toolsetsWith(snapshot: Snapshot, known: Known): ToolInFull['toolsets'] {
  return toolsetsOf(snapshot).flatMap(({ slug, title }) => {
    const toolListing = snapshot.toolListing(slug, undefined, 'execute')
    const listed = toolListing === undefined ? undefined : listedIn(toolListing, known)
    if (listed === undefined) return []
    const { definition } = known
    const schema = listed['inputSchema'] as JsonObject
    return [
      {
        slug,
        title,
        name: String(listed['name']),
        other_title: titleOf(listed) === titleOf(definition) ? null : titleOf(listed),
        other_description: listed['description'] === definition['description'] ? null : textOf(listed['description']),
        other_schema: JSON.stringify(schema) === JSON.stringify(definition['inputSchema']) ? null : schema,
      },
    ]
  })
}

function listedIn(toolListing: ToolListing, { connection, tool }: Known): JsonObject | undefined {
  const isIt = (name: string) => {
    const target = toolListing.tool(name)
    return target?.connectionId === connection.id && target.name === tool.name
  }
  const list = toolListing.list('tools', MODERN)
  // Most have the name that they have everywhere.
  const usual = list.find(({ name }) => name === tool.joined_name || name === joinName(connection.alias, tool.name))
  return usual !== undefined && isIt(String(usual['name'])) ? usual : list.find(({ name }) => isIt(String(name)))
}
