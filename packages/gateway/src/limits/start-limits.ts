/** Rate limits by the settings: token buckets of this process, and those it shares with others in a Redis or in a database that others may use. */
import type { Db } from '../db/db.ts'
import type { Log } from '../lib/log.ts'
import { createCallIntake, type CallIntake, type CallIntakeParts } from './call-intake.ts'
import { createDatabaseTokenStore } from './database-token-store.ts'
import { createLimits, type Limits, type LimitsParts } from './limits.ts'
import { createRedisTokenStore, type RedisTokenStore } from './redis-token-store.ts'

interface IntakeSettings {
  readonly TOOLWAY_CALLS_IN_FLIGHT: number
  readonly TOOLWAY_CALLS_WAITING: number
  readonly TOOLWAY_CALLS_WAIT_MS: number
  readonly TOOLWAY_CALLS_BYTES: number
  readonly TOOLWAY_BODY_LIMIT: number
}

interface LimitSettings {
  readonly TOOLWAY_LIMIT_ADDRESS: number
  readonly TOOLWAY_LIMIT_ORGANIZATION: number
  readonly TOOLWAY_LIMIT_ADMINISTRATION: number
  readonly TOOLWAY_LIMIT_KEY: number
  readonly TOOLWAY_LIMIT_CONNECTION: number
}

/** Of the base, as far as limits need it. */
interface Parts<Settings> {
  readonly config: Settings
  readonly vault: { hash(text: string): Buffer }
  readonly log: Log
  readonly opened: Pick<AsyncDisposableStack, 'defer'>
}

/** A name that the gateways of one installation have in common, for keys in a Redis. */
export const installationOf = (vault: Parts<unknown>['vault']): string =>
  vault.hash('limits').toString('hex').slice(0, 16)

/**
 * Undefined where no Redis is set.
 * @param installation what the gateways that count together have in common; unsaid, it is their vault key
 */
export async function openRedis(
  { config, vault, log, opened }: Parts<{ readonly REDIS_URL?: string | undefined }>,
  installation = installationOf(vault),
): Promise<RedisTokenStore | undefined> {
  if (config.REDIS_URL === undefined) return undefined
  const redis = createRedisTokenStore({ url: config.REDIS_URL, prefix: `toolway:${installation}`, log })
  opened.defer(() => redis.close())
  await redis.open()
  return redis
}

export interface StartLimitsParts {
  readonly redis: RedisTokenStore | undefined
  /** Counts in a database that other gateways may use, where there is no Redis. */
  readonly db?: Pick<Db, 'openTokenBuckets'> | undefined
  readonly onRefuse: LimitsParts['onRefuse']
}

export async function startLimits(
  base: Parts<LimitSettings>,
  { redis, db, onRefuse }: StartLimitsParts,
): Promise<Limits> {
  const { config } = base
  return createLimits({
    rates: {
      address: config.TOOLWAY_LIMIT_ADDRESS,
      organization: config.TOOLWAY_LIMIT_ORGANIZATION,
      administration: config.TOOLWAY_LIMIT_ADMINISTRATION,
      key: config.TOOLWAY_LIMIT_KEY,
      connection: config.TOOLWAY_LIMIT_CONNECTION,
    },
    now: performance.now.bind(performance),
    shared: redis === undefined ? await openDatabaseCount(base, db) : { in: 'redis', count: redis },
    onRefuse,
  })
}

async function openDatabaseCount(
  { vault, log, opened }: Parts<unknown>,
  db: StartLimitsParts['db'],
): Promise<LimitsParts['shared']> {
  if (db === undefined) return undefined
  const count = createDatabaseTokenStore({ db, hash: (name) => vault.hash(`limit:${name}`), log })
  opened.defer(() => count.close())
  await count.open()
  return { in: 'database', count }
}

/** How much a process takes in at once: one intake for all of its doors. */
export const intakeOf = (config: IntakeSettings, onShed: CallIntakeParts['onShed']): CallIntake =>
  createCallIntake({
    bounds: {
      inFlight: config.TOOLWAY_CALLS_IN_FLIGHT,
      waiting: config.TOOLWAY_CALLS_WAITING,
      wait: config.TOOLWAY_CALLS_WAIT_MS,
      // A body that may be sent must be able to come, when nothing else does.
      bytes: Math.max(config.TOOLWAY_CALLS_BYTES, config.TOOLWAY_BODY_LIMIT),
    },
    now: performance.now.bind(performance),
    nextTurn: setImmediate,
    onShed,
  })
