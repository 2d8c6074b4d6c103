/** Toolway as a client of four real authorization servers: from a server's 401 to tokens, and what is done with them later. */
import { describe, expect, test } from 'vitest'
import { createOutgoingOAuth } from '../../../packages/gateway/src/oauth/outgoing/protocol/outgoing-oauth.ts'
import type { ClientIdentity } from '../../../packages/gateway/src/oauth/outgoing/ports.ts'
import { readChallenge } from '../../../packages/gateway/src/oauth/outgoing/protocol/read-challenge.ts'
import { adapterOf } from '../../../packages/gateway/src/oauth/outgoing/vendors/provider-adapters.ts'
import { GIVEN_CLIENT, SCOPE, startAuthority, type AuthorityKind } from '../peers/authorities/authority.ts'
import { startProtected } from '../peers/authorities/protected-server.ts'
import { walkThrough } from '../peers/people/identity-provider.ts'

const egress = { alias: 'notes', privateOrigins: 'any' as const }
const HOME = 'https://gateway.example/oauth/callback'
const LOCAL = 'http://127.0.0.1:9/oauth/callback'
const DOCUMENT = 'https://gateway.example/oauth/client-metadata.json'
const verifier = 'v'.repeat(64)
const oauth = createOutgoingOAuth({ now: Date.now, adapter: adapterOf })

const document = {
  client_id: DOCUMENT,
  client_name: 'Toolway',
  redirect_uris: [HOME],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
}

async function setUp(kind: AuthorityKind, options: Parameters<typeof startAuthority>[1] = {}) {
  const authorityServer = await startAuthority(kind, {
    redirectUris: [HOME],
    document: (url) => (url === DOCUMENT ? document : undefined),
    ...options,
  })
  const server = await startProtected(authorityServer)
  const probeAuth = await fetch(server.url, { method: 'POST' })
  const challenge = readChallenge(probeAuth.headers.get('www-authenticate') ?? undefined)
  const authority = await oauth.discover({ url: server.url, challenge, egress })

  async function clientOf(): Promise<ClientIdentity> {
    if (kind === 'documents') return { clientId: DOCUMENT, secret: undefined, method: 'none', appId: undefined }
    if (kind === 'given')
      return {
        clientId: GIVEN_CLIENT.id,
        secret: GIVEN_CLIENT.secret,
        method: 'client_secret_basic',
        appId: undefined,
      }
    const words = { redirectUris: [HOME], name: 'Toolway', scopes: [] }
    return { ...(await oauth.register(authority, words, egress)), appId: undefined }
  }

  /** The parameters that the user's browser brings back. */
  async function connect(client: ClientIdentity) {
    const asked = { authority, client, redirectUri: HOME, verifier }
    const url = await oauth.authorizationUrl({ ...asked, state: 'st', scopes: authority.scopes ?? [] })
    const back = new URL(await walkThrough(url.href, HOME))
    return { url, answer: back.searchParams }
  }

  return {
    authorityServer,
    server,
    authority,
    challenge,
    clientOf,
    connect,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await authorityServer[Symbol.asyncDispose]()
    },
  }
}

describe.each(['registers', 'documents', 'given', 'strict'] as const)('an authorization server that %s', (kind) => {
  test('S2-OAU-08: gives tokens for the code that a person brings back, renews them, and takes them back', async () => {
    await using at = await setUp(kind)
    const client = await at.clientOf()
    const { answer } = await at.connect(client)
    expect(answer.get('iss')).toBe(at.authorityServer.issuer)
    const asked = { authority: at.authority, client }
    const tokens = await oauth.exchange({ ...asked, redirectUri: HOME, verifier, answer }, egress)
    expect(await at.authorityServer.tokenOf(tokens.access)).toEqual({
      person: 'ada',
      audience: at.server.url,
      scope: SCOPE,
    })
    expect(tokens.expiresAt?.getTime()).toBeGreaterThan(Date.now() + 3_000_000)
    expect(tokens.refresh).toBeDefined()

    const renewed = await oauth.refresh({ ...asked, refreshToken: tokens.refresh ?? '', scopes: [] }, egress)
    expect(renewed.access).not.toBe(tokens.access)
    expect(await at.authorityServer.tokenOf(renewed.access)).toMatchObject({ audience: at.server.url })
    expect(at.authorityServer.counts).toMatchObject({ codes: 1, refreshes: 1 })
    if (kind === 'strict') expect(renewed.refresh).not.toBe(tokens.refresh)

    await oauth.revoke({ ...asked, token: renewed.access, hint: 'access_token' }, egress)
    await oauth.revoke({ ...asked, token: renewed.refresh ?? '', hint: 'refresh_token' }, egress)
    expect(at.authorityServer.counts.revocations).toBe(2)
    expect(await at.authorityServer.tokenOf(renewed.access)).toBeUndefined()
    const again = oauth.refresh({ ...asked, refreshToken: renewed.refresh ?? '', scopes: [] }, egress)
    await expect(again).rejects.toMatchObject({
      code: 'authority.refused',
      facts: { problem: expect.stringMatching(/^invalid_grant \(“.+”\)$/) },
    })
  })
})

