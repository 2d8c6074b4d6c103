/**
 * One listen stream that stays open for as long as anybody wants something of it, whatever happens to it.
 *
 * When what is wanted changes, the next stream is opened first and the one before ends a moment after the server has acknowledged
 * it, so that nothing is lost in between; an announcement in that moment may be heard twice, which for "something has changed"
 * means nothing. After a break it comes back with growing pauses. It knows no transport.
 */
import type { JsonObject, Notification } from '@toolway/protocol'
import { pause } from '../lib/pause.ts'
import { isSilent, type Takes, type Union } from './listening.ts'

export interface Opening {
  readonly filter: JsonObject
  /** The union asks for the state of tasks, which is an extension that must be declared. */
  readonly tasks: boolean
  readonly signal: AbortSignal
  /** The server has acknowledged, with what it honours; undefined where it does not say. */
  onOpen(honoured: JsonObject | undefined): void
  onNotification(notification: Notification): void
}

export interface KeptListenParts {
  /** One stream, until it ends; resolves to whether the server has such streams at all, or rejects. */
  open(opening: Opening): Promise<boolean>
  onNotification(notification: Notification): void
  /** It is back after a break: what was said meanwhile is lost. */
  onReturn(): void
  /** Milliseconds for an acknowledgement. */
  readonly patience: number
  /** Tests wait differently. */
  wait?(milliseconds: number, signal: AbortSignal): Promise<void>
}

export interface KeptListen {
  /** This, and no more, is wanted from now on; resolves when it is in force or the server will have none of it. */
  want(union: Union): Promise<Takes>
  close(): void
}

/** Milliseconds between two tries; a stream that lived for a while has not failed at once, and the pauses begin anew. */
const AGAIN = { first: 1_000, most: 60_000 }
const A_WHILE_MS = 5_000
/** How long the stream before is still heard, for what was sent on it just before the next one was there. Milliseconds. */
const LINGER = 250

interface Subscription {
  readonly union: Union
  readonly inForce: PromiseWithResolvers<Takes>
}

interface Stream {
  readonly wanted: Subscription
  readonly controller: AbortController
  readonly since: number
  /** Resolves to whether the server has such streams. */
  readonly ended: Promise<boolean>
}

export const createKeptListen = (parts: KeptListenParts): KeptListen => new KeptListener(parts)

class KeptListener implements KeptListen {
  readonly #parts: KeptListenParts
  readonly #wait
  readonly #closing = new AbortController()
  #waiting: Subscription[] = []
  #wanted: Subscription | undefined
  #changed = Promise.withResolvers<void>()
  #current: Stream | undefined
  #running = false
  /** Something may have been missed: there was a stream, and there is none. */
  #broken = false
  #delay = AGAIN.first
  readonly #closed

  constructor(parts: KeptListenParts) {
    this.#parts = parts
    const { wait = pause } = parts
    this.#wait = wait
    this.#closed = new Promise<void>((resolve) => this.#closing.signal.addEventListener('abort', () => resolve()))
  }

