/** Tests that a database of any age is migrated to the schema of this program, regardless of interruptions. */
import { spawn } from 'node:child_process'
import { copyFile, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { expect, test } from 'vitest'
import { describeEachPostgres } from '../testing/database.ts'
import { migrate } from './migrate.ts'
import { describeSchema } from './schema.ts'

const folder = fileURLToPath(new URL('migrations/', import.meta.url))
const files = (await readdir(folder)).sort()
const names = files.map((file) => file.replace('.sql', ''))
/** Databases of every eighth version are brought to the newest in one run; all are brought to the version after theirs. */
const EVERY = 8

/** A folder with the first so many migrations and what else is given. */
async function folderWith(count: number, more: Record<string, string> = {}) {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'toolway-migrations-'))
  for (const file of files.slice(0, count)) await copyFile(path.join(folder, file), path.join(directory, file))
  for (const [file, text] of Object.entries(more)) await writeFile(path.join(directory, file), text)
  return { directory, [Symbol.asyncDispose]: () => rm(directory, { recursive: true }) }
}

async function query(connection: pg.ClientConfig, text: string): Promise<unknown[]> {
  const client = new pg.Client(connection)
  await client.connect()
  try {
    return (await client.query({ text, rowMode: 'array' })).rows.flat()
  } finally {
    await client.end()
  }
}

/** Each with the index of its partitioned table, where it is a part of one. */
const INDEXES = `
  select c.relname || ' of ' || coalesce(h.inhparent::regclass::text, 'its table') || case when i.indisvalid then '' else ' (invalid)' end
    from pg_index i join pg_class c on c.oid = i.indexrelid left join pg_inherits h on h.inhrelid = i.indexrelid
   where c.relnamespace = 'public'::regnamespace order by c.relname`

const applied = (connection: pg.ClientConfig) => query(connection, 'select name from migrations order by id')

/** Runs migrate() in a process of its own, so that it can be killed. */
function migrateElsewhere(connection: pg.ClientConfig, directory: string) {
  const code = `import { migrate } from ${JSON.stringify(new URL('migrate.ts', import.meta.url).href)}
    await migrate(${JSON.stringify(connection)}, { directory: ${JSON.stringify(directory)} })`
  const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', code], { stdio: 'ignore' })
  return { child, ended: new Promise((resolve) => child.once('exit', resolve)) }
}

