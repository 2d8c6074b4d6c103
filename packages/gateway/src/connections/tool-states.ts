/** Which tools of a connection are on: those that were switched by name, and what holds for all others, later ones too. */
import type { ConnectionId, OrganizationId } from '@toolway/contract'
import { z } from 'zod'
import type { OrgSql } from '../db/db.ts'

export const ToolStateRow = z.object({
  connection_id: z.string().transform((id) => id as ConnectionId),
  tool: z.string(),
  enabled: z.boolean(),
})
export type ToolStateRow = z.output<typeof ToolStateRow>

export const listToolStates = (sql: OrgSql) => sql(ToolStateRow)`
  select connection_id, tool, enabled from tool_states order by connection_id, tool`

export interface Switch {
  readonly tool: string
  readonly enabled: boolean
}

/** No tool may be named twice. */
export const switchTools = (
  sql: OrgSql,
  organizationId: OrganizationId,
  connectionId: ConnectionId,
  switches: readonly Switch[],
) => sql(ToolStateRow)`
  insert into tool_states (organization_id, connection_id, tool, enabled)
  select ${organizationId}, ${connectionId}, tool, enabled
    from unnest(${switches.map(({ tool }) => tool)}::text[], ${switches.map(({ enabled }) => enabled)}::boolean[])
         as wanted (tool, enabled)
  on conflict (organization_id, connection_id, tool) do update set enabled = excluded.enabled, updated_at = now()
  returning connection_id, tool, enabled`

const Id = z.object({ id: z.string() })

/** All of them, and those that appear later. It is no change of the connection itself, so nothing of it is opened anew. */
export async function switchAllTools(sql: OrgSql, connectionId: ConnectionId, enabled: boolean): Promise<void> {
  await sql(
    ToolStateRow,
  )`delete from tool_states where connection_id = ${connectionId} returning connection_id, tool, enabled`
  await sql(Id)`update connections set tools_default = ${enabled} where id = ${connectionId} returning id`
}
