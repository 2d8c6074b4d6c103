/** Tests that an export reads each record once, however many there are, and that a filter lets out what it lets through and nothing else. */
import { expect, test } from 'vitest'
import { z } from 'zod'
import { describeEachPostgres } from '../../testing/database.ts'
import { BIG, fillRecords } from '../../testing/many-records.ts'
import { chainPages, type Look } from '../chain/chain-lines.ts'
import { exportRecords, type Exporting } from './formats.ts'

const Read = z.object({ rows: z.number() })

describeEachPostgres('an export of 27,000 records', (createDatabase) => {
  test('reads about as many rows as it hands out, in pages, and only the part that a filter allows', async () => {
    await using database = await createDatabase()
    await fillRecords(database.connection, 30_000)
    let read = 0
    // What the statements of the work read of the table of records and its partitions; counts of earlier transactions may wait here.
    const rowsRead = async (sql: Parameters<Parameters<Look>[0]>[0]) => {
      const [counted] = await sql(Read)`
        select coalesce(sum(seq_tup_read + coalesce(idx_tup_fetch, 0)), 0)::float8 as rows
          from pg_stat_xact_user_tables where relname like 'records\\_%'`
      return counted?.rows ?? 0
    }
    const look: Look = (work) =>
      database.db.system(async (sql) => {
        const before = await rowsRead(sql)
        const result = await work(sql)
        read += (await rowsRead(sql)) - before
        return result
      })
    const chain = { look, organization: BIG, now: new Date() }
    const linesOf = async (exporting: Exporting) => {
      read = 0
      let [text, largest] = ['', 0]
      for await (const part of exportRecords(chain, exporting)) {
        text += part
        largest = Math.max(largest, part.length)
      }
      return { lines: text.trimEnd().split(/\r?\n/), read, largest: largest / text.length }
    }
    const whole = await linesOf({ format: 'jsonl', filter: {} })
    expect(whole.lines).toHaveLength(27_002)
    // Small partitions may be read as a whole for a page. Reading all that comes behind each page would be 13 times the records.
    expect(whole.read).toBeLessThan(8 * 27_000)
    expect(whole.largest).toBeLessThan(0.1)
    const first = await chainPages({ ...chain, after: 26_998 }).next()
    expect(first.value).toMatchObject([{ type: 'chain', after: { seq: 26_998 } }])

    const csv = await linesOf({ format: 'csv', filter: {} })
    expect([csv.lines.length, csv.read < 8 * 27_000]).toEqual([27_000, true])

    const rare = await linesOf({ format: 'jsonl', filter: { actor: 'key_rare', outcome: 'ok' } })
    const records = rare.lines.map((line) => JSON.parse(line) as Record<string, unknown>)
    expect(records).toHaveLength(27)
    for (const one of records) expect(one).toMatchObject({ type: 'record', principal: 'key_rare', outcome: 'ok' })
    const seqs = records.map(({ seq }) => Number(seq))
    expect(seqs).toEqual(seqs.toSorted((one, other) => one - other))

    const [start, end] = [new Date(Date.now() - 60 * 86_400_000), new Date(Date.now() - 50 * 86_400_000)]
    const days = await linesOf({ format: 'jsonl', filter: { start: start.toISOString(), end: end.toISOString() } })
    expect(days.lines.length).toBeGreaterThan(1_500)
    for (const line of days.lines) {
      const at = Date.parse((JSON.parse(line) as { at: string }).at)
      expect(at >= start.getTime() && at < end.getTime()).toBe(true)
    }
    expect(days.read).toBeLessThan(2 * 27_000)
  })
})
