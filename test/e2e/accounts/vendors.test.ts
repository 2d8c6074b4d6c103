/**
 * Every provider of the table at a fake of its vendor, which was written from what the vendor publishes: the gateway's own client asks
 * the very addresses of the table, and the way out alone leads to the fake in place of the vendor.
 */
import { randomBytes } from 'node:crypto'
import { authorityOf, Fault, findProvider, PROVIDERS, type Authority } from '@toolway/contract'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createOutgoingOAuth } from '../../../packages/gateway/src/oauth/outgoing/protocol/outgoing-oauth.ts'
import type { ClientIdentity, Tokens } from '../../../packages/gateway/src/oauth/outgoing/ports.ts'
import { adapterOf } from '../../../packages/gateway/src/oauth/outgoing/vendors/provider-adapters.ts'
import type * as guarded from '../../../packages/gateway/src/upstreams/http/guarded-fetch.ts'
import { startProviderHome, type ProviderHome } from '../peers/people/provider-home.ts'
import { createGitHub, createGitLab } from '../peers/vendors/code.ts'
import { FAKES } from '../peers/vendors/fakes.ts'
import { createMicrosoft } from '../peers/vendors/suites.ts'
import { CLIENT, type Vendor } from '../peers/vendors/vendor.ts'
import { startVendors } from '../peers/vendors/vendors.ts'

/** Where an address of a vendor's really is. */
const routes = vi.hoisted(() => ({ map: (address: string): string => address }))
vi.mock('../../../packages/gateway/src/upstreams/http/guarded-fetch.ts', async (original) => {
  const real = await original<typeof guarded>()
  return {
    ...real,
    createGuardedFetch(reach: guarded.GuardedFetchParts, limits: guarded.GuardedFetchLimits) {
      const send = real.createGuardedFetch({ ...reach, privateOrigins: 'any' }, limits)
      return (url: string, options: guarded.FetchOptions) => send(routes.map(url), options)
    },
  }
})

let home: ProviderHome
beforeAll(async () => {
  home = await startProviderHome()
})
afterAll(() => home[Symbol.asyncDispose]())

const EGRESS = { alias: 'x', privateOrigins: [] }
const oauth = createOutgoingOAuth({ now: Date.now, adapter: adapterOf })

/** A person who connects an account at a vendor, and what is done with the account afterwards. */
async function visit(provider: string, given: { vendor?: Vendor; authority?: Authority; secret?: string } = {}) {
  const row = findProvider(provider)
  if (row === undefined) throw new Error(`there is no ${provider}`)
  const vendor = given.vendor ?? FAKES[row.family]?.()
  if (vendor === undefined) throw new Error(`there is no fake of ${row.family}`)
  const vendors = await startVendors([vendor])
  routes.map = vendors.map
  const authority = given.authority ?? authorityOf(provider)
  const secret = given.secret ?? CLIENT.secret
  const client: ClientIdentity = { clientId: CLIENT.id, secret, method: row.clientAuth, appId: undefined }
  const at = { authority, client }

  /** Returns the parameters with which the vendor redirects the browser, or throws with the text of its own page. */
  async function authorize(change: (url: URL) => void = () => {}) {
    const [state, verifier] = [randomBytes(32).toString('base64url'), randomBytes(32).toString('base64url')]
    const scopes = authority.scopes ?? []
    const url = await oauth.authorizationUrl({ ...at, redirectUri: CLIENT.redirect, state, verifier, scopes })
    change(url)
    const response = await fetch(vendors.map(url.href), { redirect: 'manual' })
    const location = response.headers.get('location')
    if (location === null) throw new Error(JSON.stringify(await response.json()))
    const answer = new URL(location).searchParams
    expect(answer.get('state')).toBe(state)
    return { verifier, answer }
  }
  const exchange = ({ verifier, answer }: { verifier: string; answer: URLSearchParams }) =>
    oauth.exchange({ ...at, redirectUri: CLIENT.redirect, verifier, answer }, EGRESS)
  return {
    vendor,
    vendors,
    authorize,
    exchange,
    connect: async (change?: (url: URL) => void) => exchange(await authorize(change)),
    refresh: (refreshToken = '') => oauth.refresh({ ...at, refreshToken, scopes: [] }, EGRESS),
    revoke: (token: string, hint: 'access_token' | 'refresh_token') => oauth.revoke({ ...at, token, hint }, EGRESS),
    [Symbol.asyncDispose]: () => vendors[Symbol.asyncDispose](),
  }
}

/** The code of the fault, and what it tells. */
const failure = async (work: Promise<unknown>): Promise<string> => {
  const thrown: unknown = await work.then(
    () => new Error('it was taken'),
    (reason: unknown) => reason,
  )
  // The vendor's description follows in brackets.
  return thrown instanceof Fault
    ? `${thrown.code} ${String(thrown.facts['problem']).split(' (“', 1)[0]}`
    : String(thrown)
}

const SECOND = 1000
const lives = ({ expiresAt }: Tokens) =>
  expiresAt === undefined ? undefined : Math.round((expiresAt.getTime() - Date.now()) / (60 * SECOND))

