/**
 * The sessions of one legacy connection: which one serves whom, and what is done when the server has lost one.
 *
 * They are kept in the pool of the process. A client's own session at our door has its own at the server; callers without one
 * share with nobody but themselves; the gateway's own serves its lists and checks. Nothing here knows how a session is spoken.
 */
import { Fault } from '@toolway/contract'
import {
  isNotification,
  type JsonObject,
  type LegacyRevision,
  type Message,
  type Notification,
} from '@toolway/protocol'
import { NOBODY, OWN_CAPABILITIES, SessionLost, StreamTaken, type LegacySession } from '@toolway/protocol/client'
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
}

export interface LegacySessions {
  /** Returns the server info from the gateway's own session, or from that of the given caller. */
  introduce(whose: Whose | OpenedCredential | undefined): Promise<ServerInfo>
  ask(asked: Ask): Promise<Answer>
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

  constructor(parts: LegacySessionsParts) {
    this.#parts = parts
    this.#place = this.#parts.pool.place(this.#parts.reach)
    this.#own = createOwnStreams({
      hold: this.#hold,
      ownAsk: (method, params, signal) => ({ ...PING, method, params, signal }),
    })
  }

  #open({ capabilities }: Holder, credential: OpenedCredential | undefined, logLevel?: string) {
    return () =>
      this.#parts.carrier.open({
        revision: this.#parts.revision(),
        capabilities,
        logLevel,
        credential,
        signal: AbortSignal.timeout(this.#parts.reach.timeout * 1000),
        onListChanged: this.#parts.onListChanged,
      })
  }

  /** The server did not know the session, so it did not act: one new session, one more try. */
  async #askIn(holder: Holder, asked: Ask, stream?: OwnStream): Promise<Answer> {
    const once = () =>
      this.#place.use(holder, this.#open(holder, asked.credential, levelOf(asked)), async (session) => {
        // The session's own stream must be open before a request, or the server's requests on it would be lost.
        await stream?.ready()
        return session.ask(asked).catch((thrown: unknown) => this.#refuse(holder, session, thrown))
      })
    try {
      return await once()
    } catch (thrown) {
      if (!(thrown instanceof SessionLost)) throw thrown
    }
    return once().catch((thrown: unknown) => {
      throw thrown instanceof SessionLost
        ? new Fault('upstream.lost', { connection: this.#parts.reach.alias }, { cause: thrown })
        : thrown
    })
  }

  #refuse(holder: Holder, session: LegacySession, thrown: unknown): never {
    if (thrown instanceof SessionLost) this.#place.lose(holder, session)
    throw thrown
  }

  async ask(asked: Ask): Promise<Answer> {
    const holder = holderOf(asked)
    const stream = needsOwnStream(asked) ? this.#own.of(holdingOf(holder), asked) : this.#own.find(holdingOf(holder))
    if (stream === undefined) return this.#askIn(holder, asked)
    const call = stream.uncorrelated.begin(asked)
    try {
      const answer = await this.#askIn(holder, call, stream)
      // A line that the server sent before its answer may come a moment after it, on the other stream.
      if (asked.session === undefined && asked.caller.logLevel !== undefined) await pause(LATE_LINES, asked.signal)
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

  introduce(whose: OpenedCredential | Whose | undefined) {
    const isWhose = whose !== undefined && 'caller' in whose
    const holder = isWhose ? holderOf(whose) : ownHolder(whose)
    const opening = isWhose ? this.#open(holder, whose.credential, levelOf(whose)) : this.#open(holder, whose)
    return this.#place.use(holder, opening, ({ serverInfo }) => Promise.resolve(serverInfo))
  }

  ping(signal: AbortSignal, credential: OpenedCredential | undefined) {
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
    return this.#place.listen(holder, this.#open(holder, credential), async (session, ended) => {
      const nobody = createUncorrelatedMessages(() => {})
      const hear = (message: Message) => {
        if (isNotification(message)) onNotification(message)
        else nobody.hear(message, (answer) => session.tell(answer))
      }
      try {
        // A server may hold back the head of a stream until it has something to say, so it is asked whether it is there.
        await session.ask({ ...PING, signal, credential })
        onOpen()
        return await session.stream(hear, AbortSignal.any([signal, ended]))
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
