/**
 * Assigns messages that a server sends outside any call's stream, on the own stream of a session or over stdio.
 *
 * A message belongs to the one call that is under way in that session. With none or several of them the owner is unknown: a
 * request is refused with an error that the server's author can act on, and is never handed to "the last active one".
 */
import {
  isNotification,
  isRequest,
  progressTokenOf,
  type Id,
  type JsonObject,
  type Message,
  type Notification,
  type Request,
} from '@toolway/protocol'
import { forCaller, MOST_QUESTIONS, type ProgressHandle } from '@toolway/protocol/client'
import type { Answer, Ask } from './upstream.ts'

/** A call that is under way, and what it lends while it is. */
export type UpstreamCall = Ask & { readonly hold: ProgressHandle }

export interface UncorrelatedMessages {
  /** A call begins, before there is even a session for it; `end` says that it is over. */
  begin(request: Ask): UpstreamCall
  end(call: UpstreamCall): void
  /** Receives a message sent outside any exchange; `reply` answers the server's requests. */
  hear(message: Message, reply: (message: JsonObject) => Promise<unknown>): void
  /** Calls under way. */
  readonly size: number
}

/** Methods that a server may answer with a request of its own, and during which it may therefore send one. */
const CALLS = new Set(['tools/call', 'prompts/get', 'resources/read'])
const QUESTIONS = new Set(['elicitation/create', 'sampling/createMessage', 'roots/list'])
/** Notifications that name their task or elicitation: they belong to the session, whatever calls are under way. */
const NAMING = new Set(['notifications/tasks/status', 'notifications/elicitation/complete'])
const NO_METHOD = -32601
const AMBIGUOUS = -32600

/** `unclaimed` takes what is said to the session, and to none of its calls. */
export const createUncorrelatedMessages = (unclaimed: (notice: Notification) => void): UncorrelatedMessages =>
  new MessageRouter(unclaimed)

class MessageRouter implements UncorrelatedMessages {
  readonly #unclaimed: (notice: Notification) => void
  readonly #underWay = new Set<UpstreamCall>()
  /** Questions of the server that are being answered, by its own ids. */
  readonly #open = new Map<Id, AbortController>()
  #answering = 0

  constructor(unclaimed: (notice: Notification) => void) {
    this.#unclaimed = unclaimed
  }

  #only(): UpstreamCall | undefined {
    const [first] = this.#underWay
    return this.#underWay.size === 1 ? first : undefined
  }

  async #answerTo(question: Request): Promise<Answer> {
    if (question.method === 'ping') return { result: {} }
    if (!QUESTIONS.has(question.method))
      return { error: { code: NO_METHOD, message: `Not available here: ${question.method}` } }
    const call = this.#only()
    if (call === undefined) return refusal(question.method, this.#underWay.size)
    call.hold.extend()
    return call.onQuestion(question)
  }

  /** Throws where a server asks more than anybody could answer: whoever carries the message ends its stream. */
  #hearQuestion(question: Request, reply: (message: JsonObject) => Promise<unknown>): void {
    if (this.#answering >= MOST_QUESTIONS)
      throw new Error(`more than ${MOST_QUESTIONS} questions are waiting for an answer`)
    this.#answering++
    const asking = new AbortController()
    this.#open.set(question.id, asking)
    this.#answerTo(question)
      .catch((): Answer => ({ error: { code: AMBIGUOUS, message: 'The client does not support this request.' } }))
      .then((answer) => {
        this.#open.delete(question.id)
        // A server that took its question back wants no answer to it.
        return asking.signal.aborted ? undefined : reply({ jsonrpc: '2.0', id: question.id, ...answer } as JsonObject)
      })
      .catch(() => {})
      .finally(() => this.#answering--)
  }

  #hearNotice(notice: Notification): void {
    if (notice.method === 'notifications/cancelled') return this.#takeBack(notice.params?.['requestId'])
    if (notice.method === 'notifications/progress') return this.#hearProgress(notice)
    const call = NAMING.has(notice.method) ? undefined : this.#only()
    if (call === undefined) this.#unclaimed(notice)
    else call.onNotification(notice)
  }

  #hearProgress(notice: Notification): void {
    for (const call of this.#underWay) {
      const notification = forCaller(notice, call.hold.token, progressTokenOf(call.params))
      if (notification !== undefined) call.onNotification(notification)
    }
  }

  #takeBack(id: unknown): void {
    if (typeof id === 'string' || typeof id === 'number') this.#open.get(id)?.abort()
  }

  begin(request: Ask) {
    const call = { ...request, hold: { token: undefined, extend() {} } }
    if (CALLS.has(request.method)) this.#underWay.add(call)
    return call
  }

  end(call: UpstreamCall) {
    void this.#underWay.delete(call)
  }

  get size() {
    return this.#underWay.size
  }

  hear(message: Message, reply: (message: JsonObject) => Promise<unknown>) {
    if (isRequest(message)) this.#hearQuestion(message, reply)
    else if (isNotification(message)) this.#hearNotice(message)
  }
}

const refusal = (method: string, underWay: number): Answer => ({
  error: {
    code: AMBIGUOUS,
    message:
      underWay === 0
        ? `No call is in progress that ${method} could belong to.`
        : `${underWay} calls are in progress, and ${method} does not say which it belongs to: send it on the stream of its call.`,
  },
})
