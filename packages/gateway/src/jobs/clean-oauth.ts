/**
 * Removes what the authorization server needs no more: tokens and grants that have run out, clients that nobody used.
 *
 * Every gateway does it, each hour: it is a few statements that find nothing when another one was there before.
 */
import type { Log } from '../lib/log.ts'

export interface CleanOAuthParts {
  clean(): Promise<void>
  readonly log: Pick<Log, 'warn'>
}

const EVERY = 60 * 60_000

export function createCleanOAuth({ clean, log }: CleanOAuthParts, every = EVERY) {
  const run = () =>
    clean().catch((thrown: unknown) => log.warn({ err: thrown }, 'old tokens could not be removed; in an hour again'))
  const timer = setInterval(() => void run(), every)
  timer.unref()
  return { run, close: () => clearInterval(timer) }
}
