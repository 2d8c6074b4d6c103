/**
 * The WebSocket on which people and programs hear what happens in their organization (ledger S2-NOT-01): messages of ours go out, and
 * nothing that comes in is looked at.
 *
 * Who opens it is known by a bearer or, from a page of the gateway itself, by the cookies of a browser: a page of another origin has
 * the cookies of its visitor as well, and is refused. It ends when its opener may not look any more.
 */
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { Fault } from '@toolway/contract'
import { followEvents, type GatewayEvent } from '@toolway/contract/admin'
import { WebSocketServer, type WebSocket } from 'ws'
import type { EventFeed } from '../../features/events/index.ts'
import type { Limits } from '../../limits/limits.ts'
import { whoAsks, type CallerParts } from '../admin/admin-caller.ts'
import { placeOf, refuseBeyond, type PlaceParts } from '../../operations/authorize-operation.ts'
import type { Clients } from '../client-address.ts'
import { countUnknownEndpoint } from '../count-unknown-endpoint.ts'
import { closeCodeOf, closeReasonOf } from '../persistent/close-codes.ts'
import { refuseOthersPages } from '../sign-in/own-page.ts'
import type { OpenStreams } from '../streams/open-streams.ts'

export interface EventSocketParts extends CallerParts {
  readonly places: PlaceParts
  readonly events: Pick<EventFeed, 'follow'>
  readonly clients: Clients
  readonly limits: Pick<Limits, 'address' | 'unknown'>
  readonly open: Pick<OpenStreams, 'watch'>
  /** Aborted when the gateway drains. */
  readonly draining: AbortSignal
}

export interface EventSocket {
  /** Whether a request asks for what is opened here, now. */
  takes(request: IncomingMessage, path: string): boolean
  /** Never rejects; the connection is its own from here on. */
  enter(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void>
}

const PATH = '/api/v1/ws'
/** Milliseconds: between two questions whether the peer lives; what it has to agree to the end. */
const TIMES = { ping: 30_000, farewell: 5_000 }
/** Bytes of a frame that comes in, which nobody reads. */
const MOST_HEARD = 1_024
/** Frames between two questions: more of them are noise. */
const MOST_FRAMES = 100
/** Bytes that may wait for a slow reader. */
const MOST_UNREAD = 256 * 1024
const ignore = () => undefined

export function createEventSocket(parts: EventSocketParts, times = TIMES): EventSocket {
  const { places, events, clients, limits, open, draining } = parts
  const server = new WebSocketServer(optionsOf(times.farewell))

  /** Returns the principal and the organization of a request. Throws the fault with which it is refused. */
  async function stand(request: IncomingMessage) {
    const { authorization, cookie } = request.headers
    if (authorization === undefined && cookie !== undefined) refuseOthersPages(request, parts.publicUrl())
    const principal = await whoAsks(parts, { method: 'GET', authorization, cookie, csrf: undefined })
    refuseBeyond(principal, followEvents)
    const { organization } = placeOf(places, principal, followEvents.needs, {})
    if (organization === undefined) throw new Fault('place.unknown')
    return { principal, organizationId: organization.id }
  }

  async function acceptUpgrade(request: IncomingMessage, raw: Duplex, head: Buffer): Promise<void> {
    raw.on('error', ignore)
    const refusal = await welcome(request).catch((thrown: unknown) => countUnknownEndpoint(thrown, limits))
    let socket: WebSocket | undefined
    server.handleUpgrade(request, raw, head, (made) => (socket = made))
    socket?.on('error', ignore)
    if (socket === undefined) return
    if (refusal instanceof Fault) return close(socket, refusal)
    try {
      serve(socket, request, refusal)
    } catch (thrown) {
      close(socket, Fault.of(thrown))
    }
  }

  async function welcome(request: IncomingMessage) {
    await limits.address(clients.of(request).network)
    const requestContext = await stand(request)
    if (draining.aborted) throw new Fault('gateway.draining')
    return requestContext
  }

  function serve(socket: WebSocket, request: IncomingMessage, requestContext: Awaited<ReturnType<typeof stand>>): void {
    const leave = events.follow({ ...requestContext, hear: (event) => send(socket, event) })
    const release = open.watch(
      async () => {
        const { organizationId } = await stand(request)
        if (organizationId !== requestContext.organizationId) throw new Fault('place.unknown')
      },
      (fault) => close(socket, fault),
      requestContext.organizationId,
    )
    const drain = () => close(socket, new Fault('gateway.draining'))
    draining.addEventListener('abort', drain)
    const stopWatching = watch(socket, times.ping)
    socket.once('close', () => {
      stopWatching()
      release()
      leave()
      draining.removeEventListener('abort', drain)
    })
  }

  return {
    takes: ({ method, headers }, path) =>
      path === PATH && method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket' && !draining.aborted,
    enter: acceptUpgrade,
  }
}

/** Ends a socket whose peer does not answer, or sends noise. */
function watch(socket: WebSocket, ping: number): () => void {
  let lives = true
  let frames = 0
  for (const sign of ['pong', 'ping', 'message']) socket.on(sign, () => (lives = true))
  for (const sign of ['ping', 'message'])
    socket.on(sign, () => {
      if (++frames > MOST_FRAMES) socket.terminate()
    })
  const beat = setInterval(() => {
    if (!lives) return socket.terminate()
    lives = false
    frames = 0
    socket.ping()
  }, ping)
  beat.unref()
  return () => clearInterval(beat)
}

const optionsOf = (closeTimeout: number) => ({
  noServer: true,
  clientTracking: false,
  perMessageDeflate: false,
  maxPayload: MOST_HEARD,
  closeTimeout,
})

const close = (socket: WebSocket, fault: Fault): void => socket.close(closeCodeOf(fault), closeReasonOf(fault))

/**
 * Sends an event. A socket whose client does not read is terminated; the client fetches the current state and opens another one.
 */
function send(socket: WebSocket, event: GatewayEvent): void {
  if (socket.readyState !== socket.OPEN) return
  if (socket.bufferedAmount > MOST_UNREAD) return socket.terminate()
  socket.send(JSON.stringify(event))
}
