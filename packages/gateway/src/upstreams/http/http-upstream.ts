/**
 * A remote MCP server of either era: detected once and remembered, or pinned. A carrier transports the messages (HTTP,
 * WebSocket); sessions, eras and streams are the same for all carriers.
 *
 * Detection follows specification 2026-07-28, versioning: `server/discover` first; a server that does not answer it as a modern
 * one does is tried with `initialize`.
 */
import { Fault } from '@toolway/contract'
import { eraOf, isLegacyRevision, MODERN, type Notification, type Revision } from '@toolway/protocol'
import { changedList, isGreetingRefused, NOBODY, type LegacySession } from '@toolway/protocol/client'
import { again } from '../../lib/retry-with-backoff.ts'
import { pause } from '../../lib/pause.ts'
import { createSingleFlight } from '../../lib/single-flight.ts'
import { createBreaker } from '../breaker.ts'
import { GRACE } from '../carrier.ts'
import type { Opening } from '../kept-listen.ts'
import type { Listening } from '../listening.ts'
import type { SessionPool } from '../session-pool.ts'
import {
  GATEWAY,
  type Answer,
  type Ask,
  type Hearing,
  type Honoured,
  type ServerInfo,
  type OpenedCredential,
  type CredentialSource,
  type ReachOf,
  type RemoteTarget,
  type Upstream,
} from '../upstream.ts'
import { createAnnouncements } from './announcements.ts'
import { withCredential } from '../with-credential.ts'
import { createCarrier } from './carriers.ts'
import { createLegacySessions } from './legacy-sessions.ts'

/** How long a client waits for what it listens to to be in force, in milliseconds. */
const LISTEN_PATIENCE = 2_000
const NO_METHOD = -32601

export interface HttpUpstreamParts {
  readonly reach: ReachOf<RemoteTarget>
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
  /** For what the gateway asks for itself. */
  const own = reach.credential
  const patience = reach.timeout * 1000
  const detecting = createSingleFlight<string | undefined, Revision>()
  let known = reach.revision
  const pinned = () => (known !== undefined && isLegacyRevision(known) ? known : undefined)
  const announcements = createAnnouncements({ open: listen, presents: own, patience })
  const announced = announcements.shared
  const sessions = createLegacySessions({ reach, carrier, pool, revision: pinned, onListChanged: announced.hear })
  const closing = new AbortController()

  function settle(revision: Revision): Revision {
    known = revision
    onRevision(revision)
    return revision
  }

  /** Found out with the credential of whoever wants to know: nobody is told no because another one may not come in. */
  const revisionOf = (whose: Ask | OpenedCredential | undefined): Promise<Revision> | Revision => {
    if (known !== undefined) return known
    const credential = whose !== undefined && 'caller' in whose ? whose.credential : whose
    return detecting(credential?.id, () => detect(whose, credential))
  }

  async function detect(
    whose: Ask | OpenedCredential | undefined,
    credential: OpenedCredential | undefined,
  ): Promise<Revision> {
    const signal = AbortSignal.timeout(patience)
    if (await carrier.isModern(signal, credential)) return settle(MODERN)
    return settle((await sessions.introduce(credential === undefined ? undefined : whose)).revision)
  }

  async function introduce(signal: AbortSignal, credential: OpenedCredential | undefined): Promise<ServerInfo> {
    const revision = await revisionOf(credential)
    if (eraOf(revision) === 'legacy') return sessions.introduce(credential)
    try {
      return await carrier.discover(signal, credential)
    } catch (thrown) {
      // A pinned server is taken at its word, even if it does not answer discovery.
      if (reach.pinned && isGreetingRefused(thrown)) return UNDISCOVERED
      throw thrown
    }
  }

  /** The modern era known, which is nearly always, costs no turn of the event loop. */
  function ask(asked: Ask): Promise<Answer> {
    // The gateway's own requests bypass the breaker: they are rare and paced, and show whether the server is available again.
    if (!breaker.closed && asked.owner !== GATEWAY) {
      const refusal = breaker.admit()
      if (refusal !== undefined) return Promise.reject(refusal)
    }
    if (own !== undefined && asked.owner === GATEWAY)
      return withCredential(own, (credential) =>
        listsPrivate(asked, credential) ? Promise.resolve(NO_RESOURCES) : send({ ...asked, credential }),
      )
    return send(asked)
  }

