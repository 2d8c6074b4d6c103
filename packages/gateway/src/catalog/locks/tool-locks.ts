/**
 * The account of every tool of a connection: the definition that was accepted, the one that is held, since when, and who said so.
 *
 * Only those who hold the connection's row write here: a look at the server, or an administrator. A definition is accepted under
 * the hash that was looked at, and under no other.
 */
import { EFFECTS, effectOf, type ConnectionId, type OrganizationId } from '@toolway/contract'
import type { JsonObject } from '@toolway/protocol'
import { z } from 'zod'
import type { OrgSql, SystemSql } from '../../db/db.ts'
import type { PageStart } from '../../lib/page.ts'
import type { Sighting } from './tool-hash.ts'

const Definition = z.custom<JsonObject>((value) => typeof value === 'object' && value !== null && !Array.isArray(value))

/** The names and hashes that a catalog fetch compares with, without definitions. */
export const KnownTool = z.object({
  tool: z.string(),
  accepted_hash: z.string().nullable(),
  held_hash: z.string().nullable(),
  gone_at: z.date().nullable(),
})
export type KnownTool = z.output<typeof KnownTool>

export const ToolLockRow = KnownTool.extend({
  accepted_effect: z.enum(EFFECTS).nullable(),
  accepted_by: z.string().nullable(),
  accepted_at: z.date().nullable(),
  held_at: z.date().nullable(),
  rejected_by: z.string().nullable(),
  rejected_at: z.date().nullable(),
})
export type ToolLockRow = z.output<typeof ToolLockRow>

export const listKnownTools = (sql: OrgSql | SystemSql, connectionId: ConnectionId) => sql(KnownTool)`
  select tool, accepted_hash, held_hash, gone_at from tool_locks where connection_id = ${connectionId}`

export const listToolLocks = (sql: OrgSql, connectionId: ConnectionId) => sql(ToolLockRow)`
  select tool, accepted_hash, accepted_effect, accepted_by, accepted_at, held_hash, held_at, rejected_by, rejected_at, gone_at
    from tool_locks where connection_id = ${connectionId} order by tool`

const LOCKED_STATES = ['accepted', 'held', 'rejected', 'gone'] as const
export type LockedState = (typeof LOCKED_STATES)[number]

const Counted = z.object({ state: z.enum(LOCKED_STATES), count: z.int() })

/** How many tools of the connection are in each state. */
export const countToolLocks = async (
  sql: OrgSql,
  connectionId: ConnectionId,
): Promise<ReadonlyMap<LockedState, number>> => {
  const rows = await sql(Counted)`
    select case when gone_at is not null then 'gone' when held_hash is null then 'accepted'
                when rejected_at is null then 'held' else 'rejected' end as state, count(*)::int as count
      from tool_locks where connection_id = ${connectionId} group by 1`
  return new Map(rows.map(({ state, count }) => [state, count]))
}

/** A page in the order of names, of one state or of any. */
export const listToolLockPage = (
  sql: OrgSql,
  connectionId: ConnectionId,
  state: LockedState | undefined,
  { after, rowLimit, offset }: PageStart,
) => sql(ToolLockRow)`
  select tool, accepted_hash, accepted_effect, accepted_by, accepted_at, held_hash, held_at, rejected_by, rejected_at, gone_at
    from tool_locks
   where connection_id = ${connectionId} and (${after?.[0] ?? null}::text is null or tool > ${after?.[0] ?? null}::text)
     and (${state ?? null}::text is null or ${state ?? null}::text =
            case when gone_at is not null then 'gone' when held_hash is null then 'accepted'
                 when rejected_at is null then 'held' else 'rejected' end)
   order by tool limit ${rowLimit} offset ${offset}`

const ConnectionToolLock = ToolLockRow.extend({ connection_id: z.string() })

/** Those of some connections, for a file of them: as many as their catalogs have tools. */
export const listToolLocksOf = (sql: OrgSql, connections: readonly ConnectionId[]) => sql(ConnectionToolLock)`
  select connection_id, tool, accepted_hash, accepted_effect, accepted_by, accepted_at, held_hash, held_at,
         rejected_by, rejected_at, gone_at
    from tool_locks where connection_id = any(${connections}) order by tool`

export const WholeToolLock = ToolLockRow.extend({ accepted: Definition.nullable(), held: Definition.nullable() })
export type WholeToolLock = z.output<typeof WholeToolLock>

/** With its definitions. */
export const findToolLock = async (
  sql: OrgSql,
  connectionId: ConnectionId,
  tool: string,
): Promise<WholeToolLock | undefined> =>
  (
    await sql(WholeToolLock)`
      select tool, accepted_hash, accepted, accepted_effect, accepted_by, accepted_at, held_hash, held, held_at,
             rejected_by, rejected_at, gone_at
        from tool_locks where connection_id = ${connectionId} and tool = ${tool}`
  )[0]

