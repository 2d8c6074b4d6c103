/** The tools that a list names, by the discovery mode of an endpoint's clients (ledger U-08). */
import type { DiscoveryMode } from '@toolway/contract'
import { joinName, NEWEST_LEGACY, type Caller, type JsonObject, type Revision } from '@toolway/protocol'
import { capabilitiesOf, type Offered, type ToolListing } from '../../catalog/tool-listing.ts'
import { ownTool, searchTools, tierTools, type Telling } from './own-tools.ts'
import { itemsOf, toolsFor, type Seeing } from './seen.ts'

/** The same list for the same caller as long as nothing changes, as pages and comparisons want it. */
export function listedTools(requestContext: Seeing, caller: Caller): readonly JsonObject[] {
  const { toolListing } = requestContext
  const { mode } = toolListing.discovery
  if (mode === 'direct' || mode === 'paged') return itemsOf(requestContext, 'tools', caller)
  const all = toolsFor(requestContext, caller)
  const held = listed.get(all)
  if (held !== undefined) return held
  const made = definitionsIn(mode, { toolListing, all, revision: caller.revision })
  listed.set(all, made)
  return made
}

/** By the list that they stand for, which belongs to one view and one kind of caller. */
const listed = new WeakMap<readonly JsonObject[], readonly JsonObject[]>()

export interface Listing {
  readonly toolListing: ToolListing
  /** All that a caller sees. */
  readonly all: readonly JsonObject[]
  readonly revision: Revision
}

/** The definitions that are listed in that mode, whichever mode the endpoint has. */
export function definitionsIn(mode: DiscoveryMode, listing: Listing): readonly JsonObject[] {
  const { toolListing, all, revision } = listing
  if (mode === 'direct' || mode === 'paged') return all
  const tasks = revision === NEWEST_LEGACY && capabilitiesOf(toolListing, revision)['tasks'] !== undefined
  const telling = { toolListing, revision, tasks }
  const own = mode === 'search' ? searchOf(telling, all) : tiersOf(telling, all)
  return [...own, ...pinned(toolListing, all), ...fileToolsIn(toolListing, all)]
}

const searchOf = (telling: Telling, all: readonly JsonObject[]) => (all.length === 0 ? [] : searchTools(telling))

/** A connection of which a caller sees nothing is not there for it. */
function tiersOf(telling: Telling, all: readonly JsonObject[]): JsonObject[] {
  const counts = new Map<Offered['connectionId'], number>()
  for (const { name } of all) {
    const id = telling.toolListing.tool(String(name))?.connectionId
    if (id !== undefined) counts.set(id, (counts.get(id) ?? 0) + 1)
  }
  return telling.toolListing.offered.flatMap((from) => {
    const count = counts.get(from.connectionId) ?? 0
    return count === 0 ? [] : tierTools(telling, from, count)
  })
}

/** A client that searches for the other tools needs these beside them. */
const fileToolsIn = ({ fileTools: { upload, download } }: ToolListing, all: readonly JsonObject[]) =>
  all.filter(({ name }) => name !== undefined && (name === upload || name === download))

/** Listed as they are, but for those that bear a name of ours. */
const pinned = (toolListing: ToolListing, all: readonly JsonObject[]): JsonObject[] =>
  all.filter(({ name }) => {
    const target = toolListing.tool(String(name))
    return (
      target !== undefined &&
      toolListing.discovery.pins(joinName(target.alias, target.name)) &&
      ownTool(toolListing, name) === undefined
    )
  })
