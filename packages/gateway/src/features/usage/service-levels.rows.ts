/**
 * How the calls of each connection ended in the last hour, 24 hours and 30 days, from what is counted of whole hours and the records of
 * the rest (`usage-source.ts`). Refusals of the gateway are no failure of a connection, and errors that a tool reports are answers.
 */
import { z } from 'zod'
import type { OrgSnapshotSql, OrgSql } from '../../db/db.ts'
import { openUsage, type UsageSource } from './usage-source.rows.ts'

const Count = z.int()
const Microseconds = z.number().nullable()

/** `connection` null: all of them together. */
export const LevelRow = z.object({
  connection: z.string().nullable(),
  hour: Count,
  hour_failed: Count,
  hour_p95: Microseconds,
  day: Count,
  day_failed: Count,
  day_p95: Microseconds,
  month: Count,
  month_failed: Count,
  month_p95: Microseconds,
})
export type LevelRow = z.output<typeof LevelRow>

const HOUR = 3_600_000
const MONTH = 30 * 24 * HOUR

/** `uncounted`: how many records the figures lack, as in `usage-source.ts`. */
export interface CountedLevels {
  readonly rows: readonly LevelRow[]
  readonly uncounted: number
}

/** The connections that failed most come first, at most `most` of them. */
export async function countLevels(sql: OrgSnapshotSql, to: Date, most: number, read?: number): Promise<CountedLevels> {
  const end = to.getTime()
  const span = { from: new Date(end - MONTH), to, retentionCuts: [end - HOUR, end - 24 * HOUR] }
  const source = await openUsage(sql, span, read)
  return { rows: await countFrom(sql, source, to, most), uncounted: source.uncounted }
}

const countFrom = (sql: OrgSql, { hours: { raw, counted }, after, until }: UsageSource, to: Date, most: number) =>
  sql(LevelRow)`
  with behind as materialized (
    select r.at, r.connection, r.outcome, r.duration_us
      from records r where r.seq > ${after} and r.seq <= ${until} and r.kind = 'call'
  ), single as (
    select r.at, r.connection, r.outcome, r.duration_us
      from unnest(${raw.starts}::timestamptz[], ${raw.ends}::timestamptz[]) as span (since, before),
           lateral (select r.at, r.connection, r.outcome, r.duration_us from records r
                     where r.at >= span.since and r.at < span.before and r.kind = 'call' offset 0) r
    union all
    select b.at, b.connection, b.outcome, b.duration_us
      from behind b join unnest(${counted.starts}::timestamptz[], ${counted.ends}::timestamptz[]) as span (since, before)
        on b.at >= span.since and b.at < span.before
  ), hours as (
    select h.hour, h.connection, h.calls, h.failed - h.tool_errors as failed, h.sizes, h.counts
      from unnest(${counted.starts}::timestamptz[], ${counted.ends}::timestamptz[]) as span (since, before)
      join usage_hours h on h.hour >= span.since and h.hour < span.before
     where h.by = 'connection' and not h.refused and h.connection is not null
  ), sums as (
    select at, connection, 1 as calls, (outcome in ('failed', 'unknown'))::int as failed
      from single where outcome <> 'refused' and connection is not null
    union all
    select hour, connection, calls, failed from hours
  ), times as (
    select at, connection, duration_us::float8 as duration, 1 as calls
      from single where outcome <> 'refused' and connection is not null
    union all
    select hour, connection, round(exp(size::float8 / 25)), n from hours, unnest(sizes, counts) as sized (size, n)
  ), windows (word, since) as (
    values ('hour', ${to}::timestamptz - interval '1 hour'), ('day', ${to}::timestamptz - interval '24 hours'),
           ('month', ${to}::timestamptz - interval '720 hours')
  ), placed as (
    select word, connection, duration, sum(sum(calls)) over (partition by word, connection order by duration) as upto,
           sum(sum(calls)) over (partition by word, connection) as total
      from windows join times on at >= since
     group by grouping sets ((word, connection, duration), (word, duration))
  ), slow as (
    select word, connection, min(duration) as p95 from placed where upto >= total * 0.95 group by word, connection
  ), levels as (
    select word, connection, coalesce(sum(calls), 0)::int as calls, coalesce(sum(failed), 0)::int as failed
      from windows left join sums on at >= since
     group by grouping sets ((word, connection), (word))
    having grouping(connection) = 1 or connection is not null
  )
  select l.connection,
         coalesce(sum(l.calls) filter (where l.word = 'hour'), 0)::int as hour,
         coalesce(sum(l.failed) filter (where l.word = 'hour'), 0)::int as hour_failed,
         min(p95) filter (where l.word = 'hour') as hour_p95,
         coalesce(sum(l.calls) filter (where l.word = 'day'), 0)::int as day,
         coalesce(sum(l.failed) filter (where l.word = 'day'), 0)::int as day_failed,
         min(p95) filter (where l.word = 'day') as day_p95,
         coalesce(sum(l.calls) filter (where l.word = 'month'), 0)::int as month,
         coalesce(sum(l.failed) filter (where l.word = 'month'), 0)::int as month_failed,
         min(p95) filter (where l.word = 'month') as month_p95
    from levels l left join slow s on s.word = l.word and s.connection is not distinct from l.connection
   group by l.connection
   order by l.connection is null desc,
            (sum(l.failed) filter (where l.word = 'month'))::float8 / greatest(sum(l.calls) filter (where l.word = 'month'), 1) desc,
            l.connection
   limit ${most}::int + 1`
