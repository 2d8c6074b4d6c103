/**
 * The streams that a legacy client opens itself (GET): a new one for what its servers say outside any request, list changes
 * above all; or, with `Last-Event-ID`, one it had before, whichever request began it and whichever gateway holds it.
 */
import type { ServerResponse } from 'node:http'
import type { Message } from '@toolway/protocol'
import type { Changes } from '../../catalog/changes.ts'
import { announcedLists } from '../../call/introduce.ts'
import { createListChangeDetector } from '../../call/discovery/difference.ts'
import { aborted } from '../../call/listening/listen.ts'
import type { RequestContext } from '../../snapshot/ports/request-context.ts'
import type { RemoteStreams } from '../../sessions/remote-streams.ts'
import type { Session } from '../../sessions/sessions.ts'
import { openEventStream } from '../streams/event-stream.ts'
import { isGone } from '../streams/unread-answers.ts'
import { knowsPriming } from './session-reply.ts'

export interface SessionStream {
  readonly session: Session
  readonly requestContext: RequestContext
  readonly response: ServerResponse
  readonly lastEventId: string | undefined
  readonly changes: Changes
  /** Streams that other gateways hold; undefined where there is no other gateway. */
  readonly remoteStreams: RemoteStreams | undefined
  readonly draining: AbortSignal
}

/**
 * Resolves when the connection is gone. Before anything is written it throws `stream.gone` and `stream.ended`, and what
 * `RemoteStreams.resume` throws.
 */
export async function openSessionStream(parts: SessionStream): Promise<void> {
  const { session, response, lastEventId, remoteStreams, draining } = parts
  const remotePlace = lastEventId === undefined ? undefined : session.events.remotePlaceOf(lastEventId)
  if (remotePlace !== undefined && remoteStreams !== undefined)
    return resumeElsewhere(parts, remoteStreams, remotePlace)
  const isShared = session.revived || remoteStreams !== undefined
  const missed = lastEventId !== undefined && isShared && session.events.isOfAnotherLife(lastEventId)
  const found = lastEventId === undefined || missed ? undefined : session.events.find(lastEventId)
  if (found === undefined) hearChanges(parts)
  const stream = found?.stream ?? session.own.begin()
  const connection = openEventStream(response)
  const closed = new AbortController()
  response.once('close', () => {
    stream.detach(connection)
    closed.abort()
  })
  session.own.resumed(stream)
  stream.attach(connection, { after: found?.after ?? 0, sendsPrimingEvent: knowsPriming(session.revision) })
  if (missed) for (const message of allChanged(parts)) stream.say(message)
  await aborted(AbortSignal.any([closed.signal, session.ended.signal, draining]))
  connection.end()
}

/** The stream of a call that another gateway holds. */
async function resumeElsewhere(
  { session, requestContext, response, draining }: SessionStream,
  remoteStreams: RemoteStreams,
  remotePlace: { stream: string; after: number },
): Promise<void> {
  const closed = new AbortController()
  response.once('close', () => closed.abort())
  const over = AbortSignal.any([closed.signal, session.ended.signal, draining])
  const { organizationId } = requestContext
  session.remoteReaders++
  try {
    const stream = await remoteStreams.resume({ organizationId, session: session.id, ...remotePlace }, over)
    if (isGone(response)) return await stream.leave()
    await stream.pass(openEventStream(response), knowsPriming(session.revision))
  } finally {
    session.remoteReaders--
  }
}

/**
 * Returns notifications that everything has changed. Messages sent on a session's own stream while another process held the
 * session are lost with that process. Such a stream carries only change notifications, so a client that resumes it is notified
 * that everything may have changed.
 */
function allChanged({ session, requestContext }: SessionStream): Message[] {
  const { toolListing } = requestContext
  const lists = [...(session.announced ?? announcedLists(requestContext, session.revision))]
  const watched = [...session.watched].flatMap(([connectionId, uris]) => {
    const alias = toolListing.offered.find((offered) => offered.connectionId === connectionId)?.alias
    return alias === undefined ? [] : [...uris].map((uri) => toolListing.exposeUri(alias, uri))
  })
  return [
    ...lists.map((kind): Message => ({ jsonrpc: '2.0', method: `notifications/${kind}/list_changed` })),
    ...watched.map((uri): Message => ({ jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri } })),
  ]
}

/** From its first own stream on a session hears of changes: what is said while none is open waits for the one it had. */
function hearChanges({ session, requestContext, changes }: SessionStream): void {
  if (session.own.hears) return
  session.own.hears = true
  const listsDiffer = createListChangeDetector(requestContext, session.caller, session.announced)
  const stop = changes.listen(requestContext.organizationId, {
    sees: (connectionId) => requestContext.sees(connectionId),
    onChange(kind) {
      if (listsDiffer(kind)) session.say({ jsonrpc: '2.0', method: `notifications/${kind}/list_changed` })
    },
  })
  session.ended.signal.addEventListener('abort', stop, { once: true })
}
