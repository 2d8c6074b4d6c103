/**
 * Messages in lines that are not messages as they are: text before or after one on its line, several on one line, and one that is
 * printed over several lines.
 *
 * It sees only lines that the strict reader has refused. It looks for objects by their brackets, and keeps a beginning until its end has
 * come, a line is a message by itself, or it is too large to be one.
 */

/** Characters of an object over several lines, and objects on one line that are looked at. */
const LIMITS = { size: 1024 * 1024, objects: 100 }
/** How an object begins that may be a message: with a member, or with nothing more on its line. */
const BEGINS = /\{\s*("|$)/

export interface Salvaged {
  readonly text: string
  /** Nothing else stands before it: it is no message that a log line quotes. */
  readonly isAlone: boolean
}

export interface Salvage {
  /** The objects that end in this line. */
  take(line: string): Salvaged[]
  /** A line was a message by itself: what is kept was none. */
  reset(): void
  /** Something is kept. */
  readonly isOpen: boolean
}

export function createSalvage(): Salvage {
  let dataLines: string[] = []
  let size = 0
  let depth = 0
  let isInText = false
  let isAlone = true

  function reset(): void {
    dataLines = []
    size = depth = 0
    isInText = false
  }

  /** Where the object ends that is open at this place, or -1 if it does not end in this line. */
  function endOf(line: string, from: number): number {
    for (let at = from; at < line.length; at++) {
      const sign = line[at]
      if (isInText) {
        if (sign === '\\') at++
        else if (sign === '"') isInText = false
      } else if (sign === '"') isInText = true
      else if (sign === '{' || sign === '[') depth++
      else if ((sign === '}' || sign === ']') && --depth === 0) return at
    }
    return -1
  }

  return {
    take(line) {
      const found: Salvaged[] = []
      if (depth === 0) isAlone = true
      let at = 0
      while (at < line.length && found.length < LIMITS.objects) {
        if (depth === 0) {
          const start = line.slice(at).search(BEGINS)
          if (start === -1) break
          isAlone &&= line.slice(at, at + start).trim() === ''
          at += start
        }
        const end = endOf(line, at)
        dataLines.push(line.slice(at, end === -1 ? line.length : end + 1))
        if (end === -1) break
        found.push({ text: dataLines.join('\n'), isAlone })
        reset()
        at = end + 1
      }
      size += line.length
      // A text in JSON does not go on in the next line.
      if (depth > 0 && (isInText || size > LIMITS.size)) reset()
      if (depth === 0) size = 0
      return found
    },
    reset,
    get isOpen() {
      return depth > 0
    },
  }
}
