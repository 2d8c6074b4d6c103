/**
 * Updates of a database that gateways of an older version use meanwhile: from each schema that a release had, with the SQL of that
 * schema. It proves that nobody sees a deadlock, that no record is lost and that the chain holds; how long an append waited is printed.
 */
// @module-tag long
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { expect, test } from 'vitest'
import type { Db } from '../../db/db.ts'
import { DatabaseBusy } from '../../db/database-busy.ts'
import { listMigrations, OWN_MIGRATIONS } from '../../db/migration-files.ts'
import { migrate } from '../../db/migrate.ts'
import { describeEachPostgres } from '../../testing/database.ts'
import { chainLines } from './chain-lines.ts'
import { verify } from './verify.ts'

/** Where versions ended that somebody may run. */
const RELEASED = [
  '0013_vault',
  '0033_lasting_grants',
  '0042_spent_aliases',
  '0053_files_of_platform_keys',
  '0062_stream_readers',
]
const all = await listMigrations()
const ORGANIZATIONS = ['org_1', 'org_2']
const RECORDS = 20_000

const append = (organization: string, ids: string, from: string) => `
  select append_records('${organization}', array_agg(${ids}), array_agg(now() - interval '40 days' + g * interval '1 minute'),
    array_agg('call'::text), array_agg('key_' || g % 9), array_agg(null::text), array_agg(null::text), array_agg('demo'::text),
    array_agg('tools/call'::text), array_agg('demo__now'::text), array_agg(null::text), array_agg(null::text), array_agg(null::text),
    array_agg(1), array_agg(1), array_agg(1), array_agg('failed'::text), array_agg('upstream.error'::text), array_agg('allow'::text),
    array_agg('c' || g), array_agg('user'::text), array_agg(null::text), array_agg(null::text), array_agg(null::text),
    array_agg(null::text), array_agg(null::jsonb)) from ${from} g`

/** A gateway of the version before: every loop is one of its connections, and none of them pauses. */
function oldGateway(connection: pg.ClientConfig) {
  const [stored, failures]: [string[], string[]] = [[], []]
  let [going, longest, count] = [true, 0, 0]
  const loop = async (work: (client: pg.Client) => Promise<void>) => {
    const client = new pg.Client(connection)
    await client.connect()
    while (going)
      await work(client).catch(async (thrown: Error) => {
        failures.push(thrown.message)
        await client.query('rollback')
      })
    await client.end()
  }
  const add = async (client: pg.Client, organization: string) => {
    const id = `rec_w${count++}`
    const began = performance.now()
    await client.query(append(organization, `'${id}'::text`, 'generate_series(1, 1)'))
    longest = Math.max(longest, performance.now() - began)
    return id
  }
  const writer = (organization: string) => loop(async (client) => void stored.push(await add(client, organization)))
  /** A change and its record in one transaction. No two of these wait for each other; each may wait for a migration. */
  const changer = (organization: string, first: 'change' | 'record', change: string) =>
    loop(async (client) => {
      await client.query('begin')
      if (first === 'change') await client.query(change)
      const id = await add(client, organization)
      if (first === 'record') await client.query(change)
      await client.query('commit')
      stored.push(id)
    })
  const reader = () =>
    loop(async (client) => {
      await client.query(
        `select count(*) from records join organizations o on o.id = organization_id where code is not null`,
      )
      await client.query(`select * from connections c left join catalogs k on k.connection_id = c.id join keys on true`)
    })
  const loops = [
    ...[...ORGANIZATIONS, 'org_1'].map(writer),
    changer('org_1', 'change', `update connections set title = title || '' where organization_id = 'org_1'`),
    changer('org_2', 'record', `update organizations set name = name || '' where id = 'org_2'`),
    reader(),
  ]
  const end = async () => {
    going = false
    await Promise.all(loops)
  }
  return {
    stored,
    failures,
    longest: () => Math.round(longest),
    end,
    [Symbol.asyncDispose]: end,
  }
}

async function query(connection: pg.ClientConfig, text: string): Promise<string[]> {
  const client = new pg.Client(connection)
  await client.connect()
  try {
    return (await client.query<string[]>({ text, rowMode: 'array' })).rows.flat()
  } finally {
    await client.end()
  }
}

