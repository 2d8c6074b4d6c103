import { expect, test } from 'vitest'
import { spanOf, type Range } from './span.ts'

const DAY_MS = 86_400_000

test('a day is 24 hours, the last of which runs', () => {
  expect(spanOf('day', new Date('2026-11-22T10:20:00Z'))).toEqual({ from: '2026-11-21T11:00:00.000Z', step: 'hour' })
})

test.each<[Range, number]>([
  ['week', 7],
  ['month', 31],
])('a %s is never longer than %i days, also where clocks change', (range, most) => {
  for (let day = 0; day < 366; day++)
    for (const time of ['00:00', '03:30', '23:59']) {
      const now = new Date(new Date(`2026-01-01T${time}:00`).getTime() + day * DAY_MS)
      const { from } = spanOf(range, now)
      const days = (now.getTime() - Date.parse(from)) / DAY_MS
      expect(days).toBeLessThanOrEqual(most)
      expect(days).toBeGreaterThan(most - 1.1)
    }
})
