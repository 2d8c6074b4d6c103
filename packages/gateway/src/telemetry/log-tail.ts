/**
 * The last lines of the log, kept in memory for who may look at them, and told to who follows.
 *
 * It keeps lines as they were written, masked as the log masks them, and reads them only when somebody asks. It is bounded in
 * lines and in what each may hold, and never asks a follower to be quick: that is the follower's own bound.
 */
const MOST_LINES = 1_000
/** A longer one is kept by its beginning alone, which is said. Characters. */
const MOST_OF_ONE = 16_384

export interface LogTail {
  /** One line as it is written: JSON. */
  push(line: string): void
  /** The oldest first. */
  recent(): readonly string[]
  /** Until the returned function is called. */
  follow(onLine: (line: string) => void): () => void
}

export function createLogTail(): LogTail {
  const lines: string[] = []
  const followers = new Set<(line: string) => void>()
  let next = 0
  return {
    push(line) {
      const text = line.length > MOST_OF_ONE ? shortenLine(line) : line
      lines[next] = text
      next = (next + 1) % MOST_LINES
      for (const onLine of followers) onLine(text)
    },
    recent: () => (lines.length < MOST_LINES ? [...lines] : [...lines.slice(next), ...lines.slice(0, next)]),
    follow(onLine) {
      followers.add(onLine)
      return () => void followers.delete(onLine)
    },
  }
}

/** Still JSON, with what every line has. */
function shortenLine(line: string): string {
  const { level, message, timestamp } = JSON.parse(line) as Record<string, unknown>
  return JSON.stringify({ level, message: String(message).slice(0, 1_000), timestamp, shortened: line.length })
}
