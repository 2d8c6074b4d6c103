/** What a process still has in memory once its garbage was collected. Loaded into the process that is asked. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** The memory that remains after garbage collection. */
export interface Held {
  /** Bytes of the heap and of buffers outside it. */
  readonly heap: number
  /** Bytes that the process has from the system. */
  readonly rss: number
}

const SETTLE_MS = 300

export async function held(): Promise<Held> {
  setFlagsFromString('--expose-gc')
  // As the engine does when it has been idle for long: pages with little on them are emptied and given back.
  const collect = runInNewContext("() => gc({ type: 'major', flavor: 'last-resort' })") as () => void
  for (let round = 0; round < 3; round++) {
    // Connections that have just ended are let go a moment later.
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS))
    collect()
  }
  const { heapUsed, external, rss } = process.memoryUsage()
  return { heap: heapUsed + external, rss }
}
