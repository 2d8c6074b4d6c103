/**
 * How far apart are two calendar dates?
 *
 * Dates are days of the proleptic Gregorian calendar without time or zone, so no daylight saving can shift them. The
 * start counts as passed and the end does not: from Monday to the next Monday are 7 days, 5 of them business days.
 * Business days are computed, not walked, so a span of millennia costs nothing.
 */
const DAY = 86_400_000

export interface DateSpan {
  /** Days from start to end; negative when the end is earlier. */
  days: number
  weeks: number
  daysBeyondWeeks: number
  /** Monday to Friday without the given holidays; negative when the end is earlier. */
  businessDays: number
  /** The same span as a calendar reader would say it; never negative. */
  calendar: { years: number; months: number; days: number }
}

/** Measures from `from` to `to` (YYYY-MM-DD); `holidays` are further days off. Throws on a date that does not exist. */
export function measureDates(from: string, to: string, holidays: readonly string[]): DateSpan {
  const [start, end] = [dayNumber(from), dayNumber(to)]
  const sign = end < start ? -1 : 1
  const [first, last] = sign < 0 ? [end, start] : [start, end]
  const off = new Set(holidays.map(dayNumber).filter((day) => day >= first && day < last && isWorkday(day)))
  const days = last - first
  return {
    days: sign * days + 0,
    weeks: Math.trunc((sign * days) / 7) + 0,
    daysBeyondWeeks: ((sign * days) % 7) + 0,
    businessDays: sign * (workdays(first, last) - off.size) + 0,
    calendar: calendarSpan(first, last),
  }
}

/** Days since 1970-01-01. */
function dayNumber(date: string): number {
  const at = /^\d{4}-\d{2}-\d{2}$/.test(date) ? Date.parse(`${date}T00:00:00Z`) : NaN
  // Date.parse rolls 2026-02-30 over to March in some runtimes; writing it back shows it.
  if (Number.isNaN(at) || new Date(at).toISOString().slice(0, 10) !== date) {
    throw new Error(`'${date}' is not a date of the calendar; write YYYY-MM-DD.`)
  }
  return at / DAY
}

/** 1970-01-01 is a Thursday; 0 is Monday. */
const weekday = (day: number) => (((day + 3) % 7) + 7) % 7
const isWorkday = (day: number) => weekday(day) < 5

function workdays(first: number, last: number): number {
  const whole = Math.floor((last - first) / 7)
  let count = whole * 5
  for (let day = first + whole * 7; day < last; day += 1) if (isWorkday(day)) count += 1
  return count
}

function calendarSpan(first: number, last: number): DateSpan['calendar'] {
  const start = new Date(first * DAY)
  const end = new Date(last * DAY)
  let months = (end.getUTCFullYear() - start.getUTCFullYear()) * 12 + end.getUTCMonth() - start.getUTCMonth()
  if (addMonths(start, months) > last) months -= 1
  return { years: Math.floor(months / 12), months: months % 12, days: last - addMonths(start, months) }
}

/** The day `months` later; the 31st becomes the last day of a shorter month. */
function addMonths(start: Date, months: number): number {
  const target = new Date(start)
  target.setUTCDate(1)
  target.setUTCMonth(target.getUTCMonth() + months)
  const lastOfMonth = new Date(target)
  lastOfMonth.setUTCMonth(lastOfMonth.getUTCMonth() + 1, 0)
  target.setUTCDate(Math.min(start.getUTCDate(), lastOfMonth.getUTCDate()))
  return target.getTime() / DAY
}
