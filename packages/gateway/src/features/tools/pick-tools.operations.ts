/** The operations on selections of tools: what a selection takes of all tools, and how a change of many tools at once turns out. */
import { dropConnection, dropTools, selects, takeConnection, takeTools, type SelectedTools } from '@toolway/contract'
import * as shapes from '@toolway/contract/admin'
import { pageFrom } from '../../lib/page.ts'
import { serveOrganization, type Served, snapshotOf } from './serve.operations.ts'
import { toListed } from './organization-tools.ts'
import { costOfAll, findIndexed, fitsFilter, toolIndexOf, type IndexedTool, type ToolIndex } from './tool-index.ts'

type Filter = ReturnType<typeof shapes.ToolPickFilter.parse>

/** Those of `list` that fit. */
async function fittingTools(list: readonly IndexedTool[], filter: Filter, selection: SelectedTools) {
  const isTaken = selects(selection)
  const fits = fitsFilter(filter)
  const { selected } = filter
  return findIndexed(list, (tool) => fits(tool) && (selected === undefined || isTaken(tool) === selected))
}

const pick = serveOrganization(shapes.pickTools, async (request) => {
  const { selection, ...query } = request.body
  const index = await toolIndexOf(snapshotOf(request))
  const isTaken = selects(selection)
  const found = await fittingTools(index.sortedBy(query.sort), query, selection)
  const chosen = await findIndexed(index.all, isTaken)
  return {
    ...pageFrom(found, query, (entry) => ({ ...toListed(entry), selected: isTaken(entry.tool) })),
    selected: found.filter(({ tool }) => isTaken(tool)).length,
    chosen: { tools: chosen.length, tokens: costOfAll(chosen), of: index.all.length },
  }
})

const connections = serveOrganization(shapes.pickConnections, async (request) => {
  const { selection, search, ...query } = request.body
  const snapshot = snapshotOf(request)
  const counts = await countByAlias(await toolIndexOf(snapshot), selection)
  const sought = search?.trim().toLowerCase() ?? ''
  const found = snapshot.connections.flatMap(({ alias, title }) => {
    const count = counts.get(alias)
    return count === undefined || !`${alias}\n${title}`.toLowerCase().includes(sought)
      ? []
      : [{ alias, title, ...count }]
  })
  return pageFrom(found, query, (row) => row)
})

async function countByAlias({ all }: ToolIndex, selection: SelectedTools) {
  const isTaken = selects(selection)
  const counts = new Map<string, { tools: number; selected: number }>()
  await findIndexed(all, (tool) => {
    const count = counts.get(tool.alias) ?? { tools: 0, selected: 0 }
    counts.set(tool.alias, { tools: count.tools + 1, selected: count.selected + (isTaken(tool) ? 1 : 0) })
    return false
  })
  return counts
}

const change = serveOrganization(shapes.changePick, async (request) => {
  const { selection, take, connection, names, filter } = request.body
  const { all } = await toolIndexOf(snapshotOf(request))
  const known = all.map(({ tool }) => tool)
  if (connection !== undefined)
    return take ? takeConnection(selection, connection, known) : dropConnection(selection, connection, known)
  const named = names === undefined ? undefined : new Set(names)
  const fit = await fittingTools(all, filter ?? {}, selection)
  const tools = fit.flatMap(({ tool }) => (named === undefined || named.has(tool.rule_name) ? [tool] : []))
  return take ? takeTools(selection, tools, known) : dropTools(selection, tools)
})

export const toolPickOperations: readonly Served[] = [pick, connections, change]
