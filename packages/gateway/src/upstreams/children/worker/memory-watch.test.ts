import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createMemoryWatch, measureByProc, measureByPs } from './memory-watch.ts'

const MIB = 1024 * 1024

describe('a group that is watched', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  test('is told about once, when it contains more than its own limit', async () => {
    const held = new Map([
      [10, { bytes: 0, processes: 1 }],
      [20, { bytes: 0, processes: 1 }],
    ])
    const hold = (group: number, bytes: number, processes = 1) => held.set(group, { bytes, processes })
    const watch = createMemoryWatch(() => Promise.resolve(held))
    const told: unknown[] = []
    watch.add(10, { bytes: 100 }, (what) => told.push([10, what]))
    watch.add(20, { bytes: 200, processes: 4 }, (what) => told.push([20, what]))
    hold(10, 100)
    hold(20, 200, 4)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(told).toEqual([])
    hold(10, 101)
    hold(20, 150)
    await vi.advanceTimersByTimeAsync(2_000)
    expect(told).toEqual([[10, 'memory']])
    hold(10, 1_000)
    hold(20, 200, 5)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(told).toEqual([
      [10, 'memory'],
      [20, 'processes'],
    ])
  })

  test('is not told about when it is forgotten, and nobody looks when nobody is watched', async () => {
    let looks = 0
    const watch = createMemoryWatch(() => {
      looks++
      return Promise.resolve(new Map([[10, { bytes: 1_000, processes: 1 }]]))
    })
    const told: string[] = []
    watch.add(10, { bytes: 100 }, () => told.push('before'))
    watch.forget(10)
    await vi.advanceTimersByTimeAsync(60_000)
    expect([told, looks, vi.getTimerCount()]).toEqual([[], 1, 0])
    watch.add(10, { bytes: 100 }, () => told.push('again'))
    await vi.advanceTimersByTimeAsync(2_000)
    expect(told).toEqual(['again'])
  })

  test('is looked at again after a look that failed', async () => {
    let fails = true
    const watch = createMemoryWatch(() =>
      fails ? Promise.reject(new Error('no table')) : Promise.resolve(new Map([[10, { bytes: 2, processes: 1 }]])),
    )
    const told: string[] = []
    watch.add(10, { bytes: 1 }, () => told.push('told'))
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
      expect(held.get(group)?.bytes).toBeGreaterThan(128 * MIB)
      expect(held.get(group)?.bytes).toBeLessThan(1024 * MIB)
    } finally {
      process.kill(-group, 'SIGKILL')
      await once(leader, 'exit')
    }
    // A process that is dead and not yet reaped uses no memory. The leader's child may die a moment after it.
    await expect.poll(async () => (await measure(new Set([group]))).get(group)?.bytes ?? 0).toBe(0)
  })
})

test.runIf(process.platform === 'linux' && existsSync('/usr/bin/python3'))(
  'memory that processes share counts once, also where no file is behind it',
  async () => {
    // An anonymous mapping of Python is MAP_SHARED; both processes touch all of it.
    const program = `
import mmap, os, time
held = mmap.mmap(-1, 128 << 20)
os.fork()
for at in range(0, 128 << 20, 4096): held[at] = 1
print(1, flush=True)
time.sleep(60)`
    const leader = spawn('/usr/bin/python3', ['-c', program], { detached: true, stdio: ['ignore', 'pipe', 'inherit'] })
    const group = leader.pid ?? 0
    try {
      let said = ''
      for await (const chunk of leader.stdout) if ((said += String(chunk)).length >= 4) break
      const bytes = (await measureByProc(new Set([group]))).get(group)?.bytes
      expect(bytes).toBeGreaterThan(128 * MIB)
      expect(bytes).toBeLessThan(224 * MIB)
    } finally {
      process.kill(-group, 'SIGKILL')
      await once(leader, 'exit')
    }
  },
)
