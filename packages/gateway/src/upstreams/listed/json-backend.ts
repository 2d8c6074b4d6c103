/**
 * The HTTP side of a backend that answers with JSON: its addresses below the one that was given, its headers, its answers and its
 * failures in the words of the fault table. A read follows a redirect to its own origin; what acts is sent once, wherever it is
 * answered from.
 */
import { Fault, type FaultCode } from '@toolway/contract'
import { isShallow, type Json, type JsonObject } from '@toolway/protocol'
import type { Breaker } from '../breaker.ts'
import { createPool } from '../http/agent.ts'
import { NO_EXCEPTIONS } from '../http/exceptions.ts'
import { header, type Incoming } from '@toolway/protocol/client'
import { send, type Wire } from '../http/post.ts'
import { createReachMask, createResultMask } from '../http/reach-mask.ts'
import { refusalOf } from '../http/refusal.ts'
import type { ReachOf, RemoteTarget } from '../upstream.ts'
import { createAddressMask } from './address-mask.ts'
import { traceOfScope } from '../../lib/span-scope.ts'

export interface Saying {
  /** For its log and ours. */
  readonly correlationId?: string | undefined
  /** The address of the member for whom it is asked. */
  readonly onBehalf?: string | undefined
  /** For this request alone, in small letters. */
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

/** A request that may act. */
export interface Act {
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'GET'
  readonly path: string
  readonly query?: Readonly<Record<string, string>>
  readonly body?: JsonObject
}

export interface JsonBackend {
  /** The JSON at a path below the base, without the backend's address in it. Throws `upstream.*` and the fault of a malformed answer. */
  read(path: string, query: Readonly<Record<string, string>>, saying?: Saying): Promise<Json>
  /** One request that may act, and its answer whatever its status is. Throws `upstream.*`. */
  act(act: Act, saying: Saying): Promise<Incoming>
  /** Undefined for what is not JSON, or nests too deep to be passed on. */
  parse(text: string): Json | undefined
  /** Text without its address; and without its secrets, too, which it may repeat where it complains. */
  hide(text: string): string
  mask(text: string): string
  /** Let requests finish, for so many milliseconds, and end. */
  close(grace: number): Promise<void>
}

const MOST_REDIRECTS = 3
const REDIRECTS = new Set([301, 302, 303, 307, 308])
/** Of an answer: a pack of contracts, for instance, each of which is bounded by itself, stands three levels down. */
const MOST_LEVELS = 64
/** Its answer is read whole and no stream brings it; yet the breaker is to hear of it. */
const NO_STREAM = -1
/** An address as a header can hold it. */
const SENDABLE = /^[\x21-\x7e]{1,320}$/

/** @param malformed the fault of an answer in another form than is agreed, with the facts `connection` and `problem` */
export const createJsonBackend = (
  parts: ReachOf<RemoteTarget>,
  breaker: Breaker,
  malformed: Extract<FaultCode, `${string}.malformed`>,
): JsonBackend => new HttpBackend(parts, breaker, malformed)

class HttpBackend implements JsonBackend {
  readonly #breaker: Breaker
  readonly #malformedCode
  readonly #parts: ReachOf<RemoteTarget>
  readonly #alias
  readonly #wire
  readonly #url
  readonly #base
  readonly #options
  readonly #pool
  readonly #secrets
  readonly hide: (text: string) => string
  readonly #shared: Omit<Wire, 'path'>

  constructor(parts: ReachOf<RemoteTarget>, breaker: Breaker, malformed: Extract<FaultCode, `${string}.malformed`>) {
    this.#parts = parts
    this.#malformedCode = malformed
    this.#alias = parts.alias
    this.#wire = parts.wire
    this.#breaker = breaker
    this.#url = new URL(this.#wire.url)
    this.#base = this.#url.pathname.replace(/\/+$/, '')
    this.#options = {
      alias: this.#alias,
      allowPrivate: this.#wire.private,
      exceptions: this.#wire.exceptions ?? NO_EXCEPTIONS,
      headersTimeout: this.#parts.timeout * 1000,
    }
    this.#pool = createPool(this.#url.origin, this.#options)
    this.#secrets = createReachMask(this.#url, this.#wire.headers)
    const hideAddress = createAddressMask(this.#url)
    const hideSecrets = createResultMask(this.#wire.headers, this.#url)
    this.hide = (text: string) => hideAddress(hideSecrets?.(text) ?? text)
    this.#shared = {
      alias: this.#alias,
      origin: this.#url.origin,
      pool: this.#pool,
      ownPool: this.#ownPool,
      streams: this.#pool,
      headers: this.#wire.headers,
      timeout: this.#parts.timeout,
      breaker: this.#breaker,
      mask: this.mask,
    }
  }

