/**
 * Answers whose client is gone or does not read them. An answer is held for as long as the client takes any of it, and then for a
 * minute: after that the connection is cut, so that it does not fill the memory. Small answers cost nothing here.
 */
import type { ServerResponse } from 'node:http'

/** Bytes that wait here although the system has taken what it can. */
const WAITING_BYTES = 64 * 1024
/** Milliseconds without a byte taken; Node looks whether there was progress before it counts a connection as silent. */
const PATIENCE_MS = 60_000

/** The client is gone, or its answer has ended. */
export const isGone = (response: ServerResponse): boolean => response.destroyed || response.writableEnded

/** Call it when the last byte of an answer has been written. */
export function cutUnread(response: ServerResponse, patience = PATIENCE_MS): void {
  if (response.writableLength > WAITING_BYTES) response.setTimeout(patience, () => response.destroy())
}

const CLOSED = Symbol('closed')
type Closing = ServerResponse & { [CLOSED]?: (() => void)[] }

/**
 * Calls `tell` when the response has been sent or its client is gone, unless the returned function was called before. All of them
 * share one listener: with two of them, more of each call was promoted (docs/performance.md says what was measured).
 */
export function onceClosed(response: Closing, tell: () => void): () => void {
  let tells = response[CLOSED]
  if (tells === undefined) {
    const all: (() => void)[] = []
    tells = response[CLOSED] = all
    response.once('close', () => {
      for (const tell of all) tell()
    })
  }
  // What it refers to is let go with it, before the response is.
  let listener: (() => void) | undefined = tell
  tells.push(() => listener?.())
  return () => void (listener = undefined)
}
