import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { startTestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { createBrowser, PASSWORD } from '../../../packages/gateway/src/testing/people.ts'
import { GIVEN_CLIENT, startAuthority, type AuthorityKind } from '../peers/authorities/authority.ts'
import { startProtected } from '../peers/authorities/protected-server.ts'
import { putConnection } from '../peers/connections.ts'
import { walkThrough } from '../peers/people/identity-provider.ts'
import { formIn } from '../peers/people/oauth-person.ts'
import { join } from '../peers/people/people.ts'
import { toolNames } from '../peers/open-gateway.ts'
import { until } from '../peers/until.ts'
import { within } from '../../setup/form.ts'

const Text = z.object({ text: z.string() })
type Browser = ReturnType<typeof createBrowser>
type Who = 'admin' | 'ada' | 'bob'

async function town(kind: AuthorityKind, auth: object = {}) {
  const callback: string[] = []
  const authority = await startAuthority(kind, { redirectUris: callback })
  const server = await startProtected(authority)
  const wire = { kind: 'http', url: server.url, headers: {}, auth: auth as never } as const
  const gateway = await startTestGateway({ connections: [{ alias: 'docs', title: 'Docs', wire }] })
  const { organization } = gateway
  const people = {
    admin: await join('admin@example.com', { ...gateway, roles: [[organization.id, 'tenant_admin']] }),
    ada: await join('ada@example.com', { ...gateway, roles: [[organization.id, 'tenant_member']] }),
    bob: await join('bob@example.com', { ...gateway, roles: [[organization.id, 'tenant_member']] }),
  }
  const linkFor = async (who: Who, body: object = {}) => {
    const told = await people[who].client('POST /api/v1/admin/tenants/default/connectors/docs/link', body)
    return new URL(told.body.url).pathname
  }
  const browserOf = async (who: Who) => {
    const browser = createBrowser(gateway.address)
    await browser.submit('/sign-in', { email: `${who}@example.com`, password: PASSWORD })
    return browser
  }
  /** From the page of a link to where the authorization server leads back to. */
  const goThere = async (browser: Browser, path: string): Promise<URL> => {
    const { action, fields } = formIn(await (await browser.ask(path)).text()) ?? { action: path, fields: {} }
    const html = await (await browser.submit(action, fields)).text()
    const onward = /http-equiv="refresh" content="0; url=([^"]+)"/.exec(html)?.[1]
    if (onward === undefined) throw new Error(`the page leads nowhere: ${html.replace(/<style>.*<\/style>/s, '')}`)
    return new URL(await walkThrough(onward.replaceAll('&amp;', '&'), `${gateway.address}/`))
  }
  return {
    authority,
    server,
    gateway,
    people,
    linkFor,
    browserOf,
    goThere,
    count: async (table: 'credentials' | 'oauth_flows' | 'oauth_apps') => {
      const text = Object.assign([`select count(*)::text as text from ${table}`], { raw: [] })
      return Number((await gateway.db.system((sql) => sql(Text)(text)))[0]?.text)
    },
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]()
      await server[Symbol.asyncDispose]()
      await authority[Symbol.asyncDispose]()
    },
  }
}

const follow = (browser: Browser, url: URL) =>
  browser.ask(url.pathname + url.search, { headers: { 'sec-fetch-site': 'cross-site' } })

