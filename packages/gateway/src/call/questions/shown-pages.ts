/**
 * The last link that a principal was given for a missing account: while it is valid, further requests get the same link, and
 * parallel calls lead to one page.
 */
import { Fault } from '@toolway/contract'
import { LRUCache } from 'lru-cache'
import type { CredentialAsking } from '../../snapshot/ports/credentials.ts'

interface Told {
  readonly link: string | number
  /** Milliseconds. */
  readonly until: number
}

export interface PagesTold {
  /** The fault `credential.needed` with the link that holds, and the same for programs in its data. */
  of(asking: CredentialAsking, fault: Fault): Fault
}

const MOST = 10_000
/** The least time that a user has to open a page, in milliseconds. */
const MIN_REMAINING_MS = 2 * 60_000
const MINUTE = 60_000

/** `wishOf`: what a link is for, in words that are the same for the same; undefined for what is no link of ours. */
export function createPagesTold(wishOf: (link: string) => string | undefined, now: () => number = Date.now): PagesTold {
  const shownPages = new LRUCache<string, Told>({ max: MOST })
  return {
    of({ principal, organizationId, connectionId, account }, fault) {
      const wish = wishOf(String(fault.facts['link']))
      const { connection = '', problem = '', link = '', minutes = 0 } = fault.facts
      const key = JSON.stringify([principal.id, organizationId, connectionId, account, wish])
      const before = wish === undefined ? undefined : shownPages.get(key)
      const holds = before !== undefined && before.until - now() >= MIN_REMAINING_MS
      const page = holds ? before : { link, until: now() + Number(minutes) * MINUTE }
      if (!holds && wish !== undefined) shownPages.set(key, page)
      const left = Math.max(1, Math.floor((page.until - now()) / MINUTE))
      const data = {
        ...fault.data,
        connect_url: page.link,
        expires_at: new Date(page.until).toISOString(),
        connection,
      }
      const facts = { connection, problem, link: page.link, minutes: left }
      return new Fault('credential.needed', facts, { data, cause: fault.cause })
    },
  }
}
