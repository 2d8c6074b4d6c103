import { ConnectionSettings, newId, type ConnectionId, type ImportId } from '@toolway/contract'
import { expect, test } from 'vitest'
import { z } from 'zod'
import type { Db } from '../db/db.ts'
import type { OrganizationRow } from '../organizations/organizations.ts'
import { describeEachPostgres } from '../testing/database.ts'
import { addTestOrganization } from '../testing/organization.ts'
import { createVault } from '../vault/vault.ts'
import {
  addConnection,
  changeConnection,
  findConnection,
  listConnections,
  noteContact,
  removeConnection,
  switchConnection,
  type NewConnection,
} from './connections.ts'

const vault = createVault(Buffer.alloc(32, 4))
const http = (url: string) => ConnectionSettings.parse({ connector: 'mcp.http', url })
const child = ConnectionSettings.parse({ connector: 'mcp.process', command: 'npx', args: ['-y', 'server'] })

const words = (alias: string, more: Partial<NewConnection> = {}) => ({
  alias,
  title: alias,
  settings: http('https://example.com/mcp'),
  enabled: true,
  origin: 'command line',
  seal: () => undefined,
  ...more,
})
const put = (db: Db, { id }: OrganizationRow, alias: string, more: Partial<NewConnection> = {}) =>
  db.organization(id, (sql) => addConnection(sql, { organizationId: id, ...words(alias, more) }))
const get = async (db: Db, { id }: OrganizationRow, alias: string) => {
  const found = await db.organization(id, (sql) => findConnection(sql, alias))
  if (found === undefined) throw new Error(`there is no ${alias}`)
  return found
}

