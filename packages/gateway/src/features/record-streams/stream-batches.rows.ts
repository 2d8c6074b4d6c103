/**
 * The lease of a stream, its next batch, and what came of it. The end of a batch is written down before it is sent, and the cursor
 * moves only when the destination has it.
 */
import type { RecordStreamId } from '@toolway/contract'
import { z } from 'zod'
import type { SystemSql } from '../../db/db.ts'
import { StreamItem, type StreamBatch } from './stream-items.rows.ts'

const Id = z.object({ id: z.string() })
const Seq = z.object({ seq: z.number() })

const LeasedStream = z.object({
  id: z.string().transform((id) => id as RecordStreamId),
  organization_id: z.string(),
  destination: z.record(z.string(), z.unknown()),
  sealed_secrets: z.instanceof(Buffer),
  private: z.boolean(),
  attempts: z.int(),
  behind_since: z.date().nullable(),
  /** Another one after each change by an administrator. */
  version: z.string(),
})
type LeasedStream = z.output<typeof LeasedStream>
export interface Held extends LeasedStream {
  readonly lease: string
}

/** Seconds: longer than one delivery may take. */
const LEASE_SECONDS = 30

/** One that is due; the lease is renewed with each batch. Materialized: read again by a plan, the query would lock one more. */
export const leaseStream = async (sql: SystemSql, lease: string): Promise<Held | undefined> => {
  const [row] = await sql(LeasedStream)`
    with due as materialized (
      select organization_id, id from record_streams
       where enabled and next_try <= now() and (leased_until is null or leased_until < now())
       order by next_try limit 1 for update skip locked)
    update record_streams s
       set lease = ${lease}, leased_until = now() + make_interval(secs => ${LEASE_SECONDS}::int)
      from due
     where s.organization_id = due.organization_id and s.id = due.id
    returning s.id, s.organization_id, s.destination, s.sealed_secrets, s.private, s.attempts, s.behind_since,
           s.updated_at::text as version`
  return row === undefined ? undefined : { ...row, lease }
}

/** Whether the stream is still this gateway's, and as it was when it was leased. */
export const renewStream = async (sql: SystemSql, { id, organization_id: owner, lease, version }: Held) =>
  (
    await sql(Id)`
      update record_streams set leased_until = now() + make_interval(secs => ${LEASE_SECONDS}::int)
       where organization_id = ${owner} and id = ${id} and lease = ${lease} and enabled and updated_at = ${version}::timestamptz
      returning id`
  ).length > 0

export interface BatchLimits {
  readonly items: number
  readonly bytes: number
}

export interface RecordBatch extends StreamBatch {
  readonly of: 'records'
  readonly to: number
  /** Records that retention removed before they were delivered. */
  readonly lost: number
  readonly full: boolean
}
export interface AlertBatch extends StreamBatch {
  readonly of: 'alerts'
  readonly full: boolean
}

const Place = z.object({
  organization_id: z.string(),
  head: z.number(),
  seq: z.number(),
  anchor: z.number(),
  pending: z.number().nullable(),
})

/** Of the organization whose turn it is. */
export async function nextRecords(sql: SystemSql, stored: Held, bounds: BatchLimits): Promise<RecordBatch | undefined> {
  const [position] = await sql(Place)`
    select c.organization_id, c.seq::float8 as head, coalesce(k.seq, 0)::float8 as seq, c.anchor_seq::float8 as anchor,
           k.pending::float8 as pending
      from record_chains c
      left join record_stream_cursors k on k.organization_id = c.organization_id and k.stream_id = ${stored.id}
     where ${stored.organization_id} in (c.organization_id, 'platform') and c.seq > coalesce(k.seq, 0)
     order by k.moved_at nulls first limit 1`
  if (position === undefined) return undefined
  const { organization_id: organization, head, anchor } = position
  const from = Math.max(position.seq, anchor)
  const pending = position.pending !== null && position.pending > from ? position.pending : undefined
  const to = pending ?? (await endOf(sql, organization, { from, head, ...bounds }))
  await sql(Id)`
    insert into record_stream_cursors (organization_id, stream_id, seq, pending)
    values (${organization}, ${stored.id}, ${from}, ${to})
    on conflict (organization_id, stream_id) do update set seq = excluded.seq, pending = excluded.pending returning stream_id as id`
  const items = await recordsOf(sql, organization, from, to)
  const id = `${stored.id}-${organization}-${from + 1}-${to}`
  return {
    ...{ of: 'records', id, streamId: stored.id, organizationId: organization, items, to },
    ...{ lost: from - position.seq, full: to < head },
  }
}

/** As many as fit, one at least. */
async function endOf(
  sql: SystemSql,
  organization: string,
  { from, head, items, bytes }: BatchLimits & { from: number; head: number },
): Promise<number> {
  const [end] = await sql(Seq)`
    select coalesce(max(seq), ${head}::bigint)::float8 as seq
      from (select seq, row_number() over (order by seq) as place,
                   sum(1000 + octet_length(coalesce(detail::text, ''))) over (order by seq) as size
              from (select seq, detail from records
                     where organization_id = ${organization} and seq > ${from} order by seq limit ${items}) as first) as sized
     where size <= ${bytes}::bigint or place = 1`
  return end?.seq ?? head
}

