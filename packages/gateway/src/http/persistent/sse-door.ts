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
import type { Inbound, EndpointPath, RequestContext } from '../../call/ports.ts'
import type { AuditEntryBuilder } from '../../call/audit-entry.ts'
import type { Limits } from '../../limits/limits.ts'
import { messagesPathOf, type Way } from '../addresses.ts'
import { cameSlowly, readBody, textOf } from '../body.ts'
import type { Challenge } from '../oauth/challenge.ts'
import type { Clients } from '../client-address.ts'
import { countUnknown } from '../count-unknown.ts'
import type { ConnectionRegistry } from './connection-registry.ts'
import { createChannel, readIncoming, type Channel, type ChannelParts, type Incoming, type Wire } from './channel.ts'
import { isRefusal, type OpenStreams } from '../streams/open-streams.ts'
import { createReader } from '../streams/reader.ts'
import { refuse } from '../refuse.ts'
import { accepts, PASS_THROUGH_HEADER, correlationOf, fromOf, isJsonType, onBehalfIn } from '../request-head.ts'
import { pathOf } from '../target.ts'

export interface SseDoorParts extends ChannelParts {
  readonly admit: Admit
  readonly brought: ReadPassThroughToken
  readonly clients: Clients
  readonly limits: Pick<Limits, 'unknown'>
  readonly open: OpenStreams
  readonly room: ConnectionRegistry
  readonly challenge: Challenge
  /** Bytes that a message may have. */
  readonly bodyLimit: number
  /** Where clients reach the gateway, when that is not where it listens: its path stands before ours. */
  readonly publicUrl: string | undefined
}

export interface SseDoor {
  answer(
    request: IncomingMessage,
    response: ServerResponse,
    place: EndpointPath,
    way: Exclude<Way, 'mcp'>,
  ): Promise<void>
}

interface Stream {
  readonly owner: string
  readonly channel: Channel
}

interface Received {
  readonly channel: Channel
  readonly incoming: Incoming
  readonly requestContext: RequestContext
}

/** Proxies cut streams that are silent for a minute. Milliseconds. */
const TIMES = { beat: 15_000 }
/** Bytes that may wait for a slow reader. */
const MOST_UNREAD = 16 * 1024 * 1024
const REVISION = '2024-11-05'

export function createSseDoor(parts: SseDoorParts, times = TIMES): SseDoor {
  const { admit, open, room, auditLog, bodyLimit, draining } = parts
  const streams = new Map<string, Stream>()
  const own = parts.publicUrl === undefined ? undefined : new URL(parts.publicUrl)

  /** Behind a proxy that serves us below a path, the client must hear of that path too. */
  const messagesAt = ({ url, headers }: IncomingMessage, id: string): string => {
    const below = own !== undefined && headers.host?.toLowerCase() === own.host
    return `${below ? own.pathname.replace(/\/$/, '') : ''}${messagesPathOf(pathOf(url ?? '/sse'))}?sessionId=${id}`
  }

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
    const leave = room.take(requestContext.principal.id)
    if (response.destroyed) return leave()
    const id = randomUUID().replaceAll('-', '')
    const channel = createChannel(parts, createWire(response))
    streams.set(id, { owner: requestContext.owner, channel })
    const release = open.hold(inbound, (fault) => channel.close(fault), requestContext.organizationId)
    const reader = createReader(response)
    const beat = setInterval(() => {
      reader.look()
      response.write(KEEP_ALIVE)
      void stillAdmitted(inbound, requestContext).catch((thrown: unknown) => {
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
    response.write(`event: endpoint\ndata: ${messagesAt(request, id)}\n\n`)
  }

  /** An endpoint may go while its stream is open, without any key having changed. */
  async function stillAdmitted(inbound: Inbound, { owner }: RequestContext): Promise<void> {
    if ((await admit(inbound)).owner !== owner) throw new Fault('place.unknown')
  }

  /** Receives a message that a client posts, after checking that the stream belongs to the same owner. */
  async function receive(request: IncomingMessage, inbound: Inbound, audit: AuditEntryBuilder): Promise<Received> {
    if (request.method !== 'POST') throw new Fault('request.method', { method: request.method ?? '?', allowed: 'POST' })
    let requestContext = await admit(inbound)
    audit.note({ requestContext })
    const id = new URLSearchParams(request.url?.split('?', 2)[1]).get('sessionId') ?? ''
    const channelOf = ({ owner }: RequestContext): Channel => {
      const stream = streams.get(id)
      if (stream?.owner !== owner) throw new Fault('session.unknown')
      return stream.channel
    }
    channelOf(requestContext)
    if (!isJsonType(request.headers['content-type'])) throw new Fault('request.media-type')
    const body = await readBody(request, bodyLimit)
    audit.note({ bytesIn: body.length })
    if (cameSlowly(audit.begun)) requestContext = await admit(inbound)
    const incoming = readIncoming(parseJson(textOf(body)))
    return { channel: channelOf(requestContext), incoming, requestContext }
  }

  return {
    async answer(request, response, place, way) {
      const audit = auditLog.begin(0, correlationOf(request), fromOf(request, parts.clients))
      const inbound = { place, authorization: request.headers.authorization, onBehalfOf: onBehalfIn(request) }
      try {
        if (way === 'messages') {
          const { channel, incoming, requestContext } = await receive(request, inbound, audit)
          const brought = parts.brought(request.headers[PASS_THROUGH_HEADER], request.headers.authorization)
          // Early clients compare the word.
          response.writeHead(202, { 'content-type': 'text/plain' }).end('Accepted')
          return await channel.take(incoming, requestContext, audit, brought)
        }
        await openStream(request, response, inbound, audit)
      } catch (thrown) {
        const fault = await countUnknown(thrown, parts.limits)
        refuse({ response, audit, fault, id: undefined, era: 'legacy', challenge: parts.challenge })
      }
      audit.close()
    },
  }
}

function createWire(response: ServerResponse): Wire {
  const gone = () => response.destroyed || response.writableEnded
  return {
    modern: false,
    header: (name) => (name === 'mcp-protocol-version' ? REVISION : undefined),
    send(text) {
      if (gone()) return false
      if (response.writableLength > MOST_UNREAD) {
        response.destroy()
        return false
      }
      response.write(`event: message\ndata: ${text}\n\n`)
      return true
    },
    close: () => void (gone() || response.end()),
  }
}
