/** Tests `sql` towards its users: transactions, shapes and a database that goes away. */
import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createTestDatabase, describeEverywhere } from '../testing/database.ts'
import { createDb } from './db.ts'
import type { OrgSql, Sql, SystemSql } from './db.ts'
import { DatabaseUnreachable } from './unreachable.ts'

const Nothing = z.object({})
const One = z.object({ one: z.int() })
const Count = z.object({ count: z.int() })

const addOrganization = (sql: SystemSql, id: string) =>
  sql(Nothing)`insert into organizations (id, slug, name, origin) values (${id}, ${id}, ${id}, 'test')`

/** Ends every other connection to the database, as a server does that restarts. */
async function cutOff(connection: pg.ClientConfig): Promise<void> {
  const client = new pg.Client(connection)
  await client.connect()
  await client.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  )
  await client.end()
}

describeEverywhere('a transaction', (createDatabase) => {
  test('is written when the work is done, and not at all when it throws', async () => {
    await using database = await createDatabase()
    const { db } = database
    await db.system((sql) => addOrganization(sql, 'alpha'))
    const failing = db.system(async (sql) => {
      await addOrganization(sql, 'beta')
      throw new Error('changed my mind')
    })
    await expect(failing).rejects.toThrow('changed my mind')
    expect(await db.system((sql) => sql(Count)`select count(*)::int as count from organizations`)).toEqual([
      { count: 1 },
    ])
  })

  test('whose failed statement was ignored does not pretend to be written', async () => {
    await using database = await createDatabase()
    const swallowed = database.db.system(async (sql) => {
      await addOrganization(sql, 'alpha')
      await sql(One)`select 1 / 0 as one`.catch(() => {})
    })
    await expect(swallowed).rejects.toThrow('rolled back')
  })

  test('takes values as parameters, whatever they say', async () => {
    await using database = await createDatabase()
    const hostile = `x'); drop table organizations; --`
    const [row] = await database.db.system(
      (sql) => sql(z.object({ text: z.string() }))`select ${hostile}::text as text`,
    )
    expect(row?.text).toBe(hostile)
  })

  test('runs statements that were started together one after the other', async () => {
    await using database = await createDatabase()
    const rows = await database.db.system((sql) => Promise.all([1, 2, 3].map((n) => sql(One)`select ${n}::int as one`)))
    expect(rows.flat()).toEqual([{ one: 1 }, { one: 2 }, { one: 3 }])
  })

  test('leaves no organization behind for the next one on the same connection', async () => {
    await using database = await createDatabase()
    await using narrow = disposable(createDb({ connection: { ...database.connection, max: 1 } }))
    await narrow.db.system(async (sql) => {
      await addOrganization(sql, 'alpha')
      await addOrganization(sql, 'beta')
    })
    const seen = (sql: Sql) => sql(Count)`select count(*)::int as count from organizations`
    for (const id of ['alpha', 'beta', 'gone']) {
      expect(await narrow.db.organization(id, seen)).toEqual([{ count: id === 'gone' ? 0 : 1 }])
      expect(await narrow.db.system(seen)).toEqual([{ count: 2 }])
    }
  })

  test('whose connection is cut rejects with one clear error, and the next one works', async () => {
    await using database = await createDatabase()
    await using own = disposable(createDb({ connection: database.connection }))
    const during = own.db.organization('alpha', (sql) => sql(z.object({ pg_sleep: z.unknown() }))`select pg_sleep(20)`)
    const cutting = untilBusy(database.connection).then(() => cutOff(database.connection))
    await expect(during).rejects.toMatchObject({ name: 'DatabaseUnreachable', outcome: 'nothing' })
    await cutting
    expect(await own.db.system((sql) => sql(One)`select 1 as one`)).toEqual([{ one: 1 }])
  })

  test('whose connection is cut between two statements does not take the process along', async () => {
    await using database = await createDatabase()
    await using own = disposable(createDb({ connection: database.connection }))
    const during = own.db.system(async (sql) => {
      await sql(One)`select 1 as one`
      await cutOff(database.connection)
      await sql(One)`select 2 as one`
    })
    await expect(during).rejects.toBeInstanceOf(DatabaseUnreachable)
    await own.db.presence.look()
  })

  test('throws what the work threw as it is, even when that looks like a lost connection', async () => {
    await using database = await createDatabase()
    const upstream = Object.assign(new Error('connection terminated'), { code: 'ECONNREFUSED' })
    await expect(database.db.system(() => Promise.reject(upstream))).rejects.toBe(upstream)
  })

  test('tells of a broken rule by its name and does not quote the row', async () => {
    await using database = await createDatabase()
    const thrown = await database.db
      .system(
        (sql) =>
          sql(
            Nothing,
          )`insert into organizations (id, slug, name, origin) values ('o', 'NOT A SLUG', 'top secret', 'test')`,
      )
      .catch((error: unknown) => error)
    expect(thrown).toMatchObject({ code: '23514', constraint: 'organizations_slug_check' })
    expect(JSON.stringify(thrown) + String(thrown)).not.toContain('top secret')
  })
})

