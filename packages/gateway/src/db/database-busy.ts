/**
 * What a migration does when other sessions are in its way: which failures are tried again, how often and how long apart, and the
 * sentence for the operator when it gives up. Nothing here talks to a database.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Log } from '../lib/log.ts'

/** The database was in use each time: it is as it was, and the version before runs on it. */
export class DatabaseBusy extends Error {
  constructor(table: string | undefined, tries: number, cause: unknown) {
    const what = table === undefined ? 'the database was' : `the table ${table} was`
    super(
      `${what} busy: the migration was tried ${tries} times and did not get its locks. The database is unchanged, and the previous version ` +
        'can run on it. Look for transactions that stay open (in pg_stat_activity: a dump, a report, a session that is idle in ' +
        'transaction), let them end, and start again',
      { cause },
    )
    this.name = 'DatabaseBusy'
  }
}

/** Names the table that was waited for, where it is known. */
export class TableBusy extends Error {
  readonly table: string
  constructor(table: string, cause: unknown) {
    super(`the table ${table} is busy`, { cause })
    this.table = table
  }
}

/** Deadlock, lock not available, serialization failure (PostgreSQL appendix A). */
const PASSING: ReadonlySet<string | undefined> = new Set(['40P01', '55P03', '40001'])
export const isPassing = (thrown: unknown): boolean => thrown instanceof pg.DatabaseError && PASSING.has(thrown.code)

export interface Tries {
  /** How often it is tried in all. */
  readonly most: number
  /** Milliseconds before the second try; it doubles up to `longest`. */
  readonly first: number
  readonly longest: number
}

/** About a minute in all. Between two tries everybody who waited behind us has time to catch up. */
export const TRIES: Tries = { most: 24, first: 250, longest: 3_000 }

export interface Trying {
  readonly tries: Tries
  readonly log?: Log | undefined
}

/** Facts of the earlier tries. */
export interface Earlier {
  readonly tries: number
  /** The tables that were in the way, the last one first. */
  readonly busy: readonly string[]
}

/** Throws DatabaseBusy, or what is no matter of waiting. */
export async function tryAgainWhileBusy<T>(work: (earlier: Earlier) => Promise<T>, { tries, log }: Trying): Promise<T> {
  let busy: readonly string[] = []
  for (let count = 1; ; count++) {
    try {
      return await work({ tries: count - 1, busy })
    } catch (thrown) {
      const cause = thrown instanceof TableBusy ? thrown.cause : thrown
      if (!isPassing(cause)) throw cause
      if (thrown instanceof TableBusy) busy = [thrown.table, ...busy.filter((table) => table !== thrown.table)]
      if (count >= tries.most) throw new DatabaseBusy(busy[0], count, cause)
      log?.warn({ table: busy[0], tries: count }, 'the migration waits: the database is busy')
      const pause = Math.min(tries.longest, tries.first * 2 ** (count - 1))
      await sleep(pause * (0.75 + Math.random() / 2))
    }
  }
}
