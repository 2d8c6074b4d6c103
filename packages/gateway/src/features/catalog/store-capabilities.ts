/**
 * Stores the catalog of a server, in one transaction: its lists, the names that clients know them by, and the account of each
 * tool, compared with the accepted one. A change is accepted or held for review, depending on the connection's lock, and is
 * recorded.
 */
import { randomUUID } from 'node:crypto'
import type { ConnectionId, EffectSpeakers, LockMode, OrganizationId } from '@toolway/contract'
import type { JsonObject } from '@toolway/protocol'
import { addAlert } from '../alerts/index.ts'
import { bytesOfOthers, storeCatalog } from '../../catalog/catalogs.ts'
import { isHeld } from '../../catalog/locks/is-held.ts'
import { isNamed, onceEach, sightingsOf, type Sighting } from '../../catalog/locks/tool-hash.ts'
import {
  acceptTools,
  forgetGone,
  holdTools,
  listAccepted,
  listKnownTools,
  noteGone,
  noteThere,
  releaseTools,
  type KnownTool,
} from '../../catalog/locks/tool-locks.ts'
import { nameThem, type NamedKind } from '../../catalog/names/exposed-names.ts'
import { lockForLook, type Seen } from '../../connections/connections.ts'
import { listSaidEffects } from '../../connections/tool-states.ts'
import type { SystemSql } from '../../db/db.ts'
import { entryOfChange, type Actor, type Change } from '../../records/change.ts'
import { storeRecords, type Entry } from '../../records/records.ts'
import { noteState } from './note-state.ts'
import { bytesOf, createLeftOut, inMiB, MAX_ORGANIZATION } from '../../upstreams/capabilities/capabilities-bounds.ts'
import type { CapabilitiesSnapshot } from '../../upstreams/capabilities/fetch-capabilities.ts'

interface Of {
  readonly organizationId: OrganizationId
  readonly connectionId: ConnectionId
}

/** The lists of a server, and the revision it spoke. */
export interface Listed extends Of {
  readonly offer: CapabilitiesSnapshot
  readonly era: Seen['era']
  /** How it is, with hints about its sandbox where it is connected, a sentence on each line; connected if absent. */
  readonly seen?: Pick<Seen, 'status' | 'reason'>
}

/**
 * Stores the catalogs of several connections. All gateways lock the connections in the order of their ids and the head of a chain of
 * records last: another order is a deadlock with an administrator's change of one of them. A connection that is gone meanwhile keeps
 * nothing.
 *
 * @param most bytes that the catalogs of an organization may have together
 */
export async function storeCapabilities(
  sql: SystemSql,
  all: readonly Listed[],
  most = MAX_ORGANIZATION,
): Promise<void> {
  const entries: Entry[] = []
  for (const item of all.toSorted((a, b) => (a.connectionId < b.connectionId ? -1 : 1)))
    entries.push(...(await storeOne(sql, item, most)))
  if (entries.length > 0) await storeRecords(sql, entries)
}

/** Returns the records of what changed. */
async function storeOne(sql: SystemSql, { offer: listed, era, seen, ...of }: Listed, most: number): Promise<Entry[]> {
  const { organizationId, connectionId } = of
  const connection = await lockForLook(sql, connectionId)
  if (connection === undefined) return []
  const { alias, connector, tool_lock: mode, trusted } = connection
  const others = await bytesOfOthers(sql, organizationId, connectionId)
  const { offer, bytes } = withinRoom({ ...listed, tools: onceEach(listed.tools) }, { most, others })
  const { tools } = offer
  await storeCatalog(sql, organizationId, connectionId, { ...offer, bytes })
  const name = (kind: NamedKind, list: readonly JsonObject[]) =>
    nameThem(sql, { ...of, alias, kind, originals: list.map((value) => value['name']).filter(isNamed) })
  await name('tool', tools)
  await name('prompt', offer.prompts)
  const drift = compare(await listKnownTools(sql, connectionId), sightingsOf(tools))
  const stated = await listSaidEffects(sql, connectionId)
  const speakersOf = (tool: string) => ({ connector, trusted, said: stated.get(tool) })
  const storedDrift = await keepAccount(sql, of, { mode, drift, speakersOf })
  await noteState(sql, connectionId, { status: 'connected', reason: undefined, ...seen, era })
  return recordDrift(sql, of, alias, storedDrift)
}

const MEMBERS = ['tools', 'prompts', 'templates', 'resources'] as const

/** Bytes of the catalogs of an organization: how many they may have together, and how many the other connections have. */
interface Room {
  readonly most: number
  readonly others: number
}

/** As much of it as the organization has room for: what does not fit is left out, and said so once for each list. */
function withinRoom(
  offer: CapabilitiesSnapshot,
  { most, others }: Room,
): { offer: CapabilitiesSnapshot; bytes: number } {
  const leftOut = createLeftOut(offer.leftOut)
  let bytes = 0
  const fittingLists = MEMBERS.map((member) => {
    const taken = offer[member].filter((item) => {
      const size = bytesOf(item)
      if (others + bytes + size > most) return false
      bytes += size
      return true
    })
    const missing = offer[member].length - taken.length
    const reason = `the catalogs of one organization may have ${inMiB(most)} in total, and ${missing} of this list exceed that`
    if (missing > 0) leftOut.add(member, reason)
    return [member, taken] as const
  })
  return { offer: { ...offer, ...Object.fromEntries(fittingLists), leftOut: leftOut.items }, bytes }
}

