/**
 * WebSocket (RFC 6455) at the address of an MCP endpoint: one message in each text frame, in both eras. MCP leaves this
 * transport to those who offer it (specification, transports: custom transports), so `docs/guides/transports.md` says what ours is.
 *
 * Whoever may not stand there is let in only to be told so by a close code, because a browser shows no other answer. A socket's
 * frames are bounded, its peer must show that it lives, and every message is admitted anew.
 */
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { Fault } from '@toolway/contract'
import { WebSocketServer, type WebSocket } from 'ws'
import type { Admit } from '../../call/admit.ts'
import type { ReadPassThroughToken } from '../../call/callers/pass-through-token.ts'
import type { Inbound, EndpointPath } from '../../snapshot/ports/endpoint.ts'
import type { RequestContext } from '../../snapshot/ports/request-context.ts'
import type { Limits } from '../../limits/limits.ts'
import type { Client, Clients } from '../client-address.ts'
import { countUnknownEndpoint } from '../count-unknown-endpoint.ts'
import type { ConnectionRegistry } from './connection-registry.ts'
import { createSocketMessages, type OpenSocket } from './socket-messages.ts'
import { createChannel, type ChannelParts, type Wire } from './channel.ts'
import { closeCodeOf, closeReasonOf } from './close-codes.ts'
import { isRefusal, type OpenStreams } from '../streams/open-streams.ts'
import { PASS_THROUGH_HEADER, correlationOf, clientOriginOf, onBehalfIn } from '../request-head.ts'

export interface WebSocketDoorParts extends ChannelParts {
  readonly admit: Admit
  readonly readPassThroughToken: ReadPassThroughToken
  readonly clients: Clients
  readonly limits: Pick<Limits, 'address' | 'unknown'>
  readonly open: OpenStreams
  readonly streamQuota: ConnectionRegistry
  /** Bytes that a message may have. */
  readonly bodyLimit: number
}

export interface WebSocketDoor {
  /** Whether a request asks for what is opened here, now. */
  takes(request: IncomingMessage): boolean
  /** Never rejects; the connection is the door's from here on. */
  enter(request: IncomingMessage, socket: Duplex, head: Buffer, endpoint: EndpointPath): Promise<void>
}

export interface SocketTimes {
  /** Between two questions whether the peer lives. One that has not answered by the next is gone. Milliseconds. */
  readonly ping: number
  /** Time for the peer to complete the closing handshake. Milliseconds. */
  readonly farewell: number
}

const TIMES: SocketTimes = { ping: 30_000, farewell: 5_000 }
const SUBPROTOCOL = 'mcp'
/** Bytes that may wait for a slow reader. */
const MOST_UNREAD = 16 * 1024 * 1024
const ignore = () => undefined

/** Somebody who is let in. */
interface Welcomed {
  readonly requestContext: RequestContext
  /** The pass-through token for its calls, until another one is given. */
  readonly passThroughToken: string | undefined
  leave(): void
}

export const createWebSocketDoor = (parts: WebSocketDoorParts, times: SocketTimes = TIMES): WebSocketDoor =>
  new WebSocketHandler(parts, times)

class WebSocketHandler implements WebSocketDoor {
  readonly #times: SocketTimes
  readonly #parts: WebSocketDoorParts
  readonly #admit
  readonly #limits
  readonly #server

  constructor(parts: WebSocketDoorParts, times: SocketTimes = TIMES) {
    this.#parts = parts
    this.#times = times
    this.#admit = parts.admit
    this.#limits = parts.limits
    this.#server = new WebSocketServer(optionsOf(this.#parts.bodyLimit, this.#times))
  }

