/**
 * The messages of one socket: each is taken in and admitted anew, in their order. While an admission takes its time, nothing more is
 * read.
 */
import { Fault } from '@toolway/contract'
import { idOf, isRequest, parseJson, readMessage, type Id, type Json } from '@toolway/protocol'
import type { WebSocket } from 'ws'
import type { Admit } from '../../call/admit.ts'
import type { From } from '../../call/audit-facts.ts'
import type { CallPlace } from '../../limits/call-intake.ts'
import type { Limits } from '../../limits/limits.ts'
import type { Inbound } from '../../snapshot/ports/endpoint.ts'
import type { RequestContext } from '../../snapshot/ports/request-context.ts'
import type { Client } from '../client-address.ts'
import { isRefusal } from '../streams/open-streams.ts'
import { readIncoming, type Channel, type ChannelParts, type Incoming } from './channel.ts'

export interface SocketMessagesParts extends Pick<ChannelParts, 'auditLog' | 'intake'> {
  readonly admit: Admit
  readonly limits: Pick<Limits, 'address'>
}

/** One socket and what is known of it. */
export interface OpenSocket {
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

/** Hears the messages of one socket in their order, each from whoever is admitted by then. */
export function createSocketMessages(parts: SocketMessagesParts, openSocket: OpenSocket) {
  const { socket, client, from, owner, channel } = openSocket
  /** The message whose admission takes a while; those behind it wait, and nothing more is read meanwhile. */
  let turn: Promise<void> | undefined

  const begin = (text: string) => parts.auditLog.begin(Buffer.byteLength(text), undefined, from)
  const enterOrWait = (bytes: number): Entered | Promise<Entered> => {
    const counting = parts.limits.address(client.network)
    return counting === undefined
      ? takeIn(parts, openSocket, bytes)
      : counting.then(() => takeIn(parts, openSocket, bytes))
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
function takeIn(
  { admit: admitting, intake }: SocketMessagesParts,
  { inbound, socket, organizationId }: OpenSocket,
  bytes: number,
): Entered | Promise<Entered> {
  const admit = (callPlace?: CallPlace): Entered | Promise<Entered> => {
    const leaveAndThrow = (thrown: unknown): never => {
      callPlace?.end()
      throw thrown
    }
    try {
      const admitted = admitting(inbound)
      if (!(admitted instanceof Promise)) return { requestContext: admitted, place: callPlace }
      return admitted.then((requestContext) => ({ requestContext, place: callPlace }), leaveAndThrow)
    } catch (thrown) {
      return leaveAndThrow(thrown)
    }
  }
  const begun = intake?.begin(organizationId, bytes, (leave) => {
    socket.once('close', leave)
    return () => socket.off('close', leave)
  })
  return begun instanceof Promise ? begun.then(admit) : admit(begun)
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
