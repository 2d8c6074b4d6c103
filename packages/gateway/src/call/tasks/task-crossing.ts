/**
 * Tasks across eras (translation table: tasks, LM and ML). The two forms say the same in other ways: 2025-11-25 fetches the
 * result by a request that waits and brings the questions; 2026-07-28 looks by and by, finds both in the task, and answers in a
 * request of its own.
 *
 * Legacy client, modern server: the gateway does the looking while the client waits. Modern client, legacy server: the gateway does
 * the waiting (`held-tasks.ts`) while the client looks.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { Fault } from '@toolway/contract'
import {
  adaptError,
  adaptResult,
  askableOf,
  eraOf,
  isObject,
  isOver,
  legacyTask,
  modernTask,
  relateQuestions,
  TASKS,
  withRelated,
  type McpRequest,
  type Crossing,
  type ErrorBody,
  type JsonObject,
} from '@toolway/protocol'
import type { Target } from '../../catalog/tool-listing.ts'
import type { Ask, SessionRef, Answer } from '../../upstreams/upstream.ts'
import { askSurely } from '../ask-upstream.ts'
import { askAll } from '../questions/ask-client.ts'
import type { HeldKey } from './held-tasks.ts'
import type { CallParts } from '../call-parts.ts'
import type { ClientChannel } from '../../snapshot/ports/client-channel.ts'
import type { RequestContext } from '../../snapshot/ports/request-context.ts'
import type { AuditEntryBuilder } from '../audit-entry.ts'
import { ANYWHERE } from './task-ledger.ts'
import { taskOwner } from './task-owner.ts'
import { taskPlaceOf } from './task-place.ts'

export interface TaskAsk {
  readonly parts: Pick<CallParts, 'credentials' | 'places' | 'tasks'>
  readonly requestContext: RequestContext
  readonly mcpRequest: McpRequest
  readonly channel: ClientChannel
  readonly audit: AuditEntryBuilder
  readonly target: Target
  readonly params: JsonObject
  readonly account?: string | undefined
}

/** Milliseconds that a client's `tasks/result` waits, and between two looks at a task that names no pause. */
const HOLD = 10 * 60_000
const PAUSE = { usual: 1_000, least: 100, most: 30_000 }
const UNKNOWN = -32602
const INTERNAL = -32603

type Speaking = Pick<Ask, 'caller' | 'session' | 'signal' | 'onQuestion'> & { readonly patient?: boolean }

const ask = (step: TaskAsk, method: string, params: JsonObject, speaking: Speaking): Promise<Answer> =>
  askSurely(
    { ...step, channel: { passThroughToken: step.channel.passThroughToken, signal: speaking.signal } },
    { method, params, owner: step.requestContext.principal.id, headerParameters: [], onNotification() {}, ...speaking },
  )

const crossingOf = ({ mcpRequest, target }: TaskAsk): Crossing => ({
  from: target.revision,
  to: mcpRequest.caller.revision,
})

/** One request about a task of the other era's server; the task's id in the answer is the caller's to rename. */
export async function askAcross(step: TaskAsk, taskId: string): Promise<Answer> {
  const answer = await (eraOf(step.target.revision) === 'modern' ? askModern(step, taskId) : askLegacy(step, taskId))
  return 'error' in answer ? { error: adaptError('tools/call', answer.error, crossingOf(step)) } : answer
}

// A legacy client and a modern server ---------------------------------------------------------------------------------

/** The answer to a client that made its call as a task: the server's task, or one that is finished already. */
export function taskForLegacy(
  taskContext: Pick<TaskAsk, 'parts' | 'requestContext' | 'target' | 'audit'>,
  answer: Answer,
): Answer {
  if ('error' in answer) return answer
  const { parts, requestContext, target } = taskContext
  const { tasks } = parts
  const { principal } = requestContext
  const created = answer.result['resultType'] === 'task'
  const task = created ? legacyTask(answer.result) : tasks.finished.keep(taskOwner(principal), answer).task
  const { taskId, _meta, ...rest } = task
  if (typeof taskId !== 'string')
    throw new Fault('upstream.malformed', { connection: target.alias, problem: 'its task has no ID' })
  const place = taskPlaceOf(taskContext)
  tasks.ledger.hand(taskOwner(principal), place, taskId, ANYWHERE)
  const named = { taskId: tasks.bind(taskOwner(principal), place, taskId), ...rest }
  return { result: _meta === undefined ? { task: named } : { task: named, _meta } }
}

