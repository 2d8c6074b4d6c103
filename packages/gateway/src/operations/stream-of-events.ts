/**
 * An answer that is a stream of events.
 *
 * A reader has room for a number of events. One that does not keep up is ended: it looks at what there is, and reads anew.
 */
/** Proxies cut streams that are silent for a minute. Milliseconds. */
const BEAT_MS = 15_000

export const STREAM_HEAD = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
}

export interface Streaming {
  readonly signal: AbortSignal
  /** Events that may wait for a slow reader. */
  readonly mostWaiting: number
  /** Sends every event, until the function that it returns is called. What it throws is thrown before anything is answered. */
  follow(send: (event: string, value: object) => void): () => void
  /** The last event of a reader that does not keep up; none is sent without it. */
  readonly missed?: readonly [event: string, value: object]
}

const frameOf = (event: string, value: object) => `event: ${event}\ndata: ${JSON.stringify(value)}\n\n`

export const streamOfEvents = (streaming: Streaming): Response =>
  new Response(bodyOf(streaming), { headers: STREAM_HEAD })

function bodyOf({ signal, mostWaiting, follow, missed }: Streaming): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  let stop = () => {}
  return new ReadableStream(
    {
      start(controller) {
        const write = (text: string) => controller.enqueue(encoder.encode(text))
        const hasRoom = () => (controller.desiredSize ?? 0) > 0
        const end = () => {
          stop()
          controller.close()
        }
        const leave = follow((event, value) => {
          if (hasRoom()) return write(frameOf(event, value))
          if (missed !== undefined) write(frameOf(...missed))
          end()
        })
        const beat = setInterval(() => hasRoom() && write(': \n\n'), BEAT_MS)
        beat.unref()
        stop = () => {
          leave()
          clearInterval(beat)
          signal.removeEventListener('abort', end)
        }
        write(': open\n\n')
        if (signal.aborted) end()
        else signal.addEventListener('abort', end)
      },
      cancel: () => stop(),
    },
    { highWaterMark: mostWaiting },
  )
}
