/**
 * The HTTP handler of MCP: every revision at one address (Streamable HTTP, specifications 2025-03-26 to 2026-07-28).
 *
 * It reads the request (form of the session name, method, size, JSON), has it admitted, distinguishes the eras and formats the answer. `call/`
 * decides what a call is and what it may do. The identity is checked before the body: the body of an unidentified client is not
 * read.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Fault } from '@toolway/contract'
import {
  idOf,
  isRequest,
  isResponse,
  parseJson,
  readMessage,
  responseOf,
  takesBatches,
  UNSTATED,
  isLegacyRevision,
  type McpRequest,
  type Era,
  type HeaderReader,
  type Json,
  type Message,
  type Request,
  type Response,
} from '@toolway/protocol'
import type { Admit } from '../call/admit.ts'
import type { KeepSessions } from '../features/runtime/index.ts'
import { isModern, readLegacy, readModern, type Entrance } from '../call/enter.ts'
import type { ReadPassThroughToken } from '../call/callers/pass-through-token.ts'
import type { Inbound, EndpointPath } from '../snapshot/ports/endpoint.ts'
import type { RequestContext } from '../snapshot/ports/request-context.ts'
import { passOn } from '../call/listening/told.ts'
import type { AuditEntryBuilder, AuditLog } from '../call/audit-entry.ts'
import type { CallIntake } from '../limits/call-intake.ts'
import type { Limits } from '../limits/limits.ts'
import type { RemoteStreams } from '../sessions/remote-streams.ts'
import type { Session, Sessions } from '../sessions/sessions.ts'
import { placeOf } from './intake/call-place.ts'
import { createAbandoned } from './mcp/abandoned.ts'
import type { Challenge } from './oauth/challenge.ts'
import { cameSlowly, readBody, textOf } from './body.ts'
import type { Clients } from './client-address.ts'
import { countUnknown } from './count-unknown.ts'
import { cancelNamed, createClientLine, settleQuestion, type ClientLine } from './mcp/client-line.ts'
import { createBatch } from './mcp/mcp-batch.ts'
import type { CallsUnderWay } from './streams/calls-under-way.ts'
import type { OpenStreams } from './streams/open-streams.ts'
import { onceClosed } from './streams/unread-answers.ts'
import { openSessionStream } from './mcp/session-stream.ts'
import { createReply } from './mcp/reply.ts'
import { refuse } from './refuse.ts'
import {
  accepts,
  PASS_THROUGH_HEADER,
  correlationOf,
  fromOf,
  headerOf,
  hasSessionForm,
  onBehalfIn,
  prefersStream,
  SESSION_HEADER,
} from './request-head.ts'
import { createSessionReply } from './mcp/session-reply.ts'
import { statusOfError } from './http-faults.ts'
import type { Changes } from '../catalog/changes.ts'

export interface McpDoorParts {
  readonly admit: Admit
  readonly brought: ReadPassThroughToken
  readonly entrance: Entrance
  readonly sessions: Sessions
  /** Whether a client that opens a session gets one; undefined where no client ever does. */
  readonly givesSession: ((requestContext: RequestContext, request: Request) => boolean) | undefined
  /** Sessions that memory does not know may live again. */
  readonly keepSessions: Pick<KeepSessions, 'keep' | 'recall'>
  readonly changes: Changes
  /** Streams that other gateways hold; undefined where there is no other gateway. */
  readonly remoteStreams?: RemoteStreams | undefined
  readonly auditLog: AuditLog
  readonly clients: Clients
  readonly limits: Pick<Limits, 'unknown'>
  readonly open: OpenStreams
  readonly challenge: Challenge
  /** The Authorization that a request counts as; unsaid, it is the one in its header. Throws for who may not come in. */
  readonly authorize?: (request: IncomingMessage) => Promise<string | undefined>
  /** Bytes that a body may have. */
  readonly bodyLimit: number
  /** Aborted when the gateway drains: open streams end, and no new request begins. */
  readonly draining: AbortSignal
  readonly calls: CallsUnderWay
  readonly intake?: Pick<CallIntake, 'begin'> | undefined
  /** Other processes of this port, where the call that an answer or `cancelled` is for may run. */
  readonly elsewhere?: { tell(owner: string, session: string, message: Message): void } | undefined
}

export interface McpDoor {
  answer(request: IncomingMessage, response: ServerResponse, place: EndpointPath): Promise<void>
}

/** The part of one HTTP request that all messages in it share. */
interface Visit {
  readonly inbound: Inbound
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly header: HeaderReader
  /** Whether the client asks for event streams. */
  readonly prefers: boolean
  readonly requestContext: RequestContext
  readonly audit: AuditEntryBuilder
}

const LISTEN = 'subscriptions/listen'

