/**
 * An answer that takes long, as an event stream: events `progress`, and in the end one `result` or one `error`.
 *
 * The result is what the operation answers as JSON; the error is a problem (RFC 9457). The reader decides nothing by leaving late:
 * progress that it does not read is left out.
 */
import { Fault } from '@toolway/contract'
import type { Operation } from '@toolway/contract/admin'

/** Events that wait for a slow reader. */
const MOST_WAITING = 20
/** Proxies cut streams that are silent for a minute. Milliseconds. */
const BEAT_MS = 15_000

export interface LongAnswer {
  readonly operation: Operation
  /** Aborted when the reader has left, may not read any more, or is to leave. */
  readonly signal: AbortSignal
  run(progress: (value: unknown) => void): unknown
  /** Words what went wrong, and leaves it on record. */
  word(thrown: unknown): object
}

/** Throws nothing: what goes wrong is its last event. */
export function streamWithProgress({ operation, signal, run, word }: LongAnswer): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  let open = true
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const write = (text: string) => open && controller.enqueue(encoder.encode(text))
        const writeEvent = (name: string, value: unknown) => write(`event: ${name}\ndata: ${JSON.stringify(value)}\n\n`)
        const hasRoom = () => open && (controller.desiredSize ?? 0) > 0
        const progress = (value: unknown) => hasRoom() && writeEvent('progress', operation.progress?.parse(value))
        const beat = setInterval(() => hasRoom() && write(': \n\n'), BEAT_MS)
        beat.unref()
        const work = async () => {
          try {
            writeEvent('result', operation.answer.parse(await run(progress)))
          } catch (thrown) {
            writeEvent('error', word(signal.aborted ? reasonOf(signal) : thrown))
          } finally {
            clearInterval(beat)
            if (open) controller.close()
          }
        }
        void work()
      },
      cancel() {
        open = false
      },
    },
    { highWaterMark: MOST_WAITING },
  )
}

/** A reader that is refused now hears why; one without a fault has left, or the gateway ends. */
const reasonOf = ({ reason }: AbortSignal): Fault =>
  reason instanceof Fault ? reason : new Fault('gateway.draining', {}, { cause: reason })
