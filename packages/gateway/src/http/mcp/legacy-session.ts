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
import { passOn } from '../../call/listening/told.ts'
import { accepts, PASS_THROUGH_HEADER, SESSION_HEADER } from '../request-head.ts'
import { cancelNamed, settleQuestion } from './client-line.ts'
import { createReply } from './reply.ts'
import { openSessionStream } from './session-stream.ts'
import { outlive, recallSession, sessionOf, type EraParts, type Visit } from './visit.ts'

export async function openSession(parts: EraParts, visit: Visit, message: Request): Promise<void> {
  const { requestContext, response, audit, prefers } = visit
  audit.note({ method: 'initialize' })
  if (parts.givesSession?.(requestContext, message) !== true) {
    const { answer, revision } = await parts.entrance.initializeAlone(requestContext, message)
    audit.note({ eraClient: revision })
    const reply = createReply(response, { accepts: false, prefers, headers: {} })
    return audit.note({ bytesOut: reply.end(responseOf(message, answer), 200) })
  }
  const { answer, session } = await parts.entrance.initialize(requestContext, message)
  audit.note({ eraClient: session.revision })
  await parts.keepSessions.keep(requestContext, session)
  const reply = createReply(response, { accepts: false, prefers, headers: { [SESSION_HEADER]: session.id } })
  audit.note({ bytesOut: reply.end(responseOf(message, answer), 200) })
}

/** A notification: `cancelled` ends what it names; what a client says of itself goes to its servers. */
export function hearClient(parts: EraParts, visit: Visit, { method, params }: Notification): void {
  const { requestContext, audit, response } = visit
  audit.note({ method })
  const session = sessionOf(parts, visit)
  const notification = { method, ...(params === undefined ? {} : { params }) }
  cancelNamed(session, notification)
  if (session !== undefined) passOn(requestContext, session, { jsonrpc: '2.0', ...notification })
  if (session !== undefined && method === 'notifications/cancelled')
    parts.elsewhere?.tell(requestContext.owner, session.id, { jsonrpc: '2.0', ...notification })
  response.writeHead(202).end()
}

/** An answer to a question of ours. */
export function settleAnswer(parts: EraParts, visit: Visit, message: Response): void {
  const { requestContext, audit, response } = visit
  audit.note({ method: 'response' })
  const session = sessionOf(parts, visit)
  if (!settleQuestion(session, message) && session !== undefined)
    parts.elsewhere?.tell(requestContext.owner, session.id, message)
  response.writeHead(202).end()
}

export function openStream(parts: EraParts, visit: Visit): Promise<void> | void {
  const { inbound, request, response, requestContext, audit, header } = visit
  audit.note({ method: 'stream' })
  if (!accepts(request.headers.accept, 'text/event-stream')) throw new Fault('request.not-acceptable')
  const session = sessionOf(parts, visit)
  // Nor does a stream of 2024-11-05 begin here: whoever may want one has its own address (ADR 8).
  if (session === undefined) throw new Fault('request.method', { method: 'GET', allowed: 'POST' })
  response.once(
    'close',
    parts.open.hold(inbound, () => response.end(), requestContext.organizationId),
  )
  const { changes, remoteStreams, draining } = parts
  const lastEventId = header('last-event-id')
  return openSessionStream({ session, requestContext, response, lastEventId, changes, remoteStreams, draining })
}

export function endSession({ sessions }: EraParts, { header, requestContext, response, audit }: Visit): void {
  audit.note({ method: 'end session' })
  const id = header(SESSION_HEADER)
  if (id === undefined) throw new Fault('request.method', { method: 'DELETE', allowed: 'POST' })
  sessions.end(requestContext.owner, id)
  response.writeHead(204).end()
}

export async function answerBatch(parts: EraParts, visit: Visit, values: readonly Json[]): Promise<void> {
  const { audit, request, response, header, requestContext, inbound, prefers } = visit
  await recallSession(parts, visit)
  const session = sessionOf(parts, visit)
  const version = header('mcp-protocol-version')
  const revision = session?.revision ?? (isLegacyRevision(version) ? version : UNSTATED)
  if (!takesBatches(revision) || (version !== undefined && !isLegacyRevision(version))) {
    throw new Fault('request.batch', { revision: version ?? revision })
  }
  audit.note({ method: 'batch' })
  const brought = parts.brought(request.headers[PASS_THROUGH_HEADER], inbound.authorization)
  const left = new AbortController()
  const stay = outlive(parts, visit, () => left.abort())
  const { correlationId, from } = audit
  const batch = { values, requestContext, session, header, correlationId, from, givenUp: left.signal, brought }
  const answers = await parts.answerBatch(batch)
  stay()
  if (answers.length === 0) return void response.writeHead(202).end()
  const reply = createReply(response, { accepts: false, prefers, headers: {} })
  audit.note({ bytesOut: reply.end(answers, 200) })
}
