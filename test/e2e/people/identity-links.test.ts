/** People link their account to identities at providers, and unlink them: real OpenID Connect providers, and browsers that keep cookies. */
// @module-tag long
import { expect, test } from 'vitest'
import { z } from 'zod'
import { startTestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { addTestOrganization } from '../../../packages/gateway/src/testing/organization.ts'
import { addPerson, createBrowser, PASSWORD } from '../../../packages/gateway/src/testing/people.ts'
import { addKey, createAsk } from '../peers/people/administrators.ts'
import { CLIENT, startIdentityProvider, walkThrough, type Person } from '../peers/people/identity-provider.ts'

const PUBLIC = 'http://localhost:8787'
type Browser = ReturnType<typeof createBrowser>

async function fixture() {
  const gateway = await startTestGateway({ settings: { TOOLWAY_PUBLIC_URL: PUBLIC } })
  await addPerson(gateway.db, { email: 'admin@example.com', platformAdmin: true })
  const [acme, globex] = [
    await addTestOrganization(gateway.db, 'acme'),
    await addTestOrganization(gateway.db, 'globex'),
  ]
  await addPerson(gateway.db, { email: 'bob@example.com', roles: [[acme.id, 'tenant_member']] })
  await gateway.restart()
  const ask = createAsk(gateway, await addKey(gateway, { role: 'platform_admin' }))
  const provider = await startIdentityProvider([`${PUBLIC}/unused`])
  async function add(at: string, more: object = {}) {
    const settings = { kind: 'oidc', issuer: provider.address, client_id: CLIENT.id, group_claims: ['groups'], ...more }
    const body = { title: at, settings, client_secret: CLIENT.secret, enabled: true, private: true }
    const answer = await ask(`PUT ${at}`, body)
    expect([answer.status, answer.text]).toEqual([200, expect.any(String)])
    const { redirect_uri: uri } = z.looseObject({ redirect_uri: z.string() }).parse(answer.body)
    provider.allow(uri)
    return new URL(uri).pathname.replace('/callback', '')
  }
  return {
    ...{ gateway, ask, acme, globex },
    acmeLogin: await add('/api/v1/admin/tenants/acme/identity-providers/login'),
    globexLogin: await add('/api/v1/admin/tenants/globex/identity-providers/login'),
    everyone: await add('/api/v1/admin/identity-providers/all'),
    /** To the provider and back, as that person. */
    async walk(browser: Browser, path: string, person: Person) {
      provider.is(person)
      const start = await browser.ask(path)
      if (start.status !== 303) return start
      return browser.ask((await walkThrough(start.headers.get('location') ?? '', PUBLIC)).slice(PUBLIC.length))
    },
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]()
      await provider[Symbol.asyncDispose]()
    },
  }
}

async function signedIn({ gateway }: Pick<Awaited<ReturnType<typeof fixture>>, 'gateway'>, email: string) {
  const browser = createBrowser(gateway.address)
  const answer = await browser.submit('/sign-in', { email, password: PASSWORD }, { origin: PUBLIC })
  expect(answer.status).toBe(303)
  return browser
}

const act = async (browser: Browser, method: string, path: string) => {
  const headers = { 'x-csrf-token': browser.jar.get('toolway_csrf')?.value ?? '', origin: PUBLIC }
  const answer = await browser.ask(`/api/v1/auth/identities${path}`, { method, headers })
  const text = await answer.text()
  return { status: answer.status, body: (text === '' ? {} : JSON.parse(text)) as Record<string, unknown> }
}
const idOf = (path: string) => path.slice('/sign-in/provider/'.length)
const linkOf = async (browser: Browser, path: string) => {
  const { status, body } = await act(browser, 'POST', `/${idOf(path)}/begin`)
  expect([status, body]).toEqual([200, { url: expect.any(String) as string }])
  return String(body['url']).slice(PUBLIC.length)
}
const emailIn = async (browser: Browser) => {
  const { user } = (await (await browser.ask('/api/v1/auth/me')).json()) as { user?: { email: string } }
  return user?.email
}
const problemOn = async (page: Response) => /role="alert">([^<]*)/.exec(await page.text())?.[1] ?? page.status
const BOB: Person = { sub: 'bob-at-work', email: 'robert@other.example', email_verified: true }

