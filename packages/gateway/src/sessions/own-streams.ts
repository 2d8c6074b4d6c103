/**
 * A client's own streams, which carry the messages outside any request.
 *
 * A client may have several open, and each message goes to exactly one (2025-11-25, transports, multiple connections): the one
 * that was opened last. While none is open, it waits for the one that was open last, whose reader may resume it.
 */
import type { Message } from '@toolway/protocol'
import type { EventLog, EventStream } from './event-log.ts'

/** One more lets the oldest go that nobody reads, or else the oldest. */
const MOST = 10

export class OwnStreams {
  readonly #log: EventLog
  /** Whether somebody has seen to it that it is told what changes. */
  hears = false
  /** The one that was opened or resumed last is the last. */
  #streams: EventStream[] = []

  constructor(log: EventLog) {
    this.#log = log
  }

  begin(): EventStream {
    if (this.#streams.length >= MOST) {
      const spare = this.#streams.find(({ isRead }) => !isRead) ?? this.#streams[0]
      this.#streams = this.#streams.filter((eventStream) => eventStream !== spare)
      spare?.finish()
    }
    const stream = this.#log.open(true)
    this.#streams.push(stream)
    return stream
  }

  /** Somebody reads this one again: it is the last again, if it is one of these. */
  resumed(stream: EventStream): void {
    if (!this.#streams.includes(stream)) return
    this.#streams = [...this.#streams.filter((eventStream) => eventStream !== stream), stream]
  }

  get isRead(): boolean {
    return this.#streams.some(({ isRead }) => isRead)
  }

  say(message: Message): void {
    const stream = this.#streams.findLast(({ isRead }) => isRead) ?? this.#streams.at(-1)
    stream?.sayOnce(message)
  }
}
