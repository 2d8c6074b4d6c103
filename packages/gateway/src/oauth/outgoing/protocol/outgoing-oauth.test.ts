import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { createOutgoingOAuth } from './outgoing-oauth.ts'
import type { ClientIdentity } from '../ports.ts'
import { adapterOf } from '../vendors/provider-adapters.ts'

interface Answer {
  readonly status?: number
  readonly type?: string
  readonly headers?: Record<string, string>
  readonly body?: string
}

/** An endpoint that answers everything with this, and notes what it was sent. */
async function serve(answer: Answer) {
  const heard: { headers: Record<string, unknown>; body: string }[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => (body += String(chunk)))
    request.on('end', () => {
      heard.push({ headers: request.headers, body })
      const { status = 200, type = 'application/json', headers = {} } = answer
      response.writeHead(status, { 'content-type': type, ...headers }).end(answer.body ?? '')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    heard,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const egress = { alias: 'notes', privateOrigins: 'any' as const }
const NOW = Date.UTC(2026, 10, 20)
const oauth = createOutgoingOAuth({ now: () => NOW, adapter: adapterOf })
const client: ClientIdentity = {
  clientId: 'c',
  secret: 'a-client-secret',
  method: 'client_secret_basic',
  appId: undefined,
}
const authorityAt = (url: string, provider = 'mcp') => ({
  provider,
  issuer: url,
  authorizationEndpoint: `${url}/authorize`,
  tokenEndpoint: `${url}/token`,
  registrationEndpoint: `${url}/register`,
  revocationEndpoint: `${url}/revoke`,
  resource: 'https://server.example/mcp',
  issInResponse: false,
  clientDocuments: false,
  tokenAuthMethods: [],
})
const refresh = (url: string, provider?: string) =>
  oauth.refresh({ authority: authorityAt(url, provider), client, refreshToken: 'the-old-one', scopes: [] }, egress)
const ok = (more: object = {}): Answer => ({
  body: JSON.stringify({ access_token: 'new', token_type: 'Bearer', expires_in: 3600, ...more }),
})

describe('a refresh', () => {
  test('says what it must, and the resource to the letter', async () => {
    await using server = await serve(ok())
    await refresh(server.url)
    expect(Object.fromEntries(new URLSearchParams(server.heard[0]?.body))).toEqual({
      grant_type: 'refresh_token',
      refresh_token: 'the-old-one',
      // Beside the header: servers on the Python SDK look for the client here alone.
      client_id: 'c',
      resource: 'https://server.example/mcp',
    })
    expect(server.heard[0]?.headers['authorization']).toBe(
      `Basic ${Buffer.from('c:a-client-secret').toString('base64')}`,
    )
  })

  test('that is answered without a refresh token says so, and the old one stays whoever keeps it', async () => {
    await using server = await serve(ok())
    expect(await refresh(server.url)).toEqual({
      access: 'new',
      refresh: undefined,
      tokenType: 'Bearer',
      expiresAt: new Date(NOW + 3_600_000),
      scopes: undefined,
      account: { id: undefined, name: undefined },
      more: {},
    })
  })

  test('takes seconds as a text, none at all, and very many as a year', async () => {
    const lives: [unknown, Date | undefined][] = [
      ['60', new Date(NOW + 60_000)],
      [undefined, undefined],
      [9e12, new Date(NOW + 365 * 24 * 3_600_000)],
    ]
    for (const [said, expected] of lives) {
      await using server = await serve(ok({ expires_in: said }))
      expect((await refresh(server.url)).expiresAt).toEqual(expected)
    }
  })

  // A row that can never be written would be written again and again, and all who wait for the token with it.
  test('leaves out scopes that are none, and cannot be kept', async () => {
    await using server = await serve(ok({ scope: `read a\u0000b ${'x'.repeat(201)} "quoted" urn:x:write` }))
    expect((await refresh(server.url)).scopes).toEqual(['read', 'urn:x:write'])
    await using many = await serve(ok({ scope: Array.from({ length: 2_000 }, (_, at) => `s${at}`).join(' ') }))
    expect((await refresh(many.url)).scopes).toHaveLength(1_000)
  })

  test('leaves out who it is where no row could hold that', async () => {
    await using good = await serve(ok({ bot_id: '7', workspace_name: 'Acme' }))
    expect((await refresh(good.url, 'notion')).account).toEqual({ id: '7', name: 'Acme' })
    await using odd = await serve(ok({ bot_id: 'x'.repeat(256), workspace_name: 'a\u0000b' }))
    expect((await refresh(odd.url, 'notion')).account).toEqual({ id: undefined, name: undefined })
  })

  test('takes a token of 8 KB, and none that no header carries', async () => {
    await using large = await serve(ok({ access_token: 'x'.repeat(8 * 1024) }))
    expect((await refresh(large.url)).access).toHaveLength(8 * 1024)
    for (const token of ['x'.repeat(65 * 1024), 'a b', 'a\r\nx-evil: 1', 'ü', '']) {
      await using server = await serve(ok({ access_token: token }))
      await expect(refresh(server.url)).rejects.toMatchObject({ code: 'authority.malformed' })
    }
  })

  const passing: [what: string, Answer][] = [
    ['500', { status: 500, body: 'oops' }],
    ['a 503 page', { status: 503, type: 'text/html', body: '<h1>' }],
    ['429', { status: 429, body: '{}' }],
    ['a temporary error', { status: 400, body: '{"error":"temporarily_unavailable"}' }],
  ]
  test.each(passing)('may be tried again after %s', async (_, answer) => {
    await using server = await serve(answer)
    await expect(refresh(server.url)).rejects.toMatchObject({ code: 'authority.unreachable' })
  })

  const wrong: [what: string, Answer, RegExp][] = [
    ['HTML instead of JSON', { type: 'text/html', body: '<h1>Welcome</h1>' }, /is not JSON/],
    ['broken JSON', { body: '{"access_token"' }, /not valid JSON/],
    ['no token', { body: '{"token_type":"Bearer"}' }, /access_token/],
    ['another type', ok({ token_type: 'mac' }), /token_type/],
    ['a DPoP token', ok({ token_type: 'DPoP' }), /dpop instead of Bearer/],
    ['a redirect', { status: 302, headers: { location: 'https://elsewhere.example/' } }, /HTTP 302/],
    ['a 404 page', { status: 404, type: 'text/html', body: '<h1>' }, /is not JSON/],
  ]
  test.each(wrong)('is not believed with %s', async (_, answer, problem) => {
    await using server = await serve(answer)
    await expect(refresh(server.url)).rejects.toMatchObject({
      code: 'authority.malformed',
      facts: { problem: expect.stringMatching(problem) },
    })
  })

  test.each(['invalid_grant', 'invalid_client', 'unauthorized_client', 'invalid_scope', 'unsupported_grant_type'])(
    'that is refused with %s needs a person',
    async (error) => {
      const body = JSON.stringify({ error, error_description: 'the token the-old-one is bad' })
      await using server = await serve({ status: error === 'invalid_client' ? 401 : 400, body })
      const told: unknown[] = []
      try {
        await refresh(server.url)
      } catch (thrown) {
        told.push(thrown)
      }
      expect(told).toMatchObject([
        { code: 'authority.refused', facts: { problem: `${error} (“the token ••• is bad”)` } },
      ])
      expect(inspect(told, { depth: 9 })).not.toContain('the-old-one')
    },
  )

  test('finds nobody there, and says so', async () => {
    await expect(refresh('http://127.0.0.1:9')).rejects.toMatchObject({
      code: 'authority.unreachable',
      facts: { problem: 'nothing is listening there' },
    })
  })

  test('with an identity token of a clock two minutes off is good, for somebody else is not', async () => {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const second = Math.floor(Date.now() / 1000)
    const token = (iss: string, aud: string, off: number) =>
      `${part({ alg: 'RS256' })}.${part({ iss, aud, sub: 'ada', iat: second + off, exp: second + off + 30 })}.c2ln`
    for (const off of [-120, 120]) {
      let url = ''
      await using server = await serve({
        get body() {
          return JSON.stringify({ access_token: 'a', token_type: 'bearer', id_token: token(url, 'c', off) })
        },
      })
      url = server.url
      expect((await refresh(server.url)).account.id).toBe('ada')
    }
    let url = ''
    await using stranger = await serve({
      get body() {
        return JSON.stringify({ access_token: 'a', token_type: 'bearer', id_token: token(url, 'somebody', 0) })
      },
    })
    url = stranger.url
    await expect(refresh(stranger.url)).rejects.toMatchObject({
      facts: { problem: expect.stringMatching(/token response of .*: the identity token is for another client/) },
    })
  })
})

describe('a registration', () => {
  const register = (url: string, methods: string[] = []) =>
    oauth.register(
      { ...authorityAt(url), tokenAuthMethods: methods },
      { redirectUris: ['https://gateway.example/oauth/callback'], name: 'Toolway', scopes: ['a', 'b'] },
      egress,
    )

  test('asks for a secret wherever one is taken, as a web application', async () => {
    for (const [methods, method] of [
      [[], 'client_secret_basic'],
      [['client_secret_post', 'none'], 'client_secret_post'],
      [['none', 'private_key_jwt'], 'none'],
    ] as const) {
      await using server = await serve({ status: 201, body: '{"client_id":"new"}' })
      await register(server.url, [...methods])
      expect(JSON.parse(server.heard[0]?.body ?? '')).toEqual({
        client_name: 'Toolway',
        redirect_uris: ['https://gateway.example/oauth/callback'],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: method,
        application_type: 'web',
        scope: 'a b',
      })
    }
  })

  test('tells when its secret ends, and that there is none', async () => {
    await using server = await serve({
      body: '{"client_id":"new","client_secret":"s","client_secret_expires_at":1800000000}',
    })
    expect(await register(server.url)).toEqual({
      clientId: 'new',
      secret: 's',
      method: 'client_secret_basic',
      secretExpiresAt: new Date(1_800_000_000_000),
    })
    await using open = await serve({ status: 201, body: '{"client_id":"new"}' })
    expect(await register(open.url)).toMatchObject({ method: 'none', secret: undefined, secretExpiresAt: undefined })
  })

  test('that is refused, broken or later possible says which', async () => {
    await using refused = await serve({ status: 400, body: '{"error":"invalid_redirect_uri"}' })
    await expect(register(refused.url)).rejects.toMatchObject({
      code: 'authority.refused',
      facts: { problem: 'it refused to register this gateway (invalid_redirect_uri)' },
    })
    await using broken = await serve({ status: 201, type: 'text/html', body: '<p>' })
    await expect(register(broken.url)).rejects.toMatchObject({ code: 'authority.malformed' })
    await using busy = await serve({ status: 503 })
    await expect(register(busy.url)).rejects.toMatchObject({ code: 'authority.unreachable' })
  })
})

test('a vendor that says no with status 200 is understood, and one that wants JSON gets it', async () => {
  await using github = await serve({ body: '{"error":"bad_refresh_token","error_description":"x"}' })
  await expect(refresh(github.url, 'github')).rejects.toMatchObject({ code: 'authority.refused' })
  await using notion = await serve(ok())
  await refresh(notion.url, 'notion')
  expect(notion.heard[0]?.headers['content-type']).toBe('application/json')
  expect(JSON.parse(notion.heard[0]?.body ?? '')).toMatchObject({
    grant_type: 'refresh_token',
    refresh_token: 'the-old-one',
  })
})

test('a revocation does nothing where there is nowhere to ask, and says what went wrong where there is', async () => {
  const revoke = (url: string, more: object = {}) =>
    oauth.revoke({ authority: { ...authorityAt(url), ...more }, client, token: 't', hint: 'refresh_token' }, egress)
  const { revocationEndpoint: _, ...without } = authorityAt('http://127.0.0.1:9')
  await oauth.revoke({ authority: without, client, token: 't', hint: 'access_token' }, egress)
  await using server = await serve({ status: 200 })
  await revoke(server.url)
  expect(new URLSearchParams(server.heard[0]?.body).get('token_type_hint')).toBe('refresh_token')
  await using down = await serve({ status: 503 })
  await expect(revoke(down.url)).rejects.toMatchObject({ code: 'authority.unreachable' })
})
