/** Tests of token buckets in the database: their arithmetic, gateways that take at once, and rows that go. */
import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { describeEverywhere, type TestDatabase } from '../testing/database.ts'

const One = z.object({ one: z.int() })
const hashOf = (name: string) => createHash('sha256').update(name).digest()
const asking = (
  name: string,
  want: number,
  more: { need?: number; back?: number; window?: number; most?: number } = {},
) => ({
  ...{ hash: hashOf(name), most: 10, window: 3_600_000, want, need: want, back: 0 },
  ...more,
})

function opened({ db }: TestDatabase) {
  const buckets = db.openTokenBuckets(() => {})
  return { ...buckets, [Symbol.asyncDispose]: () => buckets.close() }
}

const countOf = async ({ db }: TestDatabase) => {
  const [row] = await db.system(
    (sql) => sql(z.object({ count: z.int() }))`select count(*)::int as count from limit_buckets`,
  )
  return row?.count
}

describeEverywhere('token buckets', (createDatabase) => {
  test('hold what is said, give what is needed where there is not more, and say when there is', async () => {
    await using database = await createDatabase()
    await using buckets = opened(database)
    expect(await buckets.take(asking('a', 8))).toEqual({ taken: 8, wait: 0 })
    expect(await buckets.take(asking('a', 5, { need: 1 }))).toEqual({ taken: 2, wait: 0 })
    const { taken, wait } = await buckets.take(asking('a', 1))
    expect(taken).toBe(0)
    // A tenth of an hour, less what passed meanwhile.
    expect(wait).toBeGreaterThan(350_000)
    expect(wait).toBeLessThanOrEqual(360_001)
    expect(await buckets.take(asking('a', 3, { back: 3 }))).toEqual({ taken: 3, wait: 0 })
    // More than it holds is not kept.
    expect(await buckets.take(asking('a', 1, { back: 99 }))).toEqual({ taken: 1, wait: 0 })
    expect(await buckets.take(asking('a', 11, { need: 1 }))).toEqual({ taken: 9, wait: 0 })
  })

  test('give to several gateways at once no more than there is, in whatever order they ask for several buckets', async () => {
    await using database = await createDatabase()
    await using first = opened(database)
    await using second = opened(database)
    await using third = opened(database)
    const names = Array.from({ length: 40 }, (_, at) => `bucket ${at}`)
    const rounds = [first, second, third].map(async (buckets, at) => {
      let sum = 0
      for (let round = 0; round < 6; round++) {
        const order = (at + round) % 2 === 0 ? names : names.toReversed()
        const answers = await Promise.all(order.map((name) => buckets.take(asking(name, 1))))
        sum += answers.reduce((all, { taken }) => all + taken, 0)
      }
      return sum
    })
    const sums = await Promise.all(rounds)
    expect(sums.reduce((all, one) => all + one)).toBe(names.length * 10)
  })

  test('ask many at a time in one statement, and the same bucket twice in it', async () => {
    await using database = await createDatabase()
    await using buckets = opened(database)
    const answers = await Promise.all(Array.from({ length: 350 }, (_, at) => buckets.take(asking(`b${at % 7}`, 1))))
    expect(answers.filter(({ taken }) => taken === 1)).toHaveLength(70)
    expect(await countOf(database)).toBe(7)
  })

  test('are removed when they are full again, and not before', async () => {
    await using database = await createDatabase()
    await using buckets = opened(database)
    await Promise.all([buckets.take(asking('short', 5, { window: 1 })), buckets.take(asking('long', 5))])
    await buckets.take(asking('long', 1)) // the two milliseconds of the short one pass
    await database.db.system((sql) => sql(One)`select 1 as one from pg_sleep(0.01)`)
    await buckets.sweep()
    expect(await countOf(database)).toBe(1)
    expect(await buckets.take(asking('long', 10, { need: 1 }))).toMatchObject({ taken: 4 })
  })

  test('reject, and answer again on a new connection, when the one they had is ended', async () => {
    await using database = await createDatabase()
    await using buckets = opened(database)
    await buckets.take(asking('a', 4))
    const waiting = database.db.system(async (sql) => {
      await sql(z.object({}))`lock table limit_buckets in access exclusive mode`
      const asked = buckets.take(asking('a', 1)).catch((error: unknown) => error)
      await sql(One)`select 1 as one from pg_sleep(0.1)`
      await sql(One)`
        select 1 as one from (select pg_terminate_backend(pid) as ended from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock') as those where ended`
      return asked
    })
    expect(await waiting).toBeInstanceOf(Error)
    expect(await buckets.take(asking('a', 10, { need: 1 }))).toMatchObject({ taken: 6 })
  })
})
