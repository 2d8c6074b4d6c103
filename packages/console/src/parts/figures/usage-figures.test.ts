import { expect, test } from 'vitest'
import { changeInPercent, dayStateOf, spanBefore, successRate } from './usage-figures.ts'

test('the success rate leaves out refused calls, and is unknown without any other', () => {
  expect(successRate({ calls: 10, failed: 1, refused: 6 })).toBe(75)
  expect(successRate({ calls: 3, failed: 0, refused: 3 })).toBeNull()
  expect(successRate({ calls: 0, failed: 0, refused: 0 })).toBeNull()
})

test('a change is in percent of before, and unknown where there was nothing before', () => {
  expect(changeInPercent(150, 100)).toBe(50)
  expect(changeInPercent(0, 4)).toBe(-100)
  expect(changeInPercent(5, 0)).toBeNull()
  expect(changeInPercent(undefined, 3)).toBeNull()
  expect(changeInPercent(3, null)).toBeNull()
})

test('the span before is as long, and ends where the other begins', () => {
  expect(spanBefore('2026-11-27T00:00:00.000Z', Date.parse('2026-11-27T06:00:00.000Z'))).toEqual({
    from: '2026-11-26T18:00:00.000Z',
    to: '2026-11-27T00:00:00.000Z',
  })
})

test.each([
  [{ calls: 0, failed: 0, refused: 0 }, 'none'],
  [{ calls: 4, failed: 0, refused: 4 }, 'none'],
  [{ calls: 9, failed: 0, refused: 4 }, 'good'],
  [{ calls: 100, failed: 5, refused: 0 }, 'some'],
  [{ calls: 100, failed: 6, refused: 0 }, 'bad'],
  [{ calls: 10, failed: 1, refused: 8 }, 'bad'],
])('a day with %j is %s', (counted, state) => {
  expect(dayStateOf(counted)).toBe(state)
})
