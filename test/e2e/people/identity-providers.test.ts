/**
 * Identity providers as rows: two organizations with providers of their own, what each of them opens, and what it never opens. Real OpenID
 * Connect providers at other addresses, and a browser that keeps cookies.
 */
// @module-tag long
import { createSocket } from 'node:dgram'
import { Resolver } from 'node:dns/promises'
import { exportSPKI, SignJWT } from 'jose'
import { describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { createFindTxtRecords } from '../../../packages/gateway/src/features/identity-providers/index.ts'
import { startTestGateway, type TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { addTestOrganization } from '../../../packages/gateway/src/testing/organization.ts'
import { addPerson, createBrowser, signIn } from '../../../packages/gateway/src/testing/people.ts'
import { addKey, createAsk } from '../peers/people/administrators.ts'
import { NO_BROWSER, openPage } from '../../console/support/browser.ts'
import { CLIENT, startIdentityProvider, walkThrough, type Person } from '../peers/people/identity-provider.ts'

const PUBLIC = 'http://localhost:8787'

async function fixture() {
  const gateway = await startTestGateway({ settings: { TOOLWAY_PUBLIC_URL: PUBLIC } })
  await addPerson(gateway.db, { email: 'admin@example.com', platformAdmin: true })
  const [acme, globex] = [
    await addTestOrganization(gateway.db, 'acme'),
    await addTestOrganization(gateway.db, 'globex'),
  ]
  await gateway.restart()
  const ask = createAsk(gateway, await addKey(gateway, { role: 'platform_admin' }))
  const providers = {
    acme: await startIdentityProvider([`${PUBLIC}/unused`]),
    globex: await startIdentityProvider([`${PUBLIC}/unused`]),
  }
  return {
    ...{ gateway, ask, acme, globex, providers },
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]()
      await Promise.all([providers.acme, providers.globex].map((provider) => provider[Symbol.asyncDispose]()))
    },
  }
}
type Browser = ReturnType<typeof createBrowser>
type Held = Awaited<ReturnType<typeof fixture>>

const settings = (issuer: string, more: object = {}) => ({
  title: 'Example ID',
  settings: { kind: 'oidc', issuer, client_id: CLIENT.id, newcomers: 'member', group_claims: ['groups'], ...more },
  client_secret: CLIENT.secret,
  enabled: true,
  private: true,
})

const Added = z.looseObject({ redirect_uri: z.string(), sign_in_url: z.string() })

/** A provider of that organization, entered on both sides. */
async function addProvider({ ask, providers }: Held, organization: 'acme' | 'globex', more: object = {}) {
  const provider = providers[organization]
  const answer = await ask(
    `PUT /api/v1/admin/tenants/${organization}/identity-providers/login`,
    settings(provider.address, more),
  )
  expect(answer.status).toBe(200)
  const { redirect_uri: uri } = Added.parse(answer.body)
  provider.allow(uri)
  return { path: new URL(uri).pathname.replace('/callback', ''), provider }
}

/** To the provider and to the door on the way back; what the browser asks there. */
async function wayBack(
  browser: ReturnType<typeof createBrowser>,
  { path, provider }: Awaited<ReturnType<typeof addProvider>>,
  person: Person,
) {
  provider.is(person)
  const start = await browser.ask(path)
  expect(start.status, await start.clone().text()).toBe(303)
  return (await walkThrough(start.headers.get('location') ?? '', PUBLIC)).slice(PUBLIC.length)
}

const me = async (browser: ReturnType<typeof createBrowser>) =>
  (await (await browser.ask('/api/v1/auth/me')).json()) as {
    user?: { email: string }
    organizations?: { slug: string; role: string }[]
  }
const problemOn = async (page: Response) => [page.status, /role="alert">([^<]*)/.exec(await page.text())?.[1]]

const usersIn = ({ db }: TestGateway) =>
  db.system(
    (sql) =>
      sql(z.object({ email: z.string(), vouched_by: z.string().nullable() }))`
        select email, vouched_by from users order by email`,
  )

const ADA: Person = { sub: 'ada', email: 'ada@acme.example', email_verified: true, name: 'Ada', groups: ['staff'] }

