/**
 * Messages over HTTP: Streamable HTTP in both eras, and the HTTP+SSE pair for servers that know nothing newer.
 *
 * Specification 2026-07-28, versioning: a 401, 403, 5xx or silence says nothing about the era. 2025-11-25, transports: a
 * server that refuses `initialize` with 400, 404 or 405 is tried with GET, and is an HTTP+SSE server if that names an endpoint.
 */
import type { OpenedCredential } from '../upstream.ts'
import {
  type ClientRequest,
  type ListenOptions,
  discover,
  exchange,
  InitializeRefused,
  isInitializeRefused,
  listen,
  openLegacySession,
  openPipeSession,
  type LegacySession,
  type OpenOptions,
} from '@toolway/protocol/client'
import { Fault } from '@toolway/contract'
import type { Carrier, CarrierParts } from '../carrier.ts'
import { createPool } from './agent.ts'
import { MOST_STREAMS } from './own-streams.ts'
import type { Wire } from './post.ts'
import { createPresenting, headersOf } from './presenting.ts'
import { createReachMask, createResultMask } from './reach-mask.ts'
import { NoEventStream, openSsePair, type SsePair } from './sse-pair.ts'

/** Streams of the gateway's own, beside those of sessions: what is listened to now, and what takes its place. */
const ROOM = 24

export const createHttpCarrier = (parts: CarrierParts): Carrier => new HttpCarrier(parts)

class HttpCarrier implements Carrier {
  readonly #parts: CarrierParts
  readonly #alias
  readonly #timeout
  readonly #url
  readonly #ids
  readonly #options
  readonly #streams
  readonly #mask
  readonly #path
  readonly #wire: Wire
  readonly #present
  /** Whether the server turned out to speak HTTP+SSE; it is asked so first then. */
  #speaksPair = false

  constructor(parts: CarrierParts) {
    this.#parts = parts
    this.#alias = parts.alias
    this.#timeout = parts.timeout
    this.#url = parts.url
    this.#ids = parts.ids
    this.#options = {
      alias: this.#alias,
      allowPrivate: this.#parts.allowPrivate,
      exceptions: this.#parts.exceptions,
      headersTimeout: this.#timeout * 1000,
    }
    this.#streams = createPool(this.#url.origin, { ...this.#options, connections: MOST_STREAMS + ROOM })
    this.#mask = createReachMask(this.#url, this.#parts.headers)
    this.#path = this.#url.pathname + this.#url.search
    this.#wire = {
      alias: this.#alias,
      origin: this.#url.origin,
      pool: this.#ownPool(),
      streams: this.#streams,
      ownPool: this.#ownPool,
      path: this.#path,
      headers: this.#parts.headers,
      timeout: this.#timeout,
      breaker: this.#parts.breaker,
      follows: true,
      onOdd: (problem) => this.#parts.onOdd(problem),
      mask: this.#mask,
      hide: createResultMask(this.#parts.headers, this.#url),
    }
    this.#present = createPresenting(this.#wire)
  }

  readonly #ownPool = () => createPool(this.#url.origin, this.#options)

  async #openPair(options: OpenOptions): Promise<LegacySession> {
    let pair: SsePair | undefined
    let at = this.#present(options.credential)
    return openPipeSession(
      {
        alias: this.#alias,
        ids: this.#ids,
        timeout: this.#timeout,
        observer: this.#parts.breaker,
        mask: (text) => at.mask(text),
        hide: (text) => at.hide?.(text) ?? text,
        open: async (eventSink, signal) => (pair = await openSsePair(at, this.#url, eventSink, signal)),
        onCredential: (credential) => {
          at = this.#present(credential)
          Object.assign(pair?.headers ?? {}, headersOf(credential))
        },
        onServerInfo: ({ revision }) => void (pair && (pair.headers['mcp-protocol-version'] = revision)),
      },
      options,
    )
  }

  /** A server that refused in MCP's own words is no older one for being silent on a stream. */
  async #openOlder(options: OpenOptions, refusal: unknown): Promise<LegacySession> {
    try {
      const session = await this.#openPair(options)
      this.#speaksPair = true
      return session
    } catch (thrown) {
      const spoke = isInitializeRefused(refusal)
      throw thrown instanceof NoEventStream || spoke ? refusal : thrown
    }
  }

  async open(options: OpenOptions): Promise<LegacySession> {
    if (this.#speaksPair) {
      const session = await this.#openPair(options).catch((thrown: unknown) => {
        if (!(thrown instanceof NoEventStream)) throw thrown
        this.#speaksPair = false
      })
      if (session !== undefined) return session
    }
    return openLegacySession(this.#present, this.#ids, options).catch((thrown: unknown) => {
      if (thrown instanceof InitializeRefused) return this.#openOlder(options, thrown.cause)
      throw thrown
    })
  }

  async isModern(signal: AbortSignal, credential: OpenedCredential | undefined) {
    try {
      await discover(this.#present(credential), this.#ids, signal)
      return true
    } catch (thrown) {
      if (!saysLegacy(thrown)) throw thrown
      return false
    }
  }

  discover(signal: AbortSignal, credential: OpenedCredential | undefined) {
    return discover(this.#present(credential), this.#ids, signal)
  }

  exchange(request: ClientRequest) {
    return exchange(this.#present(request.credential), this.#ids, request)
  }

  listen(options: ListenOptions) {
    return listen(this.#present(options.credential), this.#ids, options)
  }

  doubt() {
    this.#speaksPair = false
  }

  async close(grace: number) {
    void this.#wire.streams.destroy().catch(() => {})
    await endCalls(this.#wire.pool, grace)
  }
}

/**
 * Tells whether the answer is one of a server that does not know `server/discover`: an error, a page, invalid data, a plain 4xx.
 */
function saysLegacy(thrown: unknown): boolean {
  if (isInitializeRefused(thrown)) return true
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
