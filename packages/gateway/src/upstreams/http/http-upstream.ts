/**
 * A remote MCP server in whichever era it speaks: found out once, remembered, or pinned. What carries the messages is a
 * carrier's matter (HTTP, WebSocket); sessions, eras and streams are the same for all.
 *
 * Detection follows specification 2026-07-28, versioning: `server/discover` first; what does not answer it as a modern server
 * does is tried with `initialize`.
 */
import { Fault } from '@toolway/contract'
import { eraOf, isLegacyRevision, isNotification, MODERN, type Notification, type Revision } from '@toolway/protocol'
import { createSingleFlight } from '../../lib/single-flight.ts'
import { createBreaker } from '../breaker.ts'
import type { SessionPool } from '../session-pool.ts'
import {
  changedList,
  GATEWAY,
  LIST_KINDS,
  type Answer,
  type Ask,
  type ListKind,
  type Portrait,
  type Reach,
  type Upstream,
} from '../upstream.ts'
import { GRACE } from '../carrier.ts'
import { createCarrier } from './carriers.ts'
import type { LegacySession } from './legacy-session.ts'
import { createLegacySessions } from './legacy-sessions.ts'
import * as modern from './modern.ts'

/** How long a client waits for its subscription to be in force, in milliseconds. */
const LISTEN_PATIENCE = 2_000
const WATCH_AGAIN = { first: 1_000, most: 60_000 }

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
  const ears = new Map<string, AbortController>()
  let known = reach.revision
  const revision = () => (known !== undefined && isLegacyRevision(known) ? known : undefined)
  const sessions = createLegacySessions({ reach, carrier, pool, revision })

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

  async function watchOnce(
    onChange: (kind: ListKind) => void,
    onOpen: () => void,
    signal: AbortSignal,
  ): Promise<boolean> {
    if ((await revisionOf()) === MODERN) {
      const onNotification = ({ method }: Notification) => {
        const kind = changedList(method)
        if (kind !== undefined) onChange(kind)
      }
      const answer = await carrier.listen({ filter: modern.LIST_FILTER, onNotification, onOpen, signal })
      return !('error' in answer)
    }
    return sessions.watch(
      onOpen,
      (message) => {
        const kind = 'method' in message ? changedList(message.method) : undefined
        if (kind !== undefined) onChange(kind)
      },
      signal,
    )
  }

  /** One listen stream for all that a session watches; it comes back by itself, and is another one when the session watches another set. */
  async function hearModern(
    key: string,
    uris: readonly string[],
    onNotification: (notification: Notification) => void,
  ): Promise<void> {
    ears.get(key)?.abort()
    ears.delete(key)
    if (uris.length === 0) return
    const ear = new AbortController()
    ears.set(key, ear)
    const { signal } = ear
    const opened = Promise.withResolvers<void>()
    const filter = { resourceSubscriptions: [...uris] }
    const keep = async () => {
      for (let pause = WATCH_AGAIN.first; !signal.aborted; pause = Math.min(pause * 2, WATCH_AGAIN.most)) {
        const onOpen = () => {
          pause = WATCH_AGAIN.first
          opened.resolve()
        }
        await carrier.listen({ filter, onNotification, onOpen, signal }).catch(() => {})
        if (!signal.aborted) await sleep(pause, signal)
      }
    }
    void keep()
    await Promise.race([opened.promise, sleep(LISTEN_PATIENCE, signal)])
  }

  /** A server without a stream (false) is left to the periodic refresh; a broken stream comes back with growing pauses. */
  async function keepWatching(onChange: (kind: ListKind) => void, signal: AbortSignal): Promise<void> {
    let heard = false
    for (let pause = WATCH_AGAIN.first; !signal.aborted; pause = Math.min(pause * 2, WATCH_AGAIN.most)) {
      const onOpen = () => {
        pause = WATCH_AGAIN.first
        // What was announced while nobody listened is not said again, so all of it may have changed.
        if (heard) for (const kind of LIST_KINDS) onChange(kind)
        heard = true
      }
      const offers = await watchOnce(onChange, onOpen, signal).catch(() => true)
      if (!offers) return
      // A first one that broke before it was open has missed something as well.
      heard = true
      await sleep(pause, signal)
    }
  }

  return {
    introduce,
    ask,
    check,
    watch: (onChange, signal) => void keepWatching(onChange, signal),
    async hear(session, uris, onNotification) {
      if ((await revisionOf()) === MODERN) return hearModern(session.id, uris, onNotification)
      if (ears.has(session.id)) return
      const ear = new AbortController()
      ears.set(session.id, ear)
      sessions
        .hear(session, (message) => isNotification(message) && onNotification(message), ear.signal)
        .catch(() => {})
        .finally(() => ears.delete(session.id))
    },
    doubt() {
      if (reach.pinned) return
      known = undefined
      carrier.doubt()
      sessions.forget(GATEWAY)
    },
    forget(session) {
      ears.get(session)?.abort()
      sessions.forget(session)
    },
    async close() {
      for (const ear of ears.values()) ear.abort()
      const drained = new AbortController()
      void sessions.drained().then(() => drained.abort())
      await sleep(GRACE, drained.signal)
      await carrier.close()
      // The sessions end after the calls in them.
      await sessions.close()
    },
  }
}

const UNDISCOVERED: Portrait = { revision: MODERN, server: {}, capabilities: { tools: {} }, instructions: undefined }

const sleep = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, milliseconds)
    signal.addEventListener('abort', done, { once: true })
  })
