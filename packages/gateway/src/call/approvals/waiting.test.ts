import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createWaits } from './waiting.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())
const never = new AbortController().signal

describe('a call that waits', () => {
  test('hears of its own question, of all of them, and of no other', async () => {
    const waits = createWaits()
    const told: string[] = []
    for (const id of ['apr_1', 'apr_2'])
      void waits.change(id, 1_000, never).then((heard) => told.push(`${id} ${heard}`))
    waits.hear('apr_3')
    waits.hear('apr_1')
    await vi.advanceTimersByTimeAsync(0)
    expect(told).toEqual(['apr_1 true'])
    waits.hear()
    await vi.advanceTimersByTimeAsync(0)
    expect(told).toEqual(['apr_1 true', 'apr_2 true'])
    expect(vi.getTimerCount()).toBe(0)
  })

  test('waits no longer than it may, than its caller, and than the gateway', async () => {
    const waits = createWaits()
    const caller = new AbortController()
    const late = waits.change('apr_1', 1_000, never)
    const left = waits.change('apr_1', 1_000_000, caller.signal)
    const ended = waits.change('apr_1', 1_000_000, never)
    await vi.advanceTimersByTimeAsync(1_000)
    caller.abort()
    waits.close()
    expect(await Promise.all([late, left, ended])).toEqual([false, false, false])
    expect(await waits.change('apr_1', 1_000_000, never)).toBe(false)
    expect(vi.getTimerCount()).toBe(0)
  })

  test('has a place among so many of its principal, and gives it back once', () => {
    const waits = createWaits(2)
    const [first, second] = [waits.begin('usr_1'), waits.begin('usr_1')]
    expect([waits.begin('usr_1'), waits.begin('usr_2') === undefined]).toEqual([undefined, false])
    first?.end()
    first?.end()
    expect(waits.begin('usr_1')).toBeDefined()
    expect(waits.begin('usr_1')).toBeUndefined()
    second?.end()
    waits.close()
    expect(waits.begin('usr_3')).toBeUndefined()
  })
})
