import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { measureDates } from './date-span.ts'

describe('the span between two dates', () => {
  test('from Monday to the next Monday is a week with five business days', () => {
    expect(measureDates('2026-03-02', '2026-03-09', [])).toEqual({
      days: 7,
      weeks: 1,
      daysBeyondWeeks: 0,
      businessDays: 5,
      calendar: { years: 0, months: 0, days: 7 },
    })
  })

  test.each([
    ['2024-02-28', '2024-03-01', 2, 2, { years: 0, months: 0, days: 2 }],
    ['2023-01-31', '2023-02-28', 28, 20, { years: 0, months: 1, days: 0 }],
    ['2020-02-29', '2026-02-28', 2191, 1565, { years: 6, months: 0, days: 0 }],
    ['2026-03-07', '2026-03-09', 2, 0, { years: 0, months: 0, days: 2 }],
    ['2026-12-24', '2026-12-24', 0, 0, { years: 0, months: 0, days: 0 }],
  ])('%s to %s', (from, to, days, businessDays, calendar) => {
    expect(measureDates(from, to, [])).toMatchObject({ days, businessDays, calendar })
  })

  test('backwards is negative, and holidays count once and only on workdays', () => {
    expect(measureDates('2026-03-09', '2026-03-02', [])).toMatchObject({ days: -7, weeks: -1, businessDays: -5 })
    const holidays = ['2026-03-04', '2026-03-04', '2026-03-07', '2026-04-01']
    expect(measureDates('2026-03-02', '2026-03-09', holidays).businessDays).toBe(4)
  })

  test.each(['2026-02-30', '2026-13-01', 'tomorrow', '26-01-01', '2026-1-1'])('%s is not a date', (date) => {
    expect(() => measureDates(date, '2026-01-01', [])).toThrow(`'${date}' is not a date`)
  })

  test('business days computed are the business days walked', () => {
    const day = fc.integer({ min: 0, max: 20_000 })
    const iso = (number: number) => new Date(number * 86_400_000).toISOString().slice(0, 10)
    fc.assert(
      fc.property(day, fc.integer({ min: 0, max: 400 }), (start, length) => {
        let walked = 0
        for (let at = start; at < start + length; at += 1) {
          if (![0, 6].includes(new Date(at * 86_400_000).getUTCDay())) walked += 1
        }
        return measureDates(iso(start), iso(start + length), []).businessDays === walked
      }),
    )
  })
})
