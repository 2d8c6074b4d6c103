/**
 * Keeps what is counted of calls near the records (ADR 0129): chains in which much came are counted further, days whose records changed
 * are counted anew, and each hour one day of each organization is compared with its records.
 *
 * It goes in steps and rests after each for as long as the step took, so that a past of millions of records, after an update, takes
 * at most half of one connection. Nothing waits for it: figures read what is not counted from the records.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Db, SystemSql } from '../db/db.ts'
import type { Log } from '../lib/log.ts'
import {
  checkDay,
  countNext,
  listCounted,
  listStale,
  listUncounted,
  recountDay,
  takeCount,
} from '../records/usage-count.ts'

export interface KeepUsageParts {
  readonly db: Pick<Db, 'system'>
  readonly log: Pick<Log, 'info' | 'warn'>
  readonly now: () => number
  /** Milliseconds between two rounds. */
  readonly every?: number
  /** Records that wait before a chain is counted further: fewer of them are read faster than counted. */
  readonly least?: number
}

export interface KeepUsage {
  /** Count all that is due. */
  run(): Promise<void>
  close(): Promise<void>
}

const EVERY = 10_000
const LEAST = 5_000
/** Records of one step. */
const STEP = 10_000
const HOUR = 3_600_000
const DAY = 24 * HOUR
/** Days back that are compared, one each hour, over and over. */
const COMPARED_DAYS = 62

export function createKeepUsage({ db, log, now, every = EVERY, least = LEAST }: KeepUsageParts): KeepUsage {
  const ending = new AbortController()
  let compared = Math.floor(now() / HOUR)

  /** Undefined where another gateway counts, or the end has come. */
  async function step<T>(work: (sql: SystemSql) => Promise<T>): Promise<T | undefined> {
    if (ending.signal.aborted) return undefined
    const begun = performance.now()
    const result = await db.system(async (sql) => ((await takeCount(sql)) ? { is: await work(sql) } : undefined))
    await sleep(performance.now() - begun, undefined, { signal: ending.signal, ref: false }).catch(() => {})
    return result?.is
  }

  async function count(): Promise<void> {
    for (const { organization_id: organization } of await db.system((sql) => listUncounted(sql, least))) {
      let counted = 0
      let last: number | undefined
      while ((last = await step((sql) => countNext(sql, organization, STEP))) === STEP) counted += last
      if (counted > 10 * STEP) log.info({ organization, counted: counted + (last ?? 0) }, 'calls were counted by hour')
    }
  }

  async function countAnew(): Promise<void> {
    for (const { organization_id: organization, day } of await db.system(listStale))
      await step((sql) => recountDay(sql, organization, day))
  }

  /** Each hour another day. */
  async function compare(): Promise<void> {
    const hour = Math.floor(now() / HOUR)
    if (hour === compared) return
    compared = hour
    const day = new Date(now() - (hour % COMPARED_DAYS) * DAY).toISOString().slice(0, 10)
    for (const { organization_id: organization } of await db.system(listCounted)) {
      const good = await step((sql) => checkDay(sql, organization, day))
      if (good === false)
        log.warn({ organization, day }, 'the counted calls of a day differed from its records; they are counted anew')
    }
  }

  const run = async () => {
    try {
      await count()
      await compare()
      await countAnew()
    } catch (thrown) {
      if (!ending.signal.aborted) log.warn({ err: thrown }, 'calls could not be counted; retrying')
    }
  }
  let under: Promise<void> | undefined
  const timer = setInterval(() => {
    under ??= run().finally(() => (under = undefined))
  }, every)
  timer.unref()
  return {
    run,
    async close() {
      clearInterval(timer)
      ending.abort()
      await under
    },
  }
}
