/**
 * The listeners of one connection's child, across restarts.
 *
 * A modern child gets the subscriptions on one listen stream, a legacy one by subscribe requests. A new child gets the same, and
 * the listeners are notified that everything may have changed. It starts no child.
 */
import { MODERN, stripEnvelope, writeEnvelope, type JsonObject, type Notification } from '@toolway/protocol'
import { pause } from '../../lib/pause.ts'
import { hearAcknowledged, NOBODY, TASKED, type Channel } from '@toolway/protocol/client'
import { createKeptListen, type Opening } from '../lasting-listen.ts'
import { createListening, type Listening, type Takes, type Union } from '../listening.ts'
import { createSubscriptions, type Subscriptions } from '../subscriptions.ts'
import type { ServerInfo } from '../upstream.ts'

export interface ChildListening {
  readonly listening: Listening
  /** A child is there, and has been greeted. */
  attach(child: Attached): void
  /** Receives a notification of a legacy child that belongs to no call. */
  hear(notification: Notification): void
  close(): void
}

export interface Attached {
  readonly channel: Channel
  readonly serverInfo: ServerInfo
}

export interface ChildListeningParts {
  readonly ids: () => number
  /** Seconds for one request. */
  readonly timeout: number
}

const NO_METHOD = -32601

export const createChildListening = (parts: ChildListeningParts): ChildListening => new ListeningOfChild(parts)

class ListeningOfChild implements ChildListening {
  readonly #parts: ChildListeningParts
  readonly #closing = new AbortController()
  readonly listening
  #union: Union | undefined
  #current: Attached | undefined
  /** The child whose stream broke last: the next one is waited for, and no time is lost then. */
  #broken: Attached | undefined
  #subscriptions: Subscriptions | undefined
  #arrival = Promise.withResolvers<void>()
  readonly #kept

  constructor(parts: ChildListeningParts) {
    this.#parts = parts
    this.listening = createListening({ apply: this.#apply })
    this.#kept = createKeptListen({
      open: this.#open,
      onNotification: this.listening.hear,
      onReturn: this.listening.missed,
      patience: this.#parts.timeout * 1000,
      wait: (milliseconds, signal) =>
        this.#current === this.#broken ? Promise.resolve() : pause(milliseconds, signal),
    })
  }

  readonly #open = async ({ filter, tasks, signal, onOpen, onNotification }: Opening): Promise<boolean> => {
    const gone = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
    while (!signal.aborted && (this.#current === undefined || this.#current === this.#broken))
      await Promise.race([this.#arrival.promise, gone])
    if (signal.aborted || this.#current === undefined) return true
    const child = this.#current
    const answer = await child.channel
      .call({
        id: this.#parts.ids(),
        method: 'subscriptions/listen',
        params: writeEnvelope({ notifications: filter }, tasks ? TASKED : NOBODY, undefined),
        signal,
        timeout: Infinity,
        onNotification: hearAcknowledged(onOpen, onNotification),
      })
      .catch((thrown: unknown) => {
        if (!signal.aborted) this.#broken = child
        throw thrown
      })
    return !('error' in answer) || answer.error.code !== NO_METHOD
  }

  readonly #apply = async (next: Union): Promise<Takes> => {
    this.#union = next
    if (this.#current === undefined) return undefined
    return this.#current.serverInfo.revision === MODERN ? this.#kept.want(next) : this.#subscribe(next)
  }

  async #subscribe(requested: Union): Promise<Takes> {
    const own = this.#subscriptions
    await own?.make(() => this.#union?.uris ?? requested.uris)
    return { uri: (uri) => own?.has(uri) === true, task: () => false }
  }

  attach(child: Attached): void {
    const first = this.#current === undefined
    this.#current = child
    const { channel, serverInfo } = child
    this.#subscriptions = createSubscriptions(async (method, uri) => {
      const params: JsonObject = stripEnvelope({ uri }, undefined)
      const subscribing = {
        id: this.#parts.ids(),
        method,
        params,
        signal: this.#closing.signal,
        timeout: this.#parts.timeout,
      }
      const answer = await channel.call(subscribing).catch(() => undefined)
      return answer !== undefined && 'result' in answer
    })
    this.#arrival.resolve()
    this.#arrival = Promise.withResolvers()
    if (this.#union !== undefined && serverInfo.revision === MODERN) void this.#kept.want(this.#union)
    else if (this.#union !== undefined) void this.#subscribe(this.#union)
    // A child that follows another may offer something else.
    if (!first) this.listening.missed()
  }

  hear(notification: Notification) {
    if (this.#current?.serverInfo.revision !== MODERN) this.listening.hear(notification)
  }

  close() {
    this.#closing.abort()
    this.#kept.close()
  }
}
