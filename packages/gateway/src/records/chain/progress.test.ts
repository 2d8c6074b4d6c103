import { afterEach, expect, test, vi } from 'vitest'
import { createProgress, type Progress } from './progress.ts'

afterEach(() => void vi.useRealTimers())

test('progress is told at once and then at most twice a second, however many records are read', () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  const told: Progress[] = []
  const onRecord = createProgress(1_000, (progress) => told.push(progress))
  for (let record = 0; record < 1_000; record++) {
    vi.advanceTimersByTime(2)
    onRecord()
  }
  expect(told).toEqual([
    { records: 0, of: 1_000, seconds: 0 },
    { records: 250, of: 1_000, seconds: 0.5 },
    { records: 500, of: 1_000, seconds: 1 },
    { records: 750, of: 1_000, seconds: 1.5 },
    { records: 1_000, of: 1_000, seconds: 2 },
  ])
})
