/** Tests of the snapshot of a backup beside the job that drops months of records. */
import { generateKeyPairSync } from 'node:crypto'
import type { OrganizationId } from '@toolway/contract'
import pg from 'pg'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { fingerprintOf, listUnsigned, signCheckpoint, storeCheckpoint } from '../../records/chain/checkpoints.ts'
import { dropMonths } from '../../records/months.ts'
import { storeRecords } from '../../records/records.ts'
import { describeEachPostgres } from '../../testing/database.ts'
import { testEntry } from '../../testing/record-entry.ts'
import type { Db, SystemSql } from '../db.ts'
import { withSnapshot, type Snapshot } from './snapshot.ts'

const KEY = { id: 'k1', ...generateKeyPairSync('ed25519') }
const HELD = 20
const now = new Date()
const nextMonth = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1))

/** A month of records with a checkpoint behind it, so that it may be dropped. */
const fill = (db: Db) =>
  db.system(async (sql) => {
    const entry = () => testEntry({ org_id: 'org_1' as OrganizationId, timestamp: now.toISOString() })
    await storeRecords(sql, Array.from({ length: HELD }, entry))
    for (const head of await listUnsigned(sql, undefined)) await storeCheckpoint(sql, signCheckpoint(head, KEY, now))
  })

const drop = (sql: SystemSql) =>
  dropMonths(sql, {
    ...{ before: nextMonth, now: nextMonth, signers: [fingerprintOf(KEY.publicKey)] },
    ...{ actor: { id: 'retention', type: 'system' }, correlationId: 'c' },
  })

/** Rows of a table, as fields of COPY in text form. */
async function read(snapshot: Snapshot, named: string): Promise<Record<string, string>[]> {
  const table = snapshot.tables.find(({ name }) => name === named) ?? expect.fail(`there is no table ${named}`)
  const chunks: Buffer[] = []
  for await (const chunk of snapshot.rows(table)) chunks.push(chunk)
  const lines = Buffer.concat(chunks).toString().split('\n').slice(0, -1)
  return lines.map((line) => Object.fromEntries(line.split('\t').map((field, at) => [table.columns[at] ?? '', field])))
}

/** The chain of the one organization, and the places of its records. */
async function chainOf(snapshot: Snapshot) {
  const [chain] = await read(snapshot, 'record_chains')
  const records = await read(snapshot, 'records')
  return { anchor: Number(chain?.['anchor_seq']), places: records.map(({ seq }) => Number(seq)) }
}

describeEachPostgres('the snapshot of a backup', (createDatabase) => {
  test('has a chain and its records of one moment when a month is dropped as it begins', async () => {
    await using database = await createDatabase()
    const { db, connection } = database
    await fill(db)
    const watch = new pg.Client(connection)
    await watch.connect()
    const isWaiting = async () =>
      (
        await watch.query(
          `select from pg_stat_activity
            where datname = current_database() and application_name = 'toolway backup' and wait_event_type = 'Lock'`,
        )
      ).rowCount
    const { promise: go, resolve: commit } = Promise.withResolvers<void>()
    const { promise: dropped, resolve: told } = Promise.withResolvers<void>()
    const dropping = db.system(async (sql) => {
      expect(await drop(sql)).toHaveLength(1)
      told()
      await go
    })
    try {
      await dropped
      const made = withSnapshot(connection, chainOf)
      await expect.poll(isWaiting).toBe(1)
      commit()
      expect(await made).toEqual({ anchor: HELD, places: [HELD + 1] })
    } finally {
      commit()
      await Promise.all([dropping, watch.end()])
    }
  })

  test('keeps every month until it has ended, and locks every table that is copied', { tags: 'long' }, async () => {
    await using database = await createDatabase()
    const { db, connection } = database
    await fill(db)
    await withSnapshot(connection, async (snapshot) => {
      const locked = await db.system(
        (sql) => sql(z.object({ name: z.string() }))`
          select c.relname::text as name from pg_locks l join pg_class c on c.oid = l.relation
            join pg_stat_activity a on a.pid = l.pid
           where a.application_name = 'toolway backup' and a.datname = current_database() and l.mode = 'AccessShareLock'`,
      )
      expect(locked.map(({ name }) => name)).toEqual(
        expect.arrayContaining([...snapshot.tables.map(({ name }) => name), 'migrations', 'records_before']),
      )
      // The job waits for as long as it may (3 s) and goes on later; calls are recorded meanwhile.
      await expect(db.system(drop)).rejects.toMatchObject({ code: '55P03' })
      await fill(db)
      const { anchor, places } = await chainOf(snapshot)
      expect([anchor, places.length]).toEqual([0, HELD])
    })
    expect(await db.system(drop)).toMatchObject([{ removed: 2 * HELD }])
  })
})
