/**
 * One HTTP exchange with an upstream: a body goes out, one JSON text or a stream of messages comes back.
 *
 * It knows how an upstream fails (refused, cut off, silent, too large, not JSON) and says so as a fault; it knows nothing of
 * methods, sessions or eras, and it never sends anything twice. It hears the answer by undici's own handler, because a
 * readable stream for every small answer costs as much as the rest of the exchange.
 */
import type { IncomingHttpHeaders } from 'node:http'
import { Fault } from '@toolway/contract'
import { isRequest, isResponse, type Id, type Message, type Notification, type Response } from '@toolway/protocol'
import {
  isSameId,
  isStreamType,
  malformedUpstream,
  readEvent,
  tokenOf,
  type Incoming,
  type Outgoing,
  type Transport,
} from '@toolway/protocol/client'
import { createParser, type EventSourceParser } from 'eventsource-parser'
import type { Dispatcher, Pool } from 'undici'
import type { Breaker } from '../breaker.ts'
import { ExchangeDeadline } from './exchange-deadline.ts'
import { codingsOf } from './content-coding.ts'
import { ResponseCoding } from './response-coding.ts'
import { beginHttpSpan } from './http-span.ts'
import { MOST_HOPS, redirectedPath } from './redirect.ts'
import { refusalOf } from './refusal.ts'

/** The largest answer, or event of a stream, that is taken in; beyond it the exchange ends, so that memory stays bounded. */
export const MAX_ANSWER = 32 * 1024 * 1024

export interface Wire {
  readonly alias: string
  /** Of the server, for spans. */
  readonly origin: string
  readonly pool: Pool
  /** A pool of its own: for a stream that is a session, and for what is said once `pool` takes nothing. Its owner ends it. */
  ownPool(): Pool
  /** For streams that stay open: they must not take the places of calls. */
  readonly streams: Pool
  readonly path: string
  /** Headers of every request: the connection's own ones. */
  readonly headers: Readonly<Record<string, string>>
  /** Seconds, for the sentence of a timeout. */
  readonly timeout: number
  /** Told how each request ended. */
  readonly breaker: Breaker
  /** Redirects to the same origin that keep the method are followed. */
  readonly follows?: boolean
  /** Told of what was passed over in a stream because it is no message. */
  onOdd?(problem: string): void
  /** Text without the connection's secrets: servers repeat what they were sent, in their errors above all. */
  mask(text: string): string
  /** The same for all that it says: only what is surely a secret. */
  readonly hide?: ((text: string) => string) | undefined
}

/** A wire as the transport of an MCP client. */
export interface HttpTransport extends Wire, Transport {}

export const transportOf = (wire: Wire): HttpTransport => ({
  ...wire,
  send: (outgoing) => send(wire, outgoing),
  sendLast: (outgoing) => sendLast(wire, outgoing),
  refusal: (incoming) => refusalOf(wire, incoming),
})

/** A session is ended at its server also when the pool of the calls has ended. */
async function sendLast(wire: Wire, outgoing: Outgoing): Promise<void> {
  const ended = wire.pool.closed || wire.pool.destroyed
  const pool = ended ? wire.ownPool() : wire.pool
  await send({ ...wire, pool }, outgoing).catch(() => {})
  if (ended) await pool.destroy()
}

export interface Exchange extends Omit<Outgoing, 'method'> {
  /** A backend that is not MCP may take more methods. */
  readonly method: Outgoing['method'] | 'PUT' | 'PATCH'
  /** Takes a stream as it comes, instead of its messages; the bounds are the taker's then. */
  onData?(chunk: Buffer): void
}

/** Time in seconds for which the rest of a response is read after the answer, so that the connection can be reused. */
const LINGER = 1

const ACCEPT = 'application/json, text/event-stream'

/**
 * Resolves with the answer, or rejects with a Fault; the deadline counts from now, waiting for a connection included. A request with a
 * trace context has a span of its own, where traces are recorded.
 */
export function send(wire: Wire, outgoing: Exchange): Promise<Incoming> {
  if (outgoing.headers?.['traceparent'] === undefined) return exchange(wire, outgoing)
  const span = beginHttpSpan(outgoing.method, wire.origin, wire.path)
  if (span === undefined) return exchange(wire, outgoing)
  const headers = { ...outgoing.headers, traceparent: span.traceparent }
  return exchange(wire, { ...outgoing, headers }).then(
    (incoming) => {
      span.end(incoming.status)
      return incoming
    },
    (thrown: unknown) => {
      span.end(undefined, thrown)
      throw thrown
    },
  )
}

