/** The body of an upload as it comes. A sender that falls silent is given up, whatever it sent before. */
import type { IncomingMessage } from 'node:http'
import { Fault } from '@toolway/contract'

export interface Received {
  readonly content: AsyncIterable<Uint8Array>
  /** Aborted with `file.slow`. */
  readonly signal: AbortSignal
  close(): void
}

/** Milliseconds without a byte. */
const SILENCE_MS = 60_000

export function receivedBy(request: IncomingMessage, silence = SILENCE_MS): Received {
  const stop = new AbortController()
  const timer = setTimeout(() => stop.abort(new Fault('file.slow', { seconds: Math.ceil(silence / 1000) })), silence)
  return {
    content: countReceived(request, () => timer.refresh()),
    signal: stop.signal,
    close: () => clearTimeout(timer),
  }
}

async function* countReceived(request: IncomingMessage, onBytes: () => void): AsyncIterable<Uint8Array> {
  // Not destroyed when the reader stops: the answer goes over the same connection.
  const chunks = request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>
  try {
    for await (const chunk of chunks) {
      onBytes()
      yield chunk
    }
  } catch (thrown) {
    throw new Fault('request.cut-off', {}, { cause: thrown })
  }
  if (!request.complete) throw new Fault('request.cut-off')
}