  want(union: Union): Promise<Takes> {
    this.#wanted = { union, inForce: Promise.withResolvers() }
    this.#waiting.push(this.#wanted)
    this.#changed.resolve()
    this.#changed = Promise.withResolvers()
    if (!this.#running) void this.#keep()
    return this.#wanted.inForce.promise
  }

  /** Resolves the callers that wait for this union, or for an earlier one that it replaced. */
  #settle(until: Subscription, takes: Takes): void {
    const at = this.#waiting.indexOf(until)
    for (const { inForce } of this.#waiting.slice(0, at + 1)) inForce.resolve(takes)
    this.#waiting = this.#waiting.slice(at + 1)
  }

  async #keep(): Promise<void> {
    this.#running = true
    while (!this.#closing.signal.aborted && this.#wanted !== undefined && !isSilent(this.#wanted.union)) {
      if (this.#current?.wanted === this.#wanted) await this.#whileGood(this.#current)
      else await this.#change(this.#wanted)
    }
    this.#running = false
    this.#current?.controller.abort()
    this.#current = undefined
    this.#broken = false
    for (const { inForce } of this.#waiting.splice(0)) inForce.resolve(undefined)
  }

  async #whileGood(stream: Stream): Promise<void> {
    const how = await Promise.race([stream.ended.then((offered) => ({ offered })), this.#changed.promise])
    if (how === undefined) return
    // It was taken for open before the server said that it has none: an answer, and no break.
    if (!how.offered) return this.#untilWantedAnew(stream.wanted)
    if (Date.now() - stream.since >= A_WHILE_MS) this.#delay = AGAIN.first
    await this.#again()
  }

  /** A server without such streams is not asked again until something else is wanted. */
  async #untilWantedAnew(refused: Subscription): Promise<void> {
    if (this.#wanted === refused) await Promise.race([this.#changed.promise, this.#closed])
  }

  async #again() {
    const now = this.#delay
    this.#delay = Math.min(this.#delay * 2, AGAIN.most)
    await this.#wait(now, this.#closing.signal)
  }

  async #change(next: Subscription): Promise<void> {
    const acknowledged = Promise.withResolvers<{ takes: Takes }>()
    const stream = this.#begin(next, (takes) => acknowledged.resolve({ takes }))
    const stopTimer = new AbortController()
    const how = await Promise.race([
      acknowledged.promise,
      stream.ended.then((offered) => (offered ? 'failed' : 'none')),
      pause(this.#parts.patience, AbortSignal.any([stopTimer.signal, this.#closing.signal])).then(() => 'late'),
    ])
    stopTimer.abort()
    if (typeof how === 'object') return this.#take(stream, how.takes)
    stream.controller.abort()
    if (how !== 'none') {
      // Announcements before the first stream is open are missed, too.
      this.#broken ||= this.#current === undefined
      return this.#again()
    }
    this.#settle(next, NOTHING)
    await this.#untilWantedAnew(next)
  }

  #begin(next: Subscription, onOpen: (takes: Takes) => void): Stream {
    const controller = new AbortController()
    const ended = this.#parts
      .open({
        filter: filterOf(next.union),
        tasks: next.union.tasks.size > 0,
        signal: AbortSignal.any([controller.signal, this.#closing.signal]),
        onOpen: (honoured) => onOpen(takesOf(honoured)),
        onNotification: this.#parts.onNotification,
      })
      .catch(() => true)
    return { wanted: next, controller, since: Date.now(), ended }
  }

  #take(stream: Stream, takes: Takes): void {
    const before = this.#current
    this.#current = stream
    if (before !== undefined) setTimeout(() => before.controller.abort(), LINGER).unref()
    this.#settle(stream.wanted, takes)
    if (this.#broken) this.#parts.onReturn()
    this.#broken = false
    void stream.ended.then((offered) => {
      if (this.#current !== stream) return
      this.#current = undefined
      this.#broken = offered
    })
  }

  close() {
    this.#closing.abort()
    this.#changed.resolve()
  }
}

const NOTHING: Takes = { uri: () => false, task: () => false }

/** As specification 2026-07-28, subscriptions, words it; `taskIds` is the Tasks extension's. */
const filterOf = ({ lists, uris, tasks }: Union): JsonObject => ({
  ...(lists ? { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true } : {}),
  ...(uris.size > 0 ? { resourceSubscriptions: [...uris] } : {}),
  ...(tasks.size > 0 ? { taskIds: [...tasks] } : {}),
})

function takesOf(honoured: JsonObject | undefined): Takes {
  if (honoured === undefined) return undefined
  const [uris, tasks] = ['resourceSubscriptions', 'taskIds'].map((member) => {
    const named = honoured[member]
    return new Set(Array.isArray(named) ? named : [])
  })
  return { uri: (uri) => uris?.has(uri) === true, task: (id) => tasks?.has(id) === true }
}
