/**
 * An answer on its way to a client: one JSON body where that is all there is, an event stream from the first message that
 * comes before the answer, and for a client that prefers a stream. It never writes to a client that is gone, and never throws because of one.
 */
import type { ServerResponse } from 'node:http'
import { eventOf, type Message } from '@toolway/protocol'
import { openEventStream, type OpenStream } from '../streams/event-stream.ts'
import { cutUnread, isGone } from '../streams/unread.ts'

export interface Reply {
  /** A message before the answer. False when it can never arrive: the client takes no stream, or is gone for good. */
  send(message: Message): boolean
  /** The answer. Returns the bytes written. */
  end(message: object, status: number): number
  /** There will be no answer. */
  close(): void
  /** Let the client go until it asks again, where its revision knows that. */
  readonly pause?: () => void
  readonly streaming: boolean
  /** Whether the client takes a stream at all. */
  readonly streams: boolean
}

export interface ReplyOptions {
  readonly accepts: boolean
  /** Whether an answer with the status 200 is an event stream even where nothing comes before it. */
  readonly prefers: boolean
  readonly headers: Readonly<Record<string, string>>
}

export function createReply(response: ServerResponse, { accepts, prefers, headers }: ReplyOptions): Reply {
  let stream: OpenStream | undefined

  return {
    get streaming() {
      return stream !== undefined
    },
    streams: accepts,
    send(message) {
      if (!accepts || isGone(response)) return false
      stream ??= openEventStream(response, headers)
      stream.write(eventOf(message))
      return true
    },
    end(message, status) {
      if (isGone(response)) return 0
      if (prefers && status === 200) stream ??= openEventStream(response, headers)
      if (stream === undefined) {
        const text = JSON.stringify(message)
        const size = Buffer.byteLength(text)
        response.writeHead(status, { 'content-type': 'application/json', 'content-length': size, ...headers })
        response.end(text)
        cutUnread(response)
        return size
      }
      const text = eventOf(message as Message)
      stream.end(text)
      return text.length
    },
    close() {
      if (!isGone(response)) response.end()
    },
  }
}
