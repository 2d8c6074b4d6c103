/**
 * The one way out: every outgoing connection of the product is made here, and its address is judged when it is made.
 *
 * The check sits in the connector, behind name resolution, so that literal addresses, odd spellings (0x7f.1), mapped
 * IPv6, redirects and names that resolve differently the second time all meet it. A resolver hook alone would not: no
 * name is looked up for a literal address. Link-local addresses, where clouds keep their credentials, are refused always.
 */
import { lookup, type LookupAddress } from 'node:dns'
import { isIP } from 'node:net'
import { Fault } from '@toolway/contract'
import ipaddr from 'ipaddr.js'
import { buildConnector, Pool } from 'undici'

/** NAT64, 6to4, Teredo and site-local carry or hide other addresses; `unicast` alone is public. */
const ALWAYS_REFUSED = new Set([
  'linkLocal',
  'multicast',
  'broadcast',
  'reserved',
  'rfc6052',
  'rfc6145',
  '6to4',
  'teredo',
])
const PRIVATE = new Set(['private', 'loopback', 'uniqueLocal'])
/** Where clouds hand out credentials outside of link-local: AWS over IPv6, Alibaba, Oracle, Azure. */
const METADATA = new Set(['fd00:ec2::254', '100.100.100.200', '192.0.0.192', '168.63.129.16'])
const GLOBAL = ipaddr.parseCIDR('2000::/3') as [ipaddr.IPv6, number]
const LOCAL = ipaddr.parseCIDR('fc00::/7') as [ipaddr.IPv6, number]
const SITE_LOCAL = ipaddr.parseCIDR('fec0::/10') as [ipaddr.IPv6, number]
const NAT64_LOCAL = ipaddr.parseCIDR('64:ff9b:1::/48') as [ipaddr.IPv6, number]

export function isAllowed(address: string, allowPrivate: boolean): boolean {
  const parsed = ipaddr.process(address)
  if (METADATA.has(parsed.toString())) return false
  const range = parsed.range()
  if (parsed.kind() === 'ipv6') {
    const six = parsed as ipaddr.IPv6
    // Outside of what is given out there is nothing to reach but other networks in disguise.
    if (range !== 'loopback' && !six.match(GLOBAL) && !six.match(LOCAL)) return false
    if (six.match(SITE_LOCAL) || six.match(NAT64_LOCAL)) return false
  }
  if (range === 'unicast') return true
  return allowPrivate && PRIVATE.has(range) && !ALWAYS_REFUSED.has(range)
}

export interface PoolOptions {
  readonly alias: string
  readonly allowPrivate: boolean
  /** Milliseconds until the response headers must be there. */
  readonly headersTimeout: number
  /** At once; 256 unless it says otherwise. */
  readonly connections?: number
}

const CONNECT_TIMEOUT = 10_000
const CONNECTIONS = 256

export function createPool(
  origin: string,
  { headersTimeout, connections = CONNECTIONS, ...options }: PoolOptions,
): Pool {
  return new Pool(origin, {
    connections,
    headersTimeout,
    bodyTimeout: headersTimeout,
    connect: createConnector(options),
  })
}

/** What makes a connection, plain or TLS, to an address that may be reached; for others it fails with `egress.refused`. */
export function createConnector({
  alias,
  allowPrivate,
  ...options
}: Pick<PoolOptions, 'alias' | 'allowPrivate'> & { allowH2?: boolean }): buildConnector.connector {
  const refusal = () => new Fault('egress.refused', { connection: alias })
  const connect = buildConnector({
    timeout: CONNECT_TIMEOUT,
    ...options,
    lookup: (hostname, options, callback) => {
      lookup(hostname, { ...options, all: true }, (error, found) => {
        const addresses = found as LookupAddress[] | undefined
        if (error !== null || addresses === undefined) callback(error, [])
        else if (addresses.every(({ address }) => isAllowed(address, allowPrivate))) callback(null, addresses)
        else callback(refusal(), [])
      })
    },
  })
  return (target, callback) => {
    const host = target.hostname.replace(/^\[|\]$/g, '')
    if (isIP(host) !== 0 && !isAllowed(host, allowPrivate)) callback(refusal(), null)
    else connect(target, callback)
  }
}