/** The differences from the previous fetch. */
interface Drift {
  readonly known: ReadonlyMap<string, KnownTool>
  /** Another than what was accepted and what is held, or new. */
  readonly changed: readonly Sighting[]
  /** As it is held already. */
  readonly still: readonly Sighting[]
  /** As it was accepted, after it was held, or gone. */
  readonly back: readonly string[]
  readonly gone: readonly string[]
}

function compare(rows: readonly KnownTool[], seen: readonly Sighting[]): Drift {
  const known = new Map(rows.map((row) => [row.tool, row]))
  const there = new Set(seen.map(({ tool }) => tool))
  const as = (hash: 'accepted_hash' | 'held_hash') => (sighting: Sighting) =>
    known.get(sighting.tool)?.[hash] === sighting.hash
  const accepted = seen.filter(as('accepted_hash'))
  const others = seen.filter((sighting) => !as('accepted_hash')(sighting))
  const wasAway = ({ tool }: Sighting) => {
    const row = known.get(tool)
    return row !== undefined && (row.held_hash !== null || row.gone_at !== null)
  }
  return {
    known,
    changed: others.filter((sighting) => !as('held_hash')(sighting)),
    still: others.filter(as('held_hash')),
    back: accepted.filter(wasAway).map(({ tool }) => tool),
    gone: rows.filter(({ tool, gone_at: gone }) => gone === null && !there.has(tool)).map(({ tool }) => tool),
  }
}

/** The outcome of a drift. */
interface StoredDrift extends Pick<Drift, 'known' | 'back' | 'gone'> {
  readonly accepted: readonly Sighting[]
  readonly held: readonly Sighting[]
}

interface Judging {
  readonly mode: LockMode
  readonly drift: Drift
  /** The sources that determine the effect of a tool. */
  speakersOf(tool: string): EffectSpeakers
}

async function keepAccount(sql: SystemSql, of: Of, { mode, drift, speakersOf }: Judging): Promise<StoredDrift> {
  const { known, changed, still, back, gone } = drift
  const { connectionId } = of
  const wasAccepted = [...changed, ...(mode === 'off' ? still : [])]
    .filter(({ tool }) => known.get(tool)?.accepted_hash != null)
    .map(({ tool }) => tool)
  const before =
    wasAccepted.length === 0
      ? new Map<string, JsonObject | null>()
      : new Map((await listAccepted(sql, connectionId, wasAccepted)).map((row) => [row.tool, row.accepted]))
  const isKept = ({ tool, definition }: Sighting): boolean => {
    // One that waits for its first look goes on waiting, whatever it is by now.
    if (known.has(tool) && before.get(tool) == null) return mode !== 'off'
    return isHeld(mode, before.get(tool) ?? undefined, definition, speakersOf(tool))
  }
  const heldTools = changed.filter(isKept)
  const accepted = [
    ...changed.filter((sighting) => !isKept(sighting)),
    ...(mode === 'off' ? still.filter((sighting) => !isKept(sighting)) : []),
  ]
  if (accepted.length > 0) await acceptTools(sql, of, accepted, null)
  if (heldTools.length > 0) await holdTools(sql, of, heldTools)
  if (back.length > 0) await releaseTools(sql, connectionId, back)
  const again = still.filter(
    (sighting) => (mode !== 'off' || isKept(sighting)) && known.get(sighting.tool)?.gone_at != null,
  )
  if (again.length > 0)
    await noteThere(
      sql,
      connectionId,
      again.map(({ tool }) => tool),
    )
  if (gone.length > 0) {
    await noteGone(sql, connectionId, gone)
    await forgetGone(sql, connectionId)
  }
  return { known, accepted, held: heldTools, back, gone }
}

/** So many are named; a server that changes thousands is one line. */
const MAX_NAMED = 50
const some = <Item>(list: readonly Item[]) => ({
  tools: list.slice(0, MAX_NAMED),
  ...(list.length > MAX_NAMED ? { more: list.length - MAX_NAMED } : {}),
})

/** Alerts of what changed now; returns the records of it, which are stored last. */
async function recordDrift(
  sql: SystemSql,
  of: Of,
  alias: string,
  { known, accepted, held, back, gone }: StoredDrift,
): Promise<Entry[]> {
  const hashes = ({ tool, hash }: Sighting) => ({ tool, before: known.get(tool)?.accepted_hash ?? null, after: hash })
  const reverted = back.filter((tool) => known.get(tool)?.held_hash != null)
  // Under a lock that is off, what a first look found is what there is, and no change.
  const changed = known.size === 0 ? [] : accepted
  const told: readonly (readonly [Change['action'], object, number])[] = [
    ['tool.hold', some(held.map(hashes)), held.length],
    ['tool.change', some(changed.map(hashes)), changed.length],
    ['tool.revert', some(reverted), reverted.length],
    ['tool.vanish', some(gone), gone.length],
  ]
  const alert = { organizationId: of.organizationId, connectionId: of.connectionId }
  if (held.length > 0)
    await addAlert(sql, { ...alert, kind: 'tool.held', detail: { alias, ...some(held.map(hashes)) } })
  if (reverted.length > 0)
    await addAlert(sql, { ...alert, kind: 'tool.settled', detail: { alias, verdict: 'reverted', ...some(reverted) } })
  const changes: Change[] = told
    .filter(([, , count]) => count > 0)
    .map(([action, detail]) => ({ action, resource: 'connection', id: of.connectionId, detail: { alias, ...detail } }))
  const actor = lookingActor()
  return changes.map((change) => entryOfChange(actor, of.organizationId, change))
}

/** A look at a server, which nobody makes. */
const lookingActor = (): Actor => ({
  id: 'catalog',
  type: 'system',
  keyId: undefined,
  address: undefined,
  userAgent: undefined,
  correlationId: randomUUID(),
})
