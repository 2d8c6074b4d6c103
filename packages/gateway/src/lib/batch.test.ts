import { expect, test } from 'vitest'
import { createBatch } from './batch.ts'

test('what is asked for while a run is under way goes together in the next, up to so many', async () => {
  const runs: number[][] = []
  const batch = createBatch<number, number>({
    most: 3,
    async run(items) {
      runs.push([...items])
      return items.map((item) => item * 10)
    },
  })
  const first = Promise.all([1, 2, 3, 4].map((item) => batch(item)))
  expect(await first).toEqual([10, 20, 30, 40])
  expect(await batch(5)).toBe(50)
  expect(runs).toEqual([[1, 2, 3], [4], [5]])
})

test('a run that fails fails for its own items, and the next goes on', async () => {
  const batch = createBatch<string, string>({
    most: 1,
    run: (items) => (items.includes('bad') ? Promise.reject(new Error('no')) : Promise.resolve(items)),
  })
  expect(await Promise.allSettled([batch('bad'), batch('good')])).toMatchObject([
    { status: 'rejected' },
    { status: 'fulfilled', value: 'good' },
  ])
})
