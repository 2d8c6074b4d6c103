import { describe, expect, test } from 'vitest'
import { descendantsOf, parseStat, partOf, readFamilyCpu, STDIO_STUB } from './process-cpu.ts'

describe('the CPU of a process', () => {
  test('is read past a name with brackets and spaces', () => {
    const line = '42 (a) b (c) S 7 42 42 0 -1 4194304 100 0 0 0 11 22 33 44 20 0 12 0 999 1000 10 184467'
    expect(parseStat(line)).toEqual({ name: 'a) b (c', parent: 7, own: 33, reaped: 77 })
  })

  test('of a family counts children of children and strays, not strangers', () => {
    const of = (parent: number) => ({ name: 'node', parent, own: 1, reaped: 0 })
    const processes = new Map([
      [9, of(8)],
      [8, of(5)],
      [5, of(1)],
      [20, of(1)],
      [21, of(20)],
      [30, of(1)],
    ])
    expect([...descendantsOf(5, processes, (pid) => pid === 20)].toSorted((a, b) => a - b)).toEqual([8, 9, 20, 21])
  })

  test('is of the hop, of its database or of a stub that it started, by the name', () => {
    expect(['node', 'postgres', STDIO_STUB].map((name) => partOf({ name }))).toEqual(['hop', 'database', 'stub'])
    // The kernel cuts a longer one.
    expect(STDIO_STUB.length).toBeLessThanOrEqual(15)
  })

  test.runIf(process.platform === 'linux')('grows with what this process does', () => {
    const before = readFamilyCpu(process.pid)?.own ?? Number.NaN
    for (const start = process.cpuUsage(); process.cpuUsage(start).user < 100_000;);
    expect((readFamilyCpu(process.pid)?.own ?? 0) - before).toBeGreaterThanOrEqual(80)
  })

  test('is unknown for a process that is gone', () => {
    expect(readFamilyCpu(2 ** 30)).toBeUndefined()
  })
})
