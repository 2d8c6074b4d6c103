/**
 * Requests of legacy clients whose connection has gone: leaving is no cancel in their era, so they go on. They hold memory and
 * places at servers for nobody who waits, so one caller may leave a few behind; one more is cancelled.
 */
export interface Abandoned {
  /** One more of this caller goes on alone; `cancel` ends it when that is one too many. Call what it returns when it is over. */
  leave(owner: string, cancel: () => void): () => void
  readonly size: number
}

const MOST = 100

export function createAbandoned(most = MOST): Abandoned {
  const left = new Map<string, number>()
  let size = 0
  return {
    leave(owner, cancel) {
      const own = (left.get(owner) ?? 0) + 1
      left.set(owner, own)
      size++
      if (own > most) cancel()
      return () => {
        size--
        const rest = (left.get(owner) ?? 1) - 1
        if (rest === 0) left.delete(owner)
        else left.set(owner, rest)
      }
    },
    get size() {
      return size
    },
  }
}