function exchange(wire: Wire, outgoing: Exchange, hops = MOST_HOPS): Promise<Incoming> {
  const { method, headers, body, patient = false } = outgoing
  const pool = patient ? wire.streams : wire.pool
  return new Promise((resolve, reject) => {
    const sink = createEventSink(wire, outgoing, { resolve, reject, hops })
    const options: Dispatcher.DispatchOptions = {
      path: wire.path,
      method,
      headers: {
        // Without it, a server may compress with anything (RFC 9110, section 12.5.3).
        'accept-encoding': 'identity',
        ...wire.headers,
        accept: ACCEPT,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body }),
      // The caller of a long-lived stream has timeouts of its own; a server may delay even the response headers.
      ...(patient ? { bodyTimeout: 0, headersTimeout: 0 } : {}),
    }
    try {
      pool.dispatch(options, sink)
    } catch (thrown) {
      sink.onResponseError(undefined, thrown)
    }
  })
}

/** Creates the event sink of one exchange. It settles once; messages after the awaited response are read for a short time. */
const createEventSink = (wire: Wire, parts: Exchange, end: ExchangeEnd) => new ResponseEventSink(wire, parts, end)

interface ExchangeEnd {
  resolve(incoming: Incoming | Promise<Incoming>): void
  reject(fault: Fault): void
  /** Redirects that may still be followed. */
  readonly hops: number
}

class ResponseEventSink {
  readonly #exchangeEnd: ExchangeEnd
  readonly #parts: Exchange
  readonly #wire: Wire
  readonly #patient
  readonly #signal
  readonly #deadline
  readonly #chunks: Buffer[] = []
  readonly #turn
  /** Streams that stay open and notices that nobody waits for say nothing of how calls fare. */
  readonly #counts
  #exchange: Dispatcher.DispatchController | undefined
  #status = 0
  #headers: IncomingHttpHeaders = {}
  #stream: Stream | undefined
  #size = 0
  #response: Response | undefined
  readonly #coding = new ResponseCoding()
  /** Why we ended it ourselves, before or while it ran. */
  #ended: Fault | undefined
  #over = false

  constructor(wire: Wire, parts: Exchange, end: ExchangeEnd) {
    this.#wire = wire
    this.#parts = parts
    this.#signal = parts.signal
    const { patient = false, seconds = wire.timeout } = parts
    this.#patient = patient
    this.#deadline = new ExchangeDeadline({ seconds, usual: wire.timeout }, (late) =>
      this.#end(new Fault('upstream.timeout', { connection: wire.alias, seconds: late })),
    )
    this.#exchangeEnd = end
    this.#turn = this.#wire.breaker.turn
    this.#counts = this.#parts.until !== undefined && !this.#patient
    if (!this.#patient) this.#deadline.set(seconds)
    this.#parts.onDeadline?.(this.#extend)
    if (this.#signal?.aborted === true) this.#onAbort()
    else this.#signal?.addEventListener('abort', this.#onAbort, { once: true })
  }

  #fail(fault: Fault): void {
    if (this.#counts && this.#response === undefined) this.#wire.breaker.failed(this.#turn, fault)
    this.#exchangeEnd.reject(fault)
  }

  readonly #end = (fault: Fault): void => {
    this.#ended ??= fault
    this.#finish()
    this.#coding.destroy()
    this.#fail(fault)
    this.#exchange?.abort(fault)
  }

  readonly #onAbort = () => this.#end(faultOfAbort(this.#wire, this.#signal?.reason))

