/**
 * Detects a long-lived stream that its client does not read. A peer that keeps its connection and reads nothing would hold the
 * pending data in memory indefinitely, so the connection is cut after a minute in which no byte was taken. A slow reader is not
 * cut.
 */
import type { ServerResponse } from 'node:http'

/** Looks in a row at which nothing had been taken; they come with the beats of the stream. */
const PATIENCE = 4

export interface StallDetector {
  /** Call it at each beat, before it is written. */
  checkStalled(): void
}

export function createStallDetector(response: Pick<ServerResponse, 'writableLength' | 'destroy'>): StallDetector {
  let waited = 0
  let stuck = 0
  return {
    checkStalled() {
      const waiting = response.writableLength
      stuck = waited > 0 && waiting >= waited ? stuck + 1 : 0
      waited = waiting
      if (stuck >= PATIENCE) response.destroy()
    },
  }
}
