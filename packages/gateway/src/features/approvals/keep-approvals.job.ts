/**
 * Ends approval requests that were not answered in time, and grants that were not used: each with an alert and a record, by the
 * first gateway to do so. Entries that ended a month ago are removed; their records stay.
 */
import { expireDue, removeOldApprovals, untilDue } from '../../approvals/approvals.ts'
import { removeUnused } from '../../approvals/standing-grants.ts'
import { recordExpired } from '../../call/approvals/record-expired.ts'
import type { Db } from '../../db/db.ts'
import type { Log } from '../../lib/log.ts'

export interface KeepApprovals {
  /** One may be due sooner than was known. */
  wake(): void
  run(): Promise<void>
  close(): Promise<void>
}

/** Milliseconds: the longest between two looks, and the shortest. */
const EVERY_MS = 60_000
const LEAST = 250
const CLEAN_EVERY = 3_600_000
const DAYS = 30

export function createKeepApprovals({ db, log }: { db: Pick<Db, 'system'>; log: Pick<Log, 'warn'> }): KeepApprovals {
  let closed = false
  let next = 0
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | undefined
  const cleaning = setInterval(() => void clean(), CLEAN_EVERY)
  cleaning.unref()

  function plan(after: number): void {
    clearTimeout(timer)
    next = Date.now() + after
    if (!closed) timer = setTimeout(() => void run(), after).unref()
  }

  function run(): Promise<void> {
    running ??= work().finally(() => (running = undefined))
    return running
  }

  async function work(): Promise<void> {
    let wait = EVERY_MS
    try {
      await db.system(async (sql) => {
        for (const expired of await expireDue(sql)) await recordExpired(sql, expired)
      })
      wait = (await db.system(untilDue)) ?? EVERY_MS
    } catch (thrown) {
      if (!closed) log.warn({ err: thrown }, 'expired approvals could not be closed; retrying')
    }
    plan(Math.min(Math.max(wait, LEAST), EVERY_MS))
  }

  async function clean(): Promise<void> {
    try {
      await db.system((sql) => removeOldApprovals(sql, DAYS))
      await db.system(removeUnused)
    } catch (thrown) {
      log.warn({ err: thrown }, 'old approvals could not be removed; retrying in an hour')
    }
  }

  plan(LEAST)
  return {
    wake() {
      // An earlier planned run is kept: a series of changes would otherwise postpone it forever.
      if (next - Date.now() > LEAST) plan(LEAST)
    },
    run,
    async close() {
      closed = true
      clearTimeout(timer)
      clearInterval(cleaning)
      await running
    },
  }
}
