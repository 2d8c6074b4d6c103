/**
 * Tests the security of the authorization server: attempts by thieves, other clients and other sites, over HTTP, against a whole
 * gateway.
 */
// @module-tag long
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { codeOf, createRawClient, EMAIL, probeAuth, openOAuthGateway, REDIRECT } from '../peers/oauth-gateway.ts'
import { createPerson, formIn } from '../peers/people/oauth-person.ts'
import { callTool } from '../peers/clients/raw-client.ts'
import { until } from '../peers/until.ts'

const INVALID = { status: 400, body: { error: 'invalid_grant' } }

/** A gateway, a client that is registered, and its first tokens. */
async function openWithTokens(options: Parameters<typeof openOAuthGateway>[0] = {}) {
  const open = await openOAuthGateway(options)
  const client = createRawClient(open.gateway)
  await client.register()
  const code = codeOf(await open.person().open(client.authorization()))
  const { body } = await client.exchange(code)
  return { ...open, client, code, access: body['access_token'] ?? '', refresh: body['refresh_token'] ?? '' }
}

describe('an authorization code', () => {
  test('is of no use to another client, with another verifier, without one, or for another redirect address', async () => {
    await using open = await openOAuthGateway()
    const [client, other] = [createRawClient(open.gateway), createRawClient(open.gateway)]
    await Promise.all([client.register(), other.register()])
    const code = async () => codeOf(await open.person().open(client.authorization()))
    expect(await other.exchange(await code(), { code_verifier: client.verifier })).toMatchObject(INVALID)
    expect(await client.exchange(await code(), { code_verifier: other.verifier })).toMatchObject(INVALID)
    expect((await client.exchange(await code(), { code_verifier: undefined })).status).toBe(400)
    expect(await client.exchange(await code(), { redirect_uri: `${REDIRECT}/` })).toMatchObject(INVALID)
    expect((await client.exchange(await code())).status).toBe(200)
  })

  test('that comes twice ends all that came of it', async () => {
    await using open = await openWithTokens()
    const { client, gateway, access, refresh } = open
    expect((await probeAuth(gateway.url, access)).status).not.toBe(401)
    expect(await client.exchange(open.code)).toMatchObject(INVALID)
    expect(await client.refresh(refresh)).toMatchObject(INVALID)
    await until('its access token is refused', async () => (await probeAuth(gateway.url, access)).status === 401)
  })

  test('that comes eight times at once is good at most once, and ends its grant', async () => {
    await using open = await openOAuthGateway()
    const client = createRawClient(open.gateway)
    await client.register()
    const code = codeOf(await open.person().open(client.authorization()))
    const answers = await Promise.all(Array.from({ length: 8 }, () => client.exchange(code)))
    const good = answers.filter(({ status }) => status === 200)
    expect(good.length).toBeLessThanOrEqual(1)
    for (const { body } of good) expect(await client.refresh(body['refresh_token'] ?? '')).toMatchObject(INVALID)
  })

  test('needs PKCE with S256: without a challenge, or with a plain one, there is none', async () => {
    await using open = await openOAuthGateway()
    const client = createRawClient(open.gateway)
    await client.register()
    for (const changed of [
      { code_challenge: undefined, code_challenge_method: undefined },
      { code_challenge_method: 'plain', code_challenge: client.verifier },
      { code_challenge_method: undefined },
    ]) {
      const { back, pages } = await open.person().open(client.authorization(changed))
      expect(back).toBeUndefined()
      expect(pages.map(({ status }) => status)).toEqual([400])
    }
  })
})

