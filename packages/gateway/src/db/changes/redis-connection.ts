/**
 * A connection to Redis for the change feed. Every command has a deadline, and one that is late ends the connection: silence
 * counts as an end. Nothing is queued while it is away, and it does not reconnect by itself.
 */
import { Redis } from 'ioredis'

/** Milliseconds for a connection and for a command that does not wait. */
const PATIENCE_MS = 5_000

export interface RedisConnection {
  /** One command. `waits`: the milliseconds that the command itself may wait on the server. */
  call(words: readonly (string | number)[], waits?: number): Promise<unknown>
  close(): void
}

/** Rejects when Redis is not to be had. */
export async function openRedisConnection(url: string): Promise<RedisConnection> {
  const redis = new Redis(url, {
    lazyConnect: true,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    connectTimeout: PATIENCE_MS,
    keepAlive: 10_000,
    retryStrategy: null,
  })
  // Each error also rejects what is under way; one that nobody hears would end the process.
  redis.on('error', () => {})
  const connection: RedisConnection = {
    async call([name = '', ...words], waits = 0) {
      const answer = redis.call(String(name), words.map(String))
      answer.catch(() => {})
      return late(answer, waits + PATIENCE_MS).catch((thrown: unknown) => {
        redis.disconnect()
        throw thrown
      })
    },
    close: () => redis.disconnect(),
  }
  try {
    await late(redis.connect(), PATIENCE_MS)
  } catch (thrown) {
    redis.disconnect()
    throw thrown
  }
  return connection
}

/** Data that arrived while this process stood still is read before a command counts as late. */
async function late<T>(work: Promise<T>, after: number): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => setImmediate(() => setImmediate(() => reject(new Error(`Redis did not respond within ${after} ms`)))),
    after,
  )
  try {
    return await Promise.race([work, promise])
  } finally {
    clearTimeout(timer)
  }
}
