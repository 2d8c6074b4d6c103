/** Signing in at an identity provider: a real OpenID Connect one by the browser, and Supabase by its access tokens. */
// @module-tag long
import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { startTestGateway, type TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { addPerson, askAdmin, createBrowser, signIn } from '../../../packages/gateway/src/testing/people.ts'
import {
  CLIENT,
  startIdentityProvider,
  startSupabase,
  walkThrough,
  type Person,
} from '../peers/people/identity-provider.ts'

const PUBLIC = 'http://localhost:8787'
const CALLBACK = `${PUBLIC}/sign-in/oidc/callback`
const ADA: Person = { sub: 'ada-over-there', email: 'Ada@Example.com', email_verified: true, name: 'Ada' }

async function fixture(settings: Record<string, string> = {}) {
  const provider = await startIdentityProvider([CALLBACK])
  const gateway = await startTestGateway({
    settings: {
      TOOLWAY_PUBLIC_URL: PUBLIC,
      TOOLWAY_OIDC_ISSUER: provider.address,
      TOOLWAY_OIDC_CLIENT_ID: CLIENT.id,
      TOOLWAY_OIDC_CLIENT_SECRET: CLIENT.secret,
      TOOLWAY_OIDC_NAME: 'Example ID',
      ...settings,
    },
  })
  // Somebody has set this installation up.
  await addPerson(gateway.db, { email: 'admin@example.com', platformAdmin: true })
  const browser = createBrowser(gateway.address)
  /** To the provider and to the door on the way back; what the browser asks there. */
  async function wayBack(person: Person, next = '/somewhere') {
    provider.is(person)
    const start = await browser.ask(`/sign-in/oidc?next=${encodeURIComponent(next)}`)
    const at = await walkThrough(start.headers.get('location') ?? '', PUBLIC)
    return at.slice(PUBLIC.length)
  }
  const walk = async (person: Person) => browser.ask(await wayBack(person))
  const me = async () =>
    (await (await browser.ask('/api/v1/auth/me')).json()) as { user?: { email: string }; organizations: unknown[] }
  return {
    provider,
    gateway,
    browser,
    wayBack,
    walk,
    me,
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]()
      await provider[Symbol.asyncDispose]()
    },
  }
}

const problemOn = async (page: Response) => [page.status, /role="alert">([^<]*)/.exec(await page.text())?.[1]]
const usersIn = ({ db }: TestGateway) =>
  db.system(
    (sql) =>
      sql(z.object({ email: z.string(), provider: z.string() }))`select email, provider from users order by email`,
  )

describe('a person whom an OpenID Connect provider proves', () => {
  test('is signed in by a verified email the first time and by the provider’s id from then on', async () => {
    await using held = await fixture()
    await addPerson(held.gateway.db, {
      email: 'ada@example.com',
      roles: [[held.gateway.organization.id, 'tenant_member']],
    })
    await held.gateway.restart()
    const old = await signIn(held.gateway.address, 'ada@example.com')
    expect(await (await held.browser.ask('/sign-in?next=/a')).text()).toContain('Sign in with Example ID')

    const page = await held.walk(ADA)
    expect(page.status).toBe(200)
    expect(await page.text()).toContain('content="0; url=/somewhere"')
    expect(await held.me()).toMatchObject({
      user: { email: 'ada@example.com' },
      organizations: [{ slug: 'default', role: 'tenant_member' }],
    })
    // The password may have been set by someone other than Ada.
    expect((await askAdmin(held.gateway.address, 'GET /auth/me', { token: old.access_token })).status).toBe(401)
    await expect(signIn(held.gateway.address, 'ada@example.com')).rejects.toThrow('401')
    expect((await held.walk({ sub: ADA.sub, email: 'moved@example.com', email_verified: false })).status).toBe(200)
    expect(await usersIn(held.gateway)).toEqual([
      { email: 'ada@example.com', provider: held.provider.address },
      { email: 'admin@example.com', provider: 'local' },
    ])
  })

  test.each([
    [
      'whose email is not verified',
      { ...ADA, email_verified: false },
      'does not say that your email address is verified',
    ],
    ['who shows no email', { sub: 'x' }, 'does not say that your email address is verified'],
    ['whom nobody added', { ...ADA, email: 'eve@example.com' }, 'nobody with this email has been added here'],
  ])('%s is not let in, and told why', async (_, person, why) => {
    await using held = await fixture()
    await addPerson(held.gateway.db, { email: 'ada@example.com' })
    await held.gateway.restart()
    expect(await problemOn(await held.walk(person))).toEqual([401, expect.stringContaining(why)])
    expect((await held.browser.ask('/api/v1/auth/me')).status).toBe(401)
    expect(await usersIn(held.gateway)).toHaveLength(2)
  })

  test('may be let in as a viewer of the default organization where a setting says so', async () => {
    await using held = await fixture({ TOOLWAY_OIDC_NEW: 'viewer' })
    await held.walk(ADA)
    expect(await held.me()).toMatchObject({
      user: { email: 'ada@example.com', name: 'Ada' },
      organizations: [{ slug: 'default', role: 'tenant_viewer' }],
    })
  })

  test('who is not active is not let in', async () => {
    await using held = await fixture({ TOOLWAY_OIDC_NEW: 'member' })
    await held.walk(ADA)
    await held.gateway.db.system((sql) => sql(z.object({}))`update users set active = false`)
    expect(await problemOn(await held.walk(ADA))).toEqual([401, expect.stringContaining('not active')])
  })
})

