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
  type JsonObject,
  type Notification,
  type LegacyRevision,
  type Revision,
} from '@toolway/protocol'
import { again } from '../../lib/again.ts'
import { pause } from '../../lib/pause.ts'
import { createSingleFlight } from '../../lib/single-flight.ts'
import { GRACE } from '../carrier.ts'
import { createKeptListen, type Opening } from '../kept-listen.ts'
import { createListening } from '../listening.ts'
import { createStrays } from '../strays.ts'
import {
  changedList,
  type Answer,
  type Ask,
  type Hearing,
  type Honoured,
  type Portrait,
  type Reach,
  type Upstream,
} from '../upstream.ts'
import { createCarrier } from './carriers.ts'
import { SessionLost, StreamTaken, type LegacySession } from './legacy-session.ts'
import * as modern from './modern.ts'
import type { OwnStream } from './own-stream.ts'
import { createOwnStreams, needsOwnStream, type Whose } from './own-streams.ts'

/** The gateway's own session with the server, for its lists; it can answer no question. */
const CATALOG = 'catalog'
/** Sessions for callers who have none of their own (modern clients), one for each principal. */
const OWNED = 'owner '
const MOST_SESSIONS = 1_000
/** How long an answer waits for the log lines before it, where they come by another way. Milliseconds. */
const LATE_LINES = 30
/** How long a client waits for what it listens to to be in force, in milliseconds. */
const LISTEN_PATIENCE = 2_000
/**
 * A server may list a tool only for clients that can answer its questions. The catalog is for all clients, so the gateway's own
 * session says that it can; no call is ever made in it, and what is asked in it is refused.
 */
const ANYTHING: JsonObject = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} }
const NO_METHOD = -32601

