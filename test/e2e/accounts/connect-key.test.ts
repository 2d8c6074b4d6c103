// @module-tag long
import { expect, test } from 'vitest'
import { z } from 'zod'
import { createConnectLinks } from '../../../packages/gateway/src/oauth/outgoing/flows/connect-links.ts'
import { createTestVault, startTestGateway, type TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { addPerson, createBrowser, PASSWORD } from '../../../packages/gateway/src/testing/people.ts'
import { createAsk } from '../peers/people/administrators.ts'
import { formIn } from '../peers/people/oauth-person.ts'
import { join } from '../peers/people/people.ts'
import { startEffects } from '../peers/servers/effects-server.ts'
import { toolNames } from '../peers/open-gateway.ts'
import { until } from '../peers/until.ts'

const TENANT = '/api/v1/admin/tenants/default'
const ACCOUNTS = `${TENANT}/accounts`
const KEY = 'a-key-that-nobody-may-read-anywhere'
const Text = z.object({ text: z.string() })

async function town(owners: readonly string[] = ['member', 'organization']) {
  const effects = await startEffects({ header: 'x-api-key', value: KEY })
  const auth = { kind: 'key', owners, header: 'x-api-key', prefix: '' } as never
  const wire = { kind: 'http', url: effects.url, headers: {}, auth } as const
  const gateway = await startTestGateway({ connections: [{ alias: 'locked', title: 'Locked', wire }] })
  const people = {
    admin: await join('admin@example.com', { ...gateway, roles: [[gateway.organization.id, 'tenant_admin']] }),
    ada: await join('ada@example.com', { ...gateway, roles: [[gateway.organization.id, 'tenant_member']] }),
    bob: await join('bob@example.com', { ...gateway, roles: [[gateway.organization.id, 'tenant_member']] }),
  }
  const linkFor = async (who: keyof typeof people, body: object = {}) => {
    const told = await people[who].client('POST /api/v1/admin/tenants/default/connectors/locked/link', body)
    return {
      status: told.status,
      path: told.body.url === undefined ? '' : new URL(told.body.url).pathname,
      body: told.body,
    }
  }
  return {
    gateway,
    people,
    linkFor,
    async browser(who: keyof typeof people) {
      const browser = createBrowser(gateway.address)
      await browser.submit('/sign-in', { email: `${who}@example.com`, password: PASSWORD })
      return browser
    },
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]()
      await effects[Symbol.asyncDispose]()
    },
  }
}

const everything = async ({ db, log }: TestGateway): Promise<string> => {
  const [records] = await db.system(
    (sql) => sql(Text)`select coalesce(string_agg(r::text, ''), '') as text from records r`,
  )
  const [rows] = await db.system(
    (sql) => sql(Text)`select coalesce(string_agg(c::text, ''), '') as text from credentials c`,
  )
  return `${records?.text}${rows?.text}${JSON.stringify(log)}`
}

test('a key is given by the person whom the link is for, tried, kept sealed, and brings the tools', async () => {
  await using at = await town()
  const { path, status, body } = await at.linkFor('admin', { owner: 'organization' })
  expect(status).toBe(200)
  expect(body).toMatchObject({ owner: 'organization' })
  const browser = await at.browser('admin')
  const page = await browser.ask(path)
  const html = await page.text()
  expect(html).toContain('Enter a key for Locked')
  expect(html).toContain('shared in the organization')
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
  const { action, fields } = formIn(html) ?? { action: '', fields: {} }

  // Without the token of this sign-in nothing is taken, and what is mistyped is found out now.
  expect((await browser.submit(action, { ...fields, csrf: 'other', key: KEY })).status).toBe(403)
  const wrong = await browser.submit(action, { ...fields, key: 'not-the-key' })
  expect(await wrong.text()).toContain('refused the gateway’s credential')
  expect(await toolNames(at.gateway, at.gateway.url)).toEqual([])

  const kept = await browser.submit(action, { ...fields, key: KEY })
  expect(kept.status).toBe(303)
  expect(kept.headers.get('location')).toMatch(/^\/connect\/done\?connected=con_/)
  expect(await (await browser.ask(kept.headers.get('location') ?? '')).text()).toContain(
    '<strong>Locked (locked)</strong> is connected',
  )
  await until('the tools are there', async () => (await toolNames(at.gateway, at.gateway.url)).length > 0)

  const all = await everything(at.gateway)
  expect(all).toContain('credential.connect')
  for (const form of [KEY, Buffer.from(KEY).toString('hex'), 'not-the-key', path.slice('/connect/'.length)])
    expect(all).not.toContain(form)

  expect((await at.people.admin.client(`GET ${ACCOUNTS}`)).body).toMatchObject({
    items: [{ connection: 'locked', state: 'good' }],
  })
  const redirect = await browser.ask('/connect')
  expect([redirect.status, redirect.headers.get('location')]).toEqual([302, '/accounts'])
})

