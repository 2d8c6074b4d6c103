/** Tests that figures from what is counted by hour and by day are those of the records, whatever comes, changes or goes meanwhile. */
import { generateKeyPairSync } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { expect, test } from 'vitest'
import { z } from 'zod'
import type { OrganizationId } from '@toolway/contract'
import type { Db } from '../../db/db.ts'
import { createKeepUsage } from './keep-usage.job.ts'
import { describeEachPostgres } from '../../testing/database.ts'
import { addTestOrganization } from '../../testing/organization.ts'
import { testEntry } from '../../testing/record-entry.ts'
import { fingerprintOf, listUnsigned, signCheckpoint, storeCheckpoint } from '../../records/chain/checkpoints.ts'
import type { Actor } from '../../records/change.ts'
import { dropMonths } from '../../records/months.ts'
import { storeRecords, type Entry } from '../../records/records.ts'
import { redactRecord } from '../../records/redact.ts'
import { prune } from '../../records/retention.ts'
import { countLevels } from './service-levels.rows.ts'
import { checkDay, countNext, listStale, listUnsummed, recountDay, sumDay } from './usage-count.rows.ts'
import { countSteps, countToolSteps, countUsed, listCallers, openSpan, timeTools, type Span } from './usage.rows.ts'

const KEY = { id: 'k1', ...generateKeyPairSync('ed25519') }
const Left = z.object({ left: z.int() })
const KNOWN = [fingerprintOf(KEY.publicKey)]
const DAY = 86_400
const HOUR = 3_600
const ALL = { connection: null, caller: null }
const MONTH = { from: new Date('2026-10-20T05:00:00Z'), to: new Date('2026-11-20T04:40:00Z'), ...ALL }
const SPANS: readonly [Span, number][] = [
  [MONTH, DAY],
  [MONTH, HOUR],
  [{ ...MONTH, from: new Date('2026-10-20T18:30:00Z') }, DAY],
  [{ ...MONTH, caller: 'usr_2' }, DAY],
  [{ ...MONTH, connection: 'mail' }, HOUR],
  [{ ...MONTH, connection: 'mail', caller: 'usr_1' }, DAY],
  [{ from: new Date('2026-11-01T10:17:00Z'), to: new Date('2026-11-03T01:02:03Z'), ...ALL }, HOUR],
]
const TOOLS = [
  { connection: 'web', name: 'web__read' },
  { connection: 'mail', name: 'mail__send' },
]
const FORGET_ALL =
  'delete from usage_counted; delete from usage_hours; delete from usage_days; delete from usage_totals; delete from usage_sums'
/** As migration 0077 leaves what was counted before it. */
const NOT_SUMMED = `delete from usage_totals; delete from usage_sums; update usage_counted set summed_from = '2027-01-01'`
const ACTOR: Actor = {
  id: 'usr_1',
  type: 'user',
  keyId: undefined,
  address: undefined,
  userAgent: undefined,
  correlationId: 'c',
}

/** A month of calls: two connections, four callers, every way to end. All times are of sizes that hours have exactly. */
function month(organization: OrganizationId, count = 400): Entry[] {
  const outcomes = ['ok', 'ok', 'failed', 'tool_error', 'refused', 'unknown'] as const
  const [start, end] = [Date.parse('2026-10-20T00:00:00Z'), Date.parse('2026-11-20T06:00:00Z')]
  return Array.from({ length: count }, (_, at) => {
    const outcome = outcomes[at % outcomes.length]
    return testEntry({
      org_id: organization,
      timestamp: new Date(start + ((end - start) * at) / count).toISOString(),
      principal: `usr_${at % 4}`,
      connection: outcome === 'refused' && at % 4 === 0 ? undefined : at % 3 === 0 ? 'mail' : 'web',
      tool_name: at % 3 === 0 ? 'mail__send' : 'web__read',
      client: at % 5 === 0 ? 'cursor 1' : 'claude 2',
      code: outcome === 'refused' ? 'policy.denied' : outcome === 'failed' ? 'upstream.timeout' : undefined,
      duration_ms: Math.round(Math.exp((200 + (at % 7) * 10) / 25)) / 1000,
      ...(outcome !== undefined && { outcome }),
    })
  })
}

