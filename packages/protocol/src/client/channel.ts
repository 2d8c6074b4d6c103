/**
 * One channel of messages shared by many requests: ids out, answers in, each to the one who asked.
 *
 * A channel hands out what carries a name of ours: answers by id, progress by token, changes by subscription. It cannot say
 * which request a log line or a question belongs to. Where all who speak on it are one caller (`owned`), such a thing is given
 * to the one request under way; where there are several, or the channel is shared, nobody gets it and a question is refused.
 */
import type { Fault } from '@toolway/contract'
import { SUBSCRIPTION_KEY } from '../eras/modern/envelope.ts'
import { parseJson, type JsonObject } from '../json.ts'
import {
  isFailure,
  isNotification,
  isRequest,
  isResponse,
  metaOf,
  type Id,
  type Message,
  type Notification,
  type Request,
  type Response,
} from '../message.ts'
import { isSameId, maskedError, maskedResult, readMessages } from './answer.ts'
import type { Answer } from './request.ts'
import { createSalvage } from './salvage.ts'
import { WaitingCall, type Call } from './waiting-call.ts'

const METHOD_NOT_FOUND = -32601
const INTERNAL = -32603
/** Replies to the other end that are being made or sent; what it asks beyond that is not heard. */
const MOST_REPLIES = 64
/** How long a request that was given up may still be what a question or a log line is about, in milliseconds. */
const AFTERLIFE = 30_000

export interface ChannelParts {
  readonly alias: string
  /** Rejects with what is told to the one whose request could not be sent. */
  send(text: string): Promise<void> | void
  /** Receives notifications that belong to no request: list changes above all. */
  onNotification(notification: Notification): void
  /** A text that is no message; a server that prints to stdout does this. */
  onNoise(text: string): void
  /** Whether all requests of this channel are one caller's. */
  readonly owned?: boolean
  /** Text without secrets: servers repeat what they were sent, in their errors above all. */
  mask?(text: string): string
  /** The same for all that arrives, which is data; absent where there is no secret. */
  hide?: ((text: string) => string) | undefined
}

export interface Channel {
  call(call: Call): Promise<Answer>
  tell(method: string, params?: JsonObject): void
  receive(text: string): void
  /** The other end is gone: everything that waits fails with this. */
  end(fault: Fault): void
  /** Calls that wait for their answer. */
  readonly size: number
  /** Resolves when no call with a deadline waits. */
  drained(): Promise<void>
}

export const createChannel = (parts: ChannelParts): Channel => new CorrelatedChannel(parts)

class CorrelatedChannel implements Channel {
  readonly #parts: ChannelParts
  readonly #owned
  readonly #mask
  readonly #waiting = new Map<Id, WaitingCall>()
  /** Requests that were given up, and when: their server may not have heard of it. */
  readonly #givenUp = new Map<Id, number>()
  readonly #drains: (() => void)[] = []
  readonly #salvage = createSalvage()
  #replies = 0
  #ended: Fault | undefined

  constructor(parts: ChannelParts) {
    this.#parts = parts
    const { owned = false } = parts
    this.#owned = owned
    const { mask = (text: string) => text } = parts
    this.#mask = mask
  }

