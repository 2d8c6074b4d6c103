/**
 * The events that a session's clients may still request again: the last events of each of its streams, under ids that name the
 * stream.
 *
 * A resume replays the events after a given one on *that* stream and nothing of any other (2025-11-25, transports, resumability).
 * Events that are no longer stored cause a fault and are never skipped silently. Events are bounded in number and bytes for each
 * session, and in bytes for the process; they are in memory only and end with their session. It knows streams and frames, not
 * HTTP.
 */
import { randomBytes } from 'node:crypto'
import { Fault } from '@toolway/contract'
import { eventOfText, primingEvent, type Message } from '@toolway/protocol'

/** Where the frames of a stream go while somebody reads it. */
export interface Connection {
  write(frame: string): void
  end(): void
}

/** An event of a stream: its place there, and its message as JSON. */
export interface KeptEvent {
  readonly at: number
  readonly text: string
}

interface LoggedEvents extends KeptEvent {
  readonly stream: EventStream
  readonly size: number
}

export interface EventLimits {
  /** Events of one session. */
  readonly events: number
  /** Bytes of one session, and of the whole process. */
  readonly bytes: number
  readonly all: number
}

export const EVENT_LIMITS: EventLimits = { events: 100, bytes: 8 * 1024 * 1024, all: 64 * 1024 * 1024 }
/** Milliseconds that a client waits before it comes back. */
export const RETRY = 1_000
/** `life-kind number.place`: a log's random name, what began the stream, which one it is, and the event's place in it. */
const EVENT_FORM = /^(([\da-f]{12})-([gp])[\da-z]{1,8})\.(\d{1,12})$/
const OWN = 'g'
const CALL = 'p'
/** The overhead of an event besides its text. */
const OVERHEAD = 128

/** The events of all sessions share one budget. */
export class EventBudget {
  readonly limits: EventLimits
  #bytes = 0
  /** Those that hold something, the one that was written to longest ago first. */
  readonly #logs = new Set<EventLog>()

  constructor(limits: EventLimits = EVENT_LIMITS) {
    this.limits = limits
  }

  get bytes(): number {
    return this.#bytes
  }

