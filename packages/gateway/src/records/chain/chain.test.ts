import { generateKeyPairSync } from 'node:crypto'
import { copyFile, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { OrganizationId } from '@toolway/contract'
import fc from 'fast-check'
import pg from 'pg'
import { expect, test } from 'vitest'
import { z } from 'zod'
import type { Db } from '../../db/db.ts'
import { migrate } from '../../db/migrate.ts'
import { describeEachPostgres } from '../../testing/database.ts'
import { testEntry } from '../../testing/record-entry.ts'
import { recordChange, type Actor, type Change } from '../change.ts'
import { storeRecords, type Entry } from '../records.ts'
import { redactRecord } from '../redact.ts'
import { ForeignCheckpoint, prune } from '../retention.ts'
import { chainLines, type ChainLine } from './chain-lines.ts'
import { fingerprintOf, listUnsigned, signCheckpoint, storeCheckpoint } from './checkpoints.ts'
import { leafOf, chainHash } from './record-hash.ts'
import { verify, type Broken, type Trust, type Verdict } from './verify.ts'

const ORG = 'org_1' as OrganizationId
const newKey = () => ({ id: 'k1', ...generateKeyPairSync('ed25519') })
const KEY = newKey()
const TRUST = { fingerprints: [fingerprintOf(KEY.publicKey)], checkpoints: [] }
const OPERATOR: Actor = {
  id: 'usr_1',
  type: 'user',
  keyId: undefined,
  address: '192.0.2.7',
  userAgent: 'test',
  correlationId: 'c-1',
}
type RecordLine = Extract<ChainLine, { type: 'record' }>
const isRecord = (line: ChainLine): line is RecordLine => line.type === 'record'

/** Changes the database as an intruder with the owner's rights. */
async function tamper(connection: pg.ClientConfig, text: string): Promise<void> {
  const client = new pg.Client(connection)
  await client.connect()
  try {
    await client.query('begin')
    for (const table of ['records', 'record_chains', 'record_checkpoints'])
      await client.query(`alter table ${table} disable trigger user`)
    await client.query(text)
    for (const table of ['records', 'record_chains', 'record_checkpoints'])
      await client.query(`alter table ${table} enable trigger user`)
    await client.query('commit')
  } finally {
    await client.end()
  }
}

async function collected<T>(all: AsyncIterable<T>): Promise<T[]> {
  const held: T[] = []
  for await (const one of all) held.push(one)
  return held
}

const ways = (db: Db) => ({
  add: (...entries: Partial<Entry>[]) =>
    db.system((sql) =>
      storeRecords(
        sql,
        entries.map((more) => testEntry({ org_id: ORG, ...more })),
      ),
    ),
  sign: (key = KEY, organization: string = ORG) =>
    db.system(async (sql) => {
      for (const head of await listUnsigned(sql, organization))
        await storeCheckpoint(sql, signCheckpoint(head, key, new Date()))
    }),
  lines: (organization: string = ORG, after?: number) =>
    collected(chainLines({ look: (work) => db.system(work), organization, now: new Date(), after })),
  async evaluate(trust: Trust = TRUST): Promise<Verdict> {
    const [verdict] = await verify(
      chainLines({ look: (work) => db.system(work), organization: ORG, now: new Date() }),
      trust,
    )
    if (verdict === undefined) throw new Error('no verdict')
    return verdict
  },
})

/** Twelve records, a checkpoint behind the sixth and the last. */
async function written(db: Db) {
  const own = ways(db)
  const batch = Array.from({ length: 6 }, (_, at) => ({ tool_name: `tool ${at}`, ip_address: '192.0.2.1' }))
  await own.add(...batch)
  await own.sign()
  await own.add(...batch)
  await own.sign()
  return own
}

const judgeLines = async (lines: readonly (ChainLine | Broken)[], trust: Trust = TRUST): Promise<Verdict> => {
  const [verdict] = await verify(lines, trust)
  if (verdict === undefined) throw new Error('no verdict')
  return verdict
}

describeEachPostgres('the chain of records', (createDatabase) => {
  test('is numbered without a gap, one chain for each organization and one for the platform', async () => {
    await using database = await createDatabase()
    const own = ways(database.db)
    const other = 'org_2' as OrganizationId
    await own.add({}, { org_id: other }, {}, { org_id: undefined })
    await own.add({ org_id: undefined }, {})
    const seqs = async (name: string) => (await own.lines(name)).filter(isRecord).map(({ seq }) => seq)
    expect([await seqs(ORG), await seqs(other), await seqs('platform')]).toEqual([[1, 2, 3], [1], [1, 2]])
  })

  test('holds what can be computed anew without the database, whatever the texts are', async () => {
    await using database = await createDatabase()
    const own = ways(database.db)
    const odd = fc
      .sample(fc.string({ unit: 'binary', maxLength: 40 }), 60)
      .map((text) => text.replaceAll('\0', ''))
      .concat(['', 'a\tb\n\u001f\u007f\u2028"\\', '{"a": [1, null]}', '💧', 'NULL'])
    await own.add(
      ...odd.map((text) => ({
        method: text,
        tool_name: text,
        client: text,
        user_agent: text,
        code: text,
        detail: { text, deep: [1.5, 1e21, 1e-7, -0, true, null, { [text]: 1 }], 2: 'two', 10: 'ten' },
      })),
    )
    await own.sign()
    expect(await own.evaluate()).toMatchObject({ good: true, records: odd.length, proven: odd.length, warnings: [] })
  })

  test('takes a record that it has already no second time, and moves on', async () => {
    await using database = await createDatabase()
    const own = ways(database.db)
    const [first, second] = [testEntry({ org_id: ORG }), testEntry({ org_id: ORG })]
    await database.db.system((sql) => storeRecords(sql, [first]))
    await database.db.system((sql) => storeRecords(sql, [first, second]))
    await database.db.system((sql) => storeRecords(sql, [second]))
    expect((await own.lines()).filter(isRecord).map(({ id, seq }) => [id, seq])).toEqual([
      [first.id, 1],
      [second.id, 2],
    ])
  })

  test('an organization adds to its own chain, and to no other', async () => {
    await using database = await createDatabase()
    const { db } = database
    await db.organization(ORG, (sql) => storeRecords(sql, [testEntry({ org_id: ORG })]))
    const other = db.organization(ORG, (sql) => storeRecords(sql, [testEntry({ org_id: 'org_2' as OrganizationId })]))
    await expect(other).rejects.toMatchObject({ code: '42501' })
    const shadowed = db.organization(ORG, async (sql) => {
      await sql(z.object({}))`create temporary table records (like public.records) on commit drop`
      await storeRecords(sql, [testEntry({ org_id: ORG })])
    })
    await shadowed.catch(() => undefined)
    expect(await ways(db).evaluate({ fingerprints: [], checkpoints: [] })).toMatchObject({ good: true })
  })

  test('two writers and twenty transactions at once leave no gap and do not block one another for good', async () => {
    await using database = await createDatabase()
    const { db } = database
    const own = ways(db)
    const organizations = [ORG, 'org_2' as OrganizationId, 'org_0' as OrganizationId]
    const writer = async () => {
      for (let at = 0; at < 10; at++)
        await db.system((sql) =>
          storeRecords(
            sql,
            Array.from({ length: 30 }, (_, n) => testEntry({ org_id: organizations[(at + n) % 3] })),
          ),
        )
    }
    const change: Change = { action: 'key.add', resource: 'key', id: 'key_1' }
    const transactions = Array.from({ length: 20 }, (_, at) =>
      db
        .organization(ORG, async (sql) => {
          await recordChange(sql, OPERATOR, ORG, change)
          if (at % 5 === 0) throw new Error('undone')
        })
        .catch(() => undefined),
    )
    await Promise.all([writer(), writer(), ...transactions])
    const seqs = (await own.lines()).filter(isRecord).map(({ seq }) => seq)
    expect(seqs).toEqual(Array.from({ length: 2 * 100 + 16 }, (_, at) => at + 1))
    expect((await own.evaluate({ fingerprints: [], checkpoints: [] })).good).toBe(true)
  })

  const intrusions = [
    ['a field is changed', `update records set outcome = 'failed' where seq = 4`, 'content', 4],
    ['a field that may be redacted is changed', `update records set target = 'x' where seq = 4`, 'content', 4],
    [
      'a moment is changed by a microsecond',
      `update records set at = at + interval '1 microsecond' where seq = 4`,
      'content',
      4,
    ],
    ['a record is removed', 'delete from records where seq = 4', 'gap', 4],
    ['the first records are removed', 'delete from records where seq < 3', 'gap', 1],
    [
      'two records change places',
      `update records set seq = -seq where seq in (4, 5); update records set seq = 9 + seq where seq < 0`,
      'content',
      4,
    ],
    [
      'a record is put in',
      `update records set seq = -seq where seq > 4; update records set seq = 1 - seq where seq < 0;
       insert into records (id, organization_id, at, kind, principal, method, bytes_in, bytes_out, duration_us, outcome, decision,
                            correlation_id, seq, hash, salt)
       select 'rec_x', organization_id, at, kind, principal, method, bytes_in, bytes_out, duration_us, outcome, decision,
              correlation_id, 5, hash, salt from records where seq = 4`,
      'content',
      5,
    ],
    ['the end is removed', 'delete from records where seq > 10', 'end', 11],
    [
      'the end is removed, and the head put back',
      `delete from records where seq > 10;
       update record_chains set seq = 10, hash = (select hash from records where seq = 10)`,
      'end',
      11,
    ],
    ['a value is said to be redacted', `update records set target = null where seq = 4`, 'content', 4],
    ['a checkpoint is moved', `update record_checkpoints set seq = 7 where seq = 6`, 'signature', 7],
    ['everything is removed', 'delete from records', 'end', 1],
  ] as const
  test('shows at which record the database was tampered with, whatever was done', { tags: 'long' }, async () => {
    for (const [what, text, kind, seq] of intrusions) {
      await using database = await createDatabase()
      const own = await written(database.db)
      expect(await own.evaluate(), what).toMatchObject({ good: true, records: 12, proven: 12 })
      await tamper(database.connection, text)
      expect((await own.evaluate()).problem, what).toMatchObject({ kind, seq })
    }
  })

  test('shows that it was written anew as a whole, by its checkpoints and their key', async () => {
    await using database = await createDatabase()
    const own = await written(database.db)
    const lines = await own.lines()
    const forged = forge(lines, (record) => (record.seq === 3 ? { ...record, outcome: 'failed' } : record))
    expect((await judgeLines(forged)).problem).toMatchObject({ kind: 'link', seq: 6 })
    const mine = newKey()
    const signed = forged.map((line) => {
      if (line.type !== 'checkpoint') return line
      const record = forged.filter(isRecord).find(({ seq }) => seq === line.seq)
      const head = { organization_id: ORG, seq: line.seq, hash: record?.hash ?? '' }
      return { type: 'checkpoint' as const, ...signCheckpoint(head, mine, new Date()) }
    })
    expect((await judgeLines(signed)).problem).toMatchObject({ kind: 'signature', seq: 6 })
    // Without a known fingerprint, the answer says what that means.
    const believed = await judgeLines(signed, { fingerprints: [], checkpoints: [] })
    expect(believed).toMatchObject({ good: true, fingerprints: [fingerprintOf(mine.publicKey)] })
    expect(believed.warnings.join()).toContain('a forger could have added their own')
    // And whoever has a checkpoint of the log needs no key.
    const logged = lines.find((line) => line.type === 'checkpoint')
    const kept = logged?.type === 'checkpoint' ? [{ seq: logged.seq, hash: logged.hash }] : []
    const caught = await judgeLines(signed, { fingerprints: [], checkpoints: kept })
    expect(caught.problem).toMatchObject({ kind: 'link', seq: 6 })
  })

  test('shows in an export what was cut off, put in or spoilt', async () => {
    await using database = await createDatabase()
    const own = await written(database.db)
    const lines: (ChainLine | Broken)[] = await own.lines()
    const problem = async (changed: readonly (ChainLine | Broken)[]) => (await judgeLines(changed)).problem
    const at = (seq: number) => lines.findIndex((line) => line.type === 'record' && line.seq === seq)
    expect(await problem(lines)).toBeUndefined()
    expect(await problem(lines.slice(0, at(9)))).toMatchObject({ kind: 'end', seq: 9 })
    expect(await problem([...lines.slice(0, at(9)), ...lines.slice(-1)])).toMatchObject({ kind: 'end', seq: 9 })
    expect(await problem(lines.toSpliced(at(9), 1))).toMatchObject({ kind: 'gap', seq: 9 })
    expect(await problem(lines.toSpliced(at(9), 0, lines[at(9)] as ChainLine))).toMatchObject({ kind: 'order', seq: 9 })
    expect(await problem(lines.toSpliced(at(9), 1, { type: 'broken', line: 11 }))).toMatchObject({
      kind: 'shape',
      seq: 9,
    })
    const first = lines[at(2)] as RecordLine
    expect(await problem(lines.toSpliced(at(2), 1, { ...first, ip_address: null }))).toMatchObject({
      kind: 'content',
      seq: 2,
    })
    expect(await problem(lines.toSpliced(at(2), 1, { ...first, redacted: ['ip_address'] }))).toMatchObject({
      kind: 'content',
      seq: 2,
    })
  })

  test('stays whole when a value is redacted, and says who took it out and why', async () => {
    await using database = await createDatabase()
    const { db, connection } = database
    const own = await written(db)
    const [, record] = (await own.lines()).filter(isRecord)
    const redact = (fields: Parameters<typeof redactRecord>[3]['fields'], reason = 'erasure request 17') =>
      db.system((sql) => redactRecord(sql, OPERATOR, ORG, { id: record?.id ?? '', fields, reason }))
    expect(await redact(['ip_address', 'principal'])).toBe(2)
    expect(await redact(['ip_address'])).toBe(0)
    expect(await redact(['target'])).toBe(1)
    await expect(redact(['client'], ' ')).rejects.toThrow('needs a reason')
    const after = (await own.lines()).filter(isRecord)
    expect(after[1]).toMatchObject({ seq: 2, principal: '[redacted]', ip_address: null, target: null, client: 'c' })
    expect(JSON.stringify(after[1])).not.toContain('192.0.2.1')
    expect(after[1]?.redacted).toEqual(['principal', 'target', 'ip_address'])
    expect(Object.keys(after[1]?.salts ?? {})).toEqual(['client'])
    expect(after.slice(-2).map(({ method, resource_id: id, detail }) => [method, id, detail])).toEqual([
      ['record.redact', record?.id, expect.stringContaining('erasure request 17') as unknown],
      ['record.redact', record?.id, expect.stringContaining('"target"') as unknown],
    ])
    await own.sign()
    expect(await own.evaluate()).toMatchObject({ good: true, proven: 14 })
    await tamper(connection, `update records set ip_address = '192.0.2.99' where seq = 2`)
    expect((await own.evaluate()).problem).toMatchObject({ kind: 'content', seq: 2 })
  })

  test('is pruned up to a signed checkpoint and no further, and what stays is proven from there', async () => {
    await using database = await createDatabase()
    const { db, connection } = database
    const own = ways(db)
    const on = (day: number) => ({ timestamp: `2026-11-${String(day).padStart(2, '0')}T10:00:00.000Z` })
    await own.add(on(1), on(2))
    await own.sign()
    await own.add(on(3), on(4))
    await own.sign()
    await own.add(on(5))
    const pruned = (day: number, keys = [KEY]) =>
      db.system((sql) => {
        const signers = keys.map(({ publicKey }) => fingerprintOf(publicKey))
        return prune(sql, { actor: OPERATOR, organization: ORG, before: new Date(on(day).timestamp), signers })
      })
    await expect(pruned(4, [newKey()])).rejects.toThrow(ForeignCheckpoint)
    expect(await pruned(2)).toBe(0)
    expect(await pruned(4)).toBe(2)
    expect(await pruned(4)).toBe(0)
    await own.sign()
    const lines = await own.lines()
    expect(lines.filter(isRecord).map(({ seq, method }) => [seq, method])).toEqual([
      [3, 'tools/call'],
      [4, 'tools/call'],
      [5, 'tools/call'],
      [6, 'record.prune'],
    ])
    expect(lines.filter(({ type }) => type === 'checkpoint')).toHaveLength(3)
    expect(await own.evaluate()).toMatchObject({ good: true, first: 3, last: 6, proven: 6 })
    await tamper(connection, `update record_chains set anchor_hash = sha256('x')`)
    expect((await own.evaluate()).problem).toMatchObject({ kind: 'link' })
  })

  test('is exported from a record on, and still proven by the checkpoints behind it', async () => {
    await using database = await createDatabase()
    const own = await written(database.db)
    const lines = await own.lines(ORG, 8)
    expect(lines.filter(isRecord).map(({ seq }) => seq)).toEqual([9, 10, 11, 12])
    expect(await judgeLines(lines)).toMatchObject({ good: true, first: 9, proven: 12 })
  })

  test('is made of the records that were there before it, in the order in which they happened', async () => {
    await using database = await createDatabase({ empty: true })
    const { connection, db } = database
    const folder = await mkdtemp(join(tmpdir(), 'toolway-migrations-'))
    const own = new URL('../../db/migrations/', import.meta.url).pathname
    for (const name of await readdir(own)) if (name < '0009') await copyFile(join(own, name), join(folder, name))
    await migrate(connection, { directory: folder })
    await rm(folder, { recursive: true })
    await db.system(
      (sql) => sql(z.object({}))`
      insert into records (id, organization_id, at, kind, principal, method, bytes_in, bytes_out, duration_us, outcome, decision,
                           correlation_id)
      select 'rec_' || n || organization, organization, now() - interval '1 minute' * n, 'call', 'key_1', 'tools/call', 1, 2, 3,
             'ok', 'allow', 'c' from generate_series(1, 6000) n, unnest(array[${ORG}, 'org_2', 'platform']) organization`,
    )
    await migrate(connection)
    const found = (await ways(db).lines()).filter(isRecord)
    expect(found).toHaveLength(6_000)
    expect([found[0]?.id, found.at(-1)?.id]).toEqual([`rec_6000${ORG}`, `rec_1${ORG}`])
    expect(await ways(db).evaluate({ fingerprints: [], checkpoints: [] })).toMatchObject({ good: true, records: 6_000 })
  })
})

/** Change records and compute every hash from there on anew, as one who knows how would. */
function forge(lines: readonly ChainLine[], change: (record: RecordLine) => RecordLine): ChainLine[] {
  let hash = ''
  return lines.map((line) => {
    if (line.type === 'chain') hash = line.after.hash
    if (line.type === 'end') return { ...line, hash }
    if (line.type !== 'record') return line
    const changed = change(line)
    hash = chainHash(hash, leafOf(changed))
    return { ...changed, hash }
  })
}
