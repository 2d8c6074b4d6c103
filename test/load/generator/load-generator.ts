/**
 * The process that makes the calls. One load at a time: open the connections, wait for the word, call until
 * the time or the count is used up, report.
 *
 * Spoken to over the channel of its parent and gone when that closes. Ids are unique over its whole life,
 * so an answer from an earlier round can never pass for one of this round.
 * Never measures while connections are being opened, and gives up on a target that keeps failing.
 */
import { type Buckets, createLatencyHistogram } from './latency-histogram.ts'
import { createLane } from './load-lane.ts'
import { type CallTarget, FIRST_ID } from './mcp-call.ts'

export interface Load {
  readonly target: CallTarget
  readonly connections: number
  readonly seconds: number
  readonly mostCalls: number
  /** Calls a second over all connections; as many as can be when undefined. */
  readonly perSecond?: number
}

/** The outcome of a load; `seconds` is the actual duration, `faults` holds the first few errors. */
export interface Outcome {
  readonly calls: number
  readonly errors: number
  readonly faults: readonly string[]
  readonly seconds: number
  readonly latency: Buckets
}

export type Order = { readonly open: Load } | { readonly go: true }
export type Report = { readonly opened: true } | { readonly outcome: Outcome }

const CALL_LIMIT_MS = 10_000
const MOST_ERRORS = 50
const FAULTS_TOLD = 3

async function openLanes(load: Load, nextId: () => number) {
  const lanes = Array.from({ length: load.connections }, () =>
    createLane({ target: load.target, nextId, limitMs: CALL_LIMIT_MS }),
  )
  // A refused connection shows again, and is counted, at the first call of its lane.
  await Promise.all(lanes.map((lane) => lane.open()))
  return lanes
}

async function run(load: Load, lanes: Awaited<ReturnType<typeof openLanes>>): Promise<Outcome> {
  const latency = createLatencyHistogram()
  const faults: string[] = []
  let started = 0
  let calls = 0
  let errors = 0
  const begin = performance.now()
  const end = begin + load.seconds * 1000

  const every = load.perSecond === undefined ? 0 : (1000 * lanes.length) / load.perSecond

  async function drive(lane: (typeof lanes)[number], index: number): Promise<void> {
    // Lanes take turns, so that the calls of all are spread evenly.
    let due = begin + (every * index) / lanes.length
    for (let now = performance.now(); now < end && started < load.mostCalls && errors < MOST_ERRORS;) {
      if (every > 0) {
        if (due > now) await new Promise((resolve) => setTimeout(resolve, due - now))
        // A lane that is late because the answer before was slow counts the wait: others would have called meanwhile.
        now = due > now ? performance.now() : due
        due += every
      }
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
  const seconds = (performance.now() - begin) / 1000
  for (const lane of lanes) lane.close()
  return { calls, errors, faults, seconds, latency: latency.buckets() }
}

function serve(): void {
  let id = FIRST_ID
  let ready: { load: Load; lanes: Awaited<ReturnType<typeof openLanes>> } | undefined
  const tell = (report: Report) => process.send?.(report)
  process.on('disconnect', () => process.exit(0))
  async function enforce(order: Order): Promise<void> {
    if ('open' in order) {
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
