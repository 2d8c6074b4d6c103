import { describe, expect, test } from 'vitest'
import { percentile } from './latency-histogram.ts'
import { createSchedule, runOpenLoop } from './open-loop.ts'

const BOUNDS = { mostErrors: 50, faultsTold: 3, graceMs: 5_000 }
const SLOW_MS = 60

const laneThat = (call: () => Promise<string | undefined>) => {
  const lane = {
    made: 0,
    call() {
      lane.made++
      return call()
    },
  }
  return lane
}
const good = () => laneThat(() => Promise.resolve(undefined))
const waits = (ms: number) => new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), ms))

describe('a schedule', () => {
  test('spreads its calls evenly, within its time and its bound', () => {
    const schedule = createSchedule(200, 0.5, 1_000)
    expect([schedule.calls, schedule.due(0), schedule.due(1), schedule.due(99)]).toEqual([100, 0, 5, 495])
    expect(createSchedule(200, 0.5, 7).calls).toBe(7)
  })
})

describe('an open loop', () => {
  test('makes every call that was due, over all connections', async () => {
    const lanes = [good(), good(), good()]
    const outcome = await runOpenLoop(createSchedule(1000, 0.03, 1_000), lanes, BOUNDS)
    expect(outcome).toMatchObject({ calls: 30, errors: 0, faults: [] })
    expect(lanes.map(({ made }) => made)).toEqual([10, 10, 10])
  })

  test('counts from when a call was due, so one slow answer shows in all that waited for it', async () => {
    let first = true
    const lane = laneThat(async () => {
      if (first) await waits(SLOW_MS)
      first = false
      return undefined
    })
    const outcome = await runOpenLoop(createSchedule(1000, 0.02, 1_000), [lane], BOUNDS)
    expect(outcome.calls).toBe(20)
    // The last call was due after 19 ms and could not begin before the first was answered.
    expect(percentile(outcome.latency, 0)).toBeGreaterThan((SLOW_MS - 20) * 0.98)
    const late = outcome.late.reduce((sum, [, count]) => sum + count, 0)
    expect(late, 'calls that waited for a connection are not late by the generator').toBe(1)
  })

  test('goes on beside a connection that does not answer', async () => {
    let answer = (): void => undefined
    const stuck = laneThat(() => new Promise((resolve) => (answer = () => resolve(undefined))))
    const other = laneThat(() => {
      if (other.made === 19) answer()
      return Promise.resolve(undefined)
    })
    const outcome = await runOpenLoop(createSchedule(1000, 0.02, 1_000), [stuck, other], BOUNDS)
    expect([outcome.calls, stuck.made, other.made]).toEqual([20, 1, 19])
  })

  test('tells errors and ends at the most of them', async () => {
    const lane = laneThat(() => Promise.resolve('status 500'))
    const outcome = await runOpenLoop(createSchedule(1000, 0.2, 1_000), [lane], { ...BOUNDS, mostErrors: 5 })
    expect(outcome).toMatchObject({ calls: 0, errors: 5, faults: ['status 500', 'status 500', 'status 500'] })
    expect(outcome.latency).toEqual([])
  })

  test('counts calls that a target is too far behind for as errors', async () => {
    const lane = laneThat(() => waits(SLOW_MS))
    const outcome = await runOpenLoop(createSchedule(1000, 0.01, 1_000), [lane], { ...BOUNDS, graceMs: 10 })
    expect(outcome.calls).toBe(1)
    expect(outcome.errors).toBe(9)
    expect(outcome.faults[0]).toContain('9 calls were not made')
  })
})
