/**
 * Sessions of legacy clients: random names bound to endpoint and principal, valid only for the client that opened them.
 *
 * A session holds the facts that its revision states once: capabilities, log level, requests under way; and the last events of
 * its streams. It is not a proof of identity: every request is identified again, and a session of another principal is answered
 * like one that does not exist. The parts that outlive the process are stored elsewhere (`features/runtime/keep-sessions.job.ts`).
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Fault, type ConnectionId } from '@toolway/contract'
import {
  strangerOf,
  type Caller,
  type Id,
  type LegacyRevision,
  type Message,
  type Opening,
  type Response,
} from '@toolway/protocol'
import { LiveList } from '../lib/live-list.ts'
import { EventBudget, EventLog, type EventLimits } from './event-log.ts'
import { OwnStreams } from './own-streams.ts'

export interface Session {
  readonly id: string
  readonly revision: LegacyRevision
  caller: Caller
  /** The lists of whose changes it was told that it would hear; undefined where another process told it. */
  announced?: ReadonlySet<'tools' | 'prompts' | 'resources'>
  /** Requests that are being answered. */
  readonly underWay: LiveList<SessionCall>
  /** Questions put to the client, by our id. */
  readonly questions: Map<Id, (response: Response) => void>
  /** The client's own stream over a transport that cannot resume one, where it has one open. */
  stream: ((message: Message) => void) | undefined
  nextQuestion: number
  /** The resources that the client watches, by connection: the servers' own addresses. */
  readonly watched: Map<string, Set<string>>
  /** The connections of which it read a page of an app (`page-reads.ts`). */
  readonly pages: Set<ConnectionId>
  /** The last events of its streams, for a client that resumes. */
  readonly events: EventLog
  /** Its own streams that can be resumed (GET). */
  readonly own: OwnStreams
  /** Sends a message outside any request: on one of the client's streams, or stored for the last open one. */
  say(message: Message): void
  /** Readers here of streams that other gateways hold. */
  remoteReaders: number
  /** Whether another process held it before. */
  readonly revived: boolean
  /** When it was used last, in milliseconds. */
  seen: number
  /** Log level, watched resources or pages that were read are others now. */
  changed(): void
  /** Controllers that end listening to a server, by connection. */
  readonly eventSink: Map<string, AbortController>
  /** Aborted when the session ends, for whatever lives as long as it. */
  readonly ended: AbortController
}

/** A request under the client's own id, so that `cancelled` finds it. */
interface SessionCall {
  readonly id: Id
  readonly controller: AbortController
}

export interface SessionEntry {
  readonly session: Session
  readonly owner: string
  /** Whose share of the gateway's sessions it belongs to. */
  readonly organization: string
  /** Milliseconds. */
  readonly openedAt: number
}

/** The facts of a session that outlive the process that held it. */
export interface SessionFacts extends Opening {
  readonly logLevel: string | undefined
  readonly watched: Readonly<Record<string, readonly string[]>>
  /** Absent: none. */
  readonly pages?: readonly ConnectionId[]
}

/** `idle`: nobody came for long; `closing`: only this process ends. */
export type SessionEnd = 'ended' | 'idle' | 'closing'

export interface Sessions {
  /** Throws `session.limit` where the gateway is full of calls in sessions of this organization. */
  open(owner: string, opening: Opening, organization?: string): Session
  /** Let a session live again under the name it had; the one that lives, if it does. Throws as `open` does. */
  revive(owner: string, id: string, facts: SessionFacts, organization?: string): Session
  /** Throws `session.unknown`, for another's session too. */
  get(owner: string, id: string): Session
  /** Whether one of this name lives here, whoever's it is. */
  holds(id: string): boolean
  end(owner: string, id: string): void
  /** End it wherever its end was said. */
  drop(id: string): void
  readonly size: number
  list(): readonly SessionEntry[]
  close(): void
}

export interface SessionsParts {
  readonly now: () => number
  /** Returns a name that cannot be guessed. */
  newName?(): string
  /** Sessions of one principal at one endpoint. */
  readonly mostOfOne?: number
  /** Sessions of one organization, and of all of them together. */
  readonly mostOfOrganization?: number
  readonly most?: number
  readonly events?: EventLimits
  onEnd(session: Session, why: SessionEnd): void
  onChange?(session: Session): void
}

