import { expect, test } from 'vitest'
import { realSleep, waitInSteps } from './wait.ts'

test('a wait tells each step and waits the whole time in sum', async () => {
  const told: string[] = []
  let slept = 0
  const steps = await waitInSteps(
    { seconds: 3, steps: 4 },
    {
      signal: new AbortController().signal,
      progress: async ({ done, total, message }) => void told.push(`${done}/${total} ${message}`),
    },
    async (milliseconds) => void (slept += milliseconds),
  )
  expect(steps).toBe(4)
  expect(slept).toBe(3_000)
  expect(told).toEqual(['1/4 0.75 of 3 seconds', '2/4 1.5 of 3 seconds', '3/4 2.25 of 3 seconds', '4/4 3 of 3 seconds'])
})

test('a cancelled wait ends with an abort and tells no further step', async () => {
  const stop = new AbortController()
  const told: number[] = []
  const waiting = waitInSteps(
    { seconds: 600, steps: 2 },
    { signal: stop.signal, progress: async ({ done }) => void told.push(done) },
    realSleep,
  )
  stop.abort()
  await expect(waiting).rejects.toMatchObject({ name: 'AbortError' })
  expect(told).toEqual([])
})