describe.each(PROVIDERS.map((row) => [row.key, row] as const))('S3-OAU-05: %s', (key, row) => {
  test('is connected by the state that its browser was given, once; any other state asks the vendor nothing', async () => {
    routes.map = home.vendors.map
    const { back, exchanges, kept } = await home.depart(key)
    const refused = async (change: (url: URL) => void, by = home.browser) => {
      const url = new URL(back)
      change(url)
      const { status, location } = await home.arrive(url, by)
      expect(status).toBeGreaterThanOrEqual(300)
      expect(location ?? '').not.toContain('connected=')
      expect([exchanges(), await kept()]).toEqual([0, 0])
    }
    const set = (state: string) => (url: URL) => url.searchParams.set('state', state)
    const state = back.searchParams.get('state') ?? ''
    expect(state.length).toBeGreaterThanOrEqual(43)
    await refused(set(randomBytes(32).toString('base64url')))
    await refused(set(`${state.slice(0, -1)}${state.endsWith('A') ? 'B' : 'A'}`))
    await refused((url) => url.searchParams.delete('state'))
    await refused((url) => url.searchParams.append('state', state))
    // Of another browser, signed in or not, and at the address of another provider.
    await refused(() => {}, home.stranger)
    await refused(() => {}, home.nobody)
    await refused((url) => (url.pathname = url.pathname.replace(key, key === 'zoom' ? 'notion' : 'zoom')))
    // None of them has spent it.
    expect(await home.arrive(back, home.browser)).toMatchObject({ location: `/oauth/success?connected=${key}` })
    expect([exchanges(), await kept()]).toEqual([1, 1])
    const again = await home.arrive(back, home.browser)
    expect(again.location ?? '').not.toContain('connected=')
    expect([exchanges(), await kept()]).toEqual([1, 1])
  })

  test('is connected, renewed and taken back by the rules that its vendor publishes', async () => {
    await using at = await visit(key)
    const first = await at.connect()
    expect(at.vendor.live.has(first.access)).toBe(true)
    expect(first.tokenType).toBe('Bearer')
    expect(first.refresh).toEqual(expect.any(String))

    const second = await at.refresh(first.refresh)
    expect(at.vendor.live.has(second.access)).toBe(true)
    expect(second.access).not.toBe(first.access)
    expect(second.refresh === undefined).toBe(row.refresh === 'stays')
    if (row.accessLives !== undefined) expect(lives(second)).toBe(Math.round((row.accessLives - 1) / 60))

    await at.revoke(second.refresh ?? first.refresh ?? '', 'refresh_token')
    await at.revoke(second.access, 'access_token')
    const endless = row.revocation === undefined && row.revocationEndpoint === undefined
    expect(at.vendor.live.has(second.access)).toBe(endless)
  })

  test('gives all that was asked for, and says who it is where it says so', async () => {
    await using at = await visit(key)
    const { scopes, account } = await at.connect()
    const asked = row.scopes.filter((scope) => scope !== 'offline_access' || row.family !== 'microsoft')
    expect(scopes ?? []).toEqual(row.scopes.length === 0 ? [] : asked)
    const says = row.account.id.length > 0
    expect(account.id === undefined).toBe(!says)
    expect(account.name === undefined).toBe(!says)
  })

  test('refuses a code twice and another verifier, and says that a person must act', async () => {
    await using at = await visit(key)
    const back = await at.authorize()
    await at.exchange(back)
    expect(await failure(at.exchange(back))).toBe('authority.refused invalid_grant')
    if (row.pkce === 'ignored') return
    const other = { ...(await at.authorize()), verifier: randomBytes(32).toString('base64url') }
    expect(await failure(at.exchange(other))).toBe('authority.refused invalid_grant')
  })

  test('refuses a refresh token that it never gave, and a client that does not prove itself', async () => {
    await using at = await visit(key)
    expect(await failure(at.refresh('made up'))).toBe('authority.refused invalid_grant')
    await using stranger = await visit(key, { secret: 'wrong' })
    expect(await failure(stranger.refresh('made up'))).toMatch(
      /^authority\.refused (?:invalid_client|access_denied|unauthorized_client|invalid_grant)$/,
    )
  })
})

describe('a fake vendor is strict:', () => {
  const wrong: [provider: string, says: string, change: (url: URL) => void][] = [
    ['github', 'code_challenge', (url) => url.searchParams.delete('code_challenge')],
    ['gitlab', 'code_challenge_method', (url) => url.searchParams.set('code_challenge_method', 'plain')],
    ['jira', 'audience', (url) => url.searchParams.delete('audience')],
    ['confluence', 'prompt', (url) => url.searchParams.delete('prompt')],
    ['linear', 'scope', (url) => url.searchParams.set('scope', 'read write')],
    ['slack', 'invalid_scope', (url) => url.searchParams.set('user_scope', 'channels:read chat:write')],
    ['slack', 'invalid_scope', (url) => url.searchParams.set('scope', 'chat:write')],
    ['discord', 'permissions', (url) => url.searchParams.delete('permissions')],
    ['notion', 'owner', (url) => url.searchParams.delete('owner')],
    ['notion', 'scope', (url) => url.searchParams.set('scope', '')],
    ['gmail', 'invalid_scope', (url) => url.searchParams.set('scope', 'gmail.readonly')],
    ['zoom', 'state', (url) => url.searchParams.delete('state')],
    ['teams', 'redirect_uri', (url) => url.searchParams.set('redirect_uri', 'https://evil.example/')],
  ]
  test.each(wrong)('%s refuses a wrong %s', async (provider, says, change) => {
    await using at = await visit(provider)
    await expect(at.authorize(change)).rejects.toThrow(`{"page":"${says}"}`)
  })
})