async function fill(connection: pg.ClientConfig): Promise<void> {
  await query(
    connection,
    `insert into organizations (id, slug, name, origin)
    select 'org_' || n, 'o' || n, 'O', 'test' from generate_series(1, 2) n`,
  )
  await query(
    connection,
    `insert into connections (id, organization_id, alias, title, connector, settings, enabled, origin)
    select 'con_' || n, 'org_' || n, 'demo', 'D', 'mcp.http', '{"connector": "mcp.http", "url": "https://a.example"}', true, 'test'
      from generate_series(1, 2) n`,
  )
  for (const organization of ORGANIZATIONS)
    await query(connection, append(organization, `'rec_${organization}_' || g`, `generate_series(1, ${RECORDS / 2})`))
}

async function expectWhole(db: Db, connection: pg.ClientConfig, stored: readonly string[]): Promise<void> {
  const kept = new Set(await query(connection, `select id from records`))
  expect(stored.filter((id) => !kept.has(id))).toEqual([])
  expect(kept.size).toBe(RECORDS + stored.length)
  for (const organization of ORGANIZATIONS) {
    const lines = chainLines({ look: (work) => db.system(work), organization, now: new Date() })
    expect(await verify(lines, { fingerprints: [], checkpoints: [] })).toMatchObject([{ good: true }])
  }
}

describeEachPostgres('an update of a database that is in use', (createDatabase) => {
  test.for(RELEASED)('from %s succeeds while the version before writes and reads', async (last) => {
    await using database = await createDatabase({ empty: true })
    const { connection, db } = database
    await migrate(connection, { only: new Set(all.filter((name) => name <= last)) })
    await fill(connection)
    await using old = oldGateway(connection)
    await expect.poll(() => old.stored.length).toBeGreaterThan(50)
    await migrate(connection)
    const during = old.stored.length
    await expect.poll(() => old.stored.length).toBeGreaterThan(during + 50)
    await old.end()
    console.log(`from ${last}: ${old.stored.length} records meanwhile, the longest append took ${old.longest()} ms`)
    expect(old.failures).toEqual([])
    expect(await query(connection, 'select name from migrations order by id')).toEqual(all)
    await expectWhole(db, connection, old.stored)
  })

  test('that fails at its end leaves the version before as it was, and able to start', async () => {
    await using database = await createDatabase({ empty: true })
    const { connection, db } = database
    const before = all.filter((name) => name <= '0033_lasting_grants')
    await using released = await folderOf(before)
    await using broken = await folderOf(all, { '9000_broken.sql': 'create table half (id int); select 1 / 0;' })
    await migrate(connection, released)
    await fill(connection)
    await using old = oldGateway(connection)
    await expect.poll(() => old.stored.length).toBeGreaterThan(50)
    await expect(migrate(connection, broken)).rejects.toThrow(/^the migration 9000_broken failed .*unchanged/)
    expect(await migrate(connection, released)).toEqual([])
    const during = old.stored.length
    await expect.poll(() => old.stored.length).toBeGreaterThan(during + 50)
    await migrate(connection)
    await old.end()
    expect(old.failures).toEqual([])
    await expectWhole(db, connection, old.stored)
  })

  test('says which table is busy where somebody keeps it, and is done once it is free', async () => {
    await using database = await createDatabase({ empty: true })
    const { connection } = database
    await using released = await folderOf(all.filter((name) => name <= '0062_stream_readers'))
    await migrate(connection, released)
    const dump = new pg.Client(connection)
    await dump.connect()
    await dump.query('begin; select from tool_locks')
    const failed = await migrate(connection, { tries: { most: 2, first: 10, longest: 10 } }).catch(
      (thrown: unknown) => thrown,
    )
    expect(failed).toBeInstanceOf(DatabaseBusy)
    expect((failed as Error).message).toMatch(/^the table tool_locks was busy: .* tried 2 times .* unchanged/)
    expect(await migrate(connection, released)).toEqual([])
    const later = migrate(connection)
    await dump.query('commit')
    expect(await later).toEqual(all.filter((name) => name > '0062_stream_readers'))
    await dump.end()
  })
})

async function folderOf(names: readonly string[], more: Record<string, string> = {}) {
  const directory = await mkdtemp(join(tmpdir(), 'toolway-migrations-'))
  for (const name of names) await copyFile(join(OWN_MIGRATIONS, `${name}.sql`), join(directory, `${name}.sql`))
  for (const [file, text] of Object.entries(more)) await writeFile(join(directory, file), text)
  return { directory, [Symbol.asyncDispose]: () => rm(directory, { recursive: true }) }
}