  /** Somebody who is let in, or a fault that says why not. */
  async #welcome(inbound: Inbound, { network }: Client, token: unknown): Promise<Welcomed | Fault> {
    try {
      await this.#limits.address(network)
      const requestContext = await this.#admit(inbound)
      // It may have begun to end meanwhile, and would not tell anybody who came later.
      if (this.#parts.draining.aborted) throw new Fault('gateway.draining')
      const passThroughToken = this.#parts.readPassThroughToken(token, inbound.authorization)
      const leave = this.#parts.streamQuota.take(requestContext.principal.id, requestContext.organizationId)
      return { requestContext, passThroughToken, leave }
    } catch (thrown) {
      return countUnknownEndpoint(thrown, this.#limits)
    }
  }

  async enter(request: IncomingMessage, raw: Duplex, head: Buffer, endpoint: EndpointPath): Promise<void> {
    const from = clientOriginOf(request, this.#parts.clients)
    const audit = this.#parts.auditLog.begin(0, correlationOf(request), from)
    audit.note({ method: 'socket' })
    raw.on('error', ignore)
    const inbound = { place: endpoint, authorization: request.headers.authorization, onBehalfOf: onBehalfIn(request) }
    const client = this.#parts.clients.of(request)
    const welcomed = await this.#welcome(inbound, client, request.headers[PASS_THROUGH_HEADER])
    const socket = this.#shake(request, raw, head)
    if (welcomed instanceof Fault) {
      audit.fail(welcomed)
      socket?.close(closeCodeOf(welcomed), closeReasonOf(welcomed))
    } else {
      audit.note({ requestContext: welcomed.requestContext })
      if (socket === undefined) welcomed.leave()
      else this.#serve(socket, inbound, { client, from }, welcomed)
    }
    audit.close()
  }

  /** The handshake; undefined where the client's half of it is wrong, which is answered, or where it has left. */
  #shake(request: IncomingMessage, raw: Duplex, head: Buffer): WebSocket | undefined {
    let socket: WebSocket | undefined
    this.#server.handleUpgrade(request, raw, head, (made) => (socket = made))
    // A socket error is followed by `close`, which is handled where it matters.
    socket?.on('error', ignore)
    return socket
  }

  #serve(
    socket: WebSocket,
    inbound: Inbound,
    { client, from }: Pick<OpenSocket, 'client' | 'from'>,
    { requestContext, passThroughToken, leave }: Welcomed,
  ) {
    const evaluate = (token: unknown) => this.#parts.readPassThroughToken(token, inbound.authorization)
    const channel = createChannel(this.#parts, {
      ...createWire(socket),
      passThrough: { first: passThroughToken, evaluate },
    })
    const { owner, organizationId } = requestContext
    const openSocket: OpenSocket = { socket, inbound, client, from, owner, organizationId, channel }
    const release = this.#parts.open.register(inbound, (fault) => channel.close(fault), organizationId)
    const stopWatching = this.#watch(openSocket)
    const end = () => {
      stopWatching()
      release()
      channel.end()
      leave()
    }
    socket.once('close', end)
    socket.on('message', createSocketMessages(this.#parts, openSocket))
  }

  /** Whether the peer lives, and may still stand there: an endpoint may go without any key having changed. */
  #watch(openSocket: OpenSocket): () => void {
    const { socket, inbound, owner, channel } = openSocket
    let lives = true
    for (const sign of ['pong', 'ping', 'message']) socket.on(sign, () => (lives = true))
    const beat = setInterval(() => {
      // While nothing is read, its answers are not heard either.
      if (!lives && !socket.isPaused) return socket.terminate()
      lives = false
      socket.ping()
      this.#stand(inbound, owner).catch((thrown: unknown) => {
        const fault = Fault.of(thrown)
        if (isRefusal(fault)) channel.close(fault)
      })
    }, this.#times.ping)
    beat.unref()
    return () => clearInterval(beat)
  }

  async #stand(inbound: Inbound, owner: string): Promise<RequestContext> {
    const requestContext = await this.#admit(inbound)
    if (requestContext.owner !== owner) throw new Fault('place.unknown')
    return requestContext
  }

  takes({ method, headers }: IncomingMessage) {
    return method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket' && !this.#parts.draining.aborted
  }
}

const optionsOf = (maxPayload: number, { farewell }: SocketTimes) => ({
  noServer: true,
  clientTracking: false,
  // Compression costs memory for each socket, and what it saves tells secrets apart by their length.
  perMessageDeflate: false,
  maxPayload,
  closeTimeout: farewell,
  handleProtocols: (offered: Set<string>) => (offered.has(SUBPROTOCOL) ? SUBPROTOCOL : (false as const)),
})

function createWire(socket: WebSocket): Wire {
  return {
    modern: true,
    header: ignore,
    send(text) {
      if (socket.readyState !== socket.OPEN) return false
      if (socket.bufferedAmount > MOST_UNREAD) {
        socket.terminate()
        return false
      }
      socket.send(text)
      return true
    },
    close: (reason) => socket.close(closeCodeOf(reason), closeReasonOf(reason)),
  }
}
