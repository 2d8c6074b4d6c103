/**
 * One HTTP request at the MCP door, once its caller is admitted, and what the functions of both eras need for it: its session, what
 * happens when its client leaves, listening, and the refusal of a call.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Fault } from '@toolway/contract'
import type { Era, HeaderReader, McpRequest, Message, Request } from '@toolway/protocol'
import type { AuditEntryBuilder } from '../../call/audit-entry.ts'
import type { ReadPassThroughToken } from '../../call/callers/pass-through-token.ts'
import type { RequestDispatcher } from '../../call/dispatch.ts'
import type { Changes } from '../../catalog/changes.ts'
import type { KeepSessions } from '../../features/runtime/index.ts'
import type { RemoteStreams } from '../../sessions/remote-streams.ts'
import type { Session, Sessions } from '../../sessions/sessions.ts'
import type { Inbound } from '../../snapshot/ports/endpoint.ts'
import type { RequestContext } from '../../snapshot/ports/request-context.ts'
import { placeOf } from '../intake/take-in.ts'
import type { Challenge } from '../oauth/challenge.ts'
import { refuse } from '../refuse.ts'
import { SESSION_HEADER } from '../request-head.ts'
import type { CallsUnderWay } from '../streams/calls-under-way.ts'
import type { OpenStreams } from '../streams/open-streams.ts'
import { onceClosed } from '../streams/unread-answers.ts'
import type { Abandoned } from './abandoned.ts'
import type { RequestChannel } from './request-channel.ts'
import type { createBatch } from './mcp-batch.ts'
import type { Reply } from './reply.ts'

/** The part of one HTTP request that all messages in it share. */
export interface HttpExchange {
  readonly inbound: Inbound
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly header: HeaderReader
  /** Whether the client asks for event streams. */
  readonly prefersStream: boolean
  readonly requestContext: RequestContext
  readonly audit: AuditEntryBuilder
}

/** What an era needs to answer a message. */
export interface McpAnswerParts {
  readonly readPassThroughToken: ReadPassThroughToken
  readonly dispatcher: RequestDispatcher
  readonly sessions: Sessions
  /** Whether a client that opens a session gets one; undefined where no client ever does. */
  readonly givesSession: ((requestContext: RequestContext, request: Request) => boolean) | undefined
  /** Sessions that memory does not know may live again. */
  readonly keepSessions: Pick<KeepSessions, 'keep' | 'recall'>
  readonly changes: Changes
  /** Streams that other gateways hold; undefined where there is no other gateway. */
  readonly remoteStreams?: RemoteStreams | undefined
  readonly open: OpenStreams
  readonly challenge: Challenge
  /** Aborted when the gateway drains: open streams end, and no new request begins. */
  readonly draining: AbortSignal
  readonly calls: CallsUnderWay
  /** Other processes of this port, where the call that an answer or `cancelled` is for may run. */
  readonly otherProcesses?: { tell(owner: string, session: string, message: Message): void } | undefined
  readonly answerBatch: ReturnType<typeof createBatch>
  /** Requests of legacy clients that are gone. */
  readonly abandoned: Abandoned
}

const LISTEN = 'subscriptions/listen'

/**
 * Holds a listener open until its caller may not listen any more or the gateway drains. Undefined for every other request; else call
 * what it returns when the request is over. A listener may stay for hours and is no call any more: it leaves its place among the calls.
 */
export function keepListenerOpen(
  { open, draining }: McpAnswerParts,
  { request, inbound, requestContext }: HttpExchange,
  { method }: McpRequest,
  channel: RequestChannel,
): (() => void) | undefined {
  if (method !== LISTEN) return undefined
  const drain = () => channel.cancel(new Fault('gateway.draining'))
  draining.addEventListener('abort', drain, { once: true })
  const release = open.register(inbound, (fault) => channel.cancel(fault), requestContext.organizationId)
  placeOf(request)?.end()
  return () => {
    draining.removeEventListener('abort', drain)
    release()
  }
}

/** Calls `tell` when the client is gone, be it by now, until the returned function is called. */
export function onClientLeft({ response }: Pick<HttpExchange, 'response'>, tell: () => void): () => void {
  if (!response.destroyed) return onceClosed(response, tell)
  tell()
  return () => {}
}

/** The session that a legacy client names. Throws `session.unknown`. */
export function sessionOf({ sessions }: McpAnswerParts, { header, requestContext }: HttpExchange): Session | undefined {
  const id = header(SESSION_HEADER)
  return id === undefined ? undefined : sessions.get(requestContext.owner, id)
}

/** Loads a session that is not in memory, before it is looked up. */
export async function restoreSession(
  { sessions, keepSessions, givesSession }: McpAnswerParts,
  { header, requestContext }: HttpExchange,
): Promise<void> {
  const id = header(SESSION_HEADER)
  if (id === undefined || givesSession === undefined || sessions.holds(id)) return
  await keepSessions.recall(requestContext, id)
}

/** A legacy client's leaving ends nothing, as long as it leaves little behind. Call what it returns when the request is over. */
export function continueAfterLeave(
  { abandoned }: McpAnswerParts,
  exchange: HttpExchange,
  cancel: () => void,
): () => void {
  let over: (() => void) | undefined
  const stay = onClientLeft(exchange, () => (over = abandoned.leave(exchange.requestContext.owner, cancel)))
  return () => {
    stay()
    over?.()
  }
}

/** Words the end of a call that failed. A client that cancelled hears no more of its request, in either era. */
export function refuseCall(
  { challenge }: Pick<McpAnswerParts, 'challenge'>,
  { response, audit }: HttpExchange,
  { thrown, request: { id }, era, reply }: { thrown: unknown; request: Request; era: Era; reply: Reply },
): void {
  const fault = Fault.of(thrown)
  if (fault.code === 'call.cancelled' && reply.close()) audit.fail(fault)
  else refuse({ response, audit, fault, id, era, challenge, reply })
}