  const send = (asked: Ask): Promise<Answer> => (known === MODERN ? carrier.exchange(asked) : askOther(asked))

  async function askOther(asked: Ask): Promise<Answer> {
    return (await revisionOf(asked)) === MODERN ? carrier.exchange(asked) : sessions.ask(asked)
  }

  async function check(signal: AbortSignal, credential: OpenedCredential | undefined): Promise<boolean> {
    if ((await revisionOf(credential)) === MODERN)
      await carrier.exchange({ method: 'server/discover', params: {}, caller: NOBODY, signal, credential })
    else await sessions.ping(signal, credential)
    return true
  }

  /** One stream of the server's announcements, until it ends; false where it has none. */
  function listen(opening: Opening, presents: CredentialSource | undefined): Promise<boolean> {
    return withCredential(presents, async (credential) => {
      if ((await revisionOf(credential)) !== MODERN) {
        const { signal, onOpen, onNotification } = opening
        return sessions.watch({ signal, onOpen: () => onOpen(undefined), onNotification }, credential)
      }
      const answer = await carrier.listen({ ...opening, credential })
      return !('error' in answer) || answer.error.code !== NO_METHOD
    })
  }

  async function join(hearing: Hearing): Promise<Honoured> {
    const { uris, tasks, credential: presents, onNotification, onEnd } = hearing
    const left = new AbortController()
    const here = AbortSignal.any([hearing.signal, left.signal])
    const signal = AbortSignal.any([here, closing.signal])
    closing.signal.addEventListener('abort', onEnd, { once: true, signal: here })
    const credential = presents === undefined ? undefined : await presents.open()
    const revision = await again(() => revisionOf(credential), signal)
    if (revision !== MODERN) return sessions.listen(hearing, signal)
    const leave = () => {
      left.abort()
      onEnd()
    }
    const source = await sourceOf(presents, credential, () => announcements.ofNobody(leave, signal))
    return source.join({ lists: false, uris, tasks }, onNotification, signal)
  }

  /**
   * Returns the stream for a credential. Callers without one do not receive the announcements to the gateway's own credential.
   */
  function sourceOf(
    presents: CredentialSource | undefined,
    credential: OpenedCredential | undefined,
    ofNobody: () => Promise<Listening>,
  ): Promise<Listening> | Listening {
    if (presents === undefined) return announced
    return credential === undefined ? ofNobody() : announcements.of(credential.id, presents)
  }

  return {
    patience,
    introduce: (signal) => withCredential(own, (credential) => introduce(signal, credential)),
    ask,
    check: (signal) => withCredential(own, (credential) => check(signal, credential)),
    watch(onChange, signal) {
      const onNotification = ({ method }: Notification, missed: boolean) => {
        const kind = changedList(method)
        if (kind !== undefined) onChange(kind, missed)
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
      announcements.close()
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

/**
 * The gateway's lists are shown to all users who may call. Tools, prompts and templates belong to the server, but resources
 * belong to the account, so those of a member are not listed and can only be read by address.
 */
const listsPrivate = ({ method }: Ask, credential: OpenedCredential | undefined): boolean =>
  method === 'resources/list' && credential?.owner === 'member'
const NO_RESOURCES: Answer = { result: { resources: [] } }

const UNDISCOVERED: ServerInfo = { revision: MODERN, server: {}, capabilities: { tools: {} }, instructions: undefined }

/**
 * Resolves to the subscriptions in force, or after a timeout to all that were requested: the stream is still retried, and reports
 * then that announcements may have been missed.
 */
const soon = (joined: Promise<Honoured>, { uris, tasks, signal }: Hearing): Promise<Honoured> =>
  Promise.race([
    joined.catch((thrown: unknown) => {
      // A credential fault needs an action of the listener, so it is thrown.
      if (thrown instanceof Fault && thrown.code.startsWith('credential.')) throw thrown
      return { uris: [], tasks: [] }
    }),
    pause(LISTEN_PATIENCE, signal).then(() => ({ uris, tasks })),
  ])
