import type { OrganizationId } from '@toolway/contract'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { describeEachPostgres } from '../testing/database.ts'
import { testEntry } from '../testing/record-entry.ts'
import { countRecords, findRecords, isKeyOf, orderOf, type Filter } from './query.ts'
import { storeRecords, type Entry } from './records.ts'

const MANY = 6_000
const HOUR = 3_600_000
const BEGAN = Date.parse('2026-01-01T00:00:00Z')
const Nothing = z.object({})
const Read = z.object({ rows: z.number() })

/** Two organizations; the second has one record for a hundred of the first. */
function entries(): Entry[] {
  return Array.from({ length: MANY }, (_, at) =>
    testEntry({
      id: `rec_${String(at).padStart(8, '0')}`,
      timestamp: new Date(BEGAN + at * 60_000).toISOString(),
      org_id: (at % 100 === 50 ? 'org_small' : 'org_large') as OrganizationId,
      principal: at % 2_999 === 0 ? 'rare' : `person_${at % 10}`,
      connection: `con_${at % 7}`,
      tool_name: `tool_${at % 40}`,
      method: at % 500 === 0 ? 'key.add' : 'tools/call',
      outcome: at % 1_000 === 0 ? 'failed' : 'ok',
      request_id: `c-${at}`,
    }),
  )
}

describeEachPostgres('searches of records', (createDatabase) => {
  test('find the newest that fit, in one organization and in all, on each page', async () => {
    await using database = await createDatabase()
    const all = entries()
    await database.db.system((sql) => storeRecords(sql, all))
    const fits = (filter: Filter) => (one: Entry) =>
      (filter.organization ?? one.org_id) === one.org_id &&
      (filter.actor ?? one.principal) === one.principal &&
      (filter.tool ?? one.tool_name) === one.tool_name &&
      (filter.connection ?? one.connection) === one.connection &&
      (filter.outcome ?? one.outcome) === one.outcome &&
      (filter.action ?? one.method) === one.method &&
      (filter.correlation ?? one.request_id) === one.request_id &&
      one.timestamp >= (filter.start ?? '') &&
      one.timestamp < (filter.end ?? '9')
    const [start, end] = [10, 60].map((hours) => new Date(BEGAN + hours * HOUR).toISOString())
    const filters: Partial<Filter>[] = [
      {},
      { actor: 'rare' },
      { tool: 'tool_3', outcome: 'ok' },
      { connection: 'con_2', action: 'tools/call' },
      { outcome: 'failed' },
      { action: 'key.add' },
      { correlation: 'c-1234' },
      { start, end },
      { end, actor: 'person_4' },
      { start, connection: 'con_6' },
    ]
    for (const organization of ['org_large', 'org_small', undefined])
      for (const filter of filters.map((one) => ({ organization, ...one })))
        for (const offset of [0, 7]) {
          const wanted = all.filter(fits(filter)).toReversed()
          const [found, count] = await database.db.system(
            async (sql) =>
              [await findRecords(sql, filter, { limit: 5, offset }), await countRecords(sql, filter)] as const,
          )
          const what = JSON.stringify({ ...filter, offset })
          expect(
            found.map(({ id }) => id),
            what,
          ).toEqual(wanted.slice(offset, offset + 5).map(({ id }) => id))
          expect(count, what).toEqual({ total: wanted.length, more: false })
        }
  })

  test('go on behind the last record of a page, whatever comes meanwhile', async () => {
    await using database = await createDatabase()
    const all = entries()
    await database.db.system((sql) => storeRecords(sql, all.slice(0, -200)))
    const start = new Date(BEGAN + 10 * HOUR).toISOString()
    const filters: Partial<Filter>[] = [
      {},
      { start },
      { connection: 'con_2' },
      { end: '2027-01-01T00:00:00Z', tool: 'tool_10' },
      { outcome: 'ok' },
    ]
    const places = ['org_large', 'org_small', undefined].flatMap((organization) =>
      filters.map((filter) => ({ organization, ...filter })),
    )
    const page = (filter: Filter, after?: string) =>
      database.db.system((sql) => findRecords(sql, filter, { limit: 7, offset: 0, after }))
    const idsOf = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id)
    const before = await Promise.all(
      places.map(async (filter) => {
        const rows = await database.db.system((sql) => findRecords(sql, filter, { limit: 21, offset: 0 }))
        return { filter, first: rows.slice(0, 7), ids: idsOf(rows) }
      }),
    )
    await database.db.system((sql) => storeRecords(sql, all.slice(-200)))
    for (const { filter, first, ids } of before) {
      const what = JSON.stringify(filter)
      expect(isKeyOf(orderOf(filter), first.at(-1)?.key ?? ''), what).toBe(true)
      const second = await page(filter, first.at(-1)?.key)
      expect(idsOf(second), what).toEqual(ids.slice(7, 14))
      expect(idsOf(await page(filter, second.at(-1)?.key)), what).toEqual(ids.slice(14, 21))
    }
    for (const [order, key] of [
      ['place', 'x'],
      ['place', '1; drop'],
      ['time', '2026-01-01 1'],
      ['each', 'rec_1'],
      ['id', ''],
    ] as const)
      expect(isKeyOf(order, key)).toBe(false)
  })

  test('that find little, or a page far back, read little', async () => {
    await using database = await createDatabase()
    await database.db.system((sql) => storeRecords(sql, entries()))
    await database.db.system((sql) => sql(Nothing)`analyze records`)
    const first = new Date(BEGAN + HOUR / 2).toISOString()
    const filters: Partial<Filter>[] = [
      { actor: 'nobody' },
      { actor: 'rare' },
      { tool: 'nothing' },
      { connection: 'con_none' },
      { outcome: 'cancelled' },
      { action: 'key.remove' },
      { correlation: 'c-none' },
      { tool: 'nothing', outcome: 'ok' },
      { end: first },
    ]
    for (const organization of ['org_large', undefined])
      for (const filter of [...filters, {}].map((one) => ({ organization, ...one }))) {
        const offset = Object.keys(filter).length === 1 && organization !== undefined ? 4_000 : 0
        const [read] = await database.db.system(async (sql) => {
          await findRecords(sql, filter, { limit: 20, offset })
          return sql(Read)`
            select (pg_stat_get_xact_tuples_returned('records'::regclass)
                    + pg_stat_get_xact_tuples_fetched('records'::regclass))::float8 as rows`
        })
        expect(read?.rows, JSON.stringify({ ...filter, offset })).toBeLessThan(200)
      }
  })
})
