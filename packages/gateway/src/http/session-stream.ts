/**
 * The streams that a legacy client opens itself (GET): a new one for what its servers say outside any request, list changes
 * above all; or, with `Last-Event-ID`, one it had before, whichever request began it.
 */
import type { ServerResponse } from 'node:http'
import type { Changes } from '../catalog/changes.ts'
import { aborted } from '../call/listen.ts'
import type { Standing } from '../call/ports.ts'
import type { Session } from '../sessions/sessions.ts'
import { openEventStream } from './event-stream.ts'
import { knowsPriming } from './session-reply.ts'

export interface SessionStream {
  readonly session: Session
  readonly standing: Standing
  readonly response: ServerResponse
  readonly lastEventId: string | undefined
  readonly changes: Changes
  readonly draining: AbortSignal
}

/** Resolves when the connection is gone. Throws `stream.gone` and `stream.ended` before anything is written. */
export async function openSessionStream(parts: SessionStream): Promise<void> {
  const { session, response, lastEventId, draining } = parts
  const found = lastEventId === undefined ? undefined : session.events.find(lastEventId)
  if (found === undefined) hearChanges(parts)
  const stream = found?.stream ?? session.own.begin()
  const connection = openEventStream(response)
  const closed = new AbortController()
  response.once('close', () => {
    stream.detach(connection)
    closed.abort()
  })
  session.own.resumed(stream)
  stream.attach(connection, { after: found?.after ?? 0, primes: knowsPriming(session.revision) })
  await aborted(AbortSignal.any([closed.signal, session.ended.signal, draining]))
  connection.end()
}

/** From its first own stream on a session hears of changes: what is said while none is open waits for the one it had. */
function hearChanges({ session, standing, changes }: SessionStream): void {
  if (session.own.hears) return
  session.own.hears = true
  const stop = changes.listen(standing.organizationId, {
    sees: (connectionId) => standing.sees(connectionId),
    onChange: (kind) => session.say({ jsonrpc: '2.0', method: `notifications/${kind}/list_changed` }),
  })
  session.ended.signal.addEventListener('abort', stop, { once: true })
}
