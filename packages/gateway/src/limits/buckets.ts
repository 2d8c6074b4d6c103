/**
 * Token buckets in this process's memory: as many tokens as requests per minute, refilled by a sixtieth of them each second
 * (ledger S3-RATE-01).
 *
 * It takes tokens or returns the time to wait; it never waits, promises or allocates. Names that were not used lately are
 * dropped: after a minute, or the longer time that a rule names, a bucket is full again, as a new one is.
 */
import { createRecent } from '../lib/recent-map.ts'

export interface Buckets {
  /**
   * Take `count` tokens: 0 when they were there, else the milliseconds until they would be, and nothing is taken. More than
   * the bucket can hold is taken as all that it can. `window`: the milliseconds in which an empty bucket is full again, a minute
   * where nothing is said.
   */
  take(name: string, most: number, count: number, window?: number): number | Promise<number>
  /** Give back what was taken and not used. */
  give(name: string, count: number): void
}

export interface LocalBuckets extends Buckets {
  take(name: string, most: number, count: number, window?: number): number
  readonly size: number
}

export interface BucketsParts {
  /** Milliseconds on a clock that never goes back. */
  readonly now: () => number
  /** Names that are remembered at most. */
  readonly most: number
}

interface Bucket {
  /** Undefined until the first request says how much it holds. */
  tokens: number | undefined
  at: number
}

export const MINUTE = 60_000
/** The tolerance for rounding errors when parts of a token are added. */
const DUST = 1e-6

export function createBuckets({ now, most: remembered }: BucketsParts): LocalBuckets {
  const buckets = createRecent<Bucket>(remembered, () => ({ tokens: undefined, at: 0 }))
  return {
    take(name, most, count, window = MINUTE) {
      const bucket = buckets.get(name)
      const at = now()
      const before = bucket.tokens ?? most
      const tokens = Math.min(most, before + ((at - bucket.at) * most) / window)
      const need = Math.min(count, most)
      const enough = tokens + DUST >= need
      bucket.at = at
      bucket.tokens = enough ? tokens - need : tokens
      return enough ? 0 : ((need - tokens) * window) / most
    },
    give(name, count) {
      const bucket = buckets.get(name)
      if (bucket.tokens !== undefined) bucket.tokens += count
    },
    get size() {
      return buckets.size
    },
  }
}
