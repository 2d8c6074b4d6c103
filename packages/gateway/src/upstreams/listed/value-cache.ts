/**
 * Cache of fetched values: one fetch for all concurrent callers, and the last good value for a stated time where a fetch fails.
 * Entries are shared by key, so a key must contain everything that separates one owner's values from another's.
 */
import { LRUCache } from 'lru-cache'
import { createSingleFlight } from '../../lib/single-flight.ts'

export interface KeptParts {
  readonly now: () => number
  /** Milliseconds until it is fetched anew, and until a value is too old to be used at all, both since it was fetched. */
  readonly keptFor: number
  readonly staleFor: number
  /** A value of that age, in milliseconds, is used because of this. */
  onStale(age: number, thrown: unknown): void
}

export interface Kept<Value> {
  /** Rejects with what the fetch failed with, where nothing is there that may still be used. */
  open(key: string, fetch: Fetch<Value>): Promise<Value>
  /** Fetched now, whatever is there; rejects where that fails. */
  refresh(key: string, fetch: Fetch<Value>): Promise<Value>
  peek(key: string): Value | undefined
}

/** `aged` is told how many milliseconds old the value is already. */
type Fetch<Value> = (aged: (milliseconds: number) => void) => Promise<Value>

interface CacheEntry<Value> {
  readonly value: Value
  readonly at: number
  /** Not before that is it fetched again. */
  again: number
}

const MOST_KEYS = 500
/** After a failure, so that a backend that is away does not make each call wait for it. Milliseconds. */
const REST_MS = 10_000

export function createKept<Value>({ now, keptFor, staleFor, onStale }: KeptParts): Kept<Value> {
  const entries = new LRUCache<string, CacheEntry<Value>>({ max: MOST_KEYS })
  const fly = createSingleFlight<string, Value>()

  const refresh = (key: string, fetch: Fetch<Value>): Promise<Value> =>
    fly(key, async () => {
      let age = 0
      const value = await fetch((milliseconds) => (age = milliseconds))
      const at = now() - age
      entries.set(key, { value, at, again: at + keptFor })
      return value
    })

  return {
    refresh,
    peek: (key) => entries.peek(key)?.value,
    async open(key, fetch) {
      const before = entries.get(key)
      const tooOld = ({ at }: CacheEntry<Value>) => now() - at > Math.max(keptFor, staleFor)
      if (before !== undefined && now() < before.again && !tooOld(before)) return before.value
      try {
        return await refresh(key, fetch)
      } catch (thrown) {
        // Another fetch may have succeeded meanwhile.
        const last = entries.get(key)
        if (last === undefined || tooOld(last)) throw thrown
        if (last === before && now() >= last.again) {
          last.again = now() + REST_MS
          onStale(now() - last.at, thrown)
        }
        return last.value
      }
    },
  }
}
