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
export type Held = Ask & { readonly hold: ProgressHandle }

export interface UncorrelatedMessages {
  /** A call begins, before there is even a session for it; `end` says that it is over. */
  begin(asked: Ask): Held
  end(call: Held): void
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
export function createUncorrelatedMessages(unclaimed: (notice: Notification) => void): UncorrelatedMessages {
  const underWay = new Set<Held>()
  /** Questions of the server that are being answered, by its own ids. */
  const open = new Map<Id, AbortController>()

  const only = (): Held | undefined => {
    const [first] = underWay
    return underWay.size === 1 ? first : undefined
  }

  async function answerTo(question: Request): Promise<Answer> {
    if (question.method === 'ping') return { result: {} }
    if (!QUESTIONS.has(question.method))
      return { error: { code: NO_METHOD, message: `Not available here: ${question.method}` } }
    const one = only()
    if (one === undefined) return refusal(question.method, underWay.size)
    one.hold.extend()
    return one.onQuestion(question)
  }

  let answering = 0
  /** Throws where a server asks more than anybody could answer: whoever carries the message ends its stream. */
  function hearQuestion(question: Request, reply: (message: JsonObject) => Promise<unknown>): void {
    if (answering >= MOST_QUESTIONS) throw new Error(`more than ${MOST_QUESTIONS} questions wait for an answer`)
    answering++
    const asking = new AbortController()
    open.set(question.id, asking)
    answerTo(question)
      .catch((): Answer => ({ error: { code: AMBIGUOUS, message: 'The client cannot be asked.' } }))
      .then((answer) => {
        open.delete(question.id)
        // A server that took its question back wants no answer to it.
        return asking.signal.aborted ? undefined : reply({ jsonrpc: '2.0', id: question.id, ...answer } as JsonObject)
      })
      .catch(() => {})
      .finally(() => answering--)
  }

  function hearNotice(notice: Notification): void {
    if (notice.method === 'notifications/cancelled') return takeBack(notice.params?.['requestId'])
    if (notice.method === 'notifications/progress') return hearProgress(notice)
    const one = NAMING.has(notice.method) ? undefined : only()
    if (one === undefined) unclaimed(notice)
    else one.onNotification(notice)
  }

  function hearProgress(notice: Notification): void {
    for (const call of underWay) {
      const heard = forCaller(notice, call.hold.token, progressTokenOf(call.params))
      if (heard !== undefined) call.onNotification(heard)
    }
  }

  function takeBack(id: unknown): void {
    if (typeof id === 'string' || typeof id === 'number') open.get(id)?.abort()
  }

  return {
    begin(asked) {
      const call = { ...asked, hold: { token: undefined, extend() {} } }
      if (CALLS.has(asked.method)) underWay.add(call)
      return call
    },
    end: (call) => void underWay.delete(call),
    get size() {
      return underWay.size
    },
    hear(message, reply) {
      if (isRequest(message)) hearQuestion(message, reply)
      else if (isNotification(message)) hearNotice(message)
    },
  }
}

const refusal = (method: string, underWay: number): Answer => ({
  error: {
    code: AMBIGUOUS,
    message:
      underWay === 0
        ? `No call is under way that ${method} could belong to.`
        : `${underWay} calls are under way, and ${method} does not say which it belongs to: send it on the stream of its call.`,
  },
})
