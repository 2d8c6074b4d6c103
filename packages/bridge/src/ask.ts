/**
 * A client message that awaits a response: the message as received, and the ids that are still unanswered.
 *
 * Each id is answered exactly once: with the gateway's response or, when the gateway cannot be reached, with an error of the
 * bridge. An id that the client has cancelled gets no error of the bridge.
 */
import { Fault } from '@toolway/contract'
import { isObject, type Id, type JsonObject } from '@toolway/protocol'
import type { Incoming } from '@toolway/protocol/client'
import type { Answered } from './gateway.ts'
import { failureOf } from './failure.ts'
import type { Outlet } from './outlet.ts'

export interface Ask {
  /** The line as it came: what goes on is what was said, digit by digit. */
  readonly body: Buffer
  /** Of one request; a batch has none. */
  readonly method: string | undefined
  readonly params: JsonObject
  /** Those that still wait. */
  readonly ids: Set<Id>
  /** Ends the exchange: for a modern request that is its cancellation. */
  readonly controller: AbortController
  /** Its client no longer waits. */
  cancelled: boolean
  /** It may have arrived. */
  written: boolean
  onSent(): void
}

export function createAsk(body: Buffer, ids: readonly Id[], method: string | undefined, params: JsonObject): Ask {
  const ask: Ask = {
    body,
    method,
    params,
    ids: new Set(ids),
    controller: new AbortController(),
    cancelled: false,
    written: false,
    onSent: () => (ask.written = true),
  }
  return ask
}

export interface HearParts {
  readonly outlet: Outlet
  /** As it may be shown. */
  readonly address: string
  /** The source of the key, named in errors for the user who has to set it. */
  readonly keySource: string
  /** Writes a diagnostic that answers no request to stderr. */
  tell(line: string): void
}

/** Hand on what came for an ask, to its end. Rejects with Lost where a stream breaks off. */
export async function forwardAnswer(
  parts: HearParts,
  answered: Answered,
  ask: Ask,
  onResult?: (text: string) => void,
): Promise<void> {
  const { outlet } = parts
  const { stream, status, text } = answered
  if (stream === undefined) {
    if (status >= 300) return writeRefusal(parts, answered, ask)
    if (text.trim() !== '') handOn(parts, text, ask, onResult)
    return outlet.ready()
  }
  for await (const value of stream.texts) {
    // A modern client that has cancelled hears nothing more of it.
    if (ask.controller.signal.aborted) return
    handOn(parts, value, ask, onResult)
    await outlet.ready()
  }
}

/** One message, or a batch of them, on its way to the client. */
export function handOn({ outlet, tell }: HearParts, text: string, ask: Ask, onResult?: (text: string) => void): void {
  const value = readJson(text)
  if (value === undefined) return tell('The gateway sent something that is not JSON; it was ignored.')
  for (const message of [value].flat()) {
    if (!isObject(message) || 'method' in message) continue
    const id = message['id']
    if (typeof id === 'string' || typeof id === 'number') ask.ids.delete(id)
    if ('result' in message) onResult?.(text)
  }
  outlet.write(text)
}

/** Every id that still waits gets this as its answer, unless its client has given up. */
export function failAsk({ outlet }: Pick<HearParts, 'outlet'>, ask: Ask, thrown: unknown): void {
  const failures = [...ask.ids].map((id) => failureOf(id, thrown))
  ask.ids.clear()
  if (ask.cancelled || failures.length === 0) return
  outlet.write(JSON.stringify(ask.method === undefined ? failures : failures[0]))
}

/** An HTTP status says no: in the gateway's own words where it has some, with the id that they belong to. */
function writeRefusal(parts: HearParts, answered: Answered, ask: Ask): void {
  const { outlet } = parts
  const value = readJson(answered.text)
  const error = isObject(value) ? value['error'] : undefined
  if (answered.status === 401 || !isObject(error) || typeof error['message'] !== 'string')
    return failAsk(parts, ask, refusalOf(parts, answered))
  if (ask.cancelled) return
  for (const id of ask.ids) outlet.write(JSON.stringify({ jsonrpc: '2.0', id, error }))
  ask.ids.clear()
}

export function refusalOf(
  { address, keySource }: HearParts,
  { status, text, headers }: Pick<Incoming, 'status' | 'text' | 'headers'>,
): Fault {
  if (status < 400 && headers['location'] !== undefined)
    return new Fault('bridge.refused', {
      address,
      status,
      problem: `it redirects to ${String(headers['location'])}`,
    })
  const value = readJson(text)
  const [error, detail] = isObject(value) ? [value['error'], value['detail']] : []
  const reported = isObject(error) ? error['message'] : detail
  const words = typeof reported === 'string' && reported !== '' ? reported.replace(/\.$/, '') : undefined
  if (status === 401) return new Fault('bridge.key', { problem: words ?? 'HTTP 401', source: keySource })
  return new Fault('bridge.refused', { address, status, problem: words ?? 'it contains no MCP message' })
}

export function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
