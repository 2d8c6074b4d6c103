/**
 * The judgement of outgoing addresses: which of them a connection may be made to, and the look-up of names that lets only those pass.
 *
 * It opens nothing. The guarded agent (`agent.ts`) and the proxy of child processes (`egress/`) both judge by it, after name
 * resolution, so that both mean the same by a public address.
 */
import { lookup, type LookupAddress } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { kindOf } from '@toolway/contract/address-kind'
import { NO_EXCEPTIONS, type Exceptions } from './exceptions.ts'

/** Where a connection may go: public addresses, and private ones where it or its organization may. */
export interface Permits {
  readonly allowPrivate: boolean
  readonly exceptions?: Exceptions
}

/**
 * Origins (scheme, host, port) that may lie in a private network, each for itself. `any`: every address that is asked follows from what
 * the operator set, and none from what a server answers.
 */
export type PrivateOrigins = readonly string[] | 'any'

export const mayBePrivate = (origins: PrivateOrigins, { origin }: Pick<URL, 'origin'>): boolean =>
  origins === 'any' || origins.includes(origin)

/** The origin of an address, where that one may be private. */
export function privateOriginOf(isPrivate: boolean, address: string | undefined): readonly string[] {
  const url = isPrivate && address !== undefined ? URL.parse(address) : null
  return url === null ? [] : [url.origin]
}

/** `host`: what was asked for, of which the address came. */
export function isAllowed(
  address: string,
  { allowPrivate, exceptions = NO_EXCEPTIONS }: Permits,
  host = address,
): boolean {
  const kind = kindOf(address)
  if (kind === 'public') return true
  if (kind === 'never') return false
  return (kind === 'private' && allowPrivate) || exceptions.cover(address, host)
}

export interface JudgedLookup {
  readonly allowed: (address: string, host: string) => boolean
  /** What a look-up fails with that found nothing (with its cause) or found an address that is not allowed. */
  readonly refusal: (cause?: Error) => Error
}

/** A look-up of names that fails unless every address of a name is allowed. */
export function createJudgedLookup({ allowed, refusal }: JudgedLookup): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      const addresses = found as LookupAddress[] | undefined
      if (error !== null || addresses === undefined) callback(refusal(error ?? undefined), [])
      else if (addresses.every(({ address }) => allowed(address, hostname))) callback(null, addresses)
      else callback(refusal(), [])
    })
  }
}
