/** Tests of the change feed: one suite for both drivers, then what only the stream can go through. */
import { randomBytes } from 'node:crypto'
import { Redis } from 'ioredis'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createTestDatabase, type TestDatabase } from '../../testing/database.ts'
import { describeWithRedis, startTestRedis } from '../../testing/redis.ts'
import { createDb, type Db, type Notice } from '../db.ts'
import type { StreamSettings } from './change-feed.ts'
import { openChangeFeed } from './open-change-feed.ts'
import { KEPT } from './stream-entries.ts'

const Said = z.object({ said: z.string() })
const quiet = { debug() {}, info() {}, warn() {}, error() {} }

const announce = (db: Db, payload: string) =>
  db.system((sql) => sql(Said)`select announce_change(${JSON.stringify({ table: payload })})::text as said`)

/** A gateway as far as the feed is concerned: a pool of its own, and what it was told. */
async function gateway({ connection }: TestDatabase, stream: StreamSettings | undefined) {
  const db = createDb({ connection, connections: 3 })
  const heard = new Set<string>()
  let reloads = 0
  const onNotice = (notice: Notice) => {
    if (notice.kind === 'reconnected') reloads++
    else heard.add((JSON.parse(notice.payload) as { table: string }).table)
  }
  const feed = await openChangeFeed({ db, onNotice, log: quiet }, stream)
  return {
    db,
    feed,
    heard,
    reloads: () => reloads,
    async [Symbol.asyncDispose]() {
      await feed.close()
      await db.close()
    },
  }
}

const streamOf = (url: string): StreamSettings => ({ url, prefix: `test:${randomBytes(6).toString('hex')}` })
const names = (prefix: string, count: number) => Array.from({ length: count }, (_, at) => `${prefix}${at}`)