const Accepted = z.object({ tool: z.string(), accepted: Definition.nullable() })

export const listAccepted = (sql: SystemSql, connectionId: ConnectionId, tools: readonly string[]) => sql(Accepted)`
  select tool, accepted from tool_locks where connection_id = ${connectionId} and tool = any(${[...tools]}::text[])`

const Named = z.object({ tool: z.string() })

interface Of {
  readonly organizationId: OrganizationId
  readonly connectionId: ConnectionId
}

/** They are what is offered from now on; `by` is who looked at them, null where nobody had to. */
export const acceptTools = (
  sql: OrgSql | SystemSql,
  { organizationId, connectionId }: Of,
  sightings: readonly Sighting[],
  by: string | null,
) => sql(Named)`
  insert into tool_locks (organization_id, connection_id, tool, accepted_hash, accepted, accepted_effect, accepted_by, accepted_at)
  select ${organizationId}, ${connectionId}, tool, hash, definition::json, effect, ${by}, now()
    from unnest(${sightings.map(({ tool }) => tool)}::text[], ${sightings.map(({ hash }) => hash)}::text[],
                ${sightings.map(({ definition }) => JSON.stringify(definition))}::text[],
                ${sightings.map(({ definition }) => effectOf(definition['annotations']))}::text[])
         as seen (tool, hash, definition, effect)
  on conflict (organization_id, connection_id, tool) do update
     set accepted_hash = excluded.accepted_hash, accepted = excluded.accepted, accepted_effect = excluded.accepted_effect,
         accepted_by = excluded.accepted_by, accepted_at = excluded.accepted_at, held_hash = null, held = null, held_at = null,
         rejected_by = null, rejected_at = null, gone_at = null
  returning tool`

/** They are kept back until somebody has looked. */
export const holdTools = (
  sql: OrgSql | SystemSql,
  { organizationId, connectionId }: Of,
  sightings: readonly Sighting[],
) => sql(Named)`
  insert into tool_locks (organization_id, connection_id, tool, held_hash, held, held_at)
  select ${organizationId}, ${connectionId}, tool, hash, definition::json, now()
    from unnest(${sightings.map(({ tool }) => tool)}::text[], ${sightings.map(({ hash }) => hash)}::text[],
                ${sightings.map(({ definition }) => JSON.stringify(definition))}::text[]) as seen (tool, hash, definition)
  on conflict (organization_id, connection_id, tool) do update
     set held_hash = excluded.held_hash, held = excluded.held, held_at = excluded.held_at,
         rejected_by = null, rejected_at = null, gone_at = null
  returning tool`

/** Nothing is known of any tool: where what is there is looked at anew. */
export const forgetTools = (sql: OrgSql, connectionId: ConnectionId) => sql(Named)`
  delete from tool_locks where connection_id = ${connectionId} returning tool`

/** Marks tools as present and no longer held for review: their server lists the accepted definitions again. */
export const releaseTools = (sql: SystemSql, connectionId: ConnectionId, tools: readonly string[]) => sql(Named)`
  update tool_locks set held_hash = null, held = null, held_at = null, rejected_by = null, rejected_at = null, gone_at = null
   where connection_id = ${connectionId} and tool = any(${[...tools]}::text[])
  returning tool`

/** Their server lists again what is held. */
export const noteThere = (sql: SystemSql, connectionId: ConnectionId, tools: readonly string[]) => sql(Named)`
  update tool_locks set gone_at = null where connection_id = ${connectionId} and tool = any(${[...tools]}::text[])
  returning tool`

export const noteGone = (sql: SystemSql, connectionId: ConnectionId, tools: readonly string[]) => sql(Named)`
  update tool_locks set gone_at = now() where connection_id = ${connectionId} and tool = any(${[...tools]}::text[])
  returning tool`

/** Of tools that are gone, the last so many are remembered. */
const MAX_GONE = 1_000

export const forgetGone = (sql: SystemSql, connectionId: ConnectionId) => sql(Named)`
  delete from tool_locks
   where connection_id = ${connectionId}
     and tool in (select tool from tool_locks where connection_id = ${connectionId} and gone_at is not null
                   order by gone_at desc, tool offset ${MAX_GONE})
  returning tool`

/** A definition that somebody looked at. */
export interface Looked {
  readonly tool: string
  readonly hash: string
}

/** Whether that very definition is held. */
export const rejectHeld = async (sql: OrgSql, connectionId: ConnectionId, { tool, hash }: Looked, by: string) =>
  (
    await sql(Named)`
      update tool_locks set rejected_by = ${by}, rejected_at = now()
       where connection_id = ${connectionId} and tool = ${tool} and held_hash = ${hash}
      returning tool`
  ).length > 0
