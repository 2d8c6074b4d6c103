/**
 * Addresses that a vendor's server signs for content, elsewhere as a rule: what may be asked there.
 *
 * The server chooses them, so leave for private networks, which a connection has for its own server, holds only at that server's origin.
 * Elsewhere a private address needs an exception of the organization. Plain HTTP is for servers that are spoken to so themselves, in a
 * private network.
 */
import type { RemoteTarget } from '../upstream.ts'
import { mayBePrivate, privateOriginOf } from './permits.ts'

export interface SignedAddress {
  readonly url: URL
  readonly allowPrivate: boolean
}

/** Undefined where nothing is sent: no URL of the web, one that is not protected by TLS, or one with a user name. */
export function signedAddress(
  address: string,
  { url: server, private: isPrivate }: Pick<RemoteTarget, 'url' | 'private'>,
): SignedAddress | undefined {
  const url = URL.parse(address)
  if (url === null || url.username !== '' || url.password !== '') return undefined
  const own = URL.parse(server)
  const isPlain = url.protocol === 'http:' && (url.origin === own?.origin || (isPrivate && own?.protocol === 'http:'))
  if (url.protocol !== 'https:' && !isPlain) return undefined
  return { url, allowPrivate: mayBePrivate(privateOriginOf(isPrivate, server), url) }
}
