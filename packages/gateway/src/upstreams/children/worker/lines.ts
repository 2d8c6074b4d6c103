/**
 * Splits a child's output into lines. LF or CRLF ends a line; empty lines are dropped, and so is the rest after the last LF when
 * the child has exited. Cutting bytes rather than text keeps a character that was split over two chunks whole. It never holds
 * more than `limit` bytes: a longer line calls `tooLong` once and ends the reading.
 */
const LF = 0x0a
const CR = 0x0d

export interface LineCutter {
  limit: number
  /** One line without its end; a view on memory that is reused: copy it to keep it. */
  line: (bytes: Buffer) => void
  tooLong: () => void
}

export function createLines({ limit, line, tooLong }: LineCutter): (chunk: Buffer) => void {
  // Grows by doubling: a child that drips single bytes costs one buffer, not a million little ones.
  let store = Buffer.alloc(0)
  let filled = 0
  let ended = false

  const append = (piece: Buffer) => {
    if (filled + piece.length > store.length) {
      const grown = Buffer.allocUnsafe(Math.min(limit, Math.max(1024, (filled + piece.length) * 2)))
      store.copy(grown, 0, 0, filled)
      store = grown
    }
    filled += piece.copy(store, filled)
  }
  const emitLine = (whole: Buffer) => {
    const end = whole.at(-1) === CR ? whole.length - 1 : whole.length
    if (end > 0) line(whole.subarray(0, end))
  }

  return (chunk) => {
    let at = 0
    while (!ended && at < chunk.length) {
      const lf = chunk.indexOf(LF, at)
      const piece = chunk.subarray(at, lf === -1 ? chunk.length : lf)
      if (filled + piece.length > limit) {
        ended = true
        store = Buffer.alloc(0)
        return tooLong()
      }
      if (lf === -1) return append(piece)
      if (filled === 0) emitLine(piece)
      else {
        append(piece)
        const whole = store.subarray(0, filled)
        store = Buffer.alloc(0)
        filled = 0
        emitLine(whole)
      }
      at = lf + 1
    }
  }
}
