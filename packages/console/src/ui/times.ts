/** Times and numbers as people read them, in the language of the console. */
import { locale } from '../texts/locale.ts'

const STEPS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
]

/** "3 minutes ago", "in 2 days"; what is within a minute is "now". */
export function relativeTime(at: Date, now: number): string {
  const seconds = (at.getTime() - now) / 1000
  const format = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' })
  for (const [unit, size] of STEPS)
    if (Math.abs(seconds) >= size) return format.format(Math.trunc(seconds / size), unit)
  return format.format(0, 'second')
}

const DAY_MS = 86_400_000

/** "in 90 days", where somebody counts the days; what is less than a day away is told in hours or minutes. */
export function relativeDays(at: Date, now: number): string {
  const days = Math.round((at.getTime() - now) / DAY_MS)
  if (Math.abs(at.getTime() - now) < DAY_MS) return relativeTime(at, now)
  return new Intl.RelativeTimeFormat(locale, { numeric: 'always' }).format(days, 'day')
}

/** A step's place on the axis of a chart. */
export const stepLabel = (at: string, step: 'hour' | 'day'): string =>
  step === 'hour'
    ? new Date(at).toLocaleTimeString(locale, { hour: '2-digit', minute: '2-digit' })
    : new Date(at).toLocaleDateString(locale, { day: 'numeric', month: 'short' })

export const exactDay = (at: Date): string => new Intl.DateTimeFormat(locale, { dateStyle: 'medium' }).format(at)

export const exactTime = (at: Date): string =>
  new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'long' }).format(at)

export const count = (number: number, options?: Intl.NumberFormatOptions): string =>
  new Intl.NumberFormat(locale, options).format(number)

/** A number on the axis of a chart, as short as the language writes it: `1.4K` (`1400` in German), `2.5M` (`2,5 Mio.`). */
export const shortCount = (number: number): string => count(number, { notation: 'compact', maximumFractionDigits: 1 })

/**
 * A number from 0 to 100 as `12.5%` (`12,5 %` in German). By default it has one decimal place, and two between 99 and 100, where
 * differences matter most.
 */
export const percent = (number: number, maximumFractionDigits = number > 99 && number < 100 ? 2 : 1): string =>
  count(number, { style: 'unit', unit: 'percent', maximumFractionDigits })

/** Bytes as `1.2 MB`. */
export function size(bytes: number): string {
  const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const
  const step = Math.min(units.length - 1, bytes < 1 ? 0 : Math.floor(Math.log10(bytes) / 3))
  const options = {
    style: 'unit',
    unit: units[step] ?? 'byte',
    // Short, it would be `12 byte`.
    unitDisplay: step === 0 ? 'long' : 'short',
    maximumFractionDigits: 1,
  } as const
  return new Intl.NumberFormat(locale, options).format(bytes / 1000 ** step)
}

/** Milliseconds as `12 ms` or `1.2 s`. */
export const duration = (milliseconds: number): string =>
  milliseconds < 1000
    ? `${count(Math.round(milliseconds * 10) / 10)} ms`
    : `${count(Math.round(milliseconds / 100) / 10)} s`
