/** Months of records: made ahead, dropped as a whole, and what stays still verifies from a checkpoint. */
import { generateKeyPairSync } from 'node:crypto'
import type { OrganizationId } from '@toolway/contract'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { describeEachPostgres, type TestDatabase } from '../testing/database.ts'
import { testEntry } from '../testing/record-entry.ts'
import { chainLines } from './chain/chain-lines.ts'
import { fingerprintOf, listUnsigned, signCheckpoint, storeCheckpoint } from './chain/checkpoints.ts'
import { verify } from './chain/verify.ts'
import { dropMonths, makeMonthsAhead } from './months.ts'
import { storeRecords } from './records.ts'
import { ForeignCheckpoint } from './retention.ts'

const KEY = { id: 'k1', ...generateKeyPairSync('ed25519') }
const SIGNERS = [fingerprintOf(KEY.publicKey)]
const [ONE, OTHER] = ['org_1' as OrganizationId, 'org_2' as OrganizationId]
const Name = z.object({ name: z.string() })

/** The month before the first one with a partition of its own. The databases were copied when the run began: it may be over by now. */
let made = new Date()
/** The first moment of a month from that one on. */
const month = (ahead: number) => new Date(Date.UTC(made.getUTCFullYear(), made.getUTCMonth() + ahead, 1))
const nameOf = (at: Date) => `records_${at.toISOString().slice(0, 7).replace('-', '_')}`

const ways = ({ db }: TestDatabase) => ({
  add: (organization: OrganizationId, ahead: number, count: number) =>
    db.system((sql) =>
      storeRecords(
        sql,
        Array.from({ length: count }, (_, at) =>
          testEntry({ org_id: organization, timestamp: new Date(month(ahead).getTime() + at).toISOString() }),
        ),
      ),
    ),
  sign: (key = KEY) =>
    db.system(async (sql) => {
      for (const head of await listUnsigned(sql, undefined))
        await storeCheckpoint(sql, signCheckpoint(head, key, new Date()))
    }),
  drop: (before: Date, signers = SIGNERS) =>
    db.system((sql) =>
      dropMonths(sql, {
        before,
        now: new Date(),
        signers,
        actor: { id: 'retention', type: 'system' },
        correlationId: 'c',
      }),
    ),
  partitions: async () =>
    (await db.system((sql) => sql(Name)`select name from record_partitions()`)).map(({ name }) => name),
  evaluate: async (organization: string) => {
    const lines = chainLines({ look: (work) => db.system(work), organization, now: new Date() })
    return (await verify(lines, { fingerprints: SIGNERS, checkpoints: [] }))[0]
  },
})

describeEachPostgres('records by month', (createDatabase) => {
  const create = async () => {
    const database = await createDatabase()
    const [, first = ''] = await ways(database).partitions()
    const [, year, ordinal] = /_(\d{4})_(\d\d)$/.exec(first) ?? []
    made = new Date(Date.UTC(Number(year), Number(ordinal) - 2, 1))
    return database
  }

  test('a month is dropped as a whole once a checkpoint of each organization stands behind it, and the chains still verify', async () => {
    await using database = await create()
    const { add, sign, drop, partitions, evaluate } = ways(database)
    await add(ONE, 0, 30)
    await sign()
    await add(OTHER, 0, 20)
    await add(ONE, 1, 5)
    expect(await partitions()).toEqual(['records_before', nameOf(month(1)), nameOf(month(2))])

    expect(await drop(month(1))).toEqual([])
    await sign()
    await add(OTHER, 1, 5)
    await expect(drop(month(1), ['0'.repeat(64)])).rejects.toThrow(ForeignCheckpoint)
    expect(await drop(new Date(month(1).getTime() - 1))).toEqual([])
    const dropped = await drop(month(1))
    expect(dropped.map(({ organization_id: id, removed }) => [id, removed])).toEqual([
      [ONE, 30],
      [OTHER, 20],
    ])
    expect(await partitions()).toEqual([nameOf(month(1)), nameOf(month(2))])
    for (const [organization, first] of [
      [ONE, 31],
      [OTHER, 21],
    ] as const)
      expect(await evaluate(organization)).toMatchObject({ good: true, first, records: 6 })
    expect(await drop(month(1))).toEqual([])
  })

  test('a month goes up to the first checkpoint behind it, when all before that is past its retention', async () => {
    await using database = await create()
    const { add, sign, drop, partitions, evaluate } = ways(database)
    await add(ONE, 0, 4)
    await add(ONE, 1, 2)
    await sign()
    await add(ONE, 1, 3)
    expect(await drop(month(1))).toEqual([])
    expect(await drop(new Date(month(1).getTime() + 60_000))).toMatchObject([{ organization_id: ONE, removed: 6 }])
    expect(await partitions()).toEqual([nameOf(month(1)), nameOf(month(2))])
    expect(await evaluate(ONE)).toMatchObject({ good: true, first: 7, records: 4 })
  })

  test('a record of a time without a partition is taken, and moves into its month when that is made', async () => {
    await using database = await create()
    const { add, evaluate } = ways(database)
    const { db } = database
    await add(ONE, 5, 3)
    const places = () =>
      db.system((sql) => sql(Name)`select tableoid::regclass::text as name from records order by seq`)
    expect(new Set((await places()).map(({ name }) => name))).toEqual(new Set(['records_rest']))
    expect(await db.system((sql) => makeMonthsAhead(sql, month(0)))).toBe(0)
    expect(await db.system((sql) => makeMonthsAhead(sql, month(4)))).toBe(3)
    expect(new Set((await places()).map(({ name }) => name))).toEqual(new Set([nameOf(month(5))]))
    expect(await evaluate(ONE)).toMatchObject({ good: true, records: 3 })
    await expect(
      db.organization(ONE, (sql) =>
        sql(Name)(Object.assign([`select id as name from ${nameOf(month(5))}`], { raw: [] })),
      ),
    ).rejects.toMatchObject({ code: '42501' })
  })
})
