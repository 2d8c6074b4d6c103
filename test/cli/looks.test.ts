/**
 * Commands on a database that is not theirs to change: one that is empty, of an older or of a newer version, or that may only be read.
 * Whatever they print, the database and the data directory are afterwards as they were before.
 */
// @module-tag long
import { createHash } from 'node:crypto'
import { lstat, readdir, readFile, readlink } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { listMigrations } from '../../packages/gateway/src/db/migration-files.ts'
import { migrate } from '../../packages/gateway/src/db/migrate.ts'
import { describeSchema } from '../../packages/gateway/src/db/schema.ts'
import { makeInstallation, type Installation, type Settings } from './installation.ts'
import { makeDatabase } from './own-database.ts'

const all = await listMigrations()
const OLDER = '0033_lasting_grants'
const NEEDED = all.at(-1)?.slice(0, 4)
const KEY = { MCP_ENCRYPTION_KEY: 'ab'.repeat(32) }

async function query<Row extends pg.QueryResultRow>(url: string, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Row>(text)).rows
  } finally {
    await client.end()
  }
}

/** Its schema, and a hash of the rows of each table. */
async function databaseAsItIs(url: string): Promise<unknown> {
  const tables = await query<{ name: string }>(
    url,
    `select c.oid::regclass::text as name from pg_class c
      where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace order by 1`,
  )
  const rows: Record<string, unknown> = {}
  for (const { name } of tables)
    rows[name] = await query(url, `select count(*)::int, md5(string_agg(t::text, '|' order by t::text)) from ${name} t`)
  return { schema: await describeSchema({ connectionString: url }), rows }
}

/** Names, modes, times and contents. */
async function folderAsItIs(folder: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  const names = await readdir(folder, { recursive: true }).catch(() => undefined)
  for (const name of ['.', ...(names ?? [])]) {
    const path = join(folder, name)
    const state = await lstat(path).catch(() => undefined)
    if (state === undefined) continue
    const content = state.isFile() ? await readFile(path) : state.isSymbolicLink() ? await readlink(path) : ''
    found[name] = `${state.mode} ${state.mtimeMs} ${createHash('sha256').update(content).digest('hex')}`
  }
  return found
}

/** What no command below may change. */
async function asItIs(here: Installation, url: string) {
  return { database: await databaseAsItIs(url), folder: await folderAsItIs(here.data) }
}

async function withUrl(url: string, more: Settings = {}) {
  const here = await makeInstallation({ DATABASE_URL: url, ...KEY, ...more })
  return { here, [Symbol.asyncDispose]: () => here[Symbol.asyncDispose]() }
}

/** One of each kind: carried out in this process, through the store itself, by the vault, and the doctor. */
const REFUSED = [
  ['connection', 'list'],
  ['records', 'verify'],
  ['vault', 'status'],
  ['org', 'add', 'acme'],
  ['connection', 'add', 'x', 'https://x.example/mcp'],
]

