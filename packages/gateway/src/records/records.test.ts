import { expect, test } from 'vitest'
import { z } from 'zod'
import { describeEachPostgres } from '../testing/database.ts'
import { addTestOrganization } from '../testing/organization.ts'
import { testEntry as entry } from '../testing/record-entry.ts'
import { listRecords } from '../testing/listed-records.ts'
import { storeRecords, type Entry } from './records.ts'

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
      'records are never changed by hand',
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
