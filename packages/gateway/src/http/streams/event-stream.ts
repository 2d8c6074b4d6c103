/**
 * An event stream over HTTP: its head, its beats, and the end of a reader who does not read.
 *
 * It writes frames and knows nothing of what is in them; it never writes to a client that is gone.
 */
import type { ServerResponse } from 'node:http'
import { KEEP_ALIVE } from '@toolway/protocol'
import { createStallDetector } from './stall-detector.ts'
import { cutUnread, isGone } from './unread-answers.ts'

/** Proxies cut streams that are silent for a minute. */
const KEEP_ALIVE_EVERY = 15_000

/** Bytes that may wait for a slow reader. */
const MOST_UNREAD_BYTES = 16 * 1024 * 1024

export interface OpenStream {
  write(frame: string): void
  /** With a last frame, where there is one. */
  end(frame?: string): void
}

/** Begin the stream: the head goes out at once. */
export function openEventStream(response: ServerResponse, headers: Readonly<Record<string, string>> = {}): OpenStream {
  response.writeHead(200, {
    ...headers,
    'content-type': 'text/event-stream',
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no',
  })
  const reader = createStallDetector(response)
  const beat = setInterval(() => {
    reader.checkStalled()
    response.write(KEEP_ALIVE)
  }, KEEP_ALIVE_EVERY)
  beat.unref()
  response.flushHeaders()
  response.once('close', () => clearInterval(beat))
  return {
    write(frame) {
      if (isGone(response)) return
      response.write(frame)
      // A client that does not read must not fill the memory: it is cut off, which in its era means what it means.
      if (response.writableLength > MOST_UNREAD_BYTES) response.destroy()
    },
    end(frame) {
      clearInterval(beat)
      if (isGone(response)) return
      response.end(frame)
      cutUnread(response)
    },
  }
}
