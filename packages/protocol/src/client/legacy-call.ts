/**
 * One request under way in a session with a legacy server over HTTP: what its server says and asks meanwhile, the rest of a stream that
 * was closed early, and whether a failure is that of the session.
 */
import { Fault } from '@toolway/contract'
import { stripEnvelope } from '../eras/modern/envelope.ts'
import type { JsonObject } from '../json.ts'
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
import { answerOf, answers, lost, malformedUpstream, readAs, refuseStatus, endedUnanswered } from './answer.ts'
import {
  changedList,
  forCaller,
  HUMAN,
  MOST_QUESTIONS,
  REPEATABLE,
  tokenOf,
  type Answer,
  type SessionRequest,
} from './request.ts'
import { lossSignOf, lossSignOfError, SessionLost, type LossSign, type SessionDoubt } from './session-loss.ts'
import type { Incoming, Outgoing, Transport } from './transport.ts'

/** The session as its calls need it. */
export interface CallSession {
  /** That its server gave it, if it gave it any. */
  readonly id: string | undefined
  readonly headers: Readonly<Record<string, string>>
  /** Whoever holds it settles what is in doubt (`SessionLost.doubt`). */
  readonly settlesDoubts: boolean
  /** Questions of the server that wait for an answer, in all calls. */
  readonly questions: { waiting: number }
  onListChanged(notification: Notification): void
  send(message: JsonObject, more: Partial<Outgoing> | undefined, at: Transport): Promise<Incoming>
  /** How a ping fails in it. */
  probe(signal: AbortSignal): Promise<string>
}

interface LegacyCallParts {
  readonly request: SessionRequest
  /** The transport that it is sent with. */
  readonly at: Transport
  readonly id: number
  readonly session: CallSession
}

export class LegacyCall {
  readonly #parts: LegacyCallParts
  readonly #ours: ReturnType<typeof tokenOf> | undefined
  readonly #theirs
  #began = Date.now()
  /** Questions of the server that wait for an answer. */
  #questions = 0
  #isAskedBeside = false
  /** The server said something about it: it works on it. */
  #isHeard = false

  constructor(parts: LegacyCallParts) {
    this.#parts = parts
    this.#theirs = progressTokenOf(parts.request.params)
    this.#ours = this.#theirs === undefined ? undefined : tokenOf(parts.id)
  }

  async answer(): Promise<Answer> {
    const { signal, hold } = this.#parts.request
    const onAbort = () => this.#cancel('the client cancelled the request')
    signal.addEventListener('abort', onAbort, { once: true })
    if (hold !== undefined) hold.token = this.#ours
    try {
      return await this.#exchange()
    } catch (thrown) {
      // The server would work on for nobody (2025-11-25, lifecycle: timeouts).
      if (thrown instanceof Fault && thrown.code === 'upstream.timeout') this.#cancel(thrown.message)
      throw thrown
    } finally {
      signal.removeEventListener('abort', onAbort)
    }
  }

