/**
 * Messages over WebSocket: one shared socket for a modern server, a socket for each session with a legacy one.
 *
 * The shared socket is opened on the first request, and again on the next request after it broke. Calls under way on it are lost
 * and never sent again. It holds no caller: log lines that name no request are dropped, and server requests are refused.
 */
import {
  type ListenOptions,
  type OpenOptions,
  callOn,
  checkEnvelope,
  createChannel,
  discoverOn,
  listenRequest,
  openPipeSession,
  type Answer,
  type Channel,
  type ClientRequest,
  type Pipe,
} from '@toolway/protocol/client'
import { Fault } from '@toolway/contract'
import { createSingleFlight } from '../../lib/single-flight.ts'
import type { Carrier, CarrierParts } from '../carrier.ts'
import { createReachMask, createResultMask } from '../http/reach-mask.ts'
import { openSocket } from './socket.ts'

interface Shared {
  readonly pipe: Pipe
  readonly channel: Channel
}

/** A server that answers no greeting of an era it does not know is not waited for until the deadline of a request. */
const DISCOVER_PATIENCE_MS = 3_000

export const createWebSocketCarrier = (parts: CarrierParts): Carrier => new WebSocketCarrier(parts)

class WebSocketCarrier implements Carrier {
  readonly #parts: CarrierParts
  readonly #alias
  readonly #timeout
  readonly #ids
  readonly #breaker
  readonly #mask
  readonly #hide
  readonly #opening = createSingleFlight<'socket', Shared>()
  #shared: Shared | undefined
  #closed = false

  constructor(parts: CarrierParts) {
    this.#parts = parts
    this.#alias = parts.alias
    this.#timeout = parts.timeout
    this.#ids = parts.ids
    this.#breaker = parts.breaker
    this.#mask = createReachMask(this.#parts.url, this.#parts.headers)
    this.#hide = createResultMask(this.#parts.headers, this.#parts.url)
  }

  readonly #connect = async (): Promise<Shared> => {
    const channel: Channel = createChannel({
      alias: this.#alias,
      mask: this.#mask,
      hide: this.#hide,
      send: (text) => pipe.send(text),
      // Notifications that name no request are dropped here; changes arrive by subscription.
      onNotification() {},
      onNoise() {},
    })
    const onEnd = (fault: Fault) => {
      if (this.#shared?.channel === channel) this.#shared = undefined
      channel.end(fault)
    }
    const { turn } = this.#breaker
    const sink = { onText: (text: string) => channel.receive(text), onEnd }
    const pipe: Pipe = await openSocket(this.#parts, sink, AbortSignal.timeout(this.#timeout * 1000)).catch(
      (thrown: unknown) => {
        this.#breaker.failed(turn, thrown)
        throw thrown
      },
    )
    if (this.#closed) {
      pipe.close()
      throw new Fault('upstream.disabled', { connection: this.#alias })
    }
    this.#shared = { pipe, channel }
    return this.#shared
  }

  #open(): Promise<Shared> | Shared {
    if (this.#closed) throw new Fault('upstream.disabled', { connection: this.#alias })
    return this.#shared ?? this.#opening('socket', this.#connect)
  }

  async exchange(request: ClientRequest): Promise<Answer> {
    const { channel } = this.#shared ?? (await this.#open())
    const { turn } = this.#breaker
    const answering = callOn(channel, this.#ids(), request, { era: 'modern', timeout: this.#timeout })
    if (request.patient === true) return checkEnvelope(this.#alias, await answering)
    const answer = await answering.catch((thrown: unknown) => {
      this.#breaker.failed(turn, thrown)
      throw thrown
    })
    this.#breaker.answered(turn)
    return checkEnvelope(this.#alias, answer)
  }

  async discover(signal: AbortSignal) {
    const { channel } = await this.#open()
    return discoverOn(channel, { alias: this.#alias, id: this.#ids(), signal, timeout: this.#timeout })
  }

  async isModern(signal: AbortSignal) {
    const { pipe } = await this.#open()
    const patience = AbortSignal.any([signal, AbortSignal.timeout(DISCOVER_PATIENCE_MS)])
    try {
      await this.discover(patience)
      return true
    } catch (thrown) {
      // It was reached; no, silence and a hang-up at a greeting that it does not know all say the same.
      if (!(thrown instanceof Fault) || !SAYS_LEGACY.has(thrown.code) || signal.aborted) throw thrown
      pipe.close()
      return false
    }
  }

  listen(options: ListenOptions) {
    return this.exchange(listenRequest(options))
  }

  open(options: OpenOptions) {
    return openPipeSession(
      {
        alias: this.#alias,
        ids: this.#ids,
        timeout: this.#timeout,
        mask: this.#mask,
        hide: this.#hide,
        observer: this.#breaker,
        open: (sink, signal) => openSocket(this.#parts, sink, signal),
      },
      options,
    )
  }

  doubt() {}

  async close(grace: number) {
    this.#closed = true
    const ending = this.#shared
    if (ending === undefined) return
    const timedOut = Promise.withResolvers<void>()
    const timer = setTimeout(timedOut.resolve, grace)
    await Promise.race([ending.channel.drained(), timedOut.promise])
    clearTimeout(timer)
    ending.pipe.close()
  }
}

const SAYS_LEGACY = new Set(['upstream.error', 'upstream.malformed', 'upstream.timeout', 'upstream.lost'])
