/**
 * The process that makes the calls. One load at a time: open the connections, wait for the word, call until
 * the time or the count is used up, report.
 *
 * Spoken to over the channel of its parent and gone when that closes. Ids are unique over its whole life,
 * so an answer from an earlier round can never pass for one of this round.
 * Never measures while connections are being opened, and gives up on a target that keeps failing.
 */
import { createEventLane } from './event-lane.ts'
import { type Buckets, createLatencyHistogram } from './latency-histogram.ts'
import { createLane } from './load-lane.ts'
import { type CallTarget, FIRST_ID } from './mcp-call.ts'
import { createSchedule, runOpenLoop } from './open-loop.ts'

export interface Load {
  readonly target: CallTarget
  readonly connections: number
  readonly seconds: number
  readonly mostCalls: number
  /** Calls a second over all connections, by a schedule that waits for no answer; as many as can be when undefined. */
  readonly perSecond?: number
}

/** The outcome of a load; `seconds` is the actual duration, `faults` holds the first few errors. */
export interface Outcome {
  readonly calls: number
  readonly errors: number
  readonly faults: readonly string[]
  readonly seconds: number
  readonly latency: Buckets
  /** How late calls of a schedule began although a connection was free. */
  readonly late?: Buckets
}

export type Order = { readonly open: Load } | { readonly go: true }
export type Report = { readonly opened: true } | { readonly outcome: Outcome }

const CALL_LIMIT_MS = 10_000
const MOST_ERRORS = 50
const FAULTS_TOLD = 3
/** A target that is so far behind its schedule at the end is not waited for. */
const GRACE_MS = 5_000

async function openLanes(load: Load, nextId: () => number) {
  const createOne = load.target.isStream === true ? createEventLane : createLane
  const lanes = Array.from({ length: load.connections }, () =>
    createOne({ target: load.target, nextId, limitMs: CALL_LIMIT_MS }),
  )
  // A refused connection shows again, and is counted, at the first call of its lane.
  await Promise.all(lanes.map((lane) => lane.open()))
  // The cost of opening a connection, some of it at its first call, is no part of the cost of a call.
  await Promise.all(lanes.map((lane) => lane.call()))
  return lanes
}

type Lanes = Awaited<ReturnType<typeof openLanes>>

async function run(load: Load, lanes: Lanes): Promise<Outcome> {
  const begin = performance.now()
  const made = await (load.perSecond === undefined
    ? runClosedLoop(load, lanes)
    : runOpenLoop(createSchedule(load.perSecond, load.seconds, load.mostCalls), lanes, {
        mostErrors: MOST_ERRORS,
        faultsTold: FAULTS_TOLD,
        graceMs: GRACE_MS,
      }))
  return { ...made, seconds: (performance.now() - begin) / 1000 }
}

/** Each connection makes its next call when the one before is answered. */
async function runClosedLoop(load: Load, lanes: Lanes) {
  const latency = createLatencyHistogram()
  const faults: string[] = []
  let started = 0
  let calls = 0
  let errors = 0
  const end = performance.now() + load.seconds * 1000

  async function drive(lane: Lanes[number]): Promise<void> {
    for (let now = performance.now(); now < end && started < load.mostCalls && errors < MOST_ERRORS;) {
      started++
      const fault = await lane.call()
      const done = performance.now()
      if (fault === undefined) {
        calls++
        latency.record(done - now)
      } else {
        errors++
        if (faults.length < FAULTS_TOLD) faults.push(fault)
      }
      now = done
    }
  }

  await Promise.all(lanes.map(drive))
  return { calls, errors, faults, latency: latency.buckets() }
}

function serve(): void {
  let id = FIRST_ID
  let ready: { load: Load; lanes: Lanes } | undefined
  const tell = (report: Report) => process.send?.(report)
  process.on('disconnect', () => process.exit(0))
  async function enforce(order: Order): Promise<void> {
    if ('open' in order) {
      // Connections stay open after the last answer, so that closing them is counted in no round.
      for (const lane of ready?.lanes ?? []) lane.close()
      ready = { load: order.open, lanes: await openLanes(order.open, () => ++id) }
      tell({ opened: true })
    } else if (ready !== undefined) {
      tell({ outcome: await run(ready.load, ready.lanes) })
    }
  }
  // Both ends of the channel are this folder: the shape is the one declared above.
  process.on('message', (order: Order) => void enforce(order))
}

serve()
