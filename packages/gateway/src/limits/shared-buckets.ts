/**
 * Token buckets shared with the other gateways of this installation. Tokens are fetched from the shared count a few at a time and
 * spent from memory, so that a busy name does not cost a round trip for each call.
 *
 * More than the limit is never let through while the shared count answers. The inaccuracy is on the other side: tokens that a
 * gateway has fetched and not spent, up to 15 % of the limit, are unavailable to the others for a second. While the count is away
 * each gateway counts alone, up to the whole limit (ADR 0019).
 */
import { createRecent } from '../lib/recent-map.ts'
import { MINUTE, type Buckets, type LocalBuckets } from './buckets.ts'

/** The count that all gateways share. */
export interface SharedTokenStore {
  /** Whether it answers, as far as is known. */
  readonly isAvailable: boolean
  /**
   * Give `back` tokens and take `want`, or at least `need` when there are no more; else none, and the milliseconds until
   * `need` would be there. Rejects, and is no longer there, when it does not answer in time.
   */
  take(name: string, asking: TokenRequest): Promise<Granted>
}

export interface TokenRequest {
  /** The capacity of the bucket. */
  readonly most: number
  /** Milliseconds in which an empty one is full again. */
  readonly window: number
  readonly desired: number
  readonly minimum: number
  readonly returned: number
}

export interface Granted {
  readonly tokens: number
  readonly wait: number
}

export interface SharedBucketsParts {
  readonly store: SharedTokenStore
  /** Counts in its stead while it is away. */
  readonly localBuckets: LocalBuckets
  readonly now: () => number
  readonly most: number
  /** The name of this kind of bucket in the shared count. */
  readonly kind: string
}

/** Tokens that were fetched. */
interface Lease {
  tokens: number
  /** From then on they are not spent but given back. */
  until: number
  /** There were none, and there will be none before. */
  emptyUntil: number
  /** How many are fetched at a time: more while they are spent quickly. */
  size: number
  /** Tokens that requests wait for. */
  wanted: number
  asking: Promise<void> | undefined
}

/** One bucket as it is asked for. */
interface Bucket {
  readonly name: string
  readonly most: number
  readonly window: number
}

/** How long a fetched token may be spent. Milliseconds. */
const LIFE_MS = 1_000
/** The part of a limit that is fetched at a time, at most. */
const LARGEST = 10

export function createSharedBuckets({ store, localBuckets, now, most: remembered, kind }: SharedBucketsParts): Buckets {
  const leases = createRecent<Lease>(remembered, () => ({
    tokens: 0,
    until: 0,
    emptyUntil: 0,
    size: 1,
    wanted: 0,
    asking: undefined,
  }))

  function fetch(lease: Lease, of: Bucket, minimum: number): Promise<void> {
    lease.asking ??= fetchNow(lease, of, minimum).finally(() => (lease.asking = undefined))
    return lease.asking
  }

  async function fetchNow(lease: Lease, { name, most, window }: Bucket, minimum: number): Promise<void> {
    const begun = now()
    const isFresh = begun < lease.until
    const largest = Math.max(1, Math.floor(most / LARGEST))
    lease.size = isFresh ? Math.min(lease.size * 2, largest) : 1
    const returned = isFresh ? 0 : lease.tokens
    lease.tokens -= returned
    const desired = Math.min(most, Math.max(lease.size, lease.wanted, minimum))
    const { tokens, wait } = await store.take(`${kind}:${name}`, { most, window, desired, minimum, returned })
    lease.tokens += tokens
    if (tokens > 0) lease.until = now() + LIFE_MS
    else lease.emptyUntil = now() + wait
  }

  /** 0 when they were there; undefined when they are to be fetched. */
  function spend(lease: Lease, requested: number): number | undefined {
    const at = now()
    if (lease.tokens >= requested && at < lease.until) {
      lease.tokens -= requested
      return 0
    }
    return at < lease.emptyUntil ? lease.emptyUntil - at : undefined
  }

  async function wait(lease: Lease, of: Bucket, requested: number): Promise<number> {
    const takeLocally = () => localBuckets.take(of.name, of.most, requested, of.window)
    lease.wanted += requested
    try {
      for (;;) {
        const wait = store.isAvailable ? spend(lease, requested) : takeLocally()
        if (wait !== undefined) return wait
        await fetch(lease, of, requested)
      }
    } catch {
      // The count says by itself, once, that it is away.
      return takeLocally()
    } finally {
      lease.wanted -= requested
    }
  }

  return {
    take(name, most, request, window = MINUTE) {
      const requested = Math.min(request, most)
      if (!store.isAvailable) return localBuckets.take(name, most, requested, window)
      const lease = leases.get(name)
      const spent = spend(lease, requested)
      if (spent === undefined) return wait(lease, { name, most, window }, requested)
      // The next ones are on their way before the last is spent; when they do not come, whoever needs them hears of it.
      if (spent === 0 && lease.size > 1 && lease.tokens < lease.size / 2 && lease.asking === undefined)
        fetch(lease, { name, most, window }, 1).catch(() => {})
      return spent
    },
    give(name, tokens) {
      if (store.isAvailable) leases.get(name).tokens += tokens
      else localBuckets.give(name, tokens)
    },
  }
}
