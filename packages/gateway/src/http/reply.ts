/**
 * An answer on its way to a client: one JSON body where that is all there is, an event stream from the first message that
 * comes before the answer. It never writes to a client that is gone, and never throws because of one.
 */
import type { ServerResponse } from 'node:http'
import { eventOf, KEEP_ALIVE, type Message } from '@toolway/protocol'
import { cutUnread } from './unread.ts'

/** Proxies cut streams that are silent for a minute. */
const KEEP_ALIVE_EVERY = 15_000

/** Bytes that may wait for a slow reader. */
const MOST_UNREAD = 16 * 1024 * 1024

export interface Reply {
  /** Begin the event stream now, before there is a message for it. */
  open(): void
  /** A message before the answer. False when it cannot be sent: the client takes no stream, or is gone. */
  send(message: Message): boolean
  /** The answer. Returns the bytes written. */
  end(message: object, status: number): number
  readonly streaming: boolean
  /** Whether the client takes a stream at all. */
  readonly streams: boolean
}

export interface ReplyOptions {
  readonly accepts: boolean
  readonly headers: Readonly<Record<string, string>>
}

export function createReply(response: ServerResponse, { accepts, headers }: ReplyOptions): Reply {
  let beat: NodeJS.Timeout | undefined

  const open = () => {
    if (beat !== undefined) return
    response.writeHead(200, {
      ...headers,
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    })
    beat = setInterval(() => response.write(KEEP_ALIVE), KEEP_ALIVE_EVERY)
    beat.unref()
    response.flushHeaders()
    response.once('close', () => clearInterval(beat))
  }
  const gone = () => response.destroyed || response.writableEnded

  return {
    get streaming() {
      return beat !== undefined
    },
    streams: accepts,
    open,
    send(message) {
      if (!accepts || gone()) return false
      if (beat === undefined) open()
      response.write(eventOf(message))
      // A client that does not read must not fill the memory: it is cut off, which in its era means what it means.
      if (response.writableLength > MOST_UNREAD) response.destroy()
      return true
    },
    end(message, status) {
      if (gone()) return 0
      const text = beat === undefined ? JSON.stringify(message) : eventOf(message as Message)
      if (beat === undefined) {
        const size = Buffer.byteLength(text)
        response.writeHead(status, { 'content-type': 'application/json', 'content-length': size, ...headers })
        response.end(text)
        cutUnread(response)
        return size
      }
      clearInterval(beat)
      response.end(text)
      cutUnread(response)
      return text.length
    },
  }
}
