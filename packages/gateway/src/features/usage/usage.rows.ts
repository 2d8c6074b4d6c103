/**
 * How many calls there were in a span of time, by step and by what they went to and who made them.
 *
 * Each question reads what is counted of whole hours or days and the records of the rest (`usage-source.ts`): how long it takes does not
 * grow with the records of the span. A time of an hour is that of its size: `exp(size / 25)` microseconds. Names of tools that do not
 * exist are one name (`usage_name`, migration 0075), and so are clients beyond twenty of a caller and day (0076): callers choose them.
 *
 * `offset 0` keeps the planner from joining the few spans with all records: each span is looked up by its index.
 */
import { z } from 'zod'
import type { OrgSnapshotSql, OrgSql } from '../../db/db.ts'
import { allRaw, cutAt, daysIn, openUsage, type Spans, type UsageSource } from './usage-source.rows.ts'

export interface Span {
  readonly from: Date
  readonly to: Date
  /** Only calls through the connection of this alias; null: through any. */
  readonly connection: string | null
  /** Only calls of this key or user; null: of anybody. */
  readonly caller: string | null
}

const Counts = { calls: z.int(), failed: z.int(), refused: z.int() }
const Times = { median_us: z.number().nullable(), p95_us: z.number().nullable() }

/** `step`: the place of the step in the span; null: all of them together. */
export const StepRow = z.object({ step: z.int().nullable(), ...Counts, ...Times })
export type StepRow = z.output<typeof StepRow>

/** For the questions below, in the same snapshot. */
export function openSpan(
  sql: OrgSnapshotSql,
  { from, to }: Span,
  seconds: number,
  most?: number,
): Promise<UsageSource> {
  const [start, length] = [from.getTime(), seconds * 1000]
  const steps = Math.ceil((to.getTime() - start) / length)
  return openUsage(
    sql,
    { from, to, retentionCuts: Array.from({ length: steps }, (_, step) => start + step * length) },
    most,
  )
}

/** These spans in two parts: `apart` is read from the counts, and `summed` from the sums, where a question has no filter. */
function summedIn(
  counted: Spans,
  { summedFrom }: UsageSource,
  isTogether: boolean,
): { readonly apart: Spans; readonly summed: Spans } {
  const { before, since } = cutAt(counted, isTogether ? summedFrom : Number.POSITIVE_INFINITY)
  return { apart: before, summed: since }
}

export function countSteps(sql: OrgSql, source: UsageSource, span: Span, seconds: number): Promise<StepRow[]> {
  const { after, until } = source
  const { raw, counted } = source.hours
  const { from, connection, caller } = span
  const { apart, summed } = summedIn(counted, source, connection === null && caller === null)
  return sql(StepRow)`
  with behind as materialized (
    select r.at, r.outcome, r.duration_us, r.connection, r.principal
      from records r where r.seq > ${after} and r.seq <= ${until} and r.kind = 'call'
  ), single as (
    select r.at, r.outcome, r.duration_us
      from unnest(${raw.starts}::timestamptz[], ${raw.ends}::timestamptz[]) as span (since, before),
           lateral (select r.at, r.outcome, r.duration_us from records r
                     where r.at >= span.since and r.at < span.before and r.kind = 'call'
                       and (${connection}::text is null or r.connection = ${connection})
                       and (${caller}::text is null or r.principal = ${caller}) offset 0) r
    union all
    select b.at, b.outcome, b.duration_us
      from behind b join unnest(${counted.starts}::timestamptz[], ${counted.ends}::timestamptz[]) as span (since, before)
        on b.at >= span.since and b.at < span.before
     where (${connection}::text is null or b.connection = ${connection})
       and (${caller}::text is null or b.principal = ${caller})
  ), hours as (
    select h.hour, h.calls, h.failed, h.refused, h.sizes, h.counts
      from unnest(${apart.starts}::timestamptz[], ${apart.ends}::timestamptz[]) as span (since, before)
      join usage_hours h on h.hour >= span.since and h.hour < span.before
     where h.by = case when ${caller}::text is null then 'connection' else 'caller' end
       and (${caller}::text is null or h.name = ${caller})
       and (${connection}::text is null or h.connection = ${connection})
    union all
    select t.hour, t.calls, t.failed, t.refused, t.sizes, t.counts
      from unnest(${summed.starts}::timestamptz[], ${summed.ends}::timestamptz[]) as span (since, before)
      join usage_totals t on t.hour >= span.since and t.hour < span.before
  ), sums as (
    select floor(extract(epoch from at - ${from}::timestamptz) / ${seconds}::int)::int as step, count(*) as calls,
           count(*) filter (where outcome in ('failed', 'tool_error', 'unknown')) as failed,
           count(*) filter (where outcome = 'refused') as refused
      from single group by 1
    union all
    select floor(extract(epoch from hour - ${from}::timestamptz) / ${seconds}::int)::int, sum(calls), sum(failed),
           coalesce(sum(calls) filter (where refused), 0)
      from hours group by 1
  ), times as (
    select floor(extract(epoch from at - ${from}::timestamptz) / ${seconds}::int)::int as step,
           duration_us::float8 as duration, count(*) as calls
      from single group by 1, 2
    union all
    select floor(extract(epoch from hour - ${from}::timestamptz) / ${seconds}::int)::int, round(exp(size::float8 / 25)), sum(n)
      from hours, unnest(sizes, counts) as sized (size, n) group by 1, size
  ), placed as (
    select step, duration, sum(sum(calls)) over (partition by step order by duration) as upto,
           sum(sum(calls)) over (partition by step) as total
      from times group by grouping sets ((step, duration), (duration))
  ), middles as (
    select step, min(duration) filter (where upto >= total * 0.5) as median_us,
           min(duration) filter (where upto >= total * 0.95) as p95_us
      from placed group by step
  )
  select s.step, s.calls, s.failed, s.refused, m.median_us, m.p95_us
    from (select step, coalesce(sum(calls), 0)::int as calls, coalesce(sum(failed), 0)::int as failed,
                 coalesce(sum(refused), 0)::int as refused
            from sums group by grouping sets ((step), ())) s
    left join middles m on m.step is not distinct from s.step
   order by s.step`
}

