/**
 * A remote MCP server of either era: detected once and remembered, or pinned. A carrier transports the messages (HTTP,
 * WebSocket); sessions, eras and streams are the same for all carriers.
 *
 * Detection follows specification 2026-07-28, versioning: `server/discover` first; a server that does not answer it as a modern
 * one does is tried with `initialize`. HTTP 5xx, a cut connection and silence decide nothing: both are tried, and the first success
 * counts. A legacy server that names another version of itself is asked again.
 */
import { Fault } from '@toolway/contract'
import { eraOf, isLegacyRevision, MODERN, type Notification, type Revision } from '@toolway/protocol'
import { changedList, isGreetingRefused, NOBODY, type LegacySession } from '@toolway/protocol/client'
import { endless, retry } from '@toolway/protocol/retry'
import { pause, REAL_TIME } from '../../lib/pause.ts'
import { createSingleFlight } from '../../lib/single-flight.ts'
import { accessRefusedOf } from '../access-refused.ts'
import { createBreaker } from '../breaker.ts'
import { GRACE } from '../carrier.ts'
import type { Opening } from '../lasting-listen.ts'
import type { Listening } from '../listening.ts'
import { OtherEra, OtherEraMissing } from '../other-era.ts'
import type { SessionPool } from '../session-pool.ts'
import { statusRefusedOf } from '../status-refused.ts'
import {
  GATEWAY,
  type Answer,
  type Ask,
  type Hearing,
  type Honoured,
  type ListKind,
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
const LISTEN_PATIENCE_MS = 2_000
const NO_METHOD = -32601
/** How long a server may be silent on `server/discover` before `initialize` is tried beside it, in milliseconds. */
const PROBE_PATIENCE = 10_000
/** How long a modern server may be silent on `initialize` before it counts as one that has no legacy era, in milliseconds. */
const OTHER_PATIENCE_MS = 5_000

export interface HttpUpstreamParts {
  readonly reach: ReachOf<RemoteTarget>
  readonly ids: () => number
  /** Of the whole process. */
  readonly pool: SessionPool<LegacySession>
  onRevision(revision: Revision): void
  /** Its calls are refused from now on, because of this; undefined when they are let through again. */
  onTurn(failure: Fault | undefined): void
  /** Its calls are sent and fail, although the gateway's own requests succeed; undefined when a call succeeded again. */
  onTrouble?(failure: Fault | undefined): void
  /** Something that an operator should read: a line for the log. */
  onNote?(facts: Record<string, unknown>, message: string): void
}

/** Milliseconds between two attempts to reach a server that is listened to. */
const GREETINGS = endless({ first: 1_000, most: 60_000 })

export const createHttpUpstream = (parts: HttpUpstreamParts): Upstream => new HttpUpstream(parts)

class HttpUpstream implements Upstream {
  readonly #parts: HttpUpstreamParts
  readonly #reach
  readonly #breaker
  readonly #carrier
  /** For what the gateway asks for itself. */
  readonly #own
  readonly patience
  readonly #detecting = createSingleFlight<string | undefined, Revision>()
  #known
  readonly #announcements
  readonly #announced
  readonly #sessions
  readonly #closing = new AbortController()
  readonly #other = new OtherEra()
  /** That the legacy server named at the last introduction. */
  #version: string | undefined
  #passedOver = 0
  #tellAt = 1

  constructor(parts: HttpUpstreamParts) {
    this.#parts = parts
    this.#reach = parts.reach
    this.#breaker = createBreaker({
      alias: this.#reach.alias,
      patience: this.#reach.timeout * 1000,
      now: Date.now,
      onTurn: this.#parts.onTurn,
    })
    this.#carrier = createCarrier(this.#reach, { ids: this.#parts.ids, breaker: this.#breaker, onOdd: this.#count })
    this.#own = this.#reach.credential
    this.patience = this.#reach.timeout * 1000
    this.#known = this.#reach.revision
    this.#announcements = createAnnouncements({ open: this.#listen, presents: this.#own, patience: this.patience })
    this.#announced = this.#announcements.shared
    this.#sessions = createLegacySessions({
      reach: this.#reach,
      carrier: this.#carrier,
      pool: this.#parts.pool,
      revision: this.#pinned,
      onListChanged: this.#announced.hear,
      onTrouble: (failure) => this.#parts.onTrouble?.(failure),
    })
  }

  /** Logs events that were passed over: the first, the 10th, the 100th, and so on. */
  readonly #count = (problem: string): void => {
    if (++this.#passedOver < this.#tellAt) return
    this.#tellAt *= 10
    this.#parts.onNote?.({ passedOver: this.#passedOver, problem }, 'events that are no messages are passed over')
  }

  readonly #pinned = () => (this.#known !== undefined && isLegacyRevision(this.#known) ? this.#known : undefined)

  #settle(revision: Revision): Revision {
    this.#known = revision
    this.#parts.onRevision(revision)
    return revision
  }

  /** Found out with the credential of whoever wants to know: nobody is told no because another one may not come in. */
  #revisionOf(whose: Ask | OpenedCredential | undefined): Promise<Revision> | Revision {
    if (this.#known !== undefined) return this.#known
    const credential = whose !== undefined && 'caller' in whose ? whose.credential : whose
    return this.#detecting(credential?.id, () => this.#detect(whose, credential))
  }

  async #detect(
    whose: Ask | OpenedCredential | undefined,
    credential: OpenedCredential | undefined,
  ): Promise<Revision> {
    const probe = this.#carrier.isModern(AbortSignal.timeout(this.patience), credential)
    const verdict = await verdictOf(probe, Math.min(PROBE_PATIENCE, this.patience / 2))
    if (verdict === 'modern') return this.#settle(MODERN)
    const greet = async () => (await this.#sessions.introduce(credential === undefined ? undefined : whose)).revision
    const greeting = greet()
    if (verdict === 'legacy') return this.#settle(await greeting)
    const first = Promise.any([probe.then((isModern) => (isModern ? MODERN : greeting)), greeting])
    const revision = await first.catch((thrown: unknown) => {
      throw thrown instanceof AggregateError ? thrown.errors[0] : thrown
    })
    if (revision === MODERN) this.#sessions.forget(GATEWAY)
    // A server that was only starting answers both greetings, in any order.
    else
      void probe.then((isModern) => isModern && !this.#closing.signal.aborted && this.#preferModern()).catch(() => {})
    return this.#settle(revision)
  }

  #preferModern(): void {
    this.#sessions.forget(GATEWAY)
    this.#settle(MODERN)
  }

  async #introduce(signal: AbortSignal, credential: OpenedCredential | undefined): Promise<ServerInfo> {
    if (eraOf(await this.#revisionOf(credential)) === 'legacy') {
      const info = await this.#sessions.introduce(credential)
      // Calls go on in the era that is known, however long the server takes to answer the probe.
      if (!this.#isUpgraded(info)) return info
      const found = await this.#detect(credential, credential).catch(() => info.revision)
      if (eraOf(found) === 'legacy') return info
    }
    try {
      return await this.#carrier.discover(signal, credential)
    } catch (thrown) {
      // A pinned server is taken at its word, even if it does not answer discovery.
      if (this.#reach.pinned && isGreetingRefused(thrown)) return UNDISCOVERED
      throw thrown
    }
  }

  /** A server of another version may speak the modern era now. */
  #isUpgraded({ server }: ServerInfo): boolean {
    const before = this.#version
    this.#version = String(server['version'])
    return before !== undefined && before !== this.#version && !this.#reach.pinned
  }

  /** The modern era known, which is nearly always, costs no turn of the event loop. */
  ask(request: Ask): Promise<Answer> {
    // The gateway's own requests bypass the breaker: they are rare and paced, and show whether the server is available again.
    if (!this.#breaker.closed && request.owner !== GATEWAY) {
      const refusal = this.#breaker.admit()
      if (refusal !== undefined) return Promise.reject(refusal)
    }
    if (this.#own !== undefined && request.owner === GATEWAY)
      return withCredential(this.#own, (credential) =>
        listsPrivate(request, credential) ? Promise.resolve(NO_RESOURCES) : this.#send({ ...request, credential }),
      )
    return this.#send(request)
  }

  /** A server that turns out to speak the modern era only has not been sent the request. */
  async #askAsLegacy(request: Ask): Promise<Answer> {
    if (this.otherEra() !== 'possible') throw new OtherEraMissing()
    if (!this.#other.isSpoken) await this.#greetAsLegacy(request)
    return this.#sessions.ask(request).catch((thrown: unknown) => {
      // What the call itself came to is never taken for a refused greeting: its server may have acted.
      if (this.#sessions.isUnopened(thrown) && refusesEra(thrown)) this.#other.refused(thrown)
      throw thrown
    })
  }

  /** Opens the session that the request goes in. */
  async #greetAsLegacy(request: Ask): Promise<void> {
    const opened = new AbortController()
    const late = pause(OTHER_PATIENCE_MS, AbortSignal.any([request.signal, opened.signal])).then(() => {
      throw new OtherEraMissing()
    })
    await Promise.race([this.#sessions.introduce(request), late])
      .catch((thrown: unknown) => {
        // A refused credential is the call's own affair, and renewed as in the other era.
        if (request.signal.aborted || accessRefusedOf(thrown) !== undefined) throw thrown
        if (thrown instanceof OtherEraMissing || refusesEra(thrown)) this.#other.refused(thrown)
        // One moment says nothing of the server: this call goes in its known era.
        throw new OtherEraMissing('', { cause: thrown })
      })
      .finally(() => opened.abort())
    this.#other.found()
  }

  otherEra() {
    if (this.#reach.pinned) return 'pinned'
    return this.#known === MODERN && this.#other.mayBeSpoken ? 'possible' : 'none'
  }

  #send(request: Ask): Promise<Answer> {
    if (request.asLegacy === true) return this.#askAsLegacy(request)
    return this.#known === MODERN ? this.#carrier.exchange(request) : this.#askOther(request)
  }

  async #askOther(request: Ask): Promise<Answer> {
    return (await this.#revisionOf(request)) === MODERN ? this.#carrier.exchange(request) : this.#sessions.ask(request)
  }

  async #check(signal: AbortSignal, credential: OpenedCredential | undefined): Promise<boolean> {
    if ((await this.#revisionOf(credential)) === MODERN)
      await this.#carrier.exchange({ method: 'server/discover', params: {}, caller: NOBODY, signal, credential })
    else await this.#sessions.ping(signal, credential)
    return true
  }

  /** One stream of the server's announcements, until it ends; false where it has none. */
  readonly #listen = (opening: Opening, presents: CredentialSource | undefined): Promise<boolean> => {
    return withCredential(presents, async (credential) => {
      if ((await this.#revisionOf(credential)) !== MODERN) {
        const { signal, onOpen, onNotification } = opening
        return this.#sessions.watch({ signal, onOpen: () => onOpen(undefined), onNotification }, credential)
      }
      const answer = await this.#carrier.listen({ ...opening, credential })
      return !('error' in answer) || answer.error.code !== NO_METHOD
    })
  }

  async #join(hearing: Hearing): Promise<Honoured> {
    const { uris, tasks, credential: presents, onNotification, onEnd } = hearing
    const left = new AbortController()
    const here = AbortSignal.any([hearing.signal, left.signal])
    const signal = AbortSignal.any([here, this.#closing.signal])
    this.#closing.signal.addEventListener('abort', onEnd, { once: true, signal: here })
    const credential = presents === undefined ? undefined : await presents.open()
    const revision = await retry(() => this.#revisionOf(credential), {
      limits: GREETINGS,
      evaluate: () => ({ wanted: 0, done: 'no' }),
      idempotent: true,
      signal,
      ...REAL_TIME,
    })
    if (revision !== MODERN) return this.#sessions.listen(hearing, signal)
    // Calls in the session may have asked for pages, whose end is told in it.
    if (this.#other.isSpoken && hearing.beside === true)
      void this.#sessions.listen({ ...hearing, uris: [] }, signal).catch(() => {})
    const abandon = () => {
      left.abort()
      onEnd()
    }
    const source = await this.#sourceOf(presents, credential, () => this.#announcements.ofNobody(abandon, signal))
    return source.join({ lists: false, uris, tasks }, onNotification, signal)
  }

  /**
   * Returns the stream for a credential. Callers without one do not receive the announcements to the gateway's own credential.
   */
  #sourceOf(
    presents: CredentialSource | undefined,
    credential: OpenedCredential | undefined,
    ofNobody: () => Promise<Listening>,
  ): Promise<Listening> | Listening {
    if (presents === undefined) return this.#announced
    return credential === undefined ? ofNobody() : this.#announcements.of(credential.id, presents)
  }

  introduce(signal: AbortSignal) {
    return withCredential(this.#own, (credential) => this.#introduce(signal, credential))
  }

  check(signal: AbortSignal) {
    return withCredential(this.#own, (credential) => this.#check(signal, credential))
  }

  watch(onChange: (kind: ListKind, missed: boolean) => void, signal: AbortSignal) {
    const onNotification = ({ method }: Notification, missed: boolean) => {
      const kind = changedList(method)
      if (kind !== undefined) onChange(kind, missed)
    }
    void this.#announced.join({ lists: true, uris: [], tasks: [] }, onNotification, signal)
  }

  listen(hearing: Hearing) {
    return soon(this.#join(hearing), hearing)
  }

  tell(whose: Pick<Ask, 'caller' | 'session' | 'owner'>, notification: Notification) {
    return this.#sessions.tell(whose, notification)
  }

  doubt() {
    if (this.#reach.pinned) return
    this.#known = undefined
    this.#other.forget()
    this.#carrier.doubt()
    this.#sessions.forget(GATEWAY)
  }

  forget(session: string) {
    return this.#sessions.forget(session)
  }

  async close() {
    this.#closing.abort()
    this.#announcements.close()
    const until = performance.now() + GRACE
    const drained = new AbortController()
    void this.#sessions.drain().then(() => drained.abort())
    await pause(GRACE, drained.signal)
    // One limit for both: what hangs in a session holds the end up no longer than what hangs outside.
    await this.#carrier.close(Math.max(0, until - performance.now()))
    // The sessions end after the calls in them.
    await this.#sessions.close()
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
    pause(LISTEN_PATIENCE_MS, signal).then(() => ({ uris, tasks })),
  ])

/** Whether a server does not know the greeting: an error or an answer of another kind, a plain 4xx that no credential or wait mends. */
function refusesEra(thrown: unknown): boolean {
  const { status = 0 } = statusRefusedOf(thrown) ?? {}
  return isGreetingRefused(thrown) || (status >= 400 && status < 500 && status !== 408 && status !== 429)
}

/** The era that `server/discover` shows, after so many milliseconds at most. Throws faults that the other greeting would not mend. */
async function verdictOf(probe: Promise<boolean>, patience: number): Promise<'modern' | 'legacy' | 'unknown'> {
  const decided = new AbortController()
  try {
    return await Promise.race([
      probe.then((isModern) => (isModern ? ('modern' as const) : ('legacy' as const))),
      pause(patience, decided.signal).then(() => 'unknown' as const),
    ])
  } catch (thrown) {
    if (!isNoVerdict(thrown)) throw thrown
    return 'unknown'
  } finally {
    decided.abort()
  }
}

/** Some servers fail, hang up or are silent at a method that they do not know; so does a server that is not well. */
const isNoVerdict = (thrown: unknown): boolean =>
  thrown instanceof Fault &&
  (thrown.code === 'upstream.lost' ||
    thrown.code === 'upstream.timeout' ||
    (statusRefusedOf(thrown)?.status ?? 0) >= 500)
