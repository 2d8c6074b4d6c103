/**
 * Counts calls by hour and by day behind the records (migration 0072), a bounded number of them at a time, and sees that what is counted
 * is what the records say. Any gateway may do it: one does at a time.
 */
import { z } from 'zod'
import type { SystemSql } from '../../db/db.ts'
import { PLATFORM } from '../../records/records.ts'

const Due = z.object({ organization_id: z.string() })
const Stale = z.object({ organization_id: z.string(), day: z.string() })
const Counted = z.object({ counted: z.number() })
const Recounted = z.object({ done: z.boolean() })
const Summed = z.object({ summed: z.boolean() })
const Checked = z.object({ good: z.boolean() })
const Nothing = z.object({})
const Free = z.object({ free: z.boolean() })

/** False where another gateway counts. It is free again with the end of the transaction. */
export async function takeCount(sql: SystemSql): Promise<boolean> {
  const [taken] = await sql(Free)`select pg_try_advisory_xact_lock(8665936) as free`
  return taken?.free === true
}

/** Chains with at least so many records that are not counted, those with the most first. */
export const listUncounted = (sql: SystemSql, least: number): Promise<z.output<typeof Due>[]> => sql(Due)`
  select c.organization_id
    from record_chains c left join usage_counted u using (organization_id)
   where c.organization_id <> ${PLATFORM} and c.seq - greatest(coalesce(u.seq, 0), c.anchor_seq) >= ${least}
   order by c.seq - greatest(coalesce(u.seq, 0), c.anchor_seq) desc limit 100`

/** Returns how many places of the chain it went on. */
export async function countNext(sql: SystemSql, organization: string, most: number): Promise<number> {
  const [row] = await sql(Counted)`select count_usage(${organization}, ${most}::int)::float8 as counted`
  return row?.counted ?? 0
}

/** Days whose records changed or went; those that could not be counted come last. */
export const listStale = (sql: SystemSql): Promise<z.output<typeof Stale>[]> => sql(Stale)`
  select organization_id, day::text as day from usage_stale order by failed_at nulls first, organization_id, day limit 100`

/** Counts a part of a day anew, of at most so many places of the chain. True: the day is done. */
export async function recountDay(sql: SystemSql, organization: string, day: string, most: number): Promise<boolean> {
  const [row] = await sql(Recounted)`select recount_usage(${organization}, ${day}::date, ${most}::int) as done`
  return row?.done ?? true
}

/** A day could not be counted anew: others come before it. */
export const noteFailed = (sql: SystemSql, organization: string, day: string): Promise<unknown> =>
  sql(Nothing)`
    update usage_stale set failed_at = now() where organization_id = ${organization} and day = ${day}::date`

/** Chains that were counted before there were sums, and have days that are not summed yet. In any order: no failure stands before others. */
export const listUnsummed = (sql: SystemSql): Promise<z.output<typeof Due>[]> => sql(Due)`
  select organization_id from usage_counted where summed_from > '-infinity' order by random() limit 100`

/** Sums the latest day that is counted and not summed. False: there is none. */
export async function sumDay(sql: SystemSql, organization: string): Promise<boolean> {
  const [row] = await sql(Summed)`select sum_usage(${organization}) as summed`
  return row?.summed ?? false
}

/** Chains that are counted. */
export const listCounted = (sql: SystemSql): Promise<z.output<typeof Due>[]> => sql(Due)`
  select organization_id from usage_counted order by organization_id`

/** False where a day was not counted as its records are: it is counted anew from then on. */
export async function checkDay(sql: SystemSql, organization: string, day: string): Promise<boolean> {
  const [row] = await sql(Checked)`select check_usage(${organization}, ${day}::date) as good`
  return row?.good ?? true
}
