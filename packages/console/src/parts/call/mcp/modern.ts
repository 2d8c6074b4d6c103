/**
 * Requests of 2026-07-28: each says all of itself, a question ends it and its answer repeats it, a task is asked about until it is done.
 * Leaving is the cancel.
 */
import { headerParameters, MODERN, type Caller, type JsonObject as Params } from '@toolway/protocol'
import { exchange } from '@toolway/protocol/client'
import {
  answerTo,
  hearNotification,
  nextId,
  NEVER,
  pause,
  resultOf,
  RpcFailure,
  wordFault,
  type Asking,
  type EventSink,
  type McpClient,
} from './exchange.ts'
import { transportTo } from './transport.ts'
import { isObject, type Json, type JsonObject, type RpcError } from './wire.ts'

const MOST_ROUNDS = 20

export function createModern(address: string, capabilities: JsonObject, client: JsonObject): McpClient['request'] {
  const caller: Caller = {
    revision: MODERN,
    capabilities: capabilities as Params,
    client: client as Params,
    logLevel: 'debug',
  }

  /** One request and its answer. */
  async function once(method: string, params: JsonObject, asking: Asking): Promise<JsonObject> {
    const { eventSink = {}, signal = NEVER, schema } = asking
    const answer = await exchange(transportTo(address, eventSink), nextId, {
      method,
      params: { ...params, _meta: { ...(isObject(params['_meta']) ? params['_meta'] : {}), progressToken: 'console' } },
      caller,
      headerParameters: (schema === undefined ? undefined : headerParameters(schema as Params)) ?? [],
      signal,
      onNotification: (notification) => hearNotification(notification, eventSink),
    }).catch(wordFault)
    return resultOf(answer)
  }

  return async (method, params, asking = {}) => {
    const { eventSink = {}, signal = NEVER } = asking
    let more: JsonObject = {}
    for (let round = 0; round < MOST_ROUNDS; round++) {
      const result = await once(method, { ...params, ...more }, asking)
      if (result['resultType'] === 'task') return followTask(result, eventSink, signal, once)
      if (result['resultType'] !== 'input_required') return result
      const { requestState } = result
      more = {
        ...(requestState === undefined ? {} : { requestState }),
        ...(await answersTo(result['inputRequests'], eventSink, signal)),
      }
    }
    throw new RpcFailure({ code: 0, message: `The server asked ${MOST_ROUNDS} times and did not end.` })
  }
}

/** The answers to all that is asked at once, one after the other, as a person gives them. */
async function answersTo(request: Json | undefined, eventSink: EventSink, signal: AbortSignal): Promise<JsonObject> {
  if (!isObject(request)) {
    // Nothing is asked: it is to be tried again, when the other side has had a moment.
    await pause(1_000, signal)
    return {}
  }
  const answers: Record<string, Json> = {}
  for (const [key, question] of Object.entries(request)) {
    if (!isObject(question)) continue
    answers[key] = await answerTo(
      { method: String(question['method']), params: isObject(question['params']) ? question['params'] : {} },
      eventSink,
      signal,
    )
  }
  return { inputResponses: answers }
}

type Once = (method: string, params: JsonObject, asking: Asking) => Promise<JsonObject>

/** A task is asked about until it ends, as often as it wants to be (MCP tasks extension). */
async function followTask(
  first: JsonObject,
  eventSink: EventSink,
  signal: AbortSignal,
  once: Once,
): Promise<JsonObject> {
  const taskId = String(first['taskId'])
  const asking: Asking = { eventSink, signal }
  let task = first
  try {
    for (;;) {
      const status = String(task['status'])
      const message = typeof task['statusMessage'] === 'string' ? task['statusMessage'] : undefined
      eventSink.task?.({ id: taskId, status, message })
      if (status === 'completed' && isObject(task['result'])) return task['result']
      if (status === 'failed' && isObject(task['error'])) throw new RpcFailure(task['error'] as unknown as RpcError)
      if (status === 'completed' || status === 'failed' || status === 'cancelled') return task
      if (status === 'input_required' && isObject(task['inputRequests']))
        await once('tasks/update', { taskId, ...(await answersTo(task['inputRequests'], eventSink, signal)) }, asking)
      await pause(Math.max(500, Number(task['pollIntervalMs'] ?? 1_000)), signal)
      task = await once('tasks/get', { taskId }, asking)
    }
  } catch (thrown) {
    if (signal.aborted) void once('tasks/cancel', { taskId }, { eventSink }).catch(() => undefined)
    throw thrown
  }
}
