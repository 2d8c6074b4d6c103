/**
 * Does anybody read a stream that lasts? A peer that keeps its connection and takes nothing holds whatever waits for it, for as
 * long as it likes: after a minute in which nothing of it was taken, it is cut off. Who reads slowly is not.
 */
import type { ServerResponse } from 'node:http'

/** Looks in a row at which nothing had been taken; they come with the beats of the stream. */
const PATIENCE = 4

export interface Reader {
  /** Call it at each beat, before it is written. */
  look(): void
}

export function createReader(response: Pick<ServerResponse, 'writableLength' | 'destroy'>): Reader {
  let waited = 0
  let stuck = 0
  return {
    look() {
      const waiting = response.writableLength
      stuck = waited > 0 && waiting >= waited ? stuck + 1 : 0
      waited = waiting
      if (stuck >= PATIENCE) response.destroy()
    },
  }
}
