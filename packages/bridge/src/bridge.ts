/**
 * The bridge itself: lines of a client on one side, the gateway over Streamable HTTP on the other, in whatever era each
 * message is. Every message goes on as it came, and what comes back is handed on as it comes.
 *
 * It answers nothing itself but what cannot be carried: a line that is no message, more than it can hold, a gateway that is
 * not there. It knows no tool, decides no access and keeps nothing beyond its process.
 */
import { isUtf8 } from 'node:buffer'
import { setTimeout as sleep } from 'node:timers/promises'
import { Fault } from '@toolway/contract'
import {
  hasEnvelope,
  idOf,
  isObject,
  isRequest,
  isResponse,
  parseJson,
  readMessage,
  type Id,
  type Json,
  type Notification,
} from '@toolway/protocol'
import { createAsk, type Ask, type HearParts } from './ask.ts'
import { failureOf } from './failure.ts'
import type { Gateway } from './gateway.ts'
import { peek } from './peek.ts'
import { createLegacy } from './legacy.ts'
import { createLines } from './lines.ts'
import { createModern } from './modern.ts'

export interface BridgeParts extends HearParts {
  readonly gateway: Gateway
}

export interface Bridge {
  /** Bytes of the client. */
  feed(chunk: Buffer): void
  /** Called at the end of the client's input. Requests under way have `grace` milliseconds; then the session ends. */
  end(grace: number): Promise<void>
}

/** Bytes of one message. The gateway takes less; it says how much. */
export const LONGEST_LINE = 16 * 1024 * 1024
/** Requests that may be under way at a time, and the bytes that all messages on their way may have together. */
export const MOST_ASKED = 256
const MOST_BYTES = 64 * 1024 * 1024
/** How long what was said before holds up what follows it. Milliseconds, as the others. */
const IN_ORDER = 5_000
/** How long a cancelled legacy request may still say how it ended. */
const CANCELLED_FOR = 5_000
const GOODBYE = 500

/** Without an envelope they are still what they are, and the gateway says what they lack. */
const ONLY_MODERN = new Set(['server/discover', 'subscriptions/listen'])

/** The handler for the messages of one era. */
interface Side {
  ask(ask: Ask): Promise<void>
  say(ask: Ask): Promise<void>
}

export const createBridge = (parts: BridgeParts): Bridge => new OpenBridge(parts)

