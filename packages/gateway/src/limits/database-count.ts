/**
 * The shared count in the database: buckets of an unlogged table, under the database's own clock. The gateway looks from time to time
 * for buckets that are full again, which one gateway removes. `watched-count.ts` says when the database is away.
 */
import type { Db } from '../db/db.ts'
import type { Log } from '../lib/log.ts'
import { createWatchedCount, TIMES, type CountTimes, type OpenedCount } from './watched-count.ts'

export interface DatabaseCountParts {
  readonly db: Pick<Db, 'openTokenBuckets'>
  /** 32 bytes of a name, by a key that the gateways of an installation share. */
  hash(name: string): Buffer
  readonly log: Log
  readonly times?: CountTimes
  /** Between two looks for buckets that are full again. Milliseconds. */
  readonly sweep?: number
}

export function createDatabaseCount({ db, hash, log, times = TIMES, sweep = 60_000 }: DatabaseCountParts): OpenedCount {
  const buckets = db.openTokenBuckets((error) => watched.lose(error))
  const takeFromBuckets = async (
    name: string,
    { most, window, want, need, back }: Parameters<OpenedCount['ask']>[1],
  ) => {
    const { taken, wait } = await buckets.take({ hash: hash(name), most, window, want, need, back })
    return { tokens: taken, wait }
  }
  const watched = createWatchedCount({
    ...{ store: 'The database', times, log, take: takeFromBuckets },
    // Opens the connection, which may take longer than an answer on it.
    connect: () => takeFromBuckets('look', { most: 1, window: 1, want: 0, need: 0, back: 0 }),
  })
  let sweeping: Promise<void> | undefined
  // The next sweep removes the rest.
  const clean = () =>
    void (sweeping ??= buckets
      .sweep()
      .catch(watched.lose)
      .finally(() => (sweeping = undefined)))
  const sweeper = setInterval(() => watched.there && clean(), sweep)
  sweeper.unref()
  return {
    get there() {
      return watched.there
    },
    open: () => watched.open(),
    ask: (name, asking) => watched.ask(name, asking),
    async close() {
      watched.close()
      clearInterval(sweeper)
      await sweeping
      await buckets.close()
    },
  }
}