  async #write(message: JsonObject) {
    await this.#parts.send(JSON.stringify(message))
  }

  tell(method: string, params?: JsonObject) {
    this.#write({ jsonrpc: '2.0', method, ...(params === undefined ? {} : { params }) }).catch(() => {})
  }

  #isDrained() {
    return [...this.#waiting.values()].every(({ call }) => call.timeout === Infinity)
  }

  call(request: Call): Promise<Answer> {
    const { id, method, params } = request
    return new Promise((resolve, reject) => {
      if (this.#ended !== undefined) return reject(this.#ended)
      const waiting = new WaitingCall(request, this.#parts.alias, {
        resolve,
        reject,
        onOver: () => this.#remove(id),
        onGivenUp: (fault) => {
          // A call that could not be the subject of a question before cannot be the subject of a late one.
          if (this.#owned && request.onQuestion !== undefined) this.#bury(id)
          // An initialize must not be cancelled (2025-11-25, cancellation).
          if (method !== 'initialize') this.tell('notifications/cancelled', { requestId: id, reason: fault.message })
        },
      })
      this.#waiting.set(id, waiting)
      if (waiting.begin()) this.#write({ jsonrpc: '2.0', id, method, params }).catch(waiting.fail)
    })
  }

  #remove(id: Id): void {
    this.#waiting.delete(id)
    if (this.#drains.length > 0 && this.#isDrained()) for (const resolve of this.#drains.splice(0)) resolve()
  }

  #bury(id: Id): void {
    const now = Date.now()
    for (const [id, at] of this.#givenUp) if (now - at > AFTERLIFE) this.#givenUp.delete(id)
    this.#givenUp.set(id, now)
  }

  /** The call that is under way, where it is the only one that a question or a log line may be about. */
  #onlyOne(): WaitingCall | undefined {
    if (!this.#owned) return undefined
    const now = Date.now()
    for (const at of this.#givenUp.values()) if (now - at <= AFTERLIFE) return undefined
    let only: WaitingCall | undefined
    for (const item of this.#waiting.values()) {
      if (item.call.onQuestion === undefined) continue
      if (only !== undefined) return undefined
      only = item
    }
    return only
  }

  #hear(message: Message): void {
    if (isResponse(message)) return this.#answer(message)
    if (isRequest(message)) return this.#question(message)
    if (!isNotification(message)) return
    const { method, params } = message
    if (method === 'notifications/progress') {
      const token = params?.['progressToken']
      const id = typeof token === 'string' && /^p\d+$/.test(token) ? Number(token.slice(1)) : undefined
      const waiting = id === undefined ? undefined : this.#waiting.get(id)
      waiting?.progress(params?.['progress'])
      waiting?.call.onNotification?.(message)
      return
    }
    const subscription = metaOf(params)[SUBSCRIPTION_KEY]
    const subscribed = typeof subscription === 'number' ? this.#waiting.get(subscription) : undefined
    const about = subscribed ?? (method === 'notifications/message' ? this.#onlyOne() : undefined)
    if (about?.call.onNotification === undefined) this.#parts.onNotification(message)
    else about.call.onNotification(message)
  }

  #answer(response: Response): void {
    if (response.id === undefined) return
    const id = this.#ourId(response.id)
    this.#givenUp.delete(id)
    // A late or second answer has nobody waiting for it any more.
    this.#waiting
      .get(id)
      ?.settle(
        isFailure(response)
          ? { error: maskedError({ mask: this.#mask }, response.error) }
          : { result: maskedResult({ mask: this.#mask }, response.result) },
      )
  }

  /** Some servers send an id back as a text. */
  #ourId(input: Id): Id {
    if (typeof input !== 'string' || this.#waiting.has(input)) return input
    const number = Number(input)
    return isSameId(input, number) ? number : input
  }

  #question(request: Request): void {
    if (this.#replies >= MOST_REPLIES) return
    this.#replies++
    const { id, method } = request
    const about = method === 'ping' ? undefined : this.#onlyOne()
    about?.question(1)
    const answering = about?.call.onQuestion?.(request) ?? Promise.resolve(answerOwn(method, this.#owned))
    answering
      .catch((): Answer => ({ error: { code: INTERNAL, message: 'The question could not be answered.' } }))
      .then((answer) => {
        about?.question(-1)
        return this.#write({ jsonrpc: '2.0', id, ...answer } as JsonObject)
      })
      .catch(() => {})
      .finally(() => this.#replies--)
  }

  receive(text: string): void {
    let messages: Message[]
    try {
      messages = this.#read(text)
    } catch {
      return this.#receiveOdd(text)
    }
    this.#salvage.reset()
    this.#hearAll(messages, text)
  }

  #read(text: string): Message[] {
    return readMessages(parseJson(this.#parts.hide?.(text) ?? text))
  }

  #hearAll(messages: readonly Message[], text: string): void {
    try {
      for (const message of messages) this.#hear(message)
    } catch {
      this.#parts.onNoise(text)
    }
  }

  /** A text that is no message may contain some, or a part of one. What a log line quotes counts only if it is waited for. */
  #receiveOdd(text: string): void {
    let isHeard = false
    for (const found of this.#salvage.take(text)) {
      try {
        const messages = this.#read(found.text).filter((message) => found.isAlone || this.#isAwaited(message))
        this.#hearAll(messages, found.text)
        isHeard ||= messages.length > 0
      } catch {
        // An object, but no message.
      }
    }
    if (!isHeard && !this.#salvage.isOpen) this.#parts.onNoise(text)
  }

  #isAwaited(message: Message): boolean {
    return isResponse(message) && message.id !== undefined && this.#waiting.has(this.#ourId(message.id))
  }

  end(fault: Fault): void {
    this.#ended = fault
    for (const { fail } of [...this.#waiting.values()]) fail(fault)
  }

  get size() {
    return this.#waiting.size
  }

  drained(): Promise<void> {
    return this.#isDrained() ? Promise.resolve() : new Promise((resolve) => void this.#drains.push(resolve))
  }
}

/**
 * Returns the gateway's own answer to a server's request. The server's refusal of its call often quotes it, so it says what to
 * do.
 */
function answerOwn(method: string, owned: boolean): Answer {
  if (method === 'ping') return { result: {} }
  const why =
    !owned && QUESTIONS.has(method) ? '. The client of this call cannot be asked: use one that supports it' : ''
  return { error: { code: METHOD_NOT_FOUND, message: `Not available here: ${method}${why}` } }
}
const QUESTIONS = new Set(['elicitation/create', 'sampling/createMessage'])
