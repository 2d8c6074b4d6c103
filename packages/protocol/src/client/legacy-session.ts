/**
 * One session with a legacy server over Streamable HTTP (revisions 2025-03-26 to 2025-11-25).
 *
 * The session is opened once, with exactly the capabilities of its holder. Messages that the server sends while it answers,
 * questions included, arrive on that request's own stream and go to that request.
 */
import { Fault } from '@toolway/contract'
import { isLegacyRevision, NEWEST_LEGACY, type LegacyRevision } from '../era.ts'
import { stripEnvelope } from '../eras/modern/envelope.ts'
import { isObject, type JsonObject } from '../json.ts'
import {
  isNotification,
  isRequest,
  progressTokenOf,
  type Id,
  type Message,
  type Notification,
  type Request,
} from '../message.ts'
import { traceHeaders } from '../trace.ts'
import {
  answerOf,
  answers,
  errorAnswer,
  header,
  lost,
  malformedUpstream,
  readAs,
  refuseStatus,
  endedUnanswered,
} from './answer.ts'
import { createLogLevel } from './log-level.ts'
import { OWN_CLIENT } from './modern.ts'
import {
  changedList,
  forCaller,
  HUMAN,
  MOST_QUESTIONS,
  REPEATABLE,
  tokenOf,
  type Answer,
  type CredentialHeaders,
  type ServerInfo,
  type SessionRequest,
} from './request.ts'
import { lossSignOf, lossSignOfError, SessionLost, type LossSign, type SessionDoubt } from './session-loss.ts'
import type { Incoming, Outgoing, Transport } from './transport.ts'

export interface LegacySession {
  readonly serverInfo: ServerInfo
  /** Whether it finds itself which call is meant by what comes beside the calls. */
  readonly attributes: boolean
  ask(request: SessionRequest): Promise<Answer>
  /** Its credential as it is by now; each ask that brings one presents it, too. */
  present(credential: CredentialHeaders): void
  /** How a ping fails in it, as a sign of `SessionDoubt`; the empty text where it does not, or where that says nothing of the session. */
  probe(signal: AbortSignal): Promise<string>
  /** The server's own stream (GET); returns when it ends or where the server has none (false). */
  stream(onMessage: (message: Message) => void, signal: AbortSignal, onOpen?: () => void): Promise<boolean>
  /** Say something that wants no answer, or is one. */
  tell(message: JsonObject): Promise<unknown>
  /** End it at the server, also when the pool of the calls has ended. */
  close(): Promise<void>
}

/** A session has one stream of its own, and its server has not noticed yet that ours is gone: some notice when they write to it. */
export class StreamTaken extends Error {}

/** The server refuses `initialize` with a status that says it may speak the older transport; `cause` is the fault it is otherwise. */
export class InitializeRefused extends Error {}
/** 2025-11-25, transports, backwards compatibility. */
const SAYS_OLDER = new Set([400, 404, 405])

const CLOSE_TIMEOUT_MS = 5_000
const LEVEL_PATIENCE_MS = 1_000
/** Seconds. */
const PROBE_PATIENCE_SECONDS = 10

export interface OpenOptions {
  readonly revision: LegacyRevision | undefined
  readonly capabilities: JsonObject
  /** The level that the session had before it was lost. */
  readonly logLevel: string | undefined
  readonly signal: AbortSignal
  /** The client's name and version; the gateway's own where it is unsaid. */
  readonly client?: JsonObject | undefined
  /** The session is used under this credential, as it is renewed, and under no other. */
  readonly credential?: CredentialHeaders | undefined
  /** Whoever holds it settles what is in doubt (`SessionLost.doubt`). Otherwise only a 404 means that the session is lost. */
  readonly doubts?: boolean
  /** Servers without a stream of their own say within calls that their lists have changed. */
  onListChanged(notification: Notification): void
}

/** The way to the server with the headers of a credential; without one the plain way. */
export type TransportFor = (credential: CredentialHeaders | undefined) => Transport

