/**
 * The judgement of outgoing addresses: which of them a connection may be made to, and the look-up of names that lets only those pass.
 *
 * It opens nothing. The guarded agent (`agent.ts`) and the proxy of child processes (`egress/`) both judge by it, after name
 * resolution, so that both mean the same by a public address.
 */
import { lookup, type LookupAddress } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { kindOf } from '@toolway/contract/address-kind'
import { nameOf, NO_EXCEPTIONS, type Exceptions } from './exceptions.ts'

/** Where a connection may go: public addresses, and private ones where it or its organization may. */
export interface Permits {
  readonly allowPrivate: boolean
  readonly exceptions?: Exceptions
}

/**
 * What may lie in a private network: origins (scheme, host, port), each for itself, or every port of one host. `any`: every address that
 * is asked follows from what the operator set, and none from what a server answers.
 */
export type PrivateOrigins = readonly string[] | { readonly host: string } | 'any'

export function mayBePrivate(origins: PrivateOrigins, { origin, hostname }: Pick<URL, 'origin' | 'hostname'>): boolean {
  if (origins === 'any') return true
  return 'host' in origins ? origins.host === machineOf(hostname) : origins.includes(origin)
}

/** The loopback addresses and their names mean one machine. */
function machineOf(hostname: string): string {
  const name = nameOf(hostname)
  return name === 'localhost' || name.startsWith('127.') || name === '[::1]' ? 'localhost' : name
}

/**
 * The host of an address with all its ports, where that address may be private: for what a server names of its own, such as its
 * authorization server. A server reaches its own machine without us, so it gains nothing there; other hosts need an exception.
 */
export function privateHostOf(isPrivate: boolean, address: string | undefined): PrivateOrigins {
  const url = isPrivate && address !== undefined ? URL.parse(address) : null
  return url === null ? [] : { host: machineOf(url.hostname) }
}

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