const figuresOf = (db: Db, organization: string, most?: number) =>
  db.snapshot(organization, async (sql) => {
    const all = []
    for (const [span, seconds] of SPANS) {
      const source = await openSpan(sql, span, seconds, most)
      const sorted = (rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).sort()
      all.push([
        await countSteps(sql, source, span, seconds),
        await countUsed(sql, source, span, 10),
        await listCallers(sql, source, span, { limit: 3, offset: 0 }),
        sorted(await countToolSteps(sql, source, span, { seconds, tools: TOOLS })),
        sorted(await timeTools(sql, source, span, TOOLS)),
      ])
    }
    return { all, levels: (await countLevels(sql, MONTH.to, 10)).rows }
  })

const countAll = (db: Db, organization: string, step = 70) =>
  db.system(async (sql) => {
    while ((await countNext(sql, organization, step)) > 0);
  })

const signAll = (db: Db) =>
  db.system(async (sql) => {
    for (const head of await listUnsigned(sql, undefined))
      await storeCheckpoint(sql, signCheckpoint(head, KEY, new Date()))
  })

/** As whoever owns the database, past what protects records. */
async function tamper(connection: pg.ClientConfig, text: string): Promise<void> {
  const client = new pg.Client(connection)
  await client.connect()
  await client.query(`alter table records disable trigger user; ${text}; alter table records enable trigger user`)
  await client.end()
}

