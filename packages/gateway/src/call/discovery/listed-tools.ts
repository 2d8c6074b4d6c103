/** Which tools a list names, by the way in which clients of an endpoint come to tools (ledger U-08). */
import { joinName, NEWEST_LEGACY, type Caller, type JsonObject } from '@toolway/protocol'
import { capabilitiesOf, type Offered } from '../../catalog/view.ts'
import type { Standing } from '../ports.ts'
import { ownTool, searchTools, tierTools } from './own-tools.ts'
import { itemsOf } from './seen.ts'

/** The same list for the same caller as long as nothing changes, as pages and comparisons want it. */
export function listedTools(standing: Standing, caller: Caller): readonly JsonObject[] {
  const all = itemsOf(standing, 'tools', caller)
  const { mode } = standing.view.discovery
  if (mode === 'direct' || mode === 'paged') return all
  const held = listed.get(all)
  if (held !== undefined) return held
  const made = [...tellers(standing, caller, all), ...pinned(standing, all)]
  listed.set(all, made)
  return made
}

/** By the list that they stand for, which belongs to one view and one kind of caller. */
const listed = new WeakMap<readonly JsonObject[], readonly JsonObject[]>()

function tellers(standing: Standing, { revision }: Caller, all: readonly JsonObject[]): JsonObject[] {
  const { view } = standing
  const tasks = revision === NEWEST_LEGACY && capabilitiesOf(view, revision)['tasks'] !== undefined
  const telling = { view, revision, tasks }
  if (view.discovery.mode === 'search') return all.length === 0 ? [] : searchTools(telling)
  const counts = countByConnection(standing, all)
  return view.offered.flatMap((from) => {
    const count = counts.get(from.connectionId) ?? 0
    return count === 0 ? [] : tierTools(telling, from, count)
  })
}

function countByConnection({ view }: Standing, all: readonly JsonObject[]): Map<Offered['connectionId'], number> {
  const counts = new Map<Offered['connectionId'], number>()
  for (const { name } of all) {
    const id = view.tool(String(name))?.connectionId
    if (id !== undefined) counts.set(id, (counts.get(id) ?? 0) + 1)
  }
  return counts
}

/** Listed as they are, but for those that bear a name of ours. */
const pinned = ({ view }: Standing, all: readonly JsonObject[]): JsonObject[] =>
  all.filter(({ name }) => {
    const target = view.tool(String(name))
    return (
      target !== undefined &&
      view.discovery.pins(joinName(target.alias, target.name)) &&
      ownTool(view, name) === undefined
    )
  })
