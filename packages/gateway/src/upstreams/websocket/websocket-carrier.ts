/**
 * Messages over WebSocket: one shared socket for a modern server, a socket for each session with a legacy one.
 *
 * The shared socket is opened on the first ask and again on the next one after it broke. What was under way on it is lost and
 * never sent again. It holds no caller: log lines that name no request end here, and questions are refused.
 */
import { Fault } from '@toolway/contract'
import { progressTokenOf, writeEnvelope } from '@toolway/protocol'
import { createSingleFlight } from '../../lib/single-flight.ts'
import type { Carrier, CarrierParts } from '../carrier.ts'
import { createChannel, tokenOf, type Channel } from '../channel.ts'
import { discover } from '../greeting.ts'
import { failureOf, listening, type Exchange } from '../http/modern.ts'
import { createReachMask } from '../http/reach-mask.ts'
import { openPipeSession } from '../pipe-session.ts'
import type { Pipe } from '../pipe.ts'
import { forCaller, type Answer } from '../upstream.ts'
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
      // What names no request belongs to nobody here; changes come by subscription.
      onNotification() {},
      onNoise() {},
    })
    const onEnd = (fault: Fault) => {
      if (shared?.channel === channel) shared = undefined
      channel.end(fault)
    }
    const { turn } = breaker
    const ears = { onText: channel.receive, onEnd }
    const pipe: Pipe = await openSocket(parts, ears, AbortSignal.timeout(timeout * 1000)).catch((thrown: unknown) => {
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

  async function exchange(asked: Exchange): Promise<Answer> {
    const { channel } = shared ?? (await open())
    const { method, signal, patient = false } = asked
    const id = ids()
    const token = progressTokenOf(asked.params)
    const ours = token === undefined ? undefined : tokenOf(id)
    const { turn } = breaker
    const answering = channel.call({
      id,
      method,
      params: writeEnvelope(asked.params, asked.caller, ours),
      signal,
      timeout: patient ? Infinity : timeout,
      onNotification(notification) {
        const heard = forCaller(notification, ours, token)
        if (heard !== undefined) asked.onNotification?.(heard)
      },
    })
    if (patient) return wordAnswer(await answering)
    const answer = await answering.catch((thrown: unknown) => {
      breaker.failed(turn, thrown)
      throw thrown
    })
    breaker.answered(turn)
    return wordAnswer(answer)
  }

  function wordAnswer(answer: Answer): Answer {
    return 'error' in answer ? failureOf({ alias, mask }, answer.error) : answer
  }

  async function discoverWithin(signal: AbortSignal) {
    const { channel } = await open()
    return discover(channel, { alias, id: ids(), signal, timeout })
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
        { alias, ids, timeout, mask, breaker, open: (ears, signal) => openSocket(parts, ears, signal) },
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
