/**
 * Catalogs: what each connection offered when it was last asked, kept so that lists never wait for an upstream.
 *
 * A contact that fails leaves the last good lists where they are and marks them stale with the reason. Definitions are
 * stored as `json`, byte for byte as the server wrote them.
 */
import { REVISIONS, type ConnectionId, type OrganizationId } from '@toolway/contract'
import type { JsonObject } from '@toolway/protocol'
import { z } from 'zod'
import type { OrgSql, SystemSql } from '../db/db.ts'

const Item = z.custom<JsonObject>((value) => typeof value === 'object' && value !== null && !Array.isArray(value))
const Items = z.array(Item).nullable()

const ServerCard = z.object({ server: Item, capabilities: Item, instructions: z.string().optional() })

export const CatalogRow = z.object({
  connection_id: z.string().transform((id) => id as ConnectionId),
  revision: z.enum(REVISIONS).nullable(),
  server: ServerCard.nullable(),
  tools: Items,
  resources: Items,
  templates: Items,
  prompts: Items,
  fetched_at: z.date().nullable(),
  stale_since: z.date().nullable(),
  stale_reason: z.string().nullable(),
})
export type CatalogRow = z.output<typeof CatalogRow>

export const listCatalogs = (sql: OrgSql) => sql(CatalogRow)`
  select connection_id, revision, server, tools, resources, templates, prompts, fetched_at, stale_since, stale_reason
    from catalogs`

export interface Fetched {
  readonly revision: string
  readonly server: z.output<typeof ServerCard>
  readonly tools: readonly JsonObject[]
  readonly resources: readonly JsonObject[]
  readonly templates: readonly JsonObject[]
  readonly prompts: readonly JsonObject[]
}

const Id = z.object({ connection_id: z.string() })

export const storeCatalog = (
  sql: SystemSql,
  organizationId: OrganizationId,
  connectionId: ConnectionId,
  fetched: Fetched,
) => {
  const { revision, server, tools, resources, templates, prompts } = fetched
  return sql(Id)`
    insert into catalogs (connection_id, organization_id, revision, server, tools, resources, templates, prompts, fetched_at)
    values (${connectionId}, ${organizationId}, ${revision}, ${JSON.stringify(server)}, ${JSON.stringify(tools)},
            ${JSON.stringify(resources)}, ${JSON.stringify(templates)}, ${JSON.stringify(prompts)}, now())
    on conflict (connection_id) do update
       set revision = excluded.revision, server = excluded.server, tools = excluded.tools, resources = excluded.resources,
           templates = excluded.templates, prompts = excluded.prompts, fetched_at = now(),
           stale_since = null, stale_reason = null
    returning connection_id`
}

/** The reason quotes a server, which may say what a text of the database cannot hold. */
export const markStale = (
  sql: SystemSql,
  organizationId: OrganizationId,
  connectionId: ConnectionId,
  reason: string,
) => sql(Id)`
  insert into catalogs (connection_id, organization_id, stale_since, stale_reason)
  values (${connectionId}, ${organizationId}, now(), ${reason.replaceAll('\0', '\uFFFD')})
  on conflict (connection_id) do update
     set stale_since = coalesce(catalogs.stale_since, now()), stale_reason = excluded.stale_reason
   where catalogs.stale_reason is distinct from excluded.stale_reason
  returning connection_id`
