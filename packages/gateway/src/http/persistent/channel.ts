/**
 * One client on a persistent connection, either HTTP+SSE of 2024-11-05 or a WebSocket: its messages arrive one by one, and
 * everything for it is sent on one channel. Messages that Streamable HTTP separates by exchange are separated by id here.
 *
 * The connection is the session: a legacy client's session is opened on it, is used by it alone and ends with it, as do the calls
 * under way. The HTTP handler identifies the client for every message anew; `call/` decides what a call is and may do.
 */
import { Fault } from '@toolway/contract'
import {
  isRequest,
  isResponse,
  MODERN,
  readMessage,
  responseOf,
  REVISIONS,
  takesBatches,
  VERSION_KEY,
  metaOf,
  type Era,
  type Failure,
  type HeaderReader,
  type Id,
  type Json,
  type Message,
  type Notification,
  type Request,
} from '@toolway/protocol'
import type { Changes } from '../../catalog/changes.ts'
import { isModern, readLegacy, readModern, type RequestDispatcher } from '../../call/dispatch.ts'
import type { RequestContext } from '../../snapshot/ports/request-context.ts'
import { forwardToUpstreams } from '../../call/listening/forward-to-upstreams.ts'
import { ConnectionSession } from './connection-session.ts'
import { ConnectionToken, type PassThroughTokens } from './connection-token.ts'
import type { AuditEntryBuilder, AuditLog } from '../../call/audit-entry.ts'
import { LiveList } from '../../lib/live-list.ts'
import type { CallIntake } from '../../limits/call-intake.ts'
import type { Sessions } from '../../sessions/sessions.ts'
import {
  cancelNamedRequest,
  createRequestChannel,
  settleQuestion,
  type RequestChannel,
} from '../mcp/request-channel.ts'
import { createBatch } from '../mcp/mcp-batch.ts'
import { errorOf, failureOf } from '../http-faults.ts'
import type { CallsUnderWay } from '../streams/calls-under-way.ts'

export interface ChannelParts {
  readonly dispatcher: RequestDispatcher
  readonly sessions: Sessions
  readonly changes: Changes
  readonly auditLog: AuditLog
  /** Aborted when the gateway drains: listening ends, no request begins, and the connection ends with its last answer. */
  readonly draining: AbortSignal
  readonly calls: Pick<CallsUnderWay, 'add'>
  readonly intake?: Pick<CallIntake, 'begin'> | undefined
}

/** The way out, as the transport has it. */
export interface Wire {
  /** One JSON text. False when it cannot be sent: the client is gone, or reads too slowly and is cut off. */
  send(text: string): boolean
  /** End the connection from our side, for this reason. */
  close(reason: Fault): void
  /** Where a token can be brought for the rest of the connection. */
  readonly passThrough?: PassThroughTokens
  /** Whether requests of revision 2026-07-28 are served on this transport. */
  readonly modern: boolean
  /** The headers that carry the revision of a legacy client without an open session. */
  readonly header: HeaderReader
}

/** A message, or a batch of what may be messages. */
export type Incoming = Message | readonly Json[]

export interface Channel {
  /** Answers any message on the client channel; closes the audit entry. Never rejects. */
  take(incoming: Incoming, requestContext: RequestContext, audit: AuditEntryBuilder, received?: string): Promise<void>
  /** Word a refusal on the connection, and note it on the audit. */
  refuse(fault: Fault, id: Failure['id'], era: Era, audit: AuditEntryBuilder): void
  /** End the connection from our side, and with it what `end` ends. */
  close(reason: Fault): void
  /** The connection is gone: its session goes, and what is under way is cancelled. Once is enough. */
  end(): void
}

/** Whose message it is, its audit entry, and the pass-through token that it brings itself. */
interface Sending {
  readonly requestContext: RequestContext
  readonly audit: AuditEntryBuilder
  readonly own: string | undefined
}

interface UnderWay {
  readonly id: Id
  readonly channel: RequestChannel
  readonly listens: boolean
}

/** Requests of one client at a time. */
const MOST_UNDER_WAY = 100

/** Milliseconds that cancelled requests have for their answer when the connection ends from our side. */
const LAST_ANSWERS_MS = 1_000

/** Names the token that the calls of a connection bring. No method of MCP. */
const SET_TOKEN_METHOD = 'auth/setUserToken'

/** Throws `request.shape`. */
export const readIncoming = (value: Json): Incoming => (Array.isArray(value) ? value : readMessage(value))

