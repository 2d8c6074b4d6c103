/** Signing in by the assertion of a gateway in front: a signed header of one of four vendors, and every header that is not one. */
// @module-tag long
import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, SignJWT, UnsecuredJWT, type JWTPayload } from 'jose'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { startTestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { addPerson, createBrowser } from '../../../packages/gateway/src/testing/people.ts'

const PUBLIC = 'http://localhost:8787'
const ISSUER = 'https://front.example.com'
const ARN = 'arn:aws:elasticloadbalancing:eu-central-1:123456789012:loadbalancer/app/front/50dc6c495c0c9188'
const ADA = { sub: 'ada-1', email: 'ada@example.com' }

/** Keys as the vendors publish them: a set, and PEM by the name of the key. */
async function startFront() {
  const [rsa, ec, stranger] = [
    generateKeyPairSync('rsa', { modulusLength: 2048 }),
    generateKeyPairSync('ec', { namedCurve: 'P-256' }),
    generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  ]
  const keys = [
    { ...(await exportJWK(rsa.publicKey)), kid: 'rsa', alg: 'RS256', use: 'sig' },
    { ...(await exportJWK(ec.publicKey)), kid: 'ec', alg: 'ES256', use: 'sig' },
  ]
  const requests: string[] = []
  const server = createServer((request, response) => {
    requests.push(request.url ?? '')
    if (request.url === '/keys/ec') response.end(ec.publicKey.export({ type: 'spki', format: 'pem' }))
    else if (request.url === '/keys') response.end(JSON.stringify({ keys }))
    else response.writeHead(404).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const mint = (claims: JWTPayload, { alg = 'RS256', kid = 'rsa', key = rsa.privateKey, age = 0 } = {}) => {
    const now = Math.floor(Date.now() / 1000) - age
    return new SignJWT({ iss: ISSUER, aud: 'toolway', iat: now, exp: now + 300, ...claims })
      .setProtectedHeader({ alg, kid })
      .sign(key)
  }
  return {
    ...{ mint, requests, rsa, ec, stranger },
    keysUrl: `http://127.0.0.1:${port}/keys`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** As AWS writes it: Base64 with padding, and the signature over that. */
function mintAlb(key: KeyObject, head: object = {}, claims: object = {}): string {
  const part = (value: object | Buffer) => {
    const text = (Buffer.isBuffer(value) ? value : Buffer.from(JSON.stringify(value))).toString('base64url')
    return text.padEnd(Math.ceil(text.length / 4) * 4, '=')
  }
  const exp = Math.floor(Date.now() / 1000) + 120
  const header = { typ: 'JWT', kid: 'ec', alg: 'ES256', iss: ISSUER, client: 'toolway', signer: ARN, exp, ...head }
  const words = `${part(header)}.${part({ ...ADA, email_verified: 'true', exp, iss: ISSUER, ...claims })}`
  return `${words}.${part(sign('sha256', Buffer.from(words), { key, dsaEncoding: 'ieee-p1363' }))}`
}

async function fixture(settings: Record<string, string>) {
  const front = await startFront()
  const gateway = await startTestGateway({
    settings: {
      TOOLWAY_PUBLIC_URL: PUBLIC,
      TOOLWAY_ASSERTION_ISSUER: ISSUER,
      TOOLWAY_ASSERTION_AUDIENCE: 'toolway',
      TOOLWAY_ASSERTION_KEYS_URL: front.keysUrl,
      ...settings,
    },
  })
  await addPerson(gateway.db, { email: 'admin@example.com', platformAdmin: true })
  await addPerson(gateway.db, { email: ADA.email })
  const arrive = async (headers: Record<string, string>, browser = createBrowser(gateway.address)) => {
    const page = await browser.ask('/o/default/sign-in', { headers })
    const me = await browser.ask('/api/v1/auth/me')
    const { user } = (await me.json()) as { user?: { email: string } }
    return [page.status, page.headers.get('location'), user?.email]
  }
  return {
    ...{ front, gateway, arrive },
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]()
      await front[Symbol.asyncDispose]()
    },
  }
}

const ENTERED = [303, '/o/default', ADA.email]
const NOT_ASKED = [200, null, undefined]
const REFUSED = [401, null, undefined]

describe('C-ID-23: a gateway in front signs people in', () => {
  test('of Cloudflare Access, and whoever signs out stays signed out', async () => {
    await using all = await fixture({ TOOLWAY_ASSERTION: 'cloudflare' })
    const header = { 'cf-access-jwt-assertion': await all.front.mint(ADA) }
    const browser = createBrowser(all.gateway.address)
    expect(await all.arrive(header, browser)).toEqual(ENTERED)
    const csrf = browser.jar.get('toolway_csrf')?.value ?? ''
    const out = await browser.submit('/sign-in/out', { csrf }, { origin: PUBLIC, ...header })
    expect(out.headers.get('location')).toBe('/sign-in?out')
    expect((await browser.ask('/sign-in?out', { headers: header })).status).toBe(200)
    // The assertion lets in people of the installation only.
    const other = { sub: 'eve', email: 'eve@example.com' }
    expect(await all.arrive({ 'cf-access-jwt-assertion': await all.front.mint(other) })).toEqual(REFUSED)
    const stored = await all.gateway.db.system(
      (sql) => sql(z.object({ n: z.int() }))`select count(*)::int as n from records where kind = 'sign_in'`,
    )
    expect(stored[0]?.n).toBeGreaterThanOrEqual(2)
  })

  test('of Google’s proxy, whose own accounts alone have proven addresses', async () => {
    await using all = await fixture({ TOOLWAY_ASSERTION: 'iap' })
    const { mint, ec } = all.front
    const es = { alg: 'ES256', kid: 'ec', key: ec.privateKey }
    const at = async (sub: string) => all.arrive({ 'x-goog-iap-jwt-assertion': await mint({ ...ADA, sub }, es) })
    expect(await at('securetoken.google.com/project:1')).toEqual(REFUSED)
    expect(await at('accounts.google.com:1')).toEqual(ENTERED)
  })

  test('of a load balancer of AWS, by its own name and padding', async () => {
    await using all = await fixture({ TOOLWAY_ASSERTION: 'alb', TOOLWAY_ASSERTION_AUDIENCE: ARN })
    const { ec, stranger, requests } = all.front
    const at = (token: string) => all.arrive({ 'x-amzn-oidc-data': token })
    const bad = [
      mintAlb(ec.privateKey, { signer: ARN.replace('123456789012', '210987654321') }),
      mintAlb(ec.privateKey, { iss: 'https://other.example.com' }),
      mintAlb(ec.privateKey, { exp: Math.floor(Date.now() / 1000) - 120 }),
      mintAlb(ec.privateKey, { alg: 'none' }),
      mintAlb(ec.privateKey, { kid: '../keys' }),
      mintAlb(stranger.privateKey),
      mintAlb(ec.privateKey).replace(/\.[^.]+$/, '.'),
      mintAlb(ec.privateKey, {}, { email_verified: 'false' }),
    ]
    for (const token of bad) expect(await at(token)).toEqual(REFUSED)
    for (let count = 0; count < 5; count++)
      expect(await at(mintAlb(ec.privateKey, { kid: 'made-up' }))).toEqual(REFUSED)
    expect(requests.filter((url) => url.includes('made-up'))).toHaveLength(1)
    expect(await at(mintAlb(ec.privateKey))).toEqual(ENTERED)
    // However many are made up, the key that is known goes on.
    for (let count = 0; count < 110; count++) await at(mintAlb(ec.privateKey, { kid: `made-up-${count}` }))
    expect(requests.filter((url) => url.includes('made-up')).length).toBeLessThanOrEqual(100)
    expect(await at(mintAlb(ec.privateKey))).toEqual(ENTERED)
  })

  test('and says whether an assertion is not valid, or its keys cannot be read', async () => {
    for (const form of ['cloudflare', 'alb'] as const) {
      await using all = await fixture({
        TOOLWAY_ASSERTION: form,
        TOOLWAY_ASSERTION_AUDIENCE: form === 'alb' ? ARN : 'toolway',
        TOOLWAY_ASSERTION_KEYS_URL: 'http://127.0.0.1:9/keys',
      })
      const token = form === 'alb' ? mintAlb(all.front.ec.privateKey) : await all.front.mint(ADA)
      const name = form === 'alb' ? 'x-amzn-oidc-data' : 'cf-access-jwt-assertion'
      const page = await createBrowser(all.gateway.address).ask('/sign-in', { headers: { [name]: token } })
      expect([page.status, await page.text()]).toEqual([401, expect.stringContaining('cannot be read now')])
    }
  })

  test('of a proxy that passes an ID token on, and by no token that is not exactly that', async () => {
    await using all = await fixture({ TOOLWAY_ASSERTION: 'jwt' })
    const { mint, rsa, stranger, requests } = all.front
    const verified = { ...ADA, email_verified: true }
    const shared = Buffer.from(rsa.publicKey.export({ type: 'spki', format: 'pem' }))
    const now = Math.floor(Date.now() / 1000)
    const plain = { iss: ISSUER, aud: 'toolway', exp: now + 300, ...verified }
    const bad: readonly string[] = [
      await mint({ ...verified, aud: 'another' }),
      await mint({ ...verified, iss: 'https://other.example.com' }),
      await mint(verified, { age: 600 }),
      await mint({ ...verified, nbf: now + 600 }),
      await mint({ email: ADA.email, email_verified: true }),
      await mint({ ...verified, exp: now - 600 }),
      await mint(verified, { alg: 'ES256', kid: 'ec', key: stranger.privateKey }),
      new UnsecuredJWT(plain).encode(),
      await new SignJWT(plain).setProtectedHeader({ alg: 'HS256', kid: 'rsa' }).sign(shared),
      (await mint(verified)).slice(0, -8),
      'ada@example.com',
      'x'.repeat(20_000).slice(0, 15_000),
    ]
    for (const token of bad) expect(await all.arrive({ authorization: `Bearer ${token}` })).toEqual(REFUSED)
    expect(await all.arrive({ authorization: `Bearer ${await mint(ADA)}` })).toEqual(REFUSED)
    for (const name of ['x-forwarded-email', 'x-auth-request-email', 'cf-access-jwt-assertion', 'x-amzn-oidc-data'])
      expect(await all.arrive({ [name]: name.startsWith('x-a') ? ADA.email : await mint(verified) })).toEqual(NOT_ASKED)
    expect(await all.arrive({ authorization: `Bearer ${await mint(verified)}` })).toEqual(ENTERED)
    // A password for a proxy before this one.
    expect(await all.arrive({ authorization: 'Basic YWRhOnNlY3JldA==' })).toEqual(NOT_ASKED)
    expect(requests.length).toBeLessThanOrEqual(2)
  })

  test('and where none is set, every header is ignored', async () => {
    await using all = await fixture({ TOOLWAY_ASSERTION: 'off', TOOLWAY_ASSERTION_AUDIENCE: '' })
    const token = await all.front.mint({ ...ADA, email_verified: true })
    for (const name of ['cf-access-jwt-assertion', 'x-goog-iap-jwt-assertion', 'x-amzn-oidc-data', 'authorization'])
      expect(await all.arrive({ [name]: token })).toEqual(NOT_ASKED)
    expect(all.front.requests).toEqual([])
  })
})
