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
const A_WHILE = 5_000
/** A server may hold back the head of a stream until it has something to say. How long it is waited for, and whether it is there at all, in milliseconds. */
const PATIENCE = { head: 250, there: 1_000 }
/** How long a stream is kept for a principal that neither calls nor listens. Milliseconds. */
const IDLE = 10 * 60_000

/** One stream, from its opening to its end. */
interface Life {
  readonly session: LegacySession
  readonly subscriptions: Subscriptions
  /** The server has no such stream: it can tell of nothing there. */
  deaf: boolean
}

export function createOwnStream({ lasting, hold, ownAsk }: OwnStreamParts): OwnStream {
  const listening = createListening({ apply })
  const uncorrelated = createUncorrelatedMessages(listening.hear)
  const closing = new AbortController()
  let union: Union | undefined
  /** Set while the stream is kept; it ends what is open of it. */
  let keeping: AbortController | undefined
  let opened = Promise.withResolvers<void>()
  let life: Life | undefined
  let broken = false
  let idle: NodeJS.Timeout | undefined

  const isWanted = () => union !== undefined && !isSilent(union)

  function hear(session: LegacySession, message: Message): void {
    // List changes are received on the gateway's own session.
    if (isNotification(message) && changedList(message.method) !== undefined) return
    const isOwn =
      session.attributes || (isNotification(message) && message.method === 'notifications/resources/updated')
    if (isOwn && isNotification(message)) listening.hear(message)
    else uncorrelated.hear(message, (answer) => session.tell(answer))
  }

  function ready(): Promise<void> {
    if (keeping === undefined && !closing.signal.aborted) void keep()
    if (!lasting) idle = idle?.refresh() ?? setTimeout(rest, IDLE).unref()
    return closing.signal.aborted ? Promise.resolve() : opened.promise
  }

  function rest(): void {
    if (isWanted() || uncorrelated.size > 0) idle?.refresh()
    else keeping?.abort()
  }

  async function keep(): Promise<void> {
    const own = new AbortController()
    keeping = own
    const signal = AbortSignal.any([own.signal, closing.signal])
    let delay = AGAIN.first
    for (let offers = true; offers && !signal.aborted;) {
      const since = Date.now()
      let over: AbortSignal | undefined
      const work = (session: LegacySession, ended: AbortSignal) => {
        over = ended
        return live(session, AbortSignal.any([signal, ended]))
      }
      offers = await hold(work).catch(() => true)
      // A call is not held up by a stream that does not come.
      opened.resolve()
      // Without such a stream there is nothing to keep: it stays as it is.
      if (!offers) return
      broken = true
      const isOld = Date.now() - since >= A_WHILE
      if (isOld) delay = AGAIN.first
      // A session that was given up has a follower at once: its first call waits for the stream, too.
      if (isOld && over?.aborted === true) {
        opened = Promise.withResolvers()
        continue
      }
      await pause(delay, signal)
      delay = Math.min(delay * 2, AGAIN.most)
    }
    keeping = undefined
    life = undefined
    broken = false
    opened.resolve()
    opened = Promise.withResolvers()
    clearTimeout(idle)
    idle = undefined
    // Somebody came while it was being ended.
    if (isWanted() && !closing.signal.aborted) void ready()
  }

  async function live(session: LegacySession, signal: AbortSignal): Promise<boolean> {
    // A session keeps what was subscribed to in it.
    const subscriptions = life?.session === session ? life.subscriptions : subscribing(session)
    const one: Life = { session, subscriptions, deaf: false }
    life = one
    const there = Promise.withResolvers<void>()
    let isThere = false
    const arrive = () => {
      isThere = true
      there.resolve()
    }
    const streaming = session.stream((message) => hear(session, message), signal, arrive)
    let ended = false
    const end = () => {
      ended = true
      there.resolve()
    }
    void streaming.then(end, end)
    // A server that answers this has most likely taken the request for the stream by now; it cannot be known for sure.
    if (!isThere) void looked(session, signal).then(there.resolve, there.resolve)
    void there.promise
      .then(() => wanted(one))
      .then(() => {
        opened.resolve()
        if (broken && !ended) listening.missed()
        broken &&= ended
      })
    const offers = await streaming
    one.deaf = !offers
    return offers
  }

  async function looked(session: LegacySession, signal: AbortSignal): Promise<void> {
    const there = session.ask(ownAsk('ping', {}, signal)).then(() => pause(PATIENCE.head, signal))
    await Promise.race([there, pause(PATIENCE.there, signal)])
  }

  const subscribing = (session: LegacySession): Subscriptions =>
    createSubscriptions(async (method, uri) => {
      const answer = await session.ask(ownAsk(method, { uri }, closing.signal)).catch(() => undefined)
      return answer !== undefined && 'result' in answer
    })
  const wanted = ({ subscriptions }: Life) => subscriptions.make(() => union?.uris ?? new Set())

  async function apply(next: Union): Promise<Takes> {
    union = next
    if (!isSilent(next)) await ready()
    const one = life
    if (one === undefined) return undefined
    await wanted(one)
    return { uri: (uri) => one.subscriptions.has(uri) && !(one.deaf && !lasting), task: () => false }
  }

  return {
    uncorrelated,
    listening,
    ready,
    close() {
      closing.abort()
      opened.resolve()
      clearTimeout(idle)
    },
  }
}
