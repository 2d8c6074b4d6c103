import { expect, test } from 'vitest'
import { summarizeNumbers } from './statistics.ts'

test('a handful of numbers is summarized as a statistician would', () => {
  expect(summarizeNumbers([2, 4, 4, 4, 5, 5, 7, 9], [0.25, 0.9])).toEqual({
    count: 8,
    sum: 40,
    mean: 5,
    median: 4.5,
    stdev: Math.sqrt(32 / 7),
    min: 2,
    max: 9,
    range: 7,
    quantiles: [
      { at: 0.25, value: 4 },
      { at: 0.9, value: expect.closeTo(7.6, 12) },
    ],
  })
})

test('one number has no deviation', () => {
  expect(summarizeNumbers([7], [0.5])).toMatchObject({ stdev: null, mean: 7, median: 7, range: 0 })
})

test('a large offset does not eat the deviation', () => {
  expect(summarizeNumbers([1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16], []).stdev).toBeCloseTo(Math.sqrt(30), 9)
})

test('nothing to summarize, or a sum beyond numbers, is said', () => {
  expect(() => summarizeNumbers([], [])).toThrow('no numbers')
  expect(() => summarizeNumbers([1.7e308, 1.7e308], [])).toThrow('too large')
})
