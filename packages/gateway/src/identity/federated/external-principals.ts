/**
 * Callers whom no row of ours knows: the one key of the environment, and tokens that somebody else vouches for.
 *
 * What others say of a token is kept for a moment, asked once by many, and asked by a few at a time. A source that does not
 * answer lets nobody in. A text that looks like a key or a token of ours is never shown to anybody.
 */
import { hash as digestOf, randomBytes, timingSafeEqual } from 'node:crypto'
import { Fault } from '@toolway/contract'
import { LRUCache } from 'lru-cache'
import { createSingleFlight } from '../../lib/single-flight.ts'
import { KEY_FORM, LOOKS_LIKE_KEY } from '../keys/key-forms.ts'
import type { Principal } from '../principal.ts'

/** An external source's statement about a caller. */
export interface Vouched {
  /** `jwt` or `identity`: subjects of two sources are two people. */
  readonly source: string
  readonly subject: string
  readonly email: string | undefined
  /** Id or slug. */
  readonly organization: string | undefined
  readonly role: string | undefined
  /** Milliseconds until which it holds. */
  readonly until: number
}

export interface Source {
  takes(bearer: string): boolean
  /** Throws `token.unknown`, `token.expired`, or `gateway.not-ready` where nobody answers. */
  ask(bearer: string): Promise<Vouched>
}

export interface ExternalPrincipals {
  /** Undefined for who is none; a promise only when memory does not know. Throws `token.unknown` and its like. */
  find(bearer: string): Principal | Promise<Principal> | undefined
}

export interface ExternalPrincipalsParts {
  /** Keys of the environment, compared in constant time; whose each is is asked at each use. */
  readonly environment: readonly { readonly key: string; principal(): Principal }[]
  readonly sources: readonly Source[]
  /** Returns the local principal, by the facts in memory now; evaluated at each use. */
  place(vouched: Vouched): Principal
}

const VOUCHED = { max: 10_000, ttl: 60_000 }
const REFUSED = { max: 10_000, ttl: 2_000 }
const MOST_ASKED = 16
/** Visible ASCII, as a header can carry it. */
const BEARER_FORM = /^[\x21-\x7e]{1,8192}$/

export function createExternalPrincipals({ environment, sources, place }: ExternalPrincipalsParts): ExternalPrincipals {
  const vouchers = new LRUCache<string, Vouched>(VOUCHED)
  const refused = new LRUCache<string, Fault>(REFUSED)
  const asking = createSingleFlight<string, Vouched>()
  const salt = randomBytes(16).toString('hex')
  const digest = (text: string) => digestOf('sha256', salt + text, 'buffer')
  const expected = environment.map(({ key, principal }) => ({ digest: digest(key), principal }))
  let underWay = 0

  async function ask(source: Source, bearer: string, name: string): Promise<Vouched> {
    if (underWay >= MOST_ASKED)
      throw new Fault('gateway.not-ready', { problem: 'too many unknown tokens are being checked' })
    underWay++
    try {
      const vouched = await source.ask(bearer)
      vouchers.set(name, vouched)
      return vouched
    } catch (thrown) {
      const fault = Fault.of(thrown)
      if (fault.row.http === 401) refused.set(name, fault)
      throw fault
    } finally {
      underWay--
    }
  }

  return {
    find(bearer) {
      const bearerDigest = expected.length === 0 ? undefined : digest(bearer)
      // All of them, whichever it is: how long it takes says nothing.
      const fits = expected.filter((item) => bearerDigest !== undefined && timingSafeEqual(bearerDigest, item.digest))
      if (fits[0] !== undefined) return fits[0].principal()
      if (sources.length === 0 || KEY_FORM.test(bearer) || LOOKS_LIKE_KEY.test(bearer)) return undefined
      const name = digest(bearer).toString('base64')
      const voucher = vouchers.get(name)
      if (voucher !== undefined && voucher.until > Date.now()) return place(voucher)
      const before = refused.get(name)
      if (before !== undefined) throw before
      const source = BEARER_FORM.test(bearer) ? sources.find((item) => item.takes(bearer)) : undefined
      return source === undefined ? undefined : asking(name, () => ask(source, bearer, name)).then(place)
    },
  }
}
