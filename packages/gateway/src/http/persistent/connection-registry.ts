/**
 * How many streams and sockets may be open: of one principal, and together. Each holds memory for as long as
 * its client likes, so the one that is too many is refused; those that are open lose nothing.
 */
import { Fault } from '@toolway/contract'

export interface ConnectionRegistry {
  /** A place, given back by the returned function. Throws `channel.limit`. */
  take(principal: string): () => void
  readonly size: number
}

const MOST = 5_000
const MOST_OF_ONE = 1_000

export function createConnectionRegistry({ most = MOST, mostOfOne = MOST_OF_ONE } = {}): ConnectionRegistry {
  const owned = new Map<string, number>()
  let size = 0
  return {
    take(principal) {
      const own = owned.get(principal) ?? 0
      if (own >= mostOfOne) throw new Fault('channel.limit', { limit: mostOfOne, scope: 'for one key' })
      if (size >= most) throw new Fault('channel.limit', { limit: most, scope: 'at a time' })
      owned.set(principal, own + 1)
      size++
      let given = false
      return () => {
        if (given) return
        given = true
        size--
        const left = (owned.get(principal) ?? 1) - 1
        if (left === 0) owned.delete(principal)
        else owned.set(principal, left)
      }
    },
    get size() {
      return size
    },
  }
}
