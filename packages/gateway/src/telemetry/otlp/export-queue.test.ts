import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createExportQueue, type QueueLimits } from './export-queue.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function fixture(limits: Partial<QueueLimits> = {}) {
  const exported: number[] = []
  const dropped: Record<string, number> = {}
  const answers: (() => void)[] = []
  const queue = createExportQueue({
    ...{ queue: 10, batch: 2, delay: 1_000, ...limits },
    export(_, count) {
      exported.push(count)
      return new Promise((resolve) => answers.push(resolve))
    },
    drop: (count, reason) => (dropped[reason] = (dropped[reason] ?? 0) + count),
  })
  const add = (count: number) => {
    for (let one = 0; one < count; one++) queue.add((to) => to.text(5, 'x'))
  }
  return { queue, exported, dropped, answers, add }
}

test('a batch leaves when it is complete, and an incomplete one after the delay', () => {
  const { exported, add } = fixture()
  add(3)
  expect(exported).toEqual([2])
  vi.advanceTimersByTime(1_000)
  expect(exported).toEqual([2, 1])
})

test('a burst beyond the bound is dropped and counted, and nothing else is lost', async () => {
  const { queue, exported, dropped, answers, add } = fixture()
  // Four batches are under way; ten items wait.
  add(30)
  expect([exported, dropped]).toEqual([[2, 2, 2, 2], { queue_full: 12 }])
  const ended = queue.close(new AbortController().signal)
  while (answers.length > 0) {
    answers.splice(0).forEach((answer) => answer())
    await Promise.resolve()
    await Promise.resolve()
    await Promise.resolve()
  }
  await ended
  expect(exported.reduce((sum, count) => sum + count, 0)).toBe(18)
})

test('an item that cannot be encoded is dropped alone', () => {
  const { queue, exported, dropped, add } = fixture()
  add(1)
  queue.add((to) => {
    to.text(5, 'half')
    throw new Error('no')
  })
  add(1)
  expect([exported, dropped]).toEqual([[2], { unencodable: 1 }])
})

test('the end waits no longer than its deadline', async () => {
  const { queue, dropped, add } = fixture()
  add(11)
  const deadline = new AbortController()
  const ended = queue.close(deadline.signal)
  deadline.abort()
  await ended
  expect(dropped).toEqual({ shutdown: 3 })
  add(1)
  expect(dropped).toEqual({ shutdown: 4 })
})