test('a link is of no use to anybody else, and tells them nothing', async () => {
  await using at = await town()
  const { path } = await at.linkFor('ada')
  const nobody = createBrowser(at.gateway.address)
  const asked = await nobody.ask(path)
  expect(asked.headers.get('location')).toBe(`/sign-in?next=${encodeURIComponent(path)}`)
  // Led here by another site, the browser keeps its cookies back; asked once more by us it sends them.
  const led = await nobody.ask(path, { headers: { 'sec-fetch-site': 'cross-site' } })
  expect(await led.text()).toContain(`content="0; url=${path}"`)

  const bob = await at.browser('bob')
  const foreign = await bob.ask(path)
  const text = await foreign.text()
  expect(foreign.status).toBe(403)
  expect(text).toContain('belongs to another user')
  for (const word of ['ada', 'Locked', 'locked', 'Default']) expect(text).not.toContain(word)
  const ada = await at.browser('ada')
  const form = formIn(await (await ada.ask(path)).text())
  expect((await bob.submit(path, { ...form?.fields, key: KEY })).status).toBe(403)

  // An account of the organization is reserved for members who administer its connections, regardless of who created the link.
  const shared = await at.linkFor('admin', { owner: 'organization' })
  const refused = await ada.ask(shared.path)
  expect(refused.status).toBe(403)
  expect(await refused.text()).not.toContain('Locked')
  expect((await at.linkFor('ada', { owner: 'organization' })).status).toBe(403)

  for (const gone of ['/connect/garbage', `${path}x`, '/connect/done-with-this'])
    expect((await ada.ask(gone)).status).toBe(404)
  const old = createConnectLinks({
    vault: createTestVault(),
    publicUrl: () => at.gateway.address,
    now: () => Date.now() - 11 * 60_000,
  })
  const [row] = await at.gateway.db.system((sql) => sql(Text)`select id as text from connections`)
  const late = old.link({
    organizationId: at.gateway.organization.id,
    connectionId: row?.text as never,
    userId: at.people.ada.user.id,
    account: undefined,
    scopes: [],
  })
  const over = await ada.ask(new URL(late.url).pathname)
  expect(over.status).toBe(404)
  expect(await over.text()).toContain('valid for ten minutes')
})

test('an account is renamed and ended by its owner and by administrators, and is not there for other members', async () => {
  await using at = await town(['member'])
  const ada = await at.browser('ada')
  const { path } = await at.linkFor('ada')
  const form = formIn(await (await ada.ask(path)).text())
  expect((await ada.submit(path, { ...form?.fields, key: KEY })).status).toBe(303)
  const { ada: owner, bob, admin } = at.people
  const listed = async () => (await owner.client(`GET ${ACCOUNTS}`)).body.items as { id: string; account: string }[]
  const one = `${TENANT}/connectors/locked/accounts/${(await listed())[0]?.id ?? ''}` as const
  for (const other of [bob, admin]) {
    expect((await other.client(`PATCH ${one}`, { account: 'mine-now' })).status).toBe(other === bob ? 404 : 200)
  }
  expect((await bob.client(`DELETE ${one}`)).status).toBe(404)
  expect((await owner.client(`PATCH ${one}`, { account: 'work' })).status).toBe(200)
  expect(await listed()).toMatchObject([{ account: 'work' }])
  expect((await owner.client(`PATCH ${one}`, { account: 'No Name' })).status).toBe(422)
  expect((await owner.client(`DELETE ${one}`)).status).toBe(200)
  expect(await listed()).toEqual([])
})

test('without a sign-in the operator of this machine connects for the organization', async () => {
  await using effects = await startEffects({ header: 'x-api-key', value: KEY })
  const auth = { kind: 'key', header: 'x-api-key', prefix: '' } as never
  await using gateway = await startTestGateway({
    connections: [{ alias: 'locked', wire: { kind: 'http', url: effects.url, headers: {}, auth } }],
    settings: { TOOLWAY_AUTH: 'off' },
  })
  const ask = createAsk(gateway, undefined)
  const { body } = await ask('POST /api/v1/admin/tenants/default/connectors/locked/link', {})
  expect(body).toMatchObject({ owner: 'organization' })
  const browser = createBrowser(gateway.address)
  const { pathname } = new URL(String(body['url']))
  const { action, fields } = formIn(await (await browser.ask(pathname)).text()) ?? { action: '', fields: {} }
  expect((await browser.submit(action, { ...fields, csrf: '', key: KEY })).status).toBe(403)
  expect((await browser.submit(action, { ...fields, key: KEY }, { origin: 'https://evil.example' })).status).toBe(403)
  expect((await browser.submit(action, { ...fields, key: KEY })).status).toBe(303)
  await addPerson(gateway.db, { email: 'late@example.com' })
})
