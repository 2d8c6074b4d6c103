/**
 * Streams of calls that this gateway holds and a client reads at another one (ADR 0101). It answers a reader that asks for a stream of
 * a session here, and passes the events on in order, each time those that came since, until the stream has finished or the reader has
 * left. Nothing is stored unless somebody asks. The events themselves stay in the session's log, whose limits bound what can wait.
 */
import { Fault, type OrganizationId } from '@toolway/contract'
import type { Db } from '../db/db.ts'
import type { Log } from '../lib/log.ts'
import { pause } from '../lib/pause.ts'
import { Wake } from '../lib/wake.ts'
import { EVENT_LIMITS, type EventStream, type KeptEvent } from './event-log.ts'
import type { Session } from './sessions.ts'
import {
  holdReader,
  LEASE,
  lendEvents,
  refuseReader,
  removeReader,
  claimReader,
  type StreamReaderNotice,
} from './stream-reader-rows.ts'

export interface LentStreamsParts {
  readonly db: Pick<Db, 'organization'>
  /** The session of a hash of its name, if it lives here. */
  sessionOf(hash: string): Session | undefined
  seal(text: string, reader: string, at: number): Buffer
  readonly log: Pick<Log, 'warn'>
}

export interface LentStreams {
  hear(notice: StreamReaderNotice): void
  /** Streams that are read elsewhere now. */
  readonly size: number
  /** Passes on what there is, and lets the readers go. */
  close(): Promise<void>
}

/** Milliseconds: between two renewals of the lease; for a reader to take what waits for it; after a failure of the database. */
const RENEW = 5_000
const FULL = 250
const AGAIN = 1_000
/** Characters of events that one statement carries, unless a single event is longer. */
const BATCH = 1024 * 1024
/** Milliseconds for the last events at the end of the process. */
const LAST = 2_000

interface StreamRelay {
  readonly organizationId: OrganizationId
  readonly reader: string
  readonly stream: EventStream
  readonly askedAt: number
  readonly wake: Wake
  /** The place of the last event that was passed on. */
  at: number
  /** The reader gets no more of it: the stream has finished, or lets its reader go. */
  isStreamEnded: boolean
  /** The reader has left, or another one has its place. */
  hasReaderLeft: boolean
}

export const createLentStreams = (parts: LentStreamsParts): LentStreams => new Lender(parts)

class Lender implements LentStreams {
  readonly #parts: LentStreamsParts
  readonly #relays = new Map<string, StreamRelay>()
  readonly #running = new Set<Promise<void>>()
  readonly #closed = new AbortController()

  constructor(parts: LentStreamsParts) {
    this.#parts = parts
  }

  get size() {
    return this.#relays.size
  }

