/**
 * A remote MCP server of either era: detected once and remembered, or pinned. A carrier transports the messages (HTTP,
 * WebSocket); sessions, eras and streams are the same for all carriers.
 */
import type { Fault } from '@toolway/contract'
import { eraOf, MODERN, type Notification, type Revision } from '@toolway/protocol'
import { isInitializeRefused, NOBODY, type LegacySession } from '@toolway/protocol/client'
import { pause } from '../../lib/pause.ts'
import { accessRefusedOf } from '../access-refused.ts'
import { createBreaker } from '../breaker.ts'
import { GRACE } from '../carrier.ts'
import { OtherEra, OtherEraMissing } from '../other-era.ts'
import type { SessionPool } from '../session-pool.ts'
import { statusRefusedOf } from '../status-refused.ts'
import {
  GATEWAY,
  type Answer,
  type Ask,
  type Hearing,
  type ListKind,
  type ServerInfo,
  type OpenedCredential,
  type ReachOf,
  type RemoteTarget,
  type Upstream,
} from '../upstream.ts'
import { RemoteListening } from './remote-listening.ts'
import { withCredential } from '../with-credential.ts'
import { createCarrier } from './carriers.ts'
import { KnownEra } from './known-era.ts'
import { createLegacySessions } from './legacy-sessions.ts'

/** How long a modern server may be silent on `initialize` before it counts as one that has no legacy era, in milliseconds. */
const OTHER_PATIENCE_MS = 5_000

export interface HttpUpstreamParts {
  readonly reach: ReachOf<RemoteTarget>
  readonly ids: () => number
  /** Of the whole process. */
  readonly pool: SessionPool<LegacySession>
  onRevision(revision: Revision): void
  /** Its calls are refused from now on, because of this; undefined when they are let through again. */
  onStateChange(failure: Fault | undefined): void
  /** Its calls are sent and fail, although the gateway's own requests succeed; undefined when a call succeeded again. */
  onTrouble?(failure: Fault | undefined): void
  /** Something that an operator should read: a line for the log. */
  onNote?(facts: Record<string, unknown>, message: string): void
}

export const createHttpUpstream = (parts: HttpUpstreamParts): Upstream => new HttpUpstream(parts)

class HttpUpstream implements Upstream {
  readonly #parts: HttpUpstreamParts
  readonly #reach
  readonly #breaker
  readonly #carrier
  /** For what the gateway asks for itself. */
  readonly #own
  readonly patience
  readonly #era: KnownEra
  readonly #listening: RemoteListening
  readonly #sessions
  readonly #closing = new AbortController()
  readonly #other = new OtherEra()

  constructor(parts: HttpUpstreamParts) {
    this.#parts = parts
    this.#reach = parts.reach
    this.#breaker = createBreaker({
      alias: this.#reach.alias,
      patience: this.#reach.timeout * 1000,
      now: Date.now,
      onStateChange: this.#parts.onStateChange,
    })
    this.#carrier = createCarrier(this.#reach, {
      ids: this.#parts.ids,
      breaker: this.#breaker,
      onOdd: createPassedOver(parts.onNote),
    })
    this.#own = this.#reach.credential
    this.patience = this.#reach.timeout * 1000
    this.#era = new KnownEra({
      reach: parts.reach,
      carrier: this.#carrier,
      closing: this.#closing.signal,
      greet: (whose) => this.#sessions.introduce(whose),
      forgetGreeting: () => this.#sessions.forget(GATEWAY),
      onRevision: (revision) => parts.onRevision(revision),
    })
    this.#listening = new RemoteListening({
      era: this.#era,
      carrier: this.#carrier,
      sessions: () => this.#sessions,
      calls: this.#other,
      own: this.#own,
      patience: this.patience,
      closing: this.#closing.signal,
    })
    this.#sessions = createLegacySessions({
      reach: this.#reach,
      carrier: this.#carrier,
      pool: this.#parts.pool,
      revision: () => this.#era.legacy,
      onListChanged: this.#listening.hear,
      onTrouble: (failure) => this.#parts.onTrouble?.(failure),
    })
  }

  async #introduce(signal: AbortSignal, credential: OpenedCredential | undefined): Promise<ServerInfo> {
    if (eraOf(await this.#era.of(credential)) === 'legacy') {
      const info = await this.#sessions.introduce(credential)
      // Calls go on in the era that is known, however long the server takes to answer the probe.
      if (!this.#era.isUpgraded(info)) return info
      const found = await this.#era.detect(credential, credential).catch(() => info.revision)
      if (eraOf(found) === 'legacy') return info
    }
    try {
      return await this.#carrier.discover(signal, credential)
    } catch (thrown) {
      // A pinned server is taken at its word, even if it does not answer discovery.
      if (this.#reach.pinned && isInitializeRefused(thrown)) return UNDISCOVERED
      throw thrown
    }
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
    return this.#era.revision === MODERN && this.#other.mayBeSpoken ? 'possible' : 'none'
  }

  #send(request: Ask): Promise<Answer> {
    if (request.asLegacy === true) return this.#askAsLegacy(request)
    return this.#era.revision === MODERN ? this.#carrier.exchange(request) : this.#askOther(request)
  }

  async #askOther(request: Ask): Promise<Answer> {
    return (await this.#era.of(request)) === MODERN ? this.#carrier.exchange(request) : this.#sessions.ask(request)
  }

  async #check(signal: AbortSignal, credential: OpenedCredential | undefined): Promise<boolean> {
    if ((await this.#era.of(credential)) === MODERN)
      await this.#carrier.exchange({ method: 'server/discover', params: {}, caller: NOBODY, signal, credential })
    else await this.#sessions.ping(signal, credential)
    return true
  }

  introduce(signal: AbortSignal) {
    return withCredential(this.#own, (credential) => this.#introduce(signal, credential))
  }

  check(signal: AbortSignal) {
    return withCredential(this.#own, (credential) => this.#check(signal, credential))
  }

  watch(onChange: (kind: ListKind, missed: boolean) => void, signal: AbortSignal) {
    this.#listening.watch(onChange, signal)
  }

  listen(hearing: Hearing) {
    return this.#listening.listen(hearing)
  }

  tell(whose: Pick<Ask, 'caller' | 'session' | 'owner'>, notification: Notification) {
    return this.#sessions.tell(whose, notification)
  }

  doubt() {
    if (this.#reach.pinned) return
    this.#era.doubt()
    this.#other.forget()
    this.#carrier.doubt()
    this.#sessions.forget(GATEWAY)
  }

  forget(session: string) {
    return this.#sessions.forget(session)
  }

  async close() {
    this.#closing.abort()
    this.#listening.close()
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

/** Logs events that were passed over: the first, the 10th, the 100th, and so on. */
function createPassedOver(onNote: HttpUpstreamParts['onNote']) {
  let passedOver = 0
  let tellAt = 1
  return (problem: string): void => {
    if (++passedOver < tellAt) return
    tellAt *= 10
    onNote?.({ passedOver, problem }, 'events that are no messages are passed over')
  }
}

const UNDISCOVERED: ServerInfo = { revision: MODERN, server: {}, capabilities: { tools: {} }, instructions: undefined }

/** Whether a server does not know the greeting: an error or an answer of another kind, a plain 4xx that no credential or wait mends. */
function refusesEra(thrown: unknown): boolean {
  const { status = 0 } = statusRefusedOf(thrown) ?? {}
  return isInitializeRefused(thrown) || (status >= 400 && status < 500 && status !== 408 && status !== 429)
}
