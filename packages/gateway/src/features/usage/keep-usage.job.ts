/**
 * Keeps what is counted of calls near the records (ADR 0129): chains in which much came are counted further, days whose records changed
 * are counted anew, and each hour one day of each organization is compared with its records. Days that were counted before there were
 * sums are summed (ADR 0140). What fails for one organization or day is logged and tried again later; it stops nothing else.
 *
 * It goes in steps and rests after each for as long as the step took, so that a past of millions of records, after an update, takes
 * at most half of one connection. Nothing waits for it: figures read what is not counted from the records.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Db, SystemSql } from '../../db/db.ts'
import { DatabaseUnreachable } from '../../db/unreachable.ts'
import type { Log } from '../../lib/log.ts'
import {
  checkDay,
  countNext,
  listCounted,
  listStale,
  listUncounted,
  listUnsummed,
  noteFailed,
  recountDay,
  sumDay,
  takeCount,
} from './usage-count.rows.ts'

export interface KeepUsageParts {
  readonly db: Pick<Db, 'system'>
  readonly log: Pick<Log, 'info' | 'warn'>
  readonly now: () => number
  /** Milliseconds between two rounds. */
  readonly every?: number
  /** Records that wait before a chain is counted further: fewer of them are read faster than counted. */
  readonly least?: number
  /** Records of one step. */
  readonly most?: number
}

export interface KeepUsage {
  /** Count all that is due. */
  run(): Promise<void>
  close(): Promise<void>
}

const EVERY = 10_000
const LEAST = 5_000
const STEP = 10_000
const HOUR = 3_600_000
const DAY = 24 * HOUR
/** Days back that are compared, one each hour, over and over. */
const COMPARED_DAYS = 62

export function createKeepUsage({
  db,
  log,
  now,
  every = EVERY,
  least = LEAST,
  most = STEP,
}: KeepUsageParts): KeepUsage {
  const ending = new AbortController()
  const step = stepsIn(db, ending.signal)
  const tried = triedWith(log, ending.signal)
  const compare = createComparison({ db, log, now }, step, tried)

  const each = (
    list: (sql: SystemSql) => Promise<readonly { readonly organization_id: string }[]>,
    work: (organization: string) => Promise<void>,
  ) =>
    tried({}, async () => {
      for (const { organization_id: organization } of await db.system(list))
        await tried({ organization }, () => work(organization))
    })

  const count = () => each((sql) => listUncounted(sql, least), countChain)

  async function countChain(organization: string): Promise<void> {
    let counted = 0
    let last: number | undefined
    while ((last = await step((sql) => countNext(sql, organization, most))) === most) counted += last
    if (counted > 10 * most) log.info({ organization, counted: counted + (last ?? 0) }, 'calls were counted by hour')
  }

  /** For as long as a round may last: counting goes before the past. */
  function sum(): Promise<boolean> {
    const until = performance.now() + every
    return each(listUnsummed, async (organization) => {
      while (performance.now() < until && (await step((sql) => sumDay(sql, organization))) === true);
    })
  }

  const countAnew = () =>
    tried({}, async () => {
      for (const { organization_id: organization, day } of await db.system(listStale)) {
        const isGood = await tried({ organization, day }, async () => {
          while ((await step((sql) => recountDay(sql, organization, day, most))) === false);
        })
        if (!isGood) await db.system((sql) => noteFailed(sql, organization, day))
      }
    })

  async function run(): Promise<void> {
    await count()
    await compare()
    await countAnew()
    await sum()
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

/** Undefined where another gateway counts, or the end has come. */
function stepsIn(db: KeepUsageParts['db'], ending: AbortSignal) {
  return async <T>(work: (sql: SystemSql) => Promise<T>): Promise<T | undefined> => {
    if (ending.aborted) return undefined
    const begun = performance.now()
    const result = await db.system(async (sql) => ((await takeCount(sql)) ? { is: await work(sql) } : undefined))
    await sleep(performance.now() - begun, undefined, { signal: ending, ref: false }).catch(() => {})
    return result?.is
  }
}

/** Compares another day each hour. */
function createComparison(
  { db, log, now }: Pick<KeepUsageParts, 'db' | 'log' | 'now'>,
  step: ReturnType<typeof stepsIn>,
  tried: ReturnType<typeof triedWith>,
) {
  let compared = Math.floor(now() / HOUR)

  async function compareDay(organization: string, day: string): Promise<void> {
    const isGood = await step((sql) => checkDay(sql, organization, day))
    if (isGood === false)
      log.warn({ organization, day }, 'the counted calls of a day differed from its records; they are counted anew')
  }

  return async (): Promise<void> => {
    const hour = Math.floor(now() / HOUR)
    if (hour === compared) return
    compared = hour
    const day = new Date(now() - (hour % COMPARED_DAYS) * DAY).toISOString().slice(0, 10)
    await tried({}, async () => {
      for (const { organization_id: organization } of await db.system(listCounted))
        await tried({ organization, day }, () => compareDay(organization, day))
    })
  }
}

/** The work returns false where it failed, which is logged: what comes after it is done all the same, unless the database is away. */
function triedWith(log: Pick<Log, 'warn'>, ending: AbortSignal) {
  return async (facts: { organization?: string; day?: string }, work: () => Promise<void>): Promise<boolean> => {
    try {
      await work()
      return true
    } catch (thrown) {
      if (ending.aborted) return true
      if (facts.organization !== undefined && thrown instanceof DatabaseUnreachable) throw thrown
      log.warn({ ...facts, err: thrown }, 'calls could not be counted; retrying')
      return false
    }
  }
}
