/**
 * Asking after a task, answering its questions, ending it: each request finds the one server that has the task.
 *
 * Both forms are relayed within their era: the extension of 2026-07-28 (`tasks/get`, `tasks/update`, `tasks/cancel`) and the core
 * of 2025-11-25 (`tasks/get`, `tasks/result`, `tasks/list`, `tasks/cancel`). Across eras `task-crossing.ts` speaks for the one
 * that is missing. A task of another principal answers like one that does not exist.
 */
import { Fault } from '@toolway/contract'
import {
  declares,
  eraOf,
  isObject,
  NEWEST_LEGACY,
  rewriteResult,
  joinUri,
  TASKS,
  type JsonObject,
} from '@toolway/protocol'
import { pageOf } from '../../catalog/page.ts'
import { keepsTasks, targetOf, type Offered, type Target } from '../../catalog/tool-listing.ts'
import { shapeTask } from '../result-processing/shape-result.ts'
import { sayAccount } from '../credentials/use-credential.ts'
import { forward, type Forwarding } from '../forward.ts'
import { holderOf } from '../own-names.ts'
import type { Answer } from '../../upstreams/upstream.ts'
import type { CallParts } from '../call-parts.ts'
import type { ClientChannel } from '../../snapshot/ports/client-channel.ts'
import type { RequestContext } from '../../snapshot/ports/request-context.ts'
import type { ClientRequest } from '../request.ts'
import { askAcross } from './task-crossing.ts'
import { taskOwner } from './task-owner.ts'

export async function askTask(step: ClientRequest, parts: CallParts): Promise<Answer> {
  const { requestContext, mcpRequest } = step
  refuseWithoutTasks(step)
  const { taskId: bound } = mcpRequest.params
  if (typeof bound !== 'string') throw new Fault('params.shape', { place: '/taskId', problem: 'must be a string' })
  const found = parts.tasks.release(taskOwner(requestContext.principal), requestContext.toolListing.offered, bound)
  if (found === undefined) throw new Fault('task.unknown')
  const { place, taskId, acting } = found
  const answer = await askUpstream({ ...step, parts }, place, { taskId, acting })
  if ('error' in answer) return answer
  const named = nameTask(requestContext, targetOf(place, { name: taskId }), bound, answer.result)
  return { result: await shapeTask(parts, requestContext, place.connectionId, named, mcpRequest.caller) }
}

/** A task as its server knows it, and the account that made it. */
interface Made {
  readonly taskId: string
  readonly acting: string | undefined
}

/** A request about a task, with the parts that it needs. */
interface TaskRequest extends ClientRequest {
  readonly parts: CallParts
}

async function askUpstream(step: TaskRequest, place: Offered, { taskId, acting }: Made): Promise<Answer> {
  const target = targetOf(place, { name: taskId })
  const { params } = step.mcpRequest
  const forwarding: Forwarding = { ...step, target, params: { ...params, taskId }, account: acting }
  if (eraOf(step.mcpRequest.caller.revision) !== eraOf(place.revision)) {
    step.audit.note({ connection: place.alias, eraUpstream: place.revision })
    await step.audit.writeAhead()
    return sayAccount(await askAcross(forwarding, taskId), step.audit)
  }
  if (step.mcpRequest.method !== 'tasks/result') return forward(forwarding)
  // Only this one waits for the task's end; a client may be gone without a word, so it is told to ask again after a while.
  const late = () => new Fault('upstream.timeout', { connection: place.alias, seconds: HOLD / 1000 })
  return within(HOLD, step.channel, late, (channel) => forward({ ...forwarding, channel, patient: true }))
}

/** Milliseconds that a server may take to bring a task to its end on one request. */
const HOLD = 10 * 60_000

