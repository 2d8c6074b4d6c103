/**
 * Telling open streams that a list is another one now, whatever made it so: a connection added, changed, switched or removed,
 * a toolset changed, a catalog fetched by this process or by another one.
 */
import type { ConnectionId, OrganizationId } from '@toolway/contract'
import type { Snapshot } from './snapshot.ts'

export type Changed = 'tools' | 'prompts' | 'resources'
type Tell = (organizationId: OrganizationId, connectionId: ConnectionId, kind: Changed) => void

const KINDS = ['tools', 'prompts', 'resources'] as const

/**
 * Call it with the snapshots that were loaded, and the ids of the organizations that are gone; the first time of each organization
 * there is nobody to tell.
 */
export function createTellChanges(tell: Tell): (loaded: readonly Snapshot[], gone?: Iterable<string>) => void {
  const before = new Map<string, Snapshot>()
  return (loaded, gone = []) => {
    for (const id of gone) before.delete(id)
    for (const now of loaded) {
      const last = before.get(now.organization.id)
      before.set(now.organization.id, now)
      if (last !== undefined && last !== now) compare(last, now, tell)
    }
  }
}

function compare(last: Snapshot, now: Snapshot, tell: Tell): void {
  const selected = JSON.stringify(last.toolsets) !== JSON.stringify(now.toolsets)
  const toolsScreened = last.rules !== now.rules
  const ids = new Set([...last.connections, ...now.connections].map(({ id }) => id))
  for (const id of ids) {
    if (!selected && !toolsScreened && isSame(last, now, id)) continue
    // The tools that a rule concerns are not determined: a client that lists once too often gets the same list.
    const filtered = toolsScreened || switchesOf(last, id) !== switchesOf(now, id) || isGone(last, now, id)
    for (const kind of KINDS)
      if (selected || (kind === 'tools' && filtered) || offerOf(last, id, kind) !== offerOf(now, id, kind))
        tell(now.organization.id, id, kind)
  }
}

/** Rows that were not read again are the very same: of a thousand connections, all but the one that changed. */
function isSame(last: Snapshot, now: Snapshot, id: ConnectionId): boolean {
  const [index, other] = [indexOf(last), indexOf(now)]
  return (
    last.organization.active === now.organization.active &&
    index.connections.get(id) === other.connections.get(id) &&
    last.catalogs.get(id) === now.catalogs.get(id) &&
    switchesOf(last, id) === switchesOf(now, id)
  )
}

/** Clients of a connection that is gone must list again, even where its lists were empty. */
const isGone = (last: Snapshot, now: Snapshot, id: ConnectionId): boolean => isThere(last, id) && !isThere(now, id)

const isThere = (snapshot: Snapshot, id: ConnectionId): boolean =>
  snapshot.organization.active && indexOf(snapshot).connections.get(id)?.enabled === true

function switchesOf(snapshot: Snapshot, id: ConnectionId): string {
  const { connections, states } = indexOf(snapshot)
  const connection = connections.get(id)
  const otherwise = `${connection?.tools_default} ${connection?.tool_lock}`
  const own = states.get(id)
  return own === undefined ? otherwise : JSON.stringify([otherwise, own])
}

interface Index {
  readonly connections: ReadonlyMap<ConnectionId, Snapshot['connections'][number]>
  readonly states: ReadonlyMap<ConnectionId, Snapshot['states']>
}

const indexes = new WeakMap<Snapshot, Index>()

/** By connection, made once for each snapshot: every connection of it is looked up several times. */
function indexOf(snapshot: Snapshot): Index {
  const before = indexes.get(snapshot)
  if (before !== undefined) return before
  const index = {
    connections: new Map(snapshot.connections.map((connection) => [connection.id, connection])),
    states: Map.groupBy(snapshot.states, (state) => state.connection_id),
  }
  indexes.set(snapshot, index)
  return index
}

const known = new WeakMap<object, string>()

/** Returns a connection's offer of a kind, as text to compare; a catalog's text is computed once. */
function offerOf(snapshot: Snapshot, id: ConnectionId, kind: Changed): string {
  const { organization, catalogs } = snapshot
  if (!organization.active) return ''
  const connection = indexOf(snapshot).connections.get(id)
  const catalog = catalogs.get(id)
  if (connection?.enabled !== true || catalog === undefined) return ''
  const lists = kind === 'resources' ? [catalog.resources, catalog.templates] : [catalog[kind], catalog.names]
  if (kind === 'tools') lists.push(catalog.held)
  // No list yet and an empty one are the same to a client.
  const texts = lists.map((list) => (list === null || list.length === 0 ? '' : textOf(list)))
  return texts.some((text) => text !== '') ? texts.join('\n') : ''
}

function textOf(list: object): string {
  const before = known.get(list)
  if (before !== undefined) return before
  const text = JSON.stringify(list)
  known.set(list, text)
  return text
}
