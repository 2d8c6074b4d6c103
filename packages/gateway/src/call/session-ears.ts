/**
 * What a server says to one session outside any request, on its way to the client that the session belongs to: a watched
 * resource changed, a log line. Everything else stays behind: it belongs to nobody in particular.
 */
import { eraOf, reachesLevel, type Notification } from '@toolway/protocol'
import type { Target } from '../catalog/view.ts'
import type { Session } from '../sessions/sessions.ts'
import type { Honoured } from '../upstreams/upstream.ts'
import { hear } from './hear.ts'
import type { Standing } from './ports.ts'

/** The connection that is heard. */
type Heard = Pick<Target, 'connectionId' | 'alias' | 'revision'>

/** Begin to hear, or hear of what is watched by now. Resolves when it is in force, or soon, to what the server honours. */
export async function hearSession(standing: Standing, session: Session, target: Heard): Promise<Honoured> {
  const { connectionId } = target
  const before = session.ears.get(connectionId)
  const ear = new AbortController()
  session.ears.set(connectionId, ear)
  const honoured = await hear({
    standing,
    connectionId,
    isShown: () => standing.now()?.view.offered.some((one) => one.connectionId === connectionId) === true,
    session,
    owner: standing.principal.id,
    caller: session.caller,
    uris: [...(session.watched.get(connectionId) ?? [])],
    tasks: [],
    beside: true,
    signal: AbortSignal.any([ear.signal, session.ended.signal]),
    onNotification(notification) {
      const known = knownTo(standing, session, target, notification)
      if (known !== undefined) session.say(known)
    },
    onGone: () => ear.abort(),
  })
  // What was heard before is heard until what is heard now is in force.
  before?.abort()
  return honoured
}

function knownTo(
  standing: Standing,
  session: Session,
  target: Heard,
  { method, params }: Notification,
): Notification | undefined {
  const uri = params?.['uri']
  if (method === 'notifications/resources/updated' && typeof uri === 'string') {
    const exposed = standing.view.exposeUri(target.alias, uri)
    if (standing.now()?.view.resource(exposed) === undefined) return undefined
    // What names the stream of a modern server means nothing to the client.
    const rest = eraOf(target.revision) === 'modern' ? {} : params
    return { jsonrpc: '2.0', method, params: { ...rest, uri: exposed } }
  }
  if (method !== 'notifications/message') return undefined
  const { logLevel } = session.caller
  if (logLevel !== undefined && !reachesLevel(params?.['level'], logLevel)) return undefined
  return { jsonrpc: '2.0', method, ...(params === undefined ? {} : { params }) }
}