const UsedRow = z.object({
  by: z.enum(['connection', 'tool', 'caller', 'client', 'reason']),
  connection: z.string().nullable(),
  name: z.string(),
  ...Counts,
})
export type UsedRow = z.output<typeof UsedRow>

/** The most used, by each of the five groupings; at most `most` of each. */
export function countUsed(sql: OrgSql, source: UsageSource, span: Span, most: number): Promise<UsedRow[]> {
  const { after, until } = source
  const { raw, counted } = source.days
  const { connection, caller } = span
  const { apart, summed } = summedIn(counted, source, connection === null && caller === null)
  return sql(UsedRow)`
  with behind as materialized (
    select r.at, r.connection, usage_name(r.target, r.code) as target, r.principal, r.client, r.code, r.outcome
      from records r where r.seq > ${after} and r.seq <= ${until} and r.kind = 'call'
  ), single as (
    select r.connection, r.target, r.principal, r.client, r.code, r.outcome
      from unnest(${raw.starts}::timestamptz[], ${raw.ends}::timestamptz[]) as span (since, before),
           lateral (select r.connection, usage_name(r.target, r.code) as target, r.principal, r.client, r.code, r.outcome
                      from records r
                     where r.at >= span.since and r.at < span.before and r.kind = 'call'
                       and (${connection}::text is null or r.connection = ${connection})
                       and (${caller}::text is null or r.principal = ${caller}) offset 0) r
    union all
    select b.connection, b.target, b.principal, b.client, b.code, b.outcome
      from behind b join unnest(${counted.starts}::timestamptz[], ${counted.ends}::timestamptz[]) as span (since, before)
        on b.at >= span.since and b.at < span.before
  ), used as (
    select connection, target, principal, client, code, count(*) as calls,
           count(*) filter (where outcome in ('failed', 'tool_error', 'unknown')) as failed,
           count(*) filter (where outcome = 'refused') as refused
      from single group by connection, target, principal, client, code
    union all
    select d.connection, d.target, d.principal, d.client, d.code, d.calls, d.failed, d.refused
      from usage_days d where d.day = any (${daysIn(apart)}::date[])
  ), parts as (
    select case grouping(connection, target, principal, client, code)
             when 15 then 'connection' when 7 then 'tool' when 27 then 'caller' when 29 then 'client'
             else 'reason' end as by,
           connection, coalesce(code, client, principal, target, connection) as name, sum(calls) as calls,
           sum(failed) as failed, sum(refused) as refused
      from used
     where (${connection}::text is null or connection = ${connection})
       and (${caller}::text is null or principal = ${caller})
     group by grouping sets ((connection), (connection, target), (principal), (client), (code))
    having case grouping(connection, target, principal, client, code)
             when 15 then connection is not null when 7 then target is not null
             when 27 then principal is not null when 29 then client is not null else code is not null end
    union all
    select s.by, s.connection, s.name, sum(s.calls), sum(s.failed), sum(s.refused)
      from usage_sums s
     where s.by = any (array['connection', 'caller', 'client', 'reason', 'tool']) and s.day = any (${daysIn(summed)}::date[])
     group by s.by, s.connection, s.name
  ), grouped as materialized (
    select by, connection, name, sum(calls)::int as calls, sum(failed)::int as failed, sum(refused)::int as refused
      from parts group by by, connection, name
  )
  select g.by, g.connection, g.name, g.calls, g.failed, g.refused
    from unnest(array['caller', 'client', 'connection', 'reason', 'tool']) as kind (by),
         lateral (select * from grouped where grouped.by = kind.by order by calls desc, connection, name limit ${most}) as g
   order by g.by, g.calls desc, g.connection, g.name`
}

