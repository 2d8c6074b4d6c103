/** How many listen streams each principal has open: so many, and no more. */
import { Fault } from '@toolway/contract'

export interface Listeners {
  /** Returns what takes it out again. Throws `listen.limit`. */
  enter(principal: string): () => void
}

const MOST_OF_ONE = 100

export function createListeners(limit = MOST_OF_ONE): Listeners {
  const open = new Map<string, number>()
  return {
    enter(principal) {
      const now = open.get(principal) ?? 0
      if (now >= limit) throw new Fault('listen.limit', { limit })
      open.set(principal, now + 1)
      return () => {
        const left = (open.get(principal) ?? 1) - 1
        if (left === 0) open.delete(principal)
        else open.set(principal, left)
      }
    },
  }
}