export const IDLE = 30 * 60_000
const REAP_EVERY = 60_000
const MOST = 10_000
/** Milliseconds that calls of a session that ends have for their answer, and between two looks whether they have it. */
const LAST_ANSWERS = 1_000
const LOOK = 10
/** Of one principal at one endpoint, so that nobody takes another's place. */
const MOST_OF_ONE = 10

/** Nothing is under way in it, and nobody listens. */
const isIdle = ({ underWay, stream, own, remoteReaders }: Session): boolean =>
  underWay.size === 0 && stream === undefined && !own.isRead && remoteReaders === 0

const randomName = () => randomUUID().replaceAll('-', '')

export const createSessions = (parts: SessionsParts): Sessions => new MemorySessions(parts)

class MemorySessions implements Sessions {
  readonly #parts: SessionsParts
  readonly #now
  readonly #newName
  readonly #mostOfOne
  readonly #most
  readonly #mostOfOrganization
  readonly #held = new Map<string, SessionEntry>()
  readonly #owned = new Map<string, Set<SessionEntry>>()
  readonly #byOrganization = new Map<string, Set<SessionEntry>>()
  readonly #budget
  readonly #reaper

  constructor(parts: SessionsParts) {
    this.#parts = parts
    this.#now = parts.now
    const { newName = randomName } = parts
    this.#newName = newName
    const { mostOfOne = MOST_OF_ONE } = parts
    this.#mostOfOne = mostOfOne
    const { most = MOST, mostOfOrganization = most } = parts
    this.#most = most
    this.#mostOfOrganization = mostOfOrganization
    this.#budget = new EventBudget(this.#parts.events)
    this.#reaper = setInterval(this.#reap, REAP_EVERY)
    this.#reaper.unref()
  }

  #drop(sessionEntry: SessionEntry, why: SessionEnd): void {
    const { session, owner, organization } = sessionEntry
    this.#held.delete(session.id)
    strike(this.#owned, owner, sessionEntry)
    strike(this.#byOrganization, organization, sessionEntry)
    const reason = why === 'closing' ? 'gateway.draining-cut' : 'session.ended'
    for (const { controller } of session.underWay) controller.abort(new Fault(reason))
    if (why === 'closing' || session.underWay.size === 0) session.events.end()
    else void answered(session).then(() => session.events.end())
    session.ended.abort()
    this.#parts.onEnd(session, why)
  }

  readonly #reap = (): void => {
    const oldest = this.#now() - IDLE
    for (const session of this.#held.values()) {
      // A client that listens or waits is active: idleness begins when that ends.
      if (!isIdle(session.session)) session.session.seen = this.#now()
      else if (session.session.seen < oldest) this.#drop(session, 'idle')
    }
  }

