/**
 * Counts latencies of calls in buckets of at most 1.6 % width, in microseconds.
 *
 * Below 128 µs a bucket is one microsecond; above, each power of two has 64 buckets. Bounded memory for any number of calls, and
 * histograms of several rounds add up exactly, which percentiles do not. Never averages: a mean hides the tail that a caller
 * feels.
 */
const PER_OCTAVE = 64
const LONGEST = 2 ** 31 - 1

/** Pairs of bucket and count, in order of latency, only buckets that hold something. */
export type Buckets = readonly (readonly [bucket: number, count: number])[]

export function createLatencyHistogram() {
  const counts = new Map<number, number>()
  return {
    /** @param ms milliseconds */
    record(ms: number): void {
      const bucket = bucketOf(Math.min(LONGEST, Math.max(0, Math.round(ms * 1000))))
      counts.set(bucket, (counts.get(bucket) ?? 0) + 1)
    },
    add(buckets: Buckets): void {
      for (const [bucket, count] of buckets) counts.set(bucket, (counts.get(bucket) ?? 0) + count)
    },
    buckets(): Buckets {
      return [...counts].sort(([a], [b]) => a - b)
    },
  }
}

/** The latency in milliseconds that `share` (0 to 1) of the calls did not exceed (nearest rank); NaN without calls. */
export function percentile(buckets: Buckets, share: number): number {
  const total = buckets.reduce((sum, [, count]) => sum + count, 0)
  let left = Math.max(1, Math.ceil(total * share))
  for (const [bucket, count] of buckets) {
    left -= count
    if (left <= 0) return middleOf(bucket) / 1000
  }
  return Number.NaN
}

/** The longest latency that a bucket holds, in milliseconds. */
export function bucketEndMs(bucket: number): number {
  if (bucket < 2 * PER_OCTAVE) return bucket / 1000
  const shift = Math.floor(bucket / PER_OCTAVE) - 1
  return ((bucket - shift * PER_OCTAVE + 1) * 2 ** shift - 1) / 1000
}

function bucketOf(us: number): number {
  if (us < 2 * PER_OCTAVE) return us
  const shift = 25 - Math.clz32(us)
  return shift * PER_OCTAVE + (us >>> shift)
}

function middleOf(bucket: number): number {
  if (bucket < 2 * PER_OCTAVE) return bucket
  const shift = Math.floor(bucket / PER_OCTAVE) - 1
  const low = (bucket - shift * PER_OCTAVE) * 2 ** shift
  return low + (2 ** shift - 1) / 2
}
