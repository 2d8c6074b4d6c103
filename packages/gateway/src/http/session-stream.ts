/** A legacy client's own stream (GET): what its servers say outside any request, list changes above all. */
import type { ServerResponse } from 'node:http'
import type { Changes } from '../catalog/changes.ts'
import { aborted } from '../call/listen.ts'
import type { Standing } from '../call/ports.ts'
import type { Session } from '../sessions/sessions.ts'
import { createReply } from './reply.ts'

export interface SessionStream {
  readonly session: Session
  readonly standing: Standing
  readonly response: ServerResponse
  readonly changes: Changes
  readonly draining: AbortSignal
}

export async function openSessionStream({
  session,
  standing,
  response,
  changes,
  draining,
}: SessionStream): Promise<void> {
  const reply = createReply(response, { accepts: true, headers: {} })
  const closed = new AbortController()
  response.once('close', () => closed.abort())
  reply.open()
  const send: Session['stream'] = (message) => void reply.send(message)
  // A second stream takes the place of the first: a message goes to one stream, never to several.
  session.stream = send
  const stop = changes.listen(standing.organizationId, {
    sees: (connectionId) => standing.sees(connectionId),
    onChange: (kind) => void reply.send({ jsonrpc: '2.0', method: `notifications/${kind}/list_changed` }),
  })
  await aborted(AbortSignal.any([closed.signal, session.ended.signal, draining]))
  stop()
  if (session.stream === send) session.stream = undefined
  response.end()
}
