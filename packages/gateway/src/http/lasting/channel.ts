/**
 * One client at the other end of a lasting line, be it the pair of 2024-11-05 or a WebSocket: its messages come in one by one,
 * and everything for it goes out over one way. What HTTP tells apart by exchange is told apart by id here.
 *
 * The line is its session: a legacy client's session is opened on it, used by it alone and ends with it, as does what is under
 * way. Who the client is was found out by the door, for every message anew; what a call is and may do is decided in `call/`.
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
import { createDifference } from '../../call/discovery/difference.ts'
import { isModern, readLegacy, readModern, type Entrance } from '../../call/enter.ts'
import type { Answer, RequestContext } from '../../call/ports.ts'
import { passOn } from '../../call/listening/told.ts'
import type { AuditEntryBuilder, AuditLog } from '../../call/audit-entry.ts'
import type { Session, Sessions } from '../../sessions/sessions.ts'
import { cancelNamed, createClientLine, settleQuestion, type ClientLine } from '../mcp/client-line.ts'
import { createBatch } from '../mcp/mcp-batch.ts'
import { errorOf, failureOf } from '../say-fault.ts'
import type { CallsUnderWay } from '../streams/calls-under-way.ts'

export interface ChannelParts {
  readonly entrance: Entrance
  readonly sessions: Sessions
  readonly changes: Changes
  readonly auditLog: AuditLog
  /** Aborted when the gateway drains: listening ends, no request begins, and the line ends with its last answer. */
  readonly draining: AbortSignal
  readonly calls: Pick<CallsUnderWay, 'hold'>
}

/** The way out, as the transport has it. */
export interface Wire {
  /** One JSON text. False when it cannot be sent: the client is gone, or reads too slowly and is cut off. */
  send(text: string): boolean
  /** End the line from our side, for this reason. */
  close(reason: Fault): void
  /** Where a token can be brought for the rest of the line: the one it began with, and what judges those that messages name. */
  readonly bringing?: {
    readonly first: string | undefined
    /** Throws `credential.brought-shape`. */
    judge(token: unknown): string | undefined
  }
  /** Whether requests of revision 2026-07-28 are served on this transport. */
  readonly modern: boolean
  /** What is said by headers elsewhere: the revision of a legacy client that has not opened a session. */
  readonly header: HeaderReader
}

/** A message, or a batch of what may be messages. */
export type Incoming = Message | readonly Json[]

export interface Channel {
  /** Whatever it is, it is answered on the line; closes the audit. Never rejects. */
  take(incoming: Incoming, requestContext: RequestContext, audit: AuditEntryBuilder, brought?: string): Promise<void>
  /** Word a refusal on the line, and note it on the audit. */
  refuse(fault: Fault, id: Failure['id'], era: Era, audit: AuditEntryBuilder): void
  /** End the line from our side, and with it what `end` ends. */
  close(reason: Fault): void
  /** The line is gone: its session goes, and what is under way is cancelled. Once is enough. */
  end(): void
}

interface UnderWay {
  readonly id: Id
  readonly line: ClientLine
  readonly listens: boolean
}

/** Requests of one client at a time. */
const MOST_UNDER_WAY = 100

/** Names the token that the calls of a line bring. No method of MCP. */
const BRING = 'auth/setUserToken'

/** Throws `request.shape`. */
export const readIncoming = (value: Json): Incoming => (Array.isArray(value) ? value : readMessage(value))

