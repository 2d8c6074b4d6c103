/**
 * The sessions of one legacy connection: which one serves whom, and what is done when the server has lost one.
 *
 * They are kept in the pool of the process. A client's own session at our door has its own at the server; callers without one
 * share with nobody but themselves; the gateway's own serves its lists and checks. Nothing here knows how a session is spoken.
 */
import type { Fault } from '@toolway/contract'
import {
  isNotification,
  type JsonObject,
  type LegacyRevision,
  type Message,
  type Notification,
} from '@toolway/protocol'
import {
  lost,
  NOBODY,
  OWN_CAPABILITIES,
  REPEATABLE,
  SessionLost,
  StreamTaken,
  type LegacySession,
} from '@toolway/protocol/client'
import { pause } from '../../lib/pause.ts'
import type { Holder, SessionPool } from '../session-pool.ts'
import type { Carrier } from '../carrier.ts'
import { createUncorrelatedMessages } from '../uncorrelated-messages.ts'
import {
  GATEWAY,
  type Answer,
  type Ask,
  type Hearing,
  type Honoured,
  type ServerInfo,
  type OpenedCredential,
  type Reach,
} from '../upstream.ts'
import { SessionTrials, type Held } from './session-trials.ts'
import type { OwnStream } from './own-stream.ts'
import { createOwnStreams, needsOwnStream, type Holding, type Whose } from './own-streams.ts'

export interface LegacySessionsParts {
  readonly reach: Reach
  readonly carrier: Pick<Carrier, 'open'>
  /** Of the whole process. */
  readonly pool: SessionPool<LegacySession>
  /** Returns the revision of the server, if it is known. */
  revision(): LegacyRevision | undefined
  /** Said within a call by servers without a stream of their own. */
  onListChanged(notification: Notification): void
  /** Calls fail because the server loses each session that is opened for them; undefined when one succeeded again. */
  onTrouble(failure: Fault | undefined): void
}

export interface LegacySessions {
  /** Returns the server info from the gateway's own session, or from that of the given caller. */
  introduce(whose: Whose | OpenedCredential | undefined): Promise<ServerInfo>
  ask(request: Ask): Promise<Answer>
  /** Ask nothing but whether it is there; a session that the server has lost is opened anew. */
  ping(signal: AbortSignal, credential: OpenedCredential | undefined): Promise<Answer>
  /** The server's stream of the gateway's own session; false where it has none. */
  watch(
    eventSink: { onOpen(): void; onNotification(notification: Notification): void; readonly signal: AbortSignal },
    credential: OpenedCredential | undefined,
  ): Promise<boolean>
  /** Hear what the server says to a session beside its answers. */
  listen(hearing: Hearing, signal: AbortSignal): Promise<Honoured>
  tell(whose: Whose, notification: Notification): void
  /** Whether no session could be opened, so that nothing of a request was sent. */
  isUnopened(thrown: unknown): boolean
  forget(owner: string): void
  /** Hear nothing more; resolves when no call is under way. */
  drain(): Promise<void>
  close(): Promise<void>
}

/**
 * A server may list a tool only for clients that can answer its questions. The catalog is for all clients, so the gateway's own
 * session says that it can; no call is ever made in it, and what is asked in it is refused.
 */
const ANYTHING: JsonObject = { ...OWN_CAPABILITIES, elicitation: { form: {}, url: {} }, sampling: {}, roots: {} }
/** Its stream is always in use, so that it has no reason to age. */
const OWN: Holder = { owner: GATEWAY, capabilities: ANYTHING, lasting: true }
/** The owner of the sessions in which the gateway does what a call does. */
const TRIAL = 'trial'
/** How long an answer waits for the log lines before it, where they come by another way. Milliseconds. */
const LATE_LINES = 30

function holderOf({ session, owner, caller, credential: presented }: Whose): Holder {
  const credential = presented?.id
  if (session !== undefined)
    return { owner: session.id, capabilities: session.caller.capabilities, lasting: true, credential }
  if (owner === GATEWAY) return ownHolder(presented)
  return { owner: `owner ${owner}`, capabilities: caller.capabilities, lasting: false, credential }
}

const ownHolder = (presented: OpenedCredential | undefined): Holder =>
  presented === undefined ? OWN : { ...OWN, credential: presented.id }

/** A client has one session here for each credential, a principal one for each set of capabilities, too. */
const holdingOf = ({ owner, capabilities, lasting, credential = '' }: Holder): Holding => ({
  owner,
  key: lasting ? credential : `${credential} ${JSON.stringify(capabilities)}`,
})

export const createLegacySessions = (parts: LegacySessionsParts): LegacySessions => new LegacySessionPool(parts)

