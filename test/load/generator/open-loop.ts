/**
 * Makes calls by a schedule that does not wait for answers, over a fixed set of connections.
 *
 * Calls are due at even distances. Each begins when it is due; where no connection is free it waits for one, and its latency
 * counts from when it was due, so a slow answer shows in all the calls it held up (no coordinated omission). Every call that was
 * due is made, also after the end, unless the target is so far behind that the rest is given up: those are errors.
 */
import { type Buckets, createLatencyHistogram } from './latency-histogram.ts'

interface Lane {
  /** Resolves to undefined, or to what was wrong with the call. */
  call(): Promise<string | undefined>
}

/** Times in milliseconds since the schedule began. */
export interface Schedule {
  readonly calls: number
  /** When a call is due; the first has the number nought. */
  due(call: number): number
}

export interface OpenOutcome {
  readonly calls: number
  readonly errors: number
  readonly faults: readonly string[]
  readonly latency: Buckets
  /** How late a call began although a connection was free: the generator's own part of the latency. */
  readonly late: Buckets
}

interface Bounds {
  readonly mostErrors: number
  readonly faultsTold: number
  /** After the last call was due, so long is waited for those that are held up. */
  readonly graceMs: number
}

export function createSchedule(perSecond: number, seconds: number, mostCalls: number): Schedule {
  const every = 1000 / perSecond
  return { calls: Math.min(mostCalls, Math.floor(seconds * perSecond)), due: (call) => call * every }
}

export async function runOpenLoop(
  schedule: Schedule,
  lanes: readonly Lane[],
  { mostErrors, faultsTold, graceMs }: Bounds,
): Promise<OpenOutcome> {
  const [latency, late] = [createLatencyHistogram(), createLatencyHistogram()]
  const faults: string[] = []
  const free = [...lanes]
  let [next, calls, errors] = [0, 0, 0]
  let wake: (() => void) | undefined
  const begin = performance.now()
  const sinceBegin = () => performance.now() - begin
  const end = schedule.due(schedule.calls) + graceMs
  const goesOn = () => next < schedule.calls && errors < mostErrors && sinceBegin() < end

  const fail = (fault: string, times = 1) => {
    errors += times
    if (faults.length < faultsTold) faults.push(fault)
  }
  const oneIsFree = () => new Promise<void>((resolve) => (wake = resolve))

  async function make(lane: Lane, due: number): Promise<void> {
    const fault = await lane.call()
    if (fault === undefined) {
      calls++
      latency.record(sinceBegin() - due)
    } else fail(fault)
    free.push(lane)
    wake?.()
  }

  for (let held = false; goesOn();) {
    for (let due = schedule.due(next); goesOn() && due <= sinceBegin(); due = schedule.due(next)) {
      const lane = free.shift()
      if (lane === undefined) break
      if (!held) late.record(sinceBegin() - due)
      next++
      void make(lane, due)
    }
    held = free.length === 0
    if (held) await oneIsFree()
    else await new Promise((resolve) => setTimeout(resolve, Math.max(0, schedule.due(next) - sinceBegin())))
  }
  while (free.length < lanes.length) await oneIsFree()
  if (next < schedule.calls && errors < mostErrors) {
    const left = schedule.calls - next
    fail(`${left} calls were not made: the target was ${graceMs} ms behind at the end`, left)
  }
  return { calls, errors, faults, latency: latency.buckets(), late: late.buckets() }
}
