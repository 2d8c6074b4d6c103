/**
 * The MCP door over HTTP: every revision at one address (Streamable HTTP, specifications 2025-03-26 to 2026-07-28).
 *
 * It receives (method, media type, size, JSON), has the request admitted, tells the eras apart and words the answer. What a
 * call is and what it may do is decided behind it, in `call/`. Identity comes before the body: a stranger's bytes are not read.
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
import type { KeepSessions } from '../jobs/keep-sessions.ts'
import { isModern, readLegacy, readModern, type Entrance } from '../call/enter.ts'
import type { ReadPassThroughToken } from '../call/callers/pass-through-token.ts'
import type { Inbound, Place, RequestContext } from '../call/ports.ts'
import { passOn } from '../call/listening/told.ts'
import type { AuditEntryBuilder, AuditLog } from '../call/audit-entry.ts'
import type { Limits } from '../limits/limits.ts'
import type { Session, Sessions } from '../sessions/sessions.ts'
import { createAbandoned } from './mcp/abandoned.ts'
import type { Challenge } from './oauth/challenge.ts'
import { cameSlowly, readBody, textOf } from './body.ts'
import type { Clients } from './client-address.ts'
import { countUnknown } from './count-unknown.ts'
import { cancelNamed, createClientLine, settleQuestion, type ClientLine } from './mcp/client-line.ts'
import { createBatch } from './mcp/mcp-batch.ts'
import type { CallsUnderWay } from './streams/calls-under-way.ts'
import type { OpenStreams } from './streams/open-streams.ts'
import { openSessionStream } from './mcp/session-stream.ts'
import { createReply } from './mcp/reply.ts'
import { refuse } from './refuse.ts'
import {
  accepts,
  PASS_THROUGH_HEADER,
  correlationOf,
  fromOf,
  headerOf,
  isJsonType,
  onBehalfIn,
  prefersStream,
} from './request-head.ts'
import { createSessionReply } from './mcp/session-reply.ts'
import { statusOfError } from './say-fault.ts'
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
}

export interface McpDoor {
  answer(request: IncomingMessage, response: ServerResponse, place: Place): Promise<void>
}

const SESSION_HEADER = 'mcp-session-id'

/** What one HTTP request brings to each message in it. */
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

