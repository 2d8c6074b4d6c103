/**
 * Renewal against a real authorization server that takes each refresh token once and ends everything when one comes twice
 * (oidc-provider): whoever renews twice, or loses a successor, loses the account.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Authority } from '@toolway/contract'
import { Provider } from 'oidc-provider'
import { expect, test } from 'vitest'
import { createOutgoingOAuth } from '../../../packages/gateway/src/oauth/outgoing/protocol/outgoing-oauth.ts'
import type { Tokens } from '../../../packages/gateway/src/oauth/outgoing/ports.ts'
import { adapterOf } from '../../../packages/gateway/src/oauth/outgoing/vendors/provider-adapters.ts'
import { AUTHORITY, startCredentialHouse } from '../../../packages/gateway/src/testing/credential-house.ts'
import { describeEachPostgres } from '../../../packages/gateway/src/testing/database.ts'

const CLIENT = 'toolway'
const SCOPE = 'openid offline_access'
/** Seconds; they pass in the database (`age`), so that a slow machine has all of them. */
const LIFE = 600
/** Named as private by whoever made the connection, so its authorization server may be, too. */
const URL_ = 'http://127.0.0.1:9/mcp'
const oauth = createOutgoingOAuth({ now: Date.now, adapter: adapterOf })

async function startAuthority() {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT,
        token_endpoint_auth_method: 'none',
        redirect_uris: ['https://gateway.example/oauth/callback'],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
      },
    ],
    rotateRefreshToken: true,
    ttl: { AccessToken: LIFE, RefreshToken: 3600, Grant: 3600 },
    features: { revocation: { enabled: true }, devInteractions: { enabled: false } },
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
  })
  const asked: string[] = []
  const serve = provider.callback()
  server.on('request', (request, response) => {
    asked.push(request.url ?? '')
    void serve(request, response)
  })
  const authority: Authority = {
    ...AUTHORITY,
    issuer,
    tokenEndpoint: `${issuer}/token`,
    revocationEndpoint: `${issuer}/token/revocation`,
  }

  /** As it is when a person has come back from there. */
  async function begin(accountId: string): Promise<Tokens> {
    const client = await provider.Client.find(CLIENT)
    if (client === undefined) throw new Error('there is no client')
    const grant = new provider.Grant({ accountId, clientId: CLIENT })
    grant.addOIDCScope(SCOPE)
    const grantId = await grant.save()
    const words = { accountId, client, grantId, gty: 'authorization_code', scope: SCOPE } as never
    const refresh = await new provider.RefreshToken(words).save()
    return refreshed(refresh)
  }

  async function refreshed(refreshToken: string): Promise<Tokens> {
    return oauth.refresh(
      {
        authority,
        client: { clientId: CLIENT, secret: undefined, method: 'none', appId: undefined },
        refreshToken,
        scopes: [],
      },
      { alias: 'web', privateOrigins: 'any' },
    )
  }

  /** Whether it still knows an access token. */
  const knows = async (token: string): Promise<boolean> =>
    (await fetch(`${issuer}/me`, { headers: { authorization: `Bearer ${token}` } })).ok
  return {
    authority,
    refreshed,
    begin,
    knows,
    renewals: () => asked.filter((path) => path === '/token').length - 1,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

const tokenOf = (headers: Readonly<Record<string, string>> | undefined) =>
  headers?.['authorization']?.replace('Bearer ', '') ?? ''

describeEachPostgres('with an authorization server that takes each refresh token once', (createDatabase) => {
  test('twenty calls on an expired account renew it once, on two gateways, three times over, and it lives', async () => {
    await using database = await createDatabase()
    await using there = await startAuthority()
    await using house = await startCredentialHouse(database, { auth: { kind: 'oauth' }, url: URL_, oauth })
    const gateways = [await house.gateway(), await house.gateway()]
    await house.connect(gateways[0]!, 'ada', { authority: there.authority, tokens: await there.begin('ada') })
    for (let round = 1; round <= 3; round++) {
      await house.age(LIFE * 1000)
      const all = await Promise.all(
        Array.from({ length: 20 }, async (_, at) => gateways[at % 2]!.callCredentials.open(house.asking())),
      )
      expect(there.renewals()).toBe(round)
      const tokens = new Set(all.map((one) => tokenOf(one?.headers)))
      expect(tokens.size).toBe(1)
      expect(await there.knows([...tokens][0] ?? '')).toBe(true)
    }
    expect(await house.rows()).toMatchObject([{ problem: null, version: 4 }])
  })

  test('an answer that got lost with its gateway ends the account, which is told of and connected anew', async () => {
    await using database = await createDatabase()
    await using there = await startAuthority()
    await using house = await startCredentialHouse(database, { auth: { kind: 'oauth' }, url: URL_, oauth })
    const gateway = await house.gateway()
    const tokens = await there.begin('ada')
    await house.connect(gateway, 'ada', { authority: there.authority, tokens })
    // A gateway has asked and is gone, with the answer.
    await there.refreshed(tokens.refresh ?? '')
    await house.age(LIFE * 1000)
    await expect(Promise.resolve().then(() => gateway.callCredentials.open(house.asking()))).rejects.toMatchObject({
      code: 'credential.needed',
    })
    expect((await house.alerts()).map(({ kind }) => kind)).toEqual(['credential.lost'])
    await house.connect(gateway, 'ada', { authority: there.authority, tokens: await there.begin('ada') })
    const open = await gateway.callCredentials.open(house.asking())
    expect(await there.knows(tokenOf(open?.headers))).toBe(true)
    expect((await house.alerts()).map(({ kind }) => kind)).toEqual(['credential.lost', 'credential.back'])
  })

  test('an account that is ended is good there no more either', async () => {
    await using database = await createDatabase()
    await using there = await startAuthority()
    await using house = await startCredentialHouse(database, { auth: { kind: 'oauth' }, url: URL_, oauth })
    const gateway = await house.gateway()
    await house.connect(gateway, 'ada', { authority: there.authority, tokens: await there.begin('ada') })
    const open = await gateway.callCredentials.open(house.asking())
    expect(await there.knows(tokenOf(open?.headers))).toBe(true)
    const at = { organizationId: house.organization.id, connectionId: house.connectionId }
    expect(await gateway.keeping.end(at)).toMatchObject({ problems: [] })
    expect(await there.knows(tokenOf(open?.headers))).toBe(false)
  })
})
