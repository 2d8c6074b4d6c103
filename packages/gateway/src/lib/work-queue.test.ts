import { expect, test, vi } from 'vitest'
import { createTurns, TurnTooLate } from './work-queue.ts'

test('so many work at once, so many wait, and nobody else is taken', async () => {
  const turns = createTurns({ atOnce: 2, waiting: 3 })
  const gates = Array.from({ length: 6 }, () => Promise.withResolvers<void>())
  let [busy, most] = [0, 0]
  const all = gates.map((gate, at) =>
    turns.take(async () => {
      most = Math.max(most, ++busy)
      await gate.promise
      busy--
      return at
    }),
  )
  expect(all.map((one) => one !== undefined)).toEqual([true, true, true, true, true, false])
  for (const gate of gates) gate.resolve()
  expect(await Promise.all(all.flatMap((one) => one ?? []))).toEqual([0, 1, 2, 3, 4])
  expect(most).toBe(2)
})

test('a turn that does not come in time is not begun, and takes no place in the line', async () => {
  vi.useFakeTimers()
  const turns = createTurns({ atOnce: 1, waiting: 1 })
  const gate = Promise.withResolvers<void>()
  const first = turns.take(() => gate.promise)
  let begun = 0
  const late = turns.take(() => Promise.resolve(++begun), { patience: 1_000 })
  const ended = late?.catch((thrown: unknown) => thrown)
  await vi.advanceTimersByTimeAsync(1_000)
  expect(await ended).toBeInstanceOf(TurnTooLate)
  const next = turns.take(() => Promise.resolve('next'), { patience: 1_000 })
  const preferred = turns.take(() => Promise.resolve(begun), { preferred: true })
  gate.resolve()
  await first
  expect(await Promise.all([preferred, next])).toEqual([0, 'next'])
  vi.useRealTimers()
})

test('a turn that fails is given on', async () => {
  const turns = createTurns({ atOnce: 1, waiting: 1 })
  const failing = turns.take(() => Promise.reject(new Error('no')))
  const next = turns.take(() => Promise.resolve('yes'))
  await expect(failing).rejects.toThrow('no')
  expect(await next).toBe('yes')
})
