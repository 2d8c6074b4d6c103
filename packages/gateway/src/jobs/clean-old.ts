/** Removes kept results whose time is over. Every gateway does it; they are unreadable before. */
import type { Log } from '../lib/log.ts'
import type { KeptResults } from '../results/kept-results.ts'

const EVERY = 5 * 60_000

export function createCleanResults(
  { removeOld }: Pick<KeptResults, 'removeOld'>,
  log: Pick<Log, 'warn'>,
  every = EVERY,
): { close(): void } {
  const run = () =>
    removeOld().catch((thrown: unknown) =>
      log.warn({ err: thrown }, 'results whose time is over could not be removed; in five minutes again'),
    )
  const timer = setInterval(() => void run(), every)
  timer.unref()
  return { close: () => clearInterval(timer) }
}