const recordsOf = (sql: SystemSql, organization: string, from: number, to: number) => sql(StreamItem)`
  select id, organization_id, seq::float8 as seq, to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at, kind,
         method, outcome, code, decision, principal, actor_type, key_id, toolset, connection, target, resource_type, resource_id,
         client, ip_address, user_agent, correlation_id, bytes_in, bytes_out, duration_us, detail::text as detail,
         encode(hash, 'hex') as hash
    from records where organization_id = ${organization} and seq > ${from} and seq <= ${to} order by records.seq`

/** Alerts of one organization, the oldest first. */
export async function nextAlerts(
  sql: SystemSql,
  stored: Held,
  { items: limit }: BatchLimits,
): Promise<AlertBatch | undefined> {
  const items = await sql(StreamItem)`
    select a.id, a.organization_id, null::float8 as seq,
           to_char(a.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at, 'alert' as kind, a.kind as method,
           'ok' as outcome, null as code, 'allow' as decision, a.user_id as principal, 'system' as actor_type, null as key_id,
           null as toolset, a.connection_id as connection, null as target, 'alert' as resource_type, a.id as resource_id,
           null as client, null as ip_address, null as user_agent, a.id as correlation_id, 0 as bytes_in, 0 as bytes_out,
           0 as duration_us, a.detail::text as detail, null as hash
      from alerts a
     where a.id in (select w.alert_id from record_stream_alerts w
                     where w.stream_id = ${stored.id}
                       and w.organization_id = (select min(organization_id) from record_stream_alerts where stream_id = ${stored.id})
                     order by w.alert_id limit ${limit})
     order by a.id`
  const [first] = items
  if (first === undefined) return undefined
  const id = `${stored.id}-${first.id}-${items.at(-1)?.id ?? ''}-${items.length}`
  return {
    ...{ of: 'alerts', id, streamId: stored.id, organizationId: first.organization_id, items },
    full: items.length === limit,
  }
}

/** The destination has it. Whether the stream still was this gateway's. */
export async function markDelivered(sql: SystemSql, stored: Held, batch: RecordBatch | AlertBatch): Promise<boolean> {
  const advanced = await sql(Id)`
    update record_streams set delivered_at = now(), attempts = 0, last_problem = null, failed_at = null
     where organization_id = ${stored.organization_id} and id = ${stored.id} and lease = ${stored.lease} returning id`
  if (advanced.length === 0) return false
  const { organizationId: organization } = batch
  if (batch.of === 'records')
    await sql(Id)`
      update record_stream_cursors set seq = ${batch.to}, pending = null, moved_at = clock_timestamp()
       where organization_id = ${organization} and stream_id = ${stored.id} and seq < ${batch.to} returning stream_id as id`
  else
    await sql(Id)`
      delete from record_stream_alerts
       where organization_id = ${organization} and stream_id = ${stored.id}
         and alert_id = any(${batch.items.map(({ id }) => id)}) returning alert_id as id`
  return true
}

/** Lets go of the stream; it is due again after so many seconds. A problem counts as a try. */
export const releaseStream = async (
  sql: SystemSql,
  stored: Held,
  { retryAfterSeconds, problem }: { retryAfterSeconds: number; problem?: string },
): Promise<boolean> =>
  (
    await sql(Id)`
      update record_streams
         set lease = null, leased_until = null, next_try = now() + make_interval(secs => ${retryAfterSeconds}::float8),
             attempts = case when ${problem ?? null}::text is null then attempts else attempts + 1 end,
             failed_at = case when ${problem ?? null}::text is null then failed_at else now() end,
             last_problem = coalesce(${problem ?? null}::text, last_problem)
       where organization_id = ${stored.organization_id} and id = ${stored.id} and lease = ${stored.lease} returning id`
  ).length > 0

const Behind = z.object({ behind: z.boolean() })

/** Whether a record or an alert waits for longer than so many seconds. */
export async function isBehind(sql: SystemSql, stored: Held, seconds: number): Promise<boolean> {
  const [found] = await sql(Behind)`
    select exists (
             select from record_chains c
               left join record_stream_cursors k on k.organization_id = c.organization_id and k.stream_id = ${stored.id}
               join records r on r.organization_id = c.organization_id
                             and r.seq = greatest(coalesce(k.seq, 0), c.anchor_seq) + 1
              where ${stored.organization_id} in (c.organization_id, 'platform') and c.seq > coalesce(k.seq, 0)
                and r.at < now() - make_interval(secs => ${seconds}::float8))
        or exists (
             select from record_stream_alerts w join alerts a on a.id = w.alert_id
              where w.stream_id = ${stored.id} and a.created_at < now() - make_interval(secs => ${seconds}::float8)) as behind`
  return found?.behind ?? false
}

/** Whether that is news. */
export const storeBehind = async (sql: SystemSql, stored: Held, behind: boolean): Promise<boolean> =>
  (
    await sql(Id)`
      update record_streams set behind_since = case when ${behind}::boolean then now() end
       where organization_id = ${stored.organization_id} and id = ${stored.id} and (behind_since is not null) <> ${behind}::boolean
      returning id`
  ).length > 0

/** Milliseconds until a stream is due; undefined where there is none. */
export async function untilDue(sql: SystemSql): Promise<number | undefined> {
  const [found] = await sql(z.object({ wait: z.number().nullable() }))`
    select extract(epoch from min(greatest(next_try, coalesce(leased_until, next_try))) - now())::float8 * 1000 as wait
      from record_streams where enabled`
  return found?.wait ?? undefined
}
