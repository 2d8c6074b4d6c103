/**
 * What a legacy client does with its session beside calls: it opens it, says something or answers a question of ours, fetches its
 * stream, ends it, and sends a batch.
 */
import { Fault } from '@toolway/contract'
import {
  isLegacyRevision,
  responseOf,
  takesBatches,
  UNSTATED,
  type Json,
  type Notification,
  type Request,
  type Response,
} from '@toolway/protocol'
import { forwardToUpstreams } from '../../call/listening/forward-to-upstreams.ts'
import { accepts, PASS_THROUGH_HEADER, SESSION_HEADER } from '../request-head.ts'
import { cancelNamedRequest, settleQuestion } from './request-channel.ts'
import { createReply } from './reply.ts'
import { openSessionStream } from './session-stream.ts'
import {
  continueAfterLeave,
  restoreSession,
  sessionOf,
  type McpAnswerParts,
  type HttpExchange,
} from './http-exchange.ts'

export async function openSession(parts: McpAnswerParts, exchange: HttpExchange, message: Request): Promise<void> {
  const { requestContext, response, audit, prefersStream } = exchange
  audit.note({ method: 'initialize' })
  if (parts.givesSession?.(requestContext, message) !== true) {
    const { answer, revision } = await parts.dispatcher.initializeAlone(requestContext, message)
    audit.note({ eraClient: revision })
    const reply = createReply(response, { accepts: false, prefersStream, headers: {} })
    return audit.note({ bytesOut: reply.end(responseOf(message, answer), 200) })
  }
  const { answer, session } = await parts.dispatcher.initialize(requestContext, message)
  audit.note({ eraClient: session.revision })
  await parts.keepSessions.keep(requestContext, session)
  const reply = createReply(response, { accepts: false, prefersStream, headers: { [SESSION_HEADER]: session.id } })
  audit.note({ bytesOut: reply.end(responseOf(message, answer), 200) })
}

/** A notification: `cancelled` ends what it names; what a client says of itself goes to its servers. */
export function receiveNotification(
  parts: McpAnswerParts,
  exchange: HttpExchange,
  { method, params }: Notification,
): void {
  const { requestContext, audit, response } = exchange
  audit.note({ method })
  const session = sessionOf(parts, exchange)
  const notification = { method, ...(params === undefined ? {} : { params }) }
  cancelNamedRequest(session, notification)
  if (session !== undefined) forwardToUpstreams(requestContext, session, { jsonrpc: '2.0', ...notification })
  if (session !== undefined && method === 'notifications/cancelled')
    parts.otherProcesses?.tell(requestContext.owner, session.id, { jsonrpc: '2.0', ...notification })
  response.writeHead(202).end()
}

/** An answer to a question of ours. */
export function settleAnswer(parts: McpAnswerParts, exchange: HttpExchange, message: Response): void {
  const { requestContext, audit, response } = exchange
  audit.note({ method: 'response' })
  const session = sessionOf(parts, exchange)
  if (!settleQuestion(session, message) && session !== undefined)
    parts.otherProcesses?.tell(requestContext.owner, session.id, message)
  response.writeHead(202).end()
}

export function openStream(parts: McpAnswerParts, exchange: HttpExchange): Promise<void> | void {
  const { inbound, request, response, requestContext, audit, header } = exchange
  audit.note({ method: 'stream' })
  if (!accepts(request.headers.accept, 'text/event-stream')) throw new Fault('request.not-acceptable')
  const session = sessionOf(parts, exchange)
  // Nor does a stream of 2024-11-05 begin here: whoever may want one has its own address (ADR 8).
  if (session === undefined) throw new Fault('request.method', { method: 'GET', allowed: 'POST' })
  response.once(
    'close',
    parts.open.register(inbound, () => response.end(), requestContext.organizationId),
  )
  const { changes, remoteStreams, draining } = parts
  const lastEventId = header('last-event-id')
  return openSessionStream({ session, requestContext, response, lastEventId, changes, remoteStreams, draining })
}

export function endSession(
  { sessions }: McpAnswerParts,
  { header, requestContext, response, audit }: HttpExchange,
): void {
  audit.note({ method: 'end session' })
  const id = header(SESSION_HEADER)
  if (id === undefined) throw new Fault('request.method', { method: 'DELETE', allowed: 'POST' })
  sessions.end(requestContext.owner, id)
  response.writeHead(204).end()
}

export async function answerBatch(
  parts: McpAnswerParts,
  exchange: HttpExchange,
  values: readonly Json[],
): Promise<void> {
  const { audit, request, response, header, requestContext, inbound, prefersStream } = exchange
  await restoreSession(parts, exchange)
  const session = sessionOf(parts, exchange)
  const version = header('mcp-protocol-version')
  const revision = session?.revision ?? (isLegacyRevision(version) ? version : UNSTATED)
  if (!takesBatches(revision) || (version !== undefined && !isLegacyRevision(version))) {
    throw new Fault('request.batch', { revision: version ?? revision })
  }
  audit.note({ method: 'batch' })
  const passThroughToken = parts.readPassThroughToken(request.headers[PASS_THROUGH_HEADER], inbound.authorization)
  const left = new AbortController()
  const stay = continueAfterLeave(parts, exchange, () => left.abort())
  const { correlationId, from } = audit
  const batch = { values, requestContext, session, header, correlationId, from, givenUp: left.signal, passThroughToken }
  const answers = await parts.answerBatch(batch)
  stay()
  if (answers.length === 0) return void response.writeHead(202).end()
  const reply = createReply(response, { accepts: false, prefersStream, headers: {} })
  audit.note({ bytesOut: reply.end(answers, 200) })
}
