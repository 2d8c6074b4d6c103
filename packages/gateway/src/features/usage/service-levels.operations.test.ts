import { expect, test } from 'vitest'
import { levelOf, windowsOf } from './service-levels.operations.ts'

test('a budget is the failures that the target allows: spent, overspent, and unknown without a call', () => {
  expect(levelOf(1000, 1, 2_500, 99.5)).toEqual({
    calls: 1000,
    failed: 1,
    availability: 99.9,
    p95_ms: 2.5,
    budget_left: 80,
  })
  expect(levelOf(1000, 20, 1_000, 99.5)).toMatchObject({ availability: 98, budget_left: -300 })
  expect(levelOf(10, 0, 1_000, 99.5)).toMatchObject({ availability: 100, budget_left: 100 })
  expect(levelOf(0, 0, null, 99.5)).toEqual({
    calls: 0,
    failed: 0,
    availability: null,
    p95_ms: null,
    budget_left: null,
  })
})

test('nothing is said of availability, latency and budget while records are not counted', () => {
  const row = {
    connection: 'web',
    ...{ hour: 1, hour_failed: 0, hour_p95: 1 },
    ...{ day: 10, day_failed: 1, day_p95: 1 },
    ...{ month: 1000, month_failed: 20, month_p95: 1_000 },
  }
  const nothing = { availability: null, p95_ms: null, budget_left: null }
  expect(windowsOf(row, 99.5, 0).month).toMatchObject({ availability: 98, budget_left: -300 })
  expect(windowsOf(row, 99.5, 1)).toEqual({
    hour: { calls: 1, failed: 0, ...nothing },
    day: { calls: 10, failed: 1, ...nothing },
    month: { calls: 1000, failed: 20, ...nothing },
  })
})
