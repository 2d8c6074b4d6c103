/** Signing in over HTTP, with real gateways: pairs of tokens, their lives and ends, cookies, and who may do what with them. */
// @module-tag long
import { randomBytes } from 'node:crypto'
import { decodeJwt } from 'jose'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { startTestGateway, type TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { addPerson, askAdmin, createBrowser, PASSWORD, signIn } from '../../../packages/gateway/src/testing/people.ts'
import { within } from '../../setup/form.ts'
import { until } from '../peers/until.ts'

const ADA = 'ada@example.com'
const BOB = 'bob@example.com'
const ME = 'GET /auth/me'

async function start(settings: Record<string, string> = {}, others: string[] = []) {
  const gateway = await startTestGateway({
    settings,
    others: others.map((slug) => ({ slug, name: slug, connections: [], toolsets: [], keys: [] })),
  })
  await addPerson(gateway.db, { email: ADA, platformAdmin: true })
  return gateway
}

const organizationOf = async (gateway: TestGateway, slug: string) => {
  const [row] = await gateway.db.system(
    (sql) => sql(z.object({ id: z.string() }))`select id from organizations where slug = ${slug}`,
  )
  return (row?.id ?? '') as TestGateway['organization']['id']
}
const statusOf = async (gateway: { address: string }, token: string, at: typeof ME = ME) =>
  (await askAdmin(gateway.address, at, { token })).status
const refresh = (gateway: { address: string }, token: string) =>
  askAdmin(gateway.address, 'POST /auth/refresh', { body: { refresh_token: token } })
const codeIn = (body: { code?: string }) => body.code
const records = (gateway: TestGateway, method: string) =>
  gateway.db.system(
    (sql) =>
      sql(z.object({ kind: z.string(), principal: z.string(), outcome: z.string(), code: z.string().nullable() }))`
      select kind, principal, outcome, code from records where method = ${method} order by at, id`,
  )
const toolsList = (address: string, path: string, token: string) =>
  fetch(`${address}${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/list',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/list',
      params: {
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    }),
  })

describe('a pair of tokens', () => {
  test('S0-AUT-05, S0-AUT-07: login answers an access and a refresh token, and the first one in Authorization opens the interface', async () => {
    await using gateway = await start()
    const { status, body, headers } = await askAdmin(gateway.address, 'POST /auth/login', {
      body: { email: ADA, password: PASSWORD },
    })
    expect(status).toBe(200)
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.getSetCookie()).toEqual([])
    expect(body).toMatchObject({ token_type: 'Bearer', expires_in: 1800, user: { email: ADA, platform_admin: true } })
    expect(body.refresh_token).toMatch(/^twr_[\w-]{43}$/)
    expect((await askAdmin(gateway.address, ME, { token: body.access_token })).body).toMatchObject({
      kind: 'user',
      user: { email: ADA },
      organizations: [{ slug: 'default', role: 'platform_admin' }],
    })
    expect((await toolsList(gateway.address, '/mcp', body.access_token)).status).toBe(200)
    expect((await askAdmin(gateway.address, ME)).status).toBe(401)
    expect((await askAdmin(gateway.address, `GET /auth/me?token=${body.access_token}`)).status).toBe(401)
    expect(await records(gateway, 'sign_in')).toEqual([
      { kind: 'sign_in', principal: body.user.id, outcome: 'ok', code: null },
    ])
  })

  test.each([
    ['S3-AUTH-02: lives 30 minutes, its refresh token 7 days', {}, 1800, 7],
    ['lives an hour, its refresh token 30 days, under the uru preset', { TOOLWAY_TOKEN_PRESET: 'uru' }, 3600, 30],
    [
      'lives as long as settings of one’s own say',
      { ACCESS_TOKEN_EXPIRE_MINUTES: '5', REFRESH_TOKEN_EXPIRE_DAYS: '2' },
      300,
      2,
    ],
  ])('%s', async (_, settings, seconds, days) => {
    await using gateway = await start(settings)
    const pair = await signIn(gateway.address, ADA)
    const { iat = 0, exp = 0 } = decodeJwt(pair.access_token)
    expect(exp - iat).toBe(seconds)
    const [token] = await gateway.db.system(
      (sql) =>
        sql(z.object({ days: z.number() }))`
        select (extract(epoch from expires_at - issued_at) / 86400)::float8 as days from refresh_tokens`,
    )
    expect(token?.days).toBeCloseTo(days, 2)
  })

  test('U-02: rotates under both presets, each refresh token is good once, and the claim of the organization stays', async () => {
    for (const [preset, seconds] of [
      ['default', 1800],
      ['uru', 3600],
    ] as const) {
      await using gateway = await start({ TOOLWAY_TOKEN_PRESET: preset })
      const first = await signIn(gateway.address, ADA, { organization: 'default' })
      const second = (await refresh(gateway, first.refresh_token)).body
      const { exp = 0, iat = 0, org } = decodeJwt<{ org?: string }>(second.access_token)
      expect([exp - iat, org]).toEqual([seconds, gateway.organization.id])
      expect(await statusOf(gateway, second.access_token)).toBe(200)
      expect((await refresh(gateway, first.refresh_token)).status).toBe(401)
      expect((await refresh(gateway, second.refresh_token)).status).toBe(401)
      expect(await statusOf(gateway, second.access_token)).toBe(401)
    }
  })

  test('S0-AUT-02: lives 30 days under uru, rotates, and a refresh token that comes twice ends all that descends from its sign-in', async () => {
    await using gateway = await start({ TOOLWAY_TOKEN_PRESET: 'uru' })
    const other = await signIn(gateway.address, ADA)
    const first = await signIn(gateway.address, ADA)
    const second = (await refresh(gateway, first.refresh_token)).body
    const third = (await refresh(gateway, second.refresh_token)).body
    expect(third.refresh_expires_in).toBe(30 * 24 * 60 * 60)
    expect(await statusOf(gateway, first.access_token)).toBe(200)

    const again = await refresh(gateway, first.refresh_token)
    expect([again.status, codeIn(again.body)]).toEqual([401, 'refresh.unknown'])
    expect((await refresh(gateway, third.refresh_token)).status).toBe(401)
    for (const { access_token: token } of [first, second, third]) expect(await statusOf(gateway, token)).toBe(401)
    expect(await statusOf(gateway, other.access_token)).toBe(200)
    expect((await refresh(gateway, other.refresh_token)).status).toBe(200)
    expect(await records(gateway, 'sign_in.reuse')).toMatchObject([{ kind: 'sign_in', outcome: 'refused' }])
  })

  test('is refreshed once for a client that asks many times at once, and by one of two replicas only', async () => {
    await using gateway = await start({ TOOLWAY_PUBLIC_URL: 'http://localhost:8787' })
    const first = await signIn(gateway.address, ADA)
    const five = await Promise.all(Array.from({ length: 5 }, () => refresh(gateway, first.refresh_token)))
    expect(five.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
    expect(new Set(five.map(({ body }) => body.refresh_token)).size).toBe(1)

    await using replica = await gateway.another()
    const token = five[0]?.body.refresh_token
    const two = await Promise.all([refresh(gateway, token), refresh(replica, token)])
    expect(two.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 401])
    const winner = two.find(({ status }) => status === 200)?.body
    expect((await refresh(gateway, winner.refresh_token)).status).toBe(401)
  })

  test('of an OAuth client is renewed at its own address alone: here it is no token', async () => {
    await using gateway = await start()
    const pair = await signIn(gateway.address, ADA)
    await gateway.db.system((sql) => sql(z.object({}))`update sign_ins set client = 'https://client.example/id'`)
    expect((await refresh(gateway, pair.refresh_token)).status).toBe(401)
  })

  test('ends on every replica within a second of signing out', async () => {
    await using gateway = await start({ TOOLWAY_PUBLIC_URL: 'http://localhost:8787' })
    await using replica = await gateway.another()
    const pair = await signIn(gateway.address, ADA)
    expect(await statusOf(replica, pair.access_token)).toBe(200)
    const out = await askAdmin(gateway.address, 'POST /auth/logout', { body: { refresh_token: pair.refresh_token } })
    expect(out.status).toBe(204)
    expect(await statusOf(gateway, pair.access_token)).toBe(401)
    await expect.poll(() => statusOf(replica, pair.access_token), { timeout: within(1_000), interval: 20 }).toBe(401)
    await gateway.restart()
    expect(await statusOf(gateway, pair.access_token)).toBe(401)
    const again = await askAdmin(gateway.address, 'POST /auth/logout', { body: { refresh_token: pair.refresh_token } })
    expect(again.status).toBe(204)
  })

  test('is not kept: the database holds no token and no password, and no record or log line does', async () => {
    await using gateway = await start()
    const pair = await signIn(gateway.address, ADA)
    await askAdmin(gateway.address, 'POST /auth/login', { body: { email: ADA, password: 'a wrong password' } })
    const [{ all } = { all: '' }] = await gateway.db.system(
      (sql) =>
        sql(z.object({ all: z.string() }))`
        select concat((select json_agg(u) from users u), (select json_agg(s) from sign_ins s),
                      (select json_agg(t) from refresh_tokens t), (select json_agg(r) from records r)) as all`,
    )
    const said = all + JSON.stringify(gateway.log)
    expect(said).toContain(ADA)
    for (const secret of [pair.access_token, pair.refresh_token, PASSWORD, 'a wrong password'])
      expect(said).not.toContain(secret)
  })

  test('of another signer, without a signature, for another use or of another gateway is refused', async () => {
    await using gateway = await start()
    const { access_token: good } = await signIn(gateway.address, ADA)
    const [head = '', body = '', signature = ''] = good.split('.')
    const none = Buffer.from(JSON.stringify({ alg: 'none', typ: 'at+jwt' })).toString('base64url')
    const shared = Buffer.from(JSON.stringify({ alg: 'HS256', typ: 'at+jwt' })).toString('base64url')
    const claims = JSON.parse(Buffer.from(body, 'base64url').toString()) as object
    const other = Buffer.from(JSON.stringify({ ...claims, sub: 'usr_other' })).toString('base64url')
    const bad = [
      `${none}.${body}.${signature}`,
      `${shared}.${body}.${randomBytes(32).toString('base64url')}`,
      `${head}.${other}.${signature}`,
      `${head}.${body}.${randomBytes(64).toString('base64url')}`,
    ]
    for (const token of bad) expect(await statusOf(gateway, token)).toBe(401)
    await using elsewhere = await start()
    expect(await statusOf(elsewhere, good)).toBe(401)
  })
})

describe('a token that is bound to an organization', () => {
  test('S0-AUT-01: lives an hour under uru, carries the organization, and is refused with 403 in any other, there or not', async () => {
    await using gateway = await start({ TOOLWAY_TOKEN_PRESET: 'uru' }, ['acme'])
    await addPerson(gateway.db, { email: BOB, roles: [[gateway.organization.id, 'tenant_admin']] })
    await gateway.restart()
    // The one organization that the person is in.
    const { access_token: token, organization } = await signIn(gateway.address, BOB)
    const { exp = 0, iat = 0, org } = decodeJwt<{ org?: string }>(token)
    expect(exp - iat).toBe(3600)
    expect([org, organization]).toEqual([gateway.organization.id, gateway.organization.id])
    const members = (slug: string) => askAdmin(gateway.address, `GET /admin/tenants/${slug}/members`, { token })
    expect((await members('default')).status).toBe(200)
    const refused = [await members('acme'), await members('nowhere')]
    expect(refused.map(({ status, body }) => [status, codeIn(body)])).toEqual([
      [403, 'place.bound'],
      [403, 'place.bound'],
    ])
    expect((await toolsList(gateway.address, '/o/default/t/default/mcp', token)).status).toBe(200)
    expect((await toolsList(gateway.address, '/o/acme/t/default/mcp', token)).status).toBe(403)
    expect((await toolsList(gateway.address, '/o/nowhere/t/default/mcp', token)).status).toBe(403)
  })

  test('is made only for an organization that the person is in; others sound like none', async () => {
    await using gateway = await start({}, ['acme'])
    await addPerson(gateway.db, { email: BOB, roles: [[gateway.organization.id, 'tenant_member']] })
    await gateway.restart()
    const ask = (organization: string) =>
      askAdmin(gateway.address, 'POST /auth/login', { body: { email: BOB, password: PASSWORD, organization } })
    expect((await ask('default')).status).toBe(200)
    const [other, none] = [await ask('acme'), await ask('nowhere')]
    expect([other.status, codeIn(other.body)]).toEqual([404, 'place.unknown'])
    expect({ ...other.body, correlation_id: '' }).toEqual({ ...none.body, correlation_id: '' })
  })
})

describe('who may do what', () => {
  test('S3-RBAC-04: an administrator of one organization who is a viewer in another cannot write or call there', async () => {
    await using gateway = await start({}, ['acme', 'beta', 'gamma'])
    const [acme, beta] = [await organizationOf(gateway, 'acme'), await organizationOf(gateway, 'beta')]
    await addPerson(gateway.db, {
      email: BOB,
      roles: [
        [acme, 'tenant_admin'],
        [beta, 'tenant_viewer'],
      ],
    })
    await gateway.restart()
    const { access_token: token } = await signIn(gateway.address, BOB)
    const add = (slug: string) =>
      askAdmin(gateway.address, `POST /admin/tenants/${slug}/members`, {
        token,
        body: { email: `new-in-${slug}@example.com`, role: 'tenant_viewer' },
      })
    expect((await add('acme')).status).toBe(201)
    const refused = await add('beta')
    expect([refused.status, codeIn(refused.body)]).toEqual([403, 'role.forbidden'])
    expect((await add('gamma')).status).toBe(404)
    const call = async (slug: string) => {
      const response = await fetch(`${gateway.address}/o/${slug}/t/default/mcp`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name: 'no_tool', arguments: {} },
        }),
      })
      const { error } = (await response.json()) as { error?: { data?: { fault?: string } } }
      return error?.data?.fault
    }
    expect((await toolsList(gateway.address, '/o/beta/t/default/mcp', token)).status).toBe(200)
    expect([await call('acme'), await call('beta')]).toEqual(['tool.unknown', 'role.forbidden'])
  })

  test('a demotion, a removal and a deactivation count at the next request, of tokens that were made before', async () => {
    await using gateway = await start()
    const bob = await addPerson(gateway.db, { email: BOB, roles: [[gateway.organization.id, 'tenant_admin']] })
    const carl = await addPerson(gateway.db, {
      email: 'carl@example.com',
      roles: [[gateway.organization.id, 'tenant_admin']],
    })
    await gateway.restart()
    const [admin, own] = [await signIn(gateway.address, ADA), await signIn(gateway.address, BOB)]
    const members = async () =>
      (await askAdmin(gateway.address, 'GET /admin/tenants/default/members', { token: own.access_token })).status
    const asAdmin = (at: Parameters<typeof askAdmin>[1], body?: unknown) =>
      askAdmin(gateway.address, at, { token: admin.access_token, body })

    expect(await members()).toBe(200)
    expect((await asAdmin(`PATCH /admin/tenants/default/members/${bob.id}`, { role: 'tenant_viewer' })).status).toBe(
      200,
    )
    expect(await members()).toBe(403)
    expect((await asAdmin(`DELETE /admin/tenants/default/members/${bob.id}`)).status).toBe(204)
    expect(await members()).toBe(404)
    expect((await asAdmin(`PATCH /admin/users/${bob.id}`, { is_active: false })).body).toMatchObject({
      is_active: false,
    })
    expect(await members()).toBe(401)
    expect((await refresh(gateway, own.refresh_token)).status).toBe(401)
    expect((await asAdmin(`PATCH /admin/users/${bob.id}`, { is_active: true })).status).toBe(200)
    expect(await members()).toBe(401)

    const last = await asAdmin(`DELETE /admin/tenants/default/members/${carl.id}`)
    expect([last.status, codeIn(last.body)]).toEqual([409, 'last.admin'])
    const demoted = await asAdmin(`PATCH /admin/users/${admin.user.id}`, { platform_admin: false })
    expect([demoted.status, codeIn(demoted.body)]).toEqual([409, 'last.admin'])
    expect((await asAdmin(`DELETE /admin/users/${admin.user.id}`)).status).toBe(409)
    expect((await records(gateway, 'member.change')).length).toBe(1)
  })

  test('of two administrators who demote each other at once, one stays', async () => {
    await using gateway = await start()
    const eve = await addPerson(gateway.db, { email: 'eve@example.com', platformAdmin: true })
    await gateway.restart()
    const [one, two] = [await signIn(gateway.address, ADA), await signIn(gateway.address, 'eve@example.com')]
    const demote = (token: string, id: string) =>
      askAdmin(gateway.address, `PATCH /admin/users/${id}`, { token, body: { platform_admin: false } })
    await Promise.all([demote(one.access_token, eve.id), demote(two.access_token, one.user.id)])
    const [left] = await gateway.db.system(
      (sql) =>
        sql(z.object({ count: z.int() }))`select count(*)::int as count from users where platform_admin and active`,
    )
    expect(left?.count).toBe(1)
  })

  test('S3-AUTH-01: a good token is checked without the database, before any key is looked up', async () => {
    await using gateway = await start()
    const { access_token: token } = await signIn(gateway.address, ADA)
    const asked: string[] = []
    const { system, organization } = gateway.db
    gateway.db.system = (work) => {
      asked.push('system')
      return system(work)
    }
    gateway.db.organization = (id, work) => {
      asked.push('organization')
      return organization(id, work)
    }
    try {
      // Jobs ask by themselves now and then, more often beside slow requests: one round without them is enough.
      await until('three requests asked the database nothing', async () => {
        asked.length = 0
        for (let at = 0; at < 3; at++) expect((await toolsList(gateway.address, '/mcp', token)).status).toBe(200)
        return asked.length === 0
      })
      expect((await toolsList(gateway.address, '/mcp', `uru_${'ab'.repeat(32)}`)).status).toBe(401)
      expect(asked.length).toBeGreaterThan(0)
    } finally {
      Object.assign(gateway.db, { system, organization })
    }
  })
})

describe('a web session', () => {
  const login = (browser: ReturnType<typeof createBrowser>) =>
    browser.ask('/api/v1/auth/login', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: ADA, password: PASSWORD, cookies: true }),
    })

  test('S0-AUT-03: is HttpOnly, SameSite=Strict cookies, Secure on https, and changing something needs the CSRF token', async () => {
    await using gateway = await start({ TOOLWAY_PUBLIC_URL: 'https://tools.example.com' })
    const browser = createBrowser(gateway.address)
    const answer = await login(browser)
    expect(await answer.json()).not.toHaveProperty('access_token')
    const texts = [...browser.jar.values()].map(({ text }) => text)
    for (const text of texts) expect(text).toMatch(/; SameSite=Strict/)
    for (const text of texts) expect(text).toMatch(/; Secure/)
    expect(texts.filter((text) => !text.includes('HttpOnly')).map((text) => text.split('=')[0])).toEqual([
      'toolway_csrf',
    ])

    expect((await browser.ask('/api/v1/auth/me')).status).toBe(200)
    const add = (headers: Record<string, string>) =>
      browser.ask('/api/v1/admin/users', {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ email: BOB }),
      })
    const csrf = browser.jar.get('toolway_csrf')?.value ?? ''
    expect((await add({})).status).toBe(403)
    expect((await add({ 'x-csrf-token': 'guess' })).status).toBe(403)
    expect((await add({ 'x-csrf-token': csrf })).status).toBe(201)
  })

  test('is renewed by its refresh cookie, which goes to no other address, and ended by signing out', async () => {
    await using gateway = await start()
    const browser = createBrowser(gateway.address)
    await login(browser)
    const renew = (headers: Record<string, string> = {}) =>
      browser.ask('/api/v1/auth/refresh', { method: 'POST', headers })
    expect(browser.jar.get('toolway_refresh')?.path).toBe('/api/v1/auth')
    expect((await renew()).status).toBe(403)
    const csrf = { 'x-csrf-token': browser.jar.get('toolway_csrf')?.value ?? '' }
    const before = browser.jar.get('toolway_refresh')?.value
    expect((await renew(csrf)).status).toBe(200)
    expect(browser.jar.get('toolway_refresh')?.value).not.toBe(before)
    expect((await browser.ask('/api/v1/auth/me')).status).toBe(200)
    expect((await browser.ask('/api/v1/auth/logout', { method: 'POST' })).status).toBe(403)
    expect((await browser.ask('/api/v1/auth/logout', { method: 'POST', headers: csrf })).status).toBe(204)
    expect(browser.jar.size).toBe(0)
  })

  test('opens no MCP endpoint', async () => {
    await using gateway = await start()
    const browser = createBrowser(gateway.address)
    await login(browser)
    const answer = await browser.ask('/mcp', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    })
    expect(answer.status).toBe(401)
  })
})

describe('passwords', () => {
  const attempt = (gateway: TestGateway, email: string, password: string) =>
    askAdmin(gateway.address, 'POST /auth/login', { body: { email, password } })

  test('that are wrong sound the same for somebody and for nobody, are on record, and are stopped after eight', async () => {
    await using gateway = await start()
    const [wrong, nobody] = [await attempt(gateway, ADA, 'x'), await attempt(gateway, 'nobody@example.com', 'x')]
    expect({ ...wrong.body, correlation_id: '' }).toEqual({ ...nobody.body, correlation_id: '' })
    expect([wrong.status, codeIn(wrong.body)]).toEqual([401, 'login.wrong'])
    for (let at = 1; at < 8; at++) expect((await attempt(gateway, ADA, 'x')).status).toBe(401)
    const stopped = await attempt(gateway, ADA, PASSWORD)
    expect([stopped.status, codeIn(stopped.body)]).toEqual([429, 'login.limit'])
    expect(Number(stopped.headers.get('retry-after'))).toBeGreaterThan(800)
    expect((await records(gateway, 'sign_in')).map(({ outcome }) => outcome)).toEqual(Array<string>(9).fill('refused'))
  })

  test('are changed with the current one, and everywhere else is signed out', async () => {
    await using gateway = await start()
    const [here, there] = [await signIn(gateway.address, ADA), await signIn(gateway.address, ADA)]
    const change = (current: string, next: string) =>
      askAdmin(gateway.address, 'POST /auth/password', {
        token: here.access_token,
        body: { current_password: current, new_password: next },
      })
    expect((await change('not it', 'another long one')).status).toBe(403)
    expect((await change(PASSWORD, 'too short')).status).toBe(422)
    const changed = await change(PASSWORD, 'another long one')
    expect(changed.status).toBe(200)
    expect(await statusOf(gateway, changed.body.access_token)).toBe(200)
    for (const { access_token: token } of [here, there]) expect(await statusOf(gateway, token)).toBe(401)
    expect((await refresh(gateway, there.refresh_token)).status).toBe(401)
    expect((await attempt(gateway, ADA, PASSWORD)).status).toBe(401)
    expect((await attempt(gateway, ADA, 'another long one')).status).toBe(200)
  })

  test('are chosen with a one-time code by who was invited, and the code is good once', async () => {
    await using gateway = await start()
    const { access_token: token } = await signIn(gateway.address, ADA)
    const added = await askAdmin(gateway.address, 'POST /admin/tenants/default/members', {
      token,
      body: { email: 'New@Example.com', role: 'tenant_member' },
    })
    expect(added.body).toMatchObject({ member: { email: 'new@example.com', name: 'new', role: 'tenant_member' } })
    const { code } = added.body.invitation
    const choose = (typed: string) =>
      askAdmin(gateway.address, 'POST /auth/password-code', { body: { code: typed, password: PASSWORD } })
    expect((await choose('0000-0000-0000-0000')).status).toBe(403)
    // Whose code it is can be asked, often, without using it; a code that is none answers as it does where it is used.
    const ownerOf = (typed: string) =>
      askAdmin(gateway.address, 'POST /auth/password-code/owner', { body: { code: typed } })
    for (let time = 0; time < 10; time++) expect((await ownerOf(code)).body).toEqual({ email: 'new@example.com' })
    const none = await ownerOf('0000-0000-0000-0000')
    expect([none.status, codeIn(none.body)]).toEqual([403, 'code.unknown'])
    const two = await Promise.all([choose(code.toLowerCase()), choose(code)])
    expect(two.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([204, 403])
    const pair = await signIn(gateway.address, 'new@example.com')
    expect((await askAdmin(gateway.address, ME, { token: pair.access_token })).body.organizations).toMatchObject([
      { slug: 'default', role: 'tenant_member' },
    ])
  })
})

describe('one’s own sign-ins', () => {
  test('are listed and ended one by one; nobody else’s can be', async () => {
    await using gateway = await start()
    await addPerson(gateway.db, { email: BOB })
    await gateway.restart()
    const [here, there, bob] = [
      await signIn(gateway.address, ADA),
      await signIn(gateway.address, ADA),
      await signIn(gateway.address, BOB),
    ]
    const list = async (token: string) => (await askAdmin(gateway.address, 'GET /auth/sign-ins', { token })).body.items
    const items = await list(here.access_token)
    expect(items).toHaveLength(2)
    const other = items.find(({ current }: { current: boolean }) => !current)
    const end = (token: string) => askAdmin(gateway.address, `DELETE /auth/sign-ins/${other.id}`, { token })
    expect((await end(bob.access_token)).status).toBe(404)
    expect((await end(here.access_token)).status).toBe(204)
    expect(await statusOf(gateway, there.access_token)).toBe(401)
    expect(await list(here.access_token)).toHaveLength(1)
    expect((await askAdmin(gateway.address, 'GET /auth/sign-ins', { token: gateway.key })).status).toBe(403)
  })
})

describe('the first person', () => {
  const empty = async () => {
    const gateway = await startTestGateway()
    const { newSetUpCode } = await import('../../../packages/gateway/src/identity/codes.ts')
    const { createTestVault } = await import('../../../packages/gateway/src/testing/gateway.ts')
    const code = await gateway.db.system((sql) => newSetUpCode(sql, createTestVault().hash))
    return { gateway, code: code ?? '', [Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose]() }
  }
  const register = (gateway: TestGateway, code: string, email: string) =>
    askAdmin(gateway.address, 'POST /auth/register', {
      body: { setup_code: code, email, name: 'Ada', password: PASSWORD },
    })

  test('signs up with the setup code and administers all; of two at once one does, and nobody after that', async () => {
    await using held = await empty()
    const { gateway, code } = held
    const wrong = await register(gateway, 'AAAA-BBBB-CCCC-DDDD', ADA)
    expect([wrong.status, codeIn(wrong.body)]).toEqual([403, 'code.unknown'])
    const two = await Promise.all([register(gateway, code, ADA), register(gateway, code, BOB)])
    expect(two.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 403])
    const token = two.find(({ status }) => status === 201)?.body.access_token
    const me = await askAdmin(gateway.address, ME, { token })
    expect(me.body).toMatchObject({
      user: { platform_admin: true },
      organizations: [{ slug: 'default', role: 'platform_admin' }],
    })
    const members = await askAdmin(gateway.address, 'GET /admin/tenants/default/members', { token })
    expect(members.body.items).toMatchObject([{ role: 'tenant_admin' }])
    const late = await register(gateway, code, 'late@example.com')
    expect([late.status, codeIn(late.body)]).toEqual([403, 'setup.done'])
  })

  test('can do so on the sign-in page, which asks for the code while nobody is there', async () => {
    await using held = await empty()
    const browser = createBrowser(held.gateway.address)
    expect(await (await browser.ask('/sign-in?next=/a')).text()).toContain('Setup code')
    const fields = { code: held.code, name: 'Ada', email: ADA, password: PASSWORD, next: '/a' }
    const short = await browser.submit('/sign-in/first', { ...fields, password: 'short' })
    expect([short.status, await short.text()]).toEqual([
      422,
      expect.stringContaining('must have 12 to 1024 characters'),
    ])
    const good = await browser.submit('/sign-in/first', fields)
    expect([good.status, good.headers.get('location')]).toEqual([303, '/a'])
    expect((await browser.ask('/api/v1/admin/users')).status).toBe(200)
    expect(await (await createBrowser(held.gateway.address).ask('/sign-in')).text()).not.toContain('Setup code')
  })
})