describe('a provider of an organization', () => {
  test('C-ID-01: lets its people into that organization alone, on the organization’s own page', async () => {
    await using held = await fixture()
    const acme = await addProvider(held, 'acme')
    await addProvider(held, 'globex')
    const browser = createBrowser(held.gateway.address)
    const page = await (await browser.ask('/o/acme/sign-in')).text()
    expect(page).toContain(`href="${acme.path}?next=%2Fo%2Facme"`)
    expect(page.match(/Sign in with Example ID/g)).toHaveLength(1)
    // An organization that is not there looks like one without a provider.
    expect(await (await browser.ask('/o/nowhere/sign-in')).text()).not.toContain('Sign in with')
    expect(await (await browser.ask('/sign-in')).text()).not.toContain('Sign in with')

    expect((await browser.ask(await wayBack(browser, acme, ADA))).status).toBe(200)
    expect(await me(browser)).toMatchObject({
      user: { email: 'ada@acme.example' },
      organizations: [{ slug: 'acme', role: 'tenant_member' }],
    })
    const listed = await held.ask('GET /api/v1/admin/tenants/acme/identity-providers')
    expect(listed.body).toMatchObject({ items: [{ slug: 'login', last_problem: null, has_secret: true }] })
    expect(JSON.stringify(listed.body)).not.toContain(CLIENT.secret)
    expect((await held.ask('GET /api/v1/admin/tenants/globex/identity-providers')).body).toMatchObject({
      items: [{ slug: 'login' }],
    })
  })

  test('C-ID-02: gives the role and ends the membership that its groups say, and leaves alone what was given by hand', async () => {
    await using held = await fixture()
    const mappings = [
      { group: 'staff', role: 'tenant_member' },
      { group: 'admins', role: 'tenant_admin' },
    ]
    const acme = await addProvider(held, 'acme', { newcomers: 'refuse', mappings })
    const boss = await addPerson(held.gateway.db, {
      email: 'boss@acme.example',
      roles: [[held.acme.id, 'tenant_admin']],
    })
    const browser = createBrowser(held.gateway.address)
    const arrive = async (person: Person) => browser.ask(await wayBack(browser, acme, person))

    expect(await problemOn(await arrive({ ...ADA, groups: [] }))).toEqual([
      401,
      expect.stringContaining('none of your groups gives access'),
    ])
    await arrive({ ...ADA, groups: ['staff', 7, null, { a: 1 }] })
    expect((await me(browser)).organizations).toMatchObject([{ role: 'tenant_member' }])
    await arrive({ ...ADA, groups: ['staff', 'admins'] })
    expect((await me(browser)).organizations).toMatchObject([{ role: 'tenant_admin' }])
    // The last group is gone, and with it the membership, its keys and what was allowed.
    expect(await problemOn(await arrive({ ...ADA, groups: ['others'] }))).toEqual([401, expect.any(String)])
    expect((await me(browser)).organizations ?? []).toEqual([])

    const members = await held.ask('GET /api/v1/admin/tenants/acme/members')
    expect(members.body).toMatchObject({ items: [{ user_id: boss.id, role: 'tenant_admin' }] })
  })

  test('ends the accounts at vendors with the membership that it ends, and no others', async () => {
    await using held = await fixture()
    const mappings = [{ group: 'staff', role: 'tenant_member' }]
    const acme = await addProvider(held, 'acme', { newcomers: 'refuse', mappings })
    const browser = createBrowser(held.gateway.address)
    await browser.ask(await wayBack(browser, acme, ADA))
    const Nothing = z.object({})
    await held.gateway.db.system(async (sql) => {
      await sql(Nothing)`insert into members (organization_id, user_id, role)
        select ${held.globex.id}, id, 'tenant_member' from users where email = ${ADA.email ?? ''}`
      await sql(Nothing)`insert into credentials (id, organization_id, provider, user_id, sealed_access_token)
        select 'crd_' || o.id, o.id, 'github', u.id, 'x' from organizations o, users u
         where o.id in (${held.acme.id}, ${held.globex.id}) and u.email = ${ADA.email ?? ''}`
    })
    expect((await browser.ask(await wayBack(browser, acme, { ...ADA, groups: [] }))).status).toBe(401)
    const left = await held.gateway.db.system(
      (sql) => sql(z.object({ organization_id: z.string() }))`select organization_id from credentials`,
    )
    expect(left).toEqual([{ organization_id: held.globex.id }])
    const [record] = await held.gateway.db.system(
      (sql) => sql(z.object({ detail: z.looseObject({}) }))`
        select detail from records where organization_id = ${held.acme.id} and method = 'member.remove'`,
    )
    expect(record?.detail).toMatchObject({ credentials: [`crd_${held.acme.id}`], provider: 'login' })
  })

  test('says what to do where a second factor is required and it reports none, unless its sign-ins count as such', async () => {
    await using held = await fixture()
    const mappings = [{ group: 'staff', role: 'tenant_admin' }]
    const acme = await addProvider(held, 'acme', { mappings })
    await held.gateway.db.system(
      (sql) => sql(z.object({}))`
        update organizations set settings = settings || '{"second_factor": "required"}'::jsonb where id = ${held.acme.id}`,
    )
    await held.gateway.restart()
    const browser = createBrowser(held.gateway.address)
    const members = async () => {
      await browser.ask(await wayBack(browser, acme, ADA))
      const answer = await browser.ask('/api/v1/admin/tenants/acme/members')
      return [answer.status, ((await answer.json()) as { code?: string; message?: string }).code]
    }
    expect(await members()).toEqual([403, 'factor.provider'])
    await addProvider(held, 'acme', { mappings, second_factor: 'assumed' })
    expect(await members()).toEqual([200, undefined])
  })

  test('C-ID-04: reaches an existing account only by a proven domain, and never an administrator of the installation', async () => {
    await using held = await fixture()
    const acme = await addProvider(held, 'acme')
    await addPerson(held.gateway.db, { email: 'eve@globex.example', roles: [[held.globex.id, 'tenant_admin']] })
    await addPerson(held.gateway.db, { email: 'ada@acme.example', roles: [[held.globex.id, 'tenant_member']] })
    await held.gateway.restart()
    const browser = createBrowser(held.gateway.address)
    const arrive = async (person: Person) => problemOn(await browser.ask(await wayBack(browser, acme, person)))
    const refused = [401, expect.stringContaining('has to prove its domain first')]
    // An account that is there answers like one that is not.
    expect(await arrive({ sub: 'x', email: 'eve@globex.example', email_verified: true })).toEqual(refused)
    expect(await arrive(ADA)).toEqual(refused)
    expect(await arrive({ sub: 'y', email: 'admin@example.com', email_verified: true })).toEqual(refused)
    expect(await arrive({ sub: 'z', email: 'new@acme.example' })).toEqual([
      401,
      expect.stringContaining('does not say that your email address is verified'),
    ])

    await held.ask('PUT /api/v1/admin/tenants/acme/identity-domains/acme.example', {})
    expect(
      (await held.ask('POST /api/v1/admin/tenants/acme/identity-domains/acme.example/prove', { vouch: true })).status,
    ).toBe(200)
    expect((await browser.ask(await wayBack(browser, acme, ADA))).status).toBe(200)
    // She is a member of globex as well, and this sign-in opens acme alone.
    expect((await me(browser)).organizations).toMatchObject([{ slug: 'acme' }])
    expect((await browser.ask('/api/v1/admin/tenants/globex/toolsets')).status).toBe(403)
    // Whoever administers the provider could otherwise add a factor of their own and come into globex with it.
    const csrf = browser.jar.get('toolway_csrf')?.value ?? ''
    for (const factor of ['passkeys', 'apps']) {
      const refused = await browser.ask(`/api/v1/auth/second-factor/${factor}/begin`, {
        method: 'POST',
        headers: { 'x-csrf-token': csrf, origin: PUBLIC },
      })
      expect([factor, refused.status, await refused.json()]).toEqual([
        factor,
        403,
        expect.objectContaining({ code: 'role.forbidden' }),
      ])
    }
    // Somebody else may have chosen her password.
    await expect(signIn(held.gateway.address, 'ada@acme.example')).rejects.toThrow('401')
    // The word of one organization is none in another.
    expect((await usersIn(held.gateway)).find(({ email }) => email === 'eve@globex.example')).toBeDefined()
  })

  test('takes from an account what somebody else may have added, and reaches nothing of another organization', async () => {
    await using held = await fixture()
    const acme = await addProvider(held, 'acme')
    const roles = [[held.globex.id, 'tenant_member']] as const
    const ada = await addPerson(held.gateway.db, { email: 'ada@acme.example', roles })
    const Nothing = z.object({})
    // Whoever had the address first may have left a way back.
    await held.gateway.db.system(async (sql) => {
      await sql(Nothing)`
        insert into recovery_codes (user_id, hash) values (${ada.id}, ${Buffer.alloc(32, 9)})`
      await sql(Nothing)`
        insert into authenticator_apps (id, user_id, sealed_secret, last_step, name) values ('app_x', ${ada.id}, 'x', 0, 'x')`
    })
    await held.gateway.restart()
    const globex = await signIn(held.gateway.address, 'boss@globex.example').catch(() => undefined)
    expect(globex).toBeUndefined()
    await held.ask('PUT /api/v1/admin/tenants/acme/identity-domains/acme.example', {})
    await held.ask('POST /api/v1/admin/tenants/acme/identity-domains/acme.example/prove', { vouch: true })
    const browser = createBrowser(held.gateway.address)
    expect((await browser.ask(await wayBack(browser, acme, ADA))).status).toBe(200)
    const Count = z.object({ count: z.int() })
    const [left] = await held.gateway.db.system(
      (sql) => sql(Count)`
        select (select count(*) from recovery_codes where user_id = ${ada.id})::int
             + (select count(*) from authenticator_apps where user_id = ${ada.id})::int as count`,
    )
    expect(left?.count).toBe(0)

    // Sign-ins and grants of the other organization are neither shown nor ended.
    await held.gateway.db.system(
      (sql) => sql(Nothing)`
        insert into sign_ins (id, user_id, bound_to, client, expires_at)
        values ('fam_other', ${ada.id}, ${held.globex.id}, 'browser', now() + interval '1 hour')`,
    )
    const csrf = { 'x-csrf-token': browser.jar.get('toolway_csrf')?.value ?? '', origin: PUBLIC }
    expect(await (await browser.ask('/api/v1/auth/sign-ins')).text()).not.toContain('fam_other')
    expect((await browser.ask('/api/v1/auth/sign-ins/fam_other', { method: 'DELETE', headers: csrf })).status).toBe(404)
    const change = { current_password: 'correct horse battery', new_password: 'another long password' }
    const changed = await browser.ask('/api/v1/auth/password', {
      method: 'POST',
      headers: { ...csrf, 'content-type': 'application/json' },
      body: JSON.stringify(change),
    })
    expect(changed.status).toBe(403)

    // Who administers the installation from now on is signed out of what the provider opened.
    expect((await held.ask(`PATCH /api/v1/admin/users/${ada.id}`, { platform_admin: true })).status).toBe(200)
    await expect.poll(async () => (await browser.ask('/api/v1/auth/me')).status).toBe(401)
    expect(await problemOn(await browser.ask(await wayBack(browser, acme, ADA)))).toEqual([
      401,
      expect.stringContaining('administers the installation'),
    ])
  })

  test('forgets who is who where its issuer changes', async () => {
    await using held = await fixture()
    const acme = await addProvider(held, 'acme')
    const browser = createBrowser(held.gateway.address)
    await browser.ask(await wayBack(browser, acme, ADA))
    const at = 'PUT /api/v1/admin/tenants/acme/identity-providers/login'
    expect((await held.ask(at, settings(held.providers.globex.address))).status).toBe(200)
    await expect.poll(async () => (await browser.ask('/api/v1/auth/me')).status).toBe(401)
    held.providers.globex.allow(`${PUBLIC}${acme.path}/callback`)
    // The same name at the other issuer is somebody else, without an address that counts.
    const other = { path: acme.path, provider: held.providers.globex }
    expect(await problemOn(await browser.ask(await wayBack(browser, other, { sub: 'ada' })))).toEqual([
      401,
      expect.stringContaining('does not say that your email address is verified'),
    ])
  })

  test('C-ID-11: opens nothing with the answer of another provider, of another browser, or twice', async () => {
    await using held = await fixture()
    const [acme, globex] = [await addProvider(held, 'acme'), await addProvider(held, 'globex')]
    const [browser, other] = [createBrowser(held.gateway.address), createBrowser(held.gateway.address)]
    const back = await wayBack(browser, acme, ADA)
    const cookies = [...browser.jar]
    const restore = () => cookies.forEach(([name, cookie]) => browser.jar.set(name, cookie))
    // Mix-up: the answer of one at the address of the other (RFC 9700, section 4.4).
    expect(await problemOn(await browser.ask(back.replace(acme.path, globex.path)))).toEqual([
      401,
      expect.stringContaining('was not started in this browser'),
    ])
    expect(await problemOn(await other.ask(back))).toEqual([
      401,
      expect.stringContaining('was not started in this browser'),
    ])
    // The other browser has begun an attempt of its own: the state of its cookie is not the one that comes back.
    await wayBack(other, acme, { ...ADA, sub: 'eve' })
    expect(await problemOn(await other.ask(back))).toEqual([401, expect.stringContaining('its response is not valid')])
    restore()
    expect((await browser.ask(back)).status).toBe(200)
    restore()
    expect(await problemOn(await browser.ask(back))).toEqual([401, expect.stringContaining('was already used')])
    expect((await me(other)).organizations).toBeUndefined()
  })

  test('is not begun by the page of another site, which leads to a button at most', async () => {
    await using held = await fixture()
    const acme = await addProvider(held, 'acme')
    const browser = createBrowser(held.gateway.address)
    const from = (site: string) => ({ headers: { 'sec-fetch-site': site } })
    for (const site of ['cross-site', 'same-site']) {
      const page = await browser.ask(`${acme.path}?next=%2Ftools&email=%22%3E%3Cb%3E`, from(site))
      expect([page.status, page.headers.getSetCookie()]).toEqual([200, []])
      const text = await page.text()
      expect(text).toContain(`href="${acme.path}?next=%2Ftools&amp;email=%22%3E%3Cb%3E"`)
      expect(text).toContain('You are about to sign in with Example ID')
    }
    for (const site of ['same-origin', 'none']) expect((await browser.ask(acme.path, from(site))).status).toBe(303)
    // Nor by way of our own pages, which lead on by themselves.
    const led = await browser.ask(`/sign-in?next=${encodeURIComponent(acme.path)}`, from('cross-site'))
    expect(await led.text()).not.toContain(acme.path)
  })

  test('has a bounded number of records by strangers, and all of those whom it has proven', async () => {
    await using held = await fixture()
    const acme = await addProvider(held, 'acme', { newcomers: 'refuse' })
    const stranger = createBrowser(held.gateway.address)
    for (let round = 0; round < 60; round++) {
      await stranger.ask(acme.path)
      expect((await stranger.ask(`${acme.path}/callback?error=access_denied&state=x`)).status).toBe(401)
      await stranger.submit(`${acme.path}/callback`, { again: '1', SAMLResponse: 'PHg+' }, { origin: PUBLIC })
    }
    for (let round = 0; round < 3; round++) await stranger.ask(await wayBack(stranger, acme, ADA))
    const refused = await held.gateway.db.system(
      (sql) =>
        sql(z.object({ detail: z.looseObject({ problem: z.string() }) }))`
          select detail from records where organization_id = ${held.acme.id} and kind = 'sign_in' and outcome = 'refused'`,
    )
    const proven = refused.filter(({ detail }) => detail.problem.includes('none of your groups'))
    expect(proven).toHaveLength(3)
    expect(refused.length - proven.length).toBeLessThanOrEqual(70)
  })

  test('that is disabled or removed ends its sign-ins, and is answered like one that is not there', async () => {
    await using held = await fixture()
    const acme = await addProvider(held, 'acme')
    const browser = createBrowser(held.gateway.address)
    await browser.ask(await wayBack(browser, acme, ADA))
    await held.ask('PUT /api/v1/admin/tenants/acme/identity-providers/login', {
      ...settings(held.providers.acme.address),
      enabled: false,
    })
    await expect.poll(async () => (await browser.ask('/api/v1/auth/me')).status).toBe(401)
    const absent = await problemOn(await browser.ask('/sign-in/provider/idp_01ABCDEFGHJKMNPQRSTVWXYZ00'))
    expect(await problemOn(await browser.ask(acme.path))).toEqual(absent)
    expect((await held.ask('DELETE /api/v1/admin/tenants/acme/identity-providers/login')).status).toBe(204)
    expect((await held.ask('DELETE /api/v1/admin/tenants/acme/identity-providers/login')).status).toBe(404)
  })

  test('C-ID-12: is tried without letting anybody in, by who administers it alone', async () => {
    await using held = await fixture()
    const acme = await addProvider(held, 'acme', { mappings: [{ group: 'staff', role: 'tenant_admin', groups: [] }] })
    const answer = await held.ask('POST /api/v1/admin/tenants/acme/identity-providers/login/trial')
    const { url } = z.object({ url: z.string() }).parse(answer.body)
    const browser = createBrowser(held.gateway.address)
    const path = url.slice(PUBLIC.length)
    const back = await wayBack(browser, { ...acme, path }, ADA)
    const page = await (await browser.ask(back)).text()
    expect(page).toContain('tenant_admin')
    expect(page).toContain('ada@acme.example')
    expect((await browser.ask('/api/v1/auth/me')).status).toBe(401)
    expect((await usersIn(held.gateway)).map(({ email }) => email)).not.toContain('ada@acme.example')
    // A made-up ticket, and one of another provider.
    const globex = await addProvider(held, 'globex')
    for (const start of [`${acme.path}?trial=AAAA`, path.replace(acme.path, globex.path)])
      expect(await problemOn(await browser.ask(start))).toEqual([401, expect.stringContaining('trial has expired')])
  })

  test('loses its secret where its issuer changes, and is not reached in a private network without leave', async () => {
    await using held = await fixture()
    await addProvider(held, 'acme')
    const admin = createAsk(
      held.gateway,
      await addKey(held.gateway, { role: 'tenant_admin', organization: held.acme.id }),
    )
    const at = 'PUT /api/v1/admin/tenants/acme/identity-providers/login'
    const { client_secret: _, ...open } = settings('https://id.example.com/')
    expect((await admin(at, { ...open, private: false })).body).toMatchObject({ has_secret: false, private: false })
    for (const issuer of ['http://id.example.com/', 'https://127.0.0.1/', 'https://metadata.internal/'])
      expect((await admin(at, { ...open, private: undefined, settings: { ...open.settings, issuer } })).status).toBe(
        issuer.startsWith('http:') ? 400 : 403,
      )
    expect((await admin(at, open)).status).toBe(403)
  })

  test('C-ID-13: that does not answer says so on the page and beside the provider, and those who are signed in go on', async () => {
    await using held = await fixture()
    const acme = await addProvider(held, 'acme')
    const browser = createBrowser(held.gateway.address)
    await browser.ask(await wayBack(browser, acme, ADA))
    await held.providers.acme[Symbol.asyncDispose]()
    await held.gateway.restart()
    const other = createBrowser(held.gateway.address)
    expect(await problemOn(await other.ask(acme.path))).toEqual([401, expect.stringContaining('cannot be reached')])
    expect((await browser.ask('/api/v1/auth/me')).status).toBe(200)
    const listed = await held.ask('GET /api/v1/admin/tenants/acme/identity-providers')
    expect(listed.body).toMatchObject({
      items: [
        {
          last_problem: expect.stringContaining('cannot be reached') as string,
          failed_at: expect.any(String) as string,
        },
      ],
    })
  })
})

