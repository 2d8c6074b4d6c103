/**
 * Messages over HTTP: Streamable HTTP in both eras, and the HTTP+SSE pair for servers that know nothing newer.
 *
 * Specification 2026-07-28, versioning: a 401, 403, 5xx or silence says nothing about the era. 2025-11-25, transports: a
 * server that refuses `initialize` with 400, 404 or 405 is tried with GET, and is an HTTP+SSE server if that names an endpoint.
 */
import { Fault } from '@toolway/contract'
import {
  discover,
  exchange,
  InitializeRefused,
  isGreetingRefused,
  listen,
  openLegacySession,
  openPipeSession,
  type LegacySession,
  type OpenOptions,
} from '@toolway/protocol/client'
import type { Carrier, CarrierParts } from '../carrier.ts'
import { createPool } from './agent.ts'
import { MOST_STREAMS } from './own-streams.ts'
import type { Wire } from './post.ts'
import { createPresenting, headersOf } from './presenting.ts'
import { createReachMask } from './reach-mask.ts'
import { NoEventStream, openSsePair, type SsePair } from './sse-pair.ts'

/** Streams of the gateway's own, beside those of sessions: what is listened to now, and what takes its place. */
const ROOM = 24

export function createHttpCarrier(parts: CarrierParts): Carrier {
  const { alias, timeout, url, allowPrivate, exceptions, headers, ids, breaker } = parts
  const options = { alias, allowPrivate, exceptions, headersTimeout: timeout * 1000 }
  const ownPool = () => createPool(url.origin, options)
  const streams = createPool(url.origin, { ...options, connections: MOST_STREAMS + ROOM })
  const mask = createReachMask(url, headers)
  const path = url.pathname + url.search
  const wire: Wire = { alias, pool: ownPool(), streams, ownPool, path, headers, timeout, breaker, mask }
  const present = createPresenting(wire)
  /** Whether the server turned out to speak HTTP+SSE; it is asked so first then. */
  let speaksPair = false

  async function openPair(options: OpenOptions): Promise<LegacySession> {
    let pair: SsePair | undefined
    let at = present(options.credential)
    return openPipeSession(
      {
        alias,
        ids,
        timeout,
        observer: breaker,
        mask: (text) => at.mask(text),
        open: async (eventSink, signal) => (pair = await openSsePair(at, url, eventSink, signal)),
        onCredential(credential) {
          at = present(credential)
          Object.assign(pair?.headers ?? {}, headersOf(credential))
        },
        onServerInfo: ({ revision }) => void (pair && (pair.headers['mcp-protocol-version'] = revision)),
      },
      options,
    )
  }

  /** A server that refused in MCP's own words is no older one for being silent on a stream. */
  async function openOlder(options: OpenOptions, refusal: unknown): Promise<LegacySession> {
    try {
      const session = await openPair(options)
      speaksPair = true
      return session
    } catch (thrown) {
      const spoke = isGreetingRefused(refusal)
      throw thrown instanceof NoEventStream || spoke ? refusal : thrown
    }
  }

  async function open(options: OpenOptions): Promise<LegacySession> {
    if (speaksPair) {
      const session = await openPair(options).catch((thrown: unknown) => {
        if (!(thrown instanceof NoEventStream)) throw thrown
        speaksPair = false
      })
      if (session !== undefined) return session
    }
    return openLegacySession(present, ids, options).catch((thrown: unknown) => {
      if (thrown instanceof InitializeRefused) return openOlder(options, thrown.cause)
      throw thrown
    })
  }

  return {
    async isModern(signal, credential) {
      try {
        await discover(present(credential), ids, signal)
        return true
      } catch (thrown) {
        if (!saysLegacy(thrown)) throw thrown
        return false
      }
    },
    discover: (signal, credential) => discover(present(credential), ids, signal),
    exchange: (asked) => exchange(present(asked.credential), ids, asked),
    listen: (options) => listen(present(options.credential), ids, options),
    open,
    doubt() {
      speaksPair = false
    },
    async close(grace) {
      void wire.streams.destroy().catch(() => {})
      await endCalls(wire.pool, grace)
    },
  }
}

/**
 * Tells whether the answer is one of a server that does not know `server/discover`: an error, a page, invalid data, a plain 4xx.
 */
function saysLegacy(thrown: unknown): boolean {
  if (isGreetingRefused(thrown)) return true
  return (
    thrown instanceof Fault &&
    thrown.code === 'upstream.unreachable' &&
    /HTTP 4\d\d$/.test(String(thrown.facts['problem'] ?? ''))
  )
}

/** Calls that are under way may finish; what is left after that is cut. */
async function endCalls(pool: Wire['pool'], grace: number): Promise<void> {
  const cut = setTimeout(() => void pool.destroy().catch(() => {}), grace)
  await pool.close().catch(() => {})
  clearTimeout(cut)
}
