/**
 * Looking through records: by what was done, with which tool and connection, by whom, when and how it ended, a page at a time,
 * the newest first: by place in its chain, or by id, which sorts by time, where there are several chains. Pages begin behind the key
 * of a record (ADR 0134), so that records that come meanwhile move none.
 */
import { z } from 'zod'
import type { OrgSql, SystemSql } from '../db/db.ts'
import { part, type SqlPart } from '../db/sql-part.ts'

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
const Found = z.object({ id: z.string(), key: z.string() })

/** A part of what is found: behind the key of a record, or behind so many of them. */
interface Span {
  readonly limit: number
  readonly offset: number
  /** The `key` of the last record of the page before. */
  readonly after?: string | undefined
}

/** With the key by which the page behind it begins: nothing that comes meanwhile moves it. */
export type RecordOnPage = FoundRecord & { readonly key: string }

/** Undefined parts of the filter let everything through. Throws `body.shape` for a key that is none of this order. */
export async function findRecords(sql: OrgSql | SystemSql, filter: Filter, span: Span): Promise<RecordOnPage[]> {
  const ids = await WAYS[orderOf(filter)](sql, filter, span)
  const found = await sql(FoundRecord)`
    select id, organization_id, seq::float8 as seq, encode(hash, 'hex') as hash, at, kind, principal, key_id, toolset,
           connection, method, target, era_client, era_upstream, client, bytes_in, bytes_out, duration_us, outcome, code,
           decision, correlation_id, actor_type, resource_type, resource_id, ip_address, user_agent, detail
      from records where id = any (${ids.map(({ id }) => id)}::text[])`
  const rows = new Map(found.map((row) => [row.id, row]))
  return ids.flatMap(({ id, key }) => {
    const row = rows.get(id)
    return row === undefined ? [] : [{ ...row, key }]
  })
}

type FindIds = (sql: OrgSql | SystemSql, filter: Filter, span: Span) => Promise<z.output<typeof Found>[]>

/**
 * Each order in the way that reads least: by place in the chain, by time where one is given, by id where there are several chains, or
 * by the index of what is looked for in each of them.
 */
export function orderOf({ organization, id, correlation, ...indexed }: Filter): keyof typeof WAYS {
  const searches = Object.values(indexed).some((value) => value !== undefined)
  if (organization === undefined) return searches ? 'each' : 'id'
  if (indexed.start !== undefined || indexed.end !== undefined) return 'time'
  return searches || id !== undefined || correlation !== undefined ? 'found' : 'place'
}

/** Whether a key can be one of that order: it comes from outside. */
const KEYS = {
  place: /^\d{1,15}$/,
  found: /^\d{1,15}$/,
  time: /^\d{4,6}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6} \d{1,15}$/,
  id: /^\S{1,200}$/,
  each: /^\S{1,200} \d{1,9}$/,
} as const

export const isKeyOf = (order: keyof typeof WAYS, key: string): boolean => KEYS[order].test(key)

/** A chain has no gaps, so that a page far back is found without reading what lies before it. */
const idsByPlace: FindIds = (sql, { organization = null }, { limit, offset, after = null }) => sql(Found)`
    select id, seq::text as key from records
     where organization_id = ${organization}
       and seq <= (select c.seq from record_chains c where c.organization_id = ${organization}) - ${offset}::int
       and (${after}::bigint is null or seq < ${after}::bigint)
     order by seq desc limit ${limit}`

/** What of the records `r` the filter lets through, whatever their organization. */
export function passes(filter: Omit<Filter, 'organization'>): SqlPart {
  const { id = null, action = null, actor = null, outcome = null, start = null, end = null } = filter
  const { tool = null, connection = null, correlation = null, code = null } = filter
  return part`(${id}::text is null or r.id = ${id})
       and (${action}::text is null or r.method = ${action})
       and (${actor}::text is null or r.principal = ${actor})
       and (${tool}::text is null or r.target = ${tool} and r.kind = 'call')
       and (${connection}::text is null or r.connection = ${connection})
       and (${correlation}::text is null or r.correlation_id = ${correlation})
       and (${outcome}::text is null or r.outcome = ${outcome})
       and (${code}::text is null or r.code = ${code})
       and (${start}::timestamptz is null or r.at >= ${start})
       and (${end}::timestamptz is null or r.at < ${end})`
}

