/**
 * How do lines reach a child? They are written as they come and counted when its pipe took them; the gateway keeps
 * the count and stops sending. It never blocks another child and never ends the worker when a child is deaf (EPIPE).
 */
import type { Writable } from 'node:stream'
import { weigh } from '../frame.ts'

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
        unreported += weigh(bytes.length)
        if (failed || unreported < REPORT_FROM) return
        taken(unreported)
        unreported = 0
      })
    },
    end: () => stdin.end(),
    destroy: () => stdin.destroy(),
  }
}