  readonly mask = (text: string) => this.hide(this.#secrets(text))

  readonly #ownPool = () => createPool(this.#url.origin, this.#options)

  #headersOf({ correlationId, onBehalf, headers }: Saying): Record<string, string> {
    // Without the name of whom it is for, it would be asked for as the gateway itself.
    if (onBehalf !== undefined && !SENDABLE.test(onBehalf)) throw new Fault('behalf.unknown')
    return {
      accept: 'application/json',
      ...(correlationId === undefined ? {} : { 'x-correlation-id': correlationId }),
      ...(onBehalf === undefined ? {} : { 'x-on-behalf-of': onBehalf }),
      ...headers,
      ...traceOfScope(),
    }
  }

  #signalOf({ signal }: Saying) {
    return signal === undefined ? {} : { signal }
  }

  #malformed(problem: string) {
    return new Fault(this.#malformedCode, { connection: this.#alias, problem })
  }

  #pathOf(path: string, query: Readonly<Record<string, string>>): string {
    const search = new URLSearchParams([...this.#url.searchParams, ...Object.entries(query)]).toString()
    return `${this.#base}${path}${search === '' ? '' : `?${search}`}`
  }

  async read(path: string, query: Readonly<Record<string, string>>, saying: Saying = {}): Promise<Json> {
    const headers = this.#headersOf(saying)
    let at = this.#pathOf(path, query)
    for (let followed = 0; ; followed++) {
      const incoming = await send(
        { ...this.#shared, path: at },
        { method: 'GET', headers, until: NO_STREAM, ...this.#signalOf(saying) },
      )
      const next = followed < MOST_REDIRECTS ? this.#redirected(incoming, at) : undefined
      if (next !== undefined) {
        at = next
        continue
      }
      if (incoming.status >= 300) throw refusalOf({ alias: this.#alias, mask: this.mask }, incoming)
      const value = incoming.stream ? undefined : parseOrUndefined(this.hide(incoming.text))
      if (value === undefined) throw this.#malformed(`${path} did not return JSON`)
      return value
    }
  }

  /** Where a read goes on: at its own origin and below its own base, or nowhere. */
  #redirected(incoming: Incoming, from: string): string | undefined {
    const location = REDIRECTS.has(incoming.status) ? header(incoming, 'location') : undefined
    const to = location === undefined ? null : URL.parse(location, `${this.#url.origin}${from}`)
    if (to === null || to.host !== this.#url.host || to.username !== '' || to.password !== '') return undefined
    // A backend behind a proxy that ends TLS calls itself by http.
    if (to.protocol !== this.#url.protocol && to.protocol !== 'http:') return undefined
    return to.pathname.startsWith(`${this.#base}/`) ? to.pathname + to.search : undefined
  }

  parse(text: string): Json | undefined {
    const value = parseOrUndefined(text)
    return isShallow(value, MOST_LEVELS) ? value : undefined
  }

  async act({ method, path, query = {}, body }: Act, saying: Saying) {
    const headers = this.#headersOf(saying)
    const sent = body === undefined ? {} : { body: JSON.stringify(body) }
    const incoming = await send(
      { ...this.#shared, path: this.#pathOf(path, query) },
      { method, headers, ...sent, until: NO_STREAM, ...this.#signalOf(saying) },
    )
    if (incoming.stream) throw this.#malformed('it responded with an event stream')
    return incoming
  }

  async close(grace: number) {
    const cut = setTimeout(() => void this.#pool.destroy().catch(() => {}), grace)
    await this.#pool.close().catch(() => {})
    clearTimeout(cut)
  }
}

function parseOrUndefined(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}