async function askModern(step: TaskAsk, taskId: string): Promise<Answer> {
  const { parts, requestContext, mcpRequest, channel, target } = step
  const finished = parts.tasks.finished.find(taskOwner(requestContext.principal), taskId)
  if (finished !== undefined) return askFinished(step, finished)
  const caller = {
    ...mcpRequest.caller,
    capabilities: askingAsTask(channel.asks ? askableOf(mcpRequest.caller.capabilities) : {}),
  }
  const speaking = { caller, session: undefined, signal: channel.signal, onQuestion: notHere }
  const send = (method: string, more: JsonObject = {}) => ask(step, method, { taskId, ...more }, speaking)
  if (mcpRequest.method === 'tasks/result') return waitForEnd(step, send)
  const found = await send('tasks/get')
  if ('error' in found || mcpRequest.method === 'tasks/get') return legacyAnswer(found)
  if (isOver(found.result['status'])) return { error: overAlready(found.result['status']) }
  const cancelled = await send('tasks/cancel')
  if ('error' in cancelled) return cancelled
  // The server ends it in its own time; the client is to read that it was asked to.
  const last = await send('tasks/get')
  return 'error' in last ? legacyAnswer(last) : { result: { ...legacyTask(last.result), status: 'cancelled' } }

  function legacyAnswer(answer: Answer): Answer {
    if ('error' in answer && answer.error.code === UNKNOWN)
      parts.tasks.ledger.forget(taskOwner(requestContext.principal), target, taskId)
    return 'error' in answer ? answer : { result: legacyTask(answer.result) }
  }
}

/** The capabilities of a call that may become a task. */
export const askingAsTask = (capabilities: JsonObject): JsonObject => ({
  ...capabilities,
  extensions: { ...(isObject(capabilities['extensions']) ? capabilities['extensions'] : {}), [TASKS]: {} },
})

function askFinished(step: TaskAsk, { task, answer }: { task: JsonObject; answer: Answer }): Answer {
  if (step.mcpRequest.method === 'tasks/get') return { result: task }
  if (step.mcpRequest.method === 'tasks/cancel') return { error: overAlready(task['status']) }
  return 'error' in answer ? answer : resultForLegacy(step, answer.result)
}

const resultForLegacy = (step: TaskAsk, result: JsonObject): Answer => ({
  result: withRelated(adaptResult('tools/call', result, crossingOf(step)), String(step.mcpRequest.params['taskId'])),
})

const overAlready = (status: unknown): ErrorBody => ({
  code: UNKNOWN,
  message: `The task has already ended: ${String(status)}`,
})

/** Looks until the task is over, and puts what it asks meanwhile to the client on the stream of this very request. */
async function waitForEnd(
  step: TaskAsk,
  send: (method: string, more?: JsonObject) => Promise<Answer>,
): Promise<Answer> {
  const { channel, target, mcpRequest } = step
  const answered = new Set<string>()
  for (const until = Date.now() + HOLD; Date.now() < until;) {
    const found = await send('tasks/get')
    if ('error' in found) return found
    const { status, result, error, pollIntervalMs } = found.result
    if (status === 'completed' && isObject(result)) return resultForLegacy(step, result)
    if (status === 'failed' && isObject(error)) return { error: error as unknown as ErrorBody }
    if (isOver(status)) return { error: { code: INTERNAL, message: `The task is ${String(status)}.` } }
    const open = relateQuestions(found.result, answered, String(mcpRequest.params['taskId']))
    if (Object.keys(open).length > 0) {
      if (!channel.asks) throw new Fault('upstream.question', { connection: target.alias, revision: target.revision })
      const inputResponses = await askAll(channel, target, { inputRequests: open })
      for (const key of Object.keys(open)) answered.add(key)
      const updated = await send('tasks/update', { inputResponses })
      if ('error' in updated) return updated
    } else await sleep(pauseOf(pollIntervalMs), undefined, { signal: channel.signal }).catch(() => {})
    if (channel.signal.aborted) throw Fault.of(channel.signal.reason)
  }
  throw new Fault('upstream.timeout', { connection: target.alias, seconds: HOLD / 1000 })
}

const pauseOf = (named: unknown) =>
  typeof named === 'number' ? Math.min(Math.max(named, PAUSE.least), PAUSE.most) : PAUSE.usual