  hear({ organization, reader, session = '', stream = '', state }: StreamReaderNotice) {
    if (organization === undefined || reader === undefined || this.#closed.signal.aborted) return
    if (state === 'left') return this.#leave(reader)
    if (state !== 'asked') return
    const held = this.#parts.sessionOf(session)
    if (held === undefined || !held.events.named(stream)) return
    const run = this.#answer(organization as OrganizationId, reader, held, stream)
      .catch((thrown: unknown) => this.#parts.log.warn({ err: thrown }, 'a stream could not be passed on'))
      .finally(() => this.#running.delete(run))
    this.#running.add(run)
  }

  #leave(reader: string): void {
    const relay = this.#relays.get(reader)
    if (relay === undefined) return
    relay.hasReaderLeft = true
    relay.wake.wake()
  }

  async #answer(organizationId: OrganizationId, reader: string, session: Session, name: string): Promise<void> {
    const { db } = this.#parts
    const readerRequest = await db.organization(organizationId, (sql) => claimReader(sql, reader))
    if (readerRequest === undefined) return
    const { after, askedAt } = readerRequest
    const stream = findStream(session, name, after)
    if (typeof stream === 'string')
      return void (await db.organization(organizationId, (sql) => refuseReader(sql, reader, stream)))
    const relay: StreamRelay = {
      ...{ organizationId, reader, stream, askedAt, at: after, isStreamEnded: false, hasReaderLeft: false },
      wake: new Wake(),
    }
    // The client came back twice, and this is the place that it has left already.
    if ([...this.#relays.values()].some((other) => other.stream === stream && other.askedAt > askedAt))
      return void (await this.#remove(relay))
    this.#relays.set(reader, relay)
    const connection = {
      write: relay.wake.wake,
      end() {
        // In place of it somebody else reads, or nobody.
        if (stream.isRead) relay.hasReaderLeft = true
        else relay.isStreamEnded = true
        relay.wake.wake()
      },
    }
    stream.attach(connection, { after, sendsPrimingEvent: false })
    const isOver = await this.#pass(relay).finally(() => {
      this.#relays.delete(reader)
      stream.detach(connection)
    })
    // The reader takes the last events, and removes its row itself.
    if (!isOver) await this.#remove(relay)
  }

  /** Whether the reader has everything. */
  async #pass(relay: StreamRelay): Promise<boolean> {
    let began = false
    for (let failures = 0; !relay.hasReaderLeft;) {
      const over = relay.isStreamEnded || this.#closed.signal.aborted
      const events = relay.stream.since(relay.at)
      if (events === undefined) return false
      try {
        if (events.length === 0 && began && !over) {
          const { organizationId, reader } = relay
          if (!(await this.#parts.db.organization(organizationId, (sql) => holdReader(sql, reader)))) return false
        } else {
          const batch = firstOf(events)
          const isLast = over && batch.length === events.length
          const lent = await this.#lend(relay, batch, isLast)
          if (lent === 'left') return false
          began ||= lent === 'lent'
          if (lent === 'lent' && isLast) return true
          if (lent === 'full') {
            if (this.#closed.signal.aborted) return false
            await pause(FULL, this.#closed.signal)
          }
          if (lent === 'full' || batch.length < events.length) continue
        }
        failures = 0
        await relay.wake.next(RENEW)
      } catch (thrown) {
        // Beyond its lease the reader has given it up.
        if (!(thrown instanceof Fault) || ++failures * AGAIN > LEASE * 1_000 || over) throw thrown
        await pause(AGAIN, this.#closed.signal)
      }
    }
    return false
  }

  async #lend(relay: StreamRelay, batch: readonly KeptEvent[], over: boolean): Promise<'lent' | 'full' | 'left'> {
    const { organizationId, reader } = relay
    const events = batch.map(({ at, text }) => ({ at, sealed: this.#parts.seal(text, reader, at) }))
    const lent = await this.#parts.db.organization(organizationId, (sql) =>
      lendEvents(sql, { organizationId, reader, events, over, most: EVENT_LIMITS }),
    )
    if (lent === 'lent') relay.at = batch.at(-1)?.at ?? relay.at
    return lent
  }

  #remove({ organizationId, reader }: StreamRelay) {
    return this.#parts.db.organization(organizationId, (sql) => removeReader(sql, reader))
  }

  async close() {
    this.#closed.abort()
    for (const { wake } of this.#relays.values()) wake.wake()
    await Promise.race([Promise.all(this.#running), pause(LAST, new AbortController().signal)])
  }
}

/** A stream of the session that has what comes after that place, or the word for why not. */
function findStream(session: Session, name: string, after: number): EventStream | 'gone' | 'ended' {
  try {
    return session.events.find(`${name}.${after}`).stream
  } catch (thrown) {
    return Fault.of(thrown).code === 'stream.ended' ? 'ended' : 'gone'
  }
}

/** Those that one statement carries; at least one, where there is one. */
function firstOf(events: readonly KeptEvent[]): readonly KeptEvent[] {
  let room = BATCH
  return events.filter(({ text }, place) => {
    const fits = room > 0 && (place === 0 || text.length <= room)
    room = fits ? room - text.length : 0
    return fits
  })
}
