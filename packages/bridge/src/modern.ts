/**
 * Requests of revision 2026-07-28: each stands alone, its headers say what its body says, and closing its exchange cancels
 * it (on stdio its client says `cancelled` instead).
 *
 * A request that may have arrived is not sent again. A listening is opened again where its stream broke off, and its client
 * is then told that what it watches may have changed.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { Fault } from '@toolway/contract'
import {
  encodeHeader,
  headersFor,
  isObject,
  metaOf,
  MODERN,
  readEnvelope,
  SUBSCRIPTION_KEY,
  VERSION_KEY,
  type JsonObject,
} from '@toolway/protocol'
import { exchange } from '@toolway/protocol/client'
import { fail, handOn, hear, readJson, type Ask, type HearParts } from './ask.ts'
import { isAbort, type Answered, type Gateway } from './gateway.ts'
import { createGatewayTransport, nextId } from './gateway-transport.ts'
import { createHeaderParameters } from './header-parameters.ts'
import { Lost } from './wire.ts'

export interface Modern {
  /** Answer one request, whatever happens to it. */
  ask(ask: Ask): Promise<void>
  /** A notification; nobody waits for an answer. */
  say(ask: Ask): Promise<void>
}

const HEADER_MISMATCH = -32020
/** Pages of a list of tools that are looked through for one tool. */
const MOST_PAGES = 100
const LISTEN = 'subscriptions/listen'
const LISTEN_PAUSE = 1_000
const LONGEST_PAUSE = 30_000

export function createModern(parts: HearParts & { readonly gateway: Gateway }): Modern {
  const { gateway, tell, outlet } = parts
  const parameters = createHeaderParameters()
  const transport = createGatewayTransport(parts)

  const headersOf = ({ method = '', params }: Pick<Ask, 'method' | 'params'>): Record<string, string> => ({
    ...headersFor(method, params, parameters.of(method, params)),
    'mcp-method': encodeHeader(method),
    'mcp-protocol-version': encodeHeader(String(metaOf(params)[VERSION_KEY] ?? MODERN)),
  })
  const post = (ask: Ask): Promise<Answered> =>
    gateway.reach({
      method: 'POST',
      headers: headersOf(ask),
      body: ask.body,
      signal: ask.controller.signal,
      onSent: ask.onSent,
    })

  /** Once more where the gateway refused the headers, for it has done nothing else then. */
  async function postSafely(ask: Ask): Promise<Answered> {
    const answered = await post(ask)
    if (!isMismatch(answered) || ask.method !== 'tools/call') return answered
    await learnTools(ask)
    return post(ask)
  }

  /** The client called a tool that no list has named to this process: the gateway's list says what travels in headers. */
  async function learnTools({ params, controller: { signal } }: Ask): Promise<void> {
    const { progressToken: _, ...meta } = metaOf(params)
    const caller = readEnvelope({ _meta: meta }, undefined)
    let cursor: string | undefined
    for (let page = 0; page < MOST_PAGES; page++) {
      const listed: JsonObject = { ...(cursor === undefined ? {} : { cursor }), _meta: meta }
      const answer = await exchange(transport, nextId, { method: 'tools/list', params: listed, caller, signal })
      cursor = 'result' in answer ? parameters.learn(answer.result) : undefined
      if (cursor === undefined) return
    }
  }

  async function ask(one: Ask): Promise<void> {
    try {
      if (one.method === LISTEN) await listen(one)
      else {
        const learn = one.method === 'tools/list' ? (text: string) => parameters.learnFrom(text) : undefined
        await hear(parts, await postSafely(one), one, learn)
      }
      if (one.ids.size > 0) throw new Lost('it ended without an answer')
    } catch (thrown) {
      fail(parts, one, isLost(thrown) ? new Fault('bridge.lost', {}, { cause: thrown }) : thrown)
    }
  }

  async function listen(one: Ask): Promise<void> {
    let honoured: JsonObject | undefined
    let pause = LISTEN_PAUSE
    while (one.ids.size > 0) {
      const again = honoured !== undefined
      const answered = await post(one).catch((thrown: unknown) => {
        if (again && !isAbort(thrown)) return undefined
        throw thrown
      })
      if (answered !== undefined && answered.stream === undefined && (!again || answered.status < 500))
        return hear(parts, answered, one)
      if (answered?.stream !== undefined) {
        if (honoured !== undefined) missed(one, honoured)
        pause = LISTEN_PAUSE
        honoured = (await follow(one, answered.stream.texts, again)) ?? honoured
        if (honoured === undefined) return
      }
      if (one.ids.size === 0) return
      await sleep(pause, undefined, { signal: one.controller.signal })
      pause = Math.min(pause * 2, LONGEST_PAUSE)
    }
  }

  /** One stream of a listening to its end; what it acknowledged, which its client is told once only. */
  async function follow(one: Ask, texts: AsyncIterable<string>, again: boolean): Promise<JsonObject | undefined> {
    let honoured: JsonObject | undefined
    try {
      for await (const text of texts) {
        const found = acknowledgedIn(text)
        honoured ??= found
        if (found === undefined || !again) handOn(parts, text, one)
        await outlet.ready()
      }
    } catch (thrown) {
      if (!(thrown instanceof Lost) || one.controller.signal.aborted) throw thrown
      tell('A subscription broke off; it is opened again.')
    }
    return honoured
  }

  /** There is no replay (specification, subscriptions): whoever was away looks again. */
  function missed({ ids }: Ask, honoured: JsonObject): void {
    const [id] = ids
    const say = (method: string, params: JsonObject) =>
      outlet.write(
        JSON.stringify({ jsonrpc: '2.0', method, params: { ...params, _meta: { [SUBSCRIPTION_KEY]: id ?? null } } }),
      )
    for (const kind of ['tools', 'prompts', 'resources'])
      if (honoured[`${kind}ListChanged`] === true) say(`notifications/${kind}/list_changed`, {})
    const watched = honoured['resourceSubscriptions']
    for (const uri of Array.isArray(watched) ? watched : []) say('notifications/resources/updated', { uri })
  }

  async function say(one: Ask): Promise<void> {
    const { status } = await post(one)
    if (status >= 300) tell(`The gateway refused ${one.method} (HTTP ${status}).`)
  }

  return { ask, say }
}

const isLost = (thrown: unknown) => thrown instanceof Lost

function isMismatch({ status, text }: Answered): boolean {
  if (status !== 400) return false
  const message = readJson(text)
  const error = isObject(message) ? message['error'] : undefined
  return isObject(error) && error['code'] === HEADER_MISMATCH
}

function acknowledgedIn(text: string): JsonObject | undefined {
  if (!text.includes('subscriptions/acknowledged')) return undefined
  const message = readJson(text)
  if (!isObject(message) || message['method'] !== 'notifications/subscriptions/acknowledged') return undefined
  const params = message['params']
  return isObject(params) && isObject(params['notifications']) ? params['notifications'] : {}
}
