/**
 * Looking through records: by what was done, with which tool and connection, by whom, when and how it ended, a page at a time,
 * the newest first: by place in its chain, or by id, which sorts by time, where there are several chains.
 */
import { z } from 'zod'
import type { OrgSql, SystemSql } from '../db/db.ts'

export interface Filter {
  readonly organization: string | undefined
  readonly id?: string | undefined
  readonly action?: string | undefined
  readonly actor?: string | undefined
  readonly tool?: string | undefined
  readonly connection?: string | undefined
  readonly correlation?: string | undefined
  readonly outcome?: string | undefined
  /** From this moment on, and before that one. */
  readonly start?: string | undefined
  readonly end?: string | undefined
}

export const FoundRecord = z.object({
  id: z.string(),
  organization_id: z.string(),
  seq: z.number(),
  hash: z.string(),
  at: z.date(),
  kind: z.string(),
  principal: z.string(),
  key_id: z.string().nullable(),
  toolset: z.string().nullable(),
  connection: z.string().nullable(),
  method: z.string(),
  target: z.string().nullable(),
  era_client: z.string().nullable(),
  era_upstream: z.string().nullable(),
  client: z.string().nullable(),
  bytes_in: z.number(),
  bytes_out: z.number(),
  duration_us: z.number(),
  outcome: z.string(),
  code: z.string().nullable(),
  decision: z.string(),
  correlation_id: z.string(),
  actor_type: z.enum(['user', 'api_key', 'system']),
  resource_type: z.string().nullable(),
  resource_id: z.string().nullable(),
  ip_address: z.string().nullable(),
  user_agent: z.string().nullable(),
  detail: z.record(z.string(), z.unknown()).nullable(),
})
export type FoundRecord = z.output<typeof FoundRecord>
const Id = z.object({ id: z.string() })

/** Undefined parts of the filter let everything through. */
export async function findRecords(
  sql: OrgSql | SystemSql,
  filter: Filter,
  { limit, offset }: { limit: number; offset: number },
): Promise<FoundRecord[]> {
  const { organization, id = null, action = null, actor = null, outcome = null, start = null, end = null } = filter
  const { tool = null, connection = null, correlation = null } = filter
  const ids =
    organization === undefined
      ? await sql(Id)`
    select id from records
     where (${id}::text is null or id = ${id})
       and (${action}::text is null or method = ${action})
       and (${actor}::text is null or principal = ${actor})
       and (${tool}::text is null or target = ${tool} and kind = 'call')
       and (${connection}::text is null or connection = ${connection})
       and (${correlation}::text is null or correlation_id = ${correlation})
       and (${outcome}::text is null or outcome = ${outcome})
       and (${start}::timestamptz is null or at >= ${start})
       and (${end}::timestamptz is null or at < ${end})
     order by id desc limit ${limit} offset ${offset}`
      : await sql(Id)`
    select id from records
     where organization_id = ${organization}
       and (${id}::text is null or id = ${id})
       and (${action}::text is null or method = ${action})
       and (${actor}::text is null or principal = ${actor})
       and (${tool}::text is null or target = ${tool} and kind = 'call')
       and (${connection}::text is null or connection = ${connection})
       and (${correlation}::text is null or correlation_id = ${correlation})
       and (${outcome}::text is null or outcome = ${outcome})
       and (${start}::timestamptz is null or at >= ${start})
       and (${end}::timestamptz is null or at < ${end})
     order by seq desc limit ${limit} offset ${offset}`
  const found = await sql(FoundRecord)`
    select id, organization_id, seq::float8 as seq, encode(hash, 'hex') as hash, at, kind, principal, key_id, toolset,
           connection, method, target, era_client, era_upstream, client, bytes_in, bytes_out, duration_us, outcome, code,
           decision, correlation_id, actor_type, resource_type, resource_id, ip_address, user_agent, detail
      from records where id = any (${ids.map(({ id }) => id)}::text[])`
  const place = new Map(ids.map(({ id }, at) => [id, at]))
  return found.toSorted((one, other) => (place.get(one.id) ?? 0) - (place.get(other.id) ?? 0))
}

/** Counting every record of a large installation takes long: as many as this are counted. */
export const MOST_COUNTED = 100_000

const Count = z.object({ count: z.int() })

export async function countRecords(sql: OrgSql | SystemSql, filter: Filter): Promise<number> {
  const {
    organization = null,
    id = null,
    action = null,
    actor = null,
    outcome = null,
    start = null,
    end = null,
  } = filter
  const { tool = null, connection = null, correlation = null } = filter
  const [found] = await sql(Count)`
    select count(*)::int as count
      from (select from records
             where (${organization}::text is null or organization_id = ${organization})
               and (${id}::text is null or id = ${id})
               and (${action}::text is null or method = ${action})
               and (${actor}::text is null or principal = ${actor})
               and (${tool}::text is null or target = ${tool} and kind = 'call')
               and (${connection}::text is null or connection = ${connection})
               and (${correlation}::text is null or correlation_id = ${correlation})
               and (${outcome}::text is null or outcome = ${outcome})
               and (${start}::timestamptz is null or at >= ${start})
               and (${end}::timestamptz is null or at < ${end})
             limit ${MOST_COUNTED}) as found`
  return found?.count ?? 0
}
