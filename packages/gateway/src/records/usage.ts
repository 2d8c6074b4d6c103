/**
 * How many calls there were in a span of time, by step and by what they went to and who made them.
 *
 * Records of a span lie together on the disk, which is what their index knows: each question reads that part once, and sorts
 * nothing but times.
 */
import { z } from 'zod'
import type { OrgSql } from '../db/db.ts'

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

export const countSteps = (
  sql: OrgSql,
  { from, to, connection, caller }: Span,
  seconds: number,
): Promise<StepRow[]> => sql(StepRow)`
  select step, count(*)::int as calls,
         (count(*) filter (where outcome in ('failed', 'tool_error', 'unknown')))::int as failed,
         (count(*) filter (where outcome = 'refused'))::int as refused,
         percentile_disc(0.5) within group (order by duration_us)::float8 as median_us,
         percentile_disc(0.95) within group (order by duration_us)::float8 as p95_us
    from (select floor(extract(epoch from at - ${from}::timestamptz) / ${seconds}::int)::int as step, outcome, duration_us
            from records
           where at >= ${from} and at < ${to} and kind = 'call'
             and (${connection}::text is null or connection = ${connection})
             and (${caller}::text is null or principal = ${caller})) as calls
   group by grouping sets ((step), ())
   order by step`

const UsedRow = z.object({
  by: z.enum(['connection', 'tool', 'caller', 'client', 'reason']),
  connection: z.string().nullable(),
  name: z.string(),
  ...Counts,
})
export type UsedRow = z.output<typeof UsedRow>

/** The most used, by each of the five groupings; at most `most` of each. */
export const countUsed = (sql: OrgSql, { from, to, connection, caller }: Span, most: number): Promise<UsedRow[]> => sql(
  UsedRow,
)`
  select by, connection, name, calls, failed, refused
    from (select case grouping(connection, target, principal, client, code)
                   when 15 then 'connection' when 7 then 'tool' when 27 then 'caller' when 29 then 'client'
                   else 'reason' end as by,
                 connection, coalesce(code, client, principal, target, connection) as name, count(*)::int as calls,
                 (count(*) filter (where outcome in ('failed', 'tool_error', 'unknown')))::int as failed,
                 (count(*) filter (where outcome = 'refused'))::int as refused,
                 row_number() over (partition by grouping(connection, target, principal, client, code)
                                    order by count(*) desc, connection, target, principal, client, code) as place
            from records
           where at >= ${from} and at < ${to} and kind = 'call'
             and (${connection}::text is null or connection = ${connection})
             and (${caller}::text is null or principal = ${caller})
           group by grouping sets ((connection), (connection, target), (principal), (client), (code))
          having case grouping(connection, target, principal, client, code)
                   when 15 then connection is not null when 7 then target is not null
                   when 27 then principal is not null when 29 then client is not null else code is not null end) as used
   where place <= ${most}
   order by by, place`

const ToolStepRow = z.object({ connection: z.string().nullable(), name: z.string(), step: z.int(), calls: z.int() })
export type ToolStepRow = z.output<typeof ToolStepRow>

/** The calls of these tools in each step of the span. */
export const countToolSteps = (
  sql: OrgSql,
  { from, to, connection, caller }: Span,
  seconds: number,
  tools: readonly string[],
): Promise<ToolStepRow[]> => sql(ToolStepRow)`
  select connection, target as name, count(*)::int as calls,
         floor(extract(epoch from at - ${from}::timestamptz) / ${seconds}::int)::int as step
    from records
   where at >= ${from} and at < ${to} and kind = 'call' and target = any (${tools}::text[])
     and (${connection}::text is null or connection = ${connection})
     and (${caller}::text is null or principal = ${caller})
   group by connection, target, step`

const ToolTimeRow = z.object({ connection: z.string().nullable(), name: z.string(), p95_us: z.number() })
export type ToolTimeRow = z.output<typeof ToolTimeRow>

/** How long the calls of these tools took in the span. */
export const timeTools = (
  sql: OrgSql,
  { from, to, connection, caller }: Span,
  tools: readonly string[],
): Promise<ToolTimeRow[]> => sql(ToolTimeRow)`
  select connection, target as name, percentile_disc(0.95) within group (order by duration_us)::float8 as p95_us
    from records
   where at >= ${from} and at < ${to} and kind = 'call' and target = any (${tools}::text[])
     and (${connection}::text is null or connection = ${connection})
     and (${caller}::text is null or principal = ${caller})
   group by connection, target`

const NameRow = z.object({ id: z.string(), name: z.string() })

/** Names of keys and people, where they are still there. */
export const namesOf = (sql: OrgSql, ids: readonly string[]): Promise<z.output<typeof NameRow>[]> => sql(NameRow)`
  select id, name from keys where id = any (${ids}::text[])
  union all select id, name from users where id = any (${ids}::text[])`
