/**
 * Writes lines to a child's stdin. They are written as they arrive and counted when the child's pipe has taken them; the gateway
 * keeps the count and stops sending. It never blocks another child, and a child that closed its stdin (EPIPE) does not end the
 * worker.
 */
import type { Writable } from 'node:stream'
import { weightOf } from '../frame.ts'

/** Weights are reported in sums of this much: one report for many small lines. */
const REPORT_FROM = 64 * 1024

export interface StdinParts {
  stdin: Writable
  taken: (weight: number) => void
  /** It will read no more: it closed its stdin or is gone. Called once at most. */
  deaf: () => void
}

export function writeStdin({ stdin, taken, deaf }: StdinParts) {
  let unreported = 0
  stdin.on('error', () => stdin.destroy())
  stdin.once('close', deaf)
  return {
    /** `bytes` end with LF already. */
    write(bytes: Buffer) {
      if (!stdin.writable) return
      stdin.write(bytes, (failed) => {
        unreported += weightOf(bytes.length)
        if (failed || unreported < REPORT_FROM) return
        taken(unreported)
        unreported = 0
      })
    },
    end: () => stdin.end(),
    destroy: () => stdin.destroy(),
  }
}