describeEachPostgres('kept connections', (createDatabase) => {
  test('are what was added, new and untouched by any contact', async () => {
    await using database = await createDatabase()
    const { db } = database
    const acme = await addTestOrganization(db, 'acme')
    const id = await put(db, acme, 'files', { settings: child, title: 'Files', enabled: false })
    expect(await get(db, acme, 'files')).toMatchObject({
      id,
      organization_id: acme.id,
      alias: 'files',
      title: 'Files',
      settings: child,
      sealed: null,
      enabled: false,
      origin: 'command line',
      era: null,
      status: 'new',
      status_reason: null,
    })
    expect(await db.organization(acme.id, (sql) => findConnection(sql, 'gone'))).toBeUndefined()
  })

  test('keep secrets sealed for their own row', async () => {
    await using database = await createDatabase()
    const { db } = database
    const acme = await addTestOrganization(db, 'acme')
    const seal = (id: ConnectionId) => vault.seal('{"headers":{"authorization":"Bearer secret"}}', `connection ${id}`)
    for (const alias of ['one', 'two']) await put(db, acme, alias, { seal })
    const [one, two] = [await get(db, acme, 'one'), await get(db, acme, 'two')]
    expect(vault.open(one.sealed ?? Buffer.alloc(0), `connection ${one.id}`)).toContain('Bearer secret')
    expect(() => vault.open(two.sealed ?? Buffer.alloc(0), `connection ${one.id}`)).toThrow()
    const [row] = await db.system(
      (sql) =>
        sql(
          z.object({ whole: z.string() }),
        )`select string_agg(row_to_json(connections)::text, '') as whole from connections`,
    )
    expect(row?.whole).not.toMatch(/Bearer secret|"secret/)
    expect(row?.whole).not.toContain(Buffer.from('secret').toString('hex'))
  })

  test('have one alias in an organization; the second of that alias is not taken', async () => {
    await using database = await createDatabase()
    const { db } = database
    const [acme, other] = [await addTestOrganization(db, 'acme'), await addTestOrganization(db, 'other')]
    await put(db, acme, 'files', { title: 'first' })
    expect(await put(db, acme, 'files', { title: 'second' })).toBeUndefined()
    expect((await get(db, acme, 'files')).title).toBe('first')
    expect(await put(db, other, 'files')).toBeDefined()
  })

  test('are listed by alias', async () => {
    await using database = await createDatabase()
    const { db } = database
    const acme = await addTestOrganization(db, 'acme')
    for (const alias of ['web', 'a2', 'files', 'a1']) await put(db, acme, alias)
    expect((await db.organization(acme.id, listConnections)).map(({ alias }) => alias)).toEqual([
      'a1',
      'a2',
      'files',
      'web',
    ])
  })

  test('forget what was known of them when they change, and count as another version', async () => {
    await using database = await createDatabase()
    const { db } = database
    const acme = await addTestOrganization(db, 'acme')
    await put(db, acme, 'web', { seal: () => Buffer.from('old') })
    const before = await get(db, acme, 'web')
    await db.system((sql) =>
      noteContact(sql, before.id, { status: 'error', reason: 'gone', era: { revision: '2025-06-18', at: 1 } }),
    )
    // Times that are read have milliseconds: one change of the same, and one whose transaction began long before that.
    const Moved = z.object({ id: z.string() })
    for (const moved of ['0.9 milliseconds', '1 hour']) {
      const { updated_at: last } = await get(db, acme, 'web')
      await db.system(
        (sql) => sql(Moved)`
          update connections set updated_at = date_trunc('milliseconds', updated_at) - ${moved}::interval where id = ${before.id} returning id`,
      )
      expect((await get(db, acme, 'web')).updated_at.getTime()).toBe(last.getTime() + 1)
    }
    await db.organization(acme.id, (sql) =>
      changeConnection(sql, before.id, words('web', { settings: http('https://new.example.com/'), title: 'New' })),
    )
    const after = await get(db, acme, 'web')
    expect(after).toMatchObject({
      id: before.id,
      title: 'New',
      sealed: null,
      era: null,
      status: 'new',
      status_reason: null,
    })
    expect(after.settings).toMatchObject({ url: 'https://new.example.com/' })
    expect(after.updated_at.getTime()).toBeGreaterThan(before.updated_at.getTime())
  })

  test('are gone once removed', async () => {
    await using database = await createDatabase()
    const { db } = database
    const acme = await addTestOrganization(db, 'acme')
    await put(db, acme, 'web')
    expect(await db.organization(acme.id, (sql) => removeConnection(sql, 'web'))).toBe(true)
    expect(await db.organization(acme.id, (sql) => removeConnection(sql, 'web'))).toBe(false)
    expect(await db.organization(acme.id, listConnections)).toEqual([])
  })

  test('of another organization can neither be seen, changed, removed nor added', async () => {
    await using database = await createDatabase()
    const { db } = database
    const [mine, theirs] = [await addTestOrganization(db, 'mine'), await addTestOrganization(db, 'theirs')]
    const id = await put(db, theirs, 'web')
    if (id === undefined) throw new Error('it was not added')
    await db.organization(mine.id, async (sql) => {
      expect(await listConnections(sql)).toEqual([])
      expect(await changeConnection(sql, id, words('web', { title: 'Taken' }))).toEqual([])
      expect(await removeConnection(sql, 'web')).toBe(false)
    })
    const planted = db.organization(mine.id, (sql) =>
      addConnection(sql, { organizationId: theirs.id, ...words('planted') }),
    )
    await expect(planted).rejects.toThrow('row-level security')
    expect((await get(db, theirs, 'web')).title).toBe('web')
  })

  test("cannot say that they came with another organization's import", async () => {
    await using database = await createDatabase()
    const { db } = database
    const [mine, theirs] = [await addTestOrganization(db, 'mine'), await addTestOrganization(db, 'theirs')]
    const importId: ImportId = newId('imp')
    await db.system(
      (sql) => sql(z.object({ id: z.string() }))`
      insert into imports (id, organization_id, source, summary) values (${importId}, ${theirs.id}, 'x', '{}') returning id`,
    )
    await expect(put(db, mine, 'web', { importId })).rejects.toThrow('foreign key')
    expect(await put(db, theirs, 'web', { importId })).toBeDefined()
  })

  test('never have an alias that is none', async () => {
    await using database = await createDatabase()
    const acme = await addTestOrganization(database.db, 'acme')
    for (const alias of ['', 'Web', '1web', 'a b', 'a'.repeat(32)])
      await expect(put(database.db, acme, alias, { settings: child }), alias).rejects.toThrow('connections_alias_check')
  })
})

describeEachPostgres('the last contact of a connection', (createDatabase) => {
  async function fixture() {
    const database = await createDatabase()
    const { db } = database
    const acme = await addTestOrganization(db, 'acme')
    await put(db, acme, 'web')
    const { id, updated_at } = await get(db, acme, 'web')
    const note = (...seen: [Parameters<typeof noteContact>[2]]) => db.system((sql) => noteContact(sql, id, ...seen))
    const read = () => get(db, acme, 'web')
    return {
      note,
      read,
      updated_at,
      switchOff: () => db.organization(acme.id, (sql) => switchConnection(sql, id, false)),
      passMinutes: (minutes: number) =>
        db.system(
          (sql) => sql(z.object({}))`
            update connections set outage_told_at = outage_told_at - make_interval(mins => ${minutes}::int)
             where id = ${id}`,
        ),
      [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
    }
  }

  test('is noted and does not count as a change', async () => {
    await using held = await fixture()
    expect(
      await held.note({ status: 'connected', reason: undefined, era: { revision: '2026-07-28', at: 5 } }),
    ).toMatchObject({ alias: 'web', turn: undefined })
    expect(await held.read()).toMatchObject({
      status: 'connected',
      status_reason: null,
      era: { revision: '2026-07-28', at: 5 },
      updated_at: held.updated_at,
    })
  })

  test('keeps what the server spoke when it fails', async () => {
    await using held = await fixture()
    await held.note({ status: 'connected', reason: undefined, era: { revision: '2025-06-18', at: 5 } })
    await held.note({ status: 'needs_auth', reason: 'HTTP 401\0', era: undefined })
    expect(await held.read()).toMatchObject({
      status: 'needs_auth',
      status_reason: 'HTTP 401\uFFFD',
      era: { revision: '2025-06-18', at: 5 },
    })
    await held.note({ status: 'connected', reason: undefined, era: undefined })
    expect(await held.read()).toMatchObject({
      status: 'connected',
      status_reason: null,
      era: { revision: '2025-06-18' },
    })
  })

  test('is written once for the same thing seen again, so that nobody is woken for it', async () => {
    await using held = await fixture()
    const seen = { status: 'error', reason: 'gone', era: undefined } as const
    const still = { ...seen, reason: 'still gone' }
    expect(await held.note(seen)).toBeDefined()
    expect(await held.note(seen)).toBeUndefined()
    expect(await held.note(still)).toBeDefined()
    expect(await held.note({ ...still, era: { revision: '2025-06-18', at: 1 } })).toBeDefined()
    expect(await held.note({ ...still, era: { revision: '2025-06-18', at: 2 } })).toBeUndefined()
    expect(await held.note({ ...still, era: { revision: '2026-07-28', at: 3 } })).toBeDefined()
  })

  test('turns once for an outage that several gateways see at the same time, and once for its end', async () => {
    await using held = await fixture()
    const away = (reason: string) => ({ status: 'error', reason, era: undefined }) as const
    const back = { status: 'connected', reason: undefined, era: undefined } as const
    await held.note(back)
    const turnsOf = async (notes: readonly ReturnType<typeof held.note>[]) =>
      (await Promise.all(notes)).map((noted) => noted?.turn).filter((turn) => turn !== undefined)
    expect(await turnsOf(['a', 'b', 'c', 'd'].map((reason) => held.note(away(reason))))).toEqual(['down'])
    expect(await turnsOf([held.note(back), held.note(back), held.note(back)])).toEqual(['up'])
  })

  test('turns no more than once in ten minutes for a server that comes and goes, and again when it stays away', async () => {
    await using held = await fixture()
    const away = { status: 'error', reason: 'gone', era: undefined } as const
    const back = { status: 'connected', reason: undefined, era: undefined } as const
    const turns: unknown[] = []
    for (const seen of [away, back, away, back, away]) turns.push((await held.note(seen))?.turn)
    expect(turns).toEqual(['down', 'up', undefined, undefined, undefined])
    await held.passMinutes(11)
    expect((await held.note(away))?.turn).toBe('down')
    expect(await held.note(away)).toBeUndefined()
  })

  test('of a connection that is switched off is no outage', async () => {
    await using held = await fixture()
    await held.switchOff()
    expect((await held.note({ status: 'error', reason: 'gone', era: undefined }))?.turn).toBeUndefined()
  })
})
