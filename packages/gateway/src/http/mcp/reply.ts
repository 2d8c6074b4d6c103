/**
 * An answer on its way to a client: one JSON body where that is all there is, an event stream from the first message that
 * comes before the answer, and for a client that prefers a stream. It never writes to a client that is gone, and never throws because of one.
 */
import type { ServerResponse } from 'node:http'
import { eventOf, type Message } from '@toolway/protocol'
import { openEventStream, type OpenStream } from '../streams/event-stream.ts'
import { cutUnread, isGone } from '../streams/unread-answers.ts'

export interface Reply {
  /** A message before the answer. False when it can never arrive: the client takes no stream, or is gone for good. */
  send(message: Message): boolean
  /** The answer. Returns the bytes written. */
  end(message: object, status: number): number
  /**
   * There will be no answer: the event stream ends without one. False where the client takes no stream, and must have an answer, as
   * HTTP knows no end without one (2025-11-25, transports: a request is answered with a stream or with a JSON object).
   */
  close(): boolean
  /** Let the client go until it asks again, where its revision knows that. */
  readonly pause?: () => void
  /** Whether its event stream has begun. A method: with a getter in an object literal, more of each call was promoted (docs/performance.md). */
  isStreaming(): boolean
  /** Whether the client takes a stream at all. */
  readonly streams: boolean
}

export interface ReplyOptions {
  readonly accepts: boolean
  /** Whether an answer with the status 200 is an event stream even where nothing comes before it. */
  readonly prefersStream: boolean
  readonly headers: Readonly<Record<string, string>>
}

export const createReply = (response: ServerResponse, options: ReplyOptions): Reply => new PlainReply(response, options)

class PlainReply implements Reply {
  readonly streams: boolean
  readonly #response: ServerResponse
  readonly #options: ReplyOptions
  #stream: OpenStream | undefined

  constructor(response: ServerResponse, options: ReplyOptions) {
    this.streams = options.accepts
    this.#response = response
    this.#options = options
  }

  isStreaming(): boolean {
    return this.#stream !== undefined
  }

  send(message: Message): boolean {
    if (!this.streams || isGone(this.#response)) return false
    this.#opened().write(eventOf(message))
    return true
  }

  end(message: object, status: number): number {
    const response = this.#response
    const { prefersStream, headers } = this.#options
    if (isGone(response)) return 0
    if (this.#stream !== undefined || (prefersStream && status === 200)) {
      const text = eventOf(message as Message)
      this.#opened().end(text)
      return text.length
    }
    const text = JSON.stringify(message)
    const size = Buffer.byteLength(text)
    response.writeHead(status, { 'content-type': 'application/json', 'content-length': size, ...headers })
    response.end(text)
    cutUnread(response)
    return size
  }

  close(): boolean {
    if (isGone(this.#response)) return true
    if (this.streams) this.#opened().end()
    return this.streams
  }

  #opened(): OpenStream {
    return (this.#stream ??= openEventStream(this.#response, this.#options.headers))
  }
}