/** The session that a caller's asks go to: its own, or the one of its principal, or the gateway's for its lists. */
const keyOf = ({ session, owner, caller }: Whose): string =>
  session?.id ?? (owner === CATALOG ? CATALOG : `${OWNED}${owner} ${JSON.stringify(caller.capabilities)}`)

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
  const own = createOwnStreams({
    hold: holdSession,
    ownAsk: (method, params, signal) => ({ ...PING, method, params, signal }),
  })
  const announced = createListening({ apply: (union) => kept.want(union) })
  const kept = createKeptListen({
    open: announcements,
    onNotification: announced.hear,
    onReturn: announced.missed,
    patience: reach.timeout * 1000,
  })
  const forgotten = new Set<string>()
  const closing = new AbortController()
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
  function openSession(key: string, { session: client, caller }: Whose): Promise<LegacySession> {
    const held = sessions.get(key)
    if (held !== undefined) return Promise.resolve(held)
    return flights(key, async () => {
      const session = await carrier.open({
        revision: legacyPin(),
        capabilities: key === CATALOG ? ANYTHING : (client?.caller ?? caller).capabilities,
        logLevel: (client?.caller ?? caller).logLevel,
        signal: AbortSignal.timeout(reach.timeout * 1000),
        onListChanged: announced.hear,
      })
      if (closing.signal.aborted || forgotten.delete(key)) {
        void session.close()
        throw new Fault('upstream.disabled', { connection: reach.alias })
      }
      keep(key, session)
      return session
    })
  }
  const openShared = () => openSession(CATALOG, GATEWAY)

  /** Sessions of callers without one of their own are bounded: the one that was opened first goes. */
  function keep(key: string, session: LegacySession): void {
    sessions.set(key, session)
    if (sessions.size <= MOST_SESSIONS) return
    const [oldest] = [...sessions.keys()].filter((one) => one.startsWith(OWNED))
    if (oldest !== undefined) drop(oldest)
  }

  function forget(key: string): void {
    own.end(key)
    drop(key)
  }

  function drop(key: string): void {
    const session = sessions.get(key)
    if (session === undefined && flights.isUnderWay(key)) forgotten.add(key)
    sessions.delete(key)
    void session?.close()
  }

  function lose(key: string, session: LegacySession): void {
    if (sessions.get(key) === session) sessions.delete(key)
  }

  async function holdSession(
    whose: Whose,
    work: (session: LegacySession, ended: AbortSignal) => Promise<boolean>,
  ): Promise<boolean> {
    const key = keyOf(whose)
    const session = await openSession(key, whose)
    return work(session, closing.signal).catch((thrown: unknown) => {
      if (thrown instanceof SessionLost) lose(key, session)
      throw thrown
    })
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
    const key = keyOf(asked)
    const stream = needsOwnStream(asked) ? own.of(key, asked) : own.find(key)
    if (stream === undefined) return askIn(key, asked, undefined)
    const call = stream.strays.begin(asked)
    try {
      const answer = await askIn(key, call, stream)
      // A line that the server sent before its answer may come a moment after it, on the other stream.
      if (asked.session === undefined && asked.caller.logLevel !== undefined) await pause(LATE_LINES, asked.signal)
      return answer
    } finally {
      stream.strays.end(call)
    }
  }

  async function askIn(key: string, asked: Ask, stream: OwnStream | undefined): Promise<Answer> {
    // What the server asks on the session's own stream must not come before that stream is there.
    await stream?.ready()
    const session = await openSession(key, asked)
    try {
      return await session.ask(asked)
    } catch (thrown) {
      if (!(thrown instanceof SessionLost)) throw thrown
      // The server did not know the session, so it did not act: one new session, one more try.
      lose(key, session)
      const again = await openSession(key, asked)
      return again.ask(asked).catch((lost: unknown) => {
        throw lost instanceof SessionLost
          ? new Fault('upstream.lost', { connection: reach.alias }, { cause: lost })
          : lost
      })
    }
  }

  /** One stream of the server's announcements, until it ends; false where it has none. */
  async function announcements(opening: Opening): Promise<boolean> {
    if ((await revisionOf()) !== MODERN) return ownAnnouncements(opening)
    const answer = await carrier.listen(opening)
    return !('error' in answer) || answer.error.code !== NO_METHOD
  }

  /** A legacy server announces its lists on the own stream of each session: the gateway's is heard. */
  async function ownAnnouncements({ signal, onOpen, onNotification }: Opening): Promise<boolean> {
    const session = await openShared()
    const nobody = createStrays(() => {})
    try {
      // A server may hold back the head of a stream until it has something to say, so it is asked whether it is there.
      await session.ask({ ...PING, signal })
      onOpen(undefined)
      return await session.stream((message) => {
        if (isNotification(message)) onNotification(message)
        else nobody.hear(message, (answer) => session.tell(answer))
      }, signal)
    } catch (thrown) {
      if (thrown instanceof SessionLost) lose(CATALOG, session)
      // Nothing depends on this very session: the next one has a stream to give.
      if (thrown instanceof StreamTaken) forget(CATALOG)
      throw thrown
    }
  }

  async function join(hearing: Hearing): Promise<Honoured> {
    const { uris, tasks, beside = false, onNotification, onEnd } = hearing
    const signal = AbortSignal.any([hearing.signal, closing.signal])
    closing.signal.addEventListener('abort', onEnd, { once: true, signal: hearing.signal })
    const revision = await again(revisionOf, signal)
    const wish = { lists: false, uris, tasks }
    if (revision === MODERN) return announced.join(wish, onNotification, signal)
    const stream = uris.length === 0 && !beside ? undefined : own.of(keyOf(hearing), hearing)
    if (stream === undefined) return { uris: [], tasks: [] }
    return stream.listening.join({ ...wish, beside }, onNotification, signal)
  }

  return {
    introduce,
    ask,
    watch(onChange, signal) {
      const onNotification = ({ method }: Notification) => {
        const kind = changedList(method)
        if (kind !== undefined) onChange(kind)
      }
      void announced.join({ lists: true, uris: [], tasks: [] }, onNotification, signal)
    },
    listen: (hearing) => soon(join(hearing), hearing),
    tell: (whose, notification) =>
      void sessions
        .get(keyOf(whose))
        ?.tell({ ...notification })
        .catch(() => {}),
    doubt() {
      if (reach.pinned) return
      known = undefined
      carrier.doubt()
      forget(CATALOG)
    },
    forget,
    async close() {
      closing.abort()
      kept.close()
      own.close()
      const ending = [...sessions.values()]
      const drained = new AbortController()
      void Promise.all(ending.map((session) => session.drained())).then(() => drained.abort())
      await pause(GRACE, drained.signal)
      await carrier.close()
      sessions.clear()
      // The sessions end after the calls in them.
      await Promise.all(ending.map((session) => session.close()))
    },
  }
}

const UNDISCOVERED: Portrait = { revision: MODERN, server: {}, capabilities: { tools: {} }, instructions: undefined }

const GATEWAY: Whose = { session: undefined, owner: CATALOG, caller: modern.NOBODY }

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

/** What is in force by then, or all of it, where the server lets wait: it is kept trying, and says then what it missed. */
const soon = (joined: Promise<Honoured>, { uris, tasks, signal }: Hearing): Promise<Honoured> =>
  Promise.race([
    joined.catch(() => ({ uris: [], tasks: [] })),
    pause(LISTEN_PATIENCE, signal).then(() => ({ uris, tasks })),
  ])
