/**
 * An answer that is a stream of events, one for each line of a log.
 *
 * A reader of the stream has a bound of its own: one that does not keep up is told how many lines it missed, and ended.
 */
/** Frames that wait for a slow reader. */
const MOST_WAITING = 1_000
/** Proxies cut streams that are silent for a minute. Milliseconds. */
const BEAT_MS = 15_000

const eventOf = (event: string, value: unknown) => `event: ${event}\ndata: ${JSON.stringify(value)}\n\n`

/** @param follow has every line told, until the function that it returns is called */
export function streamOfLines(
  follow: (onLine: (line: object) => void) => () => void,
  signal: AbortSignal,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  let stop = () => {}
  return new ReadableStream(
    {
      start(controller) {
        const enqueueText = (text: string) => controller.enqueue(encoder.encode(text))
        const end = () => {
          stop()
          controller.close()
        }
        const onLine = (line: object) => {
          if ((controller.desiredSize ?? 0) > 0) return enqueueText(eventOf('log', line))
          enqueueText(
            eventOf('dropped', {
              problem: `more than ${MOST_WAITING} lines are waiting to be read: send the request again`,
            }),
          )
          end()
        }
        const leave = follow(onLine)
        const beat = setInterval(() => (controller.desiredSize ?? 0) > 0 && enqueueText(': \n\n'), BEAT_MS)
        beat.unref()
        stop = () => {
          leave()
          clearInterval(beat)
          signal.removeEventListener('abort', end)
        }
        enqueueText(': open\n\n')
        if (signal.aborted) end()
        else signal.addEventListener('abort', end)
      },
      cancel: () => stop(),
    },
    { highWaterMark: MOST_WAITING },
  )
}

export const STREAM_HEAD = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
}
