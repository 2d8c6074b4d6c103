/** Tests of making, verifying and restoring a backup where rows are many, long, or not what a database writes. */
// @module-tag long
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { expect, test } from 'vitest'
import { withSnapshot } from '../../db/backup/snapshot.ts'
import { createTestDatabase, describeEachPostgres, type TestDatabase } from '../../testing/database.ts'
import { makeAgeKeys } from '../../testing/age-keys.ts'
import { storeRecords } from '../../records/records.ts'
import { testEntry } from '../../testing/record-entry.ts'
import type { OrganizationId } from '@toolway/contract'
import { partsOf, writeRoughBackup } from '../../testing/rough-backup.ts'
import { makeBackup } from './make-backup.ts'
import type { Manifest } from './manifest.ts'
import { verifyBackup } from './read-backup.ts'
import { restoreBackup } from './restore-backup.ts'

/** A key pair takes no time, where a passphrase is stretched on purpose. */
const { recipient, identity } = await makeAgeKeys()
const lock = { recipients: [recipient] }
const opener = { identities: [identity] }

/** Every type that a column of this program has, and texts that are hard to cut. */
const SCHEMA = `
  create table installation (name text primary key, value jsonb not null);
  create table every_type (
    id bigint primary key, a integer not null, b boolean not null, c text, d bytea, e jsonb, f json, g text[], h xid8,
    i timestamptz, j timestamp, k varchar(255), l text not null default '', m double precision, n date,
    o smallint[], p integer[]
  );
  create table long_texts (id bigint primary key, text text not null);
  create table long_bytes (id bigint primary key, bytes bytea not null);
  create table empty_one (id bigint primary key);`

const HARD = String.raw`E'tab\there\nline\r\nbreak \\. \\N \\\\x00 \\t \b\f\v "quoted" \u00e4\u20ac\U0001F600\u2028 end\\'`
const FILL = `
  insert into installation values ('note', '{"text": "a\\nb\\\\c"}');
  insert into every_type
    select g, g, g % 2 = 0, case when g % 3 > 0 then repeat(${HARD}, (g % 7)::int) end, decode(repeat('00ff0a5c09', (g % 50)::int), 'hex'),
           jsonb_build_object('text', ${HARD}, 'n', g, 'none', null), json_build_array(${HARD}, g),
           array[${HARD}, null, '', 'NULL', g::text], pg_current_xact_id(),
           now() - g * interval '1 day 1 microsecond', localtimestamp + g * interval '1 hour', ${HARD}, '', g / 7.0,
           current_date - g, array[g % 100, null, -1]::smallint[], array[g, null, -2147483648]
      from generate_series(-2000, 6000) g;
  insert into every_type (id, a, b, h, i) values (9e18, -2147483648, true, null, 'infinity'), (-9e18, 0, false, null, '0044-03-15 BC');
  insert into long_texts select g, repeat(${HARD} || g, 40000 * (g % 2)::int + 10) from generate_series(1, 4) g;
  insert into long_bytes select g, decode(repeat('00ff0a5c09' || lpad(to_hex(g), 4, '0'), 2000), 'hex') from generate_series(1, 200) g;`

const TABLES = ['installation', 'every_type', 'long_texts', 'long_bytes', 'empty_one']

async function ask(connection: pg.ClientConfig, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(connection)
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(text)).rows
  } finally {
    await client.end()
  }
}

/** Every row of each table, as one hash. */
const hashes = (connection: pg.ClientConfig) =>
  Promise.all(
    TABLES.map((name) =>
      ask(connection, `select count(*), md5(string_agg(md5(t::text), '' order by md5(t::text))) from ${name} t`),
    ),
  )

/** A folder, and a schema of one migration in it. */
async function makeFolder() {
  const folder = await mkdtemp(join(tmpdir(), 'toolway-backup-'))
  await writeFile(join(folder, '0001_every_type.sql'), SCHEMA)
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) }
}

async function fill({ connection }: TestDatabase): Promise<void> {
  await ask(connection, SCHEMA)
  await ask(
    connection,
    'create table migrations (id serial primary key, name text not null, run_on timestamp not null)',
  )
  await ask(connection, `insert into migrations (name, run_on) values ('0001_every_type', now())`)
  await ask(connection, FILL)
}

