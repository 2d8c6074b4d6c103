/**
 * The one way out: every outgoing connection of the product is made here, and its address is judged when it is made.
 *
 * The check sits in the connector, behind name resolution, so that literal addresses, odd spellings (0x7f.1), mapped
 * IPv6, redirects and names that resolve differently the second time all meet it. A resolver hook alone would not: no
 * name is looked up for a literal address. Link-local addresses, where clouds keep their credentials, are refused always.
 */
import { isIP } from 'node:net'
import { Fault } from '@toolway/contract'
import { buildConnector, Pool } from 'undici'
import { NO_EXCEPTIONS } from './exceptions.ts'
import { createJudgedLookup, isAllowed, type Permits } from './permits.ts'

export { isAllowed, type Permits } from './permits.ts'

export interface PoolOptions extends Permits {
  readonly alias: string
  /** Milliseconds until the response headers must be there. */
  readonly headersTimeout: number
  /** At once. Unless it says otherwise, more than calls and streams have places (`server-places.ts`): what waits in a pool waits unseen. */
  readonly connections?: number
}

/** `egress.refused`, as a part of a sentence. */
export const REFUSED_ADDRESS = 'its address does not resolve, or is in a network that is not allowed'

const CONNECT_TIMEOUT = 10_000
const CONNECTIONS = 8_192
/** Bytes that the headers of an answer may have. */
const MOST_HEADERS_BYTES = 16 * 1024

export function createPool(
  origin: string,
  { headersTimeout, connections = CONNECTIONS, ...options }: PoolOptions,
): Pool {
  return new Pool(origin, {
    connections,
    headersTimeout,
    bodyTimeout: headersTimeout,
    maxHeaderSize: MOST_HEADERS_BYTES,
    connect: createConnector(options),
  })
}

/** Creates connections, plain or TLS, to permitted addresses; for others it fails with `egress.refused`. */
export function createConnector({
  alias,
  allowPrivate,
  exceptions = NO_EXCEPTIONS,
  ...options
}: Permits & { alias: string; allowH2?: boolean; ca?: string; cert?: string; key?: string }): buildConnector.connector {
  const permits: Permits = { allowPrivate, exceptions }
  const refusal = (cause?: unknown) => new Fault('egress.refused', { connection: alias }, { cause })
  const connect = buildConnector({
    timeout: CONNECT_TIMEOUT,
    ...options,
    lookup: createJudgedLookup({
      allowed: (address, host) => isAllowed(address, permits, host),
      // One answer for a name that is unknown and for one that leads inside: two would tell which names our network has.
      refusal: (cause) => (cause !== undefined && allowPrivate ? cause : refusal(cause)),
    }),
  })
  return (target, callback) => {
    const host = target.hostname.replace(/^\[|\]$/g, '')
    if (isIP(host) !== 0 && !isAllowed(host, permits)) callback(refusal(), null)
    else connect(target, callback)
  }
}
