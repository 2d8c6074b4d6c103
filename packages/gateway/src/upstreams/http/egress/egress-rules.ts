/**
 * The rules of one child process for its way out, and the connections that they let pass.
 *
 * `public` lets pass what the guarded client may reach, except the addresses of this machine. `listed` lets pass only names of its
 * list, at such addresses. The address that is judged is the one that is connected to: a name is looked up once, here.
 */
import { connect, isIP, type LookupFunction, type Socket } from 'node:net'
import { networkInterfaces } from 'node:os'
import ipaddr from 'ipaddr.js'
import { createTurns, type Turns } from '../../../lib/work-queue.ts'
import { createHostPatterns, NO_EXCEPTIONS, nameOf } from '../exceptions.ts'
import { createJudgedLookup, isAllowed, type Permits } from '../permits.ts'
import { EgressRefused } from './egress-refused.ts'

export interface EgressRules extends Partial<Permits> {
  readonly network: 'public' | 'listed'
  /** Names, or `*.` and what they end with, each with `:port` or for every port; only for `listed`. */
  readonly allowHosts?: readonly string[]
  /** Addresses of this machine; if unsaid, those of its network interfaces. */
  readonly ownAddresses?: () => readonly string[]
  /** Turns that all children share for looking names up. */
  readonly lookups?: Turns
}

export interface Target {
  readonly host: string
  readonly port: number
}

export type EgressRoutes = ReturnType<typeof createRoutes>

const CONNECT_MS = 10_000
/**
 * Names that one child, and all of them together, look up at a time. The system gives a process four threads for this and for its files,
 * and one whose name server is silent holds a thread for half a minute.
 */
const LOOKUPS = { atOnce: 2, waiting: 256 }
const ALL_LOOKUPS = { atOnce: 3, waiting: 1_024 }
export const createSharedLookups = (): Turns => createTurns(ALL_LOOKUPS)

export function createRoutes(rules: EgressRules, connectMs = CONNECT_MS) {
  const { network, allowHosts = [], ownAddresses = addressesOfInterfaces } = rules
  const { allowPrivate = false, exceptions = NO_EXCEPTIONS, lookups = createSharedLookups() } = rules
  const isListed = createHostList(allowHosts)
  const turns = createTurns(LOOKUPS)

  const isAddressAllowed = (address: string, host: string) =>
    isAllowed(address, { allowPrivate, exceptions }, host) &&
    (allowPrivate || !ownAddresses().map(plainOf).includes(plainOf(address)) || exceptions.cover(address, host))

  /** Throws for a name that is not listed and for an address that may not be reached. */
  function check({ host, port }: Target): void {
    const target = wordsOf({ host, port })
    if (network === 'listed' && (isIP(host) !== 0 || !isListed({ host, port })))
      throw new EgressRefused('unlisted', target)
    if (isIP(host) !== 0 && !isAddressAllowed(host, host)) throw new EgressRefused('address', target)
  }

  return {
    /** Whether what passes must name the host that was asked for. */
    pinned: network === 'listed',
    check,
    /** Connects, or rejects with `EgressRefused`; gives up when `gone` says that nobody waits for it. */
    open(to: Target, gone?: AbortSignal): Promise<Socket> {
      const { host, port } = to
      const target = wordsOf(to)
      return new Promise((resolve, reject) => {
        check(to)
        const judged = createJudgedLookup({
          allowed: isAddressAllowed,
          refusal: (cause) => new EgressRefused('address', target, { cause }),
        })
        // A look-up begins before the socket is there.
        const tunnel: { socket?: Socket } = {}
        const lookup = inTurn(judged, {
          take: (work) => turns.take(() => lookups.take(work) ?? Promise.reject(new EgressRefused('busy', target))),
          isGone: () => tunnel.socket?.destroyed === true,
          busy: () => new EgressRefused('busy', target),
        })
        const socket = connect({ host, port, lookup, allowHalfOpen: true, autoSelectFamily: true, noDelay: true })
        tunnel.socket = socket
        const destroySocket = () => socket.destroy(new EgressRefused('unreachable', target))
        const connectTimer = setTimeout(() => socket.destroy(new EgressRefused('silent', target)), connectMs)
        const stopWaiting = () => {
          clearTimeout(connectTimer)
          gone?.removeEventListener('abort', destroySocket)
        }
        gone?.addEventListener('abort', destroySocket)
        if (gone?.aborted === true) destroySocket()
        socket.once('connect', () => {
          stopWaiting()
          if (isAddressAllowed(socket.remoteAddress ?? '', host)) resolve(socket)
          else socket.destroy(new EgressRefused('address', target))
        })
        socket.once('error', (cause) => {
          stopWaiting()
          reject(refusalIn(cause) ?? new EgressRefused('unreachable', target, { cause }))
        })
      })
    },
  }
}

interface Queue {
  take(work: () => Promise<void>): Promise<void> | undefined
  /** Whether the connection was given up meanwhile. */
  isGone(): boolean
  busy(): Error
}

/** A look-up holds its turn until the system has answered, also when its connection was given up long before. */
function inTurn(lookup: LookupFunction, { take, isGone, busy }: Queue): LookupFunction {
  return (hostname, options, callback) => {
    const work = () =>
      new Promise<void>((done) => {
        if (isGone()) return done()
        lookup(hostname, options, (...found) => {
          done()
          callback(...found)
        })
      })
    const refuse = () => process.nextTick(callback, busy(), [])
    const taken = take(work)
    if (taken === undefined) refuse()
    else taken.catch(refuse)
  }
}

/** One text for one address: IPv4 in IPv6 clothes is that IPv4 address. */
const plainOf = (address: string): string =>
  ipaddr.isValid(address) ? ipaddr.process(address).toNormalizedString() : address

function createHostList(allowHosts: readonly string[]): (to: Target) => boolean {
  const lists = new Map<string, string[]>()
  for (const [, host = '', port = ''] of allowHosts.map((entry) => /^(.*?)(?::(\d+))?$/.exec(entry) ?? []))
    lists.set(port, [...(lists.get(port) ?? []), host.toLowerCase()])
  const patterns = [...lists].map(([port, hosts]) => ({ port, has: createHostPatterns(hosts) }))
  return (to) => patterns.some(({ port, has }) => (port === '' || Number(port) === to.port) && has(to.host))
}

/** A name with its port, as the log and the refusal show it. */
export const wordsOf = ({ host, port }: Target): string => `${host.includes(':') ? `[${host}]` : host}:${port}`

/** The target of a CONNECT (RFC 9112, section 3.2.3); undefined where it is none. */
export function targetIn(authority: string): Target | undefined {
  const [, name, port] = /^(\[[\da-f:.]+\]|[\w.-]{1,254}):(\d{1,5})$/i.exec(authority) ?? []
  if (name === undefined || Number(port) < 1 || Number(port) > 65_535) return undefined
  return { host: hostOf(name), port: Number(port) }
}

/** A host as it is written in an authority: in small letters, without the dot of the root and the brackets of IPv6. */
export const hostOf = (written: string): string => nameOf(written.replace(/^\[|\]$/g, ''))

/** Several addresses are tried one after another: the refusal may be among their errors. */
function refusalIn(error: Error): EgressRefused | undefined {
  if (error instanceof EgressRefused) return error
  const all: readonly unknown[] = error instanceof AggregateError ? error.errors : [error.cause]
  return all.find((value) => value instanceof EgressRefused)
}

const addressesOfInterfaces = (): string[] =>
  Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map(({ address }) => address))