describe('a provider that signs people out', () => {
  const EVENTS = { 'http://schemas.openid.net/event/backchannel-logout': {} }
  const now = () => Math.floor(Date.now() / 1000)
  const nextId = () => `jti-${Math.random()}`
  const post = (held: Held, path: string, token: string) =>
    createBrowser(held.gateway.address).submit(
      `${path}/backchannel-logout`,
      { logout_token: token },
      { origin: PUBLIC },
    )
  const sessionsIn = ({ db }: TestGateway) =>
    db.system(
      (sql) => sql(z.object({ provider_subject: z.string().nullable(), provider_session: z.string().nullable() }))`
        select provider_subject, provider_session from sign_ins where ended_at is null and provider_id is not null`,
    )

  test('C-ID-22: ends the sign-ins of that session or person, once for each token, and what MCP clients are allowed goes on', async () => {
    await using held = await fixture()
    const acme = await addProvider(held, 'acme')
    const { provider } = acme
    const [browser, other, bob] = [1, 2, 3].map(() => createBrowser(held.gateway.address)) as [
      Browser,
      Browser,
      Browser,
    ]
    await browser.ask(await wayBack(browser, acme, ADA))
    await other.ask(await wayBack(other, acme, ADA))
    await bob.ask(await wayBack(bob, acme, { ...ADA, sub: 'bob', email: 'bob@acme.example' }))
    const Nothing = z.object({})
    await held.gateway.db.system(async (sql) => {
      await sql(
        Nothing,
      )`update sign_ins set provider_session = 'first' where id = (select min(id) from sign_ins where provider_subject = 'ada')`
      await sql(
        Nothing,
      )`update sign_ins set provider_session = 'second' where id = (select max(id) from sign_ins where provider_subject = 'ada')`
      await sql(Nothing)`
        insert into sign_ins (id, user_id, client, expires_at, provider_id, provider_subject)
        select 'fam_client', user_id, 'oac_x', expires_at, provider_id, 'ada' from sign_ins where provider_session = 'first'`
    })
    const statusOf = async (at: Browser) => (await at.ask('/api/v1/auth/me')).status
    const token = await provider.sign({ sid: 'first', events: EVENTS, iat: now(), jti: nextId() })
    expect((await post(held, acme.path, token)).status).toBe(200)
    await expect.poll(async () => (await statusOf(browser)) + (await statusOf(other))).toBe(200 + 401)
    // The same token again, and those of a person with no sign-in.
    expect((await post(held, acme.path, token)).status).toBe(400)
    const whole = { sub: 'ada', events: EVENTS, iat: now() }
    expect((await post(held, acme.path, await provider.sign({ ...whole, jti: nextId() }))).status).toBe(200)
    await expect.poll(async () => [await statusOf(browser), await statusOf(other)]).toEqual([401, 401])
    expect(await statusOf(bob)).toBe(200)
    const left = (await sessionsIn(held.gateway)).map(({ provider_subject: sub }) => sub)
    expect(new Set(left)).toEqual(new Set(['ada', 'bob']))
    // A sign-in that an older version made names neither person nor session of the provider.
    await held.gateway.db.system(
      (sql) =>
        sql(
          Nothing,
        )`update sign_ins set provider_subject = null, provider_session = null where provider_subject = 'bob'`,
    )
    const bobs = { sub: 'bob', events: EVENTS, iat: now() }
    expect((await post(held, acme.path, await provider.sign({ ...bobs, jti: nextId() }))).status).toBe(200)
    await expect.poll(() => statusOf(bob)).toBe(401)
    const records = await held.gateway.db.system(
      (sql) => sql(z.object({ principal: z.string() }))`
        select principal from records where method = 'sign_out' and organization_id = ${held.acme.id}`,
    )
    expect(records).toEqual([1, 2, 3].map(() => ({ principal: 'provider:login' })))
  })

  test('C-ID-22: is believed by its own token for its own people alone', async () => {
    await using held = await fixture()
    const [acme, globex] = [await addProvider(held, 'acme'), await addProvider(held, 'globex')]
    const browser = createBrowser(held.gateway.address)
    await browser.ask(await wayBack(browser, acme, ADA))
    const whole = { sub: 'ada', events: EVENTS, iat: now(), jti: 'a' }
    const good = await acme.provider.sign(whole)
    const [head = '', body = '', signature = ''] = good.split('.')
    const none = Buffer.from(JSON.stringify({ alg: 'none', typ: 'logout+jwt' })).toString('base64url')
    const spki = await exportSPKI(acme.provider.publicKey)
    const symmetric = await new SignJWT({ ...whole, iss: acme.provider.address, aud: CLIENT.id })
      .setProtectedHeader({ alg: 'HS256' })
      .sign(new TextEncoder().encode(spki))
    const bad = [
      '',
      'x.y.z',
      `${none}.${body}.`,
      `${none}.${body}.${signature}`,
      `${head}.${body}.AAAA`,
      symmetric,
      await globex.provider.sign(whole),
      await globex.provider.sign({ ...whole, iss: acme.provider.address }),
      await acme.provider.sign({ ...whole, aud: 'another client' }),
      await acme.provider.sign({ ...whole, nonce: 'n' }),
      await acme.provider.sign({ ...whole, events: {} }),
      await acme.provider.sign({ ...whole, iat: now() - 3600 }),
      await acme.provider.sign({ ...whole, iat: now() + 3600 }),
      await acme.provider.sign({ ...whole, exp: now() - 3600 }),
      await acme.provider.sign({ events: EVENTS, iat: now(), jti: 'b' }),
      await acme.provider.sign({ sub: 'ada', events: EVENTS, iat: now() }),
      await acme.provider.sign(whole, 'at+jwt'),
    ]
    for (const token of bad) {
      const answer = await post(held, acme.path, token)
      expect([token, answer.status, await answer.json()]).toEqual([
        token,
        400,
        expect.objectContaining({ error: 'invalid_request' }),
      ])
    }
    // Another organization's provider reaches nobody, whatever it calls its people.
    expect((await post(held, globex.path, good)).status).toBe(400)
    expect((await post(held, globex.path, await globex.provider.sign({ ...whole, jti: 'c' }))).status).toBe(200)
    expect((await post(held, '/sign-in/provider/idp_x', good)).status).toBe(400)
    expect((await browser.ask('/api/v1/auth/me')).status).toBe(200)
    await acme.provider[Symbol.asyncDispose]()
    await held.gateway.restart()
    expect((await post(held, acme.path, good)).status).toBe(400)
  })
})

