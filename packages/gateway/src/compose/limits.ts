/** Rate limits: token buckets of this process, and those it shares with others where a Redis is set. */
import { createLimits, type Limits } from '../limits/limits.ts'
import { createRedisCount, type RedisCount } from '../limits/redis-count.ts'
import type { Base } from './core-dependencies.ts'

/** A name that the gateways of one installation have in common, for keys in a Redis. */
export const installationOf = (vault: Base['vault']): string => vault.hash('limits').toString('hex').slice(0, 16)

/** @param installation the part of names that gateways have in common which count together; if unsaid, it is their vault key */
export async function openRedis(
  { config, vault, log, opened }: Base,
  installation = installationOf(vault),
): Promise<RedisCount | undefined> {
  if (config.REDIS_URL === undefined) return undefined
  const redis = createRedisCount({ url: config.REDIS_URL, prefix: `toolway:${installation}`, log })
  opened.defer(() => redis.close())
  await redis.open()
  return redis
}

export const composeLimits = ({ config, counters }: Base, shared: RedisCount | undefined): Limits =>
  createLimits({
    rates: {
      address: config.TOOLWAY_LIMIT_ADDRESS,
      organization: config.TOOLWAY_LIMIT_ORGANIZATION,
      administration: config.TOOLWAY_LIMIT_ADMINISTRATION,
      key: config.TOOLWAY_LIMIT_KEY,
      connection: config.TOOLWAY_LIMIT_CONNECTION,
    },
    now: performance.now.bind(performance),
    shared,
    onRefuse: counters.limit,
  })
