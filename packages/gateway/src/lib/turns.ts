/**
 * Who waits for what is dear: so many at a time, so many in line behind them, and nobody else.
 *
 * It never drops one that it took.
 */
export interface Turns {
  /** Undefined when the line is full; `work` is then not begun. */
  take<T>(work: () => Promise<T>): Promise<T> | undefined
}

export function createTurns({ atOnce, waiting }: { atOnce: number; waiting: number }): Turns {
  const line: (() => void)[] = []
  let busy = 0
  const done = () => {
    const next = line.shift()
    // A turn that is handed on stays taken, so that nobody slips in between.
    if (next === undefined) busy--
    else next()
  }
  async function run<T>(turn: Promise<void>, work: () => Promise<T>): Promise<T> {
    await turn
    try {
      return await work()
    } finally {
      done()
    }
  }
  return {
    take(work) {
      if (busy < atOnce) {
        busy++
        return run(Promise.resolve(), work)
      }
      if (line.length >= waiting) return undefined
      return run(new Promise((resolve) => void line.push(resolve)), work)
    },
  }
}
