/**
 * The last answer of the database to one question, for screens that have to answer while it does not: with the time at which it was read,
 * so that nobody takes it for the present state.
 *
 * It is kept in memory and never read again by itself. What has never been answered is refused as everywhere.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { Fault } from '@toolway/contract'
import { isDatabaseFault } from '../../db/unreachable.ts'

export interface Known<Value> {
  readonly value: Value
  readonly readAt: Date
  /** False: it is an older answer, since the database gave none. */
  readonly isCurrent: boolean
}

export interface LastKnown<Value> {
  /** The answer, or the last one where there is none within half a second. Throws what `read` throws where nothing is known. */
  look(read: () => Promise<Value>): Promise<Known<Value>>
}

/** Milliseconds that an answer is waited for where an older one is there. */
const PATIENCE_MS = 500

export function createLastKnown<Value>(now: () => Date = () => new Date()): LastKnown<Value> {
  let last: Known<Value> | undefined
  let underWay: Promise<Known<Value>> | undefined

  /** One at a time: whoever looks meanwhile waits for the same. */
  async function readOnce(read: () => Promise<Value>): Promise<Known<Value>> {
    const readAt = now()
    try {
      last = { value: await read(), readAt, isCurrent: true }
      return last
    } finally {
      underWay = undefined
    }
  }

  return {
    async look(read) {
      const reading = (underWay ??= readOnce(read))
      if (last === undefined) return reading
      const before = { ...last, isCurrent: false }
      const done = new AbortController()
      const late = pause(PATIENCE_MS, before, { signal: done.signal, ref: false }).catch(() => before)
      return Promise.race([
        reading.catch((thrown: unknown) => {
          if (isDatabaseFault(Fault.of(thrown))) return before
          throw thrown
        }),
        late,
      ]).finally(() => done.abort())
    },
  }
}
