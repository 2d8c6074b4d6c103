/** How often the console asks again, however much happens. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { breathe } from './live.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('what happens a hundred times in a second is asked about at once, and once more at the end of each breath', () => {
  const said: string[] = []
  const { tell, stop } = breathe((noun) => said.push(noun), 2_000)
  for (let n = 0; n < 100; n++) {
    tell(['records'])
    vi.advanceTimersByTime(10)
  }
  expect(said).toEqual(['records'])
  tell(['rules'])
  expect(said).toEqual(['records', 'rules'])
  vi.advanceTimersByTime(10_000)
  expect(said).toEqual(['records', 'rules', 'records'])
  tell(['records'])
  stop()
  expect(said).toHaveLength(4)
})
