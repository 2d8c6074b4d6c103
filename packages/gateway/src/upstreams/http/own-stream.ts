/**
 * The own stream (GET) of one session with a legacy server, kept open for as long as it is needed: what the server says there
 * beside its answers, and the resources that are subscribed to in that session.
 *
 * Questions go to the session's one call under way (`uncorrelated-messages.ts`), announcements to those who listen (`listening.ts`). After a
 * break it comes back with growing pauses, with the same subscriptions, and whoever listens is told what may have been missed.
 */
import { isNotification, type JsonObject, type Message } from '@toolway/protocol'
import { changedList, type LegacySession } from '@toolway/protocol/client'
import { pause } from '../../lib/pause.ts'
import { createListening, isSilent, type Listening, type Takes, type Union } from '../listening.ts'
import { createUncorrelatedMessages, type UncorrelatedMessages } from '../uncorrelated-messages.ts'
import { createSubscriptions, type Subscriptions } from '../subscriptions.ts'
import type { Ask } from '../upstream.ts'

export interface OwnStream {
  readonly uncorrelated: UncorrelatedMessages
  readonly listening: Listening
  /** Open it, if it is not; resolves when the server has it, has none, or lets wait for too long. */
  ready(): Promise<void>
  close(): void
}

export interface OwnStreamParts {
  /** It is a client's own and rests as long as that client; otherwise it is a principal's, and must not be held for ever. */
  readonly lasting: boolean
  /** Work in the session, which is opened where it is not, until the signal says that it has ended. Rejects when it is lost. */
  hold(work: (session: LegacySession, ended: AbortSignal) => Promise<boolean>): Promise<boolean>
  /** An ask of the gateway's own. */
  ownAsk(method: string, params: JsonObject, signal: AbortSignal): Ask
}

const AGAIN = { first: 1_000, most: 15_000 }
/** A stream that lived for this long has not failed at once. Milliseconds. */
const A_WHILE_MS = 5_000
/** A server may hold back the head of a stream until it has something to say. How long it is waited for, and whether it is there at all, in milliseconds. */
const PATIENCE = { head: 250, there: 1_000 }
/** How long a stream is kept for a principal that neither calls nor listens. Milliseconds. */
const IDLE_MS = 10 * 60_000

/** One stream, from its opening to its end. */
interface Life {
  readonly session: LegacySession
  readonly subscriptions: Subscriptions
  /** The server has no such stream: it can tell of nothing there. */
  deaf: boolean
}

export const createOwnStream = (parts: OwnStreamParts): OwnStream => new OwnStreamKeeper(parts)

class OwnStreamKeeper implements OwnStream {
  readonly #parts: OwnStreamParts
  readonly listening
  readonly uncorrelated
  readonly #closing = new AbortController()
  #union: Union | undefined
  /** Set while the stream is kept; it ends what is open of it. */
  #keeping: AbortController | undefined
  #opened = Promise.withResolvers<void>()
  #life: Life | undefined
  #broken = false
  #idle: NodeJS.Timeout | undefined

  constructor(parts: OwnStreamParts) {
    this.#parts = parts
    this.listening = createListening({ apply: this.#apply })
    this.uncorrelated = createUncorrelatedMessages(this.listening.hear)
  }

  #isWanted() {
    return this.#union !== undefined && !isSilent(this.#union)
  }

  #hear(session: LegacySession, message: Message): void {
    // List changes are received on the gateway's own session.
    if (isNotification(message) && changedList(message.method) !== undefined) return
    const isOwn =
      session.attributes || (isNotification(message) && message.method === 'notifications/resources/updated')
    if (isOwn && isNotification(message)) this.listening.hear(message)
    else this.uncorrelated.hear(message, (answer) => session.tell(answer))
  }

