/** One call that waits for its answer on a channel, and how long it may: progress and questions of its server extend its time. */
import { Fault } from '@toolway/contract'
import type { Json, JsonObject } from '../json.ts'
import type { Notification, Request } from '../message.ts'
import { HUMAN, isMore, PROGRESS, type Answer } from './request.ts'

export interface Call {
  readonly id: number
  readonly method: string
  readonly params: JsonObject
  readonly signal: AbortSignal
  /** Seconds; Infinity for what lasts as long as the channel. */
  readonly timeout: number
  onNotification?(notification: Notification): void
  /** Only on an owned channel. A call without it never is what the server's question is about. */
  onQuestion?(question: Request): Promise<Answer>
}

interface CallEnds {
  resolve(answer: Answer): void
  reject(thrown: unknown): void
  /** It waits no longer. */
  onOver(): void
  /** Its server has not answered, and is to hear that nobody waits. */
  onGivenUp(fault: Fault): void
}

export class WaitingCall {
  readonly call: Call
  readonly #alias: string
  readonly #ends: CallEnds
  readonly #began = Date.now()
  #questions = 0
  /** As its server reported last. */
  #reported = -Infinity
  #timer: ReturnType<typeof setTimeout> | undefined
  #isOver = false

  constructor(call: Call, alias: string, ends: CallEnds) {
    this.call = call
    this.#alias = alias
    this.#ends = ends
  }

  /** False where its signal was aborted before. */
  begin(): boolean {
    const { signal, timeout } = this.call
    this.#limit(timeout)
    signal.addEventListener('abort', this.#onAbort, { once: true })
    if (signal.aborted) this.#onAbort()
    return !signal.aborted
  }

  settle(answer: Answer): void {
    this.#finish()
    this.#ends.resolve(answer)
  }

  readonly fail = (thrown: unknown): void => {
    this.#finish()
    this.#ends.reject(thrown)
  }

  /** One more question (or one less) is with a person: the server is not late meanwhile. */
  question(change: 1 | -1): void {
    this.#questions += change
    if (this.#isOver) return
    const left = Math.min(HUMAN.question, HUMAN.all - this.#seconds)
    this.#limit(this.#questions > 0 ? left : this.call.timeout)
  }

  /** Its server reported this value: it is not late. */
  progress(value: Json | undefined): void {
    const { timeout } = this.call
    if (this.#questions > 0 || timeout === Infinity || !isMore(value, this.#reported)) return
    this.#reported = value
    const left = Math.max(PROGRESS.all, timeout) - this.#seconds
    if (left < timeout) this.#limit(Math.max(0, left), PROGRESS.all)
    else this.#limit(timeout)
  }

  get #seconds(): number {
    return (Date.now() - this.#began) / 1000
  }

  #limit(seconds: number, words = this.call.timeout): void {
    clearTimeout(this.#timer)
    const late = () => this.#giveUp(new Fault('upstream.timeout', { connection: this.#alias, seconds: words }))
    if (seconds !== Infinity) this.#timer = setTimeout(late, seconds * 1000)
  }

  readonly #onAbort = (): void => this.#giveUp(faultOfAbort(this.call.signal.reason, this.#alias, this.call.timeout))

  #giveUp(fault: Fault): void {
    this.fail(fault)
    this.#ends.onGivenUp(fault)
  }

  #finish(): void {
    this.#isOver = true
    clearTimeout(this.#timer)
    this.call.signal.removeEventListener('abort', this.#onAbort)
    this.#ends.onOver()
  }
}

function faultOfAbort(reason: unknown, alias: string, seconds: number): Fault {
  if (reason instanceof Fault) return reason
  return reason instanceof Error && reason.name === 'TimeoutError'
    ? new Fault('upstream.timeout', { connection: alias, seconds })
    : new Fault('call.cancelled')
}
