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
  /** Why it was refused or failed. */
  readonly code?: string | undefined
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

interface Span {
  readonly limit: number
  readonly offset: number
}

/** Undefined parts of the filter let everything through. */
export async function findRecords(sql: OrgSql | SystemSql, filter: Filter, span: Span): Promise<FoundRecord[]> {
  const ids = await idsFor(filter)(sql, filter, span)
  const found = await sql(FoundRecord)`
    select id, organization_id, seq::float8 as seq, encode(hash, 'hex') as hash, at, kind, principal, key_id, toolset,
           connection, method, target, era_client, era_upstream, client, bytes_in, bytes_out, duration_us, outcome, code,
           decision, correlation_id, actor_type, resource_type, resource_id, ip_address, user_agent, detail
      from records where id = any (${ids.map(({ id }) => id)}::text[])`
  const place = new Map(ids.map(({ id }, at) => [id, at]))
  return found.toSorted((one, other) => (place.get(one.id) ?? 0) - (place.get(other.id) ?? 0))
}

type FindIds = (sql: OrgSql | SystemSql, filter: Filter, span: Span) => Promise<{ id: string }[]>

/** Each in the way that reads least: by place, by the index of what is looked for, or by id. */
function idsFor({ organization, id, correlation, ...indexed }: Filter): FindIds {
  const searches = Object.values(indexed).some((value) => value !== undefined)
  const narrows = id !== undefined || correlation !== undefined
  if (organization !== undefined) return searches || narrows ? idsInOrganization : idsByPlace
  return searches ? idsOfEachOrganization : idsOfAll
}

/** A chain has no gaps, so that a page far back is found without reading what lies before it. */
const idsByPlace: FindIds = (sql, { organization = null }, { limit, offset }) => sql(Id)`
    select id from records
     where organization_id = ${organization}
       and seq <= (select c.seq from record_chains c where c.organization_id = ${organization}) - ${offset}::int
     order by seq desc limit ${limit}`

/** Where a time is given, pages come by time: what lies before it is not read. */
const idsInOrganization: FindIds = (sql, filter, { limit, offset }) => {
  const {
    organization = null,
    id = null,
    action = null,
    actor = null,
    outcome = null,
    start = null,
    end = null,
  } = filter
  const { tool = null, connection = null, correlation = null, code = null } = filter
  return sql(Id)`
    select id from records
     where organization_id = ${organization}
       and (${id}::text is null or id = ${id})
       and (${action}::text is null or method = ${action})
       and (${actor}::text is null or principal = ${actor})
       and (${tool}::text is null or target = ${tool} and kind = 'call')
       and (${connection}::text is null or connection = ${connection})
       and (${correlation}::text is null or correlation_id = ${correlation})
       and (${outcome}::text is null or outcome = ${outcome})
       and (${code}::text is null or code = ${code})
       and (${start}::timestamptz is null or at >= ${start})
       and (${end}::timestamptz is null or at < ${end})
     order by case when coalesce(${start}::timestamptz, ${end}::timestamptz) is null then null else at end desc, seq desc
     limit ${limit} offset ${offset}`
}

/** The indexes begin with the organization: each is asked for its newest. */
const idsOfEachOrganization: FindIds = (sql, filter, { limit, offset }) => {
  const { id = null, action = null, actor = null, outcome = null, start = null, end = null } = filter
  const { tool = null, connection = null, correlation = null, code = null } = filter
  return sql(Id)`
    select newest.id from record_chains c cross join lateral (
      select r.id from records r
       where r.organization_id = c.organization_id
         and (${id}::text is null or r.id = ${id})
         and (${action}::text is null or r.method = ${action})
         and (${actor}::text is null or r.principal = ${actor})
         and (${tool}::text is null or r.target = ${tool} and r.kind = 'call')
         and (${connection}::text is null or r.connection = ${connection})
         and (${correlation}::text is null or r.correlation_id = ${correlation})
         and (${outcome}::text is null or r.outcome = ${outcome})
         and (${code}::text is null or r.code = ${code})
         and (${start}::timestamptz is null or r.at >= ${start})
         and (${end}::timestamptz is null or r.at < ${end})
       order by case when coalesce(${start}::timestamptz, ${end}::timestamptz) is null then null else r.at end desc, r.seq desc
       limit ${limit}::int + ${offset}::int) newest
     order by newest.id desc limit ${limit} offset ${offset}`
}

const idsOfAll: FindIds = (sql, { id = null, correlation = null }, { limit, offset }) => sql(Id)`
    select id from records
     where (${id}::text is null or id = ${id})
       and (${correlation}::text is null or correlation_id = ${correlation})
     order by id desc limit ${limit} offset ${offset}`

/** Counting every record of a large installation takes long: as many as this are counted. */
const MOST_COUNTED = 100_000
const TO_COUNT = MOST_COUNTED + 1

const Count = z.object({ count: z.int() })

/** How many there are; `more`: more than that. A chain knows its length, so that it is counted only where something is looked for. */
export async function countRecords(
  sql: OrgSql | SystemSql,
  filter: Filter,
): Promise<{ readonly total: number; readonly more: boolean }> {
  const { organization, id, correlation, ...indexed } = filter
  const searches = Object.values(indexed).some((value) => value !== undefined)
  const narrows = id !== undefined || correlation !== undefined
  if (!searches && !narrows) {
    const [chains] = await countChains(sql, filter)
    return { total: chains?.count ?? 0, more: false }
  }
  const [found] = await (organization === undefined && searches && !narrows ? countOfEach : countAll)(sql, filter)
  const count = found?.count ?? 0
  return { total: Math.min(count, MOST_COUNTED), more: count > MOST_COUNTED }
}

const countChains: CountFound = (sql, { organization = null }) => sql(Count)`
  select coalesce(sum(seq - anchor_seq), 0)::float8 as count from record_chains
   where (${organization}::text is null or organization_id = ${organization})`

type CountFound = (sql: OrgSql | SystemSql, filter: Filter) => Promise<{ count: number }[]>

const countAll: CountFound = (sql, filter) => {
  const {
    organization = null,
    id = null,
    action = null,
    actor = null,
    outcome = null,
    start = null,
    end = null,
  } = filter
  const { tool = null, connection = null, correlation = null, code = null } = filter
  return sql(Count)`
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
               and (${code}::text is null or code = ${code})
               and (${start}::timestamptz is null or at >= ${start})
               and (${end}::timestamptz is null or at < ${end})
             limit ${TO_COUNT}) as found`
}

/** The indexes begin with the organization: each is counted by itself. */
const countOfEach: CountFound = (sql, filter) => {
  const {
    action = null,
    actor = null,
    outcome = null,
    start = null,
    end = null,
    tool = null,
    connection = null,
    code = null,
  } = filter
  return sql(Count)`
    select count(*)::int as count
      from (select from record_chains c cross join lateral (
              select from records r
               where r.organization_id = c.organization_id
                 and (${action}::text is null or r.method = ${action})
                 and (${actor}::text is null or r.principal = ${actor})
                 and (${tool}::text is null or r.target = ${tool} and r.kind = 'call')
                 and (${connection}::text is null or r.connection = ${connection})
                 and (${outcome}::text is null or r.outcome = ${outcome})
                 and (${code}::text is null or r.code = ${code})
                 and (${start}::timestamptz is null or r.at >= ${start})
                 and (${end}::timestamptz is null or r.at < ${end})
               limit ${TO_COUNT}) one
             limit ${TO_COUNT}) as found`
}
