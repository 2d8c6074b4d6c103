/**
 * The streams of a legacy session: the stream of a request, resumed where it breaks off, and the gateway's own stream (GET) for
 * messages that belong to no request.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { backoff } from '@toolway/protocol/retry'
import { createAsk, handOn, type Ask, type HearParts } from './ask.ts'
import { isAbort, type Answered, type Gateway, type MessageStream } from './gateway.ts'
import type { createSession, Life } from './session.ts'
import { Lost } from './wire.ts'

/** The status for a session that the gateway does not know. */
export const UNKNOWN = 404
/** Statuses that may change later: a key, a rate limit. Every other 4xx means that there is no such stream, or none any more. */
const PASSING = new Set([401, 403, 408, 429])
const refusesStream = (status: number) => status === 501 || (status >= 400 && status < 500 && !PASSING.has(status))
/** Milliseconds before a stream is opened again, where the gateway says nothing, and at most. */
export const PAUSE = 500
const LONGEST_PAUSE = 30_000
/** Milliseconds without a stream after which an answer counts as lost, and the longest pause between attempts. */
const RESUME_FOR = 30_000
const RESUME_PAUSE = 4_000
/** Milliseconds without a byte, after which a stream that says something every fifteen seconds counts as broken. */
const SILENCE = 90_000

interface Broken {
  /** The id of the last event. */
  readonly from: string
  /** Milliseconds before the first attempt. */
  readonly retry: number
}

/** The rest of a stream that broke off, or that its server closed so that its client comes for the rest. Throws `Lost`. */
export async function resume(gateway: Gateway, ask: Ask, life: Life, { from, retry }: Broken): Promise<Answered> {
  const { signal } = ask.controller
  const until = performance.now() + RESUME_FOR
  for (let failures = 0; performance.now() < until; failures++) {
    await sleep(pauseAfter(retry, failures, RESUME_PAUSE), undefined, { signal })
    const answered = await fetchStream(gateway, life, { from, signal }).catch((thrown: unknown) => {
      if (isAbort(thrown)) throw thrown
      return undefined
    })
    if (answered?.stream !== undefined) return answered
    if (answered !== undefined && answered.status < 500) break
  }
  throw new Lost('its stream cannot be resumed')
}

type FollowParts = HearParts & { readonly gateway: Gateway }
type Session = Pick<ReturnType<typeof createSession>, 'missed' | 'renew'>

/** Hands on the gateway's own stream as long as the session lives. Rejects when the session ends. */
export async function follow(parts: FollowParts, session: Session, life: Life): Promise<void> {
  const { signal } = life.ended
  let from: string | undefined
  for (let [pause, failures, broke] = [PAUSE, 0, false]; !signal.aborted; failures++) {
    const answered = await fetchStream(parts.gateway, life, { from, signal, silence: SILENCE }).catch(() => undefined)
    if (answered?.stream !== undefined) {
      // Without the id of an event, the missed messages are unknown.
      if (broke && from === undefined) session.missed(life)
      from = (await handOnAll(parts, answered.stream)) ?? from
      pause = answered.stream.retry ?? PAUSE
      failures = 0
      broke = true
    } else if (answered?.status === UNKNOWN && life.id !== undefined) {
      await session.renew(life).catch(() => {})
    } else if (answered !== undefined && refusesStream(answered.status)) {
      if (from === undefined) return
      from = undefined // the break is too long ago: the rest of the stream is gone
    }
    await sleep(pauseAfter(pause, failures, LONGEST_PAUSE), undefined, { signal })
  }
}

/** The reconnection time that the gateway set (`retry`) at least, and more after failures. */
const pauseAfter = (retry: number, failures: number, most: number): number =>
  Math.max(retry, backoff({ first: retry * 2, most }, failures, Math.random()))

interface Fetching {
  readonly from: string | undefined
  readonly signal: AbortSignal
  readonly silence?: number
}

function fetchStream(gateway: Gateway, { headers }: Life, { from, ...reading }: Fetching): Promise<Answered> {
  const resumed = from === undefined ? {} : { 'last-event-id': from }
  return gateway.attempt({
    method: 'GET',
    headers: { ...headers, accept: 'text/event-stream', ...resumed },
    ...reading,
  })
}

/** Resolves with the id of the last event when the stream ends, in whatever way. */
async function handOnAll(parts: HearParts, stream: MessageStream): Promise<string | undefined> {
  try {
    for await (const text of stream.texts) {
      handOn(parts, text, NOBODY)
      await parts.outlet.ready()
    }
  } catch {
    // It is opened again.
  }
  return stream.lastEventId
}

const NOBODY = createAsk(Buffer.alloc(0), [], undefined, {})
