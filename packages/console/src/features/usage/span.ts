/** The span of time that is looked at, as requested: whole hours or days in the viewer's time zone, or one of their own. */
import { MOST_USAGE_DAYS, type Usage } from '@toolway/contract/admin'
import { momentText } from '../../ui/moment-field.tsx'

export type Range = 'day' | 'week' | 'month' | 'custom'

/** A part of the address; `from` and `to` belong to the range `custom`. */
export interface Chosen {
  readonly range: Range
  readonly from?: string | undefined
  readonly to?: string | undefined
}

export interface Span {
  readonly from: string
  /** Absent: now. */
  readonly to?: string
  readonly step: 'hour' | 'day'
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
/** Longer spans are counted by the day. */
const MOST_BY_HOUR_MS = 2 * DAY_MS

/** Undefined for a span of one's own that cannot be asked for. */
export function spanOf({ range, from, to }: Chosen, now: Date): Span | undefined {
  if (range === 'custom') return ownSpan(from, to, now)
  if (range === 'day') {
    const hour = Math.floor(now.getTime() / HOUR_MS)
    return { from: new Date((hour - 23) * HOUR_MS).toISOString(), step: 'hour' }
  }
  const days = range === 'week' ? 6 : 30
  const start = new Date(now.getFullYear(), now.getMonth(), now.getDate() - days)
  // Days are counted by 24 hours from here on; a night with 25 would make the span longer than may be asked for.
  const latest = new Date(now.getTime() - (days + 1) * DAY_MS + HOUR_MS)
  return { from: (start < latest ? latest : start).toISOString(), step: 'day' }
}

function ownSpan(from: string | undefined, to: string | undefined, now: Date): Span | undefined {
  if (from === undefined || from === '') return undefined
  const [start, end] = [new Date(from), to === undefined || to === '' ? now : new Date(to)]
  const length = end.getTime() - start.getTime()
  if (!(length > 0 && length <= MOST_USAGE_DAYS * DAY_MS)) return undefined
  const step = length <= MOST_BY_HOUR_MS ? 'hour' : 'day'
  return { from: start.toISOString(), to: end.toISOString(), step }
}

/** One step of a chart as a span of one's own, for the address. */
export function stepSpan(at: string, step: 'hour' | 'day'): { range: 'custom'; from: string; to: string } {
  const end = new Date(Date.parse(at) + (step === 'hour' ? HOUR_MS : DAY_MS))
  return { range: 'custom', from: momentText(new Date(at)), to: momentText(end) }
}

/** Steps of a chart, from one to another, as a span of one's own. It ends with the chart, whose last step may be cut off. */
export function stepsSpan({ steps, step, to }: Pick<Usage, 'steps' | 'step' | 'to'>, first: number, last: number) {
  const { from } = stepSpan(steps[first]?.at ?? to, step)
  const span = stepSpan(steps[last]?.at ?? to, step)
  // The address has no seconds: the minute that runs belongs to it.
  const end = momentText(new Date(Math.ceil(Date.parse(to) / MINUTE_MS) * MINUTE_MS))
  return { ...span, from, to: end < span.to ? end : span.to }
}

/** The span that a zoom began with, in one word for the address: `week`, or `FROM/TO` for one of one's own. */
export const zoomedFrom = ({ range, from = '', to = '' }: Chosen): string =>
  range === 'custom' ? `${from}/${to}` : range

/** The same word as a change of the address. */
export function rangeOfWord(word: string): {
  range: Range | undefined
  from: string | undefined
  to: string | undefined
} {
  const [from = '', to] = word.split('/')
  // The address without a range is that of the day.
  if (to === undefined) return { range: from === 'day' ? undefined : (from as Range), from: undefined, to: undefined }
  return { range: 'custom', from, to }
}

/** The same span for the audit log. */
export const recordsSpan = ({ range, from, to }: Chosen): Readonly<Record<string, string | undefined>> =>
  range === 'custom' ? { range, from, to } : { range }
