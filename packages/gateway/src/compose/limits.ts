/** Rate limits: token buckets of this process, and those it shares with others where a Redis is set. */
import { createLimits, type Limits } from '../limits/limits.ts'
import { createRedisCount } from '../limits/redis-count.ts'
import type { Base } from './core-dependencies.ts'

/** A name that the gateways of one installation have in common, for keys in a Redis. */
export const installationOf = (vault: Base['vault']): string => vault.hash('limits').toString('hex').slice(0, 16)

/** @param installation what the gateways that count together have in common; unsaid, it is their vault key */
export async function composeLimits(
  { config, vault, log, counters, opened }: Base,
  installation = installationOf(vault),
): Promise<Limits> {
  const redis =
    config.REDIS_URL === undefined
      ? undefined
      : createRedisCount({
          url: config.REDIS_URL,
          prefix: `toolway:${installation}`,
          log,
        })
  opened.defer(() => redis?.close())
  await redis?.open()
  return createLimits({
    rates: {
      address: config.TOOLWAY_LIMIT_ADDRESS,
      organization: config.TOOLWAY_LIMIT_ORGANIZATION,
      administration: config.TOOLWAY_LIMIT_ADMINISTRATION,
      key: config.TOOLWAY_LIMIT_KEY,
      connection: config.TOOLWAY_LIMIT_CONNECTION,
    },
    now: performance.now.bind(performance),
    shared: redis,
    onRefuse: counters.limit,
  })
}