export async function openLegacySession(
  transportFor: TransportFor,
  ids: () => number,
  options: OpenOptions,
): Promise<LegacySession> {
  const plain = transportFor(undefined)
  const current = transportFor(options.credential)
  const { revision = NEWEST_LEGACY, capabilities, client = OWN_CLIENT, signal } = options
  const params = { protocolVersion: revision, capabilities, clientInfo: client }
  const opened = await initialize(current, ids(), params, signal)
  const session = new HttpSession({ transportFor, ids, options, plain, current, opened })
  try {
    await session.greet()
  } catch (thrown) {
    // The server has made a session by now, and nobody else would ever end it.
    void session.close()
    throw thrown
  }
  return session
}

interface HttpSessionParts {
  readonly transportFor: TransportFor
  readonly ids: () => number
  readonly options: OpenOptions
  readonly plain: Transport
  readonly current: Transport
  readonly opened: Awaited<ReturnType<typeof initialize>>
}

/** One request under way: the transport that it was sent with, its progress tokens and its time. */
interface Calling {
  readonly asked: SessionRequest
  readonly at: Transport
  readonly id: number
  readonly ours: ReturnType<typeof tokenOf> | undefined
  readonly theirs: ReturnType<typeof progressTokenOf>
  began: number
  /** Questions of the server that wait for an answer. */
  questions: number
  isAskedBeside: boolean
  /** The server said something about it: it works on it. */
  isHeard: boolean
}

