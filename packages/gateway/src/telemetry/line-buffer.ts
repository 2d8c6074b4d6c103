/**
 * Lines of the log are written together: a write for each would cost more than the call that it tells of.
 *
 * They are collected here and not by the stream behind, which measures all that it holds anew with every line. The order is
 * kept, nothing is dropped, and a line waits for a tenth of a second at most.
 */
const MOST_CHARACTERS = 32_768
const EVERY_MS = 100

export interface LineBuffer {
  write(line: string): void
  /** Hand on what was collected. */
  flush(): void
}

export function createLineBuffer(stream: { write(text: string): unknown }): LineBuffer {
  let lines: string[] = []
  let characters = 0
  let timer: NodeJS.Timeout | undefined

  function flush(): void {
    clearTimeout(timer)
    timer = undefined
    if (lines.length === 0) return
    const text = lines.join('')
    lines = []
    characters = 0
    stream.write(text)
  }

  return {
    write(line) {
      lines.push(line)
      characters += line.length
      if (characters >= MOST_CHARACTERS) flush()
      else timer ??= setTimeout(flush, EVERY_MS).unref()
    },
    flush,
  }
}
