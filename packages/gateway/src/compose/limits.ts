/** Rate limits: token buckets of this process, and those it shares with others in a Redis or in a database that others may use. */
import { createDatabaseCount } from '../limits/database-count.ts'
import { createLimits, type Limits, type LimitsParts } from '../limits/limits.ts'
import { createRedisCount } from '../limits/redis-count.ts'
import type { Base, CoreDependencies } from './core-dependencies.ts'

/** A name that the gateways of one installation have in common, for keys in a Redis. */
export const installationOf = (vault: Base['vault']): string => vault.hash('limits').toString('hex').slice(0, 16)

/** @param installation what the gateways that count together have in common; unsaid, it is their vault key */
export async function composeLimits(
  core: Base & Partial<CoreDependencies>,
  installation = installationOf(core.vault),
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
    shared: await sharedOf(core, installation),
    onRefuse: counters.limit,
  })
}

/** Undefined where this gateway is the only one: without a database, or with one of its own. */
async function sharedOf(
  { config, vault, log, opened, db }: Base & Partial<CoreDependencies>,
  installation: string,
): Promise<LimitsParts['shared']> {
  const shared =
    config.REDIS_URL !== undefined
      ? {
          in: 'redis' as const,
          count: createRedisCount({ url: config.REDIS_URL, prefix: `toolway:${installation}`, log }),
        }
      : db !== undefined && config.DATABASE_URL !== undefined
        ? {
            in: 'database' as const,
            count: createDatabaseCount({ db, hash: (name) => vault.hash(`limit:${name}`), log }),
          }
        : undefined
  opened.defer(() => shared?.count.close())
  await shared?.count.open()
  return shared
}
