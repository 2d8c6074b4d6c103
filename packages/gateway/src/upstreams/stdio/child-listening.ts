/**
 * The listeners of one connection's child, across restarts.
 *
 * A modern child gets the subscriptions on one listen stream, a legacy one by subscribe requests. A new child gets the same, and
 * the listeners are notified that everything may have changed. It starts no child.
 */
import { MODERN, stripEnvelope, writeEnvelope, type JsonObject, type Notification } from '@toolway/protocol'
import { pause } from '../../lib/pause.ts'
import { hearAcknowledged, NOBODY, TASKED, type Channel } from '@toolway/protocol/client'
import { createKeptListen, type Opening } from '../kept-listen.ts'
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

export function createChildListening({ ids, timeout }: ChildListeningParts): ChildListening {
  const closing = new AbortController()
  const listening = createListening({ apply })
  let union: Union | undefined
  let current: Attached | undefined
  /** The child whose stream broke last: the next one is waited for, and no time is lost then. */
  let broken: Attached | undefined
  let subscriptions: Subscriptions | undefined
  let arrival = Promise.withResolvers<void>()
  const kept = createKeptListen({
    open,
    onNotification: listening.hear,
    onReturn: listening.missed,
    patience: timeout * 1000,
    wait: (milliseconds, signal) => (current === broken ? Promise.resolve() : pause(milliseconds, signal)),
  })

  async function open({ filter, tasks, signal, onOpen, onNotification }: Opening): Promise<boolean> {
    const gone = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
    while (!signal.aborted && (current === undefined || current === broken)) await Promise.race([arrival.promise, gone])
    if (signal.aborted || current === undefined) return true
    const child = current
    const answer = await child.channel
      .call({
        id: ids(),
        method: 'subscriptions/listen',
        params: writeEnvelope({ notifications: filter }, tasks ? TASKED : NOBODY, undefined),
        signal,
        timeout: Infinity,
        onNotification: hearAcknowledged(onOpen, onNotification),
      })
      .catch((thrown: unknown) => {
        if (!signal.aborted) broken = child
        throw thrown
      })
    return !('error' in answer) || answer.error.code !== NO_METHOD
  }

  async function apply(next: Union): Promise<Takes> {
    union = next
    if (current === undefined) return undefined
    return current.serverInfo.revision === MODERN ? kept.want(next) : subscribe(next)
  }

  async function subscribe(wanted: Union): Promise<Takes> {
    const own = subscriptions
    await own?.make(() => union?.uris ?? wanted.uris)
    return { uri: (uri) => own?.has(uri) === true, task: () => false }
  }

  function attach(child: Attached): void {
    const first = current === undefined
    current = child
    const { channel, serverInfo } = child
    subscriptions = createSubscriptions(async (method, uri) => {
      const params: JsonObject = stripEnvelope({ uri }, undefined)
      const asked = { id: ids(), method, params, signal: closing.signal, timeout }
      const answer = await channel.call(asked).catch(() => undefined)
      return answer !== undefined && 'result' in answer
    })
    arrival.resolve()
    arrival = Promise.withResolvers()
    if (union !== undefined && serverInfo.revision === MODERN) void kept.want(union)
    else if (union !== undefined) void subscribe(union)
    // A child that follows another may offer something else.
    if (!first) listening.missed()
  }

  return {
    listening,
    attach,
    hear(notification) {
      if (current?.serverInfo.revision !== MODERN) listening.hear(notification)
    },
    close() {
      closing.abort()
      kept.close()
    },
  }
}