test('C-ID-16: a person links an identity with another address after both proofs, and signs in with it', async () => {
  await using held = await fixture()
  const browser = await signedIn(held, 'bob@example.com')
  const listed = await act(browser, 'GET', '')
  const offered = z
    .object({ offered: z.array(z.object({ provider: z.string() })) })
    .loose()
    .parse(listed.body).offered
  expect(new Set(offered.map(({ provider }) => provider))).toEqual(new Set([idOf(held.acmeLogin), idOf(held.everyone)]))
  // A provider of an organization that he is not in is not there.
  expect((await act(browser, 'POST', `/${idOf(held.globexLogin)}/begin`)).status).toBe(404)

  const url = await linkOf(browser, held.acmeLogin)
  expect(await (await held.walk(browser, url, BOB)).text()).toContain('url=/me"')
  expect((await act(browser, 'GET', '')).body).toMatchObject({
    items: [{ provider: idOf(held.acmeLogin), organization: 'acme', last: false }],
  })
  const other = createBrowser(held.gateway.address)
  await held.walk(other, held.acmeLogin, BOB)
  expect(await emailIn(other)).toBe('bob@example.com')
  // His password is his still, and the word of acme's provider links nothing.
  await signedIn(held, 'bob@example.com')
  expect((await act(other, 'POST', `/${idOf(held.everyone)}/begin`)).status).toBe(403)
  expect((await act(other, 'DELETE', `/${idOf(held.acmeLogin)}`)).status).toBe(403)
  const records = await held.gateway.db.system(
    (sql) => sql(z.object({ principal: z.string(), detail: z.looseObject({}) }))`
      select principal, detail from records where method = 'identity-link.add'`,
  )
  expect(records).toMatchObject([{ detail: { provider: 'login', subject: 'bob-at-work', by: 'the person' } }])
})

test('a link needs an old proof renewed, and the browser, sign-in and provider that it was made for', async () => {
  await using held = await fixture()
  const browser = await signedIn(held, 'bob@example.com')
  const url = await linkOf(browser, held.acmeLogin)
  const OVER = expect.stringContaining('the sign-in that started this has ended') as string
  // A person who opens another's address would give them their own identity.
  for (const visitor of [createBrowser(held.gateway.address), await signedIn(held, 'admin@example.com')])
    expect(await problemOn(await visitor.ask(url))).toEqual(OVER)
  for (const wrong of [url.replace(held.acmeLogin, held.globexLogin), `${held.acmeLogin}?link=AAAA`])
    expect(await problemOn(await browser.ask(wrong))).toEqual(OVER)
  // The sign-in ends while the person is at the provider.
  const Nothing = z.object({})
  const start = await browser.ask(url)
  await held.gateway.db.system((sql) => sql(Nothing)`update sign_ins set ended_at = now() where client = 'browser'`)
  const back = await walkThrough(start.headers.get('location') ?? '', PUBLIC)
  expect(await problemOn(await browser.ask(back.slice(PUBLIC.length)))).toEqual(OVER)

  const again = await signedIn(held, 'bob@example.com')
  await held.gateway.db.system((sql) => sql(Nothing)`update sign_ins set proven_at = now() - interval '1 hour'`)
  expect((await act(again, 'POST', `/${idOf(held.acmeLogin)}/begin`)).body).toMatchObject({ code: 'proof.old' })
})

test('an identity is linked to one account, and nothing of another account moves', async () => {
  await using held = await fixture()
  const roles = [[held.acme.id, 'tenant_member']] as const
  await addPerson(held.gateway.db, { email: 'eve@example.com', roles })
  await held.gateway.restart()
  const [bob, eve] = [await signedIn(held, 'bob@example.com'), await signedIn(held, 'eve@example.com')]
  await held.walk(bob, await linkOf(bob, held.everyone), BOB)
  expect(await problemOn(await held.walk(eve, await linkOf(eve, held.everyone), BOB))).toContain(
    'another account here is linked to this identity',
  )
  // The same name at the provider of an organization is somebody else's until it is proven there.
  await held.walk(eve, await linkOf(eve, held.acmeLogin), BOB)
  const [first, second] = [createBrowser(held.gateway.address), createBrowser(held.gateway.address)]
  await held.walk(first, held.everyone, BOB)
  await held.walk(second, held.acmeLogin, BOB)
  expect([await emailIn(first), await emailIn(second)]).toEqual(['bob@example.com', 'eve@example.com'])
  // An administrator of the installation is never anybody's at an organization.
  const admin = await signedIn(held, 'admin@example.com')
  expect((await act(admin, 'POST', `/${idOf(held.acmeLogin)}/begin`)).status).toBe(404)
})