test('S2-OAU-02: an authorization server that wants PKCE has it, and refuses who lost the verifier', async () => {
  await using at = await setUp('registers')
  const client = await at.clientOf()
  const { url, answer } = await at.connect(client)
  expect(url.searchParams.get('code_challenge_method')).toBe('S256')
  const exchange = oauth.exchange(
    { authority: at.authority, client, redirectUri: HOME, verifier: 'w'.repeat(64), answer },
    egress,
  )
  await expect(exchange).rejects.toMatchObject({
    code: 'authority.refused',
    facts: { problem: expect.stringMatching(/^invalid_grant \(“.+”\)$/) },
  })
  url.searchParams.delete('code_challenge')
  url.searchParams.delete('code_challenge_method')
  const without = new URL(await walkThrough(url.href, HOME))
  expect(without.searchParams.get('error')).toBe('invalid_request')
})

test('S2-OAU-06: the address that a person is sent to says all that it must', async () => {
  await using at = await setUp('registers')
  const client = await at.clientOf()
  const { url } = await at.connect(client)
  expect(url.origin + url.pathname).toBe(at.authority.authorizationEndpoint)
  expect(Object.fromEntries(url.searchParams)).toEqual({
    response_type: 'code',
    client_id: client.clientId,
    redirect_uri: HOME,
    state: 'st',
    code_challenge: expect.stringMatching(/^[\w-]{43}$/),
    code_challenge_method: 'S256',
    scope: SCOPE,
    resource: at.server.url,
  })
})

test('strict rotation ends all tokens of a person when a refresh token comes twice', async () => {
  await using at = await setUp('strict')
  const client = await at.clientOf()
  const { answer } = await at.connect(client)
  const asked = { authority: at.authority, client }
  const { refresh = '' } = await oauth.exchange({ ...asked, redirectUri: HOME, verifier, answer }, egress)
  const next = await oauth.refresh({ ...asked, refreshToken: refresh, scopes: [] }, egress)
  const refusal = { code: 'authority.refused', facts: { problem: expect.stringMatching(/^invalid_grant \(“.+”\)$/) } }
  await expect(oauth.refresh({ ...asked, refreshToken: refresh, scopes: [] }, egress)).rejects.toMatchObject(refusal)
  const successor = oauth.refresh({ ...asked, refreshToken: next.refresh ?? '', scopes: [] }, egress)
  await expect(successor).rejects.toMatchObject(refusal)
})

test('an answer that names another issuer is not exchanged, and its error is not believed', async () => {
  await using at = await setUp('registers')
  const client = await at.clientOf()
  const { answer } = await at.connect(client)
  const asked = { authority: at.authority, client, redirectUri: HOME, verifier }
  const refused = { code: 'authority.malformed' }
  const wrong = new URLSearchParams({ ...Object.fromEntries(answer), iss: 'https://elsewhere.example' })
  await expect(oauth.exchange({ ...asked, answer: wrong }, egress)).rejects.toMatchObject(refused)
  const absent = new URLSearchParams(answer)
  absent.delete('iss')
  await expect(oauth.exchange({ ...asked, answer: absent }, egress)).rejects.toMatchObject(refused)
  const error = new URLSearchParams({ error: 'access_denied', state: 'st', iss: 'https://elsewhere.example' })
  await expect(oauth.exchange({ ...asked, answer: error }, egress)).rejects.toMatchObject(refused)
  const denied = new URLSearchParams({ error: 'access_denied', state: 'st', iss: at.authorityServer.issuer })
  await expect(oauth.exchange({ ...asked, answer: denied }, egress)).rejects.toMatchObject({
    code: 'authority.refused',
    facts: { problem: 'access_denied' },
  })
  expect(at.authorityServer.counts.codes).toBe(0)
})

test('a gateway on this machine registers itself too', async () => {
  await using at = await setUp('registers')
  const client = await oauth.register(at.authority, { redirectUris: [LOCAL], name: 'Toolway', scopes: [] }, egress)
  expect(client).toMatchObject({ method: 'client_secret_basic', secret: expect.any(String) })
})

test('lasting access is asked for so that a server which wants a person to agree to it gives it', async () => {
  await using at = await setUp('registers', { refreshes: 'offline' })
  const client = await at.clientOf()
  const bring = async (scopes: readonly string[]) => {
    const asked = { authority: at.authority, client, redirectUri: HOME, verifier }
    const url = await oauth.authorizationUrl({ ...asked, state: 'st', scopes })
    const answer = new URL(await walkThrough(url.href, HOME)).searchParams
    return (await oauth.exchange({ ...asked, answer }, egress)).refresh
  }
  expect(at.authority.scopesSupported).toContain('offline_access')
  expect(await bring([SCOPE, 'offline_access'])).toEqual(expect.any(String))
  expect(await bring([SCOPE])).toBeUndefined()
})
