/**
 * The pair of 2024-11-05 (specification 2024-11-05, transports: HTTP with SSE): a client opens a stream, is told where to send
 * its messages, and gets every answer on that stream. Revisions that open with `initialize` are spoken on it; the later ones
 * only because clients that keep to the old transport still ask for them.
 *
 * The name of a stream proves nothing: every message is identified anew, and somebody else's stream is none. A stream that
 * breaks is over, with its session and what is under way; nothing is kept for a client that comes back.
 */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Fault } from '@toolway/contract'
import { KEEP_ALIVE, parseJson } from '@toolway/protocol'
import type { Admit } from '../../call/admit.ts'
import type { ReadPassThroughToken } from '../../call/callers/pass-through-token.ts'
import type { Inbound, EndpointPath } from '../../snapshot/ports/endpoint.ts'
import type { RequestContext } from '../../snapshot/ports/request-context.ts'
import type { AuditEntryBuilder } from '../../call/audit-entry.ts'
import type { CallPlace } from '../../limits/call-intake.ts'
import type { Limits } from '../../limits/limits.ts'
import { messagesPathOf, type Way } from '../addresses.ts'
import { arrivedSlowly, readBody, textOf } from '../body.ts'
import type { Challenge } from '../oauth/challenge.ts'
import type { Clients } from '../client-address.ts'
import { countUnknownEndpoint } from '../count-unknown-endpoint.ts'
import type { ConnectionRegistry } from './connection-registry.ts'
import { createChannel, readIncoming, type Channel, type ChannelParts, type Incoming, type Wire } from './channel.ts'
import { placeOf } from '../intake/take-in.ts'
import { isRefusal, type OpenStreams } from '../streams/open-streams.ts'
import { createStallDetector } from '../streams/stall-detector.ts'
import { refuse } from '../refuse.ts'
import { accepts, PASS_THROUGH_HEADER, correlationOf, clientOriginOf, isJsonType, onBehalfIn } from '../request-head.ts'
import { pathOf } from '../request-target.ts'

export interface SseDoorParts extends ChannelParts {
  readonly admit: Admit
  readonly readPassThroughToken: ReadPassThroughToken
  readonly clients: Clients
  readonly limits: Pick<Limits, 'unknown'>
  readonly open: OpenStreams
  readonly streamQuota: ConnectionRegistry
  readonly challenge: Challenge
  /** Bytes that a message may have. */
  readonly bodyLimit: number
  /** Where clients reach the gateway, when that is not where it listens: its path stands before ours. */
  readonly publicUrl: string | undefined
  /** Other processes of this port, which may have the stream that a message is for. */
  readonly otherProcesses?:
    | {
        post(posted: PostedMessage): Promise<boolean>
        onPost(onPosted: (posted: PostedMessage) => Promise<boolean>): void
      }
    | undefined
}

/** A message as its client posted it; who has the stream identifies the client again. */
export interface PostedMessage {
  readonly stream: string
  readonly inbound: Inbound
  readonly text: string
  readonly brought: string | undefined
  readonly correlationId: string
  readonly from: AuditEntryBuilder['from']
}

export interface SseDoor {
  answer(
    request: IncomingMessage,
    response: ServerResponse,
    endpoint: EndpointPath,
    way: Exclude<Way, 'mcp'>,
  ): Promise<void>
}

interface Stream {
  readonly owner: string
  readonly channel: Channel
}

interface Posting {
  readonly request: IncomingMessage
  readonly inbound: Inbound
  readonly audit: AuditEntryBuilder
}

interface Received {
  /** Undefined where another process has the stream. */
  readonly channel: Channel | undefined
  readonly incoming: Incoming
  readonly requestContext: RequestContext
  readonly text: string
}

/** Proxies cut streams that are silent for a minute. Milliseconds. */
const TIMES = { beat: 15_000 }
/** Bytes that may wait for a slow reader. */
const MOST_UNREAD_BYTES = 16 * 1024 * 1024
const REVISION = '2024-11-05'