describe('a command', () => {
  test('refuses an empty database in words, and leaves it empty', async () => {
    await using database = await makeDatabase()
    await using opened = await withUrl(database.url)
    const { here } = opened
    for (const words of REFUSED)
      expect(await here.run(words), words.join(' ')).toMatchObject({
        code: 1,
        out: '',
        err: 'Toolway has not been set up in this database yet. Start it once, or run `toolway migrate` and then start it.\n',
      })
    expect((await here.run(['doctor'])).out).toMatch(
      /^BAD +database: Toolway has not been set up in this database yet/m,
    )
    expect(
      await query(database.url, `select relname from pg_class where relnamespace = 'public'::regnamespace`),
    ).toEqual([])
    expect(await folderAsItIs(here.data)).toEqual({})
  })

  test('refuses a database of an older version in words, and a gateway of that version could start again', async () => {
    await using database = await makeDatabase()
    await using opened = await withUrl(database.url)
    const { here } = opened
    await migrate({ connectionString: database.url }, { only: new Set(all.filter((name) => name <= OLDER)) })
    const before = await asItIs(here, database.url)
    const sentence = `The database is at 0033, this version of Toolway needs ${NEEDED}: run \`toolway migrate\`.`
    for (const words of REFUSED)
      expect(await here.run(words), words.join(' ')).toMatchObject({ code: 1, out: '', err: `${sentence}\n` })
    const doctor = await here.run(['doctor'])
    expect(doctor).toMatchObject({ code: 1, out: expect.stringContaining(`BAD   database: ${sentence}`) })
    expect(await asItIs(here, database.url)).toEqual(before)

    expect(await here.run(['migrate'])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/migrations were applied/),
    })
    expect((await here.run(['connection', 'list'])).err).toMatch(/^Toolway has not been set up in this database yet/)
    await query(database.url, `insert into migrations (name, run_on) values ('9000_later', now())`)
    expect((await here.run(['connection', 'list'])).err).toBe(
      `The database is at 9000, this version of Toolway ends at ${NEEDED}: use the version that migrated it, or a later one.\n`,
    )
    expect(await here.run(['migrate'])).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^The database was migrated by a newer version of Toolway .*\n$/),
    })
  })

  test('that only looks changes nothing in the database and in the data directory', async () => {
    await using database = await makeDatabase()
    await using opened = await withUrl(database.url)
    const { here } = opened
    const running = await here.start()
    await running.stop()
    const before = await asItIs(here, database.url)
    // Not `records export`, which signs the end of the chain.
    const looks = [
      ['doctor'],
      ['status'],
      ['connection', 'list'],
      ['key', 'list'],
      ['user', 'list'],
      ['lock', 'show'],
      ['approval', 'list'],
      ['policy', 'list'],
      ['policy', 'shadow'],
      ['records', 'list'],
      ['records', 'verify'],
      ['vault', 'status'],
      ['export'],
    ]
    for (const words of looks) {
      const { code, err } = await here.run(words)
      expect({ words, err, failed: code !== 0 && code !== 2 }).toEqual({
        words,
        err: expect.any(String),
        failed: false,
      })
    }
    expect(await asItIs(here, database.url)).toEqual(before)
  })
})

describe('the doctor', () => {
  test('works with a session that may only read, and with a data directory that does not exist', async () => {
    await using database = await makeDatabase()
    await using opened = await withUrl(database.url)
    const { here } = opened
    const running = await here.start()
    await running.stop()
    const before = await asItIs(here, database.url)
    const reading = new URL(database.url)
    reading.searchParams.set('options', '-c default_transaction_read_only=on')
    const nowhere = join(here.folder, 'nowhere')
    const { out, code } = await here.run(['doctor'], {
      settings: { DATABASE_URL: reading.href, TOOLWAY_DATA: nowhere },
    })
    expect(out).toMatch(/^ok +database: reachable, and its schema is up to date$/m)
    expect(out).toMatch(/^ok +connection demo: /m)
    expect(out).toMatch(/^BAD +database: it is read-only: /m)
    expect(code).toBe(1)
    await expect(lstat(nowhere)).rejects.toThrow('ENOENT')
    expect(await asItIs(here, database.url)).toEqual(before)
  })

  test('tells an account without rights what it lacks, and makes nothing', async () => {
    await using database = await makeDatabase()
    await using opened = await withUrl(database.url)
    const { here } = opened
    await migrate({ connectionString: database.url })
    const role = `looker_${Date.now()}`
    await query(
      database.url,
      `create role ${role} login password 'x'; alter role ${role} set default_transaction_read_only = on`,
    )
    try {
      const url = new URL(database.url)
      url.searchParams.set('user', role)
      url.searchParams.set('password', 'x')
      if (url.username !== '') [url.username, url.password] = [role, 'x']
      const before = await asItIs(here, database.url)
      const { out, code } = await here.run(['doctor'], { settings: { DATABASE_URL: url.href } })
      expect(out).toMatch(/^BAD +database: .*permission denied/m)
      expect(code).toBe(1)
      expect(await asItIs(here, database.url)).toEqual(before)
    } finally {
      await query(database.url, `drop role ${role}`)
    }
  })

  test('starts no embedded database, and leaves the data directory as it is', async () => {
    await using here = await makeInstallation()
    const running = await here.start()
    await running.stop()
    const before = await folderAsItIs(here.data)
    const { out, code } = await here.run(['doctor'])
    expect(out).toMatch(/^note +database: the embedded database does not run/m)
    expect(code).toBe(0)
    expect(await folderAsItIs(here.data)).toEqual(before)
  })
})
