/**
 * The gateway as the bridge sees it: requests are retried while it is not reachable yet, and its refusals are put into words.
 *
 * A request is sent again only when nothing of it was written, or when the gateway says that it did not accept it (it is starting
 * or shutting down). The response is a stream of messages or one text; its meaning is decided elsewhere.
 */
import type { IncomingHttpHeaders } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { Fault } from '@toolway/contract'
import { isObject, type Json } from '@toolway/protocol'
import { createEventStream, EventTooLarge, type EventStream } from '@toolway/protocol/client'
import { Lost, Unsent, type Incoming, type Outgoing, type Wire } from './wire.ts'

export interface Answered {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** Where it is no stream: the whole body. */
  readonly text: string
  /** The messages of a stream, as they come; throws Lost where it breaks off. */
  readonly stream: MessageStream | undefined
}

export interface MessageStream extends Pick<EventStream, 'lastEventId' | 'retry'> {
  readonly texts: AsyncIterable<string>
}

export interface Gateway {
  /** Rejects with a Fault, with Lost when it may have arrived, or with an AbortError. */
  reach(outgoing: Outgoing): Promise<Answered>
  /** As `reach`, but one attempt and no patience. */
  attempt(outgoing: Outgoing): Promise<Answered>
}

/** Milliseconds for which a gateway that is not there is tried again: while it may still be starting, and once it was met. */
export interface Patience {
  readonly atStart: number
  readonly later: number
}
export const PATIENCE: Patience = { atStart: 30_000, later: 15_000 }

export interface GatewayParts {
  readonly wire: Wire
  /** As it may be shown. */
  readonly address: string
  readonly patience: Patience
  tell(line: string): void
  /** Undefined, or resolves when there is room for another answer: until then none is read. */
  room(): Promise<void> | undefined
}

const FIRST_PAUSE = 100
const LONGEST_PAUSE = 2_000
/** Characters of one answer; the gateway's own bound is below it. */
const MOST = 64 * 1024 * 1024
/** Its own words for: I did not take this, come again. */
const NOT_TAKEN = new Set<Json>(['gateway.busy', 'gateway.draining', 'gateway.not-ready', 'database.unavailable'])

export function createGateway({ wire, address, patience, tell, room }: GatewayParts): Gateway {
  let met = false

  async function sendOnce(outgoing: Outgoing): Promise<Answered> {
    const incoming = await wire.send(outgoing)
    met = true
    await room()
    return answeredOf(incoming)
  }

  async function send(outgoing: Outgoing): Promise<Answered> {
    const until = performance.now() + (met ? patience.later : patience.atStart)
    const isLate = (pause: number) => performance.now() + pause > until
    for (let pause = FIRST_PAUSE; ; pause = Math.min(pause * 2, LONGEST_PAUSE)) {
      try {
        const answered = await sendOnce(outgoing)
        if (!isNotTaken(answered) || isLate(pause)) return answered
      } catch (thrown) {
        if (!(thrown instanceof Unsent)) throw thrown
        if (thrown.lasting || isLate(pause))
          throw new Fault('bridge.unreachable', { address, problem: thrown.problem }, { cause: thrown })
        if (pause === FIRST_PAUSE) tell(`No gateway is responding at ${address} (${thrown.problem}); trying again.`)
      }
      await sleep(pause, undefined, outgoing.signal === undefined ? {} : { signal: outgoing.signal })
    }
  }

  return { reach: send, attempt: sendOnce }
}

async function answeredOf({ status, headers, body }: Incoming): Promise<Answered> {
  if (headers['content-type']?.startsWith('text/event-stream') === true)
    return { status, headers, text: '', stream: streamOf(body) }
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > MOST) throw new Fault('request.too-large', { limit: MOST })
      chunks.push(chunk)
    }
  } catch (thrown) {
    throw thrown instanceof Fault || isAbort(thrown) ? thrown : new Lost('lost', { cause: thrown })
  }
  return { status, headers, text: Buffer.concat(chunks).toString(), stream: undefined }
}

function streamOf(body: Incoming['body']): MessageStream {
  const events = createEventStream(MOST)
  async function* texts() {
    try {
      for await (const chunk of body as AsyncIterable<Buffer>) yield* events.feed(chunk)
    } catch (thrown) {
      throw isAbort(thrown) || thrown instanceof EventTooLarge ? thrown : new Lost('lost', { cause: thrown })
    }
  }
  return {
    texts: texts(),
    get lastEventId() {
      return events.lastEventId
    },
    get retry() {
      return events.retry
    },
  }
}

export const isAbort = (thrown: unknown): boolean => thrown instanceof Error && thrown.name === 'AbortError'

function isNotTaken({ status, text }: Answered): boolean {
  if (status !== 503) return false
  const data = errorDataOf(text)
  return NOT_TAKEN.has(data['fault'] ?? null)
}

/** `error.data` of a JSON-RPC error, or an empty object. */
function errorDataOf(text: string): { [key: string]: Json } {
  try {
    const value: unknown = JSON.parse(text)
    const error = isObject(value) ? value['error'] : undefined
    return isObject(error) && isObject(error['data']) ? error['data'] : {}
  } catch {
    return {}
  }
}