describeEachPostgres('migrations', (createDatabase) => {
  test('S2-DB-05: run forward from any earlier version and are repeatable', { tags: 'long' }, async () => {
    await using whole = await createDatabase()
    const wanted = await describeSchema(whole.connection)
    const indexes = await query(whole.connection, INDEXES)
    // One database is each version in turn, brought to the next by a run of its own.
    await using stepped = await createDatabase({ empty: true })
    for (let count = 1; count <= files.length; count++) {
      await using earlier = await folderWith(count)
      expect(await migrate(stepped.connection, earlier)).toEqual(names.slice(count - 1, count))
    }
    expect(await migrate(stepped.connection)).toEqual([])
    expect(await describeSchema(stepped.connection)).toBe(wanted)
    expect(await query(stepped.connection, INDEXES)).toEqual(indexes)
    for (let count = 0; count < files.length; count += EVERY) {
      await using database = await createDatabase({ empty: true })
      await using earlier = await folderWith(count)
      expect(await migrate(database.connection, earlier)).toEqual(names.slice(0, count))
      expect(await migrate(database.connection)).toEqual(names.slice(count))
      expect(await migrate(database.connection)).toEqual([])
      expect(await describeSchema(database.connection)).toBe(wanted)
      // Those of partitions too, which may have been built ahead.
      expect(await query(database.connection, INDEXES)).toEqual(indexes)
    }
  })

  test('S2-DB-05: run in one transaction: killed in the middle, nothing has changed, and a restart does it', async () => {
    await using database = await createDatabase({ empty: true })
    await using before = await folderWith(2)
    await migrate(database.connection, before)
    const slow = 'create table half (id int); select pg_sleep(3); create table other_half (id int);'
    const first = { '0003_first.sql': 'create table first (id int);' }
    await using slowly = await folderWith(2, { ...first, '0004_slow.sql': slow })
    const { child, ended } = migrateElsewhere(database.connection, slowly.directory)
    const sleeping = `select 1 from pg_stat_activity where datname = current_database() and query like '%pg_sleep(3)%' and pid <> pg_backend_pid()`
    await expect.poll(() => query(database.connection, sleeping)).toEqual([1])
    child.kill('SIGKILL')
    await ended
    expect(await applied(database.connection)).toEqual(names.slice(0, 2))
    expect(await query(database.connection, `select to_regclass('first'), to_regclass('half')`)).toEqual([null, null])
    // The version before starts on it as ever.
    expect(await migrate(database.connection, before)).toEqual([])

    await using quickly = await folderWith(2, { ...first, '0004_slow.sql': slow.replace('select pg_sleep(3);', '') })
    // Waits for the lock of the dead one to go.
    expect(await migrate(database.connection, quickly)).toEqual(['0003_first', '0004_slow'])
    expect(
      await query(database.connection, `select to_regclass('half')::text, to_regclass('other_half')::text`),
    ).toEqual(['half', 'other_half'])
  })

  test('that fail undo all that ran with them, and say which was wrong', async () => {
    await using database = await createDatabase({ empty: true })
    await using before = await folderWith(1)
    await migrate(database.connection, before)
    await using broken = await folderWith(1, {
      '0002_good.sql': 'create table whole (id int);',
      '0003_broken.sql': 'create table half (id int); select 1 / 0;',
    })
    const errors: unknown[] = []
    const log = {
      debug() {},
      info() {},
      warn() {},
      error: (facts: object, text: string) => void errors.push({ ...facts, text }),
    }
    await expect(migrate(database.connection, { ...broken, log })).rejects.toThrow(
      'the migration 0003_broken failed (division by zero): the database is unchanged, and the previous version can run on it',
    )
    expect(errors).toEqual([{ migration: '0003_broken', text: 'a migration failed' }])
    expect(await applied(database.connection)).toEqual(names.slice(0, 1))
    expect(await query(database.connection, `select to_regclass('whole'), to_regclass('half')`)).toEqual([null, null])
    expect(await migrate(database.connection, before)).toEqual([])
    expect(await migrate(database.connection)).toEqual(names.slice(1))
  })

  test('keep every rule that was there, in the words that rules have now', async () => {
    await using database = await createDatabase({ empty: true })
    await using before = await folderWith(names.indexOf('0023_rules'))
    await migrate(database.connection, before)
    await query(
      database.connection,
      `insert into rules (id, tool_name_pattern, action, reason, connector_type, active, created_by)
       values ('rul_A', '*_delete_*', 'block', 'No.', null, true, 'usr_1'),
              ('rul_b', 'shell', 'warn', 'Look.', 'mcp.process', false, 'usr_1')`,
    )
    await migrate(database.connection)
    const kept = `select jsonb_build_array(id, name, match, action, parameters, reason, state, created_by) from rules order by reason`
    expect(await query(database.connection, kept)).toEqual([
      ['rul_b', 'rul-b', { tools: ['shell'], connectors: ['mcp.process'] }, 'warn', {}, 'Look.', 'off', 'usr_1'],
      ['rul_A', 'rul-a', { tools: ['*_delete_*'] }, 'block', {}, 'No.', 'on', 'usr_1'],
    ])
  })

  test('run once when five replicas start at the same time', async () => {
    await using database = await createDatabase({ empty: true })
    const ran = await Promise.all(Array.from({ length: 5 }, () => migrate(database.connection)))
    expect(ran.filter(({ length }) => length > 0)).toEqual([names])
    expect(await applied(database.connection)).toEqual(names)
  })

  test('of several databases of one server may run at the same time', { tags: 'long' }, async () => {
    const databases = await Promise.all(Array.from({ length: 4 }, () => createDatabase({ empty: true })))
    try {
      const ran = await Promise.all(databases.map(({ connection }) => migrate(connection)))
      expect(ran).toEqual(Array.from({ length: 4 }, () => names))
    } finally {
      for (const database of databases) await database[Symbol.asyncDispose]()
    }
  })

  test('refuse a database that a newer program has shaped, and touch nothing', async () => {
    await using database = await createDatabase({ empty: true })
    await using newer = await folderWith(files.length, { '9000_later.sql': 'create table later (id int);' })
    await migrate(database.connection, newer)
    await expect(migrate(database.connection)).rejects.toThrow(/newer version of Toolway.*9000_later/)
    expect(await applied(database.connection)).toEqual([...names, '9000_later'])
  })
})
