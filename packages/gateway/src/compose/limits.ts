/** Rate limits: token buckets of this process, and those it shares with others in a Redis or in a database that others may use. */
import { isAlone } from '../config.ts'
import { createDatabaseCount } from '../limits/database-count.ts'
import { createLimits, type Limits, type LimitsParts } from '../limits/limits.ts'
import { createRedisCount, type RedisCount } from '../limits/redis-count.ts'
import type { Base, BaseWithDatabase } from '../base/base.ts'

/** A name that the gateways of one installation have in common, for keys in a Redis. */
export const installationOf = (vault: Base['vault']): string => vault.hash('limits').toString('hex').slice(0, 16)

/**
 * Undefined where no Redis is set.
 * @param installation what the gateways that count together have in common; unsaid, it is their vault key
 */
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

export async function composeLimits(
  core: Base & Partial<BaseWithDatabase>,
  redis: RedisCount | undefined,
): Promise<Limits> {
  const { config, counters } = core
  return createLimits({
    rates: {
      address: config.TOOLWAY_LIMIT_ADDRESS,
      organization: config.TOOLWAY_LIMIT_ORGANIZATION,
      administration: config.TOOLWAY_LIMIT_ADMINISTRATION,
      key: config.TOOLWAY_LIMIT_KEY,
      connection: config.TOOLWAY_LIMIT_CONNECTION,
    },
    now: performance.now.bind(performance),
    shared: redis === undefined ? await openDatabaseCount(core) : { in: 'redis', count: redis },
    onRefuse: counters.limit,
  })
}

/** Undefined where this gateway is the only one: without a database, or alone with one of its own. */
async function openDatabaseCount({
  config,
  vault,
  log,
  opened,
  db,
}: Base & Partial<BaseWithDatabase>): Promise<LimitsParts['shared']> {
  if (db === undefined || isAlone(config)) return undefined
  const count = createDatabaseCount({ db, hash: (name) => vault.hash(`limit:${name}`), log })
  opened.defer(() => count.close())
  await count.open()
  return { in: 'database', count }
}
