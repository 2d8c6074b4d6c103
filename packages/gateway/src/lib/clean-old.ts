/** Removes what is kept for a while and whose time is over. Every gateway does it; such rows are unreadable before. */
import type { Log } from './log.ts'

export interface CleanOldParts {
  removeOld(): Promise<unknown>
  /** For the log. */
  readonly what: string
  readonly log: Pick<Log, 'warn'>
  /** Milliseconds. */
  readonly every: number
}

export function createCleanOld({ removeOld, what, log, every }: CleanOldParts): { close(): void } {
  const run = () =>
    removeOld().catch((thrown: unknown) =>
      log.warn({ err: thrown, what }, 'expired rows could not be removed; retrying'),
    )
  const timer = setInterval(() => void run(), every)
  timer.unref()
  return { close: () => clearInterval(timer) }
}
