/**
 * Splits the client's bytes into messages, one per line (specification, transports: stdio).
 *
 * LF or CRLF ends a line; empty lines are dropped. Splitting bytes keeps a character intact that spans two chunks. At most
 * `limit` bytes are held: of a longer line only both ends are kept, and the next line is read as usual.
 */
const LF = 0x0a
const CR = 0x0d
/** Bytes of each end of a line that is too long: where its id stands, if it is to be found at all. */
const EDGE = 4096

export interface LinesParts {
  readonly limit: number
  /** One line without its end. It is the listener's to keep. */
  line(bytes: Buffer): void
  tooLong(head: Buffer, tail: Buffer): void
}

export interface Lines {
  feed(chunk: Buffer): void
  /** Takes the bytes after the last line feed as a line when the input ends. */
  end(): void
}

export function createLines({ limit, line, tooLong }: LinesParts): Lines {
  // Grows by doubling: a client that drips single bytes costs one buffer, not a million little ones.
  let store = Buffer.alloc(0)
  let filled = 0
  let skipped: { readonly head: Buffer; tail: Buffer } | undefined

  function append(piece: Buffer): void {
    if (skipped !== undefined) skipped.tail = lastOf(skipped.tail, piece)
    else if (filled + piece.length > limit) {
      const before = store.subarray(0, filled)
      skipped = {
        head: Buffer.concat([before, piece.subarray(0, EDGE)]).subarray(0, EDGE),
        tail: lastOf(before, piece),
      }
      store = Buffer.alloc(0)
      filled = 0
    } else {
      if (filled + piece.length > store.length) {
        const grown = Buffer.allocUnsafe(Math.min(limit, Math.max(1024, (filled + piece.length) * 2)))
        store.copy(grown, 0, 0, filled)
        store = grown
      }
      filled += piece.copy(store, filled)
    }
  }

  function finish(): void {
    const [whole, long] = [store.subarray(0, filled), skipped]
    store = Buffer.alloc(0)
    filled = 0
    skipped = undefined
    if (long !== undefined) tooLong(long.head, long.tail)
    else emitLine(whole)
  }
  function emitLine(whole: Buffer): void {
    const end = whole.at(-1) === CR ? whole.length - 1 : whole.length
    if (end > 0) line(whole.subarray(0, end))
  }

  return {
    feed(chunk) {
      for (let at = 0; at < chunk.length;) {
        const lf = chunk.indexOf(LF, at)
        const piece = chunk.subarray(at, lf === -1 ? chunk.length : lf)
        if (lf === -1) return append(piece)
        if (filled === 0 && skipped === undefined && piece.length <= limit) emitLine(piece)
        else {
          append(piece)
          finish()
        }
        at = lf + 1
      }
    },
    end: finish,
  }
}

const lastOf = (before: Buffer, piece: Buffer): Buffer =>
  piece.length >= EDGE
    ? Buffer.from(piece.subarray(-EDGE))
    : Buffer.concat([before.subarray(-EDGE), piece]).subarray(-EDGE)
