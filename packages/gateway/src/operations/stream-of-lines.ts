/** An answer that is a stream of the lines of a log. */
import { streamOfEvents } from './stream-of-events.ts'

/** Lines that may wait for a slow reader. */
const MOST_WAITING = 1_000
const problem = `more than ${MOST_WAITING} lines are waiting to be read: send the request again`

/** @param follow has every line, until the function that it returns is called */
export const streamOfLines = (follow: (onLine: (line: object) => void) => () => void, signal: AbortSignal): Response =>
  streamOfEvents({
    signal,
    mostWaiting: MOST_WAITING,
    follow: (send) => follow((line) => send('log', line)),
    missed: ['dropped', { problem }],
  })
