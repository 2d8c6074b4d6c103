/** SCIM as Entra ID and Okta speak it (their published request sequences), and as nobody should. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { addPerson } from '../../../packages/gateway/src/testing/people.ts'
import { addKey, changesIn, createAsk, type Ask } from '../peers/people/administrators.ts'
import { ask, type RawPeer } from '../peers/clients/raw-client.ts'
import { openGateway } from '../peers/open-gateway.ts'
import { startHanging, type HangingServer } from '../peers/servers/hanging-server.ts'
import { httpWire } from '../peers/servers/real-servers.ts'
import { until } from '../peers/until.ts'
import { createScim, ENTERPRISE, GROUP, patch, tokenFor, USER, type Scim } from './scim-client.ts'

const parts = new AsyncDisposableStack()
let hanging: HangingServer
let gateway: TestGateway
let addresses: string[]
let platform: Ask
let scim: Scim
let other: Scim
beforeAll(async () => {
  hanging = parts.use(await startHanging())
  gateway = parts.use(await openGateway({ connections: [{ alias: 'slow', wire: httpWire(hanging.url) }] }))
  addresses = [gateway.address, parts.use(await gateway.another()).address]
  platform = createAsk(gateway, await addKey(gateway, { role: 'platform_admin' }))
  await platform('POST /api/v1/admin/tenants', { slug: 'other', name: 'Other' })
  scim = createScim(gateway.address, 'default', await tokenFor(platform, 'default'))
  other = createScim(gateway.address, 'other', await tokenFor(platform, 'other'))
})
afterAll(() => parts.disposeAsync())

const person = (userName: string, more: object = {}) => ({
  schemas: [USER],
  userName,
  active: true,
  emails: [{ primary: true, type: 'work', value: userName }],
  ...more,
})
const add = async (userName: string, more: object = {}, by = scim): Promise<string> => {
  const made = await by('POST /Users', person(userName, more))
  expect(made.status, made.text).toBe(201)
  return String(made.body['id'])
}
const filtered = (filter: string, by = scim) => by(`GET /Users?filter=${encodeURIComponent(filter)}`)

describe('a person', () => {
  test('is made, found, changed and removed as Entra ID does it', async () => {
    expect((await filtered('userName eq "entra@contoso.com"')).body).toMatchObject({ totalResults: 0, Resources: [] })
    const id = await add('entra@contoso.com', {
      externalId: 'e-1',
      displayName: 'Entra',
      name: { givenName: 'En', familyName: 'Tra' },
      [ENTERPRISE]: { department: 'Sales', employeeNumber: '7' },
    })
    const found = await filtered('userName eq "ENTRA@contoso.com"')
    expect(found.body).toMatchObject({ totalResults: 1, Resources: [{ id, externalId: 'e-1', active: true }] })
    const changed = await scim(
      `PATCH /Users/${id}`,
      patch(
        { op: 'Replace', path: 'displayName', value: 'Entra Two' },
        { op: 'Add', path: 'emails[type eq "home"].value', value: 'home@contoso.com' },
        { op: 'Replace', path: 'emails[type eq "work"].value', value: 'entra2@contoso.com' },
        { op: 'Add', path: `${ENTERPRISE}:manager`, value: 'boss' },
        { op: 'Replace', path: `${ENTERPRISE}:department`, value: 'Support' },
        { op: 'Remove', path: 'name.givenName' },
      ),
    )
    expect(changed.body).toMatchObject({
      displayName: 'Entra Two',
      name: { familyName: 'Tra' },
      emails: [
        { type: 'work', value: 'entra2@contoso.com' },
        { type: 'home', value: 'home@contoso.com' },
      ],
      [ENTERPRISE]: { department: 'Support', manager: { value: 'boss' }, employeeNumber: '7' },
      meta: { version: 'W/"2"' },
    })
    expect((await filtered('emails[type eq "work" and value eq "entra2@contoso.com"]')).body['totalResults']).toBe(1)
    const off = await scim(`PATCH /Users/${id}`, patch({ op: 'Replace', path: 'active', value: 'False' }))
    expect(off.body['active']).toBe(false)
    expect((await filtered('active eq false')).body['totalResults']).toBe(1)
    expect((await scim(`DELETE /Users/${id}`)).status).toBe(204)
    expect((await scim(`GET /Users/${id}`)).status).toBe(404)
    const left = await platform('GET /api/v1/admin/tenants/default/leavers')
    expect(left.body['items']).toMatchObject([
      { user_id: id, email: 'entra2@contoso.com', suspended: false, owned: [] },
    ])
    const users = await gateway.db.system(
      (sql) => sql(z.object({ id: z.string() }))`select id from users where id = ${id}`,
    )
    expect(users).toEqual([])
    const said = (await changesIn(gateway)).filter(({ resource_id: of }) => of === id)
    expect(said.map(({ method, principal }) => [method, principal])).toEqual([
      ['member.add', 'scim:okta'],
      ['member.change', 'scim:okta'],
      ['member.suspend', 'scim:okta'],
      ['member.remove', 'scim:okta'],
    ])
  })

  test('is made, deactivated and activated as Okta does it', async () => {
    const id = await add('okta@example.com', { name: { givenName: 'Ok', familyName: 'Ta' } })
    const put = await scim(`PUT /Users/${id}`, { ...person('okta@example.com'), id, name: { givenName: 'Okay' } })
    expect(put.body).toMatchObject({ name: { givenName: 'Okay' }, active: true })
    const off = await scim(`PATCH /Users/${id}`, patch({ op: 'replace', value: { active: false } }))
    expect(off.body['active']).toBe(false)
    const on = await scim(
      `PATCH /Users/${id}`,
      patch({ op: 'replace', value: { active: true, 'name.givenName': 'Dotted' } }),
    )
    expect(on.body).toMatchObject({ active: true, name: { givenName: 'Dotted' } })
  })

  test('is changed only where the version is the one that was read', async () => {
    const id = await add('etag@example.com')
    const got = await scim(`GET /Users/${id}`)
    const tag = String(got.headers.get('etag'))
    expect((await scim(`GET /Users/${id}`, undefined, { 'if-none-match': tag })).status).toBe(304)
    const words = patch({ op: 'replace', path: 'title', value: 'x' })
    expect((await scim(`PATCH /Users/${id}`, words, { 'if-match': tag })).status).toBe(200)
    expect((await scim(`PATCH /Users/${id}`, words, { 'if-match': tag })).status).toBe(412)
  })

  test('with the address of an existing account is linked where that is proven, and refused where it is not', async () => {
    const known = await addPerson(gateway.db, { email: 'known@example.com', platformAdmin: true })
    const id = await add('known@example.com', { displayName: 'Renamed' })
    expect(id).toBe(known.id)
    const Row = z.object({ name: z.string(), platform_admin: z.boolean(), active: z.boolean() })
    await scim(`PATCH /Users/${id}`, patch({ op: 'replace', path: 'active', value: false }))
    const rows = await gateway.db.system(
      (sql) => sql(Row)`select name, platform_admin, active from users where id = ${id}`,
    )
    expect(rows).toEqual([{ name: 'known@example.com', platform_admin: true, active: true }])
    expect((await scim(`DELETE /Users/${id}`)).status).toBe(204)
    await add('theirs@example.com', {}, other)
    const refused = await scim('POST /Users', person('theirs@example.com'))
    expect(refused).toMatchObject({ status: 409, body: { status: '409', scimType: 'uniqueness' } })
    expect(refused.body['detail']).toContain('has not been verified')
    expect(await scim('POST /Users', person('OKTA@example.com'))).toMatchObject({
      status: 409,
      body: { scimType: 'uniqueness' },
    })
  })
})

describe('a group', () => {
  test('is filled and emptied as both providers do it, and keeps who was added by hand', async () => {
    const [ada, bob] = [await add('ada@example.com'), await add('bob@example.com')]
    const made = await scim('POST /Groups', {
      schemas: [GROUP],
      displayName: 'Finance & Co',
      members: [{ value: ada }],
    })
    expect(made.status).toBe(201)
    const id = String(made.body['id'])
    await platform(`PUT /api/v1/admin/tenants/default/groups/finance-co/members/${ada}`)
    const members = async () => {
      const { body } = await platform('GET /api/v1/admin/tenants/default/groups?search=finance')
      const [group] = body['items'] as { members: { email: string; sources: string[] }[] }[]
      return group?.members.map(({ email, sources }) => [email, sources])
    }
    await scim(`PATCH /Groups/${id}`, patch({ op: 'Add', path: 'members', value: [{ value: bob }] }))
    expect(await members()).toEqual([
      ['ada@example.com', ['manual', 'scim']],
      ['bob@example.com', ['scim']],
    ])
    await scim(`PATCH /Groups/${id}`, patch({ op: 'Remove', path: 'members', value: [{ value: ada }] }))
    await scim(`PATCH /Groups/${id}`, patch({ op: 'remove', path: `members[value eq "${bob}"]` }))
    expect(await members()).toEqual([['ada@example.com', ['manual']]])
    const renamed = await scim(
      `PATCH /Groups/${id}?attributes=displayName,members`,
      patch(
        { op: 'replace', value: { id, displayName: 'Money' } },
        { op: 'replace', path: 'members', value: [{ value: bob }] },
      ),
    )
    expect(renamed.body).toMatchObject({ displayName: 'Money', members: [{ value: bob }] })
    expect((await scim(`GET /Groups/${id}?excludedAttributes=members`)).body['members']).toBeUndefined()
    expect((await scim(`GET /Users/${bob}`)).body['groups']).toMatchObject([{ value: id, display: 'Money' }])
    const filter = encodeURIComponent('displayName eq "money"')
    expect((await scim(`GET /Groups?filter=${filter}&excludedAttributes=members`)).body['totalResults']).toBe(1)
    expect((await scim(`DELETE /Groups/${id}`)).status).toBe(204)
    expect(await members()).toBeUndefined()
  })
})

describe('a list', () => {
  test('is filtered, sorted, cut by index and by cursor, and bounded', async () => {
    for (const at of [1, 2, 3]) await add(`page${at}@example.com`, { title: at === 2 ? 'Chef' : 'Cook' })
    const filter = encodeURIComponent('userName sw "page" and (title eq "Cook" or title eq "Chef")')
    const index = await scim(`GET /Users?filter=${filter}&sortBy=userName&sortOrder=descending&startIndex=2&count=1`)
    expect(index.body).toMatchObject({ totalResults: 3, startIndex: 2, itemsPerPage: 1 })
    expect(index.body['Resources']).toMatchObject([{ userName: 'page2@example.com' }])
    const names: string[] = []
    for (let cursor: string | undefined = ''; cursor !== undefined;) {
      const { body } = await scim(`GET /Users?sortBy=userName&count=2&cursor=${cursor}&attributes=userName`)
      names.push(...(body['Resources'] as { userName: string }[]).map(({ userName }) => userName))
      cursor = body['nextCursor'] as string | undefined
    }
    expect(names).toEqual([...new Set(names)].toSorted())
    expect(names.length).toBeGreaterThanOrEqual(5)
    for (const [bad, type] of [
      ['userName eq', 'invalidFilter'],
      ['userName zz "x"', 'invalidFilter'],
      [`${'('.repeat(30)}userName pr`, 'tooMany'],
      [`userName eq "${'x'.repeat(3_000)}"`, 'tooMany'],
    ])
      expect((await filtered(String(bad))).body).toMatchObject({ status: '400', scimType: type })
  })
})

test('operations in bulk use what earlier ones made, and each has its status', async () => {
  const operations = [
    { method: 'POST', path: '/Users', bulkId: 'u', data: person('bulk@example.com') },
    { method: 'POST', path: '/Groups', bulkId: 'g', data: { displayName: 'Bulk', members: [{ value: 'bulkId:u' }] } },
    { method: 'DELETE', path: '/Users/usr_nobody' },
  ]
  const schemas = ['urn:ietf:params:scim:api:messages:2.0:BulkRequest']
  const done = await scim('POST /Bulk', { schemas, Operations: operations })
  expect(done.body['Operations']).toMatchObject([{ status: '201' }, { status: '201' }, { status: '404' }])
  const many = Array.from({ length: 300 }, () => operations[2])
  expect((await scim('POST /Bulk', { schemas, Operations: many })).status).toBe(413)
})

test('whoever has no token of the organization is refused as where there is none, and sees nothing of another', async () => {
  const id = await add('mine@example.com')
  const token = await tokenFor(platform, 'other', 'second')
  const answers = await Promise.all([
    createScim(gateway.address, 'default', token)(`GET /Users/${id}`),
    createScim(gateway.address, 'missing', token)(`GET /Users/${id}`),
    createScim(gateway.address, 'default', undefined)(`GET /Users/${id}`),
    createScim(gateway.address, 'default', gateway.key)(`GET /Users/${id}`),
  ])
  for (const { status, body } of answers) expect([status, body]).toEqual([401, answers[0]?.body])
  for (const at of [`GET /Users/${id}`, `DELETE /Users/${id}`, `GET /Groups/${id}`])
    expect((await other(at)).status).toBe(404)
  expect((await other(`PATCH /Users/${id}`, patch({ op: 'replace', path: 'active', value: false }))).status).toBe(404)
  expect((await filtered(`id eq "${id}"`, other)).body['totalResults']).toBe(0)
  const made = await other('POST /Groups', { displayName: 'Thieves', members: [{ value: id }] })
  expect(made).toMatchObject({ status: 400, body: { scimType: 'invalidValue' } })
  expect((await scim(`GET /Users/${id}`)).body['active']).toBe(true)
})

test('whoever is deactivated is gone from two gateways within five seconds, and comes back', async ({ annotate }) => {
  const id = await add('leaver@example.com')
  // A member has one such key; this one is known here.
  await gateway.db.system((sql) => sql(z.object({}))`delete from keys where user_id = ${id}`)
  const key = await addKey(gateway, { role: 'tenant_member', organization: gateway.organization.id, user: id as never })
  const peers = addresses.map((address): RawPeer => ({
    url: `${address}/api/v1/default/connectors/slow/mcp`,
    key,
    era: 'modern',
  }))
  const stands = async (peer: RawPeer) => (await ask(peer, 'tools/list')).status === 200
  for (const peer of peers) await until('the key is known', () => stands(peer))
  const calls = peers.map((peer) => ask(peer, 'tools/call', { name: 'hang', arguments: {} }))
  await until('both calls are under way', () => hanging.calls() === 2)
  const begun = performance.now()
  await scim(`PATCH /Users/${id}`, patch({ op: 'Replace', path: 'active', value: 'False' }))
  await Promise.all(calls)
  for (const peer of peers) await until('the key is refused', async () => !(await stands(peer)))
  const took = Math.round(performance.now() - begun)
  await annotate(`a leaver is dead at two gateways after ${took} ms`)
  expect(took).toBeLessThan(5_000)
  await scim(`PATCH /Users/${id}`, patch({ op: 'Replace', path: 'active', value: 'True' }))
  for (const peer of peers) await until('the key is good again', () => stands(peer))
})
