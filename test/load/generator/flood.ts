/**
 * The process that floods: calls come by a schedule that waits for no answer, each on a free connection, or on a new one where none is.
 *
 * Spoken to over the channel of its parent and gone when that closes. It counts what each call ended with, and measures the calls that
 * were answered well from when they were due. A call for which no connection may be opened any more counts as not made: it is the
 * generator's bound and not the gateway's.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Buckets, createLatencyHistogram } from './latency-histogram.ts'
import { createLane } from './load-lane.ts'
import { type CallTarget, FIRST_ID } from './mcp-call.ts'

export interface Flood {
  readonly target: CallTarget
  readonly perSecond: number
  readonly seconds: number
  readonly mostConnections: number
}

export interface FloodOutcome {
  readonly made: number
  readonly good: number
  /** Told that the gateway is busy. */
  readonly busy: number
  /** Ends that are no such answers, by what they were. */
  readonly others: Readonly<Record<string, number>>
  readonly notMade: number
  readonly mostConnections: number
  /** Of the good ones, from when they were due. */
  readonly latency: Buckets
  /** Of those that were told that it is busy. */
  readonly busyLatency: Buckets
}

const CALL_LIMIT_MS = 90_000
/** Milliseconds between two looks at what is due. */
const STEP = 2

let lastId = FIRST_ID

/** What a call ended with, without what differs from one to the next. */
const kindOf = (fault: string): string => fault.replaceAll(/[\d"{].*$/gs, '').trim() || fault.slice(0, 40)

async function flood({ target, perSecond, seconds, mostConnections }: Flood): Promise<FloodOutcome> {
  const nextId = () => ++lastId
  const free: ReturnType<typeof createLane>[] = []
  const [latency, busyLatency] = [createLatencyHistogram(), createLatencyHistogram()]
  const others: Record<string, number> = {}
  let [lanes, made, good, busy, notMade, open] = [0, 0, 0, 0, 0, 0]
  const begin = performance.now()
  const count = Math.floor(perSecond * seconds)

  function newLane() {
    if (lanes >= mostConnections) return undefined
    lanes++
    return createLane({ target, nextId, limitMs: CALL_LIMIT_MS })
  }

  async function make(due: number): Promise<void> {
    const lane = free.pop() ?? newLane()
    if (lane === undefined) return void notMade++
    made++
    open++
    const fault = await lane.call()
    const took = performance.now() - begin - due
    if (fault === undefined) {
      good++
      latency.record(took)
    } else if (fault.startsWith('status 503') && fault.includes('gateway.busy')) {
      busy++
      busyLatency.record(took)
    } else others[kindOf(fault)] = (others[kindOf(fault)] ?? 0) + 1
    open--
    free.push(lane)
  }

  let next = 0
  while (next < count) {
    for (; next < count && (next * 1000) / perSecond <= performance.now() - begin; next++)
      void make((next * 1000) / perSecond)
    await sleep(STEP)
  }
  while (open > 0) await sleep(STEP)
  for (const lane of free) lane.close()
  return {
    ...{ made, good, busy, others, notMade, mostConnections: lanes },
    latency: latency.buckets(),
    busyLatency: busyLatency.buckets(),
  }
}

process.on('message', (order: Flood) => void flood(order).then((outcome) => process.send?.(outcome)))
process.on('disconnect', () => process.exit())
