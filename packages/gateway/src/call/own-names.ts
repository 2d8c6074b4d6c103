/**
 * Task ids within an era, exchanged for names of the gateway in answers, questions and notifications alike.
 *
 * Most messages name no task and pass as the same object. A message after which a server will notify the session, such as a task
 * or a page to open, subscribes the session.
 */
import {
  eraOf,
  renameRelated,
  renameTask,
  type McpRequest,
  type ErrorBody,
  type JsonObject,
  type Notification,
  type Request,
} from '@toolway/protocol'
import type { Target } from '../catalog/tool-listing.ts'
import type { Answer } from '../upstreams/upstream.ts'
import type { CallParts } from './call-parts.ts'
import type { ClientChannel } from '../snapshot/ports/client-channel.ts'
import type { RequestContext } from '../snapshot/ports/request-context.ts'
import { hears, hearSession } from './listening/session-event-sinks.ts'
import { ANYWHERE } from './tasks/task-ledger.ts'
import { taskOwner } from './tasks/task-owner.ts'
import { taskPlaceOf } from './tasks/task-place.ts'
import type { Noted } from './audit-facts.ts'

interface ConnectionContext {
  readonly parts: Pick<CallParts, 'credentials' | 'tasks'>
  readonly requestContext: RequestContext
  readonly channel: ClientChannel
  readonly target: Target
  readonly mcpRequest: McpRequest
  readonly audit: Noted<'account'>
}

const taskIdRenamer = (place: ConnectionContext) => (taskId: string) =>
  place.parts.tasks.bind(taskOwner(place.requestContext.principal), taskPlaceOf(place), taskId)

/** A server's result that is a task, or belongs to one, as the client may read it. */
export function withGatewayTaskIds(place: ConnectionContext, result: JsonObject): JsonObject {
  const { task } = result
  // A tool's own member of that name is a task only where one was asked for.
  if (task !== undefined && place.mcpRequest.params['task'] === undefined)
    return renameRelated(result, taskIdRenamer(place)) ?? result
  if (task !== undefined) registerTask(place, (task as JsonObject)['taskId'])
  return renameTask(result, taskIdRenamer(place))
}

function registerTask(place: ConnectionContext, taskId: unknown): void {
  const { parts, requestContext, target } = place
  if (typeof taskId !== 'string') return
  const holder = eraOf(target.revision) === 'modern' ? ANYWHERE : holderOf(place.channel)
  parts.tasks.ledger.hand(taskOwner(requestContext.principal), taskPlaceOf(place), taskId, holder)
  listenOn(place)
}

/** The client session that a request to a legacy server belongs to. */
export const holderOf = ({ session }: ClientChannel): string => session?.id ?? 'no session'

function listenOn({ parts, requestContext, channel, target }: ConnectionContext): void {
  const { session } = channel
  if (session !== undefined && eraOf(target.revision) === 'legacy' && !hears(session, target.connectionId))
    void hearSession(parts, requestContext, session, target).catch(() => {})
}

/** A server's question, and the client's answer back in the server's names. */
export async function askWithGatewayTaskIds(place: ConnectionContext, question: Request): Promise<Answer> {
  const { parts, requestContext, channel, target } = place
  if (question.params?.['mode'] === 'url') listenOn(place)
  const params = renameRelated(question.params, taskIdRenamer(place))
  const answer = await channel.question(params === undefined ? question : { ...question, params })
  if ('error' in answer) return answer
  const own = (bound: string) =>
    parts.tasks.release(taskOwner(requestContext.principal), [target], bound)?.taskId ?? bound
  return { result: renameRelated(answer.result, own) ?? answer.result }
}

export function notificationWithGatewayTaskIds(
  place: ConnectionContext,
  notification: Notification,
): Notification | undefined {
  const { method, params } = notification
  if (params === undefined) return notification
  const { taskId } = params
  if (method === 'notifications/tasks/status' && typeof taskId === 'string') {
    const { parts, requestContext, target } = place
    if (!parts.tasks.ledger.knows(taskOwner(requestContext.principal), target, taskId)) return undefined
    return { ...notification, params: { ...params, taskId: taskIdRenamer(place)(taskId) } }
  }
  const named = renameRelated(params, taskIdRenamer(place))
  return named === params || named === undefined ? notification : { ...notification, params: named }
}

/** The legacy era's "open these pages first, then call again" (2025-11-25, elicitation: URL elicitation required). */
export const URL_FIRST = -32042

/** The server says on the session's own stream when a page is done with. */
export function heardLater(place: ConnectionContext, error: ErrorBody): void {
  if (error.code === URL_FIRST) listenOn(place)
}