  #find(owner: string, id: string): SessionEntry {
    const session = this.#held.get(id)
    if (session === undefined || session.owner !== owner) throw new Fault('session.unknown')
    session.session.seen = this.#now()
    return session
  }

  /** Ends what has to go for one more session. Each limit takes from whoever reached it, so that nobody takes another's place. */
  #makeRoom(owner: string, organization: string): void {
    const own = this.#owned.get(owner)
    while (own !== undefined && own.size >= this.#mostOfOne) this.#drop(leastMissed(own), 'ended')
    const neighbours = this.#byOrganization.get(organization)
    if (neighbours !== undefined && neighbours.size >= this.#mostOfOrganization)
      this.#dropQuiet(neighbours, this.#mostOfOrganization)
    if (this.#held.size >= this.#most) this.#reap()
    if (this.#held.size < this.#most) return
    const largest = this.#largest(organization)
    if (largest === this.#byOrganization.get(organization)) this.#dropQuiet(largest, this.#most)
    else this.#drop(leastMissed(largest), 'ended')
  }

  /** An organization that has its share full of calls under way ends none of them for one more session of its own. */
  #dropQuiet(own: ReadonlySet<SessionEntry>, limit: number): void {
    const loser = leastMissed(own)
    if (loser.session.underWay.size > 0) throw new Fault('session.limit', { limit })
    this.#drop(loser, 'ended')
  }

  /** The sessions of the organization that has the most, where this one is about to have one more. */
  #largest(organization: string): ReadonlySet<SessionEntry> {
    let largest = this.#byOrganization.get(organization) ?? new Set<SessionEntry>()
    const size = largest.size
    for (const item of this.#byOrganization.values()) if (item.size > Math.max(largest.size, size)) largest = item
    return largest
  }

  #add(owner: string, organization: string, id: string, facts: SessionFacts, revived: boolean): Session {
    const { revision, capabilities, client, logLevel, watched, pages } = facts
    this.#makeRoom(owner, organization)
    const log = new EventLog(this.#budget)
    const session: Session = {
      id,
      revision,
      caller: { ...strangerOf(revision), capabilities, client, logLevel },
      underWay: new LiveList(),
      questions: new Map(),
      stream: undefined,
      nextQuestion: 0,
      watched: new Map(Object.entries(watched).map(([connection, uris]) => [connection, new Set(uris)])),
      pages: new Set(pages),
      eventSink: new Map(),
      events: log,
      own: new OwnStreams(log),
      say(message) {
        if (session.stream === undefined) session.own.say(message)
        else session.stream(message)
      },
      remoteReaders: 0,
      revived,
      seen: this.#now(),
      changed: () => this.#parts.onChange?.(session),
      ended: new AbortController(),
    }
    const one = { session, owner, organization, openedAt: session.seen }
    this.#held.set(id, one)
    note(this.#owned, owner, one)
    note(this.#byOrganization, organization, one)
    return session
  }

  open(owner: string, opening: Opening, organization = '') {
    const facts = { ...opening, logLevel: undefined, watched: {} }
    return this.#add(owner, organization, this.#newName(), facts, false)
  }

  revive(owner: string, id: string, facts: SessionFacts, organization = '') {
    return this.#held.has(id) ? this.#find(owner, id).session : this.#add(owner, organization, id, facts, true)
  }

  get(owner: string, id: string) {
    return this.#find(owner, id).session
  }

  holds(id: string) {
    return this.#held.has(id)
  }

  end(owner: string, id: string) {
    return this.#drop(this.#find(owner, id), 'ended')
  }

  drop(id: string) {
    const session = this.#held.get(id)
    if (session !== undefined) this.#drop(session, 'ended')
  }

  get size() {
    return this.#held.size
  }

  list() {
    return [...this.#held.values()]
  }

  close() {
    clearInterval(this.#reaper)
    for (const session of [...this.#held.values()]) this.#drop(session, 'closing')
  }
}

/** Resolves when the calls of a session that ended have been answered, on streams of its own where those have begun. */
async function answered({ underWay }: Session): Promise<void> {
  const until = performance.now() + LAST_ANSWERS
  while (underWay.size > 0 && performance.now() < until) await sleep(LOOK, undefined, { ref: false })
}

/** The one that was used longest ago: of those in which nothing goes on, or else where at least nothing is under way. */
function leastMissed(own: ReadonlySet<SessionEntry>): SessionEntry {
  let [found] = own
  if (found === undefined) throw new TypeError('there is no session')
  let rank = rankOf(found)
  for (const session of own) {
    const other = rankOf(session)
    if (other < rank || (other === rank && session.session.seen < found.session.seen)) [found, rank] = [session, other]
  }
  return found
}

const rankOf = ({ session }: SessionEntry): number => (isIdle(session) ? 0 : session.underWay.size === 0 ? 1 : 2)

function note(lists: Map<string, Set<SessionEntry>>, of: string, session: SessionEntry): void {
  const own = lists.get(of)
  if (own === undefined) lists.set(of, new Set([session]))
  else own.add(session)
}

function strike(lists: Map<string, Set<SessionEntry>>, of: string, session: SessionEntry): void {
  const own = lists.get(of)
  own?.delete(session)
  if (own?.size === 0) lists.delete(of)
}
