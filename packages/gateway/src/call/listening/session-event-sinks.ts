/**
 * Notifications of a server to one session outside any request, forwarded to the session's client: an update of a subscribed
 * resource, a log message, a task's status, a completed elicitation page.
 *
 * Other messages are dropped, because they belong to no session. Forwarded messages carry the gateway's names.
 */
import { eraOf, reachesLevel, type Notification } from '@toolway/protocol'
import type { Target } from '../../catalog/tool-listing.ts'
import type { Session } from '../../sessions/sessions.ts'
import type { Honoured } from '../../upstreams/upstream.ts'
import { presentsOf } from '../credentials/use-credential.ts'
import { hear } from './hear.ts'
import type { CallParts } from '../call-parts.ts'
import type { RequestContext } from '../../snapshot/ports/request-context.ts'
import { taskOwner } from '../tasks/task-owner.ts'

/** The connection that is heard. */
type Heard = Pick<Target, 'connectionId' | 'alias' | 'revision' | 'credentials'>

/** Begin to hear, or hear of what is watched by now. Resolves when it is in force, or soon, to what the server honours. */
export async function hearSession(
  parts: Pick<CallParts, 'credentials' | 'tasks'>,
  requestContext: RequestContext,
  session: Session,
  target: Heard,
): Promise<Honoured> {
  const { connectionId } = target
  const before = session.eventSink.get(connectionId)
  const sink = new AbortController()
  session.eventSink.set(connectionId, sink)
  const honoured = await hear({
    requestContext,
    connectionId,
    isShown: () =>
      requestContext.now()?.toolListing.offered.some((item) => item.connectionId === connectionId) === true,
    session,
    owner: requestContext.principal.id,
    caller: session.caller,
    credential: presentsOf(parts, requestContext, target),
    uris: [...(session.watched.get(connectionId) ?? [])],
    tasks: [],
    beside: true,
    signal: AbortSignal.any([sink.signal, session.ended.signal]),
    onNotification(notification) {
      const known = knownTo(parts, requestContext, session, target, notification)
      if (known !== undefined) session.say(known)
    },
    onGone: () => sink.abort(),
  }).catch((thrown: unknown) => {
    if (session.eventSink.get(connectionId) === sink) restore(session, connectionId, before)
    throw thrown
  })
  // The earlier subscription stays open until the new one is in force.
  before?.abort()
  return honoured
}

/** Whether a server is heard, of whatever is watched there. */
export const hears = (session: Session, connectionId: Target['connectionId']): boolean =>
  session.eventSink.get(connectionId)?.signal.aborted === false

function restore({ eventSink }: Session, connectionId: string, before: AbortController | undefined): void {
  if (before === undefined) eventSink.delete(connectionId)
  else eventSink.set(connectionId, before)
}

function knownTo(
  { tasks }: Pick<CallParts, 'tasks'>,
  requestContext: RequestContext,
  session: Session,
  target: Heard,
  { method, params }: Notification,
): Notification | undefined {
  const uri = params?.['uri']
  if (method === 'notifications/resources/updated' && typeof uri === 'string') {
    const exposed = requestContext.toolListing.exposeUri(target.alias, uri)
    if (requestContext.now()?.toolListing.resource(exposed) === undefined) return undefined
    // A field that identifies the stream of a modern server means nothing to the client.
    const rest = eraOf(target.revision) === 'modern' ? {} : params
    return { jsonrpc: '2.0', method, params: { ...rest, uri: exposed } }
  }
  const plain: Notification = { jsonrpc: '2.0', method, ...(params === undefined ? {} : { params }) }
  if (method === 'notifications/tasks/status') return ownTask(tasks, requestContext, target, plain)
  if (method === 'notifications/elicitation/complete') return eraOf(target.revision) === 'legacy' ? plain : undefined
  if (method !== 'notifications/message') return undefined
  const { logLevel } = session.caller
  return logLevel !== undefined && !reachesLevel(params?.['level'], logLevel) ? undefined : plain
}

function ownTask(
  tasks: CallParts['tasks'],
  { principal }: RequestContext,
  target: Heard,
  notification: Notification,
): Notification | undefined {
  const taskId = notification.params?.['taskId']
  const owner = taskOwner(principal)
  if (typeof taskId !== 'string' || !tasks.ledger.knows(owner, target, taskId)) return undefined
  const acting = tasks.ledger.actingOn(owner, target, taskId)
  const place = { connectionId: target.connectionId, alias: target.alias, acting }
  return { ...notification, params: { ...notification.params, taskId: tasks.bind(owner, place, taskId) } }
}
