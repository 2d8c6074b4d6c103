/** What is at an address, before it is connected: real servers of each kind, and addresses that are not everybody's to look at. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestGateway, type TestGateway } from '../../packages/gateway/src/testing/gateway.ts'
import { startAuthority } from './peers/authorities/authority.ts'
import { startProtected } from './peers/authorities/protected-server.ts'
import { addKey, createAsk, type Ask } from './peers/people/administrators.ts'
import { startEffects } from './peers/servers/effects-server.ts'
import { startGuarded } from './peers/servers/guarded-server.ts'

const AT = 'POST /api/v1/organizations/default/connections/probe'
const parts = new AsyncDisposableStack()
let gateway: TestGateway
let platform: Ask
beforeAll(async () => {
  gateway = parts.use(await startTestGateway())
  platform = createAsk(gateway, await addKey(gateway, { role: 'platform_admin' }))
})
afterAll(() => parts.disposeAsync())

test('a server without a door, one with OAuth, one with a key, a document, and nothing are told apart', async () => {
  const authority = parts.use(await startAuthority('registers'))
  const pages = createServer((request, response) =>
    request.url === '/api'
      ? response.writeHead(200, { 'content-type': 'application/json' }).end('{"info": {}, "openapi": "3.1.0"}')
      : response.writeHead(404).end('<html>nothing</html>'),
  )
  await new Promise<void>((resolve) => pages.listen(0, '127.0.0.1', resolve))
  parts.defer(() => void pages.close())
  const site = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`
  const guarded = parts.use(await startGuarded('a-key'))
  const found = async (url: string) => {
    const { status, body } = await platform(AT, { url })
    expect(status, JSON.stringify(body)).toBe(200)
    return [body['found'], body['auth']]
  }
  expect(await found(parts.use(await startEffects()).url)).toEqual(['mcp', 'none'])
  expect(await found(parts.use(await startProtected(authority)).url)).toEqual(['mcp', 'oauth'])
  expect(await found(guarded.url)).toEqual(['mcp', 'api_key'])
  expect(await found(`${site}/api`)).toEqual(['openapi', null])
  expect(await found(`${site}/page`)).toEqual(['unknown', null])
  // Nothing that opens anything was shown to anybody.
  expect(new Set(guarded.presented)).toEqual(new Set(['']))
  const { body } = await platform(AT, { url: 'http://127.0.0.1:9/mcp' })
  expect(body).toMatchObject({ found: 'unknown', failure: { phase: 'open', code: 'upstream.unreachable' } })
  const kept = await platform('GET /api/v1/admin/tenants/default/connectors')
  expect(kept.body['total']).toBe(0)
})

test('private networks are looked at for nobody but the platform, and what is no address is refused', async () => {
  const admin = createAsk(
    gateway,
    await addKey(gateway, { role: 'tenant_admin', organization: gateway.organization.id }),
  )
  for (const url of ['http://127.0.0.1:9/mcp', 'http://localhost:9/', 'http://169.254.169.254/latest/meta-data/'])
    expect((await admin(AT, { url })).body['code']).toBe('private.forbidden')
  // Clouds' metadata are nobody's.
  const metadata = await platform(AT, { url: 'http://169.254.169.254/latest/meta-data/' })
  expect(JSON.stringify(metadata.body)).toMatch(/egress\.refused|unknown/)
  for (const url of ['ws://mcp.example.com', 'file:///etc/passwd', 'x', 'https://a:b@example.com/'])
    expect((await platform(AT, { url })).body['code']).toBe('url.malformed')
  const member = createAsk(
    gateway,
    await addKey(gateway, { role: 'tenant_member', organization: gateway.organization.id }),
  )
  expect((await member(AT, { url: 'https://mcp.example.com/' })).body['code']).toBe('role.forbidden')
})
