/**
 * Where the figures of a span come from (ADR 0129): whole hours and days from what is counted already, the rest from the records:
 * the edges of the span, days whose records changed, and what came behind the place up to which the chain is counted.
 *
 * The figures are the same as those of all the records of the span, but for times, which hours have by their size (2 % off at most).
 */
import { z } from 'zod'
import type { OrgSnapshotSql } from '../../db/db.ts'

/** Spans of time as two lists, as `unnest` takes them. Ends are exclusive. */
export interface Spans {
  readonly starts: readonly Date[]
  readonly ends: readonly Date[]
}

export interface Split {
  /** Read from what is counted, and from the records behind `after`. */
  readonly counted: Spans
  /** Read from records alone. */
  readonly raw: Spans
}

export interface UsageSource {
  /** By hours, and by days in UTC. */
  readonly hours: Split
  readonly days: Split
  /** From this time on (midnight in UTC), what is counted is summed as well: by hour, and by each thing that calls of a day have. */
  readonly summedFrom: number
  /** Records of the chain behind the first of the two places and up to the second are read besides what is counted. */
  readonly after: number
  readonly until: number
  /** Records that are neither counted yet nor read, because they are too many: a job counts them. */
  readonly uncounted: number
}

export interface WantedSpan {
  readonly from: Date
  readonly to: Date
  /** Moments, in milliseconds, at which one figure ends and the next one begins: no counted hour lies across. */
  readonly retentionCuts: readonly number[]
}

/** As many records that are not counted yet are read for each answer. */
const MOST_READ = 200_000
const HOUR = 3_600_000
const DAY = 24 * HOUR

const Place = z.object({
  head: z.number(),
  counted: z.number(),
  summed: z.number().nullable(),
  stale: z.array(z.string()),
})

/**
 * In a snapshot: what is counted, how far, and the records belong together until its end, also while records are counted, redacted or
 * removed meanwhile.
 */
export async function openUsage(
  sql: OrgSnapshotSql,
  { from, to, retentionCuts }: WantedSpan,
  most = MOST_READ,
): Promise<UsageSource> {
  const [position] = await sql(Place)`
    select c.seq::float8 as head, greatest(coalesce(u.seq, 0), c.anchor_seq)::float8 as counted,
           case when isfinite(u.summed_from) then extract(epoch from u.summed_from)::float8 * 1000 end as summed,
           array(select s.day::text from usage_stale s
                  where s.day >= (${from}::timestamptz at time zone 'UTC')::date
                    and s.day <= (${to}::timestamptz at time zone 'UTC')::date) as stale
      from record_chains c left join usage_counted u using (organization_id)`
  const { head, counted, summed, stale } = position ?? { head: 0, counted: 0, summed: null, stale: [] }
  const isRead = head - counted <= most
  const staleDays = new Set(stale.map((day) => Date.parse(day)))
  const isFresh = (start: number) => !staleDays.has(start - (start % DAY))
  const isUncut = (start: number) => !retentionCuts.some((cut) => cut > start && cut < start + HOUR)
  return {
    hours: splitCountedAndRaw(HOUR, from, to, (start) => isFresh(start) && isUncut(start)),
    days: splitCountedAndRaw(DAY, from, to, isFresh),
    summedFrom: summed ?? Number.NEGATIVE_INFINITY,
    after: counted,
    until: isRead ? head : counted,
    uncounted: isRead ? 0 : head - counted,
  }
}

/** The spans before a time, and those from it on; a span across it is cut. */
export function cutAt({ starts, ends }: Spans, time: number): { readonly before: Spans; readonly since: Spans } {
  const all = starts.map((start, at): [number, number] => [start.getTime(), ends[at]?.getTime() ?? 0])
  const before = all.map(([start, end]): [number, number] => [start, Math.min(end, time)])
  const since = all.map(([start, end]): [number, number] => [Math.max(start, time), end])
  return { before: toDateSpans(before.filter(isSpan)), since: toDateSpans(since.filter(isSpan)) }
}

/** The days of spans that are made of whole days, as dates: the database finds them by its index. No call is older than 1970. */
export const daysIn = ({ starts, ends }: Spans): string[] =>
  starts.flatMap((start, at) => {
    const days = ((ends[at]?.getTime() ?? 0) - start.getTime()) / DAY
    return Array.from({ length: days }, (_, day) => start.getTime() + day * DAY)
      .filter((day) => day >= 0)
      .map((day) => new Date(day).toISOString().slice(0, 10))
  })

const isSpan = ([start, end]: readonly [number, number]): boolean => start < end

/** All of the span from its records: for what hours do not have. */
export const allRaw = ({ from, to }: Pick<WantedSpan, 'from' | 'to'>): Split => ({
  counted: { starts: [], ends: [] },
  raw: { starts: [from], ends: [to] },
})

/** Units of a length that lie in the span whole and may be read as they are counted, and what lies between them. */
function splitCountedAndRaw(unit: number, from: Date, to: Date, isCounted: (start: number) => boolean): Split {
  const [counted, raw]: [number, number][][] = [[], []]
  const add = (spans: [number, number][] | undefined, start: number, end: number) => {
    const last = spans?.at(-1)
    if (last?.[1] === start) last[1] = end
    else if (start < end) spans?.push([start, end])
  }
  const [start, end] = [from.getTime(), to.getTime()]
  let at = start
  while (at < end) {
    const next = Math.min(end, (Math.floor(at / unit) + 1) * unit)
    add(next - at === unit && isCounted(at) ? counted : raw, at, next)
    at = next
  }
  return { counted: toDateSpans(counted), raw: toDateSpans(raw) }
}

const toDateSpans = (spans: readonly [number, number][] = []): Spans => ({
  starts: spans.map(([start]) => new Date(start)),
  ends: spans.map(([, end]) => new Date(end)),
})