// A modern client and a legacy server ---------------------------------------------------------------------------------

/** Calls a tool that its legacy server runs as a task only, for a client that knows tasks; undefined for every other call. */
export async function callAsTask(step: TaskAsk, call: (speaking: Speaking, task: JsonObject) => Promise<Answer>) {
  const { parts, requestContext, target } = step
  const speaking = speakingOf(step, undefined)
  const answer = await call(speaking, {})
  if ('error' in answer || !isObject(answer.result['task'])) return answer
  const { taskId, ...rest } = modernTask(answer.result['task'])
  if (typeof taskId !== 'string')
    throw new Fault('upstream.malformed', { connection: target.alias, problem: 'its task has no ID' })
  parts.tasks.held.made(keyOf(step, taskId), speaking.session)
  return {
    question: {
      resultType: 'task',
      taskId: parts.tasks.bind(taskOwner(requestContext.principal), taskPlaceOf(step), taskId),
      ...rest,
    },
  }
}

const keyOf = ({ requestContext, target }: TaskAsk, taskId: string): HeldKey => ({
  principal: taskOwner(requestContext.principal),
  connectionId: target.connectionId,
  taskId,
})

/** A legacy server keeps a task for the session that it was made in. */
function speakingOf({ requestContext, mcpRequest, channel }: TaskAsk, made: SessionRef | undefined): Speaking {
  const capabilities = askableOf(mcpRequest.caller.capabilities)
  const caller = made?.caller ?? { ...mcpRequest.caller, capabilities }
  const id = `owner ${requestContext.principal.id} ${JSON.stringify(capabilities)}`
  return { caller, session: made ?? { id, caller, ofPrincipal: true }, signal: channel.signal, onQuestion: notHere }
}

async function askLegacy(step: TaskAsk, taskId: string): Promise<Answer> {
  const { mcpRequest, parts } = step
  const { held } = parts.tasks
  const key = keyOf(step, taskId)
  const speaking = speakingOf(step, held.session(key))
  const found = await ask(step, 'tasks/get', { taskId }, speaking)
  if ('error' in found) return found
  const { status } = found.result
  if (mcpRequest.method === 'tasks/update') {
    held.settle(key, mcpRequest.params['inputResponses'])
    return DONE
  }
  if (mcpRequest.method === 'tasks/get') return lookLegacy(step, found.result, speaking)
  // A finished task needs no cancelling (Tasks extension: cancelling again is acknowledged again).
  if (isOver(status)) return DONE
  const cancelled = await ask(step, 'tasks/cancel', { taskId }, speaking)
  held.end(key)
  return 'error' in cancelled ? cancelled : DONE
}

const DONE: Answer = { result: { resultType: 'complete' } }

async function lookLegacy(step: TaskAsk, found: JsonObject, speaking: Speaking): Promise<Answer> {
  const { held } = step.parts.tasks
  const taskId = String(found['taskId'])
  const key = keyOf(step, taskId)
  const { _meta: _, ...said } = modernTask(found)
  const task: JsonObject = { resultType: 'complete', ...said }
  const fetch = (more: Partial<Speaking>) => ask(step, 'tasks/result', { taskId }, { ...speaking, ...more })
  const { status } = found
  if (status === 'completed' || status === 'failed') {
    held.end(key)
    return { result: { ...task, ...endOf(step, await fetch({})) } }
  }
  if (status !== 'input_required') return { result: task }
  const inputRequests = await held.questions(key, (eventSink) => fetch({ ...eventSink, patient: true }))
  // Asked on a stream that has only just been opened, or answered and not yet taken in: there is nothing to answer now.
  if (Object.keys(inputRequests).length === 0) return { result: { ...task, status: 'working' } }
  return { result: { ...task, inputRequests } }
}

/** A tool that failed has completed, in the modern era; only a request that failed is a failed task. */
function endOf(step: TaskAsk, answer: Answer): JsonObject {
  const crossing = crossingOf(step)
  if ('error' in answer)
    return { status: 'failed', error: adaptError('tools/call', answer.error, crossing) as unknown as JsonObject }
  return { status: 'completed', result: adaptResult('tools/call', withRelated(answer.result, undefined), crossing) }
}

const notHere: Ask['onQuestion'] = ({ method }) =>
  Promise.resolve({ error: { code: -32601, message: `Not available here: ${method}` } })
