/**
 * Catalogs: what each connection offered when it was last asked, kept so that lists never wait for an upstream.
 *
 * A contact that fails leaves the last good lists where they are and marks them stale with the reason. Definitions are
 * stored as `json`, byte for byte as the server wrote them.
 */
import { createHash } from 'node:crypto'
import { EFFECTS, REVISIONS, type ConnectionId, type OrganizationId } from '@toolway/contract'
import type { JsonObject } from '@toolway/protocol'
import { z } from 'zod'
import type { OrgSql, Sql, SystemSql } from '../db/db.ts'

const Item = z.custom<JsonObject>((value) => typeof value === 'object' && value !== null && !Array.isArray(value))
const Items = z.array(Item).nullable()

const ServerCard = z.object({ server: Item, capabilities: Item, instructions: z.string().optional() })

/** A tool that is kept back; who could see what was accepted of it may know that it is there. */
const HeldTool = z.object({ tool: z.string(), effect: z.enum(EFFECTS).nullable() })
export type HeldTool = z.output<typeof HeldTool>

/** Names that are others than the rule of names alone gives. */
const OddName = z.object({ kind: z.enum(['tool', 'prompt']), original: z.string(), name: z.string() })
export type OddName = z.output<typeof OddName>

export const CatalogRow = z.object({
  connection_id: z.string().transform((id) => id as ConnectionId),
  /** Stands for the lists; null where they were stored before there was one. */
  digest: z.string().nullable(),
  revision: z.enum(REVISIONS).nullable(),
  server: ServerCard.nullable(),
  tools: Items,
  resources: Items,
  templates: Items,
  prompts: Items,
  fetched_at: z.date().nullable(),
  stale_since: z.date().nullable(),
  stale_reason: z.string().nullable(),
  held: z.array(HeldTool),
  names: z.array(OddName),
  /** Definitions that the server lists and that are not taken; `repaired`: taken, with what was repaired as the reason. */
  left_out: z.array(z.object({ name: z.string(), reason: z.string(), repaired: z.boolean().optional() })).nullable(),
})
export type CatalogRow = z.output<typeof CatalogRow>

const ReadRow = CatalogRow.extend({ known: z.boolean() })

/** The rows of the last time. */
type KnownCatalogs = ReadonlyMap<ConnectionId, CatalogRow>

/** All of them, or those of these connections. Lists of `known` that are still the same are not read again. */
export const listCatalogs = (
  sql: OrgSql,
  known: KnownCatalogs = new Map(),
  connectionIds?: readonly string[],
): Promise<CatalogRow[]> => readCatalogs(sql, known, connectionIds ?? null)

/** Those of these connections, of any organizations. */
export const listCatalogsOf = (
  sql: SystemSql,
  known: KnownCatalogs,
  connectionIds: readonly string[],
): Promise<CatalogRow[]> => readCatalogs(sql, known, connectionIds)

/**
 * One statement, so that lists, what is held of them and how it is named are of one moment. Lists that are in memory already are
 * recognized by their digest.
 */
async function readCatalogs(
  sql: Sql,
  known: KnownCatalogs,
  connectionIds: readonly string[] | null,
): Promise<CatalogRow[]> {
  const stored = [...known.values()].filter(({ digest }) => digest !== null)
  const rows = await sql(ReadRow)`
    select c.connection_id, c.digest, k.id is not null as known, c.revision, c.server,
           case when k.id is null then c.tools end as tools, case when k.id is null then c.resources end as resources,
           case when k.id is null then c.templates end as templates, case when k.id is null then c.prompts end as prompts,
           c.fetched_at, c.stale_since, c.stale_reason, c.left_out,
           (select coalesce(json_agg(json_build_object('tool', l.tool, 'effect', l.accepted_effect) order by l.tool), '[]')
              from tool_locks l
             where l.connection_id = c.connection_id and l.held_hash is not null) as held,
           (select coalesce(json_agg(json_build_object('kind', n.kind, 'original', n.original, 'name', n.name)
                                     order by n.kind, n.original), '[]')
              from exposed_names n
             where n.connection_id = c.connection_id and not n.plain) as names
      from catalogs c
      left join unnest(${stored.map(({ connection_id: id }) => id)}::text[], ${stored.map(({ digest }) => digest)}::text[])
           as k (id, digest) on k.id = c.connection_id and k.digest = c.digest
     where ${connectionIds}::text[] is null or c.connection_id = any(${connectionIds}::text[])`
  return rows.map(({ known: isKnown, ...row }) => {
    const lists = isKnown ? known.get(row.connection_id) : undefined
    if (lists === undefined) return row
    const { tools, resources, templates, prompts } = lists
    return { ...row, tools, resources, templates, prompts }
  })
}

const ToolsRow = z.object({ tools: Items })

/** The tools that a server listed last. */
export const findTools = async (sql: OrgSql, connectionId: ConnectionId): Promise<readonly JsonObject[]> =>
  (await sql(ToolsRow)`select tools from catalogs where connection_id = ${connectionId}`)[0]?.tools ?? []

export interface Fetched {
  readonly revision: string
  readonly server: z.output<typeof ServerCard>
  readonly tools: readonly JsonObject[]
  readonly resources: readonly JsonObject[]
  readonly templates: readonly JsonObject[]
  readonly prompts: readonly JsonObject[]
  readonly leftOut: readonly { readonly name: string; readonly reason: string }[]
  readonly repaired: readonly { readonly name: string; readonly reason: string }[]
  /** Of all lists. */
  readonly bytes: number
}

const Id = z.object({ connection_id: z.string() })

export const storeCatalog = (
  sql: SystemSql,
  organizationId: OrganizationId,
  connectionId: ConnectionId,
  fetched: Fetched,
) => {
  const { revision } = fetched
  const [server, ...lists] = [fetched.server, fetched.tools, fetched.resources, fetched.templates, fetched.prompts].map(
    (part) => JSON.stringify(part),
  )
  const [tools, resources, templates, prompts] = lists
  const digest = createHash('sha256')
    .update(JSON.stringify([revision, server, ...lists]))
    .digest('hex')
  const odd = [...fetched.leftOut, ...fetched.repaired.map((item) => ({ ...item, repaired: true }))]
  return sql(Id)`
    insert into catalogs (connection_id, organization_id, revision, server, tools, resources, templates, prompts, fetched_at,
                          digest, left_out, bytes)
    values (${connectionId}, ${organizationId}, ${revision}, ${server}, ${tools}, ${resources}, ${templates}, ${prompts}, now(),
            ${digest}, ${JSON.stringify(odd)}, ${fetched.bytes})
    on conflict (connection_id) do update
       set revision = excluded.revision, server = excluded.server, tools = excluded.tools, resources = excluded.resources,
           templates = excluded.templates, prompts = excluded.prompts, fetched_at = now(), digest = excluded.digest,
           left_out = excluded.left_out, bytes = excluded.bytes,
           stale_since = null, stale_reason = null
    returning connection_id`
}

const Bytes = z.object({ bytes: z.number() })

/** Of the catalogs of an organization's other connections. */
export const bytesOfOthers = async (
  sql: SystemSql,
  organizationId: OrganizationId,
  connectionId: ConnectionId,
): Promise<number> =>
  (
    await sql(Bytes)`
      select coalesce(sum(bytes), 0)::float8 as bytes from catalogs
       where organization_id = ${organizationId} and connection_id <> ${connectionId}`
  )[0]?.bytes ?? 0

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
