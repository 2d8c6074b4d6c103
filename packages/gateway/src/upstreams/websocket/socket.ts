/**
 * One WebSocket to a server (RFC 6455, subprotocol `mcp`) as a pipe: one message per text frame.
 *
 * It is connected through the one way out, so its address is judged like every other, and redirects are not followed. Secrets
 * go into the upgrade request and nowhere else. A peer that answers no ping is gone; one that does not read is sent no more.
 */
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { Fault } from '@toolway/contract'
import { WebSocket, type ClientOptions } from 'ws'
import { limitedBy } from '../status-refused.ts'
import { refusedAccess } from '../access-refused.ts'
import { createConnector } from '../http/agent.ts'
import { NO_EXCEPTIONS, type Exceptions } from '../http/exceptions.ts'
import { MAX_ANSWER, wordFailure } from '../http/post.ts'
import type { Pipe, PipeEventSink } from '@toolway/protocol/client'

export interface SocketParts {
  readonly alias: string
  /** Seconds for one request. */
  readonly timeout: number
  readonly url: URL
  readonly allowPrivate: boolean
  readonly exceptions?: Exceptions
  readonly headers: Readonly<Record<string, string>>
  /** Milliseconds between two looks at whether the peer is there. */
  readonly lookEvery?: number
}

const SUBPROTOCOL = 'mcp'
const HANDSHAKE = 10_000
const LOOK_EVERY = 30_000
const MOST_SILENT_LOOKS = 2
/** Bytes that may be queued for a peer that does not read; a message beyond the limit is refused, unsent. */
const MAX_WAITING_BYTES = 16 * 1024 * 1024
const CLOSE_PATIENCE = 2_000
const GOING_AWAY = 1001

export function openSocket(parts: SocketParts, eventSink: PipeEventSink, signal: AbortSignal): Promise<Pipe> {
  const { alias, url, headers, lookEvery = LOOK_EVERY } = parts
  const lost = (cause?: unknown) => new Fault('upstream.lost', { connection: alias }, { cause })
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(withoutHash(url), [SUBPROTOCOL], {
      ...optionsOf(parts),
      headers: { ...headers },
    })
    let heardAt = performance.now()
    let ended = false
    let isOpen = false
    let beat: NodeJS.Timeout | undefined

    function end(fault: Fault): void {
      if (ended) return
      ended = true
      clearInterval(beat)
      signal.removeEventListener('abort', onAbort)
      if (isOpen) eventSink.onEnd(fault)
      else reject(fault)
    }
    function drop(fault: Fault): void {
      end(fault)
      socket.terminate()
    }
    const onAbort = () => drop(new Fault('upstream.timeout', { connection: alias, seconds: parts.timeout }))
    let silentLooks = 0
    /** A pong, like any frame, counts as a sign of life. */
    const onSign = () => {
      heardAt = performance.now()
      silentLooks = 0
    }
    /** Looks are counted, not the time: a gateway that was held up itself has not heard what is waiting for it. */
    function checkPeer(): void {
      if (silentLooks++ >= MOST_SILENT_LOOKS) return drop(lost())
      if (socket.bufferedAmount < MAX_WAITING_BYTES) socket.ping()
    }

    socket.on('error', (error) => drop(isOpen ? brokenBy(alias, error) : refusedBy(parts, error)))
    socket.on('close', () => end(isOpen ? lost() : refusedBy(parts, undefined)))
    socket.on('unexpected-response', (_, response) => {
      drop(refusal(alias, response))
      response.destroy()
    })
    socket.on('pong', onSign)
    socket.on('ping', (data) => {
      onSign()
      // Answered by hand, because a peer that pings and never reads would fill our memory with pongs.
      if (socket.bufferedAmount < MAX_WAITING_BYTES) socket.pong(data)
    })
    socket.on('message', (data, isBinary) => {
      onSign()
      if (!isBinary && !ended) eventSink.onText(String(data))
    })
    socket.on('open', () => {
      signal.removeEventListener('abort', onAbort)
      isOpen = true
      beat = setInterval(checkPeer, lookEvery).unref()
      resolve({ send: (text) => send(socket, alias, text), quiet: () => performance.now() - heardAt, close })
    })
    function close(): void {
      end(lost())
      socket.close(GOING_AWAY)
      const timer = setTimeout(() => socket.terminate(), CLOSE_PATIENCE)
      socket.once('close', () => clearTimeout(timer))
    }
    signal.addEventListener('abort', onAbort, { once: true })
    if (signal.aborted) onAbort()
  })
}

function optionsOf({ alias, allowPrivate, exceptions = NO_EXCEPTIONS, url, timeout }: SocketParts): ClientOptions {
  const connect = createConnector({ alias, allowPrivate, exceptions, allowH2: false })
  const protocol = url.protocol === 'wss:' ? 'https:' : 'http:'
  const { hostname, host, port } = url
  // Node takes the connection by callback; the type that `ws` gives this is the one of a connection that is returned.
  const createConnection = ((_: unknown, taken: (error: Error | null, socket?: Duplex) => void) =>
    connect({ hostname, host, protocol, port }, (error, socket) =>
      error === null ? taken(null, socket ?? undefined) : taken(error),
    )) as unknown as NonNullable<ClientOptions['createConnection']>
  return {
    createConnection,
    followRedirects: false,
    handshakeTimeout: Math.min(HANDSHAKE, timeout * 1000),
    maxPayload: MAX_ANSWER,
    // A few bytes of it may unpack to anything.
    perMessageDeflate: false,
    autoPong: false,
  }
}

const withoutHash = (url: URL): URL => {
  const plain = new URL(url)
  plain.hash = ''
  return plain
}

function send(socket: WebSocket, alias: string, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    if (socket.readyState !== WebSocket.OPEN) return reject(new Fault('upstream.lost', { connection: alias }))
    if (socket.bufferedAmount + text.length > MAX_WAITING_BYTES)
      return reject(new Fault('upstream.busy', { connection: alias }))
    socket.send(text, (error) => {
      if (error instanceof Error) reject(new Fault('upstream.lost', { connection: alias }, { cause: error }))
      else resolve()
    })
  })
}

function refusal(alias: string, { statusCode = 0, headers }: IncomingMessage): Fault {
  if (statusCode === 429) return limitedBy(alias, headers['retry-after'])
  if (statusCode === 401 || statusCode === 403) return refusedAccess(alias, statusCode, headers['www-authenticate'])
  return new Fault('upstream.unreachable', { connection: alias, problem: `it responded with HTTP ${statusCode}` })
}

/** Before it was open nothing had been sent: it is not lost but was never reached. */
function refusedBy(parts: SocketParts, error: Error | undefined): Fault {
  const fault = wordFailure(parts, error)
  if (fault.code !== 'upstream.lost') return fault
  const problem = `it did not open a WebSocket with the subprotocol ${SUBPROTOCOL}`
  return new Fault('upstream.unreachable', { connection: parts.alias, problem }, { cause: error })
}

const TOO_LARGE = 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH'
const brokenBy = (alias: string, error: Error): Fault =>
  'code' in error && error.code === TOO_LARGE
    ? new Fault('result.too-large', { connection: alias, limit: MAX_ANSWER })
    : new Fault('upstream.lost', { connection: alias }, { cause: error })