async function within<T>(
  limit: number,
  channel: ClientChannel,
  late: () => Fault,
  work: (channel: ClientChannel) => Promise<T>,
): Promise<T> {
  const deadline = new AbortController()
  const timer = setTimeout(() => deadline.abort(late()), limit)
  try {
    return await work({ ...channel, signal: AbortSignal.any([channel.signal, deadline.signal]) })
  } finally {
    clearTimeout(timer)
  }
}

/** The task under the name that the client knows, and what is in it under the addresses that it knows. */
export function nameTask(
  { toolListing }: RequestContext,
  target: Target,
  bound: string,
  result: JsonObject,
): JsonObject {
  const own = 'taskId' in result ? { ...result, taskId: bound } : result
  const inner = own['result']
  if (!toolListing.joined || !isObject(inner)) return own
  return { ...own, result: rewriteResult(inner, (uri) => joinUri(target.alias, uri)) }
}

/** Tasks exist where a server of the endpoint has them, and for a modern client that says with each request that it knows them. */
function refuseWithoutTasks({ requestContext, mcpRequest }: ClientRequest): void {
  const { revision, capabilities } = mcpRequest.caller
  const modern = eraOf(revision) === 'modern'
  const kept = (modern || revision === NEWEST_LEGACY) && requestContext.toolListing.offered.some(keepsTasks)
  if (!kept) throw new Fault('method.unknown', { method: mcpRequest.method })
  if (!modern || declares(capabilities, TASKS)) return
  throw new Fault('client.capability', {}, { data: { requiredCapabilities: { extensions: { [TASKS]: {} } } } })
}

const PAGE_SIZE = 20

/** The tasks that this principal was given here, each as its server says it stands now; one that is gone is left out. */
export async function listTasks(step: ClientRequest, parts: CallParts): Promise<Answer> {
  const { requestContext, mcpRequest } = step
  refuseWithoutTasks(step)
  const { cursor } = mcpRequest.params
  if (cursor !== undefined && typeof cursor !== 'string') throw new Fault('cursor.unknown')
  const own = parts.tasks.ledger
    .list(taskOwner(requestContext.principal), holderOf(step.channel))
    .flatMap(({ order, place, taskId }) => {
      const { acting } = place
      const offered = requestContext.toolListing.offered.find(({ connectionId }) => connectionId === place.connectionId)
      return offered === undefined ? [] : [{ order, offered, taskId, acting }]
    })
  const { items, nextCursor } = pageOf(
    own.map(({ order }) => ({ order })),
    { cursor, scope: `${requestContext.owner} tasks/list`, member: 'order', signer: parts.signer, size: PAGE_SIZE },
  )
  const wanted = new Set(items.map(({ order }) => order))
  const tasks = await Promise.all(
    own.filter(({ order }) => wanted.has(order)).map((item) => look({ ...step, parts }, item)),
  )
  const found = tasks.filter((task) => task !== undefined)
  return { result: { tasks: found, ...(nextCursor === undefined ? {} : { nextCursor }) } }
}

interface Own extends Made {
  readonly offered: Offered
}

async function look(step: TaskRequest, { offered, taskId, acting }: Own): Promise<JsonObject | undefined> {
  const { parts, requestContext, audit } = step
  const asked = { ...step.mcpRequest, method: 'tasks/get', params: { taskId } }
  const made = { taskId, acting }
  const answer = await askUpstream({ ...step, mcpRequest: asked, audit: audit.aside() }, offered, made).catch(
    () => undefined,
  )
  if (answer === undefined) return undefined
  if ('result' in answer) {
    const { _meta: _, ...task } = answer.result
    return { ...task, taskId: parts.tasks.bind(taskOwner(requestContext.principal), placeOf(offered, acting), taskId) }
  }
  if (answer.error.code === UNKNOWN) parts.tasks.ledger.forget(taskOwner(requestContext.principal), offered, taskId)
  return undefined
}

const placeOf = ({ connectionId, alias }: Offered, acting: string | undefined) => ({ connectionId, alias, acting })

const UNKNOWN = -32602
