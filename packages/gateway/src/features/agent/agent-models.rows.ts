/** The model of an organization's agent, one row for each that has one. */
import { z } from 'zod'
import type { OrganizationId } from '@toolway/contract'
import { AGENT_PROVIDERS } from '@toolway/contract/admin'
import type { OrgSql } from '../../db/db.ts'

export const AgentModelRow = z.object({
  provider: z.enum(AGENT_PROVIDERS),
  url: z.string(),
  model: z.string(),
  sealed: z.instanceof(Buffer).nullable(),
  updated_at: z.date(),
})
export type AgentModelRow = z.output<typeof AgentModelRow>

export async function findAgentModel(sql: OrgSql): Promise<AgentModelRow | undefined> {
  const rows = await sql(AgentModelRow)`select provider, url, model, sealed, updated_at from agent_models`
  return rows[0]
}

export async function putAgentModel(
  sql: OrgSql,
  organizationId: OrganizationId,
  { provider, url, model, sealed }: Omit<AgentModelRow, 'updated_at'>,
): Promise<AgentModelRow> {
  const rows = await sql(AgentModelRow)`
    insert into agent_models (organization_id, provider, url, model, sealed)
    values (${organizationId}, ${provider}, ${url}, ${model}, ${sealed})
    on conflict (organization_id) do update
      set provider = excluded.provider, url = excluded.url, model = excluded.model, sealed = excluded.sealed,
          updated_at = now()
    returning provider, url, model, sealed, updated_at`
  const [row] = rows
  if (row === undefined) throw new Error('the model of an agent was not stored')
  return row
}

/** Whether there was one. */
export const removeAgentModel = async (sql: OrgSql): Promise<boolean> =>
  (await sql(z.object({ model: z.string() }))`delete from agent_models returning model`).length > 0