describeEachPostgres('counted calls', (createDatabase) => {
  test('make the figures that the records make: by hour, by day, filtered, at odd hours, and after late records', async () => {
    await using database = await createDatabase()
    const { db } = database
    const { id } = await addTestOrganization(db, 'acme')
    const records = month(id)
    // Some come weeks late, as from a gateway that was cut off.
    const late = records.filter((_, at) => at % 9 === 4)
    await db.system((sql) =>
      storeRecords(
        sql,
        records.filter((one) => !late.includes(one)),
      ),
    )
    await countAll(db, id)
    await db.system((sql) => storeRecords(sql, late.slice(0, 20)))
    await countAll(db, id)
    await db.system((sql) => storeRecords(sql, late.slice(20)))
    const counted = await figuresOf(db, id)
    await tamper(database.connection, FORGET_ALL)
    expect(counted).toEqual(await figuresOf(db, id))
    expect(counted.all[0]?.[0]?.at(-1)).toMatchObject({ step: null, calls: 397 })
  })

  test('do not grow with names that callers make up: those are one', async () => {
    await using database = await createDatabase()
    const { db } = database
    const { id } = await addTestOrganization(db, 'acme')
    const codes = ['tool.unknown', 'prompt.unknown', 'resource.unknown']
    const made = month(id).map((one, at) =>
      at % 2 === 0
        ? {
            ...one,
            tool_name: `made_up_${at}`,
            connection: undefined,
            outcome: 'refused' as const,
            code: codes[at % 3],
          }
        : one,
    )
    await db.system((sql) => storeRecords(sql, made))
    await countAll(db, id)
    const counted = await figuresOf(db, id)
    const [names] = await db.system(
      (sql) => sql(Left)`
        select count(distinct name)::int as left from (
          select name from usage_hours where by = 'tool' union all select target from usage_days) as all_names`,
    )
    expect(names?.left).toBe(3)
    await tamper(database.connection, FORGET_ALL)
    expect(counted).toEqual(await figuresOf(db, id))
    const used = counted.all[0]?.[1] as readonly { by: string; name: string; calls: number }[]
    expect(used.filter(({ by }) => by === 'tool').map(({ name }) => name)).toEqual(
      expect.arrayContaining(['(unknown)', 'web__read']),
    )
  })

  test('do not grow with clients whose names a caller makes up: twenty of a day have names, the others are one', async () => {
    await using database = await createDatabase()
    const { db } = database
    const { id } = await addTestOrganization(db, 'acme')
    const calls = (principal: string, count: number, clientAt: (at: number) => string) =>
      Array.from({ length: count }, (_, at) =>
        testEntry({ org_id: id, timestamp: '2026-11-10T10:00:00Z', principal, client: clientAt(at) }),
      )
    // In parts, as the job counts them; what a caller makes up takes no name from another caller.
    const parts = [
      [...calls('usr_1', 5, () => 'claude'), ...calls('usr_1', 90, (at) => `made up ${at}`)],
      [
        ...calls('usr_1', 90, (at) => `made up later ${at}`),
        ...calls('usr_1', 5, () => 'claude'),
        ...calls('usr_1', 1, () => '(other)'),
      ],
      calls('usr_2', 3, () => 'cursor'),
    ]
    for (const part of parts) {
      await db.system((sql) => storeRecords(sql, part))
      await countAll(db, id)
    }
    const Client = z.object({ principal: z.string(), client: z.string(), calls: z.int() })
    const rows = await db.system(
      (sql) => sql(Client)`
        select principal, client, sum(calls)::int as calls from usage_days group by 1, 2 order by calls desc, client collate "C"`,
    )
    expect(rows.slice(0, 3)).toEqual([
      { principal: 'usr_1', client: '(other)', calls: 162 },
      { principal: 'usr_1', client: 'claude', calls: 10 },
      { principal: 'usr_2', client: 'cursor', calls: 3 },
    ])
    expect(rows).toHaveLength(22)
    expect(rows.reduce((all, one) => all + one.calls, 0)).toBe(194)
  })

  test('are read instead of the records of a month, which stay unread', async () => {
    await using database = await createDatabase()
    const { db } = database
    const { id } = await addTestOrganization(db, 'acme')
    await db.system((sql) => storeRecords(sql, month(id)))
    await countAll(db, id)
    const before = await figuresOf(db, id)
    await tamper(database.connection, `delete from records where at >= '2026-10-23' and at < '2026-11-01'`)
    const after = await figuresOf(db, id)
    for (const place of [0, 1, 4]) expect(after.all[place]).toEqual(before.all[place])
    expect(after.levels).toEqual(before.levels)
  })

  test('follow a redaction and a pruning at once, and are counted anew', async () => {
    await using database = await createDatabase()
    const { db } = database
    const { id } = await addTestOrganization(db, 'acme')
    const records = month(id)
    await db.system((sql) => storeRecords(sql, records.slice(0, 100)))
    await signAll(db)
    await db.system((sql) => storeRecords(sql, records.slice(100)))
    await countAll(db, id)
    const redacted = { id: records[200]?.id ?? '', fields: ['principal', 'target'] as const, reason: 'erasure request' }
    await db.system((sql) => redactRecord(sql, ACTOR, id, { ...redacted, fields: [...redacted.fields] }))
    const pruning = { actor: ACTOR, organization: id, before: new Date('2026-10-28T00:00:00Z'), signers: KNOWN }
    expect(await db.system((sql) => prune(sql, pruning))).toBe(100)
    const stale = await figuresOf(db, id)
    expect(JSON.stringify(stale.all)).toContain('[redacted]')
    const keep = createKeepUsage({
      db,
      log: { info() {}, warn: (facts: object) => expect.fail(JSON.stringify(facts)) },
      now: Date.now,
    })
    await keep.run()
    const anew = await figuresOf(db, id)
    await keep.close()
    await tamper(database.connection, FORGET_ALL)
    const raw = await figuresOf(db, id)
    expect(stale).toEqual(raw)
    expect(anew).toEqual(raw)
  })

  test('lose no day to a redaction between two questions of one answer', async () => {
    await using database = await createDatabase()
    const { db } = database
    const { id } = await addTestOrganization(db, 'acme')
    const records = month(id)
    await db.system((sql) => storeRecords(sql, records))
    await countAll(db, id)
    const answers = await db.snapshot(id, async (sql) => {
      const source = await openSpan(sql, MONTH, DAY)
      const before = await countUsed(sql, source, MONTH, 10)
      const redacted = { id: records[200]?.id ?? '', fields: ['principal' as const], reason: 'erasure request' }
      await db.system((other) => redactRecord(other, ACTOR, id, redacted))
      return [before, await countUsed(sql, source, MONTH, 10)]
    })
    expect(answers[1]).toEqual(answers[0])
  })

  test('of a day are counted anew in parts, and again from the first one after a change meanwhile', async () => {
    await using database = await createDatabase()
    const { db } = database
    const { id } = await addTestOrganization(db, 'acme')
    const records = month(id)
    await db.system((sql) => storeRecords(sql, records))
    await countAll(db, id)
    const day = records[200]?.timestamp.slice(0, 10) ?? ''
    const redact = (at: number) =>
      db.system((sql) =>
        redactRecord(sql, ACTOR, id, { id: records[at]?.id ?? '', fields: ['principal'], reason: 'erasure request' }),
      )
    const recount = () => db.system((sql) => recountDay(sql, id, day, 3))
    const ofDay = records.flatMap(({ timestamp }, at) => (timestamp.startsWith(day) ? [at] : []))
    await redact(200)
    const stale = await figuresOf(db, id)
    expect(await recount()).toBe(false)
    expect(await figuresOf(db, id)).toEqual(stale)
    await redact(ofDay[0] ?? 0)
    const twice = await figuresOf(db, id)
    expect(twice).not.toEqual(stale)
    let parts = 1
    while (!(await recount())) parts++
    expect(parts).toBe(Math.ceil(ofDay.length / 3))
    expect(await db.system(listStale)).toEqual([])
    expect(await figuresOf(db, id)).toEqual(twice)
    expect(await db.system((sql) => checkDay(sql, id, day))).toBe(true)
  })

  test('of other days and organizations are counted anew though one day fails', async () => {
    await using database = await createDatabase()
    const { db } = database
    const [{ id: bad }, { id: good }] = [await addTestOrganization(db, 'bad'), await addTestOrganization(db, 'good')]
    for (const id of [bad, good]) await db.system((sql) => storeRecords(sql, month(id, 40)))
    for (const id of [bad, good]) await countAll(db, id)
    await tamper(
      database.connection,
      `insert into usage_stale (organization_id, day) select o, d::date from unnest(array['${bad}', '${good}']) as o,
              generate_series('2026-11-05'::timestamp, '2026-11-06', '1 day') as d;
       alter table usage_days add constraint broken check (organization_id <> '${bad}' or day <> '2026-11-05') not valid`,
    )
    const failed: unknown[] = []
    const log = { info() {}, warn: (facts: object) => void failed.push(facts) }
    const keep = createKeepUsage({ db, log, now: Date.now, least: 1, most: 1000 })
    await keep.run()
    await keep.close()
    expect(failed).toMatchObject([{ organization: bad, day: '2026-11-05' }])
    expect(await db.system(listStale)).toEqual([{ organization_id: bad, day: '2026-11-05' }])
    await tamper(database.connection, `insert into usage_stale (organization_id, day) values ('${bad}', '2026-11-07')`)
    expect((await db.system(listStale)).map(({ day }) => day)).toEqual(['2026-11-07', '2026-11-05'])
  })

  test('of a month go with the month', async () => {
    await using database = await createDatabase()
    const { db } = database
    const { id } = await addTestOrganization(db, 'acme')
    await db.system((sql) => storeRecords(sql, month(id)))
    await countAll(db, id)
    await signAll(db)
    const dropping = {
      before: new Date('2100-01-01T00:00:00Z'),
      now: new Date(),
      signers: KNOWN,
      actor: ACTOR,
      correlationId: 'c',
    }
    expect(await db.system((sql) => dropMonths(sql, dropping))).toMatchObject([{ organization_id: id, removed: 400 }])
    const { all, levels } = await figuresOf(db, id)
    expect(all.map(([steps = []]) => steps)).toEqual(
      SPANS.map(() => [{ step: null, calls: 0, failed: 0, refused: 0, median_us: null, p95_us: null }]),
    )
    expect(levels).toMatchObject([{ connection: null, month: 0 }])
    const rows = () => database.db.system((sql) => sql(Left)`select count(*)::int as "left" from usage_days`)
    expect((await rows())[0]?.left).toBeGreaterThan(0)
    const log = { info() {}, warn: (facts: object) => expect.fail(JSON.stringify(facts)) }
    const keep = createKeepUsage({ db, log, now: Date.now, least: 1000 })
    await keep.run()
    await keep.close()
    expect(await rows()).toEqual([{ left: 0 }])
    expect(await db.system(listStale)).toEqual([])
  })

  test('are compared while a month goes, and neither stops the other', async () => {
    await using database = await createDatabase()
    const { db } = database
    const { id } = await addTestOrganization(db, 'acme')
    await db.system((sql) => storeRecords(sql, month(id)))
    await countAll(db, id)
    await signAll(db)
    await tamper(database.connection, `update usage_days set calls = calls + 1 where day = '2026-11-07'`)
    const before = new Date('2100-01-01T00:00:00Z')
    const dropping = { before, now: new Date(), signers: KNOWN, actor: ACTOR, correlationId: 'c' }
    const isWaiting = () =>
      db.system(
        (sql) => sql(Left)`
          select count(*)::int as "left" from pg_locks
           where not granted and relation = 'records'::regclass
             and database = (select oid from pg_database where datname = current_database())`,
      )
    const { checked, dropped } = await db.system(async (sql) => {
      await checkDay(sql, id, '2026-11-05')
      const dropped = db.system((other) => dropMonths(other, dropping))
      while ((await isWaiting())[0]?.left === 0) await sleep(20)
      return { dropped: { dropped }, checked: await checkDay(sql, id, '2026-11-07') }
    })
    expect(checked).toBe(false)
    expect(await dropped.dropped).toMatchObject([{ organization_id: id, removed: 400 }])
  })

  test('of before there were sums make the same figures while they are summed, day by day, beside new calls and changes', async () => {
    await using database = await createDatabase()
    const { db } = database
    const { id } = await addTestOrganization(db, 'acme')
    const records = month(id)
    await db.system((sql) => storeRecords(sql, records.slice(0, 300)))
    await countAll(db, id)
    const before = await figuresOf(db, id)
    await tamper(database.connection, NOT_SUMMED)
    expect(await figuresOf(db, id)).toEqual(before)
    // One that came late, of a day that is not summed, and one day that is counted anew.
    await db.system((sql) => storeRecords(sql, records.slice(300)))
    await countAll(db, id)
    const redacted = { id: records[100]?.id ?? '', fields: ['principal' as const], reason: 'erasure request' }
    await db.system((sql) => redactRecord(sql, ACTOR, id, redacted))
    const figures = await figuresOf(db, id)
    const day = records[100]?.timestamp.slice(0, 10) ?? ''
    expect(await db.system((sql) => recountDay(sql, id, day, 3))).toBe(false)
    let days = 0
    while (await db.system((sql) => sumDay(sql, id))) {
      days += 1
      expect(await figuresOf(db, id)).toEqual(figures)
    }
    // One of them was only left to be counted anew.
    expect(days).toBe(32)
    expect(await db.system(listUnsummed)).toEqual([])
    while (!(await db.system((sql) => recountDay(sql, id, day, 3))));
    expect(await figuresOf(db, id)).toEqual(figures)
    const sums = z.object({ days: z.int(), hours: z.int() })
    const [kept] = await db.system(
      (sql) => sql(sums)`
        select (select count(distinct day) from usage_sums)::int as days, (select count(distinct hour) from usage_totals)::int as hours`,
    )
    expect(kept).toEqual({ days: 32, hours: 400 })
    await tamper(database.connection, FORGET_ALL)
    expect(figures).toEqual(await figuresOf(db, id))
  })

  test('of before there were sums leave no erased name in them, though a record is redacted while its day is summed', async () => {
    await using database = await createDatabase()
    const { db } = database
    const { id } = await addTestOrganization(db, 'acme')
    const records = month(id)
    const erased = records.at(-1)
    await db.system((sql) => storeRecords(sql, records))
    await countAll(db, id)
    await tamper(database.connection, NOT_SUMMED)
    const isWaiting = () =>
      db.system(
        (sql) => sql(Left)`
          select count(*)::int as "left" from pg_stat_activity
           where datname = current_database() and wait_event_type = 'Lock' and wait_event = 'transactionid'`,
      )
    const redacted = { id: erased?.id ?? '', fields: ['principal' as const], reason: 'erasure request' }
    const redaction = await db.system(async (sql) => {
      expect(await sumDay(sql, id)).toBe(true)
      const redaction = db.system((other) => redactRecord(other, ACTOR, id, redacted))
      while ((await isWaiting())[0]?.left === 0) await sleep(20)
      return { redaction }
    })
    await redaction.redaction
    const day = erased?.timestamp.slice(0, 10) ?? ''
    const ofDay = () =>
      db.system((sql) => sql(Left)`select count(*)::int as "left" from usage_sums where day = ${day}::date`)
    expect(await ofDay()).toEqual([{ left: 0 }])
    expect(await db.system(listStale)).toEqual([{ organization_id: id, day }])
    const figures = await figuresOf(db, id)
    const log = { info() {}, warn: (facts: object) => expect.fail(JSON.stringify(facts)) }
    const keep = createKeepUsage({ db, log, now: Date.now })
    await keep.run()
    await keep.close()
    expect(await ofDay()).not.toEqual([{ left: 0 }])
    expect(await db.system(listUnsummed)).toEqual([])
    expect(await figuresOf(db, id)).toEqual(figures)
  })

  test('that differ from the records of their day are found and mended', async () => {
    await using database = await createDatabase()
    const { db } = database
    const { id } = await addTestOrganization(db, 'acme')
    await db.system((sql) => storeRecords(sql, month(id)))
    const right = await figuresOf(db, id)
    await countAll(db, id)
    expect(await db.system((sql) => checkDay(sql, id, '2026-11-05'))).toBe(true)
    await tamper(database.connection, `update usage_days set calls = calls + 1 where day = '2026-11-05'`)
    await tamper(database.connection, `delete from usage_hours where hour >= '2026-11-07' and hour < '2026-11-08'`)
    await tamper(database.connection, `delete from usage_totals where hour >= '2026-11-09' and hour < '2026-11-10'`)
    await tamper(
      database.connection,
      `update usage_sums set calls = calls + 1 where day = '2026-11-10' and by = 'tool'`,
    )
    await tamper(database.connection, `delete from usage_sums where day = '2026-11-11' and by = 'client'`)
    expect(await figuresOf(db, id)).not.toEqual(right)
    const checked = []
    for (const day of [
      '2026-11-05',
      '2026-11-06',
      '2026-11-07',
      '2026-11-08',
      '2026-11-09',
      '2026-11-10',
      '2026-11-11',
    ])
      checked.push(await db.system((sql) => checkDay(sql, id, day)))
    expect(checked).toEqual([false, true, false, true, false, false, false])
    expect(await figuresOf(db, id)).toEqual(right)
  })

  test('say how many records they lack while a long past is being counted, and two gateways count each once', async () => {
    await using database = await createDatabase()
    const { db } = database
    const { id } = await addTestOrganization(db, 'acme')
    await db.system((sql) => storeRecords(sql, month(id)))
    const right = await figuresOf(db, id)
    await db.system((sql) => countNext(sql, id, 100))
    const source = await db.snapshot(id, (sql) => openSpan(sql, MONTH, DAY, 50))
    expect(source).toMatchObject({ after: 100, until: 100, uncounted: 300 })
    const levels = await db.snapshot(id, (sql) => countLevels(sql, MONTH.to, 10, 50))
    expect(levels.uncounted).toBe(300)
    const log = { info() {}, warn: (facts: object) => expect.fail(JSON.stringify(facts)) }
    const keepers = [1, 2].map(() => createKeepUsage({ db, log, now: Date.now, least: 1 }))
    await Promise.all(keepers.map((keeper) => keeper.run()))
    await Promise.all(keepers.map((keeper) => keeper.run()))
    await Promise.all(keepers.map((keeper) => keeper.close()))
    expect(await figuresOf(db, id, 0)).toEqual(right)
  })
})