  #cancel(reason: string): void {
    const { at, id: requestId, session } = this.#parts
    const message = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId, reason } }
    session.send(message, undefined, at).catch(() => {})
  }

  async #exchange(): Promise<Answer> {
    const { request, at, id, session } = this.#parts
    const { signal, method, patient = false } = request
    const params = stripEnvelope(request.params, this.#ours)
    const onMessage = (message: Message) => this.#hear(message)
    const onDeadline = (extend: () => void) => this.#holdDeadline(extend)
    const headers = { ...session.headers, ...traceHeaders(params) }
    const sending = { headers, signal, until: id, onMessage, onDeadline, patient }
    const first = await session.send({ jsonrpc: '2.0', id, method, params }, sending, at)
    if (first.response === undefined && first.status >= 300) await this.#refuse(first)
    const resume = async (last: string, wait: number) => {
      request.onPause?.()
      await pause(wait)
      return this.#resume(last, { signal, until: id, onMessage, onDeadline, patient, seconds: this.#secondsLeft() })
    }
    try {
      const answer = await finish(at, id, first, resume)
      if ('error' in answer) await this.#doubt(lossSignOfError(answer.error, first.status), { answer })
      return answer
    } catch (thrown) {
      // A text in place of a message.
      const isUnread = thrown instanceof Fault && thrown.code === 'upstream.malformed' && first.status < 300
      if (isUnread && first.text !== '') await this.#doubt(lossSignOf(first), { thrown })
      throw thrown
    }
  }

  /** A status that is no success: what its body says is the answer, unless the session is lost. */
  async #refuse(incoming: Incoming): Promise<void> {
    const { request, at, id, session } = this.#parts
    if (session.id === undefined || incoming.status < 400) return refuseStatus(at, incoming)
    if (incoming.status === 404 && REPEATABLE.has(request.method) && !answers(at, incoming.text, id))
      throw new SessionLost()
    const outcome = outcomeOf(at, id, incoming)
    if ('thrown' in outcome) await this.#doubt(lossSignOf(incoming), outcome)
    refuseStatus(at, incoming)
  }

  /** Throws `SessionLost` where a ping fails in the same way, and returns where the request failed by itself. */
  async #doubt(sign: LossSign | undefined, outcome: SessionDoubt['outcome']): Promise<void> {
    const { request, at, session } = this.#parts
    if (session.id === undefined || sign === undefined) return
    const isPlain = sign.status === 404
    if (!isPlain && !session.settlesDoubts) return
    const isSame = request.method === 'ping' || (await session.probe(request.signal)) === sign.key
    if (isSame) throw new SessionLost({ sign: sign.key, mayHaveRun: this.#isHeard || !sign.refuses, outcome })
    // A server may say "not found" of what a call wanted, after it acted.
    if (isPlain && 'thrown' in outcome) throw lost(at.alias, outcome.thrown)
  }

  #hear(message: Message): void {
    const { request, session } = this.#parts
    const notification = isNotification(message) ? forCaller(message, this.#ours, this.#theirs) : undefined
    this.#isHeard = true
    if (notification !== undefined) {
      if (changedList(notification.method) !== undefined) session.onListChanged(notification)
      request.onNotification(notification)
    } else if (isRequest(message)) {
      this.#refuseFlood()
      this.#questions++
      const onAnswered = () => {
        this.#questions--
        this.#began = Date.now()
      }
      this.#answerQuestion(message).then(onAnswered, onAnswered)
    }
  }

  /** A server that never stops asking is cut off where it asks: what waits for an answer is bounded. */
  async #answerQuestion(question: Request): Promise<void> {
    const { request, at, session } = this.#parts
    session.questions.waiting++
    try {
      const answer = await request.onQuestion(question)
      await session.send({ jsonrpc: '2.0', id: question.id, ...answer } as JsonObject, undefined, at)
    } finally {
      session.questions.waiting--
    }
  }

  #refuseFlood(): void {
    const { at, session } = this.#parts
    const problem = `more than ${MOST_QUESTIONS} of its questions are waiting for an answer`
    if (session.questions.waiting >= MOST_QUESTIONS) throw malformedUpstream(at.alias, problem)
  }

  /** A server may close the stream of a request and let its client fetch the rest (2025-11-25, resumability). */
  #resume(last: string, more: Partial<Outgoing>): Promise<Incoming> {
    const { at, session } = this.#parts
    const again = { ...session.headers, accept: 'text/event-stream', 'last-event-id': last }
    // The request itself was sent, whatever prevents the rest from arriving: it may have taken effect.
    return at.send({ method: 'GET', headers: again, ...more }).catch((thrown: unknown) => {
      const isUnsent = thrown instanceof Fault && thrown.code === 'upstream.unreachable'
      throw isUnsent ? lost(at.alias, thrown) : thrown
    })
  }

  /** Lets the caller of a request extend its deadline while a user is being asked beside it. */
  #holdDeadline(extend: () => void): void {
    const { hold } = this.#parts.request
    if (hold === undefined) return
    hold.extend = () => {
      this.#isAskedBeside = true
      extend()
    }
  }

  /** A request that is fetched in several streams has one time limit, which is suspended while a user is being asked. */
  #secondsLeft(): number {
    const { timeout } = this.#parts.at
    if (this.#isAskedBeside) return HUMAN.question
    return this.#questions > 0 ? timeout : timeout - (Date.now() - this.#began) / 1000
  }
}

const MAX_RESUMES = 10
/** How long to wait before the rest is fetched, in milliseconds: what the server says, within what a call can bear. */
const RESUME_DELAY = { unsaid: 500, most: 10_000 }

/** From what came back to the answer: the response itself, or the JSON body, or the rest of a stream that was closed early. */
export async function finish(
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
