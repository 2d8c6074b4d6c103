/** The filter of the records: the state of the address, as a query to the gateway. */
import type { AuditEvent, listAudit } from '@toolway/contract/admin'
import { z } from 'zod'

export const RANGES = ['hour', 'day', 'yesterday', 'week', 'month', 'all', 'custom'] as const
export type Range = (typeof RANGES)[number]
export const OUTCOMES = [
  'ok',
  'tool_error',
  'refused',
  'failed',
  'cancelled',
  'unknown',
] as const satisfies readonly AuditEvent['outcome'][]

const Text = z.string().min(1).max(300).optional()
const Moment = z.iso.datetime({ offset: true, local: true }).optional()

export const RecordsState = z.object({
  range: z.enum(RANGES).default('day'),
  /** Of the range `custom`, as a field of the browser writes them: without a zone. */
  from: Moment,
  to: Moment,
  action: Text,
  tool: Text,
  connection: Text,
  actor_id: Text,
  outcome: z.enum(OUTCOMES).optional(),
  correlation_id: Text,
  code: Text,
  /** Of every organization, for who looks after the installation. */
  all: z.literal('true').optional(),
  offset: z.coerce.number().int().min(0).default(0),
  /** Where the list stands still; absent: it goes on with what comes. */
  until: Moment,
  /** The one that is open beside the list. */
  record: Text,
  dialog: z.enum(['verify', 'export']).optional(),
})
export type RecordsState = z.output<typeof RecordsState>
/** As the address writes it. */
export type RecordsInput = z.input<typeof RecordsState>

export const PAGE = 50
const HOUR = 3_600_000
const LENGTHS: Readonly<Record<Exclude<Range, 'yesterday' | 'all' | 'custom'>, number>> = {
  hour: HOUR,
  day: 24 * HOUR,
  week: 7 * 24 * HOUR,
  month: 31 * 24 * HOUR,
}

const momentOf = (text: string | undefined) => (text === undefined ? undefined : new Date(text).toISOString())

/** From when to when, at this moment. */
export function spanOf({ range, from, to }: Pick<RecordsState, 'range' | 'from' | 'to'>, now: number) {
  if (range === 'all') return { start: undefined, end: undefined }
  if (range === 'custom') return { start: momentOf(from), end: momentOf(to) }
  if (range === 'yesterday') {
    // By the calendar of the browser; a day can have 23 or 25 hours.
    const today = new Date(now)
    const midnight = (day: number) =>
      new Date(today.getFullYear(), today.getMonth(), today.getDate() + day).toISOString()
    return { start: midnight(-1), end: midnight(0) }
  }
  // To the minute, so that the question stays the same while it is looked at.
  return { start: new Date(Math.floor((now - LENGTHS[range]) / 60_000) * 60_000).toISOString(), end: undefined }
}

/** Whether the span ended before this moment: no record comes to it, except of calls that were under way. */
export function isOver(state: Pick<RecordsState, 'range' | 'from' | 'to'>, now: number): boolean {
  const { end } = spanOf(state, now)
  return end !== undefined && Date.parse(end) <= now
}

export type RecordsQuery = Partial<z.input<(typeof listAudit)['query']>>

export function queryOf(state: RecordsState, now: number): RecordsQuery {
  const { action, tool, connection, actor_id, outcome, correlation_id, code, offset, until } = state
  const { start, end } = spanOf(state, now)
  const still = momentOf(until)
  const ends = [end, still].filter((moment) => moment !== undefined).toSorted()
  return {
    ...{ action, tool, connection, outcome, start, offset, limit: PAGE },
    ...{ actor_id, correlation_id, code, end: ends[0] },
  }
}

/** Returns whether a filter besides the time is set. */
export const isNarrowed = (state: RecordsState): boolean =>
  [
    ...[state.action, state.tool, state.connection, state.actor_id],
    ...[state.outcome, state.correlation_id, state.code],
  ].some((value) => value !== undefined)
