import { expect, test } from 'vitest'
import { momentText } from '../../ui/moment-field.tsx'
import { recordsSpan, spanOf, stepSpan, stepsSpan, rangeOfWord, zoomedFrom, type Range } from './span.ts'

const DAY_MS = 86_400_000

test('a day is 24 hours, the last of which runs', () => {
  expect(spanOf({ range: 'day' }, new Date('2026-11-22T10:20:00Z'))).toEqual({
    from: '2026-11-21T11:00:00.000Z',
    step: 'hour',
  })
})

test.each<[Range, number]>([
  ['week', 7],
  ['month', 31],
])('a %s is never longer than %i days, also where clocks change', (range, most) => {
  for (let day = 0; day < 366; day++)
    for (const time of ['00:00', '03:30', '23:59']) {
      const now = new Date(new Date(`2026-01-01T${time}:00`).getTime() + day * DAY_MS)
      const { from = '' } = spanOf({ range }, now) ?? {}
      const days = (now.getTime() - Date.parse(from)) / DAY_MS
      expect(days).toBeLessThanOrEqual(most)
      expect(days).toBeGreaterThan(most - 1.1)
    }
})

test('a span of one’s own is counted by the hour up to two days, and has a beginning, an order and a limit', () => {
  const now = new Date('2026-11-22T10:20:00Z')
  const own = (from?: string, to?: string) => spanOf({ range: 'custom', from, to }, now)
  expect(own('2026-11-20T00:00:00Z', '2026-11-21T00:00:00Z')).toEqual({
    from: '2026-11-20T00:00:00.000Z',
    to: '2026-11-21T00:00:00.000Z',
    step: 'hour',
  })
  expect(own('2026-11-10T00:00:00Z')).toMatchObject({ to: now.toISOString(), step: 'day' })
  for (const [from, to] of [[], ['2026-11-21T00:00:00Z', '2026-11-20T00:00:00Z'], ['2026-01-01T00:00:00Z']])
    expect(own(from, to)).toBeUndefined()
})

test('a step of a chart is a span of one’s own, here and in the audit log', () => {
  const chosen = stepSpan('2026-11-20T00:00:00.000Z', 'day')
  const span = spanOf(chosen, new Date('2026-11-22T10:20:00Z'))
  expect(span).toEqual({ from: '2026-11-20T00:00:00.000Z', to: '2026-11-21T00:00:00.000Z', step: 'hour' })
  expect(recordsSpan(chosen)).toEqual(chosen)
  expect(recordsSpan({ range: 'week' })).toEqual({ range: 'week' })
})

test('steps of a chart are a span of one’s own, which ends with the chart', () => {
  const none = { calls: 0, failed: 0, refused: 0, median_ms: null, p95_ms: null }
  const steps = [10, 11, 12].map((hour) => ({ at: `2026-11-22T${hour}:00:00.000Z`, ...none }))
  const chart = { steps, step: 'hour', to: '2026-11-22T12:20:30.000Z' } as const
  const local = (time: string) => momentText(new Date(`2026-11-22T${time}:00.000Z`))
  expect(stepsSpan(chart, 0, 1)).toEqual({ range: 'custom', from: local('10:00'), to: local('12:00') })
  expect(stepsSpan(chart, 1, 2)).toEqual({ range: 'custom', from: local('11:00'), to: local('12:21') })
})

test('the span that a zoom began with is one word of the address', () => {
  for (const chosen of [
    { range: 'week', from: undefined, to: undefined },
    { range: 'custom', from: '2026-11-20T00:00', to: '2026-11-21T00:00' },
  ] as const)
    expect(rangeOfWord(zoomedFrom(chosen))).toEqual(chosen)
})
