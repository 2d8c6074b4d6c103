/**
 * Child pool: the children of one worker process. When the worker dies, its children are reported as exited, and the next start
 * creates a new child pool. It never moves a child from one worker to another.
 */
import { createNearEnd, type NearEnd, type NearEndParts } from './child.ts'
import { encodeFrame, encodeTaken, KIND, type Order } from './frame.ts'
import { signalGroup } from './group.ts'
import type { Log } from '../../lib/log.ts'
import { startWorker } from './worker-process.ts'

export type ChildPool = ReturnType<typeof createChildPool>

export interface ChildPoolParts {
  log: Log
  /** Called when the pool takes no more children. */
  gone: (which: ChildPool) => void
}

export function createChildPool({ log, gone }: ChildPoolParts) {
  const children = new Map<number, NearEnd>()
  let lastId = 0
  let ending = false

  const worker = startWorker({
    log,
    frame: (frame) => children.get(frame.child)?.take(frame),
    dead() {
      gone(pool)
      // Its process reaper does the same; this also ends the children of a worker whose process reaper was killed with it.
      for (const { pid } of children.values()) {
        const group = pid()
        if (group !== undefined) signalGroup(group, 'SIGKILL')
      }
    },
    gone(how) {
      gone(pool)
      const facts = { worker: worker.pid, ...how, children: children.size }
      if (!ending) log.error(facts, 'the stdio worker exited, and its child processes with it')
      for (const near of children.values()) near.lost()
    },
  })

  const pool = {
    /** Orders a child; what becomes of it is told by the near end. */
    join(order: Order, parts: Omit<NearEndParts, 'tell'>): NearEnd {
      const id = (lastId += 1)
      const start = encodeFrame(KIND.start, id, JSON.stringify(order)) // throws before anything is noted
      const near = createNearEnd({
        ...parts,
        tell: {
          line: (line) => worker.send(encodeFrame(KIND.line, id, line)),
          taken: (weight) => worker.send(encodeTaken(id, weight)),
          stop: () => worker.send(encodeFrame(KIND.stop, id)),
        },
        over(how) {
          children.delete(id)
          parts.over(how)
        },
      })
      children.set(id, near)
      worker.send(start)
      return near
    },
    /** Ends all children in order, then the worker. */
    async end(): Promise<void> {
      ending = true
      await Promise.all([...children.values()].map((near) => near.stop()))
      await worker.end()
    },
  }
  return pool
}