describe('a refresh token', () => {
  test('is good once; the second use of it ends all of its grant', async () => {
    await using open = await openWithTokens()
    const { client, gateway, refresh } = open
    const next = await client.refresh(refresh)
    expect(next.status).toBe(200)
    expect(next.body['refresh_token']).not.toBe(refresh)
    expect(await client.refresh(refresh)).toMatchObject(INVALID)
    expect(await client.refresh(next.body['refresh_token'] ?? '')).toMatchObject(INVALID)
    const token = next.body['access_token']
    await until('its access token is refused', async () => (await probeAuth(gateway.url, token)).status === 401)
  })

  test('that comes eight times at once is good at most once, and ends its grant', async () => {
    await using open = await openWithTokens()
    const answers = await Promise.all(Array.from({ length: 8 }, () => open.client.refresh(open.refresh)))
    const good = answers.filter(({ status }) => status === 200)
    expect(good.length).toBeLessThanOrEqual(1)
    for (const { body } of good) expect(await open.client.refresh(body['refresh_token'] ?? '')).toMatchObject(INVALID)
  })

  test('is of no use to another client, and renews nothing that reaches farther', async () => {
    await using open = await openWithTokens()
    const other = createRawClient(open.gateway)
    await other.register()
    expect(await other.refresh(open.refresh)).toMatchObject(INVALID)
    const wider = await open.client.refresh(open.refresh, { scope: 'tools:read tools:write tools:execute' })
    expect(wider).toMatchObject({ status: 400, body: { error: 'invalid_scope' } })
    expect((await open.client.refresh(open.refresh)).body['scope']).toBe('tools:read tools:write')
  })

  test('that its client gives back is good no more, nor is the access token beside it', async () => {
    await using open = await openWithTokens()
    const other = createRawClient(open.gateway)
    await other.register()
    await other.revoke(open.refresh)
    expect((await probeAuth(open.gateway.url, open.access)).status).not.toBe(401)
    expect((await open.client.revoke(open.refresh)).status).toBe(200)
    expect(await open.client.refresh(open.refresh)).toMatchObject(INVALID)
    await until(
      'its access token is refused',
      async () => (await probeAuth(open.gateway.url, open.access)).status === 401,
    )
  })

  test('of an account whose password was changed is good no more', async () => {
    await using open = await openWithTokens()
    await open.gateway.db.system((sql) => sql(z.object({}))`update users set epoch = epoch + 1`)
    expect(await open.client.refresh(open.refresh)).toMatchObject(INVALID)
  })
})

describe('an access token', () => {
  test('for one endpoint is refused at every other, whether there is one or not, in the same words', async () => {
    await using open = await openWithTokens()
    const { gateway, access } = open
    expect((await probeAuth(gateway.url, access)).status).not.toBe(401)
    const there = await probeAuth(`${gateway.address}/o/default/t/default/mcp`, access)
    const nowhere = await probeAuth(`${gateway.address}/o/nobody/t/nothing/mcp`, access)
    for (const { status, headers } of [there, nowhere]) {
      expect(status).toBe(401)
      expect(headers.get('www-authenticate')).toMatch(/error="invalid_token".*resource_metadata=/)
    }
    const wordsOf = ({ body }: typeof there) => JSON.stringify(body).replaceAll(/"correlation_id":"[^"]+"/g, '')
    expect(wordsOf(there)).toBe(wordsOf(nowhere))
  })

  test('is no token for the admin interface, the counters or the cookies of a browser', async () => {
    await using open = await openWithTokens({ platformAdmin: true })
    const headers = { authorization: `Bearer ${open.access}` }
    for (const path of ['/api/v1/admin/tenants', '/api/v1/auth/grants', '/api/v1/admin/clients', '/metrics'])
      expect((await fetch(`${open.gateway.address}${path}`, { headers })).status, path).toBe(401)
    const cookie = `toolway_access=${open.access}`
    const page = await fetch(`${open.gateway.address}/sign-in`, { headers: { cookie } })
    expect(await page.text()).toContain('name="password"')
  })

  test('of one organization shows nothing of another, of which its person is a member too', async () => {
    await using open = await openOAuthGateway({ others: [{ slug: 'beta', name: 'Beta' }] })
    const client = createRawClient(open.gateway)
    await client.register()
    const code = codeOf(await open.person({ organization: open.gateway.organization.id }).open(client.authorization()))
    const { body } = await client.exchange(code)
    const token = body['access_token']
    const claims = JSON.parse(Buffer.from(token?.split('.')[1] ?? '', 'base64url').toString()) as Record<
      string,
      unknown
    >
    expect(claims).toMatchObject({ org: open.gateway.organization.id, aud: open.gateway.url, limit: 'write' })
    expect((await probeAuth(`${open.gateway.address}/o/beta/t/default/mcp`, token)).status).toBe(401)
    const answer = await callTool({ url: open.gateway.url, key: token, era: 'modern' }, 'effects__look_up')
    expect(answer.status).toBe(200)
  })

  test('is not read from a query string', async () => {
    await using open = await openWithTokens()
    const { status, headers } = await probeAuth(`${open.gateway.url}?access_token=${open.access}`, undefined)
    expect(status).toBe(401)
    expect(headers.get('www-authenticate')).not.toContain('invalid_token')
  })

  test.each(['modern', 'legacy'] as const)(
    'that reaches too short is refused over HTTP before the tool runs, and told what it needs (%s)',
    async (era) => {
      await using open = await openWithTokens()
      const peer = { url: open.gateway.url, key: open.access, era }
      const { status, headers, answer } = await callTool(peer, 'effects__drop_all')
      expect(status).toBe(403)
      expect(headers.get('www-authenticate')).toBe(
        `Bearer error="insufficient_scope", scope="tools:read tools:write tools:execute", ` +
          `resource_metadata="${open.gateway.address}/.well-known/oauth-protected-resource/mcp", ` +
          `error_description="The tool effects__drop_all needs 'destructive' access, and this client was granted less."`,
      )
      expect(answer.error?.data).toMatchObject({ fault: 'scope.insufficient' })
      expect(open.effects.called).toEqual([])
    },
  )
})

