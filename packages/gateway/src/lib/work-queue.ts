/**
 * A queue in front of expensive work: so many at a time, so many in line behind them, and nobody else.
 *
 * Without a deadline it never drops one that it took.
 */
export interface Turns {
  /** Undefined when the line is full; `work` is then not begun. */
  take<T>(work: () => Promise<T>, how?: Wait): Promise<T> | undefined
}

export interface Wait {
  /**
   * Milliseconds without progress of the line, after which it leaves and rejects with TurnTooLate; `work` is then not begun.
   * Progress is a turn that succeeds.
   */
  readonly patience?: number
  /** Before those who are not, and taken when the line is full. */
  readonly preferred?: boolean
}

/** Milliseconds that one with a patience waits, whatever the progress. */
const MOST_MS = 10_000

export class TurnTooLate extends Error {}

export function createTurns({ atOnce, waiting }: { atOnce: number; waiting: number }): Turns {
  const line = new Set<() => void>()
  const preferredLine = new Set<() => void>()
  let busy = 0
  let lastGood = -Infinity
  const done = () => {
    const from = preferredLine.size > 0 ? preferredLine : line
    const [next] = from
    // A turn that is handed on stays taken, so that nobody slips in between.
    if (next === undefined) return void busy--
    from.delete(next)
    next()
  }
  async function run<T>(turn: Promise<void> | undefined, work: () => Promise<T>): Promise<T> {
    if (turn !== undefined) await turn
    try {
      const result = await work()
      lastGood = performance.now()
      return result
    } finally {
      done()
    }
  }
  function wait(from: Set<() => void>, patience: number | undefined): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    if (patience === undefined) {
      from.add(resolve)
      return promise
    }
    const began = performance.now()
    let timer: NodeJS.Timeout
    const begin = () => {
      clearTimeout(timer)
      resolve()
    }
    const check = () => {
      const now = performance.now()
      const left = began + MOST_MS > now ? Math.max(began, lastGood) + patience - now : 0
      if (left > 0) timer = setTimeout(check, left)
      else if (from.delete(begin)) reject(new TurnTooLate('its turn did not come in time'))
    }
    timer = setTimeout(check, patience)
    from.add(begin)
    return promise
  }
  return {
    take(work, { patience, preferred = false } = {}) {
      if (busy < atOnce) {
        busy++
        return run(undefined, work)
      }
      if (!preferred && line.size >= waiting) return undefined
      return run(wait(preferred ? preferredLine : line, patience), work)
    },
  }
}
