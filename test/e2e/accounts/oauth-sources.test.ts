/**
 * One OAuth client for both sources of metadata: an MCP server whose authorization server is discovered, and a vendor of the provider
 * table. The same assertions run over both.
 */
import { randomBytes } from 'node:crypto'
import { authorityOf, Fault, type Authority } from '@toolway/contract'
import { describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { createOutgoingOAuth } from '../../../packages/gateway/src/oauth/outgoing/protocol/outgoing-oauth.ts'
import type { ClientIdentity } from '../../../packages/gateway/src/oauth/outgoing/ports.ts'
import { readChallenge } from '../../../packages/gateway/src/oauth/outgoing/protocol/read-challenge.ts'
import { adapterOf } from '../../../packages/gateway/src/oauth/outgoing/vendors/provider-adapters.ts'
import { startCredentialHouse } from '../../../packages/gateway/src/testing/credential-house.ts'
import { createTestDatabase } from '../../../packages/gateway/src/testing/database.ts'
import type * as guarded from '../../../packages/gateway/src/upstreams/http/guarded-fetch.ts'
import { GIVEN_CLIENT, startAuthority } from '../peers/authorities/authority.ts'
import { startProtected } from '../peers/authorities/protected-server.ts'
import { walkThrough } from '../peers/people/identity-provider.ts'
import { FAKES } from '../peers/vendors/fakes.ts'
import { CLIENT } from '../peers/vendors/vendor.ts'
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

const egress = { alias: 'web', privateOrigins: 'any' as const }
const oauth = createOutgoingOAuth({ now: Date.now, adapter: adapterOf })
const Kept = z.object({
  issuer: z.string().nullable(),
  resource: z.string().nullable(),
  server: z.string().nullable(),
  user_id: z.string().nullable(),
})

interface Source extends AsyncDisposable {
  readonly authority: Authority
  readonly client: ClientIdentity
  readonly redirect: string
  readonly server: string
  /** A person's way: from the address to the one that the browser is sent back to. */
  walk(url: string): Promise<string>
  opens(access: string): Promise<boolean>
}

async function discovered(): Promise<Source> {
  routes.map = (address) => address
  const authorityServer = await startAuthority('given', { redirectUris: [CLIENT.redirect] })
  const server = await startProtected(authorityServer)
  const refusal = await fetch(server.url, { method: 'POST' })
  const challenge = readChallenge(refusal.headers.get('www-authenticate') ?? undefined)
  return {
    authority: await oauth.discover({ url: server.url, challenge, egress }),
    client: { clientId: GIVEN_CLIENT.id, secret: GIVEN_CLIENT.secret, method: 'client_secret_basic', appId: undefined },
    redirect: CLIENT.redirect,
    server: server.url,
    walk: (url) => walkThrough(url, CLIENT.redirect),
    opens: async (access) => (await authorityServer.tokenOf(access)) !== undefined,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await authorityServer[Symbol.asyncDispose]()
    },
  }
}

/** Discord names itself in its answers and takes tokens back, which not every vendor does. */
async function fromTable(): Promise<Source> {
  const vendor = FAKES['discord']?.()
  if (vendor === undefined) throw new Error('there is no fake of Discord')
  const vendors = await startVendors([vendor])
  routes.map = vendors.map
  return {
    authority: authorityOf('discord'),
    client: { clientId: CLIENT.id, secret: CLIENT.secret, method: 'client_secret_basic', appId: undefined },
    redirect: CLIENT.redirect,
    server: 'https://discord.com/api/v10',
    async walk(url) {
      const response = await fetch(vendors.map(url), { redirect: 'manual' })
      return response.headers.get('location') ?? (await response.text())
    },
    opens: async (access) => vendor.live.has(access),
    [Symbol.asyncDispose]: () => vendors[Symbol.asyncDispose](),
  }
}

const random = () => randomBytes(32).toString('base64url')

