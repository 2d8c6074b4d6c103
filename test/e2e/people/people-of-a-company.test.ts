/** The lists of people at the size of a company: searched, filtered, sorted and counted by the gateway, page by page. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { ensureOrganization } from '../../../packages/gateway/src/organizations/organizations.ts'
import type { TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { addKey, addMember, addUser, createAsk, type Ask } from '../peers/people/administrators.ts'
import { openGateway } from '../peers/open-gateway.ts'

const MEMBERS = '/api/v1/admin/tenants/default/members'
const USERS = '/api/v1/admin/users'
const ODD_NAME = `Robert "Bobby" O'Brien <script>alert(1)</script>`
const Nothing = z.object({})

interface Page {
  readonly items: readonly { readonly email: string; readonly name: string; readonly [field: string]: unknown }[]
  readonly total: number
  readonly next_cursor?: string
}

const parts = new AsyncDisposableStack()
let gateway: TestGateway
let admin: Ask
let platform: Ask
beforeAll(async () => {
  gateway = parts.use(await openGateway({}))
  const { id } = gateway.organization
  await gateway.db.system(async (sql) => {
    await sql(Nothing)`
      insert into users (id, email, name, signed_in_at)
      select 'usr_' || n, 'person.' || lpad(n::text, 4, '0') || '@example.com',
             case when n = 7 then ${ODD_NAME} else 'Person ' || n end,
             case when n % 2 = 0 then timestamptz '2026-06-01T00:00:00Z' + n * interval '1 minute' end
        from generate_series(1, 5000) n`
    await sql(Nothing)`
      insert into members (organization_id, user_id, role, active, source)
      select ${id}, 'usr_' || n, case when n % 100 = 0 then 'tenant_viewer' else 'tenant_member' end, n % 50 <> 1,
             case when n % 5 = 0 then 'provider:idp_okta' else 'manual' end from generate_series(1, 5000) n`
    await sql(Nothing)`
      insert into identity_providers (organization_id, id, slug, title, settings, origin)
      values (${id}, 'idp_okta', 'okta', 'Okta', '{}', 'test')`
    await sql(Nothing)`
      insert into scim_people (organization_id, user_id, user_name, display_name, attributes)
      select ${id}, 'usr_' || n, 'user' || n, '', '{}' from generate_series(1, 30) n`
    await sql(Nothing)`
      insert into groups (organization_id, slug, title, awaited, origin) values (${id}, 'finance', 'Finance', '{}', 'test')`
    await sql(Nothing)`
      insert into group_members (organization_id, group_slug, user_id, source)
      select ${id}, 'finance', 'usr_' || n, source from generate_series(1, 5000, 4) n, unnest(array['manual', 'scim']) source`
  })
  admin = createAsk(gateway, await addKey(gateway, { role: 'tenant_admin', organization: id }))
  platform = createAsk(gateway, await addKey(gateway, { role: 'platform_admin' }))
})
afterAll(() => parts.disposeAsync())

const list = async (query: string, ask = admin, path = MEMBERS): Promise<Page> => {
  const answer = await ask(`GET ${path}?${query}`)
  expect(answer.status, query).toBe(200)
  return answer.body as Page
}

async function readAll(query: string, ask = admin, path = MEMBERS): Promise<string[]> {
  const emails: string[] = []
  let page = await list(`${query}&limit=200`, ask, path)
  for (;;) {
    emails.push(...page.items.map(({ email }) => email))
    if (page.next_cursor === undefined) return emails
    page = await list(`${query}&limit=200&cursor=${page.next_cursor}`, ask, path)
  }
}

test('C-ID-18: filters count everybody who matches, and pages have each of them once', async () => {
  expect((await list('limit=1')).total).toBe(5000)
  const counts = {
    'role=tenant_viewer': 50,
    'group=finance': 1250,
    'group=nowhere': 0,
    'source=scim': 30,
    'source=provider': 994,
    'source=provider:idp_okta': 994,
    'source=provider:idp_other': 0,
    'source=manual': 3976,
    'is_active=false': 100,
    'is_active=true&group=finance': 1200,
    'seen_before=2026-06-01T10:00:00Z': 2500 + 299,
    'seen_after=2026-06-01T10:00:00Z': 2201,
    'seen_after=2026-06-01T10:00:00Z&role=tenant_viewer': 45,
  }
  for (const [query, total] of Object.entries(counts)) expect((await list(`${query}&limit=1`)).total, query).toBe(total)
  for (const order of ['order=asc', 'order=desc'])
    for (const sort of ['email', 'name', 'role', 'added_at', 'signed_in_at', 'last_seen_at']) {
      const emails = await readAll(`group=finance&sort=${sort}&${order}`)
      expect(new Set(emails).size, `${sort} ${order}`).toBe(1250)
    }
})

test('a person is found by a name with quotes and markup, and a wildcard is no wildcard', async () => {
  expect(await list(`search=${encodeURIComponent(ODD_NAME.slice(0, 40))}`)).toMatchObject({
    total: 1,
    items: [
      {
        ...{ email: 'person.0007@example.com', name: ODD_NAME, source: 'scim', source_title: null, groups: [] },
        ...{ is_suspended: false, last_seen_at: null },
      },
    ],
  })
  for (const search of ['%', '_', '\\', "' or true --"])
    expect((await list(`search=${encodeURIComponent(search)}`)).total, search).toBe(0)
  expect(await list('search=person.0101')).toMatchObject({
    items: [{ is_active: false, is_suspended: true, source: 'manual', groups: ['finance'] }],
  })
  expect(await list('search=person.0100')).toMatchObject({
    items: [{ source: 'provider:idp_okta', source_title: 'Okta', last_seen_at: '2026-06-01T01:40:00.000Z' }],
  })
})

test('the last use of a key of this organization counts as seen, and of no other', async () => {
  const other = await gateway.db.system((sql) => ensureOrganization(sql, 'elsewhere', undefined, 'test'))
  const user = await addUser(gateway, 'quiet@example.com')
  await addMember(gateway, gateway.organization.id, user, 'tenant_member')
  await addMember(gateway, other.id, user, 'tenant_member')
  const keyUsed = (organization: string, at: string) =>
    gateway.db.system(
      (sql) => sql(Nothing)`
        insert into keys (id, organization_id, user_id, name, hash, hint, prefix, last_used_at, origin)
        values (${`key_${organization}`}, ${organization}, ${user}, 'x', decode(md5(${organization}), 'hex'), 'x', 'uru_', ${at}, 'test')`,
    )
  await keyUsed(other.id, '2026-11-02T00:00:00Z')
  expect(await list('search=quiet')).toMatchObject({ items: [{ last_seen_at: null }] })
  await keyUsed(gateway.organization.id, '2026-11-01T00:00:00Z')
  expect(await list('search=quiet')).toMatchObject({ items: [{ last_seen_at: '2026-11-01T00:00:00.000Z' }] })
  const key = await addKey(gateway, { role: 'tenant_admin', organization: other.id })
  const elsewhere = '/api/v1/admin/tenants/elsewhere/members'
  await expect.poll(async () => (await platform(`GET ${elsewhere}`)).status).toBe(200)
  expect((await list('search=person', createAsk(gateway, key), elsewhere)).total).toBe(0)
})

test('the users of the installation are filtered and counted likewise', async () => {
  const counts = {
    'source=scim': 30,
    'source=provider': 0,
    'organization=default&search=person': 5000,
    'organization=nowhere': 0,
    'seen_before=2026-06-01T10:00:00Z&search=person': 2799,
    'is_active=false': 0,
  }
  for (const [query, total] of Object.entries(counts))
    expect((await list(`${query}&limit=1`, platform, USERS)).total, query).toBe(total)
  expect(new Set(await readAll('sort=last_seen_at&order=desc&search=person', platform, USERS)).size).toBe(5000)
})

test('a filter that is none is refused', async () => {
  for (const query of ['source=ldap', 'seen_before=yesterday', 'role=owner', 'is_active=maybe', 'sort=password'])
    expect((await admin(`GET ${MEMBERS}?${query}`)).status, query).toBe(422)
})
