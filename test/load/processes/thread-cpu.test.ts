import { describe, expect, test } from 'vitest'
import { parseSchedstat, readThreadCpu, threadCpuBetween } from './thread-cpu.ts'

describe('the CPU of threads', () => {
  test('is the first number of the three', () => {
    expect(parseSchedstat('63986644 20578633 121\n')).toBe(63_986_644)
    expect(parseSchedstat('')).toBeUndefined()
  })

  test('is added up, that of new threads too', () => {
    const before = new Map([
      [1, 5_000_000],
      [2, 1_000_000],
    ])
    const after = new Map([...before, [1, 7_500_000] as const, [3, 500_000] as const])
    expect(threadCpuBetween(before, after)).toBe(3)
  })

  test('is unknown where a thread ended or nothing was read', () => {
    const one = new Map([[1, 5_000_000]])
    expect(threadCpuBetween(new Map([...one, [2, 1]]), one)).toBeUndefined()
    expect(threadCpuBetween(undefined, one)).toBeUndefined()
    expect(readThreadCpu(2 ** 30)).toBeUndefined()
  })
})