  add(log: EventLog, size: number): void {
    this.#logs.delete(log)
    this.#logs.add(log)
    this.#bytes += size
    if (this.#bytes > this.limits.all) this.#shed()
  }

  remove(log: EventLog, size: number): void {
    this.#bytes -= size
    if (log.bytes === 0) this.#logs.delete(log)
  }

  /** Only those who hold more than their share lose any, so that nobody's flood costs another's answer. */
  #shed(): void {
    // A tenth of room, so that a full budget is not walked again for the next event.
    const aim = this.limits.all * 0.9
    const share = aim / this.#logs.size
    for (const log of [...this.#logs]) {
      while (this.#bytes > aim && log.bytes > share) log.dropOldest()
      if (this.#bytes <= aim) return
    }
  }
}

export class EventLog {
  readonly #budget: EventBudget
  readonly #streams = new Map<string, EventStream>()
  #kept: LoggedEvents[] = []
  #name = ''
  #count = 0
  #ended = false
  bytes = 0

  constructor(budget: EventBudget) {
    this.#budget = budget
  }

  /**
   * A new stream, with a name that no stream of this session had in this or another process. `own` for one that the client opens
   * itself, which its name says, too.
   */
  open(own = false): EventStream {
    if (this.#name === '') this.#name = randomBytes(6).toString('hex')
    const stream = new EventStream(this, `${this.#name}-${own ? OWN : CALL}${(++this.#count).toString(36)}`)
    this.#streams.set(stream.name, stream)
    return stream
  }

  /**
   * The stream that an event belongs to, and the event's place in it. Throws `stream.gone` when something that came after it is
   * lost, or nothing is known of it; `stream.ended` when nothing came after it and nothing will.
   */
  find(event: string): { stream: EventStream; after: number } {
    const [, name = '', , , digits = ''] = EVENT_FORM.exec(event) ?? []
    const stream = this.#streams.get(name)
    const after = Number(digits)
    if (stream === undefined || after > stream.last || after < stream.lost)
      throw new Fault('stream.gone', { event: event.slice(0, 40) })
    if (stream.finished && after === stream.last) throw new Fault('stream.ended', { event })
    return { stream, after }
  }

  /** Whether an event is of an own stream that was opened when another process held this session. */
  isOfAnotherLife(event: string): boolean {
    const [, , life, kind] = EVENT_FORM.exec(event) ?? []
    return kind === OWN && life !== this.#name
  }

  /** The stream of a call that another log of this session may hold, and the event's place in it; undefined: no other has it. */
  remotePlaceOf(event: string): { stream: string; after: number } | undefined {
    const [, stream = '', life, kind, digits] = EVENT_FORM.exec(event) ?? []
    return kind === CALL && life !== this.#name ? { stream, after: Number(digits) } : undefined
  }

  /** Whether a stream of that name began in this log. */
  named(stream: string): boolean {
    return this.#name !== '' && stream.startsWith(`${this.#name}-`)
  }

  keep(stream: EventStream, at: number, text: string): void {
    const size = sizeOf(text)
    const { events, bytes } = this.#budget.limits
    if (this.#ended || size > bytes) {
      stream.lost = at
      return
    }
    while (this.#kept.length >= events || this.bytes + size > bytes) this.dropOldest()
    this.#kept.push({ stream, at, text, size })
    this.bytes += size
    this.#budget.add(this, size)
  }

  dropOldest(): void {
    const oldest = this.#kept.shift()
    if (oldest === undefined) return
    oldest.stream.lost = Math.max(oldest.stream.lost, oldest.at)
    this.bytes -= oldest.size
    this.#budget.remove(this, oldest.size)
    if (oldest.stream.finished && oldest.stream.lost === oldest.stream.last) this.#streams.delete(oldest.stream.name)
  }

  /** The events of a stream after one of them, in order. */
  after(stream: EventStream, at: number): KeptEvent[] {
    return this.#kept.filter((events) => events.stream === stream && events.at > at)
  }

  /** A stream that has ended is known as long as something of it is kept. */
  settle(stream: EventStream): void {
    if (stream.lost === stream.last) this.#streams.delete(stream.name)
  }

  get size(): number {
    return this.#kept.length
  }

  /** The session is over: whoever still reads is let go, and nothing is kept. */
  end(): void {
    this.#ended = true
    const streams = [...this.#streams.values()]
    while (this.#kept.length > 0) this.dropOldest()
    for (const stream of streams) stream.finish()
    this.#streams.clear()
  }
}

export class EventStream {
  readonly name: string
  readonly #log: EventLog
  /** The place of the last event, and of the last one that is no longer kept. */
  last = 0
  lost = 0
  finished = false
  #connection: Connection | undefined
  /** The number of the last event when the last reader left. */
  #left = 0

  constructor(log: EventLog, name: string) {
    this.#log = log
    this.name = name
  }

  get isRead(): boolean {
    return this.#connection !== undefined
  }

  /** Keep a message, and send it to whoever reads. */
  say(message: Message): void {
    if (this.finished) return
    const text = JSON.stringify(message)
    const at = ++this.last
    this.#log.keep(this, at, text)
    this.#connection?.write(eventOfText(text, eventId(this.name, at)))
  }

  /** The events after `at`, in order; undefined when one of them is no longer kept. */
  since(at: number): readonly KeptEvent[] | undefined {
    return this.lost > at ? undefined : this.#log.after(this, at)
  }

  /** A message that says no more when it is said again: while nobody reads it is kept once. */
  sayOnce(message: Message): void {
    if (this.#connection === undefined) {
      const text = JSON.stringify(message)
      if (this.#log.after(this, this.#left).some((stored) => stored.text === text)) return
    }
    this.say(message)
  }

  /**
   * Give the stream a reader, in place of the one it had: first what came after `after`, then whatever comes. `primes` for a
   * reader that knows events without data.
   */
  attach(
    connection: Connection,
    { after = 0, sendsPrimingEvent }: { after?: number; sendsPrimingEvent: boolean },
  ): void {
    const before = this.#connection
    this.#connection = connection
    before?.end()
    if (sendsPrimingEvent) connection.write(primingEvent(eventId(this.name, after), RETRY))
    for (const { at, text } of this.#log.after(this, after)) connection.write(eventOfText(text, eventId(this.name, at)))
    if (this.finished) this.pause()
  }

  detach(connection: Connection): void {
    if (this.#connection !== connection) return
    this.#connection = undefined
    this.#left = this.last
  }

  /** Let the reader go for now: the stream goes on, and the reader may come back. */
  pause(): void {
    const connection = this.#connection
    if (connection === undefined) return
    this.detach(connection)
    connection.end()
  }

  /** Nothing comes any more. */
  finish(): void {
    if (this.finished) return
    this.finished = true
    this.pause()
    this.#log.settle(this)
  }
}

/** The id of the event at a place of a stream. */
export const eventId = (stream: string, at: number): string => `${stream}.${at}`

/** As the engine holds it: one byte for each character, or two when one of them needs two. */
const sizeOf = (text: string): number => OVERHEAD + text.length * (/[^\0-\xff]/.test(text) ? 2 : 1)