describe('the organizations of a consent', () => {
  test('are those that are active', async () => {
    await using open = await openOAuthGateway({ others: [{ slug: 'beta', name: 'Beta asleep' }] })
    const client = createRawClient(open.gateway)
    await client.register()
    const shown = async () => (await open.person({ answer: 'refuse' }).open(client.authorization())).pages.at(-2)?.html
    expect(await shown()).toContain('Beta asleep')
    await open.gateway.db.system(
      (sql) => sql(z.object({}))`update organizations set active = false where slug = 'beta'`,
    )
    await until('it is not offered', async () => (await shown())?.includes('Beta asleep') === false)
  })
})

describe('where an answer goes', () => {
  let open: Awaited<ReturnType<typeof openOAuthGateway>>
  beforeAll(async () => void (open = await openOAuthGateway()))
  afterAll(() => open[Symbol.asyncDispose]())

  test.each([
    ['another path', `${REDIRECT}/further`],
    ['another host', 'http://evil.example/callback'],
    ['a host that begins alike', 'http://127.0.0.1.evil.example/callback'],
    ['a user name before it', 'http://127.0.0.1:39999@evil.example/callback'],
    ['a query besides', `${REDIRECT}?x=1`],
    ['https instead', REDIRECT.replace('http:', 'https:')],
    ['localhost instead of its address', REDIRECT.replace('127.0.0.1', 'localhost')],
  ])('%s is refused with a page, and nobody is sent there', async (_, redirect_uri) => {
    const client = createRawClient(open.gateway)
    await client.register()
    const { back, pages } = await open.person().open(client.authorization({ redirect_uri }))
    expect(back).toBeUndefined()
    expect(pages.at(-1)?.status).toBe(400)
    expect(pages.at(-1)?.html).not.toContain('evil.example')
  })

  test('is another port of this machine, for a program of it, and no other port for a web client', async () => {
    const program = createRawClient(open.gateway)
    await program.register()
    const moved = REDIRECT.replace('39999', '41234')
    const { back } = await open.person().open(program.authorization({ redirect_uri: moved }))
    expect(back?.origin).toBe('http://127.0.0.1:41234')
    const code = back?.searchParams.get('code') ?? ''
    expect((await program.exchange(code, { redirect_uri: moved })).status).toBe(200)
    const web = createRawClient(open.gateway, { redirect: 'https://client.example/cb' })
    await web.register()
    const page = await open.person().open(web.authorization({ redirect_uri: 'https://client.example:8443/cb' }))
    expect(page.back).toBeUndefined()
  })

  test('says who sent it (RFC 9207), with a code and with a refusal', async () => {
    const client = createRawClient(open.gateway)
    await client.register()
    const backOf = async (changed: Record<string, string | undefined>, answer: 'allow' | 'refuse' = 'allow') =>
      (await open.person({ answer }).open(client.authorization(changed))).back?.searchParams
    const all = [await backOf({}), await backOf({}, 'refuse')]
    expect(all.map((params) => params?.get('error') ?? 'code')).toEqual(['code', 'access_denied'])
    for (const params of all) {
      expect(params?.get('iss')).toBe(open.gateway.address)
      expect(params?.get('state')).toBe('own state')
    }
  })
})