describe('a person', () => {
  test('S2-OAU-09, S2-OAU-10: connects an account in a browser, and the tools are there', async () => {
    await using at = await town('registers')
    await until('the server has said no', async () => (await at.gateway.settled('docs')).status === 'needs_auth')
    const browser = await at.browserOf('ada')
    const path = await at.linkFor('ada')
    const html = await (await browser.ask(path)).text()
    const host = new URL(at.authority.issuer).host
    for (const word of ['Connect Docs?', 'will be <strong>yours</strong>', new URL(at.server.url).host, host, 'tools'])
      expect(html).toContain(word)
    // Looking changes nothing, neither here nor there.
    expect([await at.count('oauth_flows'), await at.count('oauth_apps'), at.authority.counts.registrations]).toEqual([
      0, 0, 0,
    ])

    const back = await at.goThere(browser, path)
    expect(back.pathname).toBe('/oauth/callback')
    expect(await at.count('oauth_flows')).toBe(1)
    const before = Date.now()
    const answer = await follow(browser, back)
    expect(answer.status).toBe(303)
    const done = answer.headers.get('location') ?? ''
    expect(done).toMatch(/^\/connect\/done\?connected=con_/)
    expect(await (await browser.ask(done)).text()).toContain('<strong>Docs (docs)</strong> is connected')
    expect(await at.count('oauth_flows')).toBe(0)
    await until('the tools are listed', async () =>
      (await toolNames(at.gateway, at.gateway.url)).includes('docs__who_am_i'),
    )
    expect(Date.now() - before).toBeLessThan(within(5_000))
    expect((await at.gateway.settled('docs')).status).toBe('connected')
    const { body } = await at.people.ada.client('GET /api/v1/admin/tenants/default/accounts')
    expect(body).toMatchObject({ items: [{ connection: 'docs', state: 'good' }] })

    // The received tokens are stored sealed, and nowhere else.
    const tokens = [...at.server.shown].map((value) => value.replace('Bearer ', ''))
    expect(tokens.length).toBeGreaterThan(0)
    const [row] = await at.gateway.db.system((sql) => sql(Text)`select c::text as text from credentials c`)
    const [records] = await at.gateway.db.system(
      (sql) => sql(Text)`select string_agg(r::text, '') as text from records r`,
    )
    const all = `${row?.text}${records?.text}${JSON.stringify(at.gateway.log)}`
    expect(all).toContain('credential.connect')
    for (const secret of [
      ...tokens,
      back.searchParams.get('code') ?? '',
      back.searchParams.get('state') ?? '',
      path.slice(9),
    ]) {
      expect(secret.length).toBeGreaterThan(10)
      for (const form of [secret, Buffer.from(secret).toString('hex')]) expect(all).not.toContain(form)
    }

    // The same way back once more changes nothing.
    const again = await follow(browser, back)
    expect(again.headers.get('location')).toBe('/settings/integrations?error=invalid_state&why=spent')
    expect(await at.count('credentials')).toBe(1)
  })

  test('U-14: comes back to a public address, known by state and cookie alone', async () => {
    await using at = await town('registers')
    const browser = await at.browserOf('ada')
    const back = await at.goThere(browser, await at.linkFor('ada'))
    const location = async (asked: Promise<Response>) => (await asked).headers.get('location')
    const { code = '', state = '' } = Object.fromEntries(back.searchParams)
    const bob = await at.browserOf('bob')
    expect(await location(follow(bob, back))).toBe('/settings/integrations?error=invalid_state&why=foreign')
    expect(await location(browser.ask(`/oauth/callback?code=${code}`))).toBe(
      '/settings/integrations?error=missing_state&why=nothing',
    )
    expect(await location(browser.ask(`/oauth/callback?state=${state}`))).toBe(
      '/settings/integrations?error=missing_code&why=nothing',
    )
    expect(await location(browser.ask(`/oauth/callback?code=${code}&state=${state}x`))).toContain('why=unknown')
    // The other addresses that authorization servers know are no way back of this one.
    expect(await location(browser.ask(`/api/v1/integrations/oauth/callback?code=${code}&state=${state}`))).toContain(
      'invalid_state',
    )
    expect(await at.count('credentials')).toBe(0)
    // Nothing of a sign-in is needed: only the cookie of the flow comes along.
    const [flow] = [...browser.jar].filter(([name]) => name.startsWith('toolway_flow_'))
    expect(flow?.[1].text).toMatch(/Path=\/oauth\/callback; Max-Age=600; SameSite=Lax; HttpOnly$/)
    const bare = createBrowser(at.gateway.address)
    if (flow !== undefined) bare.jar.set(...flow)
    expect(await location(follow(bare, back))).toMatch(/^\/connect\/done\?connected=con_/)
    expect(await at.count('credentials')).toBe(1)
  })

  test("S2-OAU-11: is told what went wrong in the source system's words, or the vendor's, escaped", async () => {
    await using at = await town('registers')
    const browser = await at.browserOf('ada')
    const path = await at.linkFor('ada')
    const error = async (change: (back: URL) => void) => {
      const back = await at.goThere(browser, path)
      change(back)
      const to = (await follow(browser, back)).headers.get('location') ?? ''
      return { to: new URL(to, at.gateway.address), html: await (await browser.ask(to)).text() }
    }
    const failed = await error((back) => back.searchParams.set('code', 'another'))
    expect(failed.to.searchParams.get('error')).toBe('token_exchange_failed')
    const denied = await error((back) => {
      back.searchParams.delete('code')
      back.searchParams.set('error', '<script>alert(1)</script>')
    })
    expect(denied.to.searchParams.get('error')).toBe('<script>alert(1)</script>')
    expect(denied.html).not.toContain('<script>')
    expect(denied.html).toContain('&lt;script&gt;')
    const described = await error((back) => {
      back.searchParams.delete('code')
      back.searchParams.set('error', 'access_denied')
      back.searchParams.set('error_description', 'Ask <b>Grace</b> for access. Token eyJhbGciOiJSUzI1NiJ9.eyJzdWIi')
    })
    expect(described.html).toContain('Details: access_denied (“Ask &lt;b&gt;Grace&lt;/b&gt; for access. Token •••”)')
    const forged = await browser.ask('/connect/done?error=access_denied&details=Call+5550100')
    expect(await forged.text()).not.toContain('5550100')
    const mixed = await error((back) => back.searchParams.set('iss', 'https://evil.example'))
    expect(mixed.to.searchParams.get('error')).toBe('token_exchange_failed')
    expect(await at.count('credentials')).toBe(0)
    for (const [query, word] of [
      ['code=x', 'missing_state'],
      ['state=x', 'missing_code'],
      ['code=x&state=y', 'invalid_state'],
    ])
      expect((await browser.ask(`/oauth/callback?${query}`)).headers.get('location')).toContain(`error=${word}`)
  })

  test('S2-QRK-04: is asked for a client where the authorization server takes nobody it does not know', async () => {
    await using at = await town('given')
    const ada = await at.browserOf('ada')
    const told = await (await ada.ask(await at.linkFor('ada'))).text()
    expect(told).toContain('An administrator of')
    expect(formIn(told)).toBeUndefined()
    const path = await at.linkFor('ada')
    const csrf = /name="csrf" value="([^"]+)"/.exec(await (await ada.ask('/sign-in')).text())?.[1] ?? ''
    const words = { csrf, step: 'client', client_id: GIVEN_CLIENT.id, client_secret: GIVEN_CLIENT.secret }
    expect((await ada.submit(path, words)).status).toBe(403)

    const admin = await at.browserOf('admin')
    const shared = await at.linkFor('admin', { owner: 'organization' })
    const { action, fields } = formIn(await (await admin.ask(shared)).text()) ?? { action: '', fields: {} }
    expect(Object.keys(fields)).toContain('client_id')
    expect([await at.count('oauth_flows'), at.authority.counts.codes]).toEqual([0, 0])
    const html = await (
      await admin.submit(action, { ...fields, client_id: GIVEN_CLIENT.id, client_secret: GIVEN_CLIENT.secret })
    ).text()
    expect(html).toContain('Connect Docs?')
    expect(html).not.toContain(GIVEN_CLIENT.secret)
    const begun = await admin.submit(action, { ...fields, step: 'account' })
    const onward = new URL((/url=([^"]+)"/.exec(await begun.text())?.[1] ?? '').replaceAll('&amp;', '&'))
    expect(onward.searchParams.get('client_id')).toBe(GIVEN_CLIENT.id)
    expect(onward.searchParams.get('code_challenge_method')).toBe('S256')
  })

  test('gets nothing for a connection whose address changed on the way', async () => {
    await using at = await town('registers')
    const browser = await at.browserOf('ada')
    const back = await at.goThere(browser, await at.linkFor('ada'))
    await using other = await startProtected(at.authority)
    await putConnection(at.gateway, { alias: 'docs', wire: { kind: 'http', url: other.url, headers: {} } })
    await until(
      'the gateway knows',
      async () =>
        (await at.people.admin.client('GET /api/v1/admin/tenants/default/connectors/docs')).body.url === other.url,
    )
    const to = (await follow(browser, back)).headers.get('location')
    expect(to).toBe('/connect/done?error=invalid_state&why=address')
    expect(await at.count('credentials')).toBe(0)
    expect(at.authority.counts.codes).toBe(0)
  })
})

