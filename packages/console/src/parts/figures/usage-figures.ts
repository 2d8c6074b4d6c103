/** Figures of a span of calls, and their change since the span before. */
import type { Usage } from '@toolway/contract/admin'

export type Counted = Pick<Usage['total'], 'calls' | 'failed' | 'refused'>

/** Percent of the calls that were carried out and ended without an error; refused calls do not count. Null without any. */
export function successRate({ calls, failed, refused }: Counted): number | null {
  const carriedOut = calls - refused
  return carriedOut === 0 ? null : (100 * (carriedOut - failed)) / carriedOut
}

/** How much more or less it is than before, in percent of before; null where there is nothing to compare with. */
export const changeInPercent = (now: number | null | undefined, before: number | null | undefined): number | null =>
  now === null || now === undefined || before === null || before === undefined || before === 0
    ? null
    : (100 * (now - before)) / before

/** The span of the same length that ends where this one begins, for `findUsage`. */
export function spanBefore(from: string, now: number): { from: string; to: string } {
  const start = Date.parse(from)
  return { from: new Date(start - (now - start)).toISOString(), to: from }
}

/** Days with more failed calls than this are bad, in percent of those that were carried out. */
const BAD_PERCENT = 5

export type DayState = 'none' | 'good' | 'some' | 'bad'

/** How the calls of a day ended; `some` failed, or many (`bad`). Refused calls do not count. */
export function dayStateOf(counted: Counted): DayState {
  const rate = successRate(counted)
  if (rate === null) return 'none'
  if (counted.failed === 0) return 'good'
  return rate < 100 - BAD_PERCENT ? 'bad' : 'some'
}
