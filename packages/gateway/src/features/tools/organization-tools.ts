/** The tools of all connections of an organization, from what memory knows of it. */
import { Fault } from '@toolway/contract'
import type { OrganizationTool, ToolInFull } from '@toolway/contract/admin'
import { joinName, MODERN, type JsonObject } from '@toolway/protocol'
import type { Snapshot } from '../../snapshot/snapshot.ts'
import { createToolNames } from '../../snapshot/tool-names.ts'
import type { ToolListing } from '../../catalog/tool-listing.ts'
import { DEFAULT, toolsetsOf } from '../../toolsets/supplied-toolsets.ts'
import { textOf, titleOf } from '../connections/index.ts'
import { allToolsOf, findCalled } from '../../snapshot/tools-of.ts'
import { toolIndexOf, type IndexedTool } from './tool-index.ts'

/** Characters of a description that a list shows. */
const CUT_CHARACTERS = 200

export const cutText = (text: string | null): string | null =>
  text === null || text.length <= CUT_CHARACTERS ? text : `${text.slice(0, CUT_CHARACTERS).trimEnd()}…`

/** As a list shows it: its description is cut. */
export const toListed = ({ tool }: IndexedTool): OrganizationTool => ({
  ...tool,
  description: cutText(tool.description),
})

/** By any name that an endpoint lists it under. Throws `thing.unknown` and `tool.unclear`. */
export async function findOrganizationTool(snapshot: Snapshot, name: string): Promise<ToolInFull> {
  const index = await toolIndexOf(snapshot)
  const found = index.joined(name) ?? index.all.find(await isCalled(snapshot, name))
  if (found === undefined) throw new Fault('thing.unknown', { thing: 'tool' })
  const { definition, connection } = found
  return {
    ...found.tool,
    definition,
    revision: snapshot.catalogs.get(connection.id)?.revision ?? null,
    rules: rulesAbout(snapshot, found),
    toolsets: toolsetsWith(snapshot, found),
  }
}

async function isCalled(snapshot: Snapshot, name: string): Promise<(known: IndexedTool) => boolean> {
  const { connection, facts } = findCalled(snapshot, await allToolsOf(snapshot), { name, toolset: DEFAULT.slug })
  return (tool) => tool.connection.id === connection.id && tool.tool.name === facts.name
}

/** At whichever endpoint they speak. */
function rulesAbout(snapshot: Snapshot, { facts: plain, definition }: IndexedTool): ToolInFull['rules'] {
  const { organization, rules } = snapshot
  const facts = createToolNames(snapshot)(plain)
  const found = toolsetsOf(snapshot.toolsets).flatMap(({ slug }) => {
    const endpoint = { organization: organization.slug, toolset: slug }
    return rules.of(facts, endpoint, definition['inputSchema'])?.rules ?? []
  })
  return [...new Map(found.map((rule) => [rule.id, rule])).values()].map(
    ({ id, name, scope, of, action, state, reason }) => ({ id, name, scope, of: of ?? null, action, state, reason }),
  )
}

function toolsetsWith(snapshot: Snapshot, known: IndexedTool): ToolInFull['toolsets'] {
  return toolsetsOf(snapshot.toolsets).flatMap(({ slug, title }) => {
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

function listedIn(toolListing: ToolListing, { connection, tool }: IndexedTool): JsonObject | undefined {
  const isIt = (name: string) => {
    const target = toolListing.tool(name)
    return target?.connectionId === connection.id && target.name === tool.name
  }
  const list = toolListing.list('tools', MODERN)
  // Most have the name that they have everywhere.
  const usual = list.find(({ name }) => name === tool.joined_name || name === joinName(connection.alias, tool.name))
  return usual !== undefined && isIt(String(usual['name'])) ? usual : list.find(({ name }) => isIt(String(name)))
}
