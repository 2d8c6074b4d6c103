/**
 * A time-out in the time that this process had: while its own event loop stands still, no time passes. An answer that waited in
 * the socket meanwhile is read before anybody is told that it is late.
 *
 * It counts ticks and not a clock, so it is coarse: ten steps.
 */
export interface Patience {
  /** Returns a promise with the same result, which rejects when it takes too long. A later result is dropped. */
  wait<T>(work: Promise<T>): Promise<T>
}

const STEPS = 10

interface Waiting {
  steps: number
  late(): void
}

export function createPatience(milliseconds: number): Patience {
  const waiting = new Set<Waiting>()
  let ticker: NodeJS.Timeout | undefined

  function tick(): void {
    for (const item of waiting) {
      if (++item.steps < STEPS) continue
      waiting.delete(item)
      // Data that has arrived is read between the timers and this call.
      setImmediate(item.late)
    }
    if (waiting.size > 0) return
    clearInterval(ticker)
    ticker = undefined
  }

  return {
    wait(work) {
      const { promise, reject } = Promise.withResolvers<never>()
      const wait = { steps: 0, late: () => reject(new Error(`no answer within ${milliseconds} ms`)) }
      waiting.add(wait)
      ticker ??= setInterval(tick, milliseconds / STEPS).unref()
      return Promise.race([work, promise]).finally(() => waiting.delete(wait))
    },
  }
}