function suite(open: () => Promise<{ stream: StreamSettings | undefined } & AsyncDisposable>) {
  test('every gateway hears every committed change, and none that was undone', async () => {
    await using database = await createTestDatabase()
    await using driver = await open()
    await using one = await gateway(database, driver.stream)
    await using two = await gateway(database, driver.stream)
    await using three = await gateway(database, driver.stream)
    const all = [one, two, three]
    const wanted = names('c', 60)
    await one.db
      .system(async (sql) => {
        await sql(Said)`select announce_change('{"table":"undone"}')::text as said`
        throw new Error('not this time')
      })
      .catch(() => {})
    await Promise.all(wanted.map((name, at) => announce(all[at % 3]?.db ?? one.db, name)))
    for (const { heard } of all) await expect.poll(() => [...heard].toSorted()).toEqual(wanted.toSorted())
  })

  test('a change of a transaction that began before others committed is heard when it commits', async () => {
    await using database = await createTestDatabase()
    await using driver = await open()
    await using one = await gateway(database, driver.stream)
    const { promise: go, resolve } = Promise.withResolvers<void>()
    const slow = one.db.system(async (sql) => {
      await sql(Said)`select announce_change('{"table":"slow"}')::text as said`
      await go
    })
    for (const name of names('quick', 5)) await announce(one.db, name)
    await expect.poll(() => one.heard.has('quick4')).toBe(true)
    expect(one.heard.has('slow')).toBe(false)
    resolve()
    await slow
    await expect.poll(() => one.heard.has('slow')).toBe(true)
  })

  test('a change while the connections of a gateway to the database are cut is heard, or everything is reloaded', async () => {
    await using database = await createTestDatabase()
    await using driver = await open()
    await using one = await gateway(database, driver.stream)
    await announce(database.db, 'before')
    await expect.poll(() => one.heard.has('before')).toBe(true)
    await database.db.system(
      (sql) => sql(z.object({ done: z.boolean() }))`
        select pg_terminate_backend(pid) as done from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
    )
    await announce(database.db, 'meanwhile').catch(() => announce(database.db, 'meanwhile'))
    await expect.poll(() => one.heard.has('meanwhile') || one.reloads() > 0).toBe(true)
    await expect
      .poll(async () => {
        await announce(database.db, 'after')
        return one.heard.has('after')
      })
      .toBe(true)
  })
}

describe('the change feed by LISTEN/NOTIFY', () =>
  suite(() => Promise.resolve({ stream: undefined, [Symbol.asyncDispose]: () => Promise.resolve() })))

describeWithRedis('the change feed by Redis Streams', () => {
  suite(async () => {
    const redis = await startTestRedis()
    return { stream: streamOf(redis.url), [Symbol.asyncDispose]: () => redis[Symbol.asyncDispose]() }
  })

  test('Redis goes away and comes back: the database is listened to meanwhile, and nothing is missed', async () => {
    await using database = await createTestDatabase()
    await using redis = await startTestRedis()
    const stream = streamOf(redis.url)
    await using one = await gateway(database, stream)
    await using two = await gateway(database, stream)
    await announce(one.db, 'first')
    await expect.poll(() => one.feed.state() === 'redis' && two.heard.has('first')).toBe(true)
    redis.shut()
    await announce(one.db, 'at once')
    await expect.poll(() => two.heard.has('at once') || two.reloads() > 0).toBe(true)
    await expect.poll(() => two.feed.problem()).toBeDefined()
    // The problem is known before the database is listened to.
    await expect
      .poll(async () => {
        await announce(one.db, 'without')
        return one.heard.has('without') && two.heard.has('without')
      })
      .toBe(true)
    redis.open()
    await expect.poll(() => [one.feed.state(), two.feed.state()]).toEqual(['redis', 'redis'])
    await announce(two.db, 'again')
    await expect.poll(() => one.heard.has('again') && two.heard.has('again')).toBe(true)
    expect(one.feed.problem()).toBeUndefined()
  })

  test('changes that wait while Redis is away are bounded, and every gateway reloads', { tags: 'long' }, async () => {
    await using database = await createTestDatabase()
    await using redis = await startTestRedis()
    const stream = streamOf(redis.url)
    await using one = await gateway(database, stream)
    await using two = await gateway(database, stream)
    await expect.poll(() => [one.feed.state(), two.feed.state()]).toEqual(['redis', 'redis'])
    redis.shut()
    // Each reloads once when it listens to the database.
    await expect.poll(() => [one, two].every(({ reloads }) => reloads() > 0)).toBe(true)
    const before = [one.reloads(), two.reloads()]
    await database.db.system(
      (sql) => sql(Said)`
        with added as (insert into changes (payload) select '{"table":"t' || n || '"}' from generate_series(1, ${KEPT + 1}::int) as n
                       returning seq)
        select max(seq)::text as said from added`,
    )
    const Count = z.object({ count: z.int() })
    const left = () => database.db.system((sql) => sql(Count)`select count(*)::int as count from changes`)
    await expect.poll(left).toEqual([{ count: 0 }])
    await expect.poll(() => [one, two].every(({ reloads }, at) => reloads() > (before[at] ?? 0))).toBe(true)
    redis.open()
    await expect.poll(() => [one.feed.state(), two.feed.state()]).toEqual(['redis', 'redis'])
    await announce(one.db, 'again')
    await expect.poll(() => two.heard.has('again')).toBe(true)
  })

  test('a Redis that hangs is left for the database', { tags: 'long' }, async () => {
    await using database = await createTestDatabase()
    await using redis = await startTestRedis({ own: true })
    await using one = await gateway(database, streamOf(redis.url))
    await expect.poll(() => one.feed.state()).toBe('redis')
    // Nothing is announced meanwhile: a change that waits would lead to the database by itself.
    redis.hang?.(true)
    try {
      await expect.poll(() => one.feed.problem()).toContain('did not respond')
      await announce(database.db, 'meanwhile')
      await expect.poll(() => one.heard.has('meanwhile')).toBe(true)
    } finally {
      redis.hang?.(false)
    }
    await expect.poll(() => one.feed.state()).toBe('redis')
  })

  test('a stream whose entries are gone has every gateway reload', async () => {
    await using database = await createTestDatabase()
    await using redis = await startTestRedis()
    const stream = streamOf(redis.url)
    await using one = await gateway(database, stream)
    await announce(one.db, 'first')
    await expect.poll(() => one.heard.has('first') && one.feed.state() === 'redis').toBe(true)
    const before = one.reloads()
    const direct = new Redis(redis.url)
    await using _ = { [Symbol.asyncDispose]: async () => void (await direct.quit()) }
    // As if the stream had been trimmed past this gateway: a number is left out.
    await direct.xadd(`${stream.prefix}:changes`, '*', 'n', '1000000', 'p', '{"table":"later"}')
    await expect.poll(() => one.heard.has('later')).toBe(true)
    expect(one.reloads()).toBe(before + 1)
  })

  test('the relay goes to another gateway when its holder ends, and no row is left', async () => {
    await using database = await createTestDatabase()
    await using redis = await startTestRedis()
    const stream = streamOf(redis.url)
    await using two = await gateway(database, stream)
    const one = await gateway(database, stream)
    await announce(one.db, 'first')
    await expect.poll(() => one.heard.has('first') && two.heard.has('first')).toBe(true)
    await one[Symbol.asyncDispose]()
    for (const name of names('later', 20)) await announce(database.db, name)
    await expect.poll(() => names('later', 20).every((name) => two.heard.has(name))).toBe(true)
    const Count = z.object({ count: z.int() })
    const left = () => database.db.system((sql) => sql(Count)`select count(*)::int as count from changes`)
    await expect.poll(left).toEqual([{ count: 0 }])
  })

  test('no function tells a change but announce_change', async () => {
    await using database = await createTestDatabase()
    const Name = z.object({ name: z.string() })
    const found = await database.db.system(
      (sql) => sql(Name)`
        select proname::text as name from pg_proc
         where pronamespace = 'public'::regnamespace and prosrc ~ 'pg_notify\\(''toolway_changed'''`,
    )
    expect(found.map(({ name }) => name)).toEqual(['announce_change'])
  })
})