class OpenBridge implements Bridge {
  readonly #parts: BridgeParts
  readonly #modern: Side
  readonly #legacy: ReturnType<typeof createLegacy>
  readonly #lines = createLines({
    limit: LONGEST_LINE,
    line: (line) => this.#receive(line),
    tooLong: (head, tail) => this.#unread(head, tail, new Fault('request.too-large', { limit: LONGEST_LINE })),
  })
  readonly #underWay = new Map<Ask, { readonly side: Side; readonly done: Promise<void> }>()
  /** The delivery of the last message that is not a request: later messages of the client wait for it. */
  #said: Promise<unknown> = Promise.resolve()
  #bytes = 0

  constructor(parts: BridgeParts) {
    this.#parts = parts
    this.#modern = createModern(parts)
    this.#legacy = createLegacy(parts)
  }

  feed(chunk: Buffer): void {
    this.#lines.feed(chunk)
  }

  async end(grace: number): Promise<void> {
    this.#lines.end()
    const underWay = [...this.#underWay]
    const waited = underWay.filter(([{ method }]) => method !== 'subscriptions/listen').map(([, { done }]) => done)
    const over = new AbortController()
    await Promise.race([
      Promise.allSettled([...waited, this.#said]),
      sleep(grace, undefined, { signal: over.signal }).catch(() => {}),
    ])
    over.abort()
    for (const ask of this.#underWay.keys()) {
      ask.cancelled = true
      ask.controller.abort()
    }
    await this.#legacy.end(AbortSignal.timeout(GOODBYE))
    await this.#parts.outlet.flushed()
  }

  #receive(line: Buffer): void {
    try {
      const value = parseJson(textOf(line))
      if (Array.isArray(value)) this.#batch(line, value)
      else this.#single(line, value)
    } catch (thrown) {
      this.#unread(line, line, Fault.of(thrown))
    }
  }

  #single(line: Buffer, value: Json): void {
    const message = readMessage(value)
    if (isResponse(message)) return this.#say(this.#legacy, createAsk(line, [], undefined, {}))
    const { method, params = {} } = message
    const side = hasEnvelope(params) || ONLY_MODERN.has(method) ? this.#modern : this.#legacy
    if (isRequest(message)) return this.#ask(side, createAsk(line, [message.id], method, params))
    if (method === 'notifications/cancelled') return this.#cancel(line, message)
    this.#say(side, createAsk(line, [], method, params))
  }

  /** An array of messages (revision 2025-03-26) goes on whole; every request in it gets an answer. */
  #batch(line: Buffer, values: readonly Json[]): void {
    const ids = values.flatMap((value) => (isObject(value) && 'method' in value ? (idOf(value) ?? []) : []))
    const ask = createAsk(line, ids, undefined, {})
    if (ids.length === 0) this.#say(this.#legacy, ask)
    else this.#ask(this.#legacy, ask)
  }

  #ask(side: Side, ask: Ask): void {
    if (this.#underWay.size >= MOST_ASKED || this.#bytes + ask.body.length > MOST_BYTES) {
      const busy = [...ask.ids].map((id) => failureOf(id, new Fault('bridge.busy', { limit: MOST_ASKED })))
      return this.#parts.outlet.write(JSON.stringify(ask.method === undefined ? busy : busy[0]))
    }
    this.#bytes += ask.body.length
    const done = this.#said
      .then(() => side.ask(ask))
      .finally(() => {
        this.#bytes -= ask.body.length
        this.#underWay.delete(ask)
      })
    this.#underWay.set(ask, { side, done })
  }

  #say(side: Side, ask: Ask): void {
    const { tell } = this.#parts
    if (this.#bytes + ask.body.length > MOST_BYTES)
      return tell('The gateway is too slow for the client’s messages; a message was dropped.')
    this.#bytes += ask.body.length
    const done = this.#said
      .then(() => side.say(ask))
      .catch((thrown: unknown) => tell(`Not delivered: ${ask.method ?? 'an answer'}. ${Fault.of(thrown).message}`))
      .finally(() => (this.#bytes -= ask.body.length))
    this.#said = Promise.race([done, sleep(IN_ORDER, undefined, { ref: false })])
  }

  /** In the modern era the exchange is closed, in the others the gateway is told; the answer is not waited for. */
  #cancel(line: Buffer, { params }: Notification): void {
    const id = params?.['requestId'] as Id
    for (const [ask, { side, done }] of this.#underWay) {
      if (!ask.ids.has(id)) continue
      if (ask.method !== undefined) ask.cancelled = true
      if (side === this.#modern || !ask.written) ask.controller.abort()
      else {
        this.#say(this.#legacy, createAsk(line, [], 'notifications/cancelled', {}))
        const late = setTimeout(() => ask.cancelled && ask.controller.abort(), CANCELLED_FOR)
        void done.finally(() => clearTimeout(late))
      }
    }
  }

  /** A line that is no message. If it asks for an answer, the side that asked gets an error. */
  #unread(head: Buffer, tail: Buffer, fault: Fault): void {
    const { id, answers } = peek(head, tail)
    const failure = failureOf(id, fault)
    if (!answers) this.#parts.outlet.write(JSON.stringify(failure))
    else if (id !== undefined)
      this.#say(this.#legacy, createAsk(Buffer.from(JSON.stringify(failure)), [], undefined, {}))
  }
}

/** Bytes that are not UTF-8 (RFC 8259, section 8.1) are refused: no two readers may differ on them. */
function textOf(line: Buffer): string {
  if (!isUtf8(line)) throw new Fault('request.not-json', { problem: 'it is not UTF-8.' })
  return line.toString('utf8')
}
