/**
 * An answer to a legacy client with a session: like any other, but what is streamed can be fetched again.
 *
 * A client that goes away is not a client that cancels (2025-11-25, transports): from its first event on the stream goes on
 * without it, and waits in the session's log for a GET with `Last-Event-ID`. A client that went before it was told any event
 * can name nothing to come back for, so nothing is kept for it.
 */
import type { ServerResponse } from 'node:http'
import { NEWEST_LEGACY, type LegacyRevision, type Message } from '@toolway/protocol'
import type { EventStream } from '../../sessions/event-log.ts'
import type { Session } from '../../sessions/sessions.ts'
import { openEventStream } from '../streams/event-stream.ts'
import { isGone } from '../streams/unread-answers.ts'
import { createReply, type Reply, type ReplyOptions } from './reply.ts'

/** An answer that takes longer than this comes on a stream, so that a client whose connection breaks can come back. Milliseconds. */
const SOON = 500

/** Events without data, and streams that a server closes before their end (SEP-1699). */
export const knowsPriming = (revision: LegacyRevision): boolean => revision >= NEWEST_LEGACY

export function createSessionReply(
  response: ServerResponse,
  session: Session,
  { accepts, prefersStream }: Pick<ReplyOptions, 'accepts' | 'prefersStream'>,
): Reply {
  const plain = createReply(response, { accepts: false, prefersStream: false, headers: {} })
  const sendsPrimingEvent = knowsPriming(session.revision)
  let stream: EventStream | undefined
  const late = accepts && sendsPrimingEvent ? setTimeout(open, SOON) : undefined
  late?.unref()
  response.once('close', () => clearTimeout(late))

  function open(): EventStream | undefined {
    clearTimeout(late)
    if (stream === undefined && !isGone(response)) {
      const connection = openEventStream(response)
      const opened = session.events.open()
      response.once('close', () => opened.detach(connection))
      opened.attach(connection, { sendsPrimingEvent })
      stream = opened
    }
    return stream
  }

  return {
    isStreaming: () => stream !== undefined,
    streams: accepts,
    send(message) {
      const opened = accepts ? open() : undefined
      opened?.say(message)
      return opened !== undefined
    },
    end(message, status) {
      clearTimeout(late)
      const opened = prefersStream && status === 200 ? open() : stream
      if (opened === undefined) return plain.end(message, status)
      opened.say(message as Message)
      opened.finish()
      return JSON.stringify(message).length
    },
    close() {
      clearTimeout(late)
      if (stream !== undefined) stream.finish()
      else if (isGone(response)) return true
      // Nothing of it can be fetched again, so that it is no stream of the session.
      else if (accepts) openEventStream(response).end()
      return accepts
    },
    pause() {
      if (accepts && sendsPrimingEvent) open()?.pause()
    },
  }
}