describe('the sql of a transaction', () => {
  test('is of no use after it: the connection is somebody else’s by then', async () => {
    await using database = await createTestDatabase()
    const kept: OrgSql = await database.db.organization('alpha', async (sql) => sql)
    await expect(kept(One)`select 1 as one`).rejects.toThrow('has ended')
  })

  test('holds every row against its shape in tests: no column more, none less, nothing changed', async () => {
    await using database = await createTestDatabase()
    const { db } = database
    await expect(db.system((sql) => sql(One)`select 1 as one, 2 as two`)).rejects.toThrow('two')
    await expect(db.system((sql) => sql(One)`select 'x' as one`)).rejects.toThrow('expected number')
    const Coerced = z.object({ one: z.coerce.string() })
    await expect(db.system((sql) => sql(Coerced)`select 1 as one`)).rejects.toThrow('not change it')
  })

  test('refuses undefined, which would silently mean null', async () => {
    await using database = await createTestDatabase()
    await expect(database.db.system((sql) => sql(One)`select ${undefined}::int as one`)).rejects.toThrow('use null')
  })

  test('of an organization is not the sql of the system, and the other way round', () => {
    const forSystem = (_sql: SystemSql) => {}
    const forOrganization = (_sql: OrgSql) => {}
    const check = (organization: OrgSql, system: SystemSql) => {
      // @ts-expect-error -- the compiler refuses it, which is the whole point
      forSystem(organization)
      // @ts-expect-error -- the same the other way round
      forOrganization(system)
    }
    expect(check).toBeTypeOf('function') // the assertion is the compiler's
  })

  test('exists only for what can be an id', async () => {
    await using database = await createTestDatabase()
    const injected = database.db.organization(`x', true); drop table keys; --`, async () => {})
    await expect(injected).rejects.toThrow(TypeError)
  })

  test('that the database knows from before a migration is prepared anew', async () => {
    await using database = await createTestDatabase()
    await using narrow = disposable(createDb({ connection: { ...database.connection, max: 1 } }))
    const all = () =>
      narrow.db.system(
        (sql) =>
          sql(z.object({ name: z.string(), value: z.unknown() }))`select * from installation where name = 'nothing'`,
      )
    await all()
    await database.db.system((sql) => sql(Nothing)`alter table installation add column more int`)
    await expect(all()).rejects.toMatchObject({ code: '0A000' })
    expect(await all()).toEqual([])
  })
})

describe('a database that is not there', () => {
  test('is told at once by a look and by a transaction', async () => {
    const connection = { host: '/nonexistent', user: 'toolway', database: 'toolway' }
    await using none = disposable(createDb({ connection }))
    await expect(none.db.presence.look()).rejects.toBeInstanceOf(DatabaseUnreachable)
    await expect(none.db.system(async () => {})).rejects.toMatchObject({
      name: 'DatabaseUnreachable',
      outcome: 'nothing',
    })
  })

  test('is not taken for away because every connection of the pool is taken', async () => {
    await using database = await createTestDatabase()
    await using narrow = disposable(createDb({ connection: { ...database.connection, max: 1 } }))
    let finish = () => {}
    const work = new Promise<void>((resolve) => (finish = resolve))
    const taken = narrow.db.system(() => work)
    await narrow.db.presence.look()
    expect(narrow.db.presence.awayFor()).toBe(0)
    finish()
    await taken
  })
})

function disposable(db: ReturnType<typeof createDb>) {
  return { db, [Symbol.asyncDispose]: () => db.close() }
}

async function untilBusy(connection: pg.ClientConfig): Promise<void> {
  const client = new pg.Client(connection)
  await client.connect()
  const busy = `select from pg_stat_activity where datname = current_database() and state = 'active' and query like 'select pg_sleep%'`
  while ((await client.query(busy)).rowCount === 0);
  await client.end()
}
