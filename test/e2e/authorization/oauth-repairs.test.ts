/**
 * What is repaired in the answers of a server's OAuth is shown in the status of the connection: which document, and what was wrong with
 * it, until it is read without a repair.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { startTestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { startProtected } from '../peers/authorities/protected-server.ts'
import { ask } from '../peers/clients/raw-client.ts'
import { putConnection } from '../peers/connections.ts'
import { createConnectingPerson } from '../peers/people/connecting-person.ts'
import { join } from '../peers/people/people.ts'
import { toolNames } from '../peers/open-gateway.ts'
import { until } from '../peers/until.ts'

const SECRETS = ['the-access-token', 'the-refresh-token', 'the-client-secret', 'the-code']
const [ACCESS, REFRESH, SECRET, CODE] = SECRETS

/** An authorization server that everybody may use, and that writes its answers as many do. */
async function startSloppyAuthority() {
  const odd = { tokens: true }
  const server = createServer((request, response) => {
    const json = (answer: object) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
    const { pathname, searchParams } = new URL(request.url ?? '', origin)
    request.resume()
    if (pathname === '/.well-known/oauth-authorization-server')
      return json({
        issuer: origin,
        authorization_endpoint: `${origin}/authorize`,
        token_endpoint: `${origin}/token?access_token=${SECRET}`,
        registration_endpoint: `${origin}/register`,
        revocation_endpoint: 'http://example.com/revoke',
        code_challenge_methods_supported: 'S256',
      })
    if (pathname === '/register') return json({ client_id: 7, client_secret: SECRET })
    if (pathname === '/authorize') {
      const back = new URL(searchParams.get('redirect_uri') ?? '')
      back.searchParams.set('state', searchParams.get('state') ?? '')
      back.searchParams.set('code', CODE ?? '')
      return response.writeHead(302, { location: back.href }).end()
    }
    if (pathname !== '/token') return response.writeHead(404).end()
    const tokens = { access_token: ACCESS, refresh_token: REFRESH }
    return json(odd.tokens ? { ...tokens, expires_in: '1' } : { ...tokens, token_type: 'Bearer', expires_in: 1 })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    odd,
    issuer: origin,
    async tokenOf(value: string) {
      return value === ACCESS ? { person: 'ada', audience: audience.url, scope: 'tools' } : undefined
    },
    [Symbol.dispose]: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
/** Known only when the server is there. */
const audience = { url: '' }

test('the repairs of OAuth answers are listed with the connection, by document, until they are needed no more', async () => {
  using authority = await startSloppyAuthority()
  await using server = await startProtected(authority)
  audience.url = server.url
  const wire = { kind: 'http', url: server.url, headers: {}, private: true } as const
  await using gateway = await startTestGateway({ connections: [{ alias: 'docs', title: 'Docs', wire }] })
  const { organization } = gateway
  const admin = await join('admin@example.com', { ...gateway, roles: [[organization.id, 'tenant_admin']] })
  const shown = async () =>
    (await admin.client('GET /api/v1/admin/tenants/default/connectors/docs')).body as {
      title: string
      updated_at: string
      oauth_repaired: { name: string; reason: string }[]
    }
  await until('the server has said no', async () => (await gateway.settled('docs')).status === 'needs_auth')
  const { oauth_repaired: before, updated_at: changed } = await shown()
  expect(before).toEqual([])

  const link = await admin.client('POST /api/v1/admin/tenants/default/connectors/docs/link', { owner: 'organization' })
  const person = createConnectingPerson(gateway.address, { email: 'admin@example.com' })
  expect((await person.open(link.body.url)).html).toContain('is connected')
  await until('the repairs are shown', async () => (await shown()).oauth_repaired.length === 3)
  const { oauth_repaired: repaired, updated_at: changedNow } = await shown()
  expect(repaired).toEqual([
    {
      name: `authorization server metadata of ${authority.issuer}/.well-known/oauth-authorization-server`,
      reason: expect.stringMatching(/^code_challenge_methods_supported is no list of texts; .*; it is not used$/),
    },
    { name: `registration response of ${authority.issuer}/register`, reason: 'client_id is a number' },
    {
      name: expect.stringContaining(`token response of ${authority.issuer}/token`),
      reason: 'token_type is missing, so it is Bearer; expires_in is no lifetime in seconds',
    },
  ])
  for (const secret of SECRETS) expect(JSON.stringify(repaired)).not.toContain(secret)
  // It is no change of the connection: nothing of it is opened anew for it.
  expect(changedNow).toBe(changed)

  await until('the tools are listed', async () => (await toolNames(gateway, gateway.url)).includes('docs__who_am_i'))
  // Each token lives for a second, so a call renews it.
  authority.odd.tokens = false
  await until('a clean answer ends its note', async () => {
    const call = { name: 'docs__who_am_i', arguments: {} }
    const { answer } = await ask({ url: gateway.url, key: gateway.key, era: 'modern' }, 'tools/call', call)
    expect(JSON.stringify(answer)).toContain('who_am_i for ada')
    return (await shown()).oauth_repaired.length === 2
  })

  // Another title changes nothing; another address has other servers, so what was noted of the old ones goes.
  await putConnection(gateway, { alias: 'docs', title: 'The docs', wire })
  await until('the title is changed', async () => (await shown()).title === 'The docs')
  expect((await shown()).oauth_repaired).toHaveLength(2)
  await putConnection(gateway, { alias: 'docs', title: 'The docs', wire: { ...wire, url: `${server.url}?moved=yes` } })
  await until('the notes are gone', async () => (await shown()).oauth_repaired.length === 0)
})