test('C-ID-16: unlinking ends what came by the provider, and the last way in stays', async () => {
  await using held = await fixture()
  const Nothing = z.object({})
  const bob = await signedIn(held, 'bob@example.com')
  await held.walk(bob, await linkOf(bob, held.acmeLogin), BOB)
  const other = createBrowser(held.gateway.address)
  await held.walk(other, held.acmeLogin, BOB)
  await held.gateway.db.system(
    (sql) => sql(Nothing)`
      update members set source = ${`provider:${idOf(held.acmeLogin)}`} where organization_id = ${held.acme.id}`,
  )
  await held.gateway.db.system((sql) => sql(Nothing)`update users set password = null where email = 'bob@example.com'`)
  const at = `/${idOf(held.acmeLogin)}`
  expect((await act(bob, 'GET', '')).body).toMatchObject({ items: [{ last: true }] })
  expect((await act(bob, 'DELETE', at)).body).toMatchObject({ code: 'identity.last' })
  await held.walk(bob, await linkOf(bob, held.everyone), BOB)
  expect((await act(bob, 'DELETE', at)).status).toBe(204)
  expect((await act(bob, 'DELETE', at)).status).toBe(404)
  await expect.poll(async () => (await other.ask('/api/v1/auth/me')).status).toBe(401)
  const members = await held.ask('GET /api/v1/admin/tenants/acme/members')
  expect(members.body).toMatchObject({ items: [] })
  const records = await held.gateway.db.system(
    (sql) => sql(z.object({ method: z.string() }))`
      select method from records where organization_id = ${held.acme.id} and method in ('identity-link.remove', 'member.remove')
       order by method`,
  )
  expect(records).toEqual([{ method: 'identity-link.remove' }, { method: 'member.remove' }])
})

test('a link of whoever had the account before its owner came opens nothing', async () => {
  await using held = await fixture()
  const { gateway, everyone, globexLogin, walk } = held
  const Nothing = z.object({})
  const EVE: Person = { sub: 'eve', email: 'eve@anywhere.example', email_verified: true }
  const BOSS: Person = { sub: 'boss', email: 'boss@globex.example', email_verified: true }
  // An administrator of acme wrote her address, and chose a password for the account.
  await addPerson(gateway.db, { email: BOSS.email ?? '', roles: [[held.acme.id, 'tenant_member']] })
  const vouch = (by: string | null) =>
    gateway.db.system((sql) => sql(Nothing)`update users set vouched_by = ${by} where email = ${BOSS.email}`)
  await vouch(held.acme.id)
  await gateway.restart()
  const eve = await signedIn(held, BOSS.email ?? '')
  expect(await problemOn(await walk(eve, await linkOf(eve, everyone), EVE))).toContain(
    'an organization made this account',
  )
  // The platform has vouched for it before it was known whose it is: the link can be made.
  await vouch(null)
  expect(await problemOn(await walk(eve, await linkOf(eve, everyone), EVE))).toBe(200)
  const ask = held.ask
  await ask('PUT /api/v1/admin/tenants/globex/identity-domains/globex.example', {})
  await ask('POST /api/v1/admin/tenants/globex/identity-domains/globex.example/prove', { vouch: true })
  const settings = { newcomers: 'member' }
  const stored = await ask('GET /api/v1/admin/tenants/globex/identity-providers')
  const { items } = z
    .object({ items: z.array(z.looseObject({ settings: z.looseObject({}) })) })
    .loose()
    .parse(stored.body)
  await ask('PUT /api/v1/admin/tenants/globex/identity-providers/login', {
    ...{ title: 'Globex', enabled: true, private: true, client_secret: CLIENT.secret },
    settings: { ...items[0]?.settings, ...settings },
  })
  const boss = createBrowser(gateway.address)
  await walk(boss, globexLogin, BOSS)
  expect(await emailIn(boss)).toBe(BOSS.email)
  const again = createBrowser(gateway.address)
  await walk(again, everyone, EVE)
  expect(await emailIn(again)).not.toBe(BOSS.email)
})