class LegacySessionPool implements LegacySessions {
  readonly #parts: LegacySessionsParts
  readonly #place
  readonly #own
  readonly #trials
  /** Why sessions could not be opened. */
  readonly #unopened = new WeakSet<Error>()
  readonly #trouble

  constructor(parts: LegacySessionsParts) {
    this.#parts = parts
    this.#place = this.#parts.pool.place(this.#parts.reach)
    this.#trials = new SessionTrials(this.#place, this.#deadline)
    this.#trouble = new LossTrouble(parts.reach.alias, parts.onTrouble)
    this.#own = createOwnStreams({
      hold: this.#hold,
      ownAsk: (method, params, signal) => ({ ...PING, method, params, signal }),
    })
  }

  #open({ capabilities }: Holder, credential: OpenedCredential | undefined, logLevel?: string) {
    return () =>
      this.#parts.carrier
        .open({
          revision: this.#parts.revision(),
          capabilities,
          logLevel,
          credential,
          doubts: true,
          signal: this.#deadline(),
          onListChanged: this.#parts.onListChanged,
        })
        .catch((thrown: unknown) => {
          if (thrown instanceof Error) this.#unopened.add(thrown)
          throw thrown
        })
  }

  isUnopened(thrown: unknown): boolean {
    return thrown instanceof Error && this.#unopened.has(thrown)
  }

  /** A session that the server has lost is opened anew once; what was asked is repeated if it cannot have run. */
  async #askIn(holder: Holder, request: Ask, stream?: OwnStream): Promise<Answer> {
    const open = this.#open(holder, request.credential, levelOf(request))
    const once = () =>
      this.#place.use(holder, open, async (session) => {
        // The session's own stream must be open before a request, or the server's requests on it would be lost.
        await stream?.ready()
        return this.#askSurely({ holder, session, open }, request)
      })
    try {
      return this.#trouble.succeeded(request, await once())
    } catch (thrown) {
      if (!(thrown instanceof SessionLost)) throw thrown
      if (thrown.doubt?.mayHaveRun === true && !REPEATABLE.has(request.method)) throw this.#trouble.lost(thrown)
    }
    return once().then(
      (answer) => this.#trouble.succeeded(request, answer),
      (thrown: unknown) => {
        throw thrown instanceof SessionLost ? this.#trouble.failed(thrown) : thrown
      },
    )
  }

  /** While calls lose their sessions, the gateway's own session shows nothing: a new one is opened as for a call. */
  async #tryCall(signal: AbortSignal, credential: OpenedCredential | undefined): Promise<void> {
    const holder: Holder = { owner: TRIAL, capabilities: {}, lasting: false, credential: credential?.id }
    await this.#askIn(holder, { ...PING, owner: TRIAL, method: 'tools/list', signal, credential }).finally(() =>
      this.#place.forget(TRIAL),
    )
  }

  /** Asks in a session. A session in doubt is tried; if it is not lost, its answer counts. */
  async #askSurely({ holder, session, open }: Held, request: Ask): Promise<Answer> {
    try {
      return await session.ask(request)
    } catch (thrown) {
      if (!(thrown instanceof SessionLost) || thrown.doubt === undefined) return this.#refuse(holder, session, thrown)
      const { doubt } = thrown
      if (await this.#trials.isLost({ holder, session, open }, doubt)) throw thrown
      if ('thrown' in doubt.outcome) throw doubt.outcome.thrown
      return doubt.outcome.answer
    }
  }

  #refuse(holder: Holder, session: LegacySession, thrown: unknown): never {
    if (thrown instanceof SessionLost) this.#place.lose(holder, session)
    throw thrown
  }

  async ask(request: Ask): Promise<Answer> {
    const holder = holderOf(request)
    const stream = needsOwnStream(request)
      ? this.#own.of(holdingOf(holder), request)
      : this.#own.find(holdingOf(holder))
    if (stream === undefined) return this.#askIn(holder, request)
    const call = stream.uncorrelated.begin(request)
    try {
      const answer = await this.#askIn(holder, call, stream)
      // A line that the server sent before its answer may come a moment after it, on the other stream.
      if (request.session === undefined && request.caller.logLevel !== undefined)
        await pause(LATE_LINES, request.signal)
      return answer
    } finally {
      stream.uncorrelated.end(call)
    }
  }

  readonly #hold = (
    whose: Whose,
    work: (session: LegacySession, ended: AbortSignal) => Promise<boolean>,
  ): Promise<boolean> => {
    const holder = holderOf(whose)
    return this.#place.listen(holder, this.#open(holder, whose.credential, levelOf(whose)), (session, ended) => {
      if (whose.credential !== undefined) session.present(whose.credential)
      return work(session, ended).catch((thrown: unknown) => this.#refuse(holder, session, thrown))
    })
  }

  forget(owner: string): void {
    this.#own.end(owner)
    this.#place.forget(owner)
  }

  async introduce(whose: OpenedCredential | Whose | undefined) {
    const isWhose = whose !== undefined && 'caller' in whose
    if (this.#trouble.isOn && !isWhose) await this.#tryCall(this.#deadline(), whose)
    const holder = isWhose ? holderOf(whose) : ownHolder(whose)
    const opening = isWhose ? this.#open(holder, whose.credential, levelOf(whose)) : this.#open(holder, whose)
    return this.#place.use(holder, opening, ({ serverInfo }) => Promise.resolve(serverInfo))
  }

  readonly #deadline = () => AbortSignal.timeout(this.#parts.reach.timeout * 1000)

  async ping(signal: AbortSignal, credential: OpenedCredential | undefined) {
    if (this.#trouble.isOn) await this.#tryCall(signal, credential)
    return this.#askIn(ownHolder(credential), { ...PING, signal, credential })
  }

  watch(
    {
      onOpen,
      onNotification,
      signal,
    }: { onOpen(): void; onNotification(notification: Notification): void; readonly signal: AbortSignal },
    credential: OpenedCredential | undefined,
  ) {
    const holder = ownHolder(credential)
    const open = this.#open(holder, credential)
    return this.#place.listen(holder, open, async (session, ended) => {
      const nobody = createUncorrelatedMessages(() => {})
      const onMessage = (message: Message) => {
        if (isNotification(message)) onNotification(message)
        else nobody.hear(message, (answer) => session.tell(answer))
      }
      try {
        // A server may hold back the head of a stream until it has something to say, so it is asked whether it is there.
        await this.#askSurely({ holder, session, open }, { ...PING, signal, credential })
        onOpen()
        return await session.stream(onMessage, AbortSignal.any([signal, ended]))
      } catch (thrown) {
        // Nothing depends on this very session: the next one has a stream to give.
        if (thrown instanceof StreamTaken) this.forget(GATEWAY)
        return this.#refuse(holder, session, thrown)
      }
    })
  }

  async listen(
    { session, owner, caller, credential: presents, uris, beside = false, onNotification }: Hearing,
    signal: AbortSignal,
  ) {
    if (uris.length === 0 && !beside) return { uris: [], tasks: [] }
    const whose = { session, owner, caller, credential: await presents?.open() }
    const stream = this.#own.of(holdingOf(holderOf(whose)), whose, presents)
    if (stream === undefined) return { uris: [], tasks: [] }
    return stream.listening.join({ lists: false, uris, tasks: [], beside }, onNotification, signal)
  }

  tell(whose: Whose, notification: Notification) {
    for (const session of this.#place.held(holderOf(whose))) session.tell({ ...notification }).catch(() => {})
  }

  drain() {
    this.#own.close()
    return this.#place.drained()
  }

  close() {
    return this.#place.close()
  }
}

