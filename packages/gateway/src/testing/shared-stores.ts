/** The stores in which gateways count their limits together, each behind a door: for one suite over both. */
import { createHash, randomBytes } from 'node:crypto'
import { describe } from 'vitest'
import { createDb } from '../db/db.ts'
import type { Log } from '../lib/log.ts'
import { createDatabaseTokenStore } from '../limits/database-token-store.ts'
import { createRedisTokenStore } from '../limits/redis-token-store.ts'
import type { StoreTimes, TokenStore } from '../limits/reconnecting-token-store.ts'
import { createTestDatabase } from './database.ts'
import { openDoor, type Door } from './door.ts'
import { describeWithRedis, startTestRedis } from './redis.ts'

/** Of one installation: gateways with the same name count together. */
export type MakeCount = (installation: string, log: Log, times: StoreTimes) => TokenStore

export interface SharedStore extends AsyncDisposable, Pick<Door, 'shut' | 'open' | 'slow'> {
  readonly count: MakeCount
}

/** `name` is the subject of the sentences that the log has of it. */
export function describeEachStore(
  title: string,
  suite: (name: string, startStore: () => Promise<SharedStore>) => void,
): void {
  describeWithRedis(title, () => suite('Redis', startRedisStore))
  describe(`${title} (PostgreSQL)`, () => suite('The database', startDatabaseStore))
}

async function startRedisStore(): Promise<SharedStore> {
  const redis = await startTestRedis()
  return {
    ...redis,
    count: (installation, log, times) =>
      createRedisTokenStore({ url: redis.url, prefix: `test:${installation}`, log, times }),
  }
}

export async function startDatabaseStore(): Promise<SharedStore> {
  await using parts = new AsyncDisposableStack()
  const { connection } = parts.use(await createTestDatabase())
  const { host, port } = connection
  const door = await openDoor(host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port })
  parts.defer(() => door.close())
  const db = createDb({ connection: { ...connection, host: '127.0.0.1', port: door.port } })
  parts.defer(() => db.close())
  const owned = parts.move()
  return {
    ...door,
    count(installation, log, times) {
      const hash = (name: string) => createHash('sha256').update(`${installation}:${name}`).digest()
      return createDatabaseTokenStore({ db, hash, log, times })
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

export const anyInstallation = (): string => randomBytes(6).toString('hex')
