import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createMemoryWatch, measureByProc, measureByPs } from './memory-watch.ts'

const MIB = 1024 * 1024

describe('a group that is watched', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  test('is told about once, when it holds more than its own limit', async () => {
    const held = new Map([
      [10, 0],
      [20, 0],
    ])
    const watch = createMemoryWatch(() => Promise.resolve(held))
    const told: number[] = []
    watch.add(10, 100, () => told.push(10))
    watch.add(20, 200, () => told.push(20))
    held.set(10, 100).set(20, 200)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(told).toEqual([])
    held.set(10, 101).set(20, 150)
    await vi.advanceTimersByTimeAsync(2_000)
    expect(told).toEqual([10])
    held.set(10, 1_000).set(20, 201)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(told).toEqual([10, 20])
  })

  test('is not told about when it is forgotten, and nobody looks when nobody is watched', async () => {
    let looks = 0
    const watch = createMemoryWatch(() => {
      looks++
      return Promise.resolve(new Map([[10, 1_000]]))
    })
    const told: string[] = []
    watch.add(10, 100, () => told.push('before'))
    watch.forget(10)
    await vi.advanceTimersByTimeAsync(60_000)
    expect([told, looks, vi.getTimerCount()]).toEqual([[], 1, 0])
    watch.add(10, 100, () => told.push('again'))
    await vi.advanceTimersByTimeAsync(2_000)
    expect(told).toEqual(['again'])
  })

  test('is looked at again after a look that failed', async () => {
    let fails = true
    const watch = createMemoryWatch(() =>
      fails ? Promise.reject(new Error('no table')) : Promise.resolve(new Map([[10, 2]])),
    )
    const told: string[] = []
    watch.add(10, 1, () => told.push('told'))
    await vi.advanceTimersByTimeAsync(4_000)
    fails = false
    await vi.advanceTimersByTimeAsync(2_000)
    expect(told).toEqual(['told'])
  })
})

describe.each([
  { by: 'the process table', measure: measureByProc, runs: process.platform === 'linux' },
  { by: 'ps', measure: measureByPs, runs: true },
])('measured by $by', ({ measure, runs }) => {
  test.runIf(runs)('a group holds what all its processes hold', async () => {
    const holds = `const held = Buffer.alloc(64 * ${MIB}, 1); console.log(1); setInterval(() => held.length, 60_000)`
    const program = `require('node:child_process').spawn(process.execPath, ['--eval', ${JSON.stringify(holds)}], { stdio: 'inherit' }); ${holds}`
    const leader = spawn(process.execPath, ['--eval', program], {
      detached: true,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const group = leader.pid ?? 0
    try {
      let said = ''
      for await (const chunk of leader.stdout) if ((said += String(chunk)).length >= 4) break
      const held = await measure(new Set([group]))
      expect([...held.keys()]).toEqual([group])
      expect(held.get(group)).toBeGreaterThan(128 * MIB)
      expect(held.get(group)).toBeLessThan(1024 * MIB)
    } finally {
      process.kill(-group, 'SIGKILL')
      await once(leader, 'exit')
    }
    // A process that is dead and not yet reaped uses no memory.
    expect((await measure(new Set([group]))).get(group) ?? 0).toBe(0)
  })
})
