/**
 * The last stderr lines of each connection's children, for users who may read the connection's log, and sent to those who follow
 * it.
 *
 * Lines arrive masked and cut from the worker. It stores few lines for each connection, and few connections; the last lines of an
 * exited child stay here.
 */
import { createRecent } from '../../lib/recent-map.ts'

const MOST_LINES = 200
/** Characters. */
const MOST_OF_ONE_CHARACTERS = 1_000
const MOST_CONNECTIONS = 200

export interface ChildLine {
  readonly at: Date
  readonly text: string
}

export interface ChildWords {
  /** @param child the name that it was started under: alias, connection, and owner where it has one */
  hear(child: string, lines: readonly string[]): void
  /** The oldest first. */
  recent(connectionId: string): readonly ChildLine[]
  /** Until the returned function is called. */
  follow(connectionId: string, onLine: (line: ChildLine) => void): () => void
}

interface ChildLog {
  lines: ChildLine[]
  readonly followers: Set<(line: ChildLine) => void>
}

export function createChildWords(now: () => Date = () => new Date()): ChildWords {
  const logs = createRecent(MOST_CONNECTIONS, (): ChildLog => ({ lines: [], followers: new Set() }))
  return {
    hear(child, lines) {
      const connectionId = child.split('.')[1]
      if (connectionId === undefined) return
      const known = logs.get(connectionId)
      const entries = lines.map((text) => ({ at: now(), text: text.slice(0, MOST_OF_ONE_CHARACTERS) }))
      known.lines = [...known.lines, ...entries].slice(-MOST_LINES)
      for (const line of entries) for (const tell of known.followers) tell(line)
    },
    recent: (connectionId) => logs.get(connectionId).lines,
    follow(connectionId, onLine) {
      const { followers } = logs.get(connectionId)
      followers.add(onLine)
      return () => void followers.delete(onLine)
    },
  }
}