describe.each([
  ['discovery', discovered],
  ['the provider table', fromTable],
] as const)('U-18: metadata from %s', (_, open) => {
  test('PKCE, state, issuer and resource are sent and checked, tokens are renewed and taken back', async () => {
    await using source = await open()
    const { authority, client, redirect } = source
    const at = { authority, client }
    const depart = async (state: string, verifier: string) => {
      const scopes = authority.scopes ?? []
      const url = await oauth.authorizationUrl({ ...at, redirectUri: redirect, state, verifier, scopes })
      return { url, answer: new URL(await source.walk(url.href)).searchParams }
    }
    const exchange = (verifier: string, answer: URLSearchParams) =>
      oauth.exchange({ ...at, redirectUri: redirect, verifier, answer }, egress)

    const [state, verifier] = [random(), random()]
    const { url, answer } = await depart(state, verifier)
    expect(url.searchParams.get('code_challenge')).toMatch(/^[\w-]{43}$/)
    expect(url.searchParams.get('code_challenge_method')).toBe('S256')
    expect(url.searchParams.get('resource') ?? undefined).toBe(authority.resource)
    expect([url.searchParams.get('state'), answer.get('state')]).toEqual([state, state])

    expect(answer.get('iss')).toBe(authority.issuer)
    const elsewhere = new URLSearchParams({ ...Object.fromEntries(answer), iss: 'https://elsewhere.example' })
    await expect(exchange(verifier, elsewhere)).rejects.toMatchObject({ code: 'authority.malformed' })
    const other = await depart(random(), verifier)
    await expect(exchange(random(), other.answer)).rejects.toMatchObject({ code: 'authority.refused' })

    const first = await exchange(verifier, answer)
    const second = await oauth.refresh({ ...at, refreshToken: first.refresh ?? '', scopes: [] }, egress)
    expect(second.access).not.toBe(first.access)
    expect(await source.opens(second.access)).toBe(true)
    await oauth.revoke({ ...at, token: second.refresh ?? first.refresh ?? '', hint: 'refresh_token' }, egress)
    await oauth.revoke({ ...at, token: second.access, hint: 'access_token' }, egress)
    expect(await source.opens(second.access)).toBe(false)
  })

  test('a credential is bound to its issuer, its resource and its owner', async () => {
    await using source = await open()
    await using database = await createTestDatabase()
    const { authority } = source
    const provider = authority.provider === 'mcp' ? {} : { provider: authority.provider }
    await using house = await startCredentialHouse(database, {
      auth: { kind: 'oauth', owners: ['member', 'organization'], ...provider },
      url: source.server,
    })
    const gateway = await house.gateway()
    const [ada, bob] = [await house.person('ada'), await house.person('bob')]
    await house.connect(gateway, 'ada', { authority, userId: ada.userId })
    const [kept] = await house.db.system((sql) => sql(Kept)`select issuer, resource, server, user_id from credentials`)
    expect(kept).toMatchObject({
      issuer: authority.issuer,
      resource: authority.resource ?? null,
      user_id: ada.userId,
    })
    expect(await gateway.callCredentials.open(house.asking({ principal: ada }))).toBeDefined()
    await expect(async () => gateway.callCredentials.open(house.asking({ principal: bob }))).rejects.toThrow(Fault)

    await house.age(3_600_000)
    await gateway.callCredentials.open(house.asking({ principal: ada }))
    expect(house.authority.asked.map(({ issuer }) => issuer)).toEqual([authority.issuer])

    await expect(
      house.connect(gateway, 'ada', { authority, userId: ada.userId, server: 'https://elsewhere.example/' }),
    ).rejects.toMatchObject({ code: 'request.stale' })
    await house.db.system(
      (sql) => sql(z.object({}))`
        update connections set settings = settings || '{"url":"https://elsewhere.example/"}', updated_at = now()`,
    )
    await gateway.reload()
    await expect(async () => gateway.callCredentials.open(house.asking({ principal: ada }))).rejects.toThrow(Fault)
  })
})
