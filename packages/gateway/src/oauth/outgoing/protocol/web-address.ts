/** Checks addresses in external metadata before use: a browser or a token is sent there. */
import { Fault } from '@toolway/contract'
import { kindOf } from '@toolway/contract/address-kind'
import { mayBePrivate } from '../../../upstreams/http/permits.ts'
import type { Egress } from '../ports.ts'

/** A name that only this machine or its network can mean, or an address there: a secret crosses nobody else's line to it. */
function isLocal(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '')
  if (kindOf(host) === 'private') return true
  return host === 'localhost' || /\.(localhost|internal|local)$/.test(host) || !/[.:]/.test(host)
}

/**
 * Over TLS, but for a host of a private network where the connection itself may be in one; nothing in front of its host and nothing behind its query.
 * `what` names it in the sentence. Throws `authority.malformed`.
 */
export function webAddress(text: string, what: string, { alias, privateOrigins }: Egress): URL {
  const url = URL.parse(text)
  const refuse = (problem: string) =>
    new Fault('authority.malformed', { connection: alias, problem: `${what} ${problem}` })
  if (url === null || !/^https?:$/.test(url.protocol)) throw refuse('is not a web address')
  if (url.protocol === 'http:' && !(mayBePrivate(privateOrigins, url) && isLocal(url.hostname)))
    throw refuse('is not protected by TLS')
  if (url.username !== '' || url.password !== '') throw refuse('contains a user name')
  if (url.hash !== '') throw refuse('has a fragment')
  return url
}