  #finish(): void {
    this.#over = true
    this.#deadline.clear()
    this.#signal?.removeEventListener('abort', this.#onAbort)
  }

  #settle(text: string) {
    const { lastEventId, retry, odd } = this.#stream ?? NO_STREAM
    if (this.#counts) this.#wire.breaker.answered(this.#turn, this.#status)
    const followed = this.#status >= 300 && this.#status < 400 ? this.#follow() : undefined
    if (followed !== undefined) return this.#exchangeEnd.resolve(followed)
    this.#exchangeEnd.resolve({
      status: this.#status,
      headers: this.#headers,
      stream: this.#stream !== undefined,
      text,
      response: this.#response,
      lastEventId,
      retry,
      odd,
    })
  }

  #follow(): Promise<Incoming> | undefined {
    const { hops } = this.#exchangeEnd
    const location = this.#headers.location
    if (this.#wire.follows !== true || hops === 0) return undefined
    const path = redirectedPath(this.#wire, this.#parts.method, this.#status, location)
    if (path === undefined) return undefined
    const seconds = this.#deadline.left
    return exchange({ ...this.#wire, path }, { ...this.#parts, seconds }, hops - 1)
  }

  #tooLarge() {
    return this.#end(new Fault('result.too-large', { connection: this.#wire.alias, limit: MAX_ANSWER }))
  }

  /** While a person thinks about a question, the server is not late. */
  readonly #extend = (): void => {
    if (this.#isTimed) this.#deadline.extend()
  }

  /** It has a limit, and waits for its answer. */
  get #isTimed(): boolean {
    return !this.#patient && !this.#over && this.#response === undefined
  }

  /** A server that reports progress of this request is not late, up to a limit. */
  #prolong({ params }: Pick<Notification, 'params'>): void {
    const { until } = this.#parts
    if (!this.#isTimed || until === undefined || params?.['progressToken'] !== tokenOf(until)) return
    this.#deadline.prolong(params['progress'])
  }

  readonly #hear = (message: Message): void => {
    if (
      this.#parts.until !== undefined &&
      this.#response === undefined &&
      isResponse(message) &&
      (isSameId(message.id, this.#parts.until) || message.id === undefined)
    ) {
      this.#response = message
      this.#settle('')
      this.#deadline.set(LINGER)
    } else {
      // A server whose questions nobody takes has no more time for asking them.
      if (isRequest(message) && this.#parts.onDeadline !== undefined) this.#extend()
      else if ('method' in message && message.method === 'notifications/progress') this.#prolong(message)
      this.#parts.onMessage?.(message)
    }
  }

  onRequestStart(controller: Dispatcher.DispatchController) {
    this.#exchange = controller
    if (this.#ended !== undefined) controller.abort(this.#ended)
  }

  onResponseStart(_: unknown, code: number, headers: IncomingHttpHeaders) {
    // Interim responses say nothing about the final one (RFC 9110, section 15.2).
    if (code < 200) return
    this.#status = code
    this.#headers = headers
    if (isStreamType(headers['content-type'])) this.#stream = createStream(this.#wire, this.#parts.until, this.#hear)
    if (headers['content-encoding'] !== undefined) this.#decode(headers['content-encoding'])
    this.#parts.onHead?.(code)
  }

  #decode(contentEncoding: string): void {
    const fail = (thrown: unknown) => this.#end(wordFailure(this.#wire, thrown))
    const problem = this.#coding.begin(codingsOf(contentEncoding), this.#status, {
      onData: (chunk) => {
        if (this.#over && this.#response === undefined) return
        try {
          this.#take(chunk)
        } catch (thrown) {
          fail(thrown)
        }
      },
      onEnd: () => this.#complete(),
      onError: (wrong) => {
        if (!this.#over) this.#end(malformedUpstream(this.#wire.alias, wrong))
      },
    })
    if (problem !== undefined) this.#end(malformedUpstream(this.#wire.alias, problem))
  }

  onResponseData(_: unknown, chunk: Buffer) {
    if (!this.#coding.write(chunk)) return this.#take(chunk)
    if (this.#coding.waiting > MAX_ANSWER) this.#tooLarge()
  }

  #take(chunk: Buffer): void {
    if (this.#stream !== undefined) {
      if (this.#parts.onData !== undefined) this.#parts.onData(chunk)
      else if (this.#stream.feed(chunk) > MAX_ANSWER) this.#tooLarge()
      return
    }
    this.#size += chunk.length
    if (this.#size > MAX_ANSWER) this.#tooLarge()
    else this.#chunks.push(chunk)
  }

  onResponseEnd() {
    if (!this.#coding.end()) this.#complete()
  }

  #complete(): void {
    try {
      if (this.#parts.onData === undefined) this.#stream?.end()
    } catch (thrown) {
      return this.#end(wordFailure(this.#wire, thrown))
    }
    this.#finish()
    // Settled before, when the stream brought what was waited for.
    if (this.#response === undefined && this.#ended === undefined)
      this.#settle(textOf(this.#chunks, this.#headers['content-type']))
  }

  onResponseError(_: unknown, error: unknown) {
    this.#finish()
    this.#coding.destroy()
    if (this.#ended === undefined) this.#fail(wordFailure(this.#wire, error))
  }
}

/** An abort of ours says why; a time limit of ours is the upstream's silence, not the client's wish. */
function faultOfAbort(wire: Wire, reason: unknown): Fault {
  if (reason instanceof Fault) return reason
  const isTimeout = reason instanceof Error && reason.name === 'TimeoutError'
  return isTimeout
    ? new Fault('upstream.timeout', { connection: wire.alias, seconds: wire.timeout })
    : new Fault('call.cancelled')
}

interface Stream {
  /** Bytes since the last whole event. Throws what the hearing throws. */
  feed(chunk: Buffer): number
  /** It is complete: a last event without its blank line is heard. */
  end(): void
  readonly lastEventId: string | undefined
  readonly retry: number | undefined
  /** Why the first event that was passed over is no message. */
  readonly odd: string | undefined
}
const NO_STREAM = { lastEventId: undefined, retry: undefined, odd: undefined }

function createStream(wire: Wire, until: Id | undefined, onMessage: (message: Message) => void): Stream {
  let lastEventId: string | undefined
  let retry: number | undefined
  let odd: string | undefined
  let pending = 0
  let isOver = false
  const passOver = (problem: string) => {
    // The last event of a stream that was cut off is no oddity.
    if (isOver) return
    odd ??= problem
    wire.onOdd?.(problem)
  }
  const decoder = new TextDecoder()
  const parser: EventSourceParser = createParser({
    onEvent({ event = 'message', data, id }) {
      pending = 0
      if (!isOver) lastEventId = id ?? lastEventId
      if (data === '') return
      // Heartbeats and other events of a server's own: no client hears them (HTML, section 9.2.6).
      if (event !== 'message') wire.onOdd?.(`it is named ${event.slice(0, MOST_NAME_CHARACTERS)}`)
      // A broken event at the end was cut off, and its answer is lost.
      else for (const message of readEvent(wire, data, isOver ? undefined : until, passOver)) onMessage(message)
    },
    onRetry: (milliseconds) => void (retry = milliseconds),
  })
  return {
    feed(chunk) {
      pending += chunk.length
      parser.feed(decoder.decode(chunk, { stream: true }))
      return pending
    },
    end() {
      isOver = true
      parser.feed(`${decoder.decode()}\n\n`)
    },
    get lastEventId() {
      return lastEventId
    },
    get retry() {
      return retry
    },
    get odd() {
      return odd
    },
  }
}

/** Characters of the name of an event in the log. */
const MOST_NAME_CHARACTERS = 40
const CHARSET = /;\s*charset\s*=\s*"?([^\s";]+)/i
const BOM = '\uFEFF'

/** JSON is UTF-8 (RFC 8259, section 8.1), and read in another coding only if its server names one. */
function textOf(chunks: readonly Buffer[], type: string | undefined): string {
  const bytes = chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)
  const charset = type === undefined ? undefined : CHARSET.exec(type)?.[1]?.toLowerCase()
  if (charset !== undefined && charset !== 'utf-8' && charset !== 'utf8') {
    try {
      return new TextDecoder(charset).decode(bytes)
    } catch {
      // A coding that nobody knows.
    }
  }
  const text = String(bytes)
  return text.startsWith(BOM) ? text.slice(1) : text
}

const codeOf = (thrown: unknown): string =>
  typeof thrown === 'object' && thrown !== null && 'code' in thrown && typeof thrown.code === 'string'
    ? thrown.code
    : ''

const UNSENT: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing is listening there',
  ENOTFOUND: 'its name does not resolve',
  EAI_AGAIN: 'its name cannot be resolved at the moment',
  EHOSTUNREACH: 'it cannot be reached',
  ENETUNREACH: 'it cannot be reached',
  UND_ERR_CONNECT_TIMEOUT: 'it does not accept connections',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate cannot be verified',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
}
const SILENT = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT'])

/** Converts a transport failure to a fault. */
export function wordFailure(wire: Pick<Wire, 'alias' | 'timeout'>, thrown: unknown): Fault {
  if (thrown instanceof Fault) return thrown
  if (thrown instanceof Error && thrown.cause instanceof Fault) return thrown.cause
  const code = codeOf(thrown)
  const extra = { cause: thrown }
  if (SILENT.has(code)) return new Fault('upstream.timeout', { connection: wire.alias, seconds: wire.timeout }, extra)
  const problem = UNSENT[code]
  if (problem !== undefined) return new Fault('upstream.unreachable', { connection: wire.alias, problem }, extra)
  return new Fault('upstream.lost', { connection: wire.alias }, extra)
}
