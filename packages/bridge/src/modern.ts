/**
 * Requests of revision 2026-07-28: each stands alone, its headers say what its body says, and closing its exchange cancels
 * it (on stdio its client says `cancelled` instead).
 *
 * A request that may have arrived is not sent again. A subscription is in `listen.ts`.
 */
import { Fault } from '@toolway/contract'
import {
  encodeHeader,
  headersFor,
  isObject,
  metaOf,
  MODERN,
  readEnvelope,
  VERSION_KEY,
  type JsonObject,
} from '@toolway/protocol'
import { exchange } from '@toolway/protocol/client'
import { failAsk, forwardAnswer, readJson, type Ask, type HearParts } from './ask.ts'
import type { Answered, Gateway } from './gateway.ts'
import { createGatewayTransport, nextId } from './gateway-transport.ts'
import { createHeaderParameters } from './header-parameters.ts'
import { listen } from './listen.ts'
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

export function createModern(parts: HearParts & { readonly gateway: Gateway }): Modern {
  const { gateway, tell } = parts
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

  async function ask(item: Ask): Promise<void> {
    try {
      if (item.method === LISTEN) await listen(parts, item, post)
      else {
        const learn = item.method === 'tools/list' ? (text: string) => parameters.learnFrom(text) : undefined
        await forwardAnswer(parts, await postSafely(item), item, learn)
      }
      if (item.ids.size > 0) throw new Lost('it ended without a response')
    } catch (thrown) {
      failAsk(parts, item, isLost(thrown) ? new Fault('bridge.lost', {}, { cause: thrown }) : thrown)
    }
  }

  async function notify(item: Ask): Promise<void> {
    const { status } = await post(item)
    if (status >= 300) tell(`The gateway refused ${item.method} (HTTP ${status}).`)
  }

  return { ask, say: notify }
}

const isLost = (thrown: unknown) => thrown instanceof Lost

function isMismatch({ status, text }: Answered): boolean {
  if (status !== 400) return false
  const message = readJson(text)
  const error = isObject(message) ? message['error'] : undefined
  return isObject(error) && error['code'] === HEADER_MISMATCH
}