const idsInOrganization: FindIds = (sql, filter, { limit, offset, after = null }) => sql(Found)`
    select r.id, r.seq::text as key from records r
     where r.organization_id = ${filter.organization ?? null}
       and (${after}::bigint is null or r.seq < ${after}::bigint)
       and ${passes(filter)}
     order by r.seq desc limit ${limit} offset ${offset}`

/** Pages come by time: what lies before it is not read. A record that was appended late is among those of its time. */
const idsInTime: FindIds = (sql, filter, { limit, offset, after }) => {
  const [at, seq] = after === undefined ? [null, null] : [after.slice(0, after.lastIndexOf(' ')), seqIn(after)]
  return sql(Found)`
    select r.id, to_char(r.at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.US') || ' ' || r.seq as key from records r
     where r.organization_id = ${filter.organization ?? null}
       and (${at}::text is null or (r.at, r.seq) < ((${at}::timestamp at time zone 'UTC'), ${seq}::bigint))
       and ${passes(filter)}
     order by r.at desc, r.seq desc limit ${limit} offset ${offset}`
}

const seqIn = (key: string): string => key.slice(key.lastIndexOf(' ') + 1)

/**
 * The indexes begin with the organization: each is asked for its newest. Places of several chains have no order among them that an
 * index knows, so that such pages count: from the newest record of the first page on, so that those that come meanwhile move none.
 */
const idsOfEachOrganization: FindIds = async (sql, filter, { limit, offset: input, after }) => {
  const { start = null, end = null } = filter
  const [newest, offset] = after === undefined ? [null, input] : [after.split(' ')[0], Number(seqIn(after))]
  const found = await sql(Id)`
    select newest.id from record_chains c cross join lateral (
      select r.id from records r
       where r.organization_id = c.organization_id
         and (${newest}::text is null or r.id <= ${newest})
         and ${passes(filter)}
       order by case when coalesce(${start}::timestamptz, ${end}::timestamptz) is null then null else r.at end desc, r.seq desc
       limit ${limit}::int + ${offset}::int) newest
     order by newest.id desc limit ${limit} offset ${offset}`
  const first = newest ?? found[0]?.id ?? ''
  return found.map((row, at) => ({ id: row.id, key: `${first} ${offset + at + 1}` }))
}
const Id = z.object({ id: z.string() })

const idsOfAll: FindIds = (sql, { id = null, correlation = null }, { limit, offset, after = null }) => sql(Found)`
    select id, id as key from records
     where (${id}::text is null or id = ${id})
       and (${after}::text is null or id < ${after})
       and (${correlation}::text is null or correlation_id = ${correlation})
     order by id desc limit ${limit} offset ${offset}`

const WAYS = {
  place: idsByPlace,
  found: idsInOrganization,
  time: idsInTime,
  id: idsOfAll,
  each: idsOfEachOrganization,
} as const satisfies Readonly<Record<string, FindIds>>

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

const countAll: CountFound = (sql, filter) => sql(Count)`
    select count(*)::int as count
      from (select from records r
             where (${filter.organization ?? null}::text is null or r.organization_id = ${filter.organization ?? null})
               and ${passes(filter)}
             limit ${TO_COUNT}) as found`

/** The indexes begin with the organization: each is counted by itself. */
const countOfEach: CountFound = (sql, filter) => sql(Count)`
    select count(*)::int as count
      from (select from record_chains c cross join lateral (
              select from records r where r.organization_id = c.organization_id and ${passes(filter)} limit ${TO_COUNT}) one
             limit ${TO_COUNT}) as found`
