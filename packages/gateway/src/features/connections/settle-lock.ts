/**
 * Decisions of people about the tools of a connection: how its lock stands, and whether a held tool may come in. The caller holds the
 * transaction and leaves the record.
 */
import { createHash } from 'node:crypto'
import { Fault, type ConnectionId, type LockMode, type OrganizationId } from '@toolway/contract'
import { addAlert } from '../alerts/index.ts'
import { findTools } from '../../catalog/catalogs.ts'
import { sightingsOf, type Sighting } from '../../catalog/locks/tool-hash.ts'
import {
  acceptTools,
  findToolLock,
  forgetTools,
  holdTools,
  listKnownTools,
  rejectHeld,
  type Looked,
  type WholeToolLock,
} from '../../catalog/locks/tool-locks.ts'
import { setToolLock, type ConnectionRow } from '../../connections/connections.ts'
import type { OrgSql } from '../../db/db.ts'

export interface LockSetting {
  readonly mode: LockMode
  readonly trusted?: boolean | undefined
  readonly present?: 'accept' | 'hold' | undefined
}

type Locked = Pick<ConnectionRow, 'id' | 'alias' | 'tool_lock' | 'trusted'>

/** Returns one hash of all tools that a server lists now. A decision about all of them names the list that was reviewed. */
export const fingerprintOf = (sightings: readonly Sighting[]): string =>
  createHash('sha256')
    .update(
      sightings
        .map(({ tool, hash }) => `${hash} ${JSON.stringify(tool)}`)
        .toSorted()
        .join('\n'),
    )
    .digest('hex')

export const presentTools = async (sql: OrgSql, id: ConnectionId): Promise<Sighting[]> =>
  sightingsOf(await findTools(sql, id))

/** Set the lock of a connection that this transaction holds; how many of the tools that are there were accepted, or held. */
export async function setLock(
  sql: OrgSql,
  organizationId: OrganizationId,
  connection: Locked,
  { setting, by, ifMatch }: { setting: LockSetting; by: string; ifMatch: string | undefined },
): Promise<{ accepted: number; held: number }> {
  const { id, tool_lock: before, trusted } = connection
  const present = await presentTools(sql, id)
  if (ifMatch !== undefined && ifMatch !== fingerprintOf(present))
    throw new Fault('request.stale', { thing: 'list of tools' })
  const { mode } = setting
  await setToolLock(sql, id, { mode, trusted: setting.trusted ?? trusted })
  const of = { organizationId, connectionId: id }
  // A lock that is off lets everything in; one that is turned on begins with what is there.
  // Saying again that it is off lets nothing in of what is held all the same, because it would do something else now.
  const turns = before === 'off' ? mode !== 'off' : mode === 'off'
  const newState = mode === 'off' ? (turns ? 'accept' : undefined) : (setting.present ?? (turns ? 'accept' : undefined))
  if (newState === undefined) return { accepted: 0, held: 0 }
  if (newState === 'hold') {
    await forgetTools(sql, id)
    if (present.length > 0) await holdTools(sql, of, present)
    return { accepted: 0, held: present.length }
  }
  const known = new Map((await listKnownTools(sql, id)).map((row) => [row.tool, row]))
  const fresh = present.filter(({ tool, hash }) => {
    const row = known.get(tool)
    return row === undefined || row.held_hash !== null || row.accepted_hash !== hash
  })
  if (fresh.length > 0) await acceptTools(sql, of, fresh, by)
  const settled = fresh.filter(({ tool }) => known.get(tool)?.held_hash != null)
  if (settled.length > 0) await tellSettled(sql, organizationId, connection, 'accepted', settled)
  return { accepted: present.length, held: 0 }
}

/** Throws `thing.unknown` and `request.stale`. The transaction holds the connection. */
export async function settleTool(
  sql: OrgSql,
  organizationId: OrganizationId,
  connection: Locked,
  { looked, verdict, by }: { looked: Looked; verdict: 'accepted' | 'rejected'; by: string },
): Promise<WholeToolLock> {
  const { id } = connection
  const { tool, hash } = looked
  const row = await findToolLock(sql, id, tool)
  if (row === undefined) throw new Fault('thing.unknown', { thing: 'tool' })
  // Accepted already, by this hash: what is asked for is so.
  if (row.held_hash === null && row.accepted_hash === hash && verdict === 'accepted') return row
  if (row.held_hash !== hash || row.held === null) throw new Fault('request.stale', { thing: 'tool' })
  if (verdict === 'rejected') await rejectHeld(sql, id, looked, by)
  else await acceptTools(sql, { organizationId, connectionId: id }, [{ tool, hash, definition: row.held }], by)
  await tellSettled(sql, organizationId, connection, verdict, [looked])
  return (await findToolLock(sql, id, tool)) ?? row
}

const MAX_NAMED = 50

const tellSettled = (
  sql: OrgSql,
  organizationId: OrganizationId,
  { id, alias }: Locked,
  verdict: 'accepted' | 'rejected',
  tools: readonly Looked[],
) =>
  addAlert(sql, {
    organizationId,
    kind: 'tool.settled',
    connectionId: id,
    detail: {
      alias,
      verdict,
      tools: tools.slice(0, MAX_NAMED).map(({ tool, hash }) => ({ tool, hash })),
      ...(tools.length > MAX_NAMED ? { more: tools.length - MAX_NAMED } : {}),
    },
  })
