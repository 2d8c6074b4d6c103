/** Checks addresses in external metadata before use: a browser or a token is sent there. */
import { Fault } from '@toolway/contract'
import { kindOf } from '@toolway/contract/address-kind'
import { NO_EXCEPTIONS } from '../../../upstreams/http/exceptions.ts'
import { problemOfAddress } from '../../../upstreams/http/given-address.ts'
import { mayBePrivate } from '../../../upstreams/http/permits.ts'
import type { Egress } from '../ports.ts'

const UNREACHABLE =
  'at another host of a private network, which an operator has to allow for the organization (toolway org egress)'

/** What may be asked without TLS: the private host of the connection itself, or one that an exception of its organization may open. */
function mayBePlain({ privateOrigins, exceptions = NO_EXCEPTIONS }: Egress, url: URL): boolean {
  if (!isLocal(url.hostname)) return false
  if (mayBePrivate(privateOrigins, url)) return true
  return exceptions !== NO_EXCEPTIONS && problemOfAddress(url.href, { allowPrivate: false, exceptions }) === undefined
}

/** A name that only this machine or its network can mean, or an address there: a secret crosses nobody else's line to it. */
function isLocal(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '')
  if (kindOf(host) === 'private') return true
  return host === 'localhost' || /\.(localhost|internal|local)$/.test(host) || !/[.:]/.test(host)
}

/**
 * Over TLS, but for a host of a private network that the connection may reach; nothing in front of its host and nothing behind its query.
 * `what` names it in the sentence. Throws `authority.malformed`.
 */
export function webAddress(text: string, what: string, egress: Egress): URL {
  const url = URL.parse(text)
  const refuse = (problem: string) =>
    new Fault('authority.malformed', { connection: egress.alias, problem: `${what} ${problem}` })
  if (url === null || !/^https?:$/.test(url.protocol)) throw refuse('is not a web address')
  if (url.protocol === 'http:' && !mayBePlain(egress, url))
    throw refuse(isLocal(url.hostname) ? `is ${UNREACHABLE}` : 'is not protected by TLS')
  if (url.username !== '' || url.password !== '') throw refuse('contains a user name')
  if (url.hash !== '') throw refuse('has a fragment')
  return url
}
