/**
 * Records in partitions by month (migration 0059): the months to come are made ahead, and a month past its retention goes at once, as
 * a whole, where a signed checkpoint of each organization stands behind it. What cannot go as a whole goes by `retention.ts`.
 */
import { z } from 'zod'
import type { SystemSql } from '../db/db.ts'
import { listChained, refuseForeign } from './retention.ts'

const Made = z.object({ made: z.boolean() })
const Dropped = z.object({ organization_id: z.string(), month: z.string(), removed: z.number() })
export type DroppedMonth = z.output<typeof Dropped>

/** Months that have a partition before their first record comes. */
const AHEAD = 2

/** This month and those to come; how many were made. Any gateway may do it at any time: each is made once. */
export async function makeMonthsAhead(sql: SystemSql, now: Date): Promise<number> {
  const made = await sql(Made)`
    select make_record_partition((date_trunc('month', ${now}::timestamptz at time zone 'UTC') + make_interval(months => ahead))::date) as made
      from generate_series(0, ${AHEAD}::int) as ahead`
  return made.filter((item) => item.made).length
}

/**
 * The months that end before a moment, and with how many records of each organization they went. Throws ForeignCheckpoint where a
 * checkpoint was not signed by this installation; then nothing goes.
 */
export async function dropMonths(
  sql: SystemSql,
  {
    before,
    signers,
    now,
    actor,
    correlationId,
  }: {
    readonly before: Date
    readonly now: Date
    readonly signers: readonly string[]
    readonly actor: { readonly id: string; readonly type: string }
    readonly correlationId: string
  },
): Promise<DroppedMonth[]> {
  for (const organization of await listChained(sql)) await refuseForeign(sql, organization, signers)
  return sql(Dropped)`
    select organization_id, month, removed::float8 as removed
      from drop_record_months(${before}, ${now}, ${actor.id}, ${actor.type}, ${correlationId})`
}