export const createMcpDoor = (parts: McpDoorParts): McpDoor => new HttpMcpDoor(parts)

class HttpMcpDoor implements McpDoor {
  readonly #parts: McpDoorParts
  readonly #entrance
  readonly #sessions
  readonly #challenge
  readonly #draining
  readonly #answerBatch
  readonly #abandoned = createAbandoned()

  constructor(parts: McpDoorParts) {
    this.#parts = parts
    this.#entrance = parts.entrance
    this.#sessions = parts.sessions
    this.#challenge = parts.challenge
    this.#draining = parts.draining
    this.#answerBatch = createBatch({
      entrance: this.#entrance,
      auditLog: this.#parts.auditLog,
      calls: this.#parts.calls,
      intake: this.#parts.intake,
    })
  }

  /** Memory knows most callers: only for the others does admission take a turn of the event loop. */
  #receive(
    request: IncomingMessage,
    response: ServerResponse,
    place: EndpointPath,
    audit: AuditEntryBuilder,
  ): Promise<void> | void {
    response.setHeader('x-correlation-id', audit.correlationId)
    if (this.#draining.aborted) throw new Fault('gateway.draining')
    // Whether it lives is told to its owner alone, who is not known yet.
    if (!hasSessionForm(headerOf(request))) throw new Fault('session.unknown')
    const onBehalfOf = onBehalfIn(request)
    const enter = (authorization: string | undefined) =>
      this.#entered({ place, authorization, onBehalfOf }, request, response, audit)
    return this.#parts.authorize === undefined
      ? enter(request.headers.authorization)
      : this.#parts.authorize(request).then(enter)
  }

  #entered(
    inbound: Inbound,
    request: IncomingMessage,
    response: ServerResponse,
    audit: AuditEntryBuilder,
  ): Promise<void> | void {
    const admitted = this.#parts.admit(inbound)
    const visit = (requestContext: RequestContext) =>
      this.#visited({
        inbound,
        request,
        response,
        header: headerOf(request),
        prefers: prefersStream(request.headers.accept),
        requestContext,
        audit,
      })
    return admitted instanceof Promise ? admitted.then(visit) : visit(admitted)
  }

  #visited(visit: Visit): Promise<void> | void {
    const { request, requestContext, audit } = visit
    audit.note({ requestContext })
    placeOf(request)?.admitted(requestContext.organizationId)
    if (request.method === 'POST') return this.#post(visit)
    const answer = request.method === 'GET' ? this.#stream : request.method === 'DELETE' ? this.#end : undefined
    if (answer === undefined)
      throw new Fault('request.method', { method: request.method ?? '?', allowed: 'POST, GET, DELETE' })
    const recalling = this.#recall(visit)
    return recalling === undefined ? answer(visit) : recalling.then(() => answer(visit))
  }

  /**
   * Loads a session that is not in memory, before it is looked up; undefined where there is nothing to wait for, which is the
   * usual case.
   */
  #recall({ header, requestContext }: Visit): Promise<void> | undefined {
    const id = header(SESSION_HEADER)
    return id === undefined || this.#parts.givesSession === undefined || this.#sessions.holds(id)
      ? undefined
      : this.#parts.keepSessions.recall(requestContext, id)
  }

  async #post(visit: Visit): Promise<void> {
    const { request, audit } = visit
    if (!accepts(request.headers.accept, 'application/json') && !accepts(request.headers.accept, 'text/event-stream')) {
      throw new Fault('request.not-acceptable')
    }
    const body = await readBody(request, this.#parts.bodyLimit)
    audit.note({ bytesIn: body.length })
    if (cameSlowly(audit.begun)) await this.#parts.admit(visit.inbound)
    const value = parseJson(textOf(body))
    await (Array.isArray(value) ? this.#batch(visit, value) : this.#single(visit, value))
  }

  #single(visit: Visit, value: Json): Promise<void> | void {
    const { header, audit } = visit
    let era: Era = 'legacy'
    const refused = (thrown: unknown) =>
      refuse({
        response: visit.response,
        audit,
        fault: Fault.of(thrown),
        id: idOf(value),
        era,
        challenge: this.#challenge,
      })
    try {
      const message = readMessage(value)
      era = !isResponse(message) && isModern(message, header) ? 'modern' : 'legacy'
      const recalling = era === 'modern' || isOpening(message) ? undefined : this.#recall(visit)
      if (recalling !== undefined) return recalling.then(() => this.#take(visit, message, era)).catch(refused)
      const taken = this.#take(visit, message, era)
      // Later failures are answered where the reply is written.
      return taken !== undefined && isOpening(message) ? taken.catch(refused) : taken
    } catch (thrown) {
      refused(thrown)
    }
  }

  #take(visit: Visit, message: Message, era: Era): Promise<void> | void {
    if (isResponse(message)) return this.#answered(visit, message)
    if (!isRequest(message)) return this.#told(visit, message, era)
    if (era === 'legacy' && isOpening(message)) return this.#initialize(visit, message)
    return this.#ask(visit, message, era)
  }

  async #initialize({ requestContext, response, audit, prefers }: Visit, request: Request): Promise<void> {
    audit.note({ method: 'initialize' })
    if (this.#parts.givesSession?.(requestContext, request) !== true) {
      const { answer, revision } = await this.#entrance.initializeAlone(requestContext, request)
      audit.note({ eraClient: revision })
      audit.note({
        bytesOut: createReply(response, { accepts: false, prefers, headers: {} }).end(responseOf(request, answer), 200),
      })
      return
    }
    const { answer, session } = await this.#entrance.initialize(requestContext, request)
    audit.note({ eraClient: session.revision })
    await this.#parts.keepSessions.keep(requestContext, session)
    const reply = createReply(response, { accepts: false, prefers, headers: { [SESSION_HEADER]: session.id } })
    audit.note({ bytesOut: reply.end(responseOf(request, answer), 200) })
  }

  /** Throws at once for what cannot be read; what comes later is worded on the reply. */
  #ask(visit: Visit, request: Request, era: Era): Promise<void> {
    const { header } = visit
    // The method is recorded first, so that a call with invalid headers is still audited as a call.
    visit.audit.note({ method: request.method })
    const session = era === 'legacy' ? this.#sessionOf(visit) : undefined
    const mcpRequest = era === 'modern' ? readModern(request, header) : readLegacy(request, session, header)
    return this.#answer(visit, request, mcpRequest, session, era, this.#passThroughTokenIn(visit))
  }

  async #answer(
    visit: Visit,
    request: Request,
    mcpRequest: McpRequest,
    session: Session | undefined,
    era: Era,
    received: string | undefined,
  ): Promise<void> {
    const { requestContext, audit, response, prefers } = visit
    const streams = accepts(visit.request.headers.accept, 'text/event-stream')
    const reply =
      session === undefined
        ? createReply(response, { accepts: streams, prefers, headers: {} })
        : createSessionReply(response, session, { accepts: streams, prefers })
    const line = createClientLine({
      mcpRequest,
      session,
      header: era === 'modern' ? visit.header : undefined,
      reply,
      brought: received,
      audit,
      calls: this.#parts.calls,
    })
    const release = this.#holdOpen(visit, mcpRequest, line, era)
    // A listener may stay for hours and is no call any more; listening has bounds of its own.
    if (mcpRequest.method === LISTEN) placeOf(visit.request)?.end()
    try {
      if (mcpRequest.method === LISTEN && !streams) throw new Fault('request.not-acceptable')
      const answer = await this.#entrance.enter({ requestContext, mcpRequest, channel: line, audit })
      if ('error' in answer) audit.note({ outcome: 'failed' })
      const status = 'error' in answer && era === 'modern' ? statusOfError(answer.error.code) : 200
      audit.note({ bytesOut: reply.end(responseOf(request, answer), status) })
    } catch (thrown) {
      const fault = Fault.of(thrown)
      // A client that cancelled hears no more of this request, in either era.
      if (fault.code === 'call.cancelled' && reply.close()) audit.fail(fault)
      else refuse({ response, audit, fault, id: request.id, era, challenge: this.#challenge, reply })
    } finally {
      release()
      line.done()
    }
  }

  /** Throws `credential.brought-shape`: a call never goes on with another credential than its caller thinks. */
  #passThroughTokenIn({ request: { headers }, inbound }: Visit): string | undefined {
    return this.#parts.brought(headers[PASS_THROUGH_HEADER], inbound.authorization)
  }

  /**
   * Ends a request early: when its client disconnects (modern era only), and for `subscriptions/listen` also when the gateway
   * drains.
   */
  #holdOpen(visit: Visit, { method }: McpRequest, line: ClientLine, era: Era): () => void {
    const { response, inbound } = visit
    const cancel = () => line.cancel(new Fault('call.cancelled'))
    const drain = () => line.cancel(new Fault('gateway.draining'))
    const listens = method === LISTEN
    // A legacy client says `cancelled` when it means it.
    const back = era === 'modern' ? whenLeft(response, cancel) : this.#outlive(visit, cancel)
    if (listens) this.#draining.addEventListener('abort', drain, { once: true })
    const { organizationId } = visit.requestContext
    const release = listens ? this.#parts.open.hold(inbound, (fault) => line.cancel(fault), organizationId) : undefined
    return () => {
      back()
      if (release === undefined) return
      this.#draining.removeEventListener('abort', drain)
      release()
    }
  }

  /** A legacy client's leaving ends nothing, as long as it leaves little behind. */
  #outlive({ response, requestContext }: Visit, cancel: () => void): () => void {
    let over: (() => void) | undefined
    const back = whenLeft(response, () => (over = this.#abandoned.leave(requestContext.owner, cancel)))
    return () => {
      back()
      over?.()
    }
  }

  async #batch(visit: Visit, values: readonly Json[]): Promise<void> {
    const { audit, response, header, requestContext } = visit
    await this.#recall(visit)
    const session = this.#sessionOf(visit)
    const version = header('mcp-protocol-version')
    const revision = session?.revision ?? (isLegacyRevision(version) ? version : UNSTATED)
    if (!takesBatches(revision) || (version !== undefined && !isLegacyRevision(version))) {
      throw new Fault('request.batch', { revision: version ?? revision })
    }
    audit.note({ method: 'batch' })
    const brought = this.#passThroughTokenIn(visit)
    const given = new AbortController()
    const back = this.#outlive(visit, () => given.abort())
    const { correlationId, from } = audit
    const givenUp = given.signal
    const answers = await this.#answerBatch({
      values,
      requestContext,
      session,
      header,
      correlationId,
      from,
      givenUp,
      brought,
    })
    back()
    if (answers.length === 0) response.writeHead(202).end()
    else
      audit.note({
        bytesOut: createReply(response, { accepts: false, prefers: visit.prefers, headers: {} }).end(answers, 200),
      })
  }

  #sessionOf({ header, requestContext }: Visit): Session | undefined {
    const id = header(SESSION_HEADER)
    return id === undefined ? undefined : this.#sessions.get(requestContext.owner, id)
  }

  /** A notification: `cancelled` ends what it names; what a client says of itself goes to its servers. */
  #told(visit: Visit, { method, params }: Exclude<Message, Response>, era: Era): void {
    visit.audit.note({ method })
    const session = era === 'legacy' ? this.#sessionOf(visit) : undefined
    const said = { method, ...(params === undefined ? {} : { params }) }
    cancelNamed(session, said)
    if (session !== undefined) passOn(visit.requestContext, session, { jsonrpc: '2.0', ...said })
    if (session !== undefined && method === 'notifications/cancelled')
      this.#parts.elsewhere?.tell(visit.requestContext.owner, session.id, { jsonrpc: '2.0', ...said })
    visit.response.writeHead(202).end()
  }

  /** An answer to a question of ours. */
  #answered(visit: Visit, message: Response): void {
    visit.audit.note({ method: 'response' })
    const session = this.#sessionOf(visit)
    if (!settleQuestion(session, message) && session !== undefined)
      this.#parts.elsewhere?.tell(visit.requestContext.owner, session.id, message)
    visit.response.writeHead(202).end()
  }

  readonly #stream = (visit: Visit): Promise<void> | void => {
    visit.audit.note({ method: 'stream' })
    if (!accepts(visit.request.headers.accept, 'text/event-stream')) throw new Fault('request.not-acceptable')
    const session = this.#sessionOf(visit)
    // Nor does a stream of 2024-11-05 begin here: whoever may want one has its own address (ADR 8).
    if (session === undefined) throw new Fault('request.method', { method: 'GET', allowed: 'POST' })
    const { requestContext, response } = visit
    response.once(
      'close',
      this.#parts.open.hold(visit.inbound, () => response.end(), requestContext.organizationId),
    )
    const lastEventId = visit.header('last-event-id')
    return openSessionStream({
      session,
      requestContext,
      response,
      lastEventId,
      changes: this.#parts.changes,
      remoteStreams: this.#parts.remoteStreams,
      draining: this.#draining,
    })
  }

  readonly #end = (visit: Visit): void => {
    visit.audit.note({ method: 'end session' })
    const id = visit.header(SESSION_HEADER)
    if (id === undefined) throw new Fault('request.method', { method: 'DELETE', allowed: 'POST' })
    this.#sessions.end(visit.requestContext.owner, id)
    visit.response.writeHead(204).end()
  }

  async answer(request: IncomingMessage, response: ServerResponse, place: EndpointPath): Promise<void> {
    const audit = this.#parts.auditLog.begin(0, correlationOf(request), fromOf(request, this.#parts.clients))
    try {
      const under = this.#receive(request, response, place, audit)
      if (under !== undefined) await under
    } catch (thrown) {
      const fault = await countUnknown(thrown, this.#parts.limits)
      refuse({ response, audit, fault, id: undefined, era: 'legacy', challenge: this.#challenge })
    } finally {
      audit.close()
    }
  }
}

/** Tells when the client is gone, be it by now, until the returned function is called. */
function whenLeft(response: ServerResponse, tell: () => void): () => void {
  if (!response.destroyed) return onceClosed(response, tell)
  tell()
  return () => {}
}

const isOpening = (message: Message): boolean => isRequest(message) && message.method === 'initialize'
