/**
 * Legacy sessions in the database: stored before `initialize` is answered, so that any gateway serves the next request, touched
 * every few minutes, removed when they end, and found again after a restart or in another gateway.
 *
 * Only `initialize` waits for a write, and not while the database is away: the session is stored once it is back. A request that
 * names a session which memory does not know waits for one look at the database; look-ups queue with a deadline, and old names
 * that are not there are remembered for a moment. Where the database is away, the
 * session is neither known nor unknown, and the client is told to come again.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { Fault } from '@toolway/contract'
import { LRUCache } from 'lru-cache'
import type { RequestContext } from '../../snapshot/ports/request-context.ts'
import { createSingleFlight } from '../../lib/single-flight.ts'
import type { Log } from '../../lib/log.ts'
import { createTurns, TurnTooLate } from '../../lib/work-queue.ts'
import type { FoundSession, KeptSession } from '../../sessions/stored-sessions.ts'
import { SESSION_NAME } from '../../sessions/session-names.ts'
import { IDLE, type Session, type SessionEnd, type Sessions } from '../../sessions/sessions.ts'

export interface KeepSessionsParts {
  readonly now: () => number
  readonly log: Log
  /** Keyed hash of a session's name. */
  hash(id: string): Buffer
  /** Milliseconds since a name was given; far off for what is no name of ours. */
  ageOf(id: string): number
  readonly sessions: Pick<Sessions, 'revive' | 'drop'>
  store(sessions: readonly KeptSession[]): Promise<unknown>
  touch(seen: readonly { hash: Buffer; at: Date }[]): Promise<unknown>
  remove(hashes: readonly Buffer[]): Promise<unknown>
  removeIdle(since: Date): Promise<unknown>
  /** `within`: milliseconds that the database has. Rejects with a database fault when it cannot be asked. */
  find(
    organizationId: string,
    requested: { hash: Buffer; owner: string; since: Date },
    within: number,
  ): Promise<FoundSession | undefined>
  /** Have servers told again what a session watches. Rejects when one cannot be. */
  watchAgain(requestContext: RequestContext, session: Session): Promise<void>
}

export interface KeepSessions {
  /**
   * A session that was opened at a door whose sessions can live again. Resolves once it is stored, or after a moment where that
   * cannot be now. Never rejects.
   */
  keep(requestContext: RequestContext, session: Session): Promise<void>
  /**
   * Let a session live again that memory does not know, if there is one of that name for this caller; otherwise nothing happens.
   * Throws a database fault when the database cannot be asked, and `gateway.not-ready` when too many wait for it.
   */
  recall(requestContext: RequestContext, id: string): Promise<void>
  changed(session: Session): void
  ended(session: Session, why: SessionEnd): void
  /** It was ended in another gateway. */
  endedElsewhere(hash: string): void
  /** The session of that hash, in hexadecimal, if it lives here. */
  held(hash: string): Session | undefined
  /** Write what is still to be written; nothing is written afterwards. */
  close(): Promise<void>
}

/** A restart may think a session this much younger than it is. Milliseconds. */
const TOUCH_EVERY_MS = 5 * 60_000
const ROUND = 60_000
/** Changes within this time are stored in one statement. */
const GATHER = 20
/** Longer than a database that answers takes to store a session. */
const STORED_WITHIN_MS = 2_000
const AGAIN = { first: 200, most: 10_000 }
const BATCH = 500
/** Sessions may watch a quarter of a MiB each: this many together are still a statement like any other. */
const STORED = 50
/** Ends that wait for a database that is away; the rows of older ones go when they are idle. */
const MOST_ENDED = 10_000
/** Look-ups queue, so that a restart may take over many sessions at once; guesses must not take the database from others. */
const LOOKUPS = { atOnce: 8, waiting: 1_000 }
/** Milliseconds that a look-up waits in a queue that does not move, and then for the database. */
const PATIENCE = { turn: 1_000, look: 1_500 }
const MISSING = { max: 10_000, ttl: 5_000 }
/** A session of at most this age may be missing only because it is not stored yet. Milliseconds; clocks may differ a little. */
const YOUNG_MS = 60_000
/** Longer than a look at the database takes. */
const GONE = { max: 10_000, ttl: 60_000 }