  ready(): Promise<void> {
    if (this.#keeping === undefined && !this.#closing.signal.aborted) void this.#keep()
    if (!this.#parts.lasting) this.#idle = this.#idle?.refresh() ?? setTimeout(this.#rest, IDLE_MS).unref()
    return this.#closing.signal.aborted ? Promise.resolve() : this.#opened.promise
  }

  readonly #rest = (): void => {
    if (this.#isWanted() || this.uncorrelated.size > 0) this.#idle?.refresh()
    else this.#keeping?.abort()
  }

  async #keep(): Promise<void> {
    const own = new AbortController()
    this.#keeping = own
    const signal = AbortSignal.any([own.signal, this.#closing.signal])
    let delay = AGAIN.first
    for (let offers = true; offers && !signal.aborted;) {
      const since = Date.now()
      let over: AbortSignal | undefined
      const work = (session: LegacySession, ended: AbortSignal) => {
        over = ended
        return this.#live(session, AbortSignal.any([signal, ended]))
      }
      offers = await this.#parts.hold(work).catch(() => true)
      // A call is not held up by a stream that does not come.
      this.#opened.resolve()
      // Without such a stream there is nothing to keep but what was subscribed to, which ends with the session.
      if (!offers) return over === undefined ? undefined : this.#untilLost(over)
      this.#broken = true
      const isOld = Date.now() - since >= A_WHILE_MS
      if (isOld) delay = AGAIN.first
      // A session that was given up has a follower at once: its first call waits for the stream, too.
      if (isOld && over?.aborted === true) {
        this.#opened = Promise.withResolvers()
        continue
      }
      await pause(delay, signal)
      delay = Math.min(delay * 2, AGAIN.most)
    }
    this.#stop()
  }

  /** A session that was given up has a follower, in which everything is subscribed to anew. */
  #untilLost(over: AbortSignal): void {
    const follow = () => {
      if (this.#closing.signal.aborted || this.#keeping?.signal.aborted !== false) return
      if (!this.#isWanted()) return this.#stop()
      this.#broken = true
      void this.#keep()
    }
    if (over.aborted) follow()
    else over.addEventListener('abort', follow, { once: true })
  }

  #stop(): void {
    this.#keeping = undefined
    this.#life = undefined
    this.#broken = false
    this.#opened.resolve()
    this.#opened = Promise.withResolvers()
    clearTimeout(this.#idle)
    this.#idle = undefined
    // Somebody came while it was being ended.
    if (this.#isWanted() && !this.#closing.signal.aborted) void this.ready()
  }

  async #live(session: LegacySession, signal: AbortSignal): Promise<boolean> {
    // A session keeps what was subscribed to in it.
    const subscriptions = this.#life?.session === session ? this.#life.subscriptions : this.#subscribing(session)
    const life: Life = { session, subscriptions, deaf: false }
    this.#life = life
    const there = Promise.withResolvers<void>()
    let isThere = false
    const arrive = () => {
      isThere = true
      there.resolve()
    }
    const streaming = session.stream((message) => this.#hear(session, message), signal, arrive)
    let ended = false
    const end = () => {
      ended = true
      there.resolve()
    }
    void streaming.then(end, end)
    // A server that answers this has most likely taken the request for the stream by now; it cannot be known for sure.
    if (!isThere) void this.#looked(session, signal).then(there.resolve, there.resolve)
    void there.promise
      .then(() => this.#wanted(life))
      .then(() => {
        this.#opened.resolve()
        if (this.#broken && !ended) this.listening.missed()
        this.#broken &&= ended
      })
    const offers = await streaming
    life.deaf = !offers
    return offers
  }

  async #looked(session: LegacySession, signal: AbortSignal): Promise<void> {
    const there = session.ask(this.#parts.ownAsk('ping', {}, signal)).then(() => pause(PATIENCE.head, signal))
    await Promise.race([there, pause(PATIENCE.there, signal)])
  }

  #subscribing(session: LegacySession): Subscriptions {
    return createSubscriptions(async (method, uri) => {
      const answer = await session.ask(this.#parts.ownAsk(method, { uri }, this.#closing.signal)).catch(() => undefined)
      return answer !== undefined && 'result' in answer
    })
  }

  #wanted({ subscriptions }: Life) {
    return subscriptions.make(() => this.#union?.uris ?? new Set())
  }

  readonly #apply = async (next: Union): Promise<Takes> => {
    this.#union = next
    if (!isSilent(next)) await this.ready()
    const life = this.#life
    if (life === undefined) return undefined
    await this.#wanted(life)
    return { uri: (uri) => life.subscriptions.has(uri) && !(life.deaf && !this.#parts.lasting), task: () => false }
  }

  close() {
    this.#closing.abort()
    this.#opened.resolve()
    clearTimeout(this.#idle)
  }
}