/** Whether calls fail because their sessions are lost as soon as they are open. */
class LossTrouble {
  readonly #alias: string
  readonly #onTrouble: LegacySessionsParts['onTrouble']
  #failing: Fault | undefined

  constructor(alias: string, onTrouble: LegacySessionsParts['onTrouble']) {
    this.#alias = alias
    this.#onTrouble = onTrouble
  }

  get isOn(): boolean {
    return this.#failing !== undefined
  }

  readonly lost = (cause: SessionLost): Fault => lost(this.#alias, cause)

  failed(cause: SessionLost): Fault {
    this.#failing = this.lost(cause)
    this.#onTrouble(this.#failing)
    return this.#failing
  }

  /** The gateway's own requests go another way than calls, and say nothing of those. */
  succeeded(request: Pick<Ask, 'owner'>, answer: Answer): Answer {
    if (this.#failing !== undefined && request.owner !== GATEWAY) {
      this.#failing = undefined
      this.#onTrouble(undefined)
    }
    return answer
  }
}

const levelOf = ({ session, caller }: Whose): string | undefined => (session?.caller ?? caller).logLevel

/** Asked by the gateway itself, which can answer nothing. */
const PING: Omit<Ask, 'signal'> = {
  method: 'ping',
  params: {},
  caller: NOBODY,
  session: undefined,
  owner: GATEWAY,
  headerParameters: [],
  onNotification() {},
  onQuestion: () => Promise.resolve({ error: { code: -32601, message: 'There is no user to ask.' } }),
}
