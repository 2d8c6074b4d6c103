import { newId, type OrganizationId } from '@toolway/contract'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { describeEachPostgres } from '../testing/database.ts'
import { addTestOrganization } from '../testing/organization.ts'
import { createRecordWriter, listRecords, storeRecords, type Entry } from './records.ts'

const entry = (more: Partial<Entry> = {}): Entry => ({
  id: newId('rec'),
  timestamp: '2026-11-20T10:00:00.123Z',
  kind: 'call',
  org_id: 'org_1' as OrganizationId,
  organization: 'acme',
  principal: 'key_1',
  key_id: undefined,
  toolset: 'default',
  connection: 'web',
  method: 'tools/call',
  tool_name: 'web__read',
  era_client: '2025-11-25',
  era_upstream: '2026-07-28',
  client: 'c',
  bytes_in: 0,
  bytes_out: 12,
  duration_ms: 1.234,
  outcome: 'ok',
  code: undefined,
  decision: 'allow',
  request_id: 'r-1',
  actor_type: 'api_key',
  resource_type: undefined,
  resource_id: undefined,
  ip_address: undefined,
  user_agent: undefined,
  detail: undefined,
  ...more,
})

describe('the writer of records', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  /** A store that takes everything but rows that hold a refused word, and nothing at all while it is gone. */
  function fixture() {
    const stored: string[] = []
    const batches: number[] = []
    const lost: number[] = []
    const said: string[] = []
    const database = { gone: false }
    const say = (_: object, message: string) => void said.push(message)
    const writer = createRecordWriter<string>({
      store(entries) {
        if (database.gone) return Promise.reject(new Error('database gone'))
        if (entries.some((one) => one.includes('refused')))
          return Promise.reject(Object.assign(new Error('bad row'), { code: '23514' }))
        batches.push(entries.length)
        stored.push(...entries)
        return Promise.resolve()
      },
      log: { debug: say, info: say, warn: say, error: say },
      onLoss: (count) => void lost.push(count),
    })
    return { writer, stored, batches, lost, said, database }
  }
  const many = (count: number, from = 0) => Array.from({ length: count }, (_, index) => `row ${from + index}`)

  test('writes together what came together, in order', async () => {
    const { writer, stored, batches } = fixture()
    many(30).forEach(writer.write)
    expect(stored).toEqual([])
    await vi.advanceTimersByTimeAsync(50)
    expect([stored, batches]).toEqual([many(30), [30]])
  })

  test('writes a flood in bounded batches', async () => {
    const { writer, stored, batches } = fixture()
    many(2_500).forEach(writer.write)
    await writer.flush()
    expect(stored).toEqual(many(2_500))
    expect(Math.max(...batches)).toBeLessThanOrEqual(1_000)
  })

  test('keeps what cannot be written, in order, until the database is back', async () => {
    const { writer, stored, said, database, lost } = fixture()
    database.gone = true
    many(3).forEach(writer.write)
    await vi.advanceTimersByTimeAsync(50)
    many(3, 3).forEach(writer.write)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(stored).toEqual([])
    expect(said.length).toBeGreaterThan(3)
    expect(said.length).toBeLessThan(30)
    database.gone = false
    await vi.advanceTimersByTimeAsync(10_000)
    expect(stored).toEqual(many(6))
    expect(lost).toEqual([])
  })

  test('gives up only the row that the database will never take, and says so', async () => {
    const { writer, stored, lost, said } = fixture()
    const rows = [...many(700), 'refused', ...many(200, 700)]
    rows.forEach(writer.write)
    await writer.flush()
    expect(stored).toEqual(many(900))
    expect(lost).toEqual([1])
    expect(said).toEqual(['the database refuses a record'])
  })

  test('is bounded: beyond it the oldest is given up, and counted', async () => {
    const { writer, stored, lost, database } = fixture()
    database.gone = true
    many(100_003).forEach(writer.write)
    expect(lost.length).toBe(3)
    database.gone = false
    await writer.flush()
    expect(stored).toEqual(many(100_000, 3))
  })

  test('writes what is left when it closes, and counts what it cannot', async () => {
    const well = fixture()
    many(3).forEach(well.writer.write)
    await well.writer.close()
    expect([well.stored, well.lost, vi.getTimerCount()]).toEqual([many(3), [], 0])
    const badly = fixture()
    badly.database.gone = true
    many(3).forEach(badly.writer.write)
    await badly.writer.close()
    expect([badly.stored, badly.lost, vi.getTimerCount()]).toEqual([[], [3], 0])
  })
})

