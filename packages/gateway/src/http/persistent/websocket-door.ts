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
import { idOf, isRequest, parseJson, readMessage, type Id, type Json } from '@toolway/protocol'
import { WebSocketServer, type WebSocket } from 'ws'
import type { Admit } from '../../call/admit.ts'
import type { ReadPassThroughToken } from '../../call/callers/pass-through-token.ts'
import type { Inbound, EndpointPath } from '../../snapshot/ports/endpoint.ts'
import type { RequestContext } from '../../snapshot/ports/request-context.ts'
import type { From } from '../../call/audit-facts.ts'
import type { CallPlace } from '../../limits/call-intake.ts'
import type { Limits } from '../../limits/limits.ts'
import type { Client, Clients } from '../client-address.ts'
import { countUnknown } from '../count-unknown.ts'
import type { ConnectionRegistry } from './connection-registry.ts'
import { createChannel, readIncoming, type Channel, type ChannelParts, type Incoming, type Wire } from './channel.ts'
import { closeCodeOf, closeReasonOf } from './close-codes.ts'
import { isRefusal, type OpenStreams } from '../streams/open-streams.ts'
import { PASS_THROUGH_HEADER, correlationOf, fromOf, onBehalfIn } from '../request-head.ts'

export interface WebSocketDoorParts extends ChannelParts {
  readonly admit: Admit
  readonly brought: ReadPassThroughToken
  readonly clients: Clients
  readonly limits: Pick<Limits, 'address' | 'unknown'>
  readonly open: OpenStreams
  readonly room: ConnectionRegistry
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
  readonly brought: string | undefined
  leave(): void
}

/** One socket and what is known of it. */
interface Visit {
  readonly socket: WebSocket
  readonly inbound: Inbound
  readonly client: Client
  readonly from: From
  /** As it was when the socket was opened. */
  readonly owner: string
  readonly organizationId: string
  readonly channel: Channel
}

/** A message that was taken in, and who sent it. */
interface Entered {
  readonly requestContext: RequestContext
  readonly place: CallPlace | undefined
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
      const brought = this.#parts.brought(token, inbound.authorization)
      const leave = this.#parts.room.take(requestContext.principal.id, requestContext.organizationId)
      return { requestContext, brought, leave }
    } catch (thrown) {
      return countUnknown(thrown, this.#limits)
    }
  }

  async enter(request: IncomingMessage, raw: Duplex, head: Buffer, endpoint: EndpointPath): Promise<void> {
    const from = fromOf(request, this.#parts.clients)
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
    { client, from }: Pick<Visit, 'client' | 'from'>,
    { requestContext, brought, leave }: Welcomed,
  ) {
    const evaluate = (token: unknown) => this.#parts.brought(token, inbound.authorization)
    const channel = createChannel(this.#parts, { ...createWire(socket), bringing: { first: brought, evaluate } })
    const { owner, organizationId } = requestContext
    const visit: Visit = { socket, inbound, client, from, owner, organizationId, channel }
    const release = this.#parts.open.hold(inbound, (fault) => channel.close(fault), organizationId)
    const stopWatching = this.#watch(visit)
    const end = () => {
      stopWatching()
      release()
      channel.end()
      leave()
    }
    socket.once('close', end)
    socket.on('message', this.#createEventSink(visit))
  }

  /** Whether the peer lives, and may still stand there: an endpoint may go without any key having changed. */
  #watch(visit: Visit): () => void {
    const { socket, inbound, owner, channel } = visit
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

  /** Hears the messages of one socket in their order, each from whoever is admitted by then. */
  #createEventSink(visit: Visit) {
    const { socket, client, from, owner, channel } = visit
    /** The message whose admission takes a while; those behind it wait, and nothing more is read meanwhile. */
    let turn: Promise<void> | undefined

    const begin = (text: string) => this.#parts.auditLog.begin(Buffer.byteLength(text), undefined, from)
    const enterOrWait = (bytes: number): Entered | Promise<Entered> => {
      const counting = this.#limits.address(client.network)
      return counting === undefined ? this.#taken(visit, bytes) : counting.then(() => this.#taken(visit, bytes))
    }
    const takeMessage = ({ requestContext, place }: Entered, text: string) => {
      if (requestContext.owner !== owner) {
        place?.end()
        throw new Fault('place.unknown')
      }
      const audit = begin(text)
      let value: Json | undefined
      try {
        value = parseJson(text)
        const incoming = readIncoming(value)
        // A listener is no call any more; listening has bounds of its own.
        if (isListening(incoming)) place?.end()
        void channel.take(incoming, requestContext, audit).finally(() => place?.end())
      } catch (thrown) {
        place?.end()
        audit.note({ requestContext })
        channel.refuse(Fault.of(thrown), idOf(value), 'legacy', audit)
        audit.close()
      }
    }
    const refuse = (thrown: unknown, text: string) => {
      const fault = Fault.of(thrown)
      if (isRefusal(fault)) channel.close(fault)
      else putOff(text, fault)
    }
    /**
     * Refuses this message because the client cannot be identified at present, because it exceeds its rate limit, or because there is
     * no room for it; messages admitted earlier go on.
     */
    const putOff = (text: string, fault: Fault) => {
      const audit = begin(text)
      const id = requestIdOf(text)
      if (id === undefined) audit.fail(fault)
      else channel.refuse(fault, id, 'legacy', audit)
      // As at every door: what is not taken in leaves no line and no record.
      if (fault.code !== 'gateway.busy') audit.close()
    }

    return (data: Buffer, isBinary: boolean): void => {
      if (socket.readyState !== socket.OPEN) return
      if (isBinary) return channel.close(new Fault('request.binary'))
      const text = data.toString('utf8')
      try {
        const admitted = turn === undefined ? enterOrWait(data.length) : turn.then(() => enterOrWait(data.length))
        if (!(admitted instanceof Promise)) return takeMessage(admitted, text)
        socket.pause()
        const mine = admitted
          .then((entered) => takeMessage(entered, text))
          .catch((thrown: unknown) => refuse(thrown, text))
          .finally(() => {
            if (turn !== mine) return
            turn = undefined
            socket.resume()
          })
        turn = mine
      } catch (thrown) {
        refuse(thrown, text)
      }
    }
  }

  /** Takes a message in and admits its sender; what it took is given back where the sender may not stand there. */
  #taken({ inbound, socket, organizationId }: Visit, bytes: number): Entered | Promise<Entered> {
    const admit = (callPlace?: CallPlace): Entered | Promise<Entered> => {
      const leaveAndThrow = (thrown: unknown): never => {
        callPlace?.end()
        throw thrown
      }
      try {
        const admitted = this.#admit(inbound)
        if (!(admitted instanceof Promise)) return { requestContext: admitted, place: callPlace }
        return admitted.then((requestContext) => ({ requestContext, place: callPlace }), leaveAndThrow)
      } catch (thrown) {
        return leaveAndThrow(thrown)
      }
    }
    const begun = this.#parts.intake?.begin(organizationId, bytes, (leave) => {
      socket.once('close', leave)
      return () => socket.off('close', leave)
    })
    return begun instanceof Promise ? begun.then(admit) : admit(begun)
  }

  takes({ method, headers }: IncomingMessage) {
    return method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket' && !this.#parts.draining.aborted
  }
}

const isListening = (incoming: Incoming): boolean =>
  'method' in incoming && incoming.method === 'subscriptions/listen' && isRequest(incoming)

/** Nothing else is answered. */
function requestIdOf(text: string): Id | undefined {
  try {
    const message = readMessage(parseJson(text))
    return isRequest(message) ? message.id : undefined
  } catch {
    return undefined
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
