/**
 * Messages over WebSocket: one shared socket for a modern server, a socket for each session with a legacy one.
 *
 * The shared socket is opened on the first request, and again on the next request after it broke. Calls under way on it are lost
 * and never sent again. It holds no caller: log lines that name no request are dropped, and server requests are refused.
 */
import { Fault } from '@toolway/contract'
import {
  callOn,
  checkEnvelope,
  createChannel,
  discoverOn,
  listening,
  openPipeSession,
  type Answer,
  type Channel,
  type ClientRequest,
  type Pipe,
} from '@toolway/protocol/client'
import { createSingleFlight } from '../../lib/single-flight.ts'
import type { Carrier, CarrierParts } from '../carrier.ts'
import { createReachMask } from '../http/reach-mask.ts'
import { openSocket } from './socket.ts'

interface Shared {
  readonly pipe: Pipe
  readonly channel: Channel
}

/** A server that answers no greeting of an era it does not know is not waited for until the deadline of a request. */
const DISCOVER_PATIENCE = 3_000

export function createWebSocketCarrier(parts: CarrierParts): Carrier {
  const { alias, timeout, ids, breaker } = parts
  const mask = createReachMask(parts.url, parts.headers)
  const opening = createSingleFlight<'socket', Shared>()
  let shared: Shared | undefined
  let closed = false

  async function connect(): Promise<Shared> {
    const channel: Channel = createChannel({
      alias,
      mask,
      send: (text) => pipe.send(text),
      // Notifications that name no request are dropped here; changes arrive by subscription.
      onNotification() {},
      onNoise() {},
    })
    const onEnd = (fault: Fault) => {
      if (shared?.channel === channel) shared = undefined
      channel.end(fault)
    }
    const { turn } = breaker
    const sink = { onText: channel.receive, onEnd }
    const pipe: Pipe = await openSocket(parts, sink, AbortSignal.timeout(timeout * 1000)).catch((thrown: unknown) => {
      breaker.failed(turn, thrown)
      throw thrown
    })
    if (closed) {
      pipe.close()
      throw new Fault('upstream.disabled', { connection: alias })
    }
    shared = { pipe, channel }
    return shared
  }

  function open(): Promise<Shared> | Shared {
    if (closed) throw new Fault('upstream.disabled', { connection: alias })
    return shared ?? opening('socket', connect)
  }

  async function exchange(asked: ClientRequest): Promise<Answer> {
    const { channel } = shared ?? (await open())
    const { turn } = breaker
    const answering = callOn(channel, ids(), asked, { era: 'modern', timeout })
    if (asked.patient === true) return checkEnvelope(alias, await answering)
    const answer = await answering.catch((thrown: unknown) => {
      breaker.failed(turn, thrown)
      throw thrown
    })
    breaker.answered(turn)
    return checkEnvelope(alias, answer)
  }

  async function discoverWithin(signal: AbortSignal) {
    const { channel } = await open()
    return discoverOn(channel, { alias, id: ids(), signal, timeout })
  }

  return {
    async isModern(signal) {
      const { pipe } = await open()
      const patience = AbortSignal.any([signal, AbortSignal.timeout(DISCOVER_PATIENCE)])
      try {
        await discoverWithin(patience)
        return true
      } catch (thrown) {
        // It was reached; no, silence and a hang-up at a greeting that it does not know all say the same.
        if (!(thrown instanceof Fault) || !SAYS_LEGACY.has(thrown.code) || signal.aborted) throw thrown
        pipe.close()
        return false
      }
    },
    discover: discoverWithin,
    exchange,
    listen: (options) => exchange(listening(options)),
    open: (options) =>
      openPipeSession(
        {
          alias,
          ids,
          timeout,
          mask,
          observer: breaker,
          open: (sink, signal) => openSocket(parts, sink, signal),
        },
        options,
      ),
    doubt() {},
    async close(grace) {
      closed = true
      const ending = shared
      if (ending === undefined) return
      const late = Promise.withResolvers<void>()
      const timer = setTimeout(late.resolve, grace)
      await Promise.race([ending.channel.drained(), late.promise])
      clearTimeout(timer)
      ending.pipe.close()
    },
  }
}

const SAYS_LEGACY = new Set(['upstream.error', 'upstream.malformed', 'upstream.timeout', 'upstream.lost'])
