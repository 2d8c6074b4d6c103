/**
 * Administrators' settings for single tools: whether they are on, and their effect. Settings for all other tools, including later
 * ones, belong to their connection.
 */
import { EFFECTS, type ConnectionId, type Effect, type OrganizationId } from '@toolway/contract'
import { z } from 'zod'
import type { OrgSql, Sql, SystemSql } from '../db/db.ts'

export const ToolStateRow = z.object({
  connection_id: z.string().transform((id) => id as ConnectionId),
  tool: z.string(),
  /** Null: as its connection says for all. */
  enabled: z.boolean().nullable(),
  /** Null: nothing was said. */
  effect: z.enum(EFFECTS).nullable(),
})
export type ToolStateRow = z.output<typeof ToolStateRow>

const readToolStates = (sql: Sql, connectionIds: readonly string[] | null) => sql(ToolStateRow)`
  select connection_id, tool, enabled, effect from tool_states
   where ${connectionIds}::text[] is null or connection_id = any(${connectionIds}::text[])
   order by connection_id, tool`

/** All of them, or those of these connections. */
export const listToolStates = (sql: OrgSql, connectionIds?: readonly string[]) =>
  readToolStates(sql, connectionIds ?? null)

/** Those of these connections, of any organizations. */
export const listToolStatesOf = (sql: SystemSql, connectionIds: readonly string[]) => readToolStates(sql, connectionIds)

const Id = z.object({ id: z.string() })

/**
 * The connection is locked before the states of its tools, as a look at its server and its removal lock them. Two changes at once wait
 * for one another, so that a row is not judged by what it was before.
 */
const lock = (sql: OrgSql, connectionId: ConnectionId) =>
  sql(Id)`select id from connections where id = ${connectionId} for update`

export interface Switch {
  readonly tool: string
  readonly enabled: boolean
}

/** No tool may be named twice. */
export async function switchTools(
  sql: OrgSql,
  organizationId: OrganizationId,
  connectionId: ConnectionId,
  switches: readonly Switch[],
): Promise<void> {
  await lock(sql, connectionId)
  await sql(ToolStateRow)`
    insert into tool_states (organization_id, connection_id, tool, enabled)
    select ${organizationId}, ${connectionId}, tool, enabled
      from unnest(${switches.map(({ tool }) => tool)}::text[], ${switches.map(({ enabled }) => enabled)}::boolean[])
           as wanted (tool, enabled)
    on conflict (organization_id, connection_id, tool) do update set enabled = excluded.enabled, updated_at = now()
    returning connection_id, tool, enabled, effect`
}

/** Say what a tool does; null takes the word back. */
export async function sayEffect(
  sql: OrgSql,
  organizationId: OrganizationId,
  connectionId: ConnectionId,
  { tool, effect, by }: { readonly tool: string; readonly effect: Effect | null; readonly by: string },
): Promise<void> {
  await lock(sql, connectionId)
  if (effect !== null)
    await sql(ToolStateRow)`
      insert into tool_states (organization_id, connection_id, tool, effect, effect_by)
      values (${organizationId}, ${connectionId}, ${tool}, ${effect}, ${by})
      on conflict (organization_id, connection_id, tool)
         do update set effect = excluded.effect, effect_by = excluded.effect_by, updated_at = now()
      returning connection_id, tool, enabled, effect`
  else {
    await sql(ToolStateRow)`
      delete from tool_states where connection_id = ${connectionId} and tool = ${tool} and enabled is null
      returning connection_id, tool, enabled, effect`
    await sql(ToolStateRow)`
      update tool_states set effect = null, effect_by = null, updated_at = now()
       where connection_id = ${connectionId} and tool = ${tool} and effect is not null
      returning connection_id, tool, enabled, effect`
  }
}

const Said = z.object({ tool: z.string(), effect: z.enum(EFFECTS) })

/** Returns the effects set for a connection's tools, by the server's own names of them. */
export const listSaidEffects = async (
  sql: OrgSql | SystemSql,
  connectionId: ConnectionId,
): Promise<ReadonlyMap<string, Effect>> =>
  new Map(
    (
      await sql(Said)`
        select tool, effect from tool_states where connection_id = ${connectionId} and effect is not null`
    ).map(({ tool, effect }) => [tool, effect]),
  )

/** All of them, and those that appear later. It is no change of the connection itself, so nothing of it is opened anew. */
export async function switchAllTools(sql: OrgSql, connectionId: ConnectionId, enabled: boolean): Promise<void> {
  await lock(sql, connectionId)
  await sql(ToolStateRow)`
    delete from tool_states where connection_id = ${connectionId} and effect is null
    returning connection_id, tool, enabled, effect`
  await sql(ToolStateRow)`
    update tool_states set enabled = null, updated_at = now()
     where connection_id = ${connectionId} and enabled is not null
    returning connection_id, tool, enabled, effect`
  await sql(Id)`update connections set tools_default = ${enabled} where id = ${connectionId} returning id`
}
