/**
 * Forwards a child's stderr to the gateway: lines masked, cut to 2,000 characters, sent in small batches. A flood is reduced to
 * the last 200 lines per batch: the gateway stores no more than those anyway. It never blocks the child and its memory is
 * bounded: a line without an end is cut while it is read.
 */
import type { Readable } from 'node:stream'
import { OWN_WORDS, speaksOfError } from '../../program-report.ts'

export const STDERR_LINES = 200
export const STDERR_LINE_CHARS = 2_000
/** Read more of a line than is kept, so that a secret across the cut is recognised before it is cut. */
const RAW_BYTES = 16 * 1024
const PARCEL_MS = 50

export interface StderrParts {
  stderr: Readable
  mask: (text: string) => string
  send: (lines: string[]) => void
  /** True while the link to the gateway is congested: the parcel waits and keeps its last lines. */
  congested: () => boolean
}

export function readStderr({ stderr, mask, send, congested }: StderrParts) {
  let parcel: string[] = []
  let raw = Buffer.alloc(0)
  let timer: NodeJS.Timeout | undefined
  let named = false

  const flush = () => {
    timer = undefined
    if (parcel.length === 0) return
    if (congested()) return later()
    send(parcel)
    parcel = []
  }
  const later = () => {
    timer ??= setTimeout(flush, PARCEL_MS)
  }
  const printMasked = (line: string) => {
    const masked = mask(line.trimEnd())
    // It cannot speak in the gateway's name.
    const own = masked.trimStart().startsWith(OWN_WORDS) ? `> ${masked}` : masked
    const text = own.slice(0, STDERR_LINE_CHARS).toWellFormed()
    if (text === '') return
    named ||= speaksOfError(text)
    parcel.push(text)
    if (parcel.length > STDERR_LINES) parcel.shift()
    later()
  }
  const endLine = () => {
    const line = raw.toString('utf8')
    raw = Buffer.alloc(0)
    printMasked(line)
  }
  stderr.on('data', (chunk: Buffer) => {
    let at = 0
    while (at < chunk.length) {
      const lf = chunk.indexOf(0x0a, at)
      const end = lf === -1 ? chunk.length : lf
      const room = RAW_BYTES - raw.length
      if (room > 0 && end > at) raw = Buffer.concat([raw, chunk.subarray(at, Math.min(end, at + room))])
      if (lf === -1) return
      endLine()
      at = lf + 1
    }
  })
  stderr.on('error', () => stderr.destroy())
  return {
    /** Adds a line about the child from another source, masked and cut like its own lines. */
    say: printMasked,
    /** Whether a line spoke of an error. */
    hasNamedError: () => named,
    /** Ends the half line of a crash. */
    endLine,
    /** Gives what is left, the half line of a crash included. */
    finish() {
      endLine()
      clearTimeout(timer)
      if (parcel.length > 0) send(parcel)
      parcel = []
    },
  }
}