describe('what a vendor does in its own way', () => {
  test.each(['gitlab', 'jira', 'zoom', 'bitbucket', 'notion', 'linear'])(
    '%s ends everything when a refresh token is used twice',
    async (provider) => {
      await using at = await visit(provider)
      const first = await at.connect()
      const second = await at.refresh(first.refresh)
      expect(await failure(at.refresh(first.refresh))).toBe('authority.refused invalid_grant')
      expect(at.vendor.live.has(second.access)).toBe(false)
    },
  )

  test('GitHub fails with status 200, and its OAuth apps give tokens that stay', async () => {
    await using at = await visit('github', { vendor: createGitHub({ expires: false }) })
    const tokens = await at.connect()
    expect([tokens.refresh, tokens.expiresAt]).toEqual([undefined, undefined])
    expect(await failure(at.refresh('none'))).toBe('authority.refused invalid_grant')
  })

  test('Copilot is connected at GitHub', async () => {
    await using at = await visit('copilot')
    expect((await at.connect()).scopes).toContain('manage_billing:copilot')
  })

  test('Google gives no refresh token at a second sign-in without consent, which is always asked for', async () => {
    await using at = await visit('gmail')
    expect((await at.connect()).refresh).toEqual(expect.any(String))
    expect((await at.connect((url) => url.searchParams.delete('prompt'))).refresh).toBeUndefined()
    expect((await at.connect()).refresh).toEqual(expect.any(String))
  })

  test('Google and Microsoft tell in an identity token whose account it is', async () => {
    await using google = await visit('google_docs')
    expect((await google.connect()).account).toEqual({ id: 'g-1', name: 'ada@example.com' })
    await using microsoft = await visit('outlook')
    expect((await microsoft.connect()).account).toEqual({ id: 'o-1', name: 'ada@contoso.example' })
  })

  test('Microsoft refuses with its own numbers what an administrator has revoked', async () => {
    const vendor = createMicrosoft()
    await using at = await visit('excel', { vendor })
    const { refresh } = await at.connect()
    vendor.revokeAll()
    expect(await failure(at.refresh(refresh))).toBe('authority.refused invalid_grant')
  })

  test('Microsoft is asked at the tenant of the organization', async () => {
    const tenant = 'contoso.onmicrosoft.com'
    const authority = authorityOf('teams', { tenant })
    await using at = await visit('teams', { vendor: createMicrosoft(tenant), authority })
    expect(at.vendor.live.has((await at.connect()).access)).toBe(true)
  })

  test('GitLab may be one that somebody runs, under a path too', async () => {
    const authority = authorityOf('gitlab', { base: 'https://code.example.com/git' })
    await using at = await visit('gitlab', { vendor: createGitLab('code.example.com', '/git'), authority })
    const { access } = await at.connect()
    await at.revoke(access, 'access_token')
    expect(at.vendor.live.has(access)).toBe(false)
  })

  test('Discord says in its answer that it is Discord, and an answer that does not is refused', async () => {
    await using at = await visit('discord')
    const { verifier, answer } = await at.authorize()
    for (const iss of [undefined, 'https://evil.example']) {
      const other = new URLSearchParams(answer)
      other.delete('iss')
      if (iss !== undefined) other.set('iss', iss)
      await expect(async () => at.exchange({ verifier, answer: other })).rejects.toThrow(Fault)
    }
    expect(at.vendor.live.has((await at.exchange({ verifier, answer })).access)).toBe(true)
  })

  test('Slack and Notion say in members of their own that something passes', async () => {
    for (const [provider, outage] of [
      ['slack', { status: 200, json: { ok: false, error: 'ratelimited' } }],
      ['slack', { status: 200, json: { ok: false, error: 'internal_error' } }],
      ['notion', { status: 429, json: { object: 'error', status: 429, code: 'rate_limited', message: 'x' } }],
      ['notion', { status: 503, json: { object: 'error', status: 503, code: 'service_unavailable', message: 'x' } }],
      ['google_calendar', { status: 503, json: { error: 'backendError' } }],
    ] as const) {
      await using at = await visit(provider)
      const { refresh } = await at.connect()
      at.vendors.outage = outage
      expect(await failure(at.refresh(refresh))).toMatch(/^authority\.unreachable /)
      at.vendors.outage = undefined
      expect(at.vendor.live.has((await at.refresh(refresh)).access)).toBe(true)
    }
  })
})
