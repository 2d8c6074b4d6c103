/**
 * Whose share of the gateway a request counts as before it is identified: of the organization that the same credential was admitted to
 * at this address before, else of the address that it comes from.
 *
 * Nobody can count as an organization that never admitted him, so nobody can use up the share of another. Credentials are kept as
 * digests under a salt of this process, and a forgotten or outdated entry costs nothing but a little fairness.
 */
import { hash as digestOf, randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { LRUCache } from 'lru-cache'
import type { Clients } from '../client-address.ts'
import { pathOf } from '../request-target.ts'

export interface CallShare {
  readonly name: string
  /** Notes the organization that it was admitted to; undefined where it is known already. */
  readonly note: ((organizationId: string) => void) | undefined
}

export interface CallShares {
  of(request: IncomingMessage): CallShare
}

const KNOWN = { max: 10_000, ttl: 60 * 60_000 }
/** A caller in several organizations names the organization in the path. */
const ORGANIZATION = /^\/(?:o|api\/v1)\/([\w-]+)\//

export function createCallShares(clients: Clients): CallShares {
  const known = new LRUCache<string, string>(KNOWN)
  const salt = randomBytes(16).toString('hex')
  const addressShare = (request: IncomingMessage) => `address ${clients.of(request).network}`
  return {
    of(request) {
      const credential = request.headers.authorization ?? request.headers.cookie
      if (credential === undefined) return { name: addressShare(request), note: undefined }
      const organization = ORGANIZATION.exec(pathOf(request.url ?? '/'))?.[1] ?? ''
      const digest = digestOf('sha256', `${salt}${organization} ${credential}`, 'base64')
      const name = known.get(digest)
      if (name !== undefined) return { name, note: undefined }
      return { name: addressShare(request), note: (organizationId) => void known.set(digest, organizationId) }
    },
  }
}
