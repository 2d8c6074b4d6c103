/**
 * A remote MCP server in whichever era it speaks: found out once, remembered, or pinned. What carries the messages is a
 * carrier's matter (HTTP, WebSocket); sessions, eras and streams are the same for all.
 *
 * Detection follows specification 2026-07-28, versioning: `server/discover` first; what does not answer it as a modern server
 * does is tried with `initialize`.
 */
import { Fault } from '@toolway/contract'
import { eraOf, isLegacyRevision, MODERN, type Notification, type Revision } from '@toolway/protocol'
import { again } from '../../lib/again.ts'
import { pause } from '../../lib/pause.ts'
import { createSingleFlight } from '../../lib/single-flight.ts'
import { createBreaker } from '../breaker.ts'
import { GRACE } from '../carrier.ts'
import { createKeptListen, type Opening } from '../kept-listen.ts'
import { createListening } from '../listening.ts'
import type { SessionPool } from '../session-pool.ts'
import {
  changedList,
  GATEWAY,
  type Answer,
  type Ask,
  type Hearing,
  type Honoured,
  type Portrait,
  type Reach,
  type Upstream,
} from '../upstream.ts'
import { createCarrier } from './carriers.ts'
import type { LegacySession } from './legacy-session.ts'
import { createLegacySessions } from './legacy-sessions.ts'
import * as modern from './modern.ts'

/** How long a client waits for what it listens to to be in force, in milliseconds. */
const LISTEN_PATIENCE = 2_000
const NO_METHOD = -32601

export interface HttpUpstreamParts {
  readonly reach: Reach
  readonly ids: () => number
  /** Of the whole process. */
  readonly pool: SessionPool<LegacySession>
  onRevision(revision: Revision): void
  /** Its calls are refused from now on, because of this; undefined when they are let through again. */
  onTurn(failure: Fault | undefined): void
}

export function createHttpUpstream({ reach, ids, pool, onRevision, onTurn }: HttpUpstreamParts): Upstream {
  const breaker = createBreaker({ alias: reach.alias, patience: reach.timeout * 1000, now: Date.now, onTurn })
  const carrier = createCarrier(reach, ids, breaker)
  const detecting = createSingleFlight<'era', Revision>()
  let known = reach.revision
  const pinned = () => (known !== undefined && isLegacyRevision(known) ? known : undefined)
  const announced = createListening({ apply: (union) => kept.want(union) })
  const kept = createKeptListen({
    open: announcements,
    onNotification: announced.hear,
    onReturn: announced.missed,
    patience: reach.timeout * 1000,
  })
  const sessions = createLegacySessions({ reach, carrier, pool, revision: pinned, onListChanged: announced.hear })
  const closing = new AbortController()

  function settle(revision: Revision): Revision {
    known = revision
    onRevision(revision)
    return revision
  }

  const revisionOf = (): Promise<Revision> | Revision => known ?? detecting('era', detect)

  async function detect(): Promise<Revision> {
    const signal = AbortSignal.timeout(reach.timeout * 1000)
    if (await carrier.isModern(signal)) return settle(MODERN)
    return settle((await sessions.introduce()).revision)
  }

  async function introduce(signal: AbortSignal): Promise<Portrait> {
    const revision = await revisionOf()
    if (eraOf(revision) === 'legacy') return sessions.introduce()
    try {
      return await carrier.discover(signal)
    } catch (thrown) {
      // A pinned server is taken at its word, even if it does not answer discovery.
      if (reach.pinned && thrown instanceof Fault && thrown.code === 'upstream.malformed') return UNDISCOVERED
      throw thrown
    }
  }

  /** The modern era known, which is nearly always, costs no turn of the event loop. */
  function ask(asked: Ask): Promise<Answer> {
    // What the gateway asks for itself is rare, paced by itself, and tells whether the server is back.
    if (!breaker.closed && asked.owner !== GATEWAY) {
      const refusal = breaker.admit()
      if (refusal !== undefined) return Promise.reject(refusal)
    }
    return known === MODERN ? carrier.exchange(asked) : askOther(asked)
  }

  async function askOther(asked: Ask): Promise<Answer> {
    return (await revisionOf()) === MODERN ? carrier.exchange(asked) : sessions.ask(asked)
  }

  async function check(signal: AbortSignal): Promise<boolean> {
    if ((await revisionOf()) === MODERN)
      await carrier.exchange({ method: 'server/discover', params: {}, caller: modern.NOBODY, signal })
    else await sessions.ping(signal)
    return true
  }

  /** One stream of the server's announcements, until it ends; false where it has none. */
  async function announcements(opening: Opening): Promise<boolean> {
    if ((await revisionOf()) !== MODERN) {
      const { signal, onOpen, onNotification } = opening
      return sessions.watch(() => onOpen(undefined), onNotification, signal)
    }
    const answer = await carrier.listen(opening)
    return !('error' in answer) || answer.error.code !== NO_METHOD
  }

  async function join(hearing: Hearing): Promise<Honoured> {
    const { uris, tasks, onNotification, onEnd } = hearing
    const signal = AbortSignal.any([hearing.signal, closing.signal])
    closing.signal.addEventListener('abort', onEnd, { once: true, signal: hearing.signal })
    const revision = await again(revisionOf, signal)
    return revision === MODERN
      ? announced.join({ lists: false, uris, tasks }, onNotification, signal)
      : sessions.listen(hearing, signal)
  }

  return {
    introduce,
    ask,
    check,
    watch(onChange, signal) {
      const onNotification = ({ method }: Notification) => {
        const kind = changedList(method)
        if (kind !== undefined) onChange(kind)
      }
      void announced.join({ lists: true, uris: [], tasks: [] }, onNotification, signal)
    },
    listen: (hearing) => soon(join(hearing), hearing),
    tell: (whose, notification) => sessions.tell(whose, notification),
    doubt() {
      if (reach.pinned) return
      known = undefined
      carrier.doubt()
      sessions.forget(GATEWAY)
    },
    forget: (session) => sessions.forget(session),
    async close() {
      closing.abort()
      kept.close()
      const until = performance.now() + GRACE
      const drained = new AbortController()
      void sessions.drain().then(() => drained.abort())
      await pause(GRACE, drained.signal)
      // One limit for both: what hangs in a session holds the end up no longer than what hangs outside.
      await carrier.close(Math.max(0, until - performance.now()))
      // The sessions end after the calls in them.
      await sessions.close()
    },
  }
}

const UNDISCOVERED: Portrait = { revision: MODERN, server: {}, capabilities: { tools: {} }, instructions: undefined }

/** What is in force by then, or all of it, where the server lets wait: it is kept trying, and says then what it missed. */
const soon = (joined: Promise<Honoured>, { uris, tasks, signal }: Hearing): Promise<Honoured> =>
  Promise.race([
    joined.catch(() => ({ uris: [], tasks: [] })),
    pause(LISTEN_PATIENCE, signal).then(() => ({ uris, tasks })),
  ])