const restoreTo = ({ connection }: TestDatabase, folder: string, file: string) =>
  restoreBackup({
    ...{ file, opener, directory: folder, migrations: folder, folder: undefined },
    sources: { directory: folder, find: () => Promise.resolve({ keys: [], notes: [] }) } as never,
    openDatabase: () => Promise.resolve({ connection, stop: () => Promise.resolve() }),
  })

const made = { version: '1.0.0', now: new Date(), keys: undefined, files: 'none' } as const

describeEachPostgres('a backup', (createDatabase) => {
  test('of tables of many MiB brings back every value of every type, whatever stands where a chunk ends', async () => {
    await using folder = await makeFolder()
    await using from = await createDatabase({ empty: true })
    await using to = await createDatabase({ empty: true })
    await fill(from)
    const file = join(folder.folder, 'b.toolway')
    const { tables } = await makeBackup({ connection: from.connection, file, lock, ...made })
    expect(tables['every_type']?.bytes).toBeGreaterThan(5 * 1024 * 1024)
    expect(tables['long_texts']?.bytes).toBeGreaterThan(5 * 1024 * 1024)
    expect((await verifyBackup({ file, opener })).closing.tables).toEqual(tables)
    const { rows } = await restoreTo(to, folder.folder, file)
    expect(rows).toBe(1 + 8003 + 4 + 200)
    expect(await hashes(to.connection)).toEqual(await hashes(from.connection))
    // Cut off within the rows of a table, as where a process was killed.
    const bytes = await readFile(file)
    await writeFile(file, bytes.subarray(0, Math.floor(bytes.length / 2)))
    await expect(verifyBackup({ file, opener })).rejects.toThrow('it is not a backup, or it was changed or cut off')
  })

  test('of an earlier version, whose parts end within rows, is verified and restored', { tags: 'long' }, async () => {
    await using folder = await makeFolder()
    await using from = await createDatabase({ empty: true })
    await fill(from)
    const file = join(folder.folder, 'old.toolway')
    const old = await withSnapshot(from.connection, async (snapshot) => {
      const tables: Record<string, Buffer> = {}
      for (const table of snapshot.tables) {
        const chunks: Buffer[] = []
        for await (const chunk of snapshot.rows(table)) chunks.push(chunk)
        tables[table.name] = Buffer.concat(chunks)
      }
      return { tables, described: snapshot.tables.map(({ name, columns }) => ({ name, columns: [...columns] })) }
    })
    const manifest: Manifest = { ...MANIFEST, format: 'toolway backup 1', tables: old.described }
    // Borders within rows, within values, and within characters.
    for (const length of [1024 * 1024 + 1, 99_991]) {
      await using to = await createDatabase({ empty: true })
      const tables = Object.fromEntries(
        Object.entries(old.tables).map(([name, bytes]) => [name, partsOf(bytes, length)]),
      )
      await writeRoughBackup({ file, lock, manifest, tables })
      const { rows } = await restoreTo(to, folder.folder, file)
      expect(rows).toBe(1 + 8003 + 4 + 200)
      expect(await hashes(to.connection)).toEqual(await hashes(from.connection))
    }
  })

  test(
    'has the same bytes whatever the forms are that a server is set to write values in',
    { tags: 'long' },
    async () => {
      await using folder = await makeFolder()
      await using from = await createDatabase({ empty: true })
      await using to = await createDatabase({ empty: true })
      await fill(from)
      const { database } = from.connection
      const set = (setting: string) =>
        ask(from.connection, `alter database ${pg.escapeIdentifier(database)} set ${setting}`)
      const before = await makeBackup({ connection: from.connection, file: join(folder.folder, 'a'), lock, ...made })
      await set(`datestyle = 'German, DMY'`)
      await set(`timezone = 'Australia/Adelaide'`)
      await set(`bytea_output = 'escape'`)
      const file = join(folder.folder, 'b')
      const after = await makeBackup({ connection: from.connection, file, lock, ...made })
      expect(after.tables).toEqual(before.tables)
      await restoreTo(to, folder.folder, file)
      await ask(from.connection, `alter database ${pg.escapeIdentifier(database)} reset all`)
      expect(await hashes(to.connection)).toEqual(await hashes(from.connection))
    },
  )
})

