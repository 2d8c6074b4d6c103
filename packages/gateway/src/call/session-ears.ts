/**
 * What a server says to one session outside any request, on its way to the client that the session belongs to: a watched
 * resource changed, a task of its own went on, a page that it was sent to is done with.
 *
 * Everything else stays behind: it belongs to nobody in particular. What is passed carries names of ours.
 */
import { eraOf, type Notification } from '@toolway/protocol'
import type { Target } from '../catalog/view.ts'
import type { Session } from '../sessions/sessions.ts'
import type { Standing } from './ports.ts'

type Heard = Omit<Target, 'name'>

/** Begin to hear, or go on: a session hears each server once. Resolves when it is in force, or soon. */
export const hearSession = (standing: Standing, session: Session, target: Heard): Promise<void> =>
  standing
    .upstream(target.connectionId)
    .hear(session, [...(session.watched.get(target.connectionId) ?? [])], (notification) => {
      const known = knownTo(standing, target, notification)
      if (known !== undefined) session.say(known)
    })

function knownTo(standing: Standing, target: Heard, { method, params }: Notification): Notification | undefined {
  const uri = params?.['uri']
  if (method === 'notifications/resources/updated' && typeof uri === 'string') {
    // What names the stream of a modern server means nothing to the client.
    const rest = eraOf(target.revision) === 'modern' ? {} : params
    return { jsonrpc: '2.0', method, params: { ...rest, uri: standing.view.exposeUri(target.alias, uri) } }
  }
  const taskId = params?.['taskId']
  if (method === 'notifications/tasks/status' && typeof taskId === 'string') {
    const { tasks, principal } = standing
    if (!tasks.ledger.knows(principal.id, target, taskId)) return undefined
    return { jsonrpc: '2.0', method, params: { ...params, taskId: tasks.bind(principal.id, target, taskId) } }
  }
  return method === 'notifications/elicitation/complete' && eraOf(target.revision) === 'legacy'
    ? { jsonrpc: '2.0', method, ...(params === undefined ? {} : { params }) }
    : undefined
}