interface StoredSession {
  readonly session: Session
  readonly facts: Pick<KeptSession, 'hash' | 'organizationId' | 'owner' | 'principal' | 'toolset' | 'connection'>
  readonly openedAt: Date
  touched: number
}

export const createKeepSessions = (parts: KeepSessionsParts): KeepSessions => new SessionKeeper(parts)

class SessionKeeper implements KeepSessions {
  readonly #parts: KeepSessionsParts
  readonly #log
  readonly #kept = new Map<string, StoredSession>()
  readonly #byHash = new Map<string, string>()
  readonly #toStore = new Set<StoredSession>()
  /** Ended here, and perhaps still in the database: none of them lives again. */
  readonly #ending = new Map<string, Buffer>()
  readonly #looking = createSingleFlight<string, void>()
  readonly #missing = new LRUCache<string, true>(MISSING)
  /** Ended in another gateway a moment ago: a look at the database that began before must not bring them back. */
  readonly #gone = new LRUCache<string, true>(GONE)
  readonly #turns = createTurns(LOOKUPS)
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> = Promise.resolve()
  #pause = AGAIN.first
  #closed = false
  readonly #rounds
  #next: Promise<void> | undefined

  constructor(parts: KeepSessionsParts) {
    this.#parts = parts
    this.#log = parts.log
    this.#rounds = setInterval(() => void this.#keepFresh(), ROUND)
    this.#rounds.unref()
  }

