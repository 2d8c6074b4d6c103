/**
 * Messages of the revisions with sessions: requests, notifications and answers of the client. Their streams, and the gateway's
 * own stream, are in `legacy-streams.ts`.
 *
 * A request is sent again only when the gateway did not know its session, because it has done nothing then. Leaving a
 * stream cancels nothing in this era.
 */
import { Fault } from '@toolway/contract'
import { isObject, type Id } from '@toolway/protocol'
import { failAsk, forwardAnswer, readJson, type Ask, type HearParts } from './ask.ts'
import type { Answered, Gateway } from './gateway.ts'
import { follow, PAUSE, resume, UNKNOWN } from './legacy-streams.ts'
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

/** For one request: of many clients with one key the gateway keeps a few sessions only, and drops one for another. */
const MOST_RENEWALS = 3
export function createLegacy(parts: HearParts & { readonly gateway: Gateway }): Legacy {
  const { gateway, tell } = parts
  /** Pending while an `initialize` is on its way: what its client sends meanwhile belongs to the session that it opens. */
  let opening: Promise<unknown> | undefined
  const session = createSession({ ...parts, onLife: (life) => void follow(parts, session, life).catch(() => {}) })

  const post = ({ body, controller: { signal }, onSent }: Ask, life: Life | undefined) =>
    gateway.reach({ method: 'POST', headers: life?.headers ?? {}, body, signal, onSent })

  /** In the session as it is, or, where the gateway has lost that, in the one that takes its place. */
  async function postInSession(item: Ask): Promise<{ answered: Answered; life: Life | undefined }> {
    let life = item.method === 'initialize' ? undefined : await session.life()
    for (let renewals = 0; ; renewals++) {
      const answered = await post(item, life)
      if (life?.id === undefined || renewals === MOST_RENEWALS || !isUnknown(answered, item)) return { answered, life }
      life = await session.renew(life)
    }
  }

  function ask(item: Ask): Promise<void> {
    if (item.method !== 'initialize') return answer(item)
    const opened = answer(item).finally(() => (opening = undefined))
    opening = opened
    return opened
  }

  async function answer(item: Ask): Promise<void> {
    try {
      if (item.method !== 'initialize') await opening
      const { answered, life } = await postInSession(item)
      await hearWhole(item, answered, life)
      if (item.ids.size > 0) throw new Lost('it ended without a response')
    } catch (thrown) {
      failAsk(parts, item, thrown instanceof Lost ? new Fault('bridge.lost', {}, { cause: thrown }) : thrown)
    }
  }

  /** The answer with whatever precedes it, over as many streams as it takes. */
  async function hearWhole(item: Ask, first: Answered, life: Life | undefined): Promise<void> {
    let from: string | undefined
    for (let answered = first; ;) {
      const { stream } = answered
      await forwardAnswer(parts, answered, item, (text) => updateSession(item, first, text)).catch(
        (thrown: unknown) => {
          if (!(thrown instanceof Lost)) throw thrown
        },
      )
      from = stream?.lastEventId ?? from
      if (item.ids.size === 0 || life === undefined || from === undefined) return
      answered = await resume(gateway, item, life, { from, retry: stream?.retry ?? PAUSE })
    }
  }

  /** Updates the session from an answer before the client receives it. */
  function updateSession({ method, body, params }: Ask, first: Answered, text: string): void {
    if (method === 'initialize') session.begin(body, first, text)
    else if (method !== undefined) session.remember(method, params)
  }

  async function notify(item: Ask): Promise<void> {
    await opening
    const life = await session.life()
    const { status, text } = await post(item, life)
    const opens = item.method === 'notifications/initialized'
    // A message to a lost session is not sent again in the session that replaces it.
    if (status === UNKNOWN && life?.id !== undefined) await session.renew(life)
    else if (status >= 300) tell(`The gateway refused ${item.method ?? 'an answer'} (HTTP ${status}): ${wordsOf(text)}`)
    else if (opens) session.ready()
  }

  return { ask, say: notify, end: (signal) => session.end(signal) }
}

/** Whether the gateway does not know the session. A 404 that answers the request itself is its answer. */
function isUnknown({ status, text }: Answered, { ids }: Ask): boolean {
  if (status !== UNKNOWN) return false
  const message = readJson(text)
  if (!isObject(message) || !isObject(message['error'])) return true
  const { data } = message['error']
  return (isObject(data) && data['fault'] === 'session.unknown') || !ids.has(message['id'] as Id)
}

function wordsOf(text: string): string {
  const error = (readJson(text) as { error?: { message?: unknown } } | undefined)?.error
  return typeof error?.message === 'string' ? error.message : 'it does not say why.'
}
