/**
 * The town: the same rows for the same seed, counts as announced, secrets that open, chains that verify, and a gateway that works
 * with it. What console tests, pictures and benches show of a company rests on these.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { chainLines } from '../../packages/gateway/src/records/chain/chain-lines.ts'
import { verify } from '../../packages/gateway/src/records/chain/verify.ts'
import type { Db, OrgSql } from '../../packages/gateway/src/db/db.ts'
import { createTestDatabase, describeEachPostgres } from '../../packages/gateway/src/testing/database.ts'
import { createTestVault, startTestGateway, type TestGateway } from '../../packages/gateway/src/testing/gateway.ts'
import { askAdmin } from '../../packages/gateway/src/testing/people.ts'
import { listOrganizations } from '../../packages/gateway/src/organizations/organizations.ts'
import { SEALED_COLUMNS, withNames } from '../../packages/gateway/src/vault/sealed-columns.ts'
import { until } from '../e2e/peers/until.ts'
import { fillTown, TownStands, type TownOptions } from './fill.ts'
import { organizationsOf, SMALL, WHOLE } from './size.ts'
import { openStreet, type Street } from './street.ts'

const PASSWORD = 'correct horse battery'
const TINY = { ...SMALL, records: 3_000 }
const options = (more: Partial<TownOptions> = {}): TownOptions => ({
  ...{ size: TINY, seed: 1, now: Date.now(), password: PASSWORD, port: 1, ...more },
})

const Count = z.object({ name: z.string(), count: z.int() })
const COUNTS = `
  select 'members' as name, count(*)::int as count from members union all select 'groups', count(*)::int from groups
   union all select 'connections', count(*)::int from connections union all select 'keys', count(*)::int from keys
   union all select 'rules', count(*)::int from organization_rules union all select 'approvals', count(*)::int from approvals
   union all select 'records', count(*)::int from records where kind <> 'sign_in'`

const raw = (text: string) => Object.assign([text], { raw: [text] }) as unknown as TemplateStringsArray
const run = (db: Db, text: string) => db.system((sql) => sql(Count)(raw(text)))

describeEachPostgres('a town', (createDatabase) => {
  test('has as much of everything as it says, in chains that verify and secrets that open', async () => {
    await using database = await createDatabase()
    const { db } = database
    const vault = createTestVault()
    await fillTown({ db, vault }, options())
    const counts = Object.fromEntries((await run(db, COUNTS)).map(({ name, count }) => [name, count]))
    const { members, groups, connections, keys, rules, approvals, records } = TINY
    // The newcomers have their administrator, and nobody else.
    expect(counts).toEqual({ members: members + 1, groups, connections, keys, rules, approvals, records })
    const Sealed = z.object({ id: z.string(), sealed: z.instanceof(Buffer) })
    const opened = new Set<string>()
    for (const column of SEALED_COLUMNS) {
      const rows = await db.system((sql) =>
        sql(Sealed)(
          withNames(raw('select @id as id, @column as sealed from @table where @column is not null'), column),
        ),
      )
      for (const { id, sealed } of rows) {
        expect(vault.open(sealed, column.sealContext(id)), `${column.table} ${id}`).not.toBe('')
        opened.add(`${column.table}.${column.column}`)
      }
    }
    expect([...opened]).toEqual(
      expect.arrayContaining([
        'connections.sealed',
        'keys.sealed',
        'credentials.sealed_access_token',
        'approvals.sealed_arguments',
      ]),
    )
    for (const { id, slug } of await db.system(listOrganizations)) {
      const look = <T>(work: (sql: OrgSql) => Promise<T>) => db.organization(id, work)
      const lines = chainLines({ look, organization: id, now: new Date() })
      const [verdict] = await verify(lines, { fingerprints: [], checkpoints: [] })
      expect(verdict, slug).toMatchObject({ good: true })
    }
    await expect(fillTown({ db, vault }, options())).rejects.toBeInstanceOf(TownStands)
  })
})

const Name = z.object({ name: z.string() })
const NAMES = `
  (select email || ' ' || name as name from users order by email) union all (select alias from connections order by id)
   union all (select tools::text from catalogs order by connection_id)
   union all (select words::text from organization_rules order by id)`

test('a town is the same for the same seed, and another for another', async () => {
  const vault = createTestVault()
  const namesOf = async (seed: number) => {
    await using database = await createTestDatabase()
    const now = Date.parse('2026-11-29T12:00:00Z')
    await fillTown({ db: database.db, vault }, options({ seed, now, size: { ...TINY, records: 0 } }))
    return (await database.db.system((sql) => sql(Name)(raw(NAMES)))).map(({ name }) => name)
  }
  const first = await namesOf(1)
  expect(await namesOf(1)).toEqual(first)
  expect(await namesOf(2)).not.toEqual(first)
})

test('the organizations of a town are together as large as it says, in both sizes', () => {
  for (const size of [SMALL, WHOLE]) {
    const all = organizationsOf(size)
    for (const member of Object.keys(size) as (keyof typeof size)[])
      expect(
        all.reduce((sum, own) => sum + own[member], 0),
        member,
      ).toBe(size[member])
    expect(all.at(-1)).toMatchObject({ members: 0, connections: 0, records: 0 })
  }
})

describe('a gateway in a town', () => {
  let street: Street
  let gateway: TestGateway
  beforeAll(async () => {
    street = await openStreet()
    gateway = await startTestGateway()
    await fillTown({ db: gateway.db, vault: createTestVault() }, options({ port: street.port }))
  })
  afterAll(async () => {
    await gateway[Symbol.asyncDispose]()
    await street[Symbol.asyncDispose]()
  })

  const signIn = async (slug: string) => {
    const body = { email: `admin@${slug}.example`, password: PASSWORD, organization: slug }
    const told = await askAdmin(gateway.address, 'POST /auth/login', { body })
    expect(told.status, JSON.stringify(told.body)).toBe(200)
    return told.body.access_token as string
  }

  test('lets its administrators in, each to their own organization', async () => {
    const token = await signIn('juniper')
    // The rows were written past the gateway, which hears of them a moment later.
    const own = await until('it is told its connections', async () => {
      const told = await askAdmin(gateway.address, 'GET /admin/tenants/juniper/connectors', { token })
      return told.status === 200 && told
    })
    expect(own.body.items.length).toBeGreaterThan(0)
    const statusOf = async (slug: string) =>
      (await askAdmin(gateway.address, `GET /admin/tenants/${slug}/connectors`, { token })).status
    expect(await statusOf('meridian')).toBe(403)
    expect(await statusOf('nowhere')).toBe(403)
  })

  test('reaches the servers of the street, and nothing at the hosts that do not exist', async () => {
    const token = await signIn('meridian')
    const list = async () =>
      (await askAdmin(gateway.address, 'GET /admin/tenants/meridian/connectors?limit=200', { token })).body
        .items as Listed[]
    const before = await list()
    const isNew = ({ status, connector }: Listed) => status === 'new' && connector === 'mcp.http'
    const unread = await gateway.db.system((sql) => sql(Name)(raw(UNREAD)))
    expect(unread.length).toBeGreaterThan(1)
    await until('the servers that nobody had asked before are connected', async () => {
      const rows = (await list()).filter(({ alias }) => unread.some(({ name }) => name === alias))
      return rows.length > 0 && rows.every(({ status }) => status === 'connected')
    })
    const away = before.filter(({ url }) => url?.startsWith('https://mcp-1.') === true)
    expect(away.map(({ status }) => status)).toEqual(['error'])
    await expect.poll(async () => (await list()).some(isNew)).toBe(false)
  })
})

interface Listed {
  readonly alias: string
  readonly url: string | null
  readonly status: string
  readonly connector: string
}

/** The aliases of the organization `meridian` whose lists were never read before the gateway came. */
const UNREAD = `
  select c.alias as name from connections c join organizations o on o.id = c.organization_id
   where o.slug = 'meridian' and c.settings ->> 'url' like 'http://127.0.0.1%' and c.created_at = c.updated_at
     and mod(split_part(c.settings ->> 'url', '/', 5)::int, 10) = 6`
