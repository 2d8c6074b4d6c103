/** Tests that each migration names the tables that it locks, and builds no index of a table that is there under its lock. */
import pg from 'pg'
import { expect, test } from 'vitest'
import { createTestDatabase } from '../testing/database.ts'
import { listMigrations, OWN_MIGRATIONS, readMigration } from './migration-files.ts'

/** Partitions count as their table. Whoever only reads waits for nobody. */
const LOCKED = `
  select distinct case when c.relispartition then 'records' else c.relname end as name
    from pg_locks l join pg_class c on c.oid = l.relation
   where l.pid = pg_backend_pid() and l.mode <> 'AccessShareLock'
     and c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace`
const TABLES = `
  select relname as name from pg_class
   where relkind in ('r', 'p') and not relispartition and relnamespace = 'public'::regnamespace`
/** Without those of constraints, and without those of partitions. */
const INDEXES = `
  select c.relname as name, t.relname as table from pg_index i
    join pg_class c on c.oid = i.indexrelid join pg_class t on t.oid = i.indrelid
   where c.relnamespace = 'public'::regnamespace and not t.relispartition
     and not exists (select from pg_constraint k where k.conindid = i.indexrelid)`

/** Databases of versions before it are not migrated while a gateway runs on them. */
const OLDEST = '0013_vault'
/** A table that is made anew, with indexes that its partitions have. */
const MADE_ANEW = '0059_record_months'

test('S2-DB-05: each migration names all tables that it locks, so that they are locked first and in one order', async () => {
  await using database = await createTestDatabase({ empty: true })
  const client = new pg.Client(database.connection)
  await client.connect()
  const names = async (text: string) => (await client.query<{ name: string }>(text)).rows.map(({ name }) => name)
  try {
    const unnamed: Record<string, string[]> = {}
    const underLock: Record<string, string[]> = {}
    for (const name of await listMigrations()) {
      const file = await readMigration(OWN_MIGRATIONS, name)
      const [tables, before] = [new Set(await names(TABLES)), new Set(await names(INDEXES))]
      await client.query('begin')
      await client.query(`${file.sql}\n;set constraints all immediate`)
      const missing = (await names(LOCKED)).filter((table) => tables.has(table) && !file.locks.includes(table))
      if (missing.length > 0) unnamed[name] = missing
      const { rows } = await client.query<{ name: string; table: string }>(INDEXES)
      const ahead = new Set(file.indexes.map((index) => index.name))
      const built = rows.filter((index) => tables.has(index.table) && !before.has(index.name) && !ahead.has(index.name))
      if (built.length > 0 && name > OLDEST && name !== MADE_ANEW) underLock[name] = built.map((index) => index.name)
      await client.query('commit')
    }
    expect(unnamed, 'add them to the line "-- locks:" of the file').toEqual({})
    expect(underLock, 'write "create index if not exists", so that it is built ahead').toEqual({})
  } finally {
    await client.end()
  }
})