describe('groups of a provider', () => {
  test('C-ID-03: are groups here while the provider says so, beside what was given by hand, and decide over toolsets', async () => {
    await using held = await fixture()
    const tenant = '/api/v1/admin/tenants/acme'
    for (const group of ['finance', 'sales']) await held.ask(`PUT ${tenant}/groups/${group}`, {})
    await held.ask(`PUT ${tenant}/toolsets/ledger`, { include: ['*'], exclude: [], audience: { groups: ['finance'] } })
    const acme = await addProvider(held, 'acme', {
      group_claims: ['absent', 'realm.groups', 'groups'],
      mappings: [
        { group: 'F-17', groups: ['finance', 'not-there'] },
        { group: 'S-3', groups: ['sales'] },
      ],
    })
    const browser = createBrowser(held.gateway.address)
    const arrive = async (groups: string[]) => browser.ask(await wayBack(browser, acme, { ...ADA, groups }))
    const Groups = z.object({
      items: z.array(z.object({ slug: z.string(), members: z.array(z.looseObject({ email: z.string() })) })),
    })
    const groupsOf = async () =>
      Groups.parse((await held.ask(`GET ${tenant}/groups`)).body)
        .items.filter(({ members }) => members.some(({ email }) => email === ADA.email))
        .map(({ slug }) => slug)
    await arrive(['F-17', 'S-3'])
    expect(await groupsOf()).toEqual(['finance', 'sales'])
    const { user_id: ada } = z
      .object({ items: z.tuple([z.looseObject({ user_id: z.string() })]) })
      .parse((await held.ask(`GET ${tenant}/members?search=ada`)).body).items[0]
    await held.ask(`PUT ${tenant}/groups/sales/members/${ada}`)
    await arrive([])
    // By hand she is in sales still.
    expect(await groupsOf()).toEqual(['sales'])
    const answer = await browser.ask('/o/acme/t/ledger/mcp', { method: 'POST' })
    await arrive(['F-17'])
    expect(await groupsOf()).toEqual(['finance', 'sales'])
    expect(answer.status).toBeGreaterThanOrEqual(400)
  })
})

