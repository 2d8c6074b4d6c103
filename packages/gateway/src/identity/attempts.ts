/**
 * How often sign-in may fail: for one account from one address, for one account from anywhere, for one address.
 *
 * The account's own limit is the widest, so that a stranger who fails on purpose keeps nobody out for long. Only failures
 * count, and an attempt counts from its beginning, so that many at once are not all free.
 */
import { isIPv6 } from 'node:net'
import { Fault } from '@toolway/contract'
import { LRUCache } from 'lru-cache'

export interface Attempts {
  /**
   * Throws `login.limit`. The returned function is called when the attempt succeeded: it then does not count. `most`: of the account
   * from anywhere, where fewer than usual are to be made.
   */
  begin(account: string, address: string | undefined, most?: number): () => void
  /**
   * The same for what nobody can guess and everybody shares, as codes of 80 bits: without a limit for all of them together, by
   * which a stranger who fails on purpose would keep everybody out.
   */
  beginShared(what: string, address: string | undefined): () => void
}

interface Window {
  readonly until: number
  failures: number
}

interface AttemptSubject {
  readonly window: Window
  readonly most: number
}

const SPAN_MS = 15 * 60_000
const MOST = { both: 8, address: 60, account: 60 }
const REMEMBERED = 50_000

/** One household or host has a whole /64 of version 6. */
export const networkOf = (address = ''): string =>
  isIPv6(address) && !address.startsWith('::ffff:') ? address.split(':').slice(0, 4).join(':') : address

export function createAttempts({ now }: { now(): number }): Attempts {
  const windows = new LRUCache<string, Window>({ max: REMEMBERED })
  const windowOf = (name: string): Window => {
    const current = windows.get(name)
    if (current !== undefined && current.until > now()) return current
    const fresh = { until: now() + SPAN_MS, failures: 0 }
    windows.set(name, fresh)
    return fresh
  }
  const fromOf = (what: string, network: string): AttemptSubject[] => [
    { window: windowOf(`both ${what} ${network}`), most: MOST.both },
    { window: windowOf(`address ${network}`), most: MOST.address },
  ]
  function start(subjects: readonly AttemptSubject[]): () => void {
    const full = subjects.filter(({ window, most }) => window.failures >= most)
    if (full.length > 0) {
      const until = Math.max(...full.map(({ window }) => window.until))
      throw new Fault('login.limit', { seconds: Math.max(1, Math.ceil((until - now()) / 1000)) })
    }
    for (const { window } of subjects) window.failures++
    let open = true
    return () => {
      if (open) for (const { window } of subjects) window.failures--
      open = false
    }
  }
  return {
    begin: (account, address, most = MOST.account) =>
      start([...fromOf(account, networkOf(address)), { window: windowOf(`account ${account}`), most }]),
    beginShared: (what, address) => start(fromOf(what, networkOf(address))),
  }
}
