/**
 * The shared count in the database: buckets of an unlogged table, under the database's own clock. The gateway looks from time to time
 * for buckets that are full again, which one gateway removes. `reconnecting-token-store.ts` says when the database is away.
 */
import type { Db } from '../db/db.ts'
import type { Log } from '../lib/log.ts'
import {
  createReconnectingTokenStore,
  STORE_TIMES,
  type StoreTimes,
  type TokenStore,
} from './reconnecting-token-store.ts'

export interface DatabaseTokenStoreParts {
  readonly db: Pick<Db, 'openTokenBuckets'>
  /** 32 bytes of a name, by a key that the gateways of an installation share. */
  hash(name: string): Buffer
  readonly log: Log
  readonly times?: StoreTimes
  /** Between two looks for buckets that are full again. Milliseconds. */
  readonly sweep?: number
}

export function createDatabaseTokenStore({
  db,
  hash,
  log,
  times = STORE_TIMES,
  sweep = 60_000,
}: DatabaseTokenStoreParts): TokenStore {
  const buckets = db.openTokenBuckets((error) => store.markUnavailable(error))
  const takeFromBuckets = async (
    name: string,
    { most, window, desired, minimum, returned }: Parameters<TokenStore['take']>[1],
  ) => {
    const { taken, wait } = await buckets.take({
      hash: hash(name),
      most,
      window,
      want: desired,
      need: minimum,
      back: returned,
    })
    return { tokens: taken, wait }
  }
  const store = createReconnectingTokenStore({
    ...{ store: 'The database', times, log, take: takeFromBuckets },
    // Opens the connection, which may take longer than an answer on it.
    connect: () => takeFromBuckets('look', { most: 1, window: 1, desired: 0, minimum: 0, returned: 0 }),
  })
  let sweeping: Promise<void> | undefined
  // The next sweep removes the rest.
  const clean = () =>
    void (sweeping ??= buckets
      .sweep()
      .catch(store.markUnavailable)
      .finally(() => (sweeping = undefined)))
  const sweeper = setInterval(() => store.isAvailable && clean(), sweep)
  sweeper.unref()
  return {
    get isAvailable() {
      return store.isAvailable
    },
    open: () => store.open(),
    take: (name, asking) => store.take(name, asking),
    async close() {
      store.close()
      clearInterval(sweeper)
      await sweeping
      await buckets.close()
    },
  }
}
