/**
 * Token buckets in the database, which several gateways share: one statement and one round trip takes from all buckets that are asked
 * for while the one before is under way. It has a connection of its own, so that a busy pool does not hold up a limit.
 *
 * It knows nothing of limits: whoever asks says what a bucket holds and how fast it fills. It neither retries nor waits longer than
 * it is told to.
 */
import pg from 'pg'

export interface BucketAsking {
  /** 32 bytes. */
  readonly hash: Buffer
  readonly most: number
  /** Milliseconds in which an empty one is full again. */
  readonly window: number
  readonly want: number
  readonly need: number
  readonly back: number
}

export interface BucketAnswer {
  readonly taken: number
  /** Milliseconds until there are enough; 0 when some were taken. */
  readonly wait: number
}

export interface TokenBuckets {
  /** Rejects with the driver's error when the database does not answer. */
  take(asking: BucketAsking): Promise<BucketAnswer>
  /** Remove buckets that are full again. Only one gateway at a time does; the others return at once. */
  sweep(): Promise<void>
  close(): Promise<void>
}

export interface TokenBucketsParts {
  readonly connection: pg.PoolConfig
  /** Whether the session is ours: behind a pooler in transaction mode no setting and no named statement is kept in it. */
  readonly ours: boolean
  /** A connection broke while nothing was asked of it. */
  onLost(error: Error): void
}

/** Milliseconds. A statement that takes longer loses its connection. */
const WAITS = { connectionTimeoutMillis: 2_000, query_timeout: 2_000 } as const
/** Buckets of one statement, which holds their locks. */
const MOST = 100
/** Rows that one sweep removes. */
const SWEPT = 50_000
/** The advisory lock of whoever sweeps. */
const SWEEPER = 8_665_961

const TAKE = 'select place, taken, wait from take_tokens($1, $2, $3, $4, $5, $6)'
const SWEEP = `
  with mine as materialized (select pg_try_advisory_xact_lock($1) as held)
  delete from limit_buckets
   where (select held from mine)
     and hash in (select hash from limit_buckets where until < clock_timestamp() limit $2 for update skip locked)`

interface Waiting {
  readonly asking: BucketAsking
  readonly resolve: (answer: BucketAnswer) => void
  readonly reject: (error: unknown) => void
}

export function createTokenBuckets({ connection, ours, onLost }: TokenBucketsParts): TokenBuckets {
  const bounds = ours ? { statement_timeout: WAITS.query_timeout } : {}
  const pool = new pg.Pool({ keepAlive: true, ...bounds, ...connection, ...WAITS, max: 1, idleTimeoutMillis: 0 })
  // A connection that breaks emits an error besides rejecting its query; one that nobody hears ends the process.
  pool.on('connect', (client) => client.on('error', () => {}))
  pool.on('error', onLost)
  let waiting: Waiting[] = []
  let isRunning = false

  async function run(): Promise<void> {
    while (waiting.length > 0) {
      const now = waiting.slice(0, MOST)
      waiting = waiting.slice(MOST)
      try {
        await answer(now)
      } catch (thrown) {
        // Those that wait behind it would only wait for the same.
        for (const item of [...now, ...waiting.splice(0)]) item.reject(thrown)
      }
    }
    isRunning = false
  }

  async function answer(now: readonly Waiting[]): Promise<void> {
    const columnOf = (name: Exclude<keyof BucketAsking, 'hash'>) => now.map(({ asking }) => asking[name])
    const { rows } = await pool.query<{ place: number; taken: number; wait: number }>({
      ...(ours && { name: 'take_tokens' }),
      text: TAKE,
      values: [
        now.map(({ asking }) => asking.hash),
        ...(['most', 'want', 'need', 'back', 'window'] as const).map(columnOf),
      ],
    })
    for (const { place, taken, wait } of rows) now[place - 1]?.resolve({ taken, wait })
  }

  return {
    take: (asking) =>
      new Promise((resolve, reject) => {
        waiting.push({ asking, resolve, reject })
        if (isRunning) return
        isRunning = true
        // Together with whoever else asks at this moment.
        queueMicrotask(() => void run())
      }),
    async sweep() {
      await pool.query(SWEEP, [SWEEPER, SWEPT])
    },
    close: () => pool.end(),
  }
}
