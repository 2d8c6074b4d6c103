/**
 * One subscription (`subscriptions/listen`, specification 2026-07-28). It is opened again where its stream breaks off. There is no
 * replay, so its client is then told that each thing it watches may have changed.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { isObject, SUBSCRIPTION_KEY, type JsonObject } from '@toolway/protocol'
import { handOn, forwardAnswer, readJson, type Ask, type HearParts } from './ask.ts'
import { isAbort, type Answered } from './gateway.ts'
import { Lost } from './wire.ts'

/** Milliseconds before a broken subscription is opened again, and at most. */
const LISTEN_PAUSE = 1_000
const LONGEST_PAUSE = 30_000

/** Resolves when the subscription has ended. Rejects with the fault of the first request. */
export async function listen(parts: HearParts, ask: Ask, post: (ask: Ask) => Promise<Answered>): Promise<void> {
  let honoured: JsonObject | undefined
  let pause = LISTEN_PAUSE
  while (ask.ids.size > 0) {
    const reopens = honoured !== undefined
    const answered = await post(ask).catch((thrown: unknown) => {
      if (reopens && !isAbort(thrown)) return undefined
      throw thrown
    })
    if (answered !== undefined && answered.stream === undefined && (!reopens || answered.status < 500))
      return forwardAnswer(parts, answered, ask)
    if (answered?.stream !== undefined) {
      if (honoured !== undefined) tellMissed(parts, ask, honoured)
      pause = LISTEN_PAUSE
      honoured = (await follow(parts, ask, { texts: answered.stream.texts, reopens })) ?? honoured
      if (honoured === undefined) return
    }
    if (ask.ids.size === 0) return
    await sleep(pause, undefined, { signal: ask.controller.signal })
    pause = Math.min(pause * 2, LONGEST_PAUSE)
  }
}

interface Following {
  readonly texts: AsyncIterable<string>
  /** The client had its acknowledgement from an earlier stream, and gets no second one. */
  readonly reopens: boolean
}

/** Hands on one stream to its end. Resolves with the subscriptions that the gateway acknowledged. */
async function follow(parts: HearParts, ask: Ask, { texts, reopens }: Following): Promise<JsonObject | undefined> {
  let honoured: JsonObject | undefined
  try {
    for await (const text of texts) {
      const found = acknowledgedIn(text)
      honoured ??= found
      if (found === undefined || !reopens) handOn(parts, text, ask)
      await parts.outlet.ready()
    }
  } catch (thrown) {
    if (!(thrown instanceof Lost) || ask.controller.signal.aborted) throw thrown
    parts.tell('A subscription was interrupted; it is being reopened.')
  }
  return honoured
}

/** Sends a change notification for every list and resource that the client watches. */
function tellMissed({ outlet }: HearParts, { ids }: Ask, honoured: JsonObject): void {
  const [id] = ids
  const writeNotification = (method: string, params: JsonObject) =>
    outlet.write(
      JSON.stringify({ jsonrpc: '2.0', method, params: { ...params, _meta: { [SUBSCRIPTION_KEY]: id ?? null } } }),
    )
  for (const kind of ['tools', 'prompts', 'resources'])
    if (honoured[`${kind}ListChanged`] === true) writeNotification(`notifications/${kind}/list_changed`, {})
  const watched = honoured['resourceSubscriptions']
  for (const uri of Array.isArray(watched) ? watched : []) writeNotification('notifications/resources/updated', { uri })
}

function acknowledgedIn(text: string): JsonObject | undefined {
  if (!text.includes('subscriptions/acknowledged')) return undefined
  const message = readJson(text)
  if (!isObject(message) || message['method'] !== 'notifications/subscriptions/acknowledged') return undefined
  const params = message['params']
  return isObject(params) && isObject(params['notifications']) ? params['notifications'] : {}
}