export function createMcpDoor(parts: McpDoorParts): McpDoor {
  const { admit, entrance, sessions, givesSession, keepSessions, changes, auditLog, open, challenge } = parts
  const { bodyLimit, draining, calls } = parts
  const answerBatch = createBatch({ entrance, auditLog, calls })
  const abandoned = createAbandoned()

  /** Memory knows most callers: only for the others does admission take a turn of the event loop. */
  function receive(
    request: IncomingMessage,
    response: ServerResponse,
    place: Place,
    audit: AuditEntryBuilder,
  ): Promise<void> | void {
    response.setHeader('x-correlation-id', audit.correlationId)
    if (draining.aborted) throw new Fault('gateway.draining')
    const onBehalfOf = onBehalfIn(request)
    const enter = (authorization: string | undefined) =>
      entered({ place, authorization, onBehalfOf }, request, response, audit)
    return parts.authorize === undefined ? enter(request.headers.authorization) : parts.authorize(request).then(enter)
  }

  function entered(
    inbound: Inbound,
    request: IncomingMessage,
    response: ServerResponse,
    audit: AuditEntryBuilder,
  ): Promise<void> | void {
    const admitted = admit(inbound)
    const visit = (requestContext: RequestContext) =>
      visited({
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

  function visited(visit: Visit): Promise<void> | void {
    const { request, requestContext, audit } = visit
    audit.note({ requestContext })
    if (request.method === 'POST') return post(visit)
    const answer = request.method === 'GET' ? stream : request.method === 'DELETE' ? end : undefined
    if (answer === undefined)
      throw new Fault('request.method', { method: request.method ?? '?', allowed: 'POST, GET, DELETE' })
    const recalling = recall(visit)
    return recalling === undefined ? answer(visit) : recalling.then(() => answer(visit))
  }

  /** What must be waited for before a session can be found: memory knows most, and then there is nothing. */
  function recall({ header, requestContext }: Visit): Promise<void> | undefined {
    const id = header(SESSION_HEADER)
    return id === undefined || givesSession === undefined || sessions.holds(id)
      ? undefined
      : keepSessions.recall(requestContext, id)
  }

  async function post(visit: Visit): Promise<void> {
    const { request, audit } = visit
    if (!isJsonType(request.headers['content-type'])) throw new Fault('request.media-type')
    if (!accepts(request.headers.accept, 'application/json') && !accepts(request.headers.accept, 'text/event-stream')) {
      throw new Fault('request.not-acceptable')
    }
    const body = await readBody(request, bodyLimit)
    audit.note({ bytesIn: body.length })
    if (cameSlowly(audit.begun)) await admit(visit.inbound)
    const value = parseJson(textOf(body))
    await (Array.isArray(value) ? batch(visit, value) : single(visit, value))
  }

  function single(visit: Visit, value: Json): Promise<void> | void {
    const { header, audit } = visit
    let era: Era = 'legacy'
    const refused = (thrown: unknown) =>
      refuse({ response: visit.response, audit, fault: Fault.of(thrown), id: idOf(value), era, challenge })
    try {
      const message = readMessage(value)
      era = !isResponse(message) && isModern(message, header) ? 'modern' : 'legacy'
      const recalling = era === 'modern' || isOpening(message) ? undefined : recall(visit)
      if (recalling !== undefined) return recalling.then(() => take(visit, message, era)).catch(refused)
      const taken = take(visit, message, era)
      // What else goes wrong later is worded where the reply is.
      return taken !== undefined && isOpening(message) ? taken.catch(refused) : taken
    } catch (thrown) {
      refused(thrown)
    }
  }

  function take(visit: Visit, message: Message, era: Era): Promise<void> | void {
    if (isResponse(message)) return answered(visit, message)
    if (!isRequest(message)) return told(visit, message, era)
    if (era === 'legacy' && isOpening(message)) return initialize(visit, message)
    return ask(visit, message, era)
  }

  async function initialize({ requestContext, response, audit, prefers }: Visit, request: Request): Promise<void> {
    audit.note({ method: 'initialize' })
    if (givesSession?.(requestContext, request) !== true) {
      const { answer, revision } = await entrance.initializeAlone(requestContext, request)
      audit.note({ eraClient: revision })
      audit.note({
        bytesOut: createReply(response, { accepts: false, prefers, headers: {} }).end(responseOf(request, answer), 200),
      })
      return
    }
    const { answer, session } = await entrance.initialize(requestContext, request)
    audit.note({ eraClient: session.revision })
    await keepSessions.keep(requestContext, session)
    const reply = createReply(response, { accepts: false, prefers, headers: { [SESSION_HEADER]: session.id } })
    audit.note({ bytesOut: reply.end(responseOf(request, answer), 200) })
  }

  /** Throws at once for what cannot be read; what comes later is worded on the reply. */
  function ask(visit: Visit, request: Request, era: Era): Promise<void> {
    const { header } = visit
    // What is wrong with its head is wrong with a call all the same.
    visit.audit.note({ method: request.method })
    const session = era === 'legacy' ? sessionOf(visit) : undefined
    const mcpRequest = era === 'modern' ? readModern(request, header) : readLegacy(request, session, header)
    return answer(visit, request, mcpRequest, session, era, passThroughTokenIn(visit))
  }

  async function answer(
    visit: Visit,
    request: Request,
    mcpRequest: McpRequest,
    session: Session | undefined,
    era: Era,
    brought: string | undefined,
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
      brought,
      audit,
      calls,
    })
    const release = holdOpen(visit, mcpRequest, line, era)
    try {
      if (mcpRequest.method === 'subscriptions/listen' && !streams) throw new Fault('request.not-acceptable')
      const given = await entrance.enter({ requestContext, mcpRequest, channel: line, audit })
      if ('error' in given) audit.note({ outcome: 'failed' })
      const status = 'error' in given && era === 'modern' ? statusOfError(given.error.code) : 200
      audit.note({ bytesOut: reply.end(responseOf(request, given), status) })
    } catch (thrown) {
      const fault = Fault.of(thrown)
      // A client that cancelled hears no more of this request, in either era.
      if (fault.code === 'call.cancelled') {
        audit.fail(fault)
        reply.close()
      } else refuse({ response, audit, fault, id: request.id, era, challenge, reply })
    } finally {
      release()
      line.done()
    }
  }

  /** Throws `credential.brought-shape`: a call never goes on with another credential than its caller thinks. */
  const passThroughTokenIn = ({ request: { headers }, inbound }: Visit): string | undefined =>
    parts.brought(headers[PASS_THROUGH_HEADER], inbound.authorization)

  /** What ends a request besides its answer: its client's leaving, in the modern era only, and for listening the gateway's own end. */
  function holdOpen(visit: Visit, { method }: McpRequest, line: ClientLine, era: Era): () => void {
    const { response, inbound } = visit
    const cancel = () => line.cancel(new Fault('call.cancelled'))
    const drain = () => line.cancel(new Fault('gateway.draining'))
    const listens = method === 'subscriptions/listen'
    // A legacy client says `cancelled` when it means it.
    const back = era === 'modern' ? whenLeft(response, cancel) : outlive(visit, cancel)
    if (listens) draining.addEventListener('abort', drain, { once: true })
    const release = listens ? open.hold(inbound, cancel) : undefined
    return () => {
      back()
      if (release === undefined) return
      draining.removeEventListener('abort', drain)
      release()
    }
  }

  /** A legacy client's leaving ends nothing, as long as it leaves little behind. */
  function outlive({ response, requestContext }: Visit, cancel: () => void): () => void {
    let over: (() => void) | undefined
    const back = whenLeft(response, () => (over = abandoned.leave(requestContext.owner, cancel)))
    return () => {
      back()
      over?.()
    }
  }

  async function batch(visit: Visit, values: readonly Json[]): Promise<void> {
    const { audit, response, header, requestContext } = visit
    await recall(visit)
    const session = sessionOf(visit)
    const version = header('mcp-protocol-version')
    const revision = session?.revision ?? (isLegacyRevision(version) ? version : UNSTATED)
    if (!takesBatches(revision) || (version !== undefined && !isLegacyRevision(version))) {
      throw new Fault('request.batch', { revision: version ?? revision })
    }
    audit.note({ method: 'batch' })
    const brought = passThroughTokenIn(visit)
    const given = new AbortController()
    const back = outlive(visit, () => given.abort())
    const { correlationId, from } = audit
    const givenUp = given.signal
    const answers = await answerBatch({
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

  function sessionOf({ header, requestContext }: Visit): Session | undefined {
    const id = header(SESSION_HEADER)
    return id === undefined ? undefined : sessions.get(requestContext.owner, id)
  }

  /** A notification: `cancelled` ends what it names; what a client says of itself goes to its servers. */
  function told(visit: Visit, { method, params }: Exclude<Message, Response>, era: Era): void {
    visit.audit.note({ method })
    const session = era === 'legacy' ? sessionOf(visit) : undefined
    const said = { method, ...(params === undefined ? {} : { params }) }
    cancelNamed(session, said)
    if (session !== undefined) passOn(visit.requestContext, session, { jsonrpc: '2.0', ...said })
    visit.response.writeHead(202).end()
  }

  /** An answer to a question of ours. */
  function answered(visit: Visit, message: Response): void {
    visit.audit.note({ method: 'response' })
    settleQuestion(sessionOf(visit), message)
    visit.response.writeHead(202).end()
  }

  function stream(visit: Visit): Promise<void> | void {
    visit.audit.note({ method: 'stream' })
    if (!accepts(visit.request.headers.accept, 'text/event-stream')) throw new Fault('request.not-acceptable')
    const session = sessionOf(visit)
    // Nor does a stream of 2024-11-05 begin here: whoever may want one has its own address (ADR 8).
    if (session === undefined) throw new Fault('request.method', { method: 'GET', allowed: 'POST' })
    const { requestContext, response } = visit
    response.once(
      'close',
      open.hold(visit.inbound, () => response.end()),
    )
    const lastEventId = visit.header('last-event-id')
    return openSessionStream({ session, requestContext, response, lastEventId, changes, draining })
  }

  function end(visit: Visit): void {
    visit.audit.note({ method: 'end session' })
    const id = visit.header(SESSION_HEADER)
    if (id === undefined) throw new Fault('request.method', { method: 'DELETE', allowed: 'POST' })
    sessions.end(visit.requestContext.owner, id)
    visit.response.writeHead(204).end()
  }

  async function answerOne(request: IncomingMessage, response: ServerResponse, place: Place): Promise<void> {
    const audit = auditLog.begin(0, correlationOf(request), fromOf(request, parts.clients))
    try {
      const under = receive(request, response, place, audit)
      if (under !== undefined) await under
    } catch (thrown) {
      const fault = await countUnknown(thrown, parts.limits)
      refuse({ response, audit, fault, id: undefined, era: 'legacy', challenge })
    } finally {
      audit.close()
    }
  }

  return { answer: answerOne }
}

/** Tells when the client is gone, be it by now, until the returned function is called. */
function whenLeft(response: ServerResponse, tell: () => void): () => void {
  if (response.destroyed) tell()
  else response.once('close', tell)
  return () => void response.removeListener('close', tell)
}

const isOpening = (message: Message): boolean => isRequest(message) && message.method === 'initialize'
