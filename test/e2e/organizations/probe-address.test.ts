/** The probe of an address before it is connected: real servers of each kind, and addresses that not everyone may probe. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestGateway, type TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { startAuthority } from '../peers/authorities/authority.ts'
import { startProtected } from '../peers/authorities/protected-server.ts'
import { addKey, createAsk, type Ask } from '../peers/people/administrators.ts'
import { startEffects } from '../peers/servers/effects-server.ts'
import { startGuarded } from '../peers/servers/guarded-server.ts'

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
  // A look gives up after eight seconds, which a busy machine may take.
  async function finds(url: string, what: readonly unknown[]): Promise<void> {
    await expect.poll(() => found(url)).toEqual(what)
  }
  await finds(parts.use(await startEffects()).url, ['mcp', 'none'])
  await finds(parts.use(await startProtected(authority)).url, ['mcp', 'oauth'])
  await finds(guarded.url, ['mcp', 'api_key'])
  await finds(`${site}/api`, ['openapi', null])
  await finds(`${site}/page`, ['unknown', null])
  // Nothing that opens anything was shown to anybody.
  expect(new Set(guarded.requests.map(({ authorization }) => authorization))).toEqual(new Set(['']))
  const { body } = await platform(AT, { url: 'http://127.0.0.1:9/mcp' })
  expect(body).toMatchObject({ found: 'unknown', failure: { phase: 'open', code: 'upstream.unreachable' } })
  const kept = await platform('GET /api/v1/admin/tenants/default/connectors')
  expect(kept.body['total']).toBe(0)
})

test('the name that a server gives itself is proposed, as one short line with nothing hidden in it', async () => {
  const authority = parts.use(await startAuthority('registers'))
  const documents: Readonly<Record<string, string>> = {
    '/shop': JSON.stringify({ openapi: '3.1.0', info: { title: 'Shop API', version: '1' }, paths: {} }),
    '/yaml': 'openapi: 3.1.0\ninfo:\n  title: Größere API\n  version: "1"\npaths: {}\n',
    '/unnamed': '{"openapi": "3.1.0", "info": {"version": "1"}, "paths": {}}',
    '/later': '{"openapi": "9.0.0", "info": {"title": "Of a later format"}}',
  }
  const pages = createServer((request, response) =>
    request.method === 'GET' && Object.hasOwn(documents, request.url ?? '')
      ? response.writeHead(200, { 'content-type': 'text/plain' }).end(documents[request.url ?? ''])
      : response.writeHead(404).end(),
  )
  await new Promise<void>((resolve) => pages.listen(0, '127.0.0.1', resolve))
  parts.defer(() => void pages.close())
  const site = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`
  const proposed = async (url: string) => (await platform(AT, { url })).body['name']
  async function proposes(url: string, name: string | RegExp): Promise<void> {
    await expect.poll(() => proposed(url)).toEqual(typeof name === 'string' ? name : expect.stringMatching(name))
  }
  const protectedAs = async (name: string) => parts.use(await startProtected(authority, { name })).url
  await proposes(parts.use(await startEffects()).url, 'effects')
  await proposes(parts.use(await startEffects(undefined, 'Effects of all kinds')).url, 'Effects of all kinds')
  await proposes(await protectedAs('Acme CRM'), 'Acme CRM')
  await proposes(await protectedAs(`\u202EMRC ${'x '.repeat(10_000)}`), /^⟨U\+202E⟩MRC [x ]{1,70}…$/)
  expect(await proposed(parts.use(await startProtected(authority)).url)).toBeNull()
  expect(await proposed(parts.use(await startGuarded('a-key')).url)).toBeNull()
  await proposes(`${site}/shop`, 'Shop API')
  await proposes(`${site}/yaml`, 'Größere API')
  for (const path of ['/unnamed', '/later', '/page']) expect(await proposed(`${site}${path}`), path).toBeNull()
  // The alias is made of the name that was taken.
  const url = await protectedAs('Größere CRM')
  const title = 'Größere CRM'
  await proposes(url, title)
  const added = await platform('POST /api/v1/admin/tenants/default/connectors', { connector: 'mcp.http', url, title })
  expect(added.body).toMatchObject({ title: 'Größere CRM', alias: 'grossere-crm' })
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
