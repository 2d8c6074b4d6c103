/**
 * Lists that are read page by page behind the key of the last row: what is added while somebody turns pages moves no row to another
 * page, and none is skipped or shown twice.
 */
import { ConnectionSettings } from '@toolway/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import type { SystemSql } from '../../../packages/gateway/src/db/db.ts'
import type { TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { openGateway } from '../peers/open-gateway.ts'
import { until } from '../peers/until.ts'
import { addKey, addUser, createAsk, type Ask } from '../peers/people/administrators.ts'

const ADMIN = '/api/v1/admin/tenants/default'
const OF = '/api/v1/organizations/default'
const SETTINGS = JSON.stringify(ConnectionSettings.parse({ connector: 'mcp.http', url: 'http://127.0.0.1:9/' }))
const WITH_ACCOUNTS = JSON.stringify(
  ConnectionSettings.parse({
    ...{ connector: 'mcp.http', url: 'http://127.0.0.1:9/' },
    auth: { kind: 'key', owners: ['organization', 'member'] },
  }),
)
const Nothing = z.object({})

const parts = new AsyncDisposableStack()
let gateway: TestGateway
let admin: Ask
let platform: Ask
let organization: string

beforeAll(async () => {
  gateway = parts.use(await openGateway({}))
  organization = gateway.organization.id
  admin = createAsk(gateway, await addKey(gateway, { role: 'tenant_admin', organization }))
  platform = createAsk(gateway, await addKey(gateway, { role: 'platform_admin' }))
  const user = await addUser(gateway, 'maria@acme.test')
  await gateway.db.system(async (sql) => {
    await sql(Nothing)`
      insert into members (organization_id, user_id, role) values (${organization}, ${user}, 'tenant_member')`
    await sql(Nothing)`
      insert into connections (id, organization_id, alias, title, connector, settings, enabled, origin)
      values ('con_x', ${organization}, 'erp', 'ERP', 'mcp.http', ${SETTINGS}, false, 'test'),
             ('con_y', ${organization}, 'keyed', 'Keyed', 'mcp.http', ${WITH_ACCOUNTS}, false, 'test')`
  })
  await until(
    'the gateway knows the connection',
    async () => (await admin(`GET ${ADMIN}/connectors/keyed/lock`)).status === 200,
  )
})
afterAll(() => parts.disposeAsync())

interface Case {
  readonly path: string
  /** By which its items are told apart. */
  readonly member: string
  /** A row that belongs behind those of lower numbers, or before them where the newest come first. */
  add(sql: SystemSql, number: number): Promise<unknown>
  readonly newestFirst: boolean
  readonly ask?: () => Ask
  /** Removes the rows, where another list shows them too. */
  clear?(sql: SystemSql): Promise<unknown>
}

const name = (number: number) => `row-${String(number).padStart(3, '0')}`

const noCredentials = (sql: SystemSql) => sql(Nothing)`delete from credentials`
const addAccount = (sql: SystemSql, number: number) => sql(Nothing)`
  insert into credentials (id, organization_id, connection_id, provider, sealed_access_token, account, is_default)
  values (${`crd_${name(200 - number)}`}, ${organization}, 'con_y', 'keyed', '', ${name(number)}, false)`

const CASES: Readonly<Record<string, Case>> = {
  approvals: {
    ...{ path: `${OF}/approvals?state=pending`, member: 'id', newestFirst: true },
    add: (sql, number) => sql(Nothing)`
      insert into approvals (id, organization_id, connection_id, tool, effect, digest, principal, caller, rules, sealed_arguments,
                             created_at, expires_at)
      values (${name(number)}, ${organization}, 'con_x', 'read', 'read', encode(sha256(${name(number)}::bytea), 'hex'), 'key_1', 'key',
              '[]', '', now() - make_interval(mins => ${500 - Math.floor(number / 3)}), now() + interval '1 hour')`,
  },
  'lasting approvals': {
    ...{ path: `${OF}/lasting-approvals`, member: 'id', newestFirst: true },
    add: (sql, number) => sql(Nothing)`
      insert into lasting_grants (id, organization_id, connection_id, tool, effect, digest, tool_hash, principal, caller, rules,
                                  granted_by, approval_id, created_at)
      values (${name(number)}, ${organization}, 'con_x', 'read', 'read', encode(sha256(${name(number)}::bytea), 'hex'),
              repeat('0', 64), 'key_1', 'key', '[]', 'usr_1', 'apr_1',
              now() - make_interval(mins => ${500 - Math.floor(number / 3)}))`,
  },
  groups: {
    ...{ path: `${ADMIN}/groups?search=ROW`, member: 'slug', newestFirst: false },
    add: (sql, number) => sql(Nothing)`
      insert into groups (organization_id, slug, title, origin) values (${organization}, ${name(number)}, 'Group', 'test')`,
  },
  'OAuth apps': {
    ...{ path: '/api/v1/oauth/default/config', member: 'client_id', newestFirst: false },
    add: (sql, number) => sql(Nothing)`
      insert into oauth_apps (id, organization_id, provider, issuer, client_id)
      values (${`app_${name(number)}`}, ${organization}, 'gitlab', ${number === 110 ? null : `https://${name(number)}.example.com`},
              ${name(number)}) on conflict do nothing`,
  },
  'locked tools': {
    ...{ path: `${ADMIN}/connectors/erp/lock/tools?state=held`, member: 'name', newestFirst: false },
    add: (sql, number) => sql(Nothing)`
      insert into tool_locks (organization_id, connection_id, tool, held_hash, held, held_at)
      values (${organization}, 'con_x', ${name(number)}, repeat('0', 64), '{}', now())`,
  },
  'accounts of a connection': {
    ...{ path: `${ADMIN}/connectors/keyed/accounts`, member: 'account', newestFirst: false },
    ...{ add: addAccount, clear: noCredentials },
  },
  'accounts of all connections': {
    ...{ path: `${ADMIN}/accounts`, member: 'account', newestFirst: false },
    ...{ add: addAccount, clear: noCredentials },
  },
  credentials: {
    ...{ path: '/api/v1/oauth/default/auth', member: 'provider', newestFirst: false, clear: noCredentials },
    add: (sql, number) => sql(Nothing)`
      insert into credentials (id, organization_id, connection_id, provider, sealed_access_token, account, created_at)
      values (${`crd_${name(200 - number)}`}, ${organization}, null, ${name(number)}, '', 'default', now())`,
  },
  sessions: {
    ...{ path: '/api/v1/admin/sessions', member: 'principal', newestFirst: true, ask: () => platform },
    add: (sql, number) => sql(Nothing)`
      insert into sessions (hash, organization_id, owner, principal, revision, capabilities, opened_at, seen_at)
      values (sha256(${name(number)}::bytea), ${organization}, 'owner', ${name(number)}, '2025-06-18', '{}', now(),
              date_trunc('milliseconds', now() - make_interval(mins => ${500 - number})))`,
  },
}

const COUNT = 17

test.each(Object.entries(CASES))(
  'pages of %s have each row once, also of those that come meanwhile',
  async (_, { path, member, add, newestFirst, ask = () => admin, clear }) => {
    // Rows with even numbers: there is a place between any two of them.
    await gateway.db.system(async (sql) => {
      for (let number = 0; number < COUNT; number++) await add(sql, 100 + 2 * number)
    })
    const joint = path.includes('?') ? '&' : '?'
    const page = async (cursor?: string) => {
      const answer = await ask()(`GET ${path}${joint}limit=5${cursor === undefined ? '' : `&cursor=${cursor}`}`)
      expect(answer.status, answer.text).toBe(200)
      const items = answer.body['items'] as Record<string, unknown>[]
      return {
        names: items.map((one) => String(one[member])),
        cursor: answer.body['next_cursor'],
        total: answer.body['total'],
      }
    }
    const first = await page()
    expect(first.total).toBe(first.names.length + COUNT - 5)
    // One row comes before all, and one behind all.
    const [before, behind] = newestFirst ? [190, 10] : [10, 190]
    await gateway.db.system(async (sql) => {
      await add(sql, before)
      await add(sql, behind)
    })
    const names = [...first.names]
    let cursor = first.cursor as string | undefined
    for (let pages = 1; cursor !== undefined; pages++) {
      const next = await page(cursor)
      expect(pages).toBeLessThan(10)
      names.push(...next.names)
      cursor = next.cursor as string | undefined
    }
    expect(names).toHaveLength(new Set(names).size)
    expect(names).not.toContain(name(before))
    const all = Array.from({ length: COUNT }, (__, number) => name(100 + 2 * number))
    expect(names.filter((one) => all.includes(one))).toHaveLength(COUNT)
    expect(names).toContain(name(behind))
    const bad = await ask()(`GET ${path}${joint}limit=5&cursor=WyJ4Il0`)
    expect(bad.body).toMatchObject({ code: 'body.shape' })
    if (clear !== undefined) await gateway.db.system(clear)
  },
)

test('pages of the locks of all connections begin behind an alias, each with the tools of its connections', async () => {
  const addConnections = (numbers: readonly number[]) =>
    gateway.db.system(async (sql) => {
      for (const number of numbers) {
        await sql(Nothing)`
          insert into connections (id, organization_id, alias, title, connector, settings, enabled, origin)
          values (${`con_${name(number)}`}, ${organization}, ${name(number)}, 'Row', 'mcp.http', ${SETTINGS}, false, 'test')`
        await sql(Nothing)`
          insert into tool_locks (organization_id, connection_id, tool, accepted_hash, accepted, accepted_at)
          values (${organization}, ${`con_${name(number)}`}, ${`tool-${number}`}, repeat('0', 64), '{}', now())`
      }
    })
  interface Lock {
    readonly alias: string
    readonly tools: readonly { readonly name: string }[]
  }
  const page = async (cursor = '') => {
    const { body } = await admin(`GET ${ADMIN}/tool-locks?limit=5${cursor === '' ? '' : `&cursor=${cursor}`}`)
    return body as { items: Lock[]; total: number; next_cursor?: string }
  }
  const numbers = Array.from({ length: COUNT }, (_, at) => 100 + 2 * at)
  await addConnections(numbers)
  await until('the gateway knows the connections', async () => (await page()).total === COUNT + 2)
  let { items, next_cursor: cursor } = await page()
  // The first page ends behind row-104: this one belongs before its end.
  await addConnections([103])
  await until('the gateway knows one more', async () => (await page()).total === COUNT + 3)
  while (cursor !== undefined) {
    const next = await page(cursor)
    items = [...items, ...next.items]
    cursor = next.next_cursor
  }
  expect(items.map(({ alias }) => alias)).toEqual(['erp', 'keyed', ...numbers.map(name)])
  const tools = items.slice(2).map((one) => one.tools.map((tool) => tool.name))
  expect(tools).toEqual(numbers.map((number) => [`tool-${number}`]))
  expect((await admin(`GET ${ADMIN}/tool-locks?cursor=WyJ4Il0`)).body).toMatchObject({ code: 'body.shape' })
})
