/**
 * Messages of the revisions with sessions: requests with their streams, which are resumed where they break off, what the
 * client says besides, and the gateway's own stream (GET) for what belongs to no request.
 *
 * A request is sent again only when the gateway did not know its session, because it has done nothing then. Leaving a
 * stream cancels nothing in this era.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { Fault } from '@toolway/contract'
import { isObject, type Id } from '@toolway/protocol'
import { createAsk, fail, handOn, hear, readJson, type Ask, type HearParts } from './ask.ts'
import { isAbort, type Answered, type Gateway, type MessageStream } from './gateway.ts'
import { createSession, type Life } from './session.ts'
import { Lost } from './wire.ts'

export interface Legacy {
  /** Answer one request or batch, whatever happens to it. */
  ask(ask: Ask): Promise<void>
  /** A notification or an answer to a question; nobody waits for an answer. */
  say(ask: Ask): Promise<void>
  /** End the session; waits no longer than the signal. */
  end(signal: AbortSignal): Promise<void>
}

const UNKNOWN = 404
/** For one request: of many clients with one key the gateway keeps a few sessions only, and drops one for another. */
const MOST_RENEWALS = 3
/** Statuses that may change later: a key, a rate limit. Every other 4xx means that there is no such stream, or none any more. */
const PASSING = new Set([401, 403, 408, 429])
const refusesStream = (status: number) => status === 501 || (status >= 400 && status < 500 && !PASSING.has(status))
const PAUSE = 500
const LONGEST_PAUSE = 30_000
/** Milliseconds without a stream after which an answer counts as lost, and the longest pause between attempts. */
const RESUME_FOR = 30_000
const RESUME_PAUSE = 4_000
/** Milliseconds without a byte, after which a stream that says something every fifteen seconds counts as broken. */
const SILENCE = 90_000