export const createChannel = (parts: ChannelParts, wire: Wire): Channel => new PersistentChannel(parts, wire)

class PersistentChannel implements Channel {
  readonly #wire: Wire
  readonly #parts: ChannelParts
  readonly #answerBatch
  readonly #underWay = new LiveList<UnderWay>()
  #batches = 0
  readonly #session: ConnectionSession
  readonly #token
  #ended = false
  /** Why the connection ends as soon as its requests are answered. */
  #closing: Fault | undefined
  #cut: NodeJS.Timeout | undefined

  constructor(parts: ChannelParts, wire: Wire) {
    this.#parts = parts
    this.#wire = wire
    this.#answerBatch = createBatch(parts)
    this.#token = new ConnectionToken(wire.passThrough)
    this.#session = new ConnectionSession(parts, {
      send: (message) => this.#send(message),
      close: (reason) => this.close(reason),
      isEnded: () => this.#ended,
    })
    this.#parts.draining.addEventListener('abort', this.#drain, { once: true })
  }

  #send(message: object): number {
    const text = JSON.stringify(message)
    return !this.#ended && this.#wire.send(text) ? text.length : 0
  }

  refuse(fault: Fault, id: Failure['id'], era: Era, audit: AuditEntryBuilder): void {
    audit.note({ bytesOut: this.#send(failureOf(id, errorOf(audit.fail(fault), era, audit.correlationId))) })
  }

  async take(
    incoming: Incoming,
    requestContext: RequestContext,
    audit: AuditEntryBuilder,
    own?: string,
  ): Promise<void> {
    audit.note({ requestContext })
    try {
      if (isBatch(incoming)) await this.#batch(incoming, { requestContext, audit, own })
      else if (isResponse(incoming)) {
        audit.note({ method: 'response' })
        settleQuestion(this.#session.of(requestContext), incoming)
      } else if (isRequest(incoming)) await this.#ask(incoming, { requestContext, audit, own })
      else this.#tell(incoming, requestContext, audit)
    } catch (thrown) {
      // Nothing answers a notification or a response, not even a refusal (JSON-RPC 2.0, section 4.1).
      const fault = audit.fail(Fault.of(thrown))
      if (isBatch(incoming)) this.refuse(fault, undefined, 'legacy', audit)
    } finally {
      audit.close()
      this.#rest()
    }
  }

  async #ask(request: Request, sending: Sending): Promise<void> {
    const { requestContext, audit } = sending
    const era: Era = isModern(request, this.#wire.header) ? 'modern' : 'legacy'
    audit.note({ method: request.method })
    try {
      this.#begin()
      if (era === 'modern' && !this.#wire.modern && request.method !== 'server/discover')
        throw unspokenRevision(request)
      if (era === 'legacy' && request.method === 'initialize')
        return await this.#session.open(request, requestContext, audit)
      if (request.method === SET_TOKEN_METHOD && this.#wire.passThrough !== undefined)
        return this.#passThroughTokenBy(request, era, audit)
      await this.#answer(request, era, sending)
    } catch (thrown) {
      const fault = Fault.of(thrown)
      // A client that cancelled hears no more of this request, in either era.
      if (fault.code === 'call.cancelled') audit.fail(fault)
      else this.refuse(fault, request.id, era, audit)
    }
  }

  /** Throws when no request may begin. */
  #begin(): void {
    if (this.#ended) throw new Fault('call.cancelled')
    if (this.#closing !== undefined) throw this.#closing
    if (this.#parts.draining.aborted) throw new Fault('gateway.draining')
    if (this.#underWay.size + this.#batches >= MOST_UNDER_WAY)
      throw new Fault('channel.busy', { limit: MOST_UNDER_WAY })
  }

  /** Calls from here on bring this token, or none any more where it is null (ledger S3-OAU-07). */
  #passThroughTokenBy({ id, params }: Request, era: Era, audit: AuditEntryBuilder): void {
    this.#token.replace(params)
    audit.note({
      bytesOut: this.#send({ jsonrpc: '2.0', id, result: era === 'modern' ? { resultType: 'complete' } : {} }),
    })
  }

  async #answer(request: Request, era: Era, { requestContext, audit, own }: Sending): Promise<void> {
    const speaks = era === 'modern' && this.#wire.modern
    const session = speaks ? undefined : this.#session.of(requestContext)
    const mcpRequest = speaks ? readModern(request, undefined) : readLegacy(request, session, this.#wire.header)
    const reply = { streams: true, send: (message: Message) => !channel.signal.aborted && this.#send(message) > 0 }
    const channel = createRequestChannel({
      mcpRequest,
      session,
      header: undefined,
      reply,
      passThroughToken: this.#token.of(own),
      audit,
      calls: this.#parts.calls,
    })
    const release = this.#underWay.add({
      id: request.id,
      channel,
      listens: mcpRequest.method === 'subscriptions/listen',
    })
    try {
      const answer = await this.#parts.dispatcher.dispatch({ requestContext, mcpRequest, channel, audit })
      if (isCancelled(channel)) throw Fault.of(channel.signal.reason)
      if ('error' in answer) audit.note({ outcome: 'failed' })
      audit.note({ bytesOut: this.#send(responseOf(request, answer)) })
    } finally {
      release()
      channel.done()
    }
  }

  /** A notification: `cancelled` ends what it names; what a client says of itself goes to its servers. */
  #tell(message: Notification, requestContext: RequestContext, audit: AuditEntryBuilder): void {
    audit.note({ method: message.method })
    if (message.method === SET_TOKEN_METHOD && this.#wire.passThrough !== undefined)
      return this.#token.replace(message.params)
    const session = this.#session.opened
    if (session !== undefined) forwardToUpstreams(requestContext, session, message)
    if (message.method !== 'notifications/cancelled') return
    // Requests within a batch are known to the session only.
    cancelNamedRequest(session, message)
    for (const { id, channel } of this.#underWay)
      if (id === message.params?.['requestId']) channel.cancel(new Fault('call.cancelled'))
  }

  async #batch(values: readonly Json[], { requestContext, audit, own }: Sending): Promise<void> {
    audit.note({ method: 'batch' })
    const session = this.#session.of(requestContext)
    // Only a session's requests end with the connection, so nothing of a batch may run without one.
    if (session === undefined) throw new Fault('request.batch', { revision: 'unknown, as no session is open' })
    if (!takesBatches(session.revision)) throw new Fault('request.batch', { revision: session.revision })
    this.#begin()
    this.#batches++
    try {
      const { correlationId, from } = audit
      const by = { requestContext, header: this.#wire.header, correlationId, from, brought: this.#token.of(own) }
      const answers = await this.#answerBatch({ values, session, ...by })
      if (answers.length > 0) audit.note({ bytesOut: this.#send(answers) })
    } finally {
      this.#batches--
    }
  }

  readonly #drain = (): void => {
    for (const { channel, listens } of this.#underWay) if (listens) channel.cancel(new Fault('gateway.draining'))
    this.#rest()
  }

  /** While the gateway drains, a connection with nothing under way has no reason to stay. */
  #rest(): void {
    if (this.#underWay.size + this.#batches > 0) return
    if (this.#closing !== undefined) this.#finish(this.#closing)
    else if (this.#parts.draining.aborted) this.close(new Fault('gateway.draining'))
  }

  /** What is under way is cancelled and answered before the connection ends: its client would wait for nothing. */
  close(reason: Fault): void {
    if (this.#ended || this.#closing !== undefined) return
    this.#closing = reason
    for (const { channel } of this.#underWay) channel.cancel(new Fault('session.ended'))
    this.#session.end()
    if (this.#underWay.size + this.#batches === 0) this.#finish(reason)
    else this.#cut = setTimeout(() => this.#finish(reason), LAST_ANSWERS_MS).unref()
  }

  #finish(reason: Fault): void {
    if (this.#ended) return
    this.#wire.close(reason)
    this.end()
  }

  end(): void {
    if (this.#ended) return
    this.#ended = true
    clearTimeout(this.#cut)
    this.#parts.draining.removeEventListener('abort', this.#drain)
    for (const { channel } of this.#underWay) channel.cancel(new Fault('call.cancelled'))
    this.#session.end()
  }
}

const isBatch = (incoming: Incoming): incoming is readonly Json[] => Array.isArray(incoming)

const isCancelled = ({ signal }: RequestChannel): boolean =>
  signal.aborted && CANCELLED.has(Fault.of(signal.reason).code)
const CANCELLED: ReadonlySet<string> = new Set(['call.cancelled', 'session.ended'])

/** The fault for a request of a revision that this transport does not support. */
function unspokenRevision({ params }: Request): Fault {
  const supported = REVISIONS.filter((revision) => revision !== MODERN).reverse()
  return new Fault('envelope.version', {}, { data: { supported, requested: metaOf(params)[VERSION_KEY] ?? MODERN } })
}