describeEachPostgres('kept records', (createDatabase) => {
  async function fixture() {
    const database = await createDatabase()
    const { db } = database
    const { id: org_id } = await addTestOrganization(db, 'acme')
    const store = (...entries: Entry[]) => db.system((sql) => storeRecords(sql, entries))
    const list = (limit = 100) => db.organization(org_id, (sql) => listRecords(sql, { limit }))
    return { db, org_id, store, list, [Symbol.asyncDispose]: () => database[Symbol.asyncDispose]() }
  }

  test('say who did what, how large, how long and how it ended', async () => {
    await using held = await fixture()
    await held.store(entry({ org_id: held.org_id, outcome: 'refused', code: 'tool.unknown', decision: 'refuse' }))
    expect(await held.list()).toEqual([
      {
        id: expect.stringMatching(/^rec_/) as unknown,
        at: new Date('2026-11-20T10:00:00.123Z'),
        kind: 'call',
        principal: 'key_1',
        toolset: 'default',
        connection: 'web',
        method: 'tools/call',
        target: 'web__read',
        bytes_in: 0,
        bytes_out: 12,
        duration_us: 1234,
        outcome: 'refused',
        code: 'tool.unknown',
        decision: 'refuse',
        correlation_id: 'r-1',
      },
    ])
  })

  test('are listed newest first, as many as are asked for', async () => {
    await using held = await fixture()
    const at = (second: number) =>
      entry({ org_id: held.org_id, timestamp: `2026-11-20T10:00:0${second}.000Z`, request_id: `r-${second}` })
    await held.store(at(1), at(3), at(2))
    expect((await held.list()).map(({ correlation_id }) => correlation_id)).toEqual(['r-3', 'r-2', 'r-1'])
    expect(await held.list(1)).toHaveLength(1)
  })

  test('hold any text as it is, quotes and SQL among it', async () => {
    await using held = await fixture()
    const control = 'a\tb\nc\u0001d\u2028e'
    await held.store(entry({ org_id: held.org_id, tool_name: control, request_id: 'null' }))
    expect((await held.list())[0]).toMatchObject({ target: control, correlation_id: 'null' })
    const odd = `'); drop table records; -- "ü" \u{1F600} \\ {a,b} NULL`
    await held.store(entry({ org_id: held.org_id, tool_name: odd, method: odd, timestamp: '2026-11-20T11:00:00.000Z' }))
    expect((await held.list())[0]).toMatchObject({ target: odd, method: odd })
  })

  test('are written all or not at all', async () => {
    await using held = await fixture()
    const good = entry({ org_id: held.org_id })
    await expect(held.store(good, entry({ org_id: held.org_id, outcome: 'maybe' as 'ok' }))).rejects.toMatchObject({
      code: '23514',
    })
    expect(await held.list()).toEqual([])
    await held.store()
    expect(await held.list()).toEqual([])
  })

  test('are seen by their own organization alone', async () => {
    await using held = await fixture()
    const other = await addTestOrganization(held.db, 'other')
    await held.store(entry({ org_id: held.org_id }), entry({ org_id: other.id, request_id: 'theirs' }))
    expect((await held.list()).map(({ correlation_id }) => correlation_id)).toEqual(['r-1'])
  })

  test('can be changed by nobody, and removed by no organization', async () => {
    await using held = await fixture()
    await held.store(entry({ org_id: held.org_id }))
    const Id = z.object({ id: z.string() })
    await expect(held.db.system((sql) => sql(Id)`update records set outcome = 'ok' returning id`)).rejects.toThrow(
      'records are never changed',
    )
    await expect(
      held.db.organization(held.org_id, (sql) => sql(Id)`update records set outcome = 'ok' returning id`),
    ).rejects.toThrow('permission denied')
    await expect(held.db.organization(held.org_id, (sql) => sql(Id)`delete from records returning id`)).rejects.toThrow(
      'permission denied',
    )
    expect(await held.list()).toHaveLength(1)
  })
})
