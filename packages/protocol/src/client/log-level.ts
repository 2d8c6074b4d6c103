/** The log level of one session with a legacy server: lowered for whoever wants more, never raised under somebody else. */
import { reachesLevel } from '../levels.ts'

export interface LogLevel {
  /** Resolves when lines of that level come, or soon; a server that refuses or is slow has a session all the same. */
  ensure(requested: string | undefined): Promise<void> | undefined
}

export function createLogLevel(initial: string | undefined, tell: (level: string) => Promise<unknown>): LogLevel {
  let level = initial
  return {
    ensure(requested) {
      if (requested === undefined || (level !== undefined && reachesLevel(requested, level))) return undefined
      level = requested
      return tell(requested).then(
        () => {},
        () => {},
      )
    },
  }
}
