/**
 * Suspended calls: calls to legacy servers that wait for a modern client's answer.
 *
 * A legacy server asks in the middle of a call and keeps it open; a modern client gets the question as a result and sends its
 * request again with the answers. In between the live call is suspended here. The `requestState` of the result names it, sealed
 * for this principal, this request and this round; a call whose client does not come back ends at its deadline.
 */
import { randomUUID } from 'node:crypto'
import { Fault } from '@toolway/contract'
import { isObject, modernQuestion, type Json, type JsonObject } from '@toolway/protocol'
import type { Signer } from '../../catalog/page.ts'
import type { Answer } from '../../upstreams/upstream.ts'
import type { EventSink, SuspendedCalls, Round, Word } from './question-ports.ts'
import type { ClientChannel } from '../../snapshot/ports/client-channel.ts'

/** How long a call waits between two rounds, in milliseconds, and how many of one principal may wait. */
const WAITING = 10 * 60_000
const MOST_OF_ONE = 20
/** A server that asks for several things asks for them in a row: they are one round, in milliseconds. */
const GATHER = 10
const PURPOSE = 'parked call'

interface Pending {
  readonly method: string
  readonly params: JsonObject
  settle(answer: Answer): void
}

interface Suspended {
  readonly id: string
  readonly principal: string
  readonly digest: string
  readonly controller: AbortController
  readonly pending: Map<string, Pending>
  rounds: number
  asked: number
  /** Undefined between rounds. */
  channel: ClientChannel | undefined
  timer: NodeJS.Timeout | undefined
  /** Looks whether there is something for the client of this round. */
  look: () => void
  ended: { answer: Answer } | { thrown: unknown } | undefined
}

/** The form of a state that names a suspended call: its id, its round, a signature. */
const STATE = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\.\d+\./
export const isSuspendedState = (state: Json): boolean => typeof state === 'string' && STATE.test(state)

export const createSuspendedCalls = (signer: Signer): SuspendedCalls => new CallsInMemory(signer)

class CallsInMemory implements SuspendedCalls {
  readonly #signer: Signer
  readonly #suspended = new Map<string, Suspended>()

  constructor(signer: Signer) {
    this.#signer = signer
  }

  round(round: Round, start: (eventSink: EventSink) => Promise<Answer>): Promise<Word> {
    const call = round.params['requestState'] === undefined ? this.#begin(round, start) : this.#resume(round)
    return this.#wait(call, round.channel)
  }

  get size(): number {
    return this.#suspended.size
  }

  close(): void {
    for (const call of [...this.#suspended.values()]) this.#end(call)
  }

  #end(call: Suspended): void {
    clearTimeout(call.timer)
    this.#suspended.delete(call.id)
    for (const { settle } of call.pending.values()) settle(GONE)
    call.pending.clear()
    if (call.ended === undefined) call.controller.abort(new Fault('call.cancelled'))
  }

  #begin({ principal, digest, channel }: Round, start: (eventSink: EventSink) => Promise<Answer>): Suspended {
    const own = [...this.#suspended.values()].filter((item) => item.principal === principal)
    if (own.length >= MOST_OF_ONE) throw new Fault('question.limit', { limit: MOST_OF_ONE })
    const call: Suspended = {
      id: randomUUID(),
      principal,
      digest,
      controller: new AbortController(),
      pending: new Map(),
      rounds: 0,
      asked: 0,
      channel,
      timer: undefined,
      look() {},
      ended: undefined,
    }
    this.#suspended.set(call.id, call)
    const finish = (ended: NonNullable<Suspended['ended']>) => {
      call.ended = ended
      call.look()
    }
    // A synchronous throw ends like a rejection: a call left here would count forever.
    const run = async () => start(eventSinkOf(call))
    run().then(
      (answer) => finish({ answer }),
      (thrown: unknown) => finish({ thrown }),
    )
    return call
  }

  /** The call that a state names, if it is this principal's, for this request, and waiting. */
  #find({ principal, digest, params }: Round): Suspended {
    const [id = '', round = '', signature = ''] = String(params['requestState']).split('.')
    const call = this.#suspended.get(id)
    const good = this.#signer.verify(sealed(id, round, principal, digest), signature, PURPOSE)
    // Its server's live call is in the process that made it.
    if (good && call === undefined) throw new Fault('state.elsewhere')
    if (!good || call === undefined || call.channel !== undefined || String(call.rounds) !== round)
      throw new Fault('state.unknown')
    return call
  }

  #resume(round: Round): Suspended {
    const call = this.#find(round)
    clearTimeout(call.timer)
    call.channel = round.channel
    const inputResponses = round.params['inputResponses']
    for (const [key, { settle }] of call.pending) {
      const answer = isObject(inputResponses) && Object.hasOwn(inputResponses, key) ? inputResponses[key] : undefined
      if (!isObject(answer)) continue
      call.pending.delete(key)
      settle({ result: answer })
    }
    return call
  }

  /** Until there is an answer, or something to ask; a client that leaves in the middle of a round cancels the call. */
  #wait(call: Suspended, channel: ClientChannel): Promise<Word> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        done()
        this.#end(call)
        reject(Fault.of(channel.signal.reason))
      }
      const done = () => {
        call.look = () => {}
        channel.signal.removeEventListener('abort', leave)
      }
      call.look = () => {
        if (call.ended === undefined && call.pending.size === 0) return
        done()
        if (call.ended === undefined) return resolve(this.#park(call))
        this.#end(call)
        if ('answer' in call.ended) resolve(call.ended.answer)
        else reject(call.ended.thrown)
      }
      channel.signal.addEventListener('abort', leave, { once: true })
      if (channel.signal.aborted) leave()
      else call.look()
    })
  }

  #park(call: Suspended): Word {
    call.channel = undefined
    call.rounds++
    call.timer = setTimeout(() => this.#end(call), WAITING)
    call.timer.unref()
    const round = String(call.rounds)
    const signature = this.#signer.sign(sealed(call.id, round, call.principal, call.digest), PURPOSE)
    const inputRequests = Object.fromEntries(
      [...call.pending].map(([key, { method, params }]) => [key, modernQuestion(method, params)]),
    )
    return {
      question: { resultType: 'input_required', inputRequests, requestState: `${call.id}.${round}.${signature}` },
    }
  }
}

const eventSinkOf = (call: Suspended): EventSink => ({
  signal: call.controller.signal,
  onNotification: (notification) => call.channel?.notify(notification),
  onQuestion: ({ method, params = {} }) =>
    new Promise((settle) => {
      call.pending.set(`q${++call.asked}`, { method, params, settle })
      setTimeout(() => call.look(), GATHER)
    }),
})

const GONE: Answer = { error: { code: -32603, message: 'The client did not come back.' } }

const sealed = (id: string, round: string, principal: string, digest: string) =>
  `${id}\n${round}\n${principal}\n${digest}`
