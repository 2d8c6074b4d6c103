/**
 * Sends a child's stdout to the gateway with bounded memory in both processes. Lines are reported as they end; when the gateway
 * has more than a window of them still to take, reading stops and the child blocks in its own write. It never drops a whole line
 * and never reads ahead of a gateway that does not keep up.
 */
import type { Readable } from 'node:stream'
import { weightOf } from '../frame.ts'
import { createLines } from './lines.ts'

/** How much may be on its way to the gateway, in weight (about bytes). */
export const WINDOW = 4 * 1024 * 1024

export interface StdoutParts {
  stdout: Readable
  lineLimit: number
  line: (bytes: Buffer) => void
  tooLong: () => void
}

export function readStdout({ stdout, lineLimit, line, tooLong }: StdoutParts) {
  let onTheWay = 0
  let progress = performance.now()
  let spoken = false
  const cut = createLines({
    limit: lineLimit,
    line(bytes) {
      spoken = true
      onTheWay += weightOf(bytes.length)
      line(bytes)
    },
    tooLong() {
      stdout.destroy()
      tooLong()
    },
  })
  stdout.on('data', (chunk: Buffer) => {
    progress = performance.now()
    cut(chunk)
    if (onTheWay > WINDOW) stdout.pause()
  })
  // A pipe that breaks is the child's end or ours; both are seen elsewhere, and 'close' follows.
  stdout.on('error', () => stdout.destroy())
  return {
    /** The gateway has taken lines of this weight. */
    taken(weight: number) {
      progress = performance.now()
      onTheWay -= weight
      if (onTheWay <= WINDOW / 2) stdout.resume()
    },
    /** Whether it said a line. */
    hasSpoken: () => spoken,
    /** When something last moved, on the clock of `performance.now()`. */
    lastProgress: () => progress,
  }
}
