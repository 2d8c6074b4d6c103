/**
 * The HTTP+SSE pair of revision 2024-11-05: a stream (GET) that names an address, and messages that are posted there.
 *
 * The address must lie at the connection's own origin: whoever answers the stream must not choose who else gets its credential
 * (or make the gateway call a third party). The stream is the session: when it ends, all is over, and nothing is fetched again.
 */
import { Fault } from '@toolway/contract'
import { SessionLost, withLossSign, type Pipe, type PipeEventSink } from '@toolway/protocol/client'
import { createParser } from 'eventsource-parser'
import { MAX_ANSWER, send, type Wire } from './post.ts'
import { traceOfScope } from '../../lib/span-scope.ts'
import { refusalOf } from './refusal.ts'

export interface SsePair extends Pipe {
  /** Headers of every message from now on. */
  readonly headers: Record<string, string>
}

/** There is no event stream at the address. */
export class NoEventStream extends Error {}

/** How long the address may stay unnamed, in milliseconds; a server says it first. */
const ENDPOINT_PATIENCE_MS = 10_000
const LONGEST_ADDRESS = 8_192

export async function openSsePair(
  wire: Wire,
  url: URL,
  eventSink: PipeEventSink,
  signal: AbortSignal,
): Promise<SsePair> {
  const pool = wire.ownPool()
  const life = new AbortController()
  const named = Promise.withResolvers<string>()
  const headers: Record<string, string> = {}
  let endpoint: string | undefined
  let heardAt = performance.now()
  let ended = false

  function end(fault: Fault): void {
    if (ended) return
    ended = true
    life.abort(fault)
    void pool.destroy().catch(() => {})
    named.reject(fault)
    if (endpoint !== undefined) eventSink.onEnd(fault)
  }
  const feed = createFeed((event, data) => {
    if (ended) return
    if (event !== 'endpoint') {
      const isMessage = event === undefined || event === 'message'
      if (!isMessage) wire.onOdd?.('it has a name that is not "message"')
      return void (isMessage && endpoint !== undefined && data !== '' && eventSink.onText(data))
    }
    // Said once: a session does not move.
    if (endpoint !== undefined) return
    const address = addressAt(url, data)
    if (address === undefined) return end(malformedServer(wire, 'it refers to an endpoint at another origin'))
    endpoint = address
    named.resolve(address)
  })
  send(
    { ...wire, streams: pool },
    {
      method: 'GET',
      headers: { accept: 'text/event-stream' },
      patient: true,
      signal: life.signal,
      onData(chunk) {
        heardAt = performance.now()
        if (feed(chunk) > MAX_ANSWER) end(new Fault('result.too-large', { connection: wire.alias, limit: MAX_ANSWER }))
      },
    },
  ).then(
    (incoming) => {
      feed(END)
      const { stream, status } = incoming
      if (!stream || status >= 300) named.reject(isAbsence(status) ? new NoEventStream() : refusalOf(wire, incoming))
      end(new Fault('upstream.lost', { connection: wire.alias }))
    },
    (thrown: unknown) => end(Fault.of(thrown)),
  )

  const endSilent = () => end(malformedServer(wire, 'it does not announce an endpoint on its event stream'))
  const timer = setTimeout(endSilent, ENDPOINT_PATIENCE_MS)
  signal.addEventListener('abort', endSilent, { once: true })
  if (signal.aborted) endSilent()
  const path = await named.promise.finally(() => {
    clearTimeout(timer)
    signal.removeEventListener('abort', endSilent)
  })
  return {
    headers,
    send: (text) =>
      ended
        ? Promise.reject(new Fault('upstream.lost', { connection: wire.alias }))
        : post({ ...wire, path }, headers, text),
    quiet: () => performance.now() - heardAt,
    close: () => end(new Fault('upstream.lost', { connection: wire.alias })),
  }
}

/** Ends a last event without its blank line. */
const END = Buffer.from('\n\n')

/** Takes bytes of an event stream, gives events; returns how many bytes have come since the last whole event. */
function createFeed(onEvent: (event: string | undefined, data: string) => void): (chunk: Buffer) => number {
  let pending = 0
  const decoder = new TextDecoder()
  const parser = createParser({
    onEvent({ event, data }) {
      pending = 0
      onEvent(event, data)
    },
    onComment() {
      pending = 0
    },
  })
  return (chunk) => {
    pending += chunk.length
    parser.feed(decoder.decode(chunk, { stream: true }))
    return pending
  }
}

/** Path and query of the address that was named, if it is one and lies where the connection does. */
function addressAt(own: URL, data: string): string | undefined {
  const named = data.length > LONGEST_ADDRESS ? null : URL.parse(data, own.href)
  return named?.origin === own.origin ? named.pathname + named.search : undefined
}

const malformedServer = (wire: Wire, problem: string) =>
  new Fault('upstream.malformed', { connection: wire.alias, problem })

/** The message is taken when the server says so; its answer comes on the stream. */
async function post(at: Wire, headers: Record<string, string>, body: string): Promise<void> {
  const traced = { ...headers, ...traceOfScope() }
  const incoming = await send(at, { method: 'POST', headers: traced, body }).catch((thrown: unknown) => {
    // Some servers answer the POST only once they have done the work: the request's own deadline is the one that counts.
    if (thrown instanceof Fault && thrown.code === 'upstream.timeout') return undefined
    throw thrown
  })
  if (incoming === undefined || incoming.status < 300) return
  if (incoming.status === 404) throw new SessionLost()
  throw withLossSign(refusalOf(at, incoming), incoming)
}

/** A page, or a refusal of the very method; what a credential or a moment may change says nothing about the transport. */
const isAbsence = (status: number): boolean =>
  status < 300 || (status >= 400 && status < 500 && status !== 401 && status !== 403 && status !== 429)
