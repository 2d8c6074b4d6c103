/**
 * How the calls of each connection ended in the last hour, 24 hours and 30 days, in one reading of the records of that time. Refusals of
 * the gateway are no failure of a connection, and errors that a tool reports are answers.
 */
import { z } from 'zod'
import type { OrgSql } from '../db/db.ts'

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

/** The connections that failed most come first, at most `most` of them. */
export const countLevels = (sql: OrgSql, to: Date, most: number): Promise<LevelRow[]> => sql(LevelRow)`
  select connection,
         (count(*) filter (where at >= ${to}::timestamptz - interval '1 hour'))::int as hour,
         (count(*) filter (where at >= ${to}::timestamptz - interval '1 hour' and failed))::int as hour_failed,
         (percentile_disc(0.95) within group (order by duration_us) filter (where at >= ${to}::timestamptz - interval '1 hour'))::float8 as hour_p95,
         (count(*) filter (where at >= ${to}::timestamptz - interval '1 day'))::int as day,
         (count(*) filter (where at >= ${to}::timestamptz - interval '1 day' and failed))::int as day_failed,
         (percentile_disc(0.95) within group (order by duration_us) filter (where at >= ${to}::timestamptz - interval '1 day'))::float8 as day_p95,
         count(*)::int as month,
         (count(*) filter (where failed))::int as month_failed,
         (percentile_disc(0.95) within group (order by duration_us))::float8 as month_p95
    from (select connection, at, duration_us, outcome in ('failed', 'unknown') as failed
            from records
           where at >= ${to}::timestamptz - interval '30 days' and at < ${to}::timestamptz and kind = 'call'
             and outcome <> 'refused' and connection is not null) as calls
   group by grouping sets ((connection), ())
   order by grouping(connection) desc, (count(*) filter (where failed))::float8 / greatest(count(*), 1) desc, connection
   limit ${most}::int + 1`