class HttpSession implements LegacySession {
  readonly attributes = false
  readonly serverInfo: ServerInfo
  readonly #parts: HttpSessionParts
  readonly #sessionId: string | undefined
  readonly #headers: Readonly<Record<string, string>>
  /** That of the last request that brought its credential: what the session says beside its requests goes out with it. */
  #current: Transport
  readonly #logs: boolean
  readonly #level = createLogLevel(undefined, (level) => {
    const message = { jsonrpc: '2.0', id: this.#parts.ids(), method: 'logging/setLevel', params: { level } }
    return this.#send(message, { signal: AbortSignal.timeout(LEVEL_PATIENCE_MS) })
  })
  #asking = 0
  /** The session had a stream of its own once. */
  #streamed = false

  constructor(parts: HttpSessionParts) {
    const { current, opened } = parts
    this.#parts = parts
    this.#current = current
    this.#sessionId = opened.id
    this.#headers = opened.headers
    this.serverInfo = opened.serverInfo
    this.#logs = isObject(opened.serverInfo.capabilities['logging'])
  }

  /** Completes the opening of a session that its server has created. */
  async greet(): Promise<void> {
    const { signal, logLevel } = this.#parts.options
    await this.#send({ jsonrpc: '2.0', method: 'notifications/initialized' }, { signal })
    if (this.#logs) await this.#level.ensure(logLevel)
  }

  present(credential: CredentialHeaders): void {
    this.#current = this.#parts.transportFor(credential)
  }

  tell(message: JsonObject): Promise<unknown> {
    return this.#send(message)
  }

  async ask(request: SessionRequest): Promise<Answer> {
    if (request.credential !== undefined) this.present(request.credential)
    const at = this.#current
    // A client's own session has the level that the client set; in a principal's, each request says what it wants.
    if (this.#logs && request.session === undefined) await this.#level.ensure(request.caller.logLevel)
    const id = this.#parts.ids()
    const theirs = progressTokenOf(request.params)
    const ours = theirs === undefined ? undefined : tokenOf(id)
    const { signal, hold } = request
    const onAbort = () => this.#cancel(id, 'the client cancelled the request', at)
    signal.addEventListener('abort', onAbort, { once: true })
    if (hold !== undefined) hold.token = ours
    try {
      return await this.#exchange({
        asked: request,
        at,
        id,
        ours,
        theirs,
        began: Date.now(),
        questions: 0,
        isAskedBeside: false,
        isHeard: false,
      })
    } catch (thrown) {
      // The server would work on for nobody (2025-11-25, lifecycle: timeouts).
      if (thrown instanceof Fault && thrown.code === 'upstream.timeout') this.#cancel(id, thrown.message, at)
      throw thrown
    } finally {
      signal.removeEventListener('abort', onAbort)
    }
  }

  async stream(onMessage: (message: Message) => void, signal: AbortSignal, onOpen?: () => void): Promise<boolean> {
    const at = this.#current
    const incoming = await at.send({
      method: 'GET',
      headers: { ...this.#headers, accept: 'text/event-stream' },
      signal,
      patient: true,
      onMessage,
      onHead: (status) => status === 200 && onOpen?.(),
    })
    const { status } = incoming
    if (status === 404 && this.#sessionId !== undefined) throw new SessionLost()
    if (status === 409) throw new StreamTaken()
    if (status >= 400 && (await this.#isStreamLost(incoming, signal))) throw new SessionLost()
    this.#streamed ||= status === 200 && incoming.stream
    const mayBeRenewed = status === 401 && this.#current !== this.#parts.plain
    if (mayBeRenewed || status === 429 || (status >= 500 && status !== 501)) throw this.#current.refusal(incoming)
    return status === 200 && incoming.stream
  }

  /** A server without such streams says so at the first one; what refuses a later one may not know the session any more. */
  async #isStreamLost(incoming: Incoming, signal: AbortSignal): Promise<boolean> {
    if (this.#sessionId === undefined || this.#parts.options.doubts !== true) return false
    const sign = lossSignOf(incoming)
    if (sign === undefined || !(this.#streamed || sign.speaks || sign.status === 410)) return false
    return (await this.probe(signal)) !== ''
  }

  async close(): Promise<void> {
    if (this.#sessionId === undefined) return
    const signal = AbortSignal.timeout(CLOSE_TIMEOUT_MS)
    await this.#current.sendLast({ method: 'DELETE', headers: this.#headers, signal }).catch(() => {})
  }

  #send(message: JsonObject, more?: Partial<Outgoing>, at = this.#current): Promise<Incoming> {
    return at.send({ method: 'POST', headers: this.#headers, body: JSON.stringify(message), ...more })
  }

  #cancel(requestId: number, reason: string, at: Transport): void {
    const message = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId, reason } }
    this.#send(message, undefined, at).catch(() => {})
  }

  async #exchange(calling: Calling): Promise<Answer> {
    const { asked, at, id, ours } = calling
    const { signal, method, patient = false } = asked
    const params = stripEnvelope(asked.params, ours)
    const onMessage = (message: Message) => this.#hear(calling, message)
    const onDeadline = (extend: () => void) => holdDeadline(calling, extend)
    const headers = { ...this.#headers, ...traceHeaders(params) }
    const sending = { headers, signal, until: id, onMessage, onDeadline, patient }
    const first = await this.#send({ jsonrpc: '2.0', id, method, params }, sending, at)
    if (first.response === undefined && first.status >= 300) await this.#refuse(calling, first)
    const resume = async (last: string, wait: number) => {
      asked.onPause?.()
      await pause(wait)
      return this.#resume(
        last,
        { signal, until: id, onMessage, onDeadline, patient, seconds: secondsLeft(calling) },
        at,
      )
    }
    try {
      const answer = await finish(at, id, first, resume)
      if ('error' in answer) await this.#doubt(calling, lossSignOfError(answer.error, first.status), { answer })
      return answer
    } catch (thrown) {
      // A text in place of a message.
      const isUnread = thrown instanceof Fault && thrown.code === 'upstream.malformed' && first.status < 300
      if (isUnread && first.text !== '') await this.#doubt(calling, lossSignOf(first), { thrown })
      throw thrown
    }
  }

  /** A status that is no success: what its body says is the answer, unless the session is lost. */
  async #refuse(calling: Calling, incoming: Incoming): Promise<void> {
    const { asked, at, id } = calling
    if (this.#sessionId === undefined || incoming.status < 400) return refuseStatus(at, incoming)
    if (incoming.status === 404 && REPEATABLE.has(asked.method) && !answers(at, incoming.text, id))
      throw new SessionLost()
    const outcome = outcomeOf(at, id, incoming)
    if ('thrown' in outcome) await this.#doubt(calling, lossSignOf(incoming), outcome)
    refuseStatus(at, incoming)
  }

  /** Throws `SessionLost` where a ping fails in the same way, and returns where the request failed by itself. */
  async #doubt(calling: Calling, sign: LossSign | undefined, outcome: SessionDoubt['outcome']): Promise<void> {
    if (this.#sessionId === undefined || sign === undefined) return
    const { asked, at } = calling
    const isPlain = sign.status === 404
    if (!isPlain && this.#parts.options.doubts !== true) return
    const isSame = asked.method === 'ping' || (await this.probe(asked.signal)) === sign.key
    if (isSame) throw new SessionLost({ sign: sign.key, mayHaveRun: calling.isHeard || !sign.refuses, outcome })
    // A server may say "not found" of what a call wanted, after it acted.
    if (isPlain && 'thrown' in outcome) throw lost(at.alias, outcome.thrown)
  }

  async probe(signal: AbortSignal): Promise<string> {
    const id = this.#parts.ids()
    const seconds = Math.min(this.#current.timeout, PROBE_PATIENCE_SECONDS)
    const ping = { jsonrpc: '2.0', id, method: 'ping' }
    const incoming = await this.#send(ping, { until: id, signal, seconds }).catch(() => undefined)
    return (incoming && lossSignOf(incoming)?.key) ?? ''
  }

  #hear(calling: Calling, message: Message): void {
    const { asked, at, ours, theirs } = calling
    const notification = isNotification(message) ? forCaller(message, ours, theirs) : undefined
    calling.isHeard = true
    if (notification !== undefined) {
      if (changedList(notification.method) !== undefined) this.#parts.options.onListChanged(notification)
      asked.onNotification(notification)
    } else if (isRequest(message)) {
      this.#refuseFlood(at)
      calling.questions++
      const onAnswered = () => {
        calling.questions--
        calling.began = Date.now()
      }
      this.#answerQuestion(message, asked, at).then(onAnswered, onAnswered)
    }
  }

  /** A server that never stops asking is cut off where it asks: what waits for an answer is bounded. */
  async #answerQuestion(question: Request, request: SessionRequest, at: Transport): Promise<void> {
    this.#asking++
    try {
      const answer = await request.onQuestion(question)
      await this.#send({ jsonrpc: '2.0', id: question.id, ...answer } as JsonObject, undefined, at)
    } finally {
      this.#asking--
    }
  }

  #refuseFlood({ alias }: Transport): void {
    const problem = `more than ${MOST_QUESTIONS} of its questions are waiting for an answer`
    if (this.#asking >= MOST_QUESTIONS) throw malformedUpstream(alias, problem)
  }

  /** A server may close the stream of a request and let its client fetch the rest (2025-11-25, resumability). */
  #resume(last: string, more: Partial<Outgoing>, at: Transport): Promise<Incoming> {
    const again = { ...this.#headers, accept: 'text/event-stream', 'last-event-id': last }
    // The request itself was sent, whatever prevents the rest from arriving: it may have taken effect.
    return at.send({ method: 'GET', headers: again, ...more }).catch((thrown: unknown) => {
      const isUnsent = thrown instanceof Fault && thrown.code === 'upstream.unreachable'
      throw isUnsent ? lost(at.alias, thrown) : thrown
    })
  }
}

/** Lets the caller of a request extend its deadline while a user is being asked beside it. */
function holdDeadline(calling: Calling, extend: () => void): void {
  const { hold } = calling.asked
  if (hold === undefined) return
  hold.extend = () => {
    calling.isAskedBeside = true
    extend()
  }
}

/** A request that is fetched in several streams has one time limit, which is suspended while a user is being asked. */
function secondsLeft({ at: { timeout }, questions, began, isAskedBeside }: Calling): number {
  if (isAskedBeside) return HUMAN.question
  return questions > 0 ? timeout : timeout - (Date.now() - began) / 1000
}

/** Opens a session with these words of a client; what is said in it goes out with its headers. */
export async function initialize(transport: Transport, id: Id, params: JsonObject, signal?: AbortSignal) {
  const incoming = await transport.send({
    method: 'POST',
    // A server that speaks the modern era, too, may look for it on every POST (2026-07-28, transports: standard headers).
    headers: { 'mcp-method': 'initialize' },
    body: JSON.stringify({ jsonrpc: '2.0', id, method: 'initialize', params }),
    until: id,
    ...(signal === undefined ? {} : { signal }),
  })
  try {
    const serverInfo = await readInitialized(transport, id, incoming)
    return { serverInfo, ...sessionOf(incoming, serverInfo.revision) }
  } catch (thrown) {
    throw thrown instanceof Fault && SAYS_OLDER.has(incoming.status)
      ? new InitializeRefused('', { cause: thrown })
      : thrown
  }
}

/** The session that the head of an answer to `initialize` names, and the headers of every message in it. */
export function sessionOf(incoming: Pick<Incoming, 'headers'>, revision: string) {
  const id = header(incoming, 'mcp-session-id')
  const headers: Record<string, string> = { 'mcp-protocol-version': revision }
  if (id !== undefined) headers['mcp-session-id'] = id
  return { id, headers }
}

async function readInitialized(transport: Transport, id: Id, incoming: Incoming): Promise<ServerInfo> {
  if (incoming.response === undefined) refuseStatus(transport, incoming)
  return serverInfoOfInitialize(transport.alias, await finish(transport, id, incoming))
}

/**
 * Reads the server info from an answer to `initialize`. Throws `upstream.error`, and `upstream.malformed` for a revision without
 * sessions.
 */
export function serverInfoOfInitialize(alias: string, answer: Answer): ServerInfo {
  if ('error' in answer) throw errorAnswer(alias, 'initialize', answer.error)
  const serverInfo = serverInfoOf(answer.result)
  if (!isLegacyRevision(serverInfo.revision)) throw malformedUpstream(alias, 'it names an unknown protocol revision')
  return serverInfo
}

function serverInfoOf(result: JsonObject): ServerInfo {
  const { protocolVersion, serverInfo, capabilities, instructions } = result
  return {
    revision: protocolVersion as LegacyRevision,
    server: isObject(serverInfo) ? serverInfo : {},
    capabilities: isObject(capabilities) ? capabilities : {},
    instructions: typeof instructions === 'string' ? instructions : undefined,
  }
}

const MAX_RESUMES = 10
/** How long to wait before the rest is fetched, in milliseconds: what the server says, within what a call can bear. */
const RESUME_DELAY = { unsaid: 500, most: 10_000 }

/** From what came back to the answer: the response itself, or the JSON body, or the rest of a stream that was closed early. */
async function finish(
  transport: Transport,
  id: Id,
  first: Incoming,
  resume?: (lastEventId: string, wait: number) => Promise<Incoming>,
): Promise<Answer> {
  let incoming = first
  let { lastEventId, retry } = first
  for (let round = 0; round <= MAX_RESUMES; round++) {
    if (incoming.response !== undefined) return answerOf(transport, id, incoming.response)
    if (!incoming.stream) return answerOf(transport, id, readAs(transport, incoming.text))
    // A server that has nothing to say yet may close again without an event: what was said before still counts.
    lastEventId = incoming.lastEventId ?? lastEventId
    retry = incoming.retry ?? retry
    if (lastEventId === undefined || resume === undefined) break
    incoming = await resume(lastEventId, Math.min(retry ?? RESUME_DELAY.unsaid, RESUME_DELAY.most))
    if (incoming.status !== 200 || !incoming.stream) break
  }
  throw endedUnanswered(transport.alias, first.odd ?? incoming.odd)
}

/** The result that a status and its body are, where the session is not lost. */
function outcomeOf(transport: Transport, id: Id, incoming: Incoming): SessionDoubt['outcome'] {
  try {
    refuseStatus(transport, incoming)
    return { answer: answerOf(transport, id, readAs(transport, incoming.text)) }
  } catch (thrown) {
    return { thrown }
  }
}

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds))