describe('a domain', () => {
  test.skipIf(NO_BROWSER)('leads a real browser to the provider and back', async () => {
    await using gateway = await startTestGateway({})
    await addPerson(gateway.db, { email: 'admin@example.com', platformAdmin: true })
    await addTestOrganization(gateway.db, 'acme')
    await gateway.restart()
    const ask = createAsk(gateway, await addKey(gateway, { role: 'platform_admin' }))
    await using provider = await startIdentityProvider([`${gateway.address}/unused`])
    const tenant = '/api/v1/admin/tenants/acme'
    const added = await ask(`PUT ${tenant}/identity-providers/login`, settings(provider.address))
    provider.allow(Added.parse(added.body).redirect_uri)
    provider.is(ADA)
    await ask(`PUT ${tenant}/identity-domains/acme.example`, {})
    await ask(`POST ${tenant}/identity-domains/acme.example/prove`, { vouch: true })
    await using opened = await openPage(gateway.address, { expected: /favicon/ })
    const { page } = opened
    await page.goto('/sign-in/organization?next=/approvals')
    await page.getByLabel('Email').fill(ADA.email ?? '')
    await page.getByRole('button').click()
    await page.waitForURL(/approvals/)
    // Led by another site, the browser is asked first.
    await page.context().clearCookies()
    const { redirect_uri: uri } = Added.parse(added.body)
    await page.route(`${provider.address}/elsewhere`, (route) =>
      route.fulfill({ contentType: 'text/html', body: `<a href="${uri.replace('/callback', '')}">win</a>` }),
    )
    await page.goto(`${provider.address}/elsewhere`)
    await page.getByText('win').click()
    await page.getByRole('link', { name: 'Sign in with Example ID' }).click()
    await page.waitForURL(`${gateway.address}/**`)
    await expect
      .poll(() =>
        page
          .context()
          .cookies()
          .then((all) => all.map(({ name }) => name)),
      )
      .toContain('toolway_access')
  })

  test('C-ID-08: leads people to their provider by their address, and when enforced takes their passwords', async () => {
    await using held = await fixture()
    const acme = await addProvider(held, 'acme')
    const roles = [[held.acme.id, 'tenant_admin']] as const
    for (const email of ['ada@acme.example', 'boss@acme.example']) await addPerson(held.gateway.db, { email, roles })
    await held.gateway.restart()
    const browser = createBrowser(held.gateway.address)
    const lead = (email: string) =>
      browser.submit('/sign-in/organization', { email, next: '/tools' }, { origin: PUBLIC })
    expect(await (await lead('ada@acme.example')).text()).toContain('No organization here signs in people')
    const domain = '/api/v1/admin/tenants/acme/identity-domains/acme.example'
    await held.ask(`PUT ${domain}`, { enforced: true, break_glass: 'boss@acme.example' })
    // Not proven yet: it takes nothing.
    await signIn(held.gateway.address, 'ada@acme.example')
    await held.ask(`POST ${domain}/prove`, { vouch: true })
    const led = await lead('ada@acme.example')
    expect(await led.text()).toContain(`url=${acme.path}?email=ada%40acme.example&amp;next=%2Ftools"`)
    await expect(signIn(held.gateway.address, 'ada@acme.example')).rejects.toThrow('401')
    await signIn(held.gateway.address, 'boss@acme.example')
    await signIn(held.gateway.address, 'admin@example.com')
    const alerts = await held.ask('GET /api/v1/admin/tenants/acme/alerts?kind=password.emergency')
    expect(alerts.body).toMatchObject({ items: [{ detail: { email: 'boss@acme.example' } }] })
  })

  test('is proven once by DNS, and by no other organization then', async () => {
    await using held = await fixture()
    const at = (organization: string) => `/api/v1/admin/tenants/${organization}/identity-domains/acme.example`
    const added = await held.ask(`PUT ${at('acme')}`, {})
    expect(added.body).toMatchObject({ proven_at: null, record: { name: '_toolway.acme.example', type: 'TXT' } })
    const refused = await held.ask(`POST ${at('acme')}/prove`, {})
    expect([refused.status, JSON.stringify(refused.body)]).toEqual([
      422,
      expect.stringMatching(/no TXT record|do not respond/),
    ])
    const admin = createAsk(
      held.gateway,
      await addKey(held.gateway, { role: 'tenant_admin', organization: held.acme.id }),
    )
    expect((await admin(`POST ${at('acme')}/prove`, { vouch: true })).status).toBe(403)
    await held.ask(`POST ${at('acme')}/prove`, { vouch: true })
    await held.ask(`PUT ${at('globex')}`, {})
    expect((await held.ask(`POST ${at('globex')}/prove`, { vouch: true })).status).toBe(409)
    for (const bad of ['localhost', 'a..b', 'xn--', '1.2.3.4', `${'a'.repeat(250)}.com`])
      expect((await held.ask(`PUT /api/v1/admin/tenants/acme/identity-domains/${bad}`, {})).status).toBe(422)
  })

  test('goes to the organization that DNS names now, and the one before has it on record', async () => {
    await using held = await fixture()
    await using server = await startNameServer()
    // The gateway asks the name servers of the machine: here a real one of the test.
    const { resolveTxt } = Resolver.prototype
    const asked = vi.spyOn(Resolver.prototype, 'resolveTxt').mockImplementation(function (this: Resolver, name) {
      this.setServers([server.address])
      return resolveTxt.call(this, name)
    })
    try {
      const at = (organization: string) => `/api/v1/admin/tenants/${organization}/identity-domains/acme.example`
      const Record = z.looseObject({ record: z.looseObject({ value: z.string() }) })
      for (const organization of ['acme', 'globex']) {
        const { record } = Record.parse((await held.ask(`PUT ${at(organization)}`, {})).body)
        // DNS still has the text of another organization.
        expect((await held.ask(`POST ${at(organization)}/prove`, {})).status).toBe(422)
        server.say(record.value)
        expect((await held.ask(`POST ${at(organization)}/prove`, {})).body).toMatchObject({ proven_by: 'dns' })
      }
      const listed = await held.ask('GET /api/v1/admin/tenants/acme/identity-domains')
      expect(listed.body).toMatchObject({ items: [{ proven_at: null, proven_by: null }] })
      const Row = z.object({ detail: z.looseObject({}) })
      const rows = await held.gateway.db.system(
        (sql) => sql(Row)`
          select detail from records where organization_id = ${held.acme.id} and principal = 'dns'`,
      )
      expect(rows).toMatchObject([{ detail: { proven: false } }])
    } finally {
      asked.mockRestore()
    }
  })

  test('has its TXT records joined, and none where the name server says so', async () => {
    await using server = await startNameServer()
    const find = createFindTxtRecords([server.address])
    expect(await find('_toolway.acme.example')).toEqual(['toolway-domain=1234', 'other'])
    expect(await find('_toolway.absent.example')).toEqual([])
    await expect(find('_toolway.broken.example')).rejects.toThrow()
  })
})

