/**
 * Checks the Host that a request was sent to and the Origin that a browser sends with it.
 *
 * A page of another site can point a name of its own at this machine (DNS rebinding), but cannot choose the Host that its browser
 * then sends. Other host names are refused, whatever address they resolve to. The address itself that the connection came in at is no
 * name: whoever sends it was led here by nobody, as the probes of Kubernetes, of Prometheus and of balancers.
 */
import { Fault } from '@toolway/contract'

export interface GuardParts {
  /** The address that is listened on. */
  readonly host: string
  readonly publicUrl: string | undefined
  readonly allowedHosts: readonly string[]
  readonly allowedOrigins: readonly string[]
}

/** Of a socket. */
export interface SocketAddress {
  readonly localAddress?: string | undefined
  readonly localPort?: number | undefined
}

export interface Guard {
  /**
   * Throws `request.host` or `request.origin`. `authority` is what the request's own target names, if it does; it counts for more
   * than Host and must not differ from it (RFC 9112, sections 3.2 and 3.2.2). `arrived`: this end of the connection.
   */
  check(host: string | undefined, origin: string | undefined, authority?: string, socketAddress?: SocketAddress): void
  /** The first half of it. Throws `request.host`. */
  checkHost(host: string | undefined, authority?: string, socketAddress?: SocketAddress): void
  /** The second half, for a Host that was checked. Throws `request.origin`. */
  checkOrigin(host: string | undefined, origin: string | undefined): void
}

/**
 * Node reads the first of several such lines and drops the rest; a proxy in front may have judged another one. RFC 9112,
 * section 3.2, wants 400 for Host; RFC 9110, section 5.3, allows neither of them more than once.
 */
const ONCE = ['Host', 'Authorization'] as const

/** Throws `request.repeated`. */
export function checkRepeated(rawHeaders: readonly string[]): void {
  for (const header of ONCE) {
    let count = 0
    for (let at = 0; at < rawHeaders.length; at += 2) {
      const name = rawHeaders[at]
      // Names differ in length mostly: few of them are folded.
      if (name?.length === header.length && name.toLowerCase() === header.toLowerCase()) count++
    }
    if (count > 1) throw new Fault('request.repeated', { header })
  }
}

/** As it stands in Host, without the form of an IPv4 address inside IPv6. */
function hostAndPortOf({ localAddress, localPort }: SocketAddress): string | undefined {
  if (localAddress === undefined || localPort === undefined) return undefined
  const plain = localAddress.replace(/^::ffff:(?=\d+\.)/, '')
  return `${plain.includes(':') ? `[${plain}]` : plain}:${localPort}`
}

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']
const ANY = new Set(['0.0.0.0', '::', ''])

export function createGuard({ host, publicUrl, allowedHosts, allowedOrigins }: GuardParts): Guard {
  const own = publicUrl === undefined ? undefined : new URL(publicUrl)
  const names = new Set([...LOOPBACK, ...allowedHosts.map((name) => name.toLowerCase())])
  if (own !== undefined) names.add(own.host).add(own.hostname)
  if (!ANY.has(host)) names.add((host.includes(':') ? `[${host}]` : host).toLowerCase())
  const origins = new Set([
    ...allowedOrigins.map((origin) => origin.toLowerCase()),
    ...(own === undefined ? [] : [own.origin]),
  ])

  const hostOf = (value: string) => value.toLowerCase()
  const nameOf = (value: string) => value.replace(/:\d+$/, '')

  const guard: Guard = {
    check(host, origin, authority, socketAddress) {
      guard.checkHost(host, authority, socketAddress)
      guard.checkOrigin(host, origin)
    },
    checkHost(host, authority, socketAddress = {}) {
      const requestedHost = hostOf(host ?? '')
      if (authority !== undefined && hostOf(authority) !== requestedHost) throw new Fault('request.host')
      if (
        !names.has(requestedHost) &&
        !names.has(nameOf(requestedHost)) &&
        requestedHost !== hostAndPortOf(socketAddress)
      )
        throw new Fault('request.host')
    },
    checkOrigin(host, origin) {
      if (origin === undefined) return
      const requestedHost = hostOf(host ?? '')
      const from = origin.toLowerCase()
      if (origins.has(from) || from === `http://${requestedHost}` || from === `https://${requestedHost}`) return
      throw new Fault('request.origin')
    },
  }
  return guard
}
