import { describe, expect, test } from 'vitest'
import { createSingleFlight } from './single-flight.ts'

describe('several who want the same at once', () => {
  test('get the one answer that is under way, and the next one asks anew', async () => {
    const flight = createSingleFlight<string, number>()
    const landing = Promise.withResolvers<number>()
    let flown = 0
    const ask = () =>
      flight('a', () => {
        flown++
        return landing.promise
      })
    const asked = [ask(), ask(), ask()]
    landing.resolve(7)
    expect(await Promise.all(asked)).toEqual([7, 7, 7])
    expect(flown).toBe(1)
    await ask()
    expect(flown).toBe(2)
  })

  test('fail together, and the failure is not remembered', async () => {
    const flight = createSingleFlight<string, number>()
    const failing = () => flight('a', () => Promise.reject(new Error('down')))
    const asked = await Promise.allSettled([failing(), failing()])
    expect(asked.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(await flight('a', () => Promise.resolve(1))).toBe(1)
  })

  test('do not wait for those who want something else', async () => {
    const flight = createSingleFlight<string, number>()
    const never = Promise.withResolvers<number>()
    void flight('slow', () => never.promise)
    expect(await flight('fast', () => Promise.resolve(1))).toBe(1)
  })

  test('are not stuck when the work fails before it has begun', async () => {
    const flight = createSingleFlight<string, number>()
    const thrown = () =>
      flight('a', () => {
        throw new Error('at once')
      })
    expect(thrown).toThrow('at once')
    expect(await flight('a', () => Promise.resolve(1))).toBe(1)
  })
})