  #plan(after: number): void {
    if (this.#closed) return
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      void this.#write()
    }, after)
    this.#timer.unref()
  }

  #write(): Promise<void> {
    return (this.#writing = this.#writing.then(this.#writeAll))
  }

  /** With the next statement, which takes all that came while the last one was under way. */
  async #storeNow(): Promise<void> {
    // While the database is away nobody waits for it.
    if (this.#pause > AGAIN.first) return this.#plan(this.#pause)
    this.#next ??= this.#writing.then(() => {
      this.#next = undefined
      return this.#write()
    })
    const stopTimer = new AbortController()
    await Promise.race([
      this.#next,
      sleep(STORED_WITHIN_MS, undefined, { ref: false, signal: stopTimer.signal }).catch(() => undefined),
    ])
    stopTimer.abort()
  }

  readonly #writeAll = async (): Promise<void> => {
    const storing = [...this.#toStore]
    const removing = [...this.#ending]
    this.#toStore.clear()
    try {
      for (const batch of batchesOf(storing, STORED)) {
        await this.#parts.store(batch.map(rowOf))
        for (const session of batch) storing.splice(storing.indexOf(session), 1)
      }
      for (const batch of batchesOf(removing)) {
        await this.#parts.remove(batch.map(([, hash]) => hash))
        for (const [id] of batch) this.#ending.delete(id)
      }
      this.#pause = AGAIN.first
    } catch (thrown) {
      for (const session of storing) if (this.#kept.get(session.session.id) === session) this.#toStore.add(session)
      this.#log.warn(
        { err: thrown, waiting: this.#toStore.size + this.#ending.size },
        'sessions could not be stored; retrying',
      )
      this.#plan(this.#pause)
      this.#pause = Math.min(this.#pause * 2, AGAIN.most)
    }
  }

  /** Those that were used, or are being used, and whose row is older than that. */
  async #touchAll(age: number): Promise<void> {
    const due = [...this.#kept.values()].filter(({ session, touched }) => session.seen - touched >= age)
    try {
      for (const batch of batchesOf(due)) {
        const at = batch.map(({ session }) => session.seen)
        await this.#parts.touch(batch.map(({ facts }, index) => ({ hash: facts.hash, at: new Date(at[index] ?? 0) })))
        for (const [index, session] of batch.entries()) session.touched = at[index] ?? session.touched
      }
    } catch (thrown) {
      this.#log.warn({ err: thrown }, 'the last use of sessions could not be stored')
    }
  }

  async #keepFresh(): Promise<void> {
    await this.#touchAll(TOUCH_EVERY_MS)
    await this.#parts.removeIdle(this.#oldest()).catch((thrown: unknown) => {
      this.#log.warn({ err: thrown }, 'idle sessions could not be removed')
    })
  }

  /** A session last seen before that time is idle, even if its row is not up to date. */
  #oldest() {
    return new Date(this.#parts.now() - IDLE - TOUCH_EVERY_MS)
  }

  #add(requestContext: RequestContext, session: Session, hash: Buffer, openedAt: Date): StoredSession {
    const { principal, organizationId, owner, toolset, connection } = requestContext
    const facts = { hash, organizationId, owner, principal: principal.id, toolset, connection }
    const stored = { session, facts, openedAt, touched: session.seen }
    this.#kept.set(session.id, stored)
    this.#byHash.set(hash.toString('hex'), session.id)
    return stored
  }

  async #look(requestContext: RequestContext, id: string, name: string): Promise<void> {
    const hash = this.#parts.hash(id)
    const owned = { hash, owner: requestContext.owner, since: this.#oldest() }
    const turn = this.#turns.take(() => this.#parts.find(requestContext.organizationId, owned, PATIENCE.look), {
      patience: PATIENCE.turn,
    })
    if (turn === undefined) throw tooMany()
    const found = await turn.catch((thrown: unknown) => {
      throw thrown instanceof TurnTooLate ? tooMany() : thrown
    })
    if (found === undefined || this.#gone.has(hash.toString('hex'))) {
      // One that opened a moment ago may be stored only now: its gateway could not reach the database.
      if (Math.abs(this.#parts.ageOf(id)) > YOUNG_MS) this.#missing.set(name, true)
      return
    }
    if (this.#closed) throw new Fault('gateway.draining')
    const session = this.#parts.sessions.revive(requestContext.owner, id, found, requestContext.organizationId)
    // Its row is touched at the next round; storing it would bring back one that is being ended elsewhere at this moment.
    this.#add(requestContext, session, hash, found.openedAt).touched = 0
    await this.#parts.watchAgain(requestContext, session).catch((thrown: unknown) => {
      this.#log.warn({ err: thrown }, 'a session could not resubscribe and is ended')
      this.#parts.sessions.drop(id)
    })
  }

  keep(requestContext: RequestContext, session: Session) {
    this.#toStore.add(this.#add(requestContext, session, this.#parts.hash(session.id), new Date(session.seen)))
    return this.#storeNow()
  }

  async recall(requestContext: RequestContext, id: string) {
    const name = `${requestContext.owner} ${id}`
    if (!SESSION_NAME.test(id) || this.#ending.has(id) || this.#missing.has(name)) return
    await this.#looking(name, () => this.#look(requestContext, id, name))
  }

  changed(session: Session) {
    const stored = this.#kept.get(session.id)
    if (stored === undefined) return
    this.#toStore.add(stored)
    this.#plan(GATHER)
  }

  ended(session: Session, why: SessionEnd) {
    const stored = this.#kept.get(session.id)
    if (stored === undefined) return
    this.#kept.delete(session.id)
    this.#byHash.delete(stored.facts.hash.toString('hex'))
    this.#toStore.delete(stored)
    // Another gateway may have seen it since: what is idle everywhere goes by its row's own time.
    if (why !== 'ended' || this.#closed) return
    this.#ending.set(session.id, stored.facts.hash)
    const [oldest = ''] = this.#ending.keys()
    if (this.#ending.size > MOST_ENDED) this.#ending.delete(oldest)
    this.#plan(GATHER)
  }

  endedElsewhere(hash: string) {
    this.#gone.set(hash, true)
    const id = this.#byHash.get(hash)
    if (id !== undefined) this.#parts.sessions.drop(id)
  }

  held(hash: string) {
    return this.#kept.get(this.#byHash.get(hash) ?? '')?.session
  }

  async close() {
    this.#closed = true
    clearInterval(this.#rounds)
    clearTimeout(this.#timer)
    await this.#write()
    if (this.#toStore.size === 0) await this.#touchAll(1)
  }
}

const tooMany = () => new Fault('gateway.not-ready', { problem: 'too many unknown sessions are being looked up' })

const rowOf = ({ session, facts, openedAt }: StoredSession): KeptSession => ({
  ...facts,
  openedAt,
  revision: session.revision,
  capabilities: session.caller.capabilities,
  client: session.caller.client,
  logLevel: session.caller.logLevel,
  watched: Object.fromEntries([...session.watched].map(([connection, uris]) => [connection, [...uris]])),
  pages: [...session.pages],
  seenAt: new Date(session.seen),
})

function batchesOf<One>(all: readonly One[], size = BATCH): One[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, at) => all.slice(at * size, (at + 1) * size))
}
