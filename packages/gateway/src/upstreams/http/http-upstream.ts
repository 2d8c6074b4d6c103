/**
 * A remote MCP server in whichever era it speaks: found out once, remembered, or pinned. What carries the messages is a
 * carrier's matter (HTTP, WebSocket); sessions, eras and streams are the same for all.
 *
 * Detection follows specification 2026-07-28, versioning: `server/discover` first; what does not answer it as a modern server
 * does is tried with `initialize`.
 */
import { Fault } from '@toolway/contract'
import {
  eraOf,
  isLegacyRevision,
  isNotification,
  MODERN,
  type Notification,
  type LegacyRevision,
  type Revision,
} from '@toolway/protocol'
import { createSingleFlight } from '../../lib/single-flight.ts'
import {
  changedList,
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
import { SessionLost, type LegacySession } from './legacy-session.ts'
import * as modern from './modern.ts'

/** The gateway's own session with the server, for its lists; it can answer no question. */
const CATALOG = 'catalog'
/** Sessions for callers who have none of their own (modern clients), one for each principal. */
const OWNED = 'owner '
const MOST_SESSIONS = 1_000
/** How long a client waits for its subscription to be in force, in milliseconds. */
const LISTEN_PATIENCE = 2_000
const WATCH_AGAIN = { first: 1_000, most: 60_000 }

export interface HttpUpstreamParts {
  readonly reach: Reach
  readonly ids: () => number
  onRevision(revision: Revision): void
}

export function createHttpUpstream({ reach, ids, onRevision }: HttpUpstreamParts): Upstream {
  const carrier = createCarrier(reach, ids)
  const flights = createSingleFlight<string, LegacySession>()
  const detecting = createSingleFlight<'era', Revision>()
  const sessions = new Map<string, LegacySession>()
  const ears = new Map<string, AbortController>()
  const forgotten = new Set<string>()
  let closed = false
  let known = reach.revision

  function settle(revision: Revision): Revision {
    known = revision
    onRevision(revision)
    return revision
  }

  const revisionOf = (): Promise<Revision> | Revision => known ?? detecting('era', detect)

  async function detect(): Promise<Revision> {
    const signal = AbortSignal.timeout(reach.timeout * 1000)
    if (await carrier.isModern(signal)) return settle(MODERN)
    const session = await openShared()
    return settle(session.portrait.revision)
  }

  const legacyPin = (): LegacyRevision | undefined =>
    known !== undefined && isLegacyRevision(known) ? known : undefined

  /** Whoever waits for a session that is being opened shares it; one that was forgotten meanwhile is closed again. */
  function openSession(key: string, asked: Pick<Ask, 'caller'> | undefined): Promise<LegacySession> {
    const held = sessions.get(key)
    if (held !== undefined) return Promise.resolve(held)
    return flights(key, async () => {
      const session = await carrier.open({
        revision: legacyPin(),
        capabilities: asked?.caller.capabilities ?? {},
        logLevel: asked?.caller.logLevel,
        signal: AbortSignal.timeout(reach.timeout * 1000),
      })
      if (closed || forgotten.delete(key)) {
        void session.close()
        throw new Fault('upstream.disabled', { connection: reach.alias })
      }
      keep(key, session)
      return session
    })
  }
  const openShared = () => openSession(CATALOG, undefined)

  /** Sessions of callers without one of their own are bounded: the one that was opened first goes. */
  function keep(key: string, session: LegacySession): void {
    sessions.set(key, session)
    if (sessions.size <= MOST_SESSIONS) return
    const [oldest] = [...sessions.keys()].filter((one) => one.startsWith(OWNED))
    if (oldest !== undefined) forget(oldest)
  }

  function forget(key: string): void {
    const session = sessions.get(key)
    if (session === undefined && flights.isUnderWay(key)) forgotten.add(key)
    sessions.delete(key)
    ears.get(key)?.abort()
    void session?.close()
  }

  async function introduce(signal: AbortSignal): Promise<Portrait> {
    const revision = await revisionOf()
    if (eraOf(revision) === 'legacy') return (await openShared()).portrait
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
    return known === MODERN ? carrier.exchange(asked) : askOther(asked)
  }

  async function askOther(asked: Ask): Promise<Answer> {
    if ((await revisionOf()) === MODERN) return carrier.exchange(asked)
    const key = asked.session?.id ?? `${OWNED}${asked.owner}`
    const session = await openSession(key, asked.session)
    try {
      return await session.ask(asked)
    } catch (thrown) {
      if (!(thrown instanceof SessionLost)) throw thrown
      // The server did not know the session, so it did not act: one new session, one more try.
      if (sessions.get(key) === session) sessions.delete(key)
      const again = await openSession(key, asked.session)
      return again.ask(asked).catch((lost: unknown) => {
        throw lost instanceof SessionLost
          ? new Fault('upstream.lost', { connection: reach.alias }, { cause: lost })
          : lost
      })
    }
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
    const session = await openShared()
    try {
      // A server may hold back the head of a stream until it has something to say, so it is asked whether it is there.
      await session.ask({ ...PING, signal })
      onOpen()
      return await session.stream((message) => {
        const kind = 'method' in message ? changedList(message.method) : undefined
        if (kind !== undefined) onChange(kind)
      }, signal)
    } catch (thrown) {
      if (thrown instanceof SessionLost && sessions.get(CATALOG) === session) sessions.delete(CATALOG)
      throw thrown
    }
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
      await sleep(pause, signal)
    }
  }

  return {
    introduce,
    ask,
    watch: (onChange, signal) => void keepWatching(onChange, signal),
    async hear(session, uris, onNotification) {
      if ((await revisionOf()) === MODERN) return hearModern(session.id, uris, onNotification)
      if (ears.has(session.id)) return
      const ear = new AbortController()
      ears.set(session.id, ear)
      openSession(session.id, session)
        .then((held) => held.stream((message) => isNotification(message) && onNotification(message), ear.signal))
        .catch(() => {})
        .finally(() => ears.delete(session.id))
    },
    doubt() {
      if (reach.pinned) return
      known = undefined
      carrier.doubt()
      forget(CATALOG)
    },
    forget,
    async close() {
      closed = true
      for (const ear of ears.values()) ear.abort()
      const ending = [...sessions.values()]
      const drained = new AbortController()
      void Promise.all(ending.map((session) => session.drained())).then(() => drained.abort())
      await sleep(GRACE, drained.signal)
      await carrier.close()
      sessions.clear()
      // The sessions end after the calls in them.
      await Promise.all(ending.map((session) => session.close()))
    },
  }
}

const UNDISCOVERED: Portrait = { revision: MODERN, server: {}, capabilities: { tools: {} }, instructions: undefined }

/** Asked by the gateway itself, which can answer nothing. */
const PING: Omit<Ask, 'signal'> = {
  method: 'ping',
  params: {},
  caller: modern.NOBODY,
  session: undefined,
  owner: CATALOG,
  headerParameters: [],
  onNotification() {},
  onQuestion: () => Promise.resolve({ error: { code: -32601, message: 'Nobody is there to ask.' } }),
}

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