export function createSseDoor(parts: SseDoorParts, times = TIMES): SseDoor {
  const { admit, open, streamQuota, auditLog, draining, otherProcesses } = parts
  const streams = new Map<string, Stream>()
  const own = parts.publicUrl === undefined ? undefined : new URL(parts.publicUrl)

  async function openStream(
    request: IncomingMessage,
    response: ServerResponse,
    inbound: Inbound,
    audit: AuditEntryBuilder,
  ) {
    audit.note({ method: 'stream' })
    if (request.method !== 'GET') throw new Fault('request.method', { method: request.method ?? '?', allowed: 'GET' })
    const requestContext = await admit(inbound)
    audit.note({ requestContext })
    if (draining.aborted) throw new Fault('gateway.draining')
    if (!accepts(request.headers.accept, 'text/event-stream')) throw new Fault('request.not-acceptable')
    const leave = streamQuota.take(requestContext.principal.id, requestContext.organizationId)
    if (response.destroyed) return leave()
    const id = randomUUID().replaceAll('-', '')
    const channel = createChannel(parts, createWire(response))
    streams.set(id, { owner: requestContext.owner, channel })
    const release = open.register(inbound, (fault) => channel.close(fault), requestContext.organizationId)
    const stallDetector = createStallDetector(response)
    const beat = setInterval(() => {
      stallDetector.checkStalled()
      response.write(KEEP_ALIVE)
      void stillAdmitted(admit, inbound, requestContext).catch((thrown: unknown) => {
        const fault = Fault.of(thrown)
        if (isRefusal(fault)) channel.close(fault)
      })
    }, times.beat)
    beat.unref()
    response.once('close', () => {
      clearInterval(beat)
      release()
      streams.delete(id)
      channel.end()
      leave()
    })
    response.writeHead(200, {
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    })
    response.write(`event: endpoint\ndata: ${messagesAt(own, request, id)}\n\n`)
  }

  otherProcesses?.onPost((posted) => takePosted(parts, streams, posted))

  return {
    async answer(request, response, endpoint, way) {
      const audit = auditLog.begin(0, correlationOf(request), clientOriginOf(request, parts.clients))
      const inbound = { place: endpoint, authorization: request.headers.authorization, onBehalfOf: onBehalfIn(request) }
      try {
        if (way === 'messages') {
          const { channel, incoming, requestContext, text } = await receive(parts, streams, { request, inbound, audit })
          const token = parts.readPassThroughToken(request.headers[PASS_THROUGH_HEADER], request.headers.authorization)
          const { correlationId, from } = audit
          const posted = { stream: streamIn(request), inbound, text, brought: token, correlationId, from }
          if (channel === undefined && (await otherProcesses?.post(posted)) !== true) throw new Fault('session.unknown')
          // Early clients compare the word.
          response.writeHead(202, { 'content-type': 'text/plain' }).end('Accepted')
          // The process that has the stream puts the message on record.
          return await channel?.take(incoming, requestContext, audit, token)
        }
        await openStream(request, response, inbound, audit)
      } catch (thrown) {
        const fault = await countUnknownEndpoint(thrown, parts.limits)
        refuse({ response, audit, fault, id: undefined, era: 'legacy', challenge: parts.challenge })
      }
      audit.close()
    },
  }
}

/** Receives a message that a client posts, after checking that the stream belongs to the same owner. */
async function receive(
  { admit, bodyLimit, otherProcesses }: SseDoorParts,
  streams: ReadonlyMap<string, Stream>,
  { request, inbound, audit }: Posting,
): Promise<Received> {
  if (request.method !== 'POST') throw new Fault('request.method', { method: request.method ?? '?', allowed: 'POST' })
  let requestContext = await admit(inbound)
  audit.note({ requestContext })
  placeOf(request)?.admitted(requestContext.organizationId)
  const id = streamIn(request)
  const channelOf = ({ owner }: RequestContext): Channel | undefined => {
    const stream = streams.get(id)
    if (stream === undefined && otherProcesses !== undefined) return undefined
    if (stream?.owner !== owner) throw new Fault('session.unknown')
    return stream.channel
  }
  channelOf(requestContext)
  if (!isJsonType(request.headers['content-type'])) throw new Fault('request.media-type')
  const body = await readBody(request, bodyLimit)
  audit.note({ bytesIn: body.length })
  if (arrivedSlowly(audit.begun)) requestContext = await admit(inbound)
  const text = textOf(body)
  const incoming = readIncoming(parseJson(text))
  return { channel: channelOf(requestContext), incoming, requestContext, text }
}

/** An endpoint may go while its stream is open, without any key having changed. */
async function stillAdmitted(admit: Admit, inbound: Inbound, { owner }: RequestContext): Promise<void> {
  if ((await admit(inbound)).owner !== owner) throw new Fault('place.unknown')
}

/** Behind a proxy that serves us below a path, the client must hear of that path too. */
function messagesAt(own: URL | undefined, { url, headers }: IncomingMessage, id: string): string {
  const below = own !== undefined && headers.host?.toLowerCase() === own.host
  return `${below ? own.pathname.replace(/\/$/, '') : ''}${messagesPathOf(pathOf(url ?? '/sse'))}?sessionId=${id}`
}

/** A message that was posted at another process. False where the stream is not here, or is somebody else's. */
async function takePosted(
  { admit, auditLog, intake }: SseDoorParts,
  streams: ReadonlyMap<string, Stream>,
  { stream: id, inbound, text, brought, correlationId, from }: PostedMessage,
): Promise<boolean> {
  if (!streams.has(id)) return false
  const requestContext = await admit(inbound)
  const stream = streams.get(id)
  if (stream?.owner !== requestContext.owner) return false
  const bytes = Buffer.byteLength(text)
  const incoming = readIncoming(parseJson(text))
  const audit = auditLog.begin(bytes, correlationId, from)
  let callPlace: CallPlace | undefined
  try {
    callPlace = await intake?.begin(requestContext.organizationId, bytes)
  } catch (thrown) {
    // As at every door: what is not taken in leaves no line and no record.
    if ('id' in incoming) stream.channel.refuse(Fault.of(thrown), incoming.id, 'legacy', audit)
    return true
  }
  void stream.channel.take(incoming, requestContext, audit, brought).finally(() => callPlace?.end())
  return true
}

const streamIn = ({ url }: IncomingMessage): string => new URLSearchParams(url?.split('?', 2)[1]).get('sessionId') ?? ''

function createWire(response: ServerResponse): Wire {
  const gone = () => response.destroyed || response.writableEnded
  return {
    modern: false,
    header: (name) => (name === 'mcp-protocol-version' ? REVISION : undefined),
    send(text) {
      if (gone()) return false
      if (response.writableLength > MOST_UNREAD_BYTES) {
        response.destroy()
        return false
      }
      response.write(`event: message\ndata: ${text}\n\n`)
      return true
    },
    close: () => void (gone() || response.end()),
  }
}
