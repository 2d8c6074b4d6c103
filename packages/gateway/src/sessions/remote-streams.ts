/**
 * Streams of calls that another gateway holds and a client resumes here (ADR 0101). It asks for the stream through the database, and
 * writes what comes to the client, under the same event ids.
 */
import { randomBytes } from 'node:crypto'
import { Fault, type OrganizationId } from '@toolway/contract'
import { eventOfText, primingEvent } from '@toolway/protocol'
import type { Db } from '../db/db.ts'
import { FairShare } from '../lib/fair-share.ts'
import { Wake } from '../lib/wake.ts'
import { eventId, RETRY, type Connection } from './event-log.ts'
import {
  askAgain,
  askForStream,
  removeReader,
  takeEvents,
  type ReaderState,
  type SealedEvent,
  type StreamReaderNotice,
} from './stream-reader-rows.ts'

export interface RemoteStreamsParts {
  readonly db: Pick<Db, 'organization'>
  /** Keyed hash of a session's name. */
  hash(session: string): Buffer
  /** Throws where the value was sealed for another place. */
  open(sealed: Buffer, reader: string, at: number): string
  /** Milliseconds to wait for the gateway that holds a stream. */
  readonly patience?: number
}

export interface ResumedStream {
  readonly organizationId: OrganizationId
  /** Its name. */
  readonly session: string
  readonly stream: string
  /** The place of the last event that the client has. */
  readonly after: number
}

export interface RemoteStreams {
  /**
   * Resolves once the gateway that holds the stream has answered. Throws `stream.gone` where none does in time or events are lost,
   * `stream.ended`, `gateway.not-ready` when too many streams are read here, and database faults.
   */
  resume(stream: ResumedStream, signal: AbortSignal): Promise<RemoteStream>
  hear(notice: StreamReaderNotice): void
  /** Notices were lost: each reader looks for itself. */
  lost(): void
}

export interface RemoteStream {
  /** Writes the events until the stream has finished, its holder is gone, or `signal` is aborted; then ends the connection. */
  pass(connection: Connection, sendsPrimingEvent: boolean): Promise<void>
  leave(): Promise<void>
}

/** Milliseconds: longer than the change feed takes to go on without Redis; between two questions; between two looks and renewals. */
const PATIENCE = 5_000
const ASK = 1_000
const RENEW = 5_000
/** Milliseconds that the database has. */
const WITHIN = 2_000
/** Streams of other gateways that are read here. */
const MOST = 500

export const createRemoteStreams = (parts: RemoteStreamsParts): RemoteStreams => new Reading(parts)

class Reading implements RemoteStreams {
  readonly #parts: RemoteStreamsParts
  readonly #readers = new Map<string, Reader>()
  readonly #share = new FairShare(MOST)

  constructor(parts: RemoteStreamsParts) {
    this.#parts = parts
  }

  async resume(stream: ResumedStream, signal: AbortSignal): Promise<RemoteStream> {
    const leave = this.#share.take(stream.organizationId)
    if (leave === undefined)
      throw new Fault('gateway.not-ready', { problem: 'too many streams of other gateways are being read' })
    const reader = new Reader(this.#parts, stream, signal, () => {
      this.#readers.delete(reader.name)
      leave()
    })
    this.#readers.set(reader.name, reader)
    try {
      await reader.ask()
    } catch (thrown) {
      // It is not waited for: the database may be away.
      void reader.leave()
      throw thrown
    }
    return reader
  }

  hear({ reader = '' }: StreamReaderNotice) {
    this.#readers.get(reader)?.wake()
  }

  lost() {
    for (const reader of this.#readers.values()) reader.wake()
  }
}

class Reader implements RemoteStream {
  readonly name = randomBytes(16).toString('hex')
  readonly #parts: RemoteStreamsParts
  readonly #wanted: ResumedStream
  readonly #signal: AbortSignal
  readonly #onLeft: () => void
  readonly #wake = new Wake()
  #stored = false
  #state: ReaderState | undefined = 'asked'
  /** Taken, and not written yet. */
  #events: readonly SealedEvent[] = []

  constructor(parts: RemoteStreamsParts, stream: ResumedStream, signal: AbortSignal, onLeft: () => void) {
    this.#parts = parts
    this.#wanted = stream
    this.#signal = signal
    this.#onLeft = onLeft
    signal.addEventListener('abort', this.wake)
  }

  wake = (): void => this.#wake.wake()

  async ask(): Promise<void> {
    const { organizationId, session, stream, after } = this.#wanted
    const wanted = { organizationId, session: this.#parts.hash(session), stream, after, reader: this.name }
    this.#stored = true
    if (!(await this.#parts.db.organization(organizationId, (sql) => askForStream(sql, wanted), WITHIN)))
      throw this.#gone()
    const { patience = PATIENCE } = this.#parts
    for (let waited = 0; this.#state === 'asked' && waited < patience && !this.#signal.aborted;) {
      const began = performance.now()
      await this.#wake.next(Math.min(ASK, patience - waited))
      const passed = performance.now() - began
      waited += passed
      await this.#take()
      if (this.#state === 'asked' && passed >= ASK - 1)
        await this.#parts.db.organization(organizationId, (sql) => askAgain(sql, this.name))
    }
    if (this.#state === 'ended') throw new Fault('stream.ended', { event: eventId(stream, after) })
    if (this.#state !== 'lent' && this.#state !== 'over') throw this.#gone()
  }

  #gone = () => {
    const { stream, after } = this.#wanted
    return new Fault('stream.gone', { event: eventId(stream, after).slice(0, 40) })
  }

  async #take(): Promise<void> {
    const { organizationId } = this.#wanted
    const taken = await this.#parts.db.organization(organizationId, (sql) => takeEvents(sql, this.name), WITHIN)
    this.#state = taken === undefined || (taken.abandoned && taken.events.length === 0) ? undefined : taken.state
    this.#events = taken?.events ?? []
  }

  async pass(connection: Connection, sendsPrimingEvent: boolean): Promise<void> {
    const { stream, after } = this.#wanted
    let last = after
    try {
      if (sendsPrimingEvent) connection.write(primingEvent(eventId(stream, after), RETRY))
      for (;;) {
        for (const { at, sealed } of this.#events) {
          // A gap, or an event twice, would be a fault of the other gateway: the client comes back for what it has not had.
          if (at !== last + 1) return
          connection.write(eventOfText(this.#parts.open(sealed, this.name, at), eventId(stream, at)))
          last = at
        }
        if (this.#state !== 'lent' || this.#signal.aborted) return
        await this.#wake.next(RENEW)
        if (!this.#signal.aborted) await this.#take()
      }
    } catch (thrown) {
      // The client comes back for what it has not had.
      if (!(thrown instanceof Fault)) throw thrown
    } finally {
      connection.end()
      await this.leave()
    }
  }

  async leave(): Promise<void> {
    this.#signal.removeEventListener('abort', this.wake)
    this.#onLeft()
    if (!this.#stored) return
    this.#stored = false
    // Where the database is away, the row goes with its lease.
    await this.#parts.db
      .organization(this.#wanted.organizationId, (sql) => removeReader(sql, this.name))
      .catch(() => {})
  }
}
