/**
 * Sessions of legacy clients: random names bound to endpoint and principal, for whoever opened them and nobody else.
 *
 * A session holds what its revision states once: capabilities, log level, what is under way. It is not a proof of identity:
 * every request is identified anew, and a session of somebody else answers like one that does not exist.
 */
import { randomUUID } from 'node:crypto'
import { Fault } from '@toolway/contract'
import {
  strangerOf,
  type Caller,
  type Id,
  type LegacyRevision,
  type Message,
  type Opening,
  type Response,
} from '@toolway/protocol'

export interface Session {
  readonly id: string
  readonly revision: LegacyRevision
  caller: Caller
  /** Requests that are being answered, by the client's own id, so that `cancelled` finds them. */
  readonly underWay: Map<Id, Set<AbortController>>
  /** Questions put to the client, by our id. */
  readonly questions: Map<Id, (response: Response) => void>
  /** The client's own stream (GET), where it has one open. */
  stream: ((message: Message) => void) | undefined
  nextQuestion: number
  /** What the client watches, by connection: the servers' own addresses. */
  readonly watched: Map<string, Set<string>>
  /** What ends hearing a server, by connection. */
  readonly ears: Map<string, AbortController>
  /** Aborted when the session ends, for whatever lives as long as it. */
  readonly ended: AbortController
}

interface Held {
  readonly session: Session
  readonly owner: string
  seen: number
}

export interface Sessions {
  open(owner: string, opening: Opening): Session
  /** Throws `session.unknown`, for another's session too. */
  get(owner: string, id: string): Session
  end(owner: string, id: string): void
  readonly size: number
  close(): void
}

export interface SessionsParts {
  readonly now: () => number
  onEnd(session: Session): void
}

const IDLE = 30 * 60_000
const REAP_EVERY = 60_000
const MOST = 10_000
/** Of one principal at one endpoint; the one that was used least recently goes, so that nobody takes another's place. */
const MOST_OF_ONE = 100

export function createSessions({ now, onEnd }: SessionsParts): Sessions {
  const held = new Map<string, Held>()
  const owned = new Map<string, Set<Held>>()
  const reaper = setInterval(reap, REAP_EVERY)
  reaper.unref()

  function drop(one: Held): void {
    const { session, owner } = one
    held.delete(session.id)
    const own = owned.get(owner)
    own?.delete(one)
    if (own?.size === 0) owned.delete(owner)
    for (const controller of [...session.underWay.values()].flatMap((same) => [...same]))
      controller.abort(new Fault('call.cancelled'))
    session.ended.abort()
    onEnd(session)
  }

  function reap(): void {
    const oldest = now() - IDLE
    for (const one of held.values())
      if (one.seen < oldest && one.session.underWay.size === 0 && one.session.stream === undefined) drop(one)
  }

  function find(owner: string, id: string): Held {
    const one = held.get(id)
    if (one === undefined || one.owner !== owner) throw new Fault('session.unknown')
    one.seen = now()
    return one
  }

  return {
    open(owner, { revision, capabilities, client }) {
      const own = owned.get(owner) ?? new Set<Held>()
      if (own.size >= MOST_OF_ONE) drop([...own].reduce((oldest, one) => (one.seen < oldest.seen ? one : oldest)))
      if (held.size >= MOST) reap()
      if (held.size >= MOST) throw new Fault('session.limit', { limit: MOST })
      const session: Session = {
        id: randomUUID().replaceAll('-', ''),
        revision,
        caller: { ...strangerOf(revision), capabilities, client },
        underWay: new Map(),
        questions: new Map(),
        stream: undefined,
        nextQuestion: 0,
        watched: new Map(),
        ears: new Map(),
        ended: new AbortController(),
      }
      const one = { session, owner, seen: now() }
      held.set(session.id, one)
      owned.set(owner, own.add(one))
      return session
    },
    get: (owner, id) => find(owner, id).session,
    end: (owner, id) => drop(find(owner, id)),
    get size() {
      return held.size
    },
    close() {
      clearInterval(reaper)
      for (const one of [...held.values()]) drop(one)
    },
  }
}