/** A name server (RFC 1035) with two TXT records, one of two texts; anything else is not there, or its own failure. */
async function startNameServer() {
  const socket = createSocket('udp4')
  let first = ['toolway-', 'domain=1234']
  const text = (words: string[]) => {
    const data = Buffer.concat(words.map((word) => Buffer.concat([Buffer.from([word.length]), Buffer.from(word)])))
    const head = Buffer.from([0xc0, 12, 0, 16, 0, 1, 0, 0, 0, 60, 0, data.length])
    return Buffer.concat([head, data])
  }
  socket.on('message', (query, { port, address }) => {
    const end = query.indexOf(0, 12) + 5
    const name = query.subarray(12, end).toString('latin1')
    const answers = name.includes('acme') ? [text(first), text(['other'])] : []
    const code = name.includes('broken') ? 2 : answers.length === 0 ? 3 : 0
    const head = Buffer.from([query[0] ?? 0, query[1] ?? 0, 0x81, 0x80 | code, 0, 1, 0, answers.length, 0, 0, 0, 0])
    socket.send(Buffer.concat([head, query.subarray(12, end), ...answers]), port, address)
  })
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
  return {
    say: (value: string) => void (first = [value]),
    address: `127.0.0.1:${socket.address().port}`,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => void socket.close(() => resolve())),
  }
}
