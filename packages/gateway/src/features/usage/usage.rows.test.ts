import { expect, test } from 'vitest'
import { describeEachPostgres } from '../../testing/database.ts'
import { addTestOrganization } from '../../testing/organization.ts'
import { testEntry as entry } from '../../testing/record-entry.ts'
import { storeRecords, type Entry } from '../../records/records.ts'
import { countSteps, countToolSteps, countUsed, namesOf, openSpan, timeTools } from './usage.rows.ts'

const READ = { connection: 'web', name: 'web__read' }
/** Refused before its connection was known. */
const REFUSED = { connection: null, name: 'web__read' }
const HOUR = 3_600
const SPAN = {
  from: new Date('2026-11-20T10:30:00Z'),
  to: new Date('2026-11-20T13:00:00Z'),
  connection: null,
  caller: null,
}

describeEachPostgres('calls of a span', (createDatabase) => {
  test('are counted by steps from its beginning, together, and by what was used; others’ and changes are not', async () => {
    await using database = await createDatabase()
    const { db } = database
    const { id: acme } = await addTestOrganization(db, 'acme')
    const { id: other } = await addTestOrganization(db, 'other')
    const at = (time: string, more: Partial<Entry> = {}) =>
      entry({ org_id: acme, timestamp: `2026-11-20T${time}.000Z`, outcome: 'ok', code: undefined, ...more })
    await db.system((sql) =>
      storeRecords(sql, [
        at('10:29:59'),
        at('10:30:00', { duration_ms: 10 }),
        at('11:29:59', { duration_ms: 30, outcome: 'tool_error' }),
        at('11:30:00', { duration_ms: 50, outcome: 'refused', code: 'policy.denied', connection: undefined }),
        at('12:40:00', { duration_ms: 20, principal: 'key_2', client: 'cursor 1', tool_name: 'web__write' }),
        at('12:40:00', { kind: 'change', method: 'key.add' }),
        at('12:41:00', { org_id: other }),
        at('13:00:00'),
      ]),
    )
    const [steps, used, names] = await db.snapshot(acme, async (sql) => {
      const source = await openSpan(sql, SPAN, HOUR)
      return [
        await countSteps(sql, source, SPAN, HOUR),
        await countUsed(sql, source, SPAN, 5),
        await namesOf(sql, ['key_1', 'usr_nobody']),
      ]
    })
    expect(steps).toEqual([
      { step: 0, calls: 2, failed: 1, refused: 0, median_us: 10_000, p95_us: 30_000 },
      { step: 1, calls: 1, failed: 0, refused: 1, median_us: 50_000, p95_us: 50_000 },
      { step: 2, calls: 1, failed: 0, refused: 0, median_us: 20_000, p95_us: 20_000 },
      { step: null, calls: 4, failed: 1, refused: 1, median_us: 20_000, p95_us: 50_000 },
    ])
    const lines = used.map(({ by, connection, name, calls, failed, refused }) =>
      [by, connection ?? '-', name, calls, failed, refused].join(' '),
    )
    expect(lines).toEqual([
      'caller - key_1 3 1 1',
      'caller - key_2 1 0 0',
      'client - c 3 1 1',
      'client - cursor 1 1 0 0',
      'connection web web 3 1 0',
      'reason - policy.denied 1 0 1',
      'tool web web__read 2 1 0',
      'tool web web__write 1 0 0',
      'tool - web__read 1 0 1',
    ])
    expect(names).toEqual([])

    const [ofCaller, ofConnection, tools, times] = await db.snapshot(acme, async (sql) => {
      const source = await openSpan(sql, SPAN, HOUR)
      return [
        await countSteps(sql, source, { ...SPAN, caller: 'key_2' }, HOUR),
        await countUsed(sql, source, { ...SPAN, connection: 'web' }, 5),
        await countToolSteps(sql, source, SPAN, { seconds: HOUR, tools: [READ, REFUSED] }),
        await timeTools(sql, source, SPAN, [READ, REFUSED, { connection: 'web', name: 'web__write' }]),
      ]
    })
    expect(new Map(times.map(({ connection, name, p95_us: p95 }) => [`${connection} ${name}`, p95]))).toEqual(
      new Map([
        ['null web__read', 50_000],
        ['web web__read', 30_000],
        ['web web__write', 20_000],
      ]),
    )
    expect(ofCaller.map(({ step, calls }) => [step, calls])).toEqual([
      [2, 1],
      [null, 1],
    ])
    expect(ofConnection.flatMap(({ by, name, calls }) => (by === 'tool' ? [[name, calls]] : []))).toEqual([
      ['web__read', 2],
      ['web__write', 1],
    ])
    expect(tools.toSorted((one, other) => one.step - other.step)).toEqual([
      { connection: 'web', name: 'web__read', step: 0, calls: 2 },
      { connection: null, name: 'web__read', step: 1, calls: 1 },
    ])
  })
})
