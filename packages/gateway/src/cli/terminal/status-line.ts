/** One line on stderr that says how far a command is, each time written over; on a terminal alone, so that a log file stays clean. */

export interface StatusLine {
  show(text: string): void
  /** Leaves no trace of it. */
  clear(): void
}

const ERASE = '\r\x1b[K'

export const createStatusLine = (
  stream: { readonly isTTY: boolean; write(text: string): unknown } = process.stderr,
): StatusLine => ({
  show: (text) => void (stream.isTTY && stream.write(`${ERASE}${text}`)),
  clear: () => void (stream.isTTY && stream.write(ERASE)),
})