describe('the consent page', () => {
  let open: Awaited<ReturnType<typeof openOAuthGateway>>
  beforeAll(async () => void (open = await openOAuthGateway()))
  afterAll(() => open[Symbol.asyncDispose]())

  test('runs nothing, loads nothing, and stands in no frame', async () => {
    const client = createRawClient(open.gateway)
    await client.register({ client_name: '<img src=x onerror=alert(1)>"\u202e' })
    const { pages } = await open.person().open(client.authorization())
    const page = pages.find(({ html }) => html.includes('name="answer"'))
    expect(page?.html).toContain('&lt;img src=x onerror=alert(1)&gt;')
    expect(page?.html).not.toMatch(/<img|<script|\u202e/)
    const policy = page?.headers.get('content-security-policy') ?? ''
    for (const part of ["default-src 'none'", "frame-ancestors 'none'", "form-action 'self'", "base-uri 'none'"])
      expect(policy).toContain(part)
    expect(policy).not.toContain('unsafe')
    expect(page?.headers.get('x-frame-options')).toBe('DENY')
    expect(page?.headers.get('cache-control')).toBe('no-store')
  })

  test('takes no answer without its own token, from another site, or from another browser', async () => {
    const client = createRawClient(open.gateway)
    await client.register()
    const person = open.person()
    // She is in front of the question, and has not answered.
    const start = await person.browser.ask(pathOf(client.authorization()))
    const question = start.headers.get('location') ?? ''
    await person.browser.submit('/sign-in', { email: EMAIL, password: 'correct horse battery' })
    const html = await (await person.browser.ask(question)).text()
    const { action, fields } = formIn(html)!
    const yes = { ...fields, answer: 'allow' }
    expect((await person.browser.submit(action, { ...yes, csrf: '' })).status).toBe(403)
    expect((await person.browser.submit(action, { ...yes, csrf: 'x'.repeat(43) })).status).toBe(403)
    const elsewhere = { origin: 'https://evil.example' }
    expect((await person.browser.submit(action, yes, elsewhere)).status).toBe(403)
    // The same person, signed in at another browser, that was sent the address of the question.
    const second = createPerson(open.gateway.address, { email: EMAIL })
    await second.browser.submit('/sign-in', { email: EMAIL, password: 'correct horse battery' })
    expect((await second.browser.ask(question)).status).toBe(404)
    expect((await second.browser.submit(action, yes)).status).toBe(404)
    const answered = await person.browser.submit(action, yes)
    expect(await answered.text()).toContain('http-equiv="refresh"')
    // An answer is given once.
    expect((await person.browser.submit(action, yes)).status).toBe(404)
  })

  test('gives nobody more than they may, whatever the form says: a viewer may look', async () => {
    await using open = await openOAuthGateway({ role: 'tenant_viewer' })
    const client = createRawClient(open.gateway)
    await client.register()
    const { back, pages } = await open.person({ access: 'execute' }).open(client.authorization())
    expect(pages.some(({ html }) => html.includes('but not calling them'))).toBe(true)
    const { body } = await client.exchange(back?.searchParams.get('code') ?? '')
    expect(body['scope']).toBe('tools:read')
    const peer = { url: open.gateway.url, key: body['access_token'], era: 'modern' } as const
    const called = await callTool(peer, 'effects__look_up')
    expect(called.status).toBe(403)
    expect(called.answer.error?.data).toMatchObject({ fault: 'role.forbidden' })
    expect(open.effects.called).toEqual([])
  })

  test('has nothing to offer at an endpoint that is not theirs, as at one that is not there', async () => {
    const client = createRawClient(open.gateway)
    await client.register()
    const resource = `${open.gateway.address}/o/nobody/t/nothing/mcp`
    const { back, pages } = await open.person({ answer: 'refuse' }).open(client.authorization({ resource }))
    expect(pages.some(({ html }) => html.includes('has no access to'))).toBe(true)
    expect(back?.searchParams.get('error')).toBe('access_denied')
  })

  test('is shown once for a web client, and each time for a program on this machine', async () => {
    const web = createRawClient(open.gateway, { redirect: 'https://client.example/cb' })
    const program = createRawClient(open.gateway)
    await Promise.all([web.register(), program.register()])
    const person = open.person({ access: 'write' })
    const shown = async (client: typeof web, changed = {}) => {
      const { pages, back } = await person.open(client.authorization(changed))
      expect(back?.searchParams.get('code')).toBeTruthy()
      return pages.filter(({ html }) => html.includes('name="answer"')).length
    }
    expect([await shown(web), await shown(web), await shown(program), await shown(program)]).toEqual([1, 0, 1, 1])
    expect(await shown(web, { scope: 'tools:read tools:write tools:execute' })).toBe(1)
    expect(await shown(web, { prompt: 'consent' })).toBe(1)
    expect(await shown(web, { resource: open.gateway.connectionUrl('effects') })).toBe(1)
  })
})

