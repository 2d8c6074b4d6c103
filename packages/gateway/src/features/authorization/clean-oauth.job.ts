/**
 * Removes what has run out on either side of OAuth: our own tokens, grants and unused clients, and ways to others that nobody finished.
 *
 * Every gateway does it, each hour: it is a few statements that find nothing when another one was there before.
 */
import type { Log } from '../../lib/log.ts'

export interface CleanOAuthParts {
  clean(): Promise<void>
  readonly log: Pick<Log, 'warn'>
}

const EVERY = 60 * 60_000

export function createCleanOAuth({ clean, log }: CleanOAuthParts, every = EVERY) {
  const run = () =>
    clean().catch((thrown: unknown) =>
      log.warn({ err: thrown }, 'expired OAuth rows could not be removed; retrying in an hour'),
    )
  const timer = setInterval(() => void run(), every)
  timer.unref()
  return { run, close: () => clearInterval(timer) }
}
