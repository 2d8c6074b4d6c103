import { expect, test } from 'vitest'
import { isLevel, reachesLevel } from './levels.ts'

test('a line reaches whoever asked for its level or for a lower one', () => {
  expect(reachesLevel('warning', 'info')).toBe(true)
  expect(reachesLevel('warning', 'warning')).toBe(true)
  expect(reachesLevel('notice', 'warning')).toBe(false)
})

test('a line of a level that nobody knows is not held back', () => {
  expect(reachesLevel('verbose', 'error')).toBe(true)
  expect(reachesLevel(undefined, 'error')).toBe(true)
})

test('the eight levels are levels, and nothing else is', () => {
  expect(isLevel('emergency')).toBe(true)
  expect(isLevel('fatal')).toBe(false)
  expect(isLevel(3)).toBe(false)
})
