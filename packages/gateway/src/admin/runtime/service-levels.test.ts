import { expect, test } from 'vitest'
import { levelOf } from './service-levels.ts'

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