/** The calls of one person or key, with the name where it still exists. */
const CallerRow = z.object({ id: z.string(), name: z.string().nullable(), ...Counts, total: z.int() })
export type CallerRow = z.output<typeof CallerRow>

/** Every caller of the span, those with the most calls first, a page at a time. `total`: how many there are. */
export function listCallers(
  sql: OrgSql,
  source: UsageSource,
  { connection, caller }: Span,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<CallerRow[]> {
  const { after, until } = source
  const { raw, counted } = source.days
  const { apart, summed } = summedIn(counted, source, connection === null)
  return sql(CallerRow)`
  with behind as materialized (
    select r.at, r.connection, r.principal, r.outcome
      from records r where r.seq > ${after} and r.seq <= ${until} and r.kind = 'call'
  ), single as (
    select r.connection, r.principal, r.outcome
      from unnest(${raw.starts}::timestamptz[], ${raw.ends}::timestamptz[]) as span (since, before),
           lateral (select r.connection, r.principal, r.outcome from records r
                     where r.at >= span.since and r.at < span.before and r.kind = 'call'
                       and (${connection}::text is null or r.connection = ${connection})
                       and (${caller}::text is null or r.principal = ${caller}) offset 0) r
    union all
    select b.connection, b.principal, b.outcome
      from behind b join unnest(${counted.starts}::timestamptz[], ${counted.ends}::timestamptz[]) as span (since, before)
        on b.at >= span.since and b.at < span.before
  ), used as (
    select connection, principal, count(*) as calls,
           count(*) filter (where outcome in ('failed', 'tool_error', 'unknown')) as failed,
           count(*) filter (where outcome = 'refused') as refused
      from single group by connection, principal
    union all
    select d.connection, d.principal, d.calls, d.failed, d.refused
      from usage_days d where d.day = any (${daysIn(apart)}::date[])
    union all
    select null, s.name, s.calls, s.failed, s.refused
      from usage_sums s where s.by = 'caller' and s.day = any (${daysIn(summed)}::date[])
  ), page as (
    select principal as id, sum(calls)::int as calls, sum(failed)::int as failed, sum(refused)::int as refused,
           (count(*) over ())::int as total
      from used
     where (${connection}::text is null or connection = ${connection})
       and (${caller}::text is null or principal = ${caller})
     group by principal order by 2 desc, 1 limit ${limit} offset ${offset}
  )
  select p.id, coalesce(k.name, u.name) as name, p.calls, p.failed, p.refused, p.total
    from page p left join keys k on k.id = p.id left join users u on u.id = p.id
   order by p.calls desc, p.id`
}

const ToolStepRow = z.object({ connection: z.string().nullable(), name: z.string(), step: z.int(), calls: z.int() })
export type ToolStepRow = z.output<typeof ToolStepRow>
/** A tool as `countUsed` names it. */
export type UsedTool = Pick<UsedRow, 'connection' | 'name'>
const ToolTimeRow = z.object({ connection: z.string().nullable(), name: z.string(), p95_us: z.number() })
export type ToolTimeRow = z.output<typeof ToolTimeRow>

/** Tools as two lists, as `unnest` takes them. Counts by hour are compared by the key of a tool. */
const namesIn = (tools: readonly UsedTool[]) => ({
  names: tools.map(({ name }) => name),
  connections: tools.map(({ connection }) => connection),
})

/** Hours do not have the tools of one caller. */
const ofTools = (source: UsageSource, span: Span) => (span.caller === null ? source.hours : allRaw(span))

/** The calls of these tools in each step of the span. */
export function countToolSteps(
  sql: OrgSql,
  source: UsageSource,
  span: Span,
  { seconds, tools }: { readonly seconds: number; readonly tools: readonly UsedTool[] },
): Promise<ToolStepRow[]> {
  const { raw, counted } = ofTools(source, span)
  const { after, until } = source
  const { from, connection, caller } = span
  const { names, connections } = namesIn(tools)
  return sql(ToolStepRow)`
    with behind as materialized (
      select r.at, r.connection, usage_name(r.target, r.code) as target
        from records r where r.seq > ${after} and r.seq <= ${until} and r.kind = 'call'
    ), single as (
      select r.at, r.connection, r.target as name, 1 as calls
        from unnest(${raw.starts}::timestamptz[], ${raw.ends}::timestamptz[]) as span (since, before),
             lateral (select r.at, r.connection, usage_name(r.target, r.code) as target from records r
                       where r.at >= span.since and r.at < span.before and r.kind = 'call'
                         and (${caller}::text is null or r.principal = ${caller}) offset 0) r
      union all
      select b.at, b.connection, b.target, 1
        from behind b join unnest(${counted.starts}::timestamptz[], ${counted.ends}::timestamptz[]) as span (since, before)
          on b.at >= span.since and b.at < span.before
      union all
      select h.hour, h.connection, h.name, h.calls
        from unnest(${counted.starts}::timestamptz[], ${counted.ends}::timestamptz[]) as span (since, before)
        join usage_hours h on h.by = 'tool' and h.key = any (array(
               select usage_key(array[t.connection, t.name]) from unnest(${connections}::text[], ${names}::text[]) as t (connection, name)))
         and h.hour >= span.since and h.hour < span.before
    )
    select connection, name, sum(calls)::int as calls,
           floor(extract(epoch from at - ${from}::timestamptz) / ${seconds}::int)::int as step
      from single
     where name = any (${names}::text[]) and (${connection}::text is null or connection = ${connection})
         and exists (select from unnest(${connections}::text[], ${names}::text[]) as t (connection, name)
                      where t.name = single.name and t.connection is not distinct from single.connection)
     group by connection, name, step`
}

/** How long the calls of these tools took in the span. */
export function timeTools(
  sql: OrgSql,
  source: UsageSource,
  span: Span,
  tools: readonly UsedTool[],
): Promise<ToolTimeRow[]> {
  const { raw, counted } = ofTools(source, span)
  const { after, until } = source
  const { connection, caller } = span
  const { names, connections } = namesIn(tools)
  return sql(ToolTimeRow)`
    with behind as materialized (
      select r.at, r.connection, usage_name(r.target, r.code) as target, r.duration_us
        from records r where r.seq > ${after} and r.seq <= ${until} and r.kind = 'call'
    ), single as (
      select r.connection, r.target as name, r.duration_us::float8 as duration, 1 as calls
        from unnest(${raw.starts}::timestamptz[], ${raw.ends}::timestamptz[]) as span (since, before),
             lateral (select r.connection, usage_name(r.target, r.code) as target, r.duration_us from records r
                       where r.at >= span.since and r.at < span.before and r.kind = 'call'
                         and (${caller}::text is null or r.principal = ${caller}) offset 0) r
      union all
      select b.connection, b.target, b.duration_us, 1
        from behind b join unnest(${counted.starts}::timestamptz[], ${counted.ends}::timestamptz[]) as span (since, before)
          on b.at >= span.since and b.at < span.before
      union all
      select h.connection, h.name, round(exp(size::float8 / 25)), n
        from unnest(${counted.starts}::timestamptz[], ${counted.ends}::timestamptz[]) as span (since, before)
        join usage_hours h on h.by = 'tool' and h.key = any (array(
               select usage_key(array[t.connection, t.name]) from unnest(${connections}::text[], ${names}::text[]) as t (connection, name)))
         and h.hour >= span.since and h.hour < span.before,
             unnest(h.sizes, h.counts) as sized (size, n)
    ), placed as (
      select connection, name, duration, sum(sum(calls)) over (partition by connection, name order by duration) as upto,
             sum(sum(calls)) over (partition by connection, name) as total
        from single
       where name = any (${names}::text[]) and (${connection}::text is null or connection = ${connection})
         and exists (select from unnest(${connections}::text[], ${names}::text[]) as t (connection, name)
                      where t.name = single.name and t.connection is not distinct from single.connection)
       group by connection, name, duration
    )
    select connection, name, min(duration) as p95_us from placed where upto >= total * 0.95 group by connection, name`
}

const NameRow = z.object({ id: z.string(), name: z.string() })

/** Names of keys and people, where they are still there. */
export const namesOf = (sql: OrgSql, ids: readonly string[]): Promise<z.output<typeof NameRow>[]> => sql(NameRow)`
  select id, name from keys where id = any (${ids}::text[])
  union all select id, name from users where id = any (${ids}::text[])`