test('every type of a column of this program is one that a backup is tested with', async () => {
  await using own = await createTestDatabase()
  await using tested = await createTestDatabase({ empty: true })
  await ask(tested.connection, SCHEMA)
  const types = async ({ connection }: TestDatabase) =>
    (
      await ask(
        connection,
        `select distinct format_type(a.atttypid, a.atttypmod) as type from pg_attribute a join pg_class c on c.oid = a.attrelid
          where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and a.attnum > 0 and not a.attisdropped
            and c.relname <> 'migrations'`,
      )
    ).map(({ type }) => type)
  expect(await types(tested)).toEqual(expect.arrayContaining(await types(own)))
})

const MANIFEST: Manifest = {
  ...{ format: 'toolway backup 2', version: '1.0.0', made_at: new Date().toISOString() },
  ...{ migrations: ['0001_every_type'], tables: [], months: [], vault_keys: [], with_keys: false, wrapped_keys: [] },
  files: 'none',
}
const PAIRS = {
  ...{ name: 'pairs', columns: ['id', 'value', 'note'], types: ['bigint', 'jsonb', 'text'], required: ['id', 'value'] },
}

test('verify refuses what a restore could not read, although counts and hashes are right', async () => {
  await using folder = await makeFolder()
  const file = join(folder.folder, 'rough')
  const verdictOf = async (text: string, table: Manifest['tables'][number] = PAIRS) => {
    await writeRoughBackup({
      file,
      lock,
      manifest: { ...MANIFEST, tables: [table] },
      tables: { pairs: [Buffer.from(text)] },
    })
    return verifyBackup({ file, opener }).then(
      () => 'good',
      (thrown: Error) => thrown.message,
    )
  }
  const good = '1\t{"a": 1}\tx\n'
  expect(await verdictOf(good)).toBe('good')
  const { types: _types, required: _required, ...untyped } = PAIRS
  const broken: readonly (readonly [string, string, boolean])[] = [
    [
      `${good}2\t{}\n`,
      'row 2 of the table pairs cannot be restored, because it has 2 fields where the table has 3',
      true,
    ],
    [`${good}2\t{}\tx\ty\n`, 'it has 4 fields', true],
    [`${good}2\t{}\tx`, 'its last row is cut off', true],
    [`${good}2\t{}\t\\q\n`, 'unknown escape', true],
    [`${good}2x\t{}\tx\n`, 'its column id is not of the type bigint', false],
    [`2\t{"a"\tx\n`, 'its column value is not of the type jsonb', false],
    [`\\N\t{}\tx\n`, 'its column id is null', false],
  ]
  for (const [text, words, isSeenWithoutTypes] of broken) {
    expect(await verdictOf(text)).toContain(words)
    // A backup of the first format names no types: its rows are verified by their number of fields.
    expect(await verdictOf(text, untyped)).toContain(isSeenWithoutTypes ? words : 'good')
  }
})

test('the records of a backup are proven by their chain, and one that is not valid is named', async () => {
  await using folder = await makeFolder()
  await using database = await createTestDatabase()
  await database.db.system((sql) =>
    storeRecords(
      sql,
      ['org_1', 'org_2', 'org_1'].map((org) =>
        testEntry({ org_id: org as OrganizationId, detail: { text: 'tab\t ä€ \\ \n' }, ip_address: '192.0.2.1' }),
      ),
    ),
  )
  const file = join(folder.folder, 'b.toolway')
  await makeBackup({ connection: database.connection, file, lock, ...made })
  const { chains } = await verifyBackup({ file, opener })
  expect(chains?.toSorted((one, other) => one.organization_id.localeCompare(other.organization_id))).toMatchObject([
    { organization_id: 'org_1', good: true, records: 2 },
    { organization_id: 'org_2', good: true, records: 1 },
  ])
  await ask(
    database.connection,
    `alter table records disable trigger user; update records set outcome = 'failed' where organization_id = 'org_1' and seq = 2`,
  )
  const changed = join(folder.folder, 'changed.toolway')
  await makeBackup({ connection: database.connection, file: changed, lock, ...made })
  expect((await verifyBackup({ file: changed, opener })).chains).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ organization_id: 'org_1', good: false, problem: expect.stringContaining('record 2') }),
    ]),
  )
})
