/** Returns the time span of a range, as requested: whole hours or days in the viewer's time zone, including the current one. */
export type Range = 'day' | 'week' | 'month'

/** A step's place on the axis of a chart. */
export const stepLabel = (at: string, step: 'hour' | 'day'): string =>
  step === 'hour'
    ? new Date(at).toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit' })
    : new Date(at).toLocaleDateString(undefined, { day: 'numeric', month: 'short' })

const HOUR_MS = 3_600_000

export function spanOf(range: Range, now: Date): { from: string; step: 'hour' | 'day' } {
  if (range === 'day') {
    const hour = Math.floor(now.getTime() / HOUR_MS)
    return { from: new Date((hour - 23) * HOUR_MS).toISOString(), step: 'hour' }
  }
  const days = range === 'week' ? 6 : 30
  const from = new Date(now.getFullYear(), now.getMonth(), now.getDate() - days)
  // Days are counted by 24 hours from here on; a night with 25 would make the span longer than may be asked for.
  const latest = new Date(now.getTime() - (days + 1) * 24 * HOUR_MS + HOUR_MS)
  return { from: (from < latest ? latest : from).toISOString(), step: 'day' }
}
