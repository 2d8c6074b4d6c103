/**
 * "Open these pages first, then call again": an error in the legacy era (-32042), a question in the modern one.
 *
 * A modern client is asked to open them and sends its request again, which makes the call anew; nothing waits meanwhile. A client
 * that did not agree to open a page is not asked a second time (translation table: URL elicitation).
 */
import { Fault } from '@toolway/contract'
import { isObject, type McpRequest, type ErrorBody, type Json, type JsonObject } from '@toolway/protocol'
import type { Answer } from '../../upstreams/upstream.ts'
import type { Word } from './question-ports.ts'

const KEY = /^url\d+$/

export function askUrls({ caller }: McpRequest, error: ErrorBody): Word {
  const { elicitation } = caller.capabilities
  if (!isObject(elicitation) || !isObject(elicitation['url'])) {
    const requiredCapabilities = { elicitation: { url: {} } }
    throw new Fault('client.capability', {}, { data: { requiredCapabilities } })
  }
  const pages = isObject(error.data) ? error.data['elicitations'] : undefined
  const values = (Array.isArray(pages) ? pages : []).filter(isObject).filter(({ url }) => typeof url === 'string')
  // Without a page to open there is nothing to ask: the error says all there is.
  if (values.length === 0) return { error } satisfies Answer
  const inputRequests: JsonObject = {}
  for (const [at, { elicitationId: _, ...page }] of values.entries())
    inputRequests[`url${at + 1}`] = { method: 'elicitation/create', params: { ...page, mode: 'url' } }
  return { question: { resultType: 'input_required', inputRequests } }
}

/** Refuse a request whose client has answered that it will not open a page. */
export function refuseUnopened(connection: string, answers: Json | undefined): void {
  if (!isObject(answers)) return
  for (const [key, answer] of Object.entries(answers)) {
    if (!KEY.test(key) || !isObject(answer) || answer['action'] === 'accept') continue
    const problem = `it did not open the page (${String(answer['action'] ?? 'no action').slice(0, 20)})`
    throw new Fault('client.answer', { method: 'elicitation/create', connection, problem })
  }
}
