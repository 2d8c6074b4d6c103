/**
 * The shared count in Redis: one small script that takes tokens from a bucket under Redis's own clock, so that the gateways'
 * clocks need not agree. `reconnecting-token-store.ts` says when Redis is away. The same connection is a cache for what gateways keep for each
 * other; a text that comes late is done without, and says nothing of Redis.
 */
import { Redis } from 'ioredis'
import type { Log } from '../lib/log.ts'
import type { SharedTexts } from '../lib/shared-texts.ts'
import { createPatience } from '../lib/patience.ts'
import {
  createReconnectingTokenStore,
  STORE_TIMES,
  type StoreTimes,
  type TokenStore,
} from './reconnecting-token-store.ts'

export interface RedisTokenStoreParts {
  readonly url: string
  /** The prefix for names of this installation: several may share one Redis. */
  readonly prefix: string
  readonly log: Log
  readonly times?: StoreTimes
}

/**
 * KEYS: the bucket. ARGV: what it holds, wanted, needed, given back, the milliseconds in which it fills. Answers the tokens taken and,
 * where there were not enough, the milliseconds until there are. A bucket that nobody touches for twice that time is full, and goes.
 */
const TAKE = `
local most, want, need, back = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local window = tonumber(ARGV[5])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local held = redis.call('HMGET', KEYS[1], 'tokens', 'at')
local since = math.max(0, now - (tonumber(held[2]) or now))
local tokens = math.min(most, (tonumber(held[1]) or most) + back + since * most / window)
local taken = 0
if tokens >= want then taken = want elseif tokens + 0.000001 >= need then taken = math.max(need, math.floor(tokens)) end
tokens = tokens - taken
redis.call('HSET', KEYS[1], 'tokens', string.format('%.9f', tokens), 'at', string.format('%.0f', now))
redis.call('PEXPIRE', KEYS[1], 2 * window)
return { taken, taken > 0 and 0 or math.ceil((need - tokens) * window / most) + 1 }
`

/** The method that `defineCommand` adds. */
interface Taking {
  takeTokens(
    key: string,
    most: number,
    want: number,
    need: number,
    back: number,
    window: number,
  ): Promise<[number, number]>
}

export interface RedisTokenStore extends TokenStore, SharedTexts {}

export function createRedisTokenStore({
  url,
  prefix,
  log,
  times = STORE_TIMES,
}: RedisTokenStoreParts): RedisTokenStore {
  const redis = new Redis(url, {
    lazyConnect: true,
    // A command that cannot be sent now is counted locally, and not sent later.
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    connectTimeout: times.start,
    retryStrategy: () => times.look,
  })
  redis.defineCommand('takeTokens', { numberOfKeys: 1, lua: TAKE })
  const { takeTokens } = redis as unknown as Taking
  const store = createReconnectingTokenStore({
    ...{ store: 'Redis', times, log },
    connect: () => redis.connect(),
    async take(name, { most, window, desired, minimum, returned }) {
      const [tokens, wait] = await takeTokens.call(redis, `${prefix}:${name}`, most, desired, minimum, returned, window)
      return { tokens, wait }
    },
  })
  // Each of them fails what is under way, too; an error that nobody hears would end the process.
  redis.on('error', store.markUnavailable)
  const patience = createPatience(times.start)
  return {
    get isAvailable() {
      return store.isAvailable
    },
    open: () => store.open(),
    take: (name, asking) => store.take(name, asking),
    async load(name) {
      if (!store.isAvailable) return undefined
      const text = await patience.wait(redis.get(`${prefix}:${name}`)).catch(() => null)
      return text ?? undefined
    },
    keep(name, text, milliseconds) {
      if (store.isAvailable && milliseconds >= 1)
        redis.set(`${prefix}:${name}`, text, 'PX', Math.floor(milliseconds)).catch(() => {})
    },
    async close() {
      store.close()
      redis.disconnect()
    },
  }
}

const LOOK_MS = 3_000

/**
 * One look for an operator, which writes nothing: why Redis cannot be used, without its address and password. Undefined if it answers.
 */
export async function findRedisProblem(url: string): Promise<string | undefined> {
  const redis = new Redis(url, {
    lazyConnect: true,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    connectTimeout: LOOK_MS,
    commandTimeout: LOOK_MS,
    retryStrategy: () => null,
  })
  // An error event carries the reason; the rejection after it says only that the connection is closed.
  let reason: string | undefined
  redis.on('error', (error: NodeJS.ErrnoException) => (reason ??= error.code ?? error.message))
  try {
    await redis.connect()
    await redis.ping()
    return undefined
  } catch (thrown) {
    return reason ?? (thrown instanceof Error ? thrown.message : 'no answer')
  } finally {
    redis.disconnect()
  }
}