export function createChannel(parts: ChannelParts, wire: Wire): Channel {
  const { entrance, sessions, changes, auditLog, draining, calls } = parts
  const answerBatch = createBatch({ entrance, auditLog, calls })
  const underWay = new Set<UnderWay>()
  let batches = 0
  let opened: { readonly session: Session; readonly owner: string; stopHearing(): void } | undefined
  /** What calls on this line bring, until another is named; nobody else sees it, and it ends with the line. */
  let brought: string | Fault | undefined = wire.bringing?.first
  /** A session is being opened, which takes a moment where requests are counted elsewhere. */
  let opening = false
  let ended = false

  const send = (message: object): number => {
    const text = JSON.stringify(message)
    return !ended && wire.send(text) ? text.length : 0
  }

  function refuse(fault: Fault, id: Failure['id'], era: Era, audit: AuditEntryBuilder): void {
    audit.note({ bytesOut: send(failureOf(id, errorOf(audit.fail(fault), era, audit.correlationId))) })
  }

  /** The client's session, as long as it exists; each use keeps it alive. */
  const sessionOf = ({ owner }: RequestContext): Session | undefined =>
    opened === undefined ? undefined : sessions.get(owner, opened.session.id)

  async function take(
    incoming: Incoming,
    requestContext: RequestContext,
    audit: AuditEntryBuilder,
    own?: string,
  ): Promise<void> {
    audit.note({ requestContext })
    try {
      if (isBatch(incoming)) await batch(incoming, requestContext, audit, own)
      else if (isResponse(incoming)) {
        audit.note({ method: 'response' })
        settleQuestion(sessionOf(requestContext), incoming)
      } else if (isRequest(incoming)) await ask(incoming, requestContext, audit, own)
      else tell(incoming, requestContext, audit)
    } catch (thrown) {
      // Nothing answers a notification or a response, not even a refusal (JSON-RPC 2.0, section 4.1).
      const fault = audit.fail(Fault.of(thrown))
      if (isBatch(incoming)) refuse(fault, undefined, 'legacy', audit)
    } finally {
      audit.close()
      rest()
    }
  }

  async function ask(
    request: Request,
    requestContext: RequestContext,
    audit: AuditEntryBuilder,
    own?: string,
  ): Promise<void> {
    const era: Era = isModern(request, wire.header) ? 'modern' : 'legacy'
    audit.note({ method: request.method })
    try {
      begin()
      if (era === 'modern' && !wire.modern && request.method !== 'server/discover') throw unspoken(request)
      if (era === 'legacy' && request.method === 'initialize') return await open(request, requestContext, audit)
      if (request.method === BRING && wire.bringing !== undefined) return passThroughTokenBy(request, era, audit)
      await answer(request, requestContext, era, audit, own)
    } catch (thrown) {
      const fault = Fault.of(thrown)
      // A client that cancelled hears no more of this request, in either era.
      if (fault.code === 'call.cancelled') audit.fail(fault)
      else refuse(fault, request.id, era, audit)
    }
  }

  /** Throws when no request may begin. */
  function begin(): void {
    if (ended) throw new Fault('call.cancelled')
    if (draining.aborted) throw new Fault('gateway.draining')
    if (underWay.size + batches >= MOST_UNDER_WAY) throw new Fault('channel.busy', { limit: MOST_UNDER_WAY })
  }

  function bring(params: Request['params']): void {
    try {
      brought = wire.bringing?.judge(params?.['token'] ?? undefined)
    } catch (thrown) {
      // Nothing is called with another credential than its caller thinks, also when it did not hear of this refusal.
      brought = Fault.of(thrown)
      throw brought
    }
  }

  function tokenOf(own: string | undefined): string | undefined {
    if (own === undefined && brought instanceof Fault) throw brought
    return own ?? (brought instanceof Fault ? undefined : brought)
  }

  /** Calls from here on bring this token, or none any more where it is null (ledger S3-OAU-07). */
  function passThroughTokenBy({ id, params }: Request, era: Era, audit: AuditEntryBuilder): void {
    bring(params)
    audit.note({ bytesOut: send({ jsonrpc: '2.0', id, result: era === 'modern' ? { resultType: 'complete' } : {} }) })
  }

  async function answer(
    request: Request,
    requestContext: RequestContext,
    era: Era,
    audit: AuditEntryBuilder,
    own: string | undefined,
  ): Promise<void> {
    const speaks = era === 'modern' && wire.modern
    const session = speaks ? undefined : sessionOf(requestContext)
    const mcpRequest = speaks ? readModern(request, undefined) : readLegacy(request, session, wire.header)
    const reply = { streams: true, send: (message: Message) => !line.signal.aborted && send(message) > 0 }
    const line = createClientLine({
      mcpRequest,
      session,
      header: undefined,
      reply,
      brought: tokenOf(own),
      audit,
      calls,
    })
    const one = { id: request.id, line, listens: mcpRequest.method === 'subscriptions/listen' }
    underWay.add(one)
    try {
      const given = await entrance.enter({ requestContext, mcpRequest, channel: line, audit })
      if (isCancelled(line)) throw Fault.of(line.signal.reason)
      if ('error' in given) audit.note({ outcome: 'failed' })
      audit.note({ bytesOut: send(responseOf(request, given)) })
    } finally {
      underWay.delete(one)
      line.done()
    }
  }

  function open(request: Request, requestContext: RequestContext, audit: AuditEntryBuilder): Promise<void> | void {
    if (opened !== undefined || opening) throw new Fault('session.open')
    const begun = entrance.initialize(requestContext, request)
    if (!(begun instanceof Promise)) return hold(request, requestContext, audit, begun)
    opening = true
    return begun.then((made) => hold(request, requestContext, audit, made)).finally(() => (opening = false))
  }

  function hold(
    request: Request,
    requestContext: RequestContext,
    audit: AuditEntryBuilder,
    { answer: given, session }: { answer: Answer; session: Session },
  ): void {
    // The line may have ended while the opening was counted.
    if (ended) return sessions.end(requestContext.owner, session.id)
    audit.note({ eraClient: session.revision, bytesOut: send(responseOf(request, given)) })
    session.stream = (message) => void send(message)
    const listsDiffer = createDifference(requestContext, session.caller, session.announced)
    const stopHearing = changes.listen(requestContext.organizationId, {
      sees: (connectionId) => requestContext.sees(connectionId),
      onChange(kind) {
        if (listsDiffer(kind)) void send({ jsonrpc: '2.0', method: `notifications/${kind}/list_changed` })
      },
    })
    opened = { session, owner: requestContext.owner, stopHearing }
    // Somebody else may end it: one that is needed more, or whoever runs the gateway.
    session.ended.signal.addEventListener('abort', () => close(new Fault('session.unknown')), { once: true })
  }

  /** A notification: `cancelled` ends what it names; what a client says of itself goes to its servers. */
  function tell(message: Notification, requestContext: RequestContext, audit: AuditEntryBuilder): void {
    audit.note({ method: message.method })
    if (message.method === BRING && wire.bringing !== undefined) return bring(message.params)
    if (opened !== undefined) passOn(requestContext, opened.session, message)
    if (message.method !== 'notifications/cancelled') return
    // What stands in a batch is known to the session only.
    cancelNamed(opened?.session, message)
    for (const { id, line } of underWay)
      if (id === message.params?.['requestId']) line.cancel(new Fault('call.cancelled'))
  }

  async function batch(
    values: readonly Json[],
    requestContext: RequestContext,
    audit: AuditEntryBuilder,
    own?: string,
  ): Promise<void> {
    audit.note({ method: 'batch' })
    const session = sessionOf(requestContext)
    // Only a session's requests end with the line, so nothing of a batch may run without one.
    if (session === undefined) throw new Fault('request.batch', { revision: 'unknown, as no session is open' })
    if (!takesBatches(session.revision)) throw new Fault('request.batch', { revision: session.revision })
    begin()
    batches++
    try {
      const { correlationId, from } = audit
      const by = { requestContext, session, header: wire.header, correlationId, from, brought: tokenOf(own) }
      const answers = await answerBatch({ values, ...by })
      if (answers.length > 0) audit.note({ bytesOut: send(answers) })
    } finally {
      batches--
    }
  }

  function drain(): void {
    for (const { line, listens } of underWay) if (listens) line.cancel(new Fault('gateway.draining'))
    rest()
  }

  /** While the gateway drains, a line with nothing under way has no reason to stay. */
  function rest(): void {
    if (draining.aborted && underWay.size + batches === 0) close(new Fault('gateway.draining'))
  }

  function close(reason: Fault): void {
    if (ended) return
    wire.close(reason)
    end()
  }

  function end(): void {
    if (ended) return
    ended = true
    draining.removeEventListener('abort', drain)
    for (const { line } of underWay) line.cancel(new Fault('call.cancelled'))
    if (opened === undefined) return
    const { session, owner, stopHearing } = opened
    stopHearing()
    session.stream = undefined
    if (!session.ended.signal.aborted) sessions.end(owner, session.id)
  }

  draining.addEventListener('abort', drain, { once: true })
  return { take, refuse, close, end }
}

const isBatch = (incoming: Incoming): incoming is readonly Json[] => Array.isArray(incoming)

const isCancelled = ({ signal }: ClientLine): boolean =>
  signal.aborted && Fault.of(signal.reason).code === 'call.cancelled'

/** What to say to a request of a revision that this transport was not made for. */
function unspoken({ params }: Request): Fault {
  const supported = REVISIONS.filter((revision) => revision !== MODERN).reverse()
  return new Fault('envelope.version', {}, { data: { supported, requested: metaOf(params)[VERSION_KEY] ?? MODERN } })
}
