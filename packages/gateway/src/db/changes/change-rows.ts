/** The rows of changes that wait for the stream, and the lease of the one gateway that moves them (migration 0055). */
import { z } from 'zod'
import type { SystemSql } from '../db.ts'

const Waiting = z.object({ seq: z.string(), payload: z.string() })
export type WaitingChange = z.output<typeof Waiting>
const Relayed = z.object({ relayed: z.string() })
const Seq = z.object({ seq: z.string() })

/** Seconds for which a gateway holds the relay without a word. */
const LEASE_SECONDS = 10
/** Changes that the holder moves at a time. */
export const RELAY_BATCH = 200

export const wantChanges = (sql: SystemSql) => sql(z.object({ said: z.string() }))`select want_changes()::text as said`

/** The number of the last entry, where the relay is this gateway's from now on. */
export async function holdRelay(sql: SystemSql, holder: string): Promise<bigint | undefined> {
  const [stored] = await sql(Relayed)`
    update change_relay
       set holder = ${holder}, held_until = clock_timestamp() + make_interval(secs => ${LEASE_SECONDS}::int),
           wanted_until = clock_timestamp() + interval '1 day'
     where (holder = ${holder} or held_until < clock_timestamp()) and wanted_until > clock_timestamp()
    returning relayed::text as relayed`
  return stored === undefined ? undefined : BigInt(stored.relayed)
}

export const releaseRelay = (sql: SystemSql, holder: string) =>
  sql(Relayed)`
    update change_relay set holder = null, held_until = '-infinity'
     where holder = ${holder} returning relayed::text as relayed`

/** The oldest rows that are committed. A row that commits later with a smaller number is there the next time. */
export const waitingChanges = (sql: SystemSql, limit: number) =>
  sql(Waiting)`select seq::text as seq, payload from changes order by changes.seq limit ${limit}`

/** Whether the entries up to `from + rows` count: not where another gateway took the relay meanwhile. */
export async function storeRelayed(
  sql: SystemSql,
  { holder, from, rows }: { holder: string; from: bigint; rows: readonly WaitingChange[] },
): Promise<boolean> {
  const moved = await sql(Relayed)`
    update change_relay
       set relayed = relayed + ${rows.length}::int, held_until = clock_timestamp() + make_interval(secs => ${LEASE_SECONDS}::int)
     where holder = ${holder} and relayed = ${String(from)}::bigint returning relayed::text as relayed`
  if (moved.length === 0) return false
  await sql(
    Seq,
  )`delete from changes where seq = any(${rows.map(({ seq }) => seq)}::bigint[]) returning seq::text as seq`
  return true
}

/**
 * Removes what waits where that is more than the stream would hold, and leaves out more numbers than a holder of the relay may have
 * under way, so that every reader sees a gap and reloads. Any gateway may do it at any time. Whether it did.
 */
export async function dropWaiting(sql: SystemSql, most: number): Promise<boolean> {
  const isOver = async () =>
    (await sql(Seq)`select seq::text as seq from changes order by changes.seq offset ${most} limit 1`).length > 0
  if (!(await isOver())) return false
  // In the order of `storeRelayed`. Of two gateways the second finds nothing left.
  await sql(Relayed)`select relayed::text as relayed from change_relay for update`
  if (!(await isOver())) return false
  await sql(Seq)`with gone as (delete from changes returning seq) select max(seq)::text as seq from gone`
  await sql(
    Relayed,
  )`update change_relay set relayed = relayed + ${RELAY_BATCH + 1}::int returning relayed::text as relayed`
  return true
}

const Look = z.object({ relayed: z.string(), oldest: z.string().nullable(), wanted: z.boolean() })

/** How far the stream is, and the oldest row that waits for it. */
export async function lookAtRelay(sql: SystemSql): Promise<z.output<typeof Look>> {
  const [found] = await sql(Look)`
    select relayed::text as relayed, (select min(seq)::text from changes) as oldest, wanted_until > clock_timestamp() as wanted
      from change_relay`
  if (found === undefined) throw new Error('the row of change_relay is missing')
  return found
}
