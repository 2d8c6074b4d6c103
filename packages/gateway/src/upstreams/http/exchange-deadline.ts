/** When one exchange with an upstream is too late: progress and a question to a person extend its time, up to a limit. */
import type { Json } from '@toolway/protocol'
import { HUMAN, isMore, PROGRESS } from '@toolway/protocol/client'

interface Times {
  /** Seconds for this exchange. */
  readonly seconds: number
  /** Seconds that the connection has for each, which the sentence of a timeout names. */
  readonly usual: number
}

export class ExchangeDeadline {
  readonly #times: Times
  readonly #onLate: (seconds: number) => void
  readonly #began = Date.now()
  /** As reported last. */
  #progress = -Infinity
  #timer: NodeJS.Timeout | undefined
  /** When it is over, in milliseconds. */
  #at = 0

  /** @param onLate called with the seconds that a person may be told */
  constructor(times: Times, onLate: (seconds: number) => void) {
    this.#times = times
    this.#onLate = onLate
  }

  /** Seconds of its first limit that are left. */
  get left(): number {
    return this.#times.seconds - (Date.now() - this.#began) / 1000
  }

  /** From now on; `words` are the seconds that are told. */
  set(seconds: number, words = this.#times.usual): void {
    clearTimeout(this.#timer)
    this.#at = Date.now() + seconds * 1000
    this.#timer = setTimeout(() => this.#onLate(words), seconds * 1000)
  }

  /** @param progress as the server reports it; it counts only where it is more than before */
  prolong(progress: Json | undefined): void {
    if (!isMore(progress, this.#progress)) return
    this.#progress = progress
    const { seconds } = this.#times
    const left = Math.max(PROGRESS.all, seconds) - (Date.now() - this.#began) / 1000
    const isLast = left < seconds
    const length = isLast ? left : seconds
    if (Date.now() + length * 1000 > this.#at) this.set(length, isLast ? PROGRESS.all : undefined)
  }

  /** While a person thinks about a question. */
  extend(): void {
    this.set(Math.min(HUMAN.question, HUMAN.all - (Date.now() - this.#began) / 1000))
  }

  clear(): void {
    clearTimeout(this.#timer)
  }
}