export function createLegacy(parts: HearParts & { readonly gateway: Gateway }): Legacy {
  const { gateway, tell, outlet } = parts
  /** Pending while an `initialize` is on its way: what its client sends meanwhile belongs to the session that it opens. */
  let opening: Promise<unknown> | undefined
  const session = createSession({ ...parts, onLife: (life) => void follow(life).catch(() => {}) })

  const post = ({ body, controller: { signal }, onSent }: Ask, life: Life | undefined) =>
    gateway.reach({ method: 'POST', headers: life?.headers ?? {}, body, signal, onSent })

  /** In the session as it is, or, where the gateway has lost that, in the one that takes its place. */
  async function postInSession(one: Ask): Promise<{ answered: Answered; life: Life | undefined }> {
    let life = one.method === 'initialize' ? undefined : await session.life()
    for (let renewals = 0; ; renewals++) {
      const answered = await post(one, life)
      if (life?.id === undefined || renewals === MOST_RENEWALS || !isUnknown(answered, one)) return { answered, life }
      life = await session.renew(life)
    }
  }

  function ask(one: Ask): Promise<void> {
    if (one.method !== 'initialize') return answer(one)
    const opened = answer(one).finally(() => (opening = undefined))
    opening = opened
    return opened
  }

  async function answer(one: Ask): Promise<void> {
    try {
      if (one.method !== 'initialize') await opening
      const { answered, life } = await postInSession(one)
      await hearWhole(one, answered, life)
      if (one.ids.size > 0) throw new Lost('it ended without an answer')
    } catch (thrown) {
      fail(parts, one, thrown instanceof Lost ? new Fault('bridge.lost', {}, { cause: thrown }) : thrown)
    }
  }

  /** The answer with whatever precedes it, over as many streams as it takes. */
  async function hearWhole(one: Ask, first: Answered, life: Life | undefined): Promise<void> {
    let from: string | undefined
    for (let answered = first; ;) {
      const { stream } = answered
      await hear(parts, answered, one, (text) => resulted(one, first, text)).catch((thrown: unknown) => {
        if (!(thrown instanceof Lost)) throw thrown
      })
      from = stream?.lastEventId ?? from
      if (one.ids.size === 0 || life === undefined || from === undefined) return
      answered = await resume(one, life, from, stream?.retry ?? PAUSE)
    }
  }

  /** The rest of a stream that broke off, or that its server closed so that its client comes for the rest. */
  async function resume(one: Ask, life: Life, from: string, retry: number): Promise<Answered> {
    const { signal } = one.controller
    const until = performance.now() + RESUME_FOR
    for (let pause = retry; performance.now() < until; pause = Math.min(pause * 2, RESUME_PAUSE)) {
      await sleep(pause, undefined, { signal })
      const answered = await fetchStream(life, from, signal).catch((thrown: unknown) => {
        if (isAbort(thrown)) throw thrown
        return undefined
      })
      if (answered?.stream !== undefined) return answered
      if (answered !== undefined && answered.status < 500) break
    }
    throw new Lost('its stream cannot be resumed')
  }

  const fetchStream = ({ headers }: Life, from: string | undefined, signal: AbortSignal, silence?: number) => {
    const resumed = from === undefined ? {} : { 'last-event-id': from }
    return gateway.attempt({
      method: 'GET',
      headers: { ...headers, accept: 'text/event-stream', ...resumed },
      signal,
      ...(silence === undefined ? {} : { silence }),
    })
  }

  /** Updates the session from an answer before the client receives it. */
  function resulted({ method, body, params }: Ask, first: Answered, text: string): void {
    if (method === 'initialize') session.begin(body, first, text)
    else if (method !== undefined) session.remember(method, params)
  }

  /** The gateway's own stream, as long as the session lives: what it says outside any request. */
  async function follow(life: Life): Promise<void> {
    const { signal } = life.ended
    let from: string | undefined
    for (let [pause, broke] = [PAUSE, false]; !signal.aborted; pause = Math.min(pause * 2, LONGEST_PAUSE)) {
      const answered = await fetchStream(life, from, signal, SILENCE).catch(() => undefined)
      if (answered?.stream !== undefined) {
        // Without a name for where it broke off, nobody knows what was missed.
        if (broke && from === undefined) session.missed(life)
        from = (await handOnAll(answered.stream)) ?? from
        pause = answered.stream.retry ?? PAUSE
        broke = true
      } else if (answered?.status === UNKNOWN && life.id !== undefined) {
        await session.renew(life).catch(() => {})
      } else if (answered !== undefined && refusesStream(answered.status)) {
        if (from === undefined) return
        from = undefined // it was too long ago: the rest of it is gone
      }
      await sleep(pause, undefined, { signal })
    }
  }

  /** Resolves with the id of the last event when the stream ends, in whatever way. */
  async function handOnAll(stream: MessageStream): Promise<string | undefined> {
    try {
      for await (const text of stream.texts) {
        handOn(parts, text, NOBODY)
        await outlet.ready()
      }
    } catch {
      // It is opened again.
    }
    return stream.lastEventId
  }

  async function say(one: Ask): Promise<void> {
    await opening
    const life = await session.life()
    const { status, text } = await post(one, life)
    const opens = one.method === 'notifications/initialized'
    // A message to a lost session is not sent again in the session that replaces it.
    if (status === UNKNOWN && life?.id !== undefined) await session.renew(life)
    else if (status >= 300) tell(`The gateway refused ${one.method ?? 'an answer'} (HTTP ${status}): ${wordsOf(text)}`)
    else if (opens) session.ready()
  }

  return { ask, say, end: (signal) => session.end(signal) }
}

/** Whether the gateway does not know the session. A 404 that answers the request itself is its answer. */
function isUnknown({ status, text }: Answered, { ids }: Ask): boolean {
  if (status !== UNKNOWN) return false
  const message = readJson(text)
  if (!isObject(message) || !isObject(message['error'])) return true
  const { data } = message['error']
  return (isObject(data) && data['fault'] === 'session.unknown') || !ids.has(message['id'] as Id)
}

const NOBODY = createAsk(Buffer.alloc(0), [], undefined, {})

function wordsOf(text: string): string {
  const error = (readJson(text) as { error?: { message?: unknown } } | undefined)?.error
  return typeof error?.message === 'string' ? error.message : 'it does not say why.'
}