describe('the addresses of the source system', () => {
  test('lead on with their query', async () => {
    await using at = await town('registers')
    const browser = await at.browserOf('ada')
    const moved = await browser.ask('/settings/mcp?connected=con_1&more=%26')
    expect([moved.status, moved.headers.get('location')]).toEqual([
      308,
      '/settings/integrations?connected=con_1&more=%26',
    ])
  })

  test('providers are known to everybody, what is configured to who is signed in', async () => {
    await using at = await town('registers')
    const list = async (headers: Record<string, string>) =>
      (await (await fetch(`${at.gateway.address}/api/v1/oauth/providers`, { headers })).json()) as {
        items: { id: string; configured: boolean | null }[]
      }
    const strangers = await list({})
    expect(strangers.items.find(({ id }) => id === 'github')).toMatchObject({ configured: null })
    const app = { provider: 'github', client_id: 'Iv1.client', client_secret: 'a secret of sixteen or more' }
    expect((await at.people.admin.client('POST /api/v1/oauth/default/config', app)).status).toBe(200)
    const known = await list({ authorization: `Bearer ${at.people.ada.token}` })
    expect(known.items.filter(({ configured }) => configured === true).map(({ id }) => id)).toEqual(['github'])
    expect(JSON.stringify(known)).not.toContain('Iv1.client')
  })

  test('S3-OAU-01, U-14: a way begins with a state, and only this machine may be where it ends', async () => {
    await using at = await town('registers')
    const { admin, ada } = at.people
    const app = { provider: 'github', client_id: 'Iv1.client', client_secret: 'a secret of sixteen or more' }
    await admin.client('POST /api/v1/oauth/default/config', app)
    for (const bad of [
      'https://evil.example/',
      'http://127.0.0.1.evil.example/',
      'http://evil.example/?x=127.0.0.1',
      'x',
    ])
      expect(
        (await ada.client(`GET /api/v1/oauth/default/auth/github?custom_redirect_uri=${encodeURIComponent(bad)}`))
          .status,
      ).toBe(422)
    expect((await ada.client('POST /api/v1/oauth/nobody/auth', {})).status).toBe(404)
    const begun = await ada.client('POST /api/v1/oauth/github/auth', {
      custom_redirect_uri: 'http://127.0.0.1:9/done?own=1',
      custom_state: 'mine',
    })
    expect(begun.status).toBe(200)
    const session = begun.body.session_id
    expect((await ada.client(`GET /api/v1/oauth/cli-sessions/${session}`)).body).toMatchObject({ status: 'pending' })
    expect((await admin.client(`GET /api/v1/oauth/cli-sessions/${session}`)).status).toBe(404)

    const browser = await at.browserOf('ada')
    const path = new URL(begun.body.authorization_url).pathname
    const { action, fields } = formIn(await (await browser.ask(path)).text()) ?? { action: '', fields: {} }
    const html = await (await browser.submit(action, fields)).text()
    const onward = new URL(
      (/http-equiv="refresh" content="0; url=([^"]+)"/.exec(html)?.[1] ?? '').replaceAll('&amp;', '&'),
    )
    expect(onward.origin + onward.pathname).toBe('https://github.com/login/oauth/authorize')
    expect(Object.fromEntries(onward.searchParams)).toMatchObject({
      client_id: 'Iv1.client',
      response_type: 'code',
      code_challenge_method: 'S256',
      redirect_uri: `${at.gateway.address}/api/v1/oauth/default/callback/github`,
      state: expect.stringMatching(/^[\w-]{43}$/),
    })
    // The vendor says no: the program hears of it, with its own state, and may ask how it went once.
    const state = onward.searchParams.get('state') ?? ''
    const back = new URL(
      `${at.gateway.address}/api/v1/oauth/default/callback/github?error=access_denied&state=${state}`,
    )
    const end = new URL((await follow(browser, back)).headers.get('location') ?? '')
    expect(Object.fromEntries(end.searchParams)).toMatchObject({ own: '1', state: 'mine', error: 'access_denied' })
    expect(end.host).toBe('127.0.0.1:9')
    expect((await ada.client(`GET /api/v1/oauth/cli-sessions/${session}`)).body).toMatchObject({
      status: 'error',
      provider: 'github',
    })
    expect((await ada.client(`GET /api/v1/oauth/cli-sessions/${session}`)).status).toBe(404)
  })
})
