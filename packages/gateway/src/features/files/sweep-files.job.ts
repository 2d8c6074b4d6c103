/**
 * Removes what of files is over, once a minute and when somebody removed a file, and once a day the content that no row names. Every
 * gateway does it: the database gives each removal to one of them for a while.
 */
import type { FileSweep } from './file-sweep.ts'
import type { Log } from '../../lib/log.ts'

export interface SweepFiles {
  wake(): void
  close(): Promise<void>
}

/** Milliseconds. */
const EVERY_MS = 60_000
const SOON = 100
const ORPHANS_EVERY = 24 * 60 * 60_000

export function createSweepFiles({ sweep, log }: { sweep: FileSweep; log: Pick<Log, 'warn' | 'info'> }): SweepFiles {
  let closed = false
  let running: Promise<void> | undefined
  let timer = setTimeout(run, EVERY_MS).unref()
  const daily = setInterval(() => void orphans(), ORPHANS_EVERY).unref()

  function plan(after: number): void {
    clearTimeout(timer)
    if (!closed) timer = setTimeout(run, after).unref()
  }

  function run(): void {
    running ??= sweep
      .sweep()
      .catch((thrown: unknown) => {
        if (!closed) log.warn({ err: thrown }, 'expired files could not be removed; retrying')
      })
      .finally(() => {
        running = undefined
        plan(EVERY_MS)
      })
  }

  async function orphans(): Promise<void> {
    try {
      const removed = await sweep.sweepOrphans()
      if (removed > 0) log.info({ removed }, 'file contents without a database row were removed')
    } catch (thrown) {
      if (!closed) log.warn({ err: thrown }, 'file contents without a database row could not be searched for')
    }
  }

  return {
    wake: () => plan(SOON),
    async close() {
      closed = true
      clearTimeout(timer)
      clearInterval(daily)
      await running
    },
  }
}
