/** Credentials that a server does not let in as they are: they may serve other calls, and not the one that waits for a better one. */
import { LRUCache } from 'lru-cache'
import type { HeldCredential } from './credential-memory.ts'

const MOST = 1_000

export function createLacking() {
  const seen = new LRUCache<string, number>({ max: MOST })
  return {
    add: ({ id, givenAt }: HeldCredential) => void seen.set(id, givenAt),
    /** Until a person connects it anew: no renewal makes it wider. */
    has: ({ id, givenAt }: HeldCredential): boolean => seen.get(id) === givenAt,
  }
}