describe('the way back from the provider', () => {
  test('is good once, in the browser that began it, with the state and issuer that belong to it', async () => {
    await using held = await fixture({ TOOLWAY_OIDC_NEW: 'member' })
    const cookie = () => `toolway_oidc=${held.browser.jar.get('toolway_oidc')?.value}`
    const ask = (path: string, more: string) =>
      fetch(`${held.gateway.address}${path}`, { headers: { cookie: more }, redirect: 'manual' })

    const path = await held.wayBack(ADA)
    expect(held.browser.jar.get('toolway_oidc')?.text).toMatch(/; SameSite=Lax; HttpOnly$/)
    const begun = 'it was not started in this browser'
    expect(await problemOn(await ask(path, ''))).toEqual([401, expect.stringContaining(begun)])
    expect(await problemOn(await ask(path, 'toolway_oidc=AAAA'))).toEqual([401, expect.stringContaining(begun)])
    const kept = cookie()
    await using replica = await held.gateway.another()
    expect((await fetch(`${replica.address}${path}`, { headers: { cookie: kept } })).status).toBe(200)
    expect(await problemOn(await ask(path, kept))).toEqual([401, expect.stringContaining('was already used')])

    for (const change of [/state=[^&]*/, /iss=[^&]*/, /code=[^&]*/]) {
      const bad = (await held.wayBack(ADA)).replace(change, (pair) => `${pair.split('=')[0]}=other`)
      expect(await problemOn(await ask(bad, cookie()))).toEqual([
        401,
        expect.stringContaining('its response is not valid'),
      ])
    }
  })

  test('of one attempt does not fit the cookie of another', async () => {
    await using held = await fixture({ TOOLWAY_OIDC_NEW: 'member' })
    const first = await held.wayBack(ADA)
    await held.wayBack({ ...ADA, sub: 'mallory', email: 'mallory@example.com' })
    expect((await held.browser.ask(first)).status).toBe(401)
    expect(await usersIn(held.gateway)).toHaveLength(1)
  })

  test('from a provider that is away is one sentence, and the gateway goes on', async () => {
    await using gateway = await startTestGateway({
      settings: { TOOLWAY_OIDC_ISSUER: 'http://127.0.0.1:9', TOOLWAY_OIDC_CLIENT_ID: 'x' },
    })
    const page = await createBrowser(gateway.address).ask('/sign-in/oidc')
    expect(await problemOn(page)).toEqual([401, expect.stringContaining('cannot be reached')])
    expect((await fetch(`${gateway.address}/health/ready`)).status).toBe(200)
  })
})