describe('a client that is a document', () => {
  test('gets in without registering, and the page says whose it is', async () => {
    await using open = await openOAuthGateway({ settings: { TOOLWAY_LOOPBACK_CLIENTS: 'on' } })
    const server = createServer((request, response) => {
      const client_id = `http://${request.headers.host}${request.url}`
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ client_id, client_name: 'A document', redirect_uris: [REDIRECT] }))
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
    try {
      const client_id = `http://${host}/client.json`
      const client = createRawClient(open.gateway)
      const journey = await open.person().open(client.authorization({ client_id }))
      const page = journey.pages.find(({ html }) => html.includes('name="answer"'))
      expect(page?.html).toContain('A document')
      expect(page?.html).toContain(`It is published by <strong>${host}</strong>`)
      const { body } = await client.exchange(codeOf(journey), { client_id })
      expect((await probeAuth(open.gateway.url, body['access_token'])).status).not.toBe(401)
      expect(body['refresh_token']).toBeUndefined()
    } finally {
      await new Promise((resolve) => server.close(resolve))
    }
  })

  test('on this machine is none, unless a setting says so', async () => {
    await using open = await openOAuthGateway()
    const client = createRawClient(open.gateway)
    const { back, pages } = await open
      .person()
      .open(client.authorization({ client_id: 'https://127.0.0.1/client.json' }))
    expect(back).toBeUndefined()
    expect(pages.at(-1)?.status).toBe(400)
    expect(pages.at(-1)?.html).toContain('its document cannot be fetched')
  })
})

describe('registration', () => {
  test('is bounded: a flood from one address is told when to come again, and leaves no more than the bound', async () => {
    await using open = await openOAuthGateway()
    const answers = await Promise.all(Array.from({ length: 80 }, () => createRawClient(open.gateway).register()))
    const refused = answers.filter(({ status }) => status === 429)
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(60)
    expect(refused).toHaveLength(20)
    expect(refused[0]?.headers.get('retry-after')).toBe('3600')
    const [row] = await open.gateway.db.system(
      (sql) => sql(z.object({ count: z.int() }))`select count(*)::int as count from oauth_clients`,
    )
    expect(row?.count).toBe(60)
  })

  test('refuses addresses that lead astray', async () => {
    await using open = await openOAuthGateway()
    const register = (redirect: string) => createRawClient(open.gateway, { redirect }).register()
    for (const redirect of [
      'javascript:alert(1)',
      'data:text/html,x',
      'http://client.example/cb',
      'not an address',
      'https://a.example/#x',
    ])
      expect((await register(redirect)).body['error'], redirect).toBe('invalid_redirect_uri')
    for (const redirect of [
      'cursor://anysphere.cursor-mcp/oauth/callback',
      'https://claude.ai/api/mcp/auth_callback',
      'http://[::1]:1/cb',
    ])
      expect((await register(redirect)).status, redirect).toBe(201)
  })
})

test('nothing that is stored can be used, and each answer of a person leaves a record', async () => {
  await using open = await openWithTokens()
  await open.person({ answer: 'refuse' }).open(open.client.authorization())
  await open.client.exchange(open.code)
  const Text = z.object({ text: z.string() })
  const stored = await open.gateway.db.system(async (sql) => [
    ...(await sql(Text)`select to_jsonb(t)::text as text from oauth_tokens t`),
    ...(await sql(Text)`select to_jsonb(t)::text as text from oauth_clients t`),
    ...(await sql(Text)`select to_jsonb(t)::text as text from records t`),
  ])
  const all = stored.map(({ text }) => text).join('\n')
  for (const secret of [open.code, open.refresh, open.access]) expect(all).not.toContain(secret)
  const records = await open.gateway.db.system(
    (sql) => sql(Text)`
      select method || ' ' || outcome as text from records
       where method like 'grant.%' or method like 'client.%' order by at, id`,
  )
  expect(records.map(({ text }) => text)).toEqual([
    'client.register ok',
    'grant.add ok',
    'grant.refuse refused',
    'grant.end ok',
  ])
})

const pathOf = ({ pathname, search }: URL) => pathname + search
