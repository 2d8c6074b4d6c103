/** Tests that a gateway is notified of every change, and knows when it may have missed some. */
import pg from 'pg'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { describeEverywhere } from '../testing/database.ts'
import type { Db } from './db.ts'
import type { Notice } from './listener.ts'

const Nothing = z.object({})

async function hear(db: Db) {
  const notices: Notice[] = []
  const listener = await db.listen('toolway_changed', (notice) => void notices.push(notice))
  const all = () => notices.flatMap((notice) => (notice.kind === 'payload' ? [JSON.parse(notice.payload)] : []))
  // Notifications for followers (`event`) change nothing in memory, and the count of changes (`version`) comes with each of them.
  const changes = () => all().filter((notice: object) => !('event' in notice || 'version' in notice))
  return { notices, changes, listener }
}

const addOrganizations = (db: Db) =>
  db.system(
    (sql) => sql(Nothing)`
    insert into organizations (id, slug, name, origin) values ('alpha', 'alpha', 'A', 'test'), ('beta', 'beta', 'B', 'test')`,
  )

describeEverywhere('a change', (createDatabase) => {
  test('is heard once per organization and table, however many rows it has, and only when it is written', async () => {
    await using database = await createDatabase()
    const { db } = database
    await addOrganizations(db)
    const heard = await hear(db)
    await db
      .organization('alpha', async (sql) => {
        await sql(
          Nothing,
        )`insert into toolsets (id, organization_id, slug, title, settings, origin) values ('never', 'alpha', 'never', 'N', '{}', 'test')`
        throw new Error('not this time')
      })
      .catch(() => {})
    await db.system(
      (sql) => sql(Nothing)`
      insert into toolsets (id, organization_id, slug, title, settings, origin)
      select o.id || n, o.id, 'slug' || n, 'Title', '{}', 'test' from organizations o, generate_series(1, 100) n`,
    )
    await expect.poll(() => heard.changes()).toHaveLength(2)
    expect(heard.changes()).toEqual(
      expect.arrayContaining([
        { organization: 'alpha', table: 'toolsets' },
        { organization: 'beta', table: 'toolsets' },
      ]),
    )
  })

  test('of each kind in each table that a gateway holds in memory is heard', async () => {
    await using database = await createDatabase()
    const { db } = database
    await addOrganizations(db)
    const heard = await hear(db)
    const organization = 'alpha'
    const steps: [table: string, work: () => Promise<unknown>][] = [
      [
        'organizations',
        () => db.organization(organization, (sql) => sql(Nothing)`update organizations set name = 'N'`),
      ],
      [
        'keys',
        () =>
          db.organization(
            organization,
            (sql) =>
              sql(
                Nothing,
              )`insert into keys (id, organization_id, name, hint, hash, origin) values ('k', 'alpha', 'k', 'abcd', 'x', 'test')`,
          ),
      ],
      ['keys', () => db.organization(organization, (sql) => sql(Nothing)`delete from keys`)],
      [
        'connections',
        () =>
          db.organization(
            organization,
            (sql) =>
              sql(
                Nothing,
              )`insert into connections (id, organization_id, alias, title, connector, settings, origin) values ('c', 'alpha', 'c', 'C', 'mcp.http', '{}', 'test')`,
          ),
      ],
      [
        'connections',
        () => db.organization(organization, (sql) => sql(Nothing)`update connections set status = 'connected'`),
      ],
      [
        'catalogs',
        () =>
          db.organization(
            organization,
            (sql) => sql(Nothing)`insert into catalogs (connection_id, organization_id) values ('c', 'alpha')`,
          ),
      ],
      ['catalogs', () => db.organization(organization, (sql) => sql(Nothing)`update catalogs set digest = 'd'`)],
      [
        'toolsets',
        () =>
          db.organization(
            organization,
            (sql) =>
              sql(
                Nothing,
              )`insert into toolsets (id, organization_id, slug, title, settings, origin) values ('t', 'alpha', 't', 'T', '{}', 'test')`,
          ),
      ],
      ['toolsets', () => db.organization(organization, (sql) => sql(Nothing)`delete from toolsets`)],
      [
        'groups',
        () =>
          db.organization(
            organization,
            (sql) =>
              sql(
                Nothing,
              )`insert into groups (organization_id, slug, title, origin) values ('alpha', 'g', 'G', 'test')`,
          ),
      ],
    ]
    for (const [table, work] of steps) {
      const before = heard.changes().length
      await work()
      await expect.poll(() => heard.changes().slice(before)).toMatchObject([{ organization, table }])
    }
    // The key that is gone is named, so that memory drops that one.
    expect(heard.changes()).toContainEqual({ organization, table: 'keys', key: 'k' })
    await db.system((sql) => sql(Nothing)`delete from organizations where id = 'alpha'`)
    await expect.poll(() => heard.changes()).toContainEqual({ organization, table: 'organizations' })
  })

  test('after the listening connection was cut is heard again, with a word that some may have been missed', async () => {
    await using database = await createDatabase()
    const { db } = database
    const heard = await hear(db)
    const client = new pg.Client(database.connection)
    await client.connect()
    for (const round of [1, 2]) {
      await client.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and query like 'listen %'`,
      )
      await expect.poll(() => heard.notices.filter(({ kind }) => kind === 'reconnected')).toHaveLength(round)
    }
    await client.end()
    await addOrganizations(db)
    await expect.poll(() => heard.changes()).toHaveLength(2)
  })

  test('is not heard any more after closing, and a listener that throws goes on', async () => {
    await using database = await createDatabase()
    const { db } = database
    let calls = 0
    const listener = await db.listen('toolway_changed', (notice) => {
      if (notice.kind === 'payload' && notice.payload.includes('"table"')) calls++
      throw new Error('a bug')
    })
    await addOrganizations(db)
    await expect.poll(() => calls).toBe(2)
    await db.organization('alpha', (sql) => sql(Nothing)`update organizations set name = 'N'`)
    await expect.poll(() => calls).toBe(3)
    await listener.close()
    await listener.close()
    const other = await hear(db)
    await db.organization('alpha', (sql) => sql(Nothing)`update organizations set name = 'M'`)
    await expect.poll(() => other.changes()).toHaveLength(1)
    expect(calls).toBe(3)
  })
})
