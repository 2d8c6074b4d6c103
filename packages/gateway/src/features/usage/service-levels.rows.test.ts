import { expect, test } from 'vitest'
import { describeEachPostgres } from '../../testing/database.ts'
import { addTestOrganization } from '../../testing/organization.ts'
import { testEntry as entry } from '../../testing/record-entry.ts'
import { storeRecords, type Entry } from '../../records/records.ts'
import { countLevels } from './service-levels.rows.ts'

const NOW = new Date('2026-11-20T12:00:00Z')

describeEachPostgres('service levels', (createDatabase) => {
  test('are counted by connection over an hour, a day and 30 days; refusals, changes and others’ calls are not', async () => {
    await using database = await createDatabase()
    const { db } = database
    const { id: acme } = await addTestOrganization(db, 'acme')
    const { id: other } = await addTestOrganization(db, 'other')
    const at = (timestamp: string, more: Partial<Entry> = {}) =>
      entry({ org_id: acme, timestamp, outcome: 'ok', code: undefined, connection: 'web', duration_ms: 10, ...more })
    await db.system((sql) =>
      storeRecords(sql, [
        at('2026-10-21T11:59:59.000Z'),
        at('2026-10-22T12:00:00.000Z', { outcome: 'failed', duration_ms: 40 }),
        at('2026-11-20T01:00:00.000Z', { outcome: 'tool_error', duration_ms: 30 }),
        at('2026-11-20T11:30:00.000Z', { outcome: 'unknown', duration_ms: 20 }),
        at('2026-11-20T11:30:00.000Z', { outcome: 'refused', code: 'policy.denied' }),
        at('2026-11-20T11:40:00.000Z', { connection: 'mail' }),
        at('2026-11-20T11:41:00.000Z', { kind: 'change', method: 'key.add' }),
        at('2026-11-20T11:42:00.000Z', { org_id: other }),
        at('2026-11-20T12:00:00.000Z'),
      ]),
    )
    const { rows } = await db.snapshot(acme, (sql) => countLevels(sql, NOW, 10))
    const lines = rows.map((row) => [
      row.connection,
      [row.hour, row.hour_failed, row.hour_p95],
      [row.day, row.day_failed, row.day_p95],
      [row.month, row.month_failed, row.month_p95],
    ])
    expect(lines).toEqual([
      [null, [2, 1, 20_000], [3, 1, 30_000], [4, 2, 40_000]],
      ['web', [1, 1, 20_000], [2, 1, 30_000], [3, 2, 40_000]],
      ['mail', [1, 0, 10_000], [1, 0, 10_000], [1, 0, 10_000]],
    ])
  })

  test('of an organization without a call are one row of nothing', async () => {
    await using database = await createDatabase()
    const { id } = await addTestOrganization(database.db, 'acme')
    const { rows } = await database.db.snapshot(id, (sql) => countLevels(sql, NOW, 10))
    expect(rows.map(({ connection, month, month_p95: p95 }) => [connection, month, p95])).toEqual([[null, 0, null]])
  })
})
