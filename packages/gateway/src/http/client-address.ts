/**
 * Where a request comes from: the peer of its connection, or what a proxy that we trust says of it.
 *
 * Anybody can write X-Forwarded-For and Forwarded (RFC 7239), so they count only from the proxies of TOOLWAY_TRUSTED_PROXIES,
 * and of their lists only the last entry that no trusted proxy made. A proxy sets one of the two headers and passes the other
 * one on; where both are there and differ, neither is believed. Never an identity: addresses are for limits and records.
 */
import type { IncomingMessage } from 'node:http'
import ipaddr from 'ipaddr.js'

type Address = ipaddr.IPv4 | ipaddr.IPv6
export type Network = readonly [Address, number]

export interface Client {
  /** As it is written by people: IPv4 where it is one, else IPv6 in its shortest form; `unknown` for what has none. */
  readonly address: string
  /** The key by which requests are counted: an IPv4 address, or the /64 of an IPv6 address, which belongs to one customer. */
  readonly network: string
  /** Whether it speaks TLS, to us or to a proxy that we trust. */
  readonly secure: boolean
}

export interface Clients {
  of(request: IncomingMessage): Client
}

/** Reads an address or a range; throws for anything else. */
export function readNetwork(text: string): Network {
  if (text.includes('/')) return normal(ipaddr.parseCIDR(text))
  const address = ipaddr.process(text)
  return [address, address.kind() === 'ipv4' ? 32 : 128]
}

const MAPPED = 96
/** ::ffff:10.0.0.0/104 is 10.0.0.0/8, as addresses are compared in their own family. */
function normal([address, bits]: [Address, number]): Network {
  if (address.kind() === 'ipv4' || !(address as ipaddr.IPv6).isIPv4MappedAddress()) return [address, bits]
  return [(address as ipaddr.IPv6).toIPv4Address(), Math.max(0, bits - MAPPED)]
}

const UNKNOWN: Client = { address: 'unknown', network: 'unknown', secure: false }

export function createClients(trusted: readonly string[]): Clients {
  const networks = trusted.map(readNetwork)
  /** The facts about a connection's peer do not change while the connection is open, so they are cached. */
  const peers = new WeakMap<object, { client: Client; trusted: boolean }>()

  const isTrusted = (address: Address) =>
    networks.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits))

  function peerOf({ socket }: IncomingMessage) {
    const known = peers.get(socket)
    if (known !== undefined) return known
    const address = parse(socket.remoteAddress ?? '')
    const client = address === undefined ? UNKNOWN : clientAt(address, 'encrypted' in socket)
    const peer = { client, trusted: address !== undefined && isTrusted(address) }
    peers.set(socket, peer)
    return peer
  }

  /** The last hop that no trusted proxy is; where all of them are, the first. Undefined for a list that cannot be read. */
  function farthest(hops: readonly string[]): Address | undefined {
    let last: Address | undefined
    for (const hop of [...hops].reverse()) {
      const address = parse(hop)
      if (address === undefined) return last
      last = address
      if (!isTrusted(address)) return last
    }
    return last
  }

  function forwardedClient({ headers }: IncomingMessage, peer: Client): Client {
    const common = listOf(headers['x-forwarded-for'])
    const standard = elementsOf(headers.forwarded)
    const [commonHop, other] = [farthest(common), farthest(standard.map(({ for: hop = '' }) => hop))]
    const differ = common.length > 0 && standard.length > 0 && commonHop?.toString() !== other?.toString()
    const address = differ ? undefined : (commonHop ?? other)
    const protocol = listOf(headers['x-forwarded-proto']).at(-1) ?? standard.at(-1)?.proto
    const secure = peer.secure || protocol?.toLowerCase() === 'https'
    return address === undefined ? { ...peer, secure } : clientAt(address, secure)
  }

  return {
    of(request) {
      const peer = peerOf(request)
      return peer.trusted ? forwardedClient(request, peer.client) : peer.client
    },
  }
}

function clientAt(address: Address, secure: boolean): Client {
  const text = address.toString()
  return { address: text, network: address.kind() === 'ipv4' ? text : networkOf(address as ipaddr.IPv6), secure }
}

/** Its first half: what comes after is the customer's own choice. */
const networkOf = ({ parts }: ipaddr.IPv6): string => new ipaddr.IPv6([...parts.slice(0, 4), 0, 0, 0, 0]).toString()

/** An address as headers and sockets write it: perhaps with a port, in brackets, with a zone. */
function parse(text: string): Address | undefined {
  const bare = /^\[(.+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text
  const address = bare.replace(/%.*$/, '')
  // Anything but four numbers or groups of digits is a spelling that two readers may read differently.
  return ipaddr.IPv4.isValidFourPartDecimal(address) || ipaddr.IPv6.isValid(address)
    ? ipaddr.process(address)
    : undefined
}

const listOf = (header: string | string[] | undefined): string[] =>
  (Array.isArray(header) ? header.join(',') : (header ?? ''))
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')

/** RFC 7239: elements by commas, pairs by semicolons, values perhaps quoted; no value that we read has either in it. */
const elementsOf = (header: string | string[] | undefined): { for?: string; proto?: string }[] =>
  listOf(header).map((element) =>
    Object.fromEntries(
      element
        .split(';')
        .map((pair) => pair.split('=', 2).map((part) => part.trim().replace(/^"(.*)"$/, '$1')))
        .map(([name = '', value = '']) => [name.toLowerCase(), value]),
    ),
  )
