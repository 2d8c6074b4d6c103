/**
 * How many streams and sockets may be open: of one principal, of one organization, and together. Each holds memory for as long as
 * its client likes, so the one that is too many is refused; those that are open lose nothing.
 */
import { Fault } from '@toolway/contract'
import { FairShare } from '../../lib/fair-share.ts'

export interface ConnectionRegistry {
  /** A place, given back by the returned function. Throws `channel.limit`. */
  take(principal: string, organization: string): () => void
  readonly size: number
}

const MOST = 5_000
const MOST_OF_ONE = 1_000

export function createConnectionRegistry({ most = MOST, mostOfOne = MOST_OF_ONE } = {}): ConnectionRegistry {
  const owned = new Map<string, number>()
  const share = new FairShare(most)
  return {
    take(principal, organization) {
      const own = owned.get(principal) ?? 0
      if (own >= mostOfOne) throw new Fault('channel.limit', { limit: mostOfOne, scope: 'for one key' })
      const leave = share.take(organization)
      if (leave === undefined) {
        const scope = share.size < most ? 'for all organizations, and this one has its share' : 'at a time'
        throw new Fault('channel.limit', { limit: most, scope })
      }
      owned.set(principal, own + 1)
      let released = false
      return () => {
        if (released) return
        released = true
        leave()
        const left = (owned.get(principal) ?? 1) - 1
        if (left === 0) owned.delete(principal)
        else owned.set(principal, left)
      }
    },
    get size() {
      return share.size
    },
  }
}