describe('a person with a Supabase access token', () => {
  async function supabase(settings: Record<string, string> = {}) {
    const project = await startSupabase()
    const gateway = await startTestGateway({
      settings: { TOOLWAY_OIDC_PRESET: 'supabase', SUPABASE_URL: project.address, ...settings },
    })
    const login = (token: string, more: object = {}) =>
      askAdmin(gateway.address, 'POST /auth/login', { body: { provider_token: token, ...more } })
    return {
      project,
      gateway,
      login,
      async [Symbol.asyncDispose]() {
        await gateway[Symbol.asyncDispose]()
        await project[Symbol.asyncDispose]()
      },
    }
  }
  const claims = { sub: 'b7b2', email: 'ada@example.com', user_metadata: { email_verified: true } }

  test('S0-AUT-04: signs in with a valid one; one of a wrong issuer, key, audience or time is refused', async () => {
    await using held = await supabase()
    const { project, gateway, login } = held
    await addPerson(gateway.db, { email: 'ada@example.com', roles: [[gateway.organization.id, 'tenant_member']] })
    await addPerson(gateway.db, { email: 'bob@example.com' })
    await gateway.restart()
    const good = await login(await project.token(claims), { organization: 'default' })
    expect(good.body).toMatchObject({ user: { email: 'ada@example.com' }, organization: gateway.organization.id })
    expect((await askAdmin(gateway.address, 'GET /auth/me', { token: good.body.access_token })).status).toBe(200)

    const key = Buffer.from('a secret that both sides would know')
    const head = Buffer.from('{"alg":"HS256","typ":"JWT"}').toString('base64url')
    const [, body = ''] = (await project.token(claims)).split('.')
    const shared = `${head}.${body}.${createHmac('sha256', key).update(`${head}.${body}`).digest('base64url')}`
    const bad = [
      await project.token(claims, { issuer: 'https://evil.example/auth/v1' }),
      await project.token(claims, { by: 'stranger' }),
      await project.token(claims, { audience: 'anon' }),
      await project.token(claims, { age: 4000 }),
      await project.token({ ...claims, sub: 'other', is_anonymous: true }),
      await project.token({ ...claims, sub: 'other', user_metadata: { email_verified: false } }),
      // A token that says nothing of the address, as old projects make them, proves none.
      await project.token({ sub: 'other', email: claims.email }),
      shared,
    ]
    for (const token of bad) expect(await login(token)).toMatchObject({ status: 401, body: { code: 'login.provider' } })
    // The local password is the other way.
    expect((await signIn(gateway.address, 'bob@example.com')).user).toMatchObject({ email: 'bob@example.com' })
    const [failed] = await gateway.db.system(
      (sql) =>
        sql(z.object({ count: z.int() }))`
        select count(*)::int as count from records where kind = 'sign_in' and code = 'login.provider'`,
    )
    expect(failed?.count).toBe(bad.length)
  })

  test('U-03: the first person of an empty installation still needs the setup code, and administers it then', async () => {
    await using held = await supabase({ TOOLWAY_OIDC_NEW: 'viewer' })
    const { project, gateway, login } = held
    const { newSetUpCode } = await import('../../../packages/gateway/src/identity/codes.ts')
    const { createTestVault } = await import('../../../packages/gateway/src/testing/gateway.ts')
    const code = await gateway.db.system((sql) => newSetUpCode(sql, createTestVault().hash))
    expect(await login(await project.token(claims))).toMatchObject({ status: 401, body: { code: 'login.provider' } })
    const first = await askAdmin(gateway.address, 'POST /auth/register', {
      body: { setup_code: code, email: 'first@example.com', name: 'First', password: 'correct horse battery' },
    })
    expect(first.body).toMatchObject({ user: { platform_admin: true } })
    const second = await login(await project.token(claims))
    expect(second.body).toMatchObject({ user: { email: 'ada@example.com', platform_admin: false } })
    const me = await askAdmin(gateway.address, 'GET /auth/me', { token: second.body.access_token })
    expect(me.body.organizations).toMatchObject([{ slug: 'default', role: 'tenant_viewer' }])
  })

  test('is told that none is taken where no provider is set', async () => {
    await using gateway = await startTestGateway()
    const answer = await askAdmin(gateway.address, 'POST /auth/login', { body: { provider_token: 'a.b.c' } })
    expect(answer).toMatchObject({ status: 401, body: { code: 'login.provider' } })
  })
})
