/**
 * Vendors' products at servers that somebody runs themselves, each at a host of its own: an account is connected at that very server
 * with the organization's app, and its token goes nowhere else. The vendors' clouds are doubles too, and are asked for nothing.
 */
// @module-tag long
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { startTestGateway, type TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { addPerson } from '../../../packages/gateway/src/testing/people.ts'
import type * as agent from '../../../packages/gateway/src/upstreams/http/agent.ts'
import type * as guarded from '../../../packages/gateway/src/upstreams/http/guarded-fetch.ts'
import { ask } from '../peers/clients/raw-client.ts'
import { addKey, createAsk, type Ask } from '../peers/people/administrators.ts'
import { createConnectingPerson } from '../peers/people/connecting-person.ts'
import { until } from '../peers/until.ts'
import { createGitHub, createGitLab } from '../peers/vendors/code.ts'
import { createJiraDataCenter } from '../peers/vendors/data-center.ts'
import { createMicrosoft } from '../peers/vendors/suites.ts'
import { bearerOf, CLIENT, registerRedirect, type Asked, type Said, type Vendor } from '../peers/vendors/vendor.ts'

/** Where an address of a vendor's cloud is here, and what was asked there. */
const cloud = vi.hoisted(() => ({ asked: [] as string[], map: (address: string): string => address }))
const routed = (address: string): string => {
  if (!address.startsWith('https:')) return address
  cloud.asked.push(address)
  return cloud.map(address)
}
vi.mock('../../../packages/gateway/src/upstreams/http/guarded-fetch.ts', async (original) => {
  const real = await original<typeof guarded>()
  return {
    ...real,
    createGuardedFetch(reach: guarded.GuardedFetchParts, limits: guarded.GuardedFetchLimits) {
      return (url: string, options: guarded.FetchOptions) =>
        real.createGuardedFetch(
          { ...reach, privateOrigins: url.startsWith('https:') ? 'any' : reach.privateOrigins },
          limits,
        )(routed(url), options)
    },
  }
})
vi.mock('../../../packages/gateway/src/upstreams/http/agent.ts', async (original) => {
  const real = await original<typeof agent>()
  return {
    ...real,
    createPool(origin: string, options: agent.PoolOptions) {
      if (!origin.startsWith('https:')) return real.createPool(origin, options)
      const to = new URL(routed(origin))
      const pool = real.createPool(to.origin, { ...options, allowPrivate: true })
      const send = pool.dispatch.bind(pool)
      const under = to.pathname.replace(/\/$/, '')
      pool.dispatch = (given, handler) => send({ ...given, path: `${under}${given.path}` }, handler)
      return pool
    },
  }
})

const CONNECTORS = '/api/v1/admin/tenants/default/connectors'
const CONFIG = '/api/v1/oauth/default/config'
const ADMIN = 'ada@example.com'
const MEMBER = 'bob@example.com'
const INSTALLATION = 'Iv1.installation'
const CLOUD_APP = { client_id: 'Iv1.cloud', client_secret: 'cLoUd0123456789sEcReT' }
const Nothing = z.object({})

interface Server {
  /** Scheme, host and port. */
  readonly origin: string
  readonly heard: { readonly line: string; readonly authorization: string | undefined }[]
}

const parts = new AsyncDisposableStack()
let gateway: TestGateway
let platform: Ask
let admin: Ask

async function readAsked(request: IncomingMessage, origin: string): Promise<Asked> {
  let body = ''
  for await (const chunk of request) body += String(chunk)
  const isJson = request.headers['content-type']?.includes('json') === true && body !== ''
  return {
    method: request.method ?? '',
    url: new URL(request.url ?? '', origin),
    header: (name) => request.headers[name]?.toString(),
    form: new URLSearchParams(isJson ? '' : body),
    json: isJson ? (JSON.parse(body) as Record<string, unknown>) : undefined,
  }
}

/** A server at a host of its own, which answers as a vendor's product does. */
async function startServer(host: string, answer: (asked: Asked) => Said | undefined): Promise<Server> {
  const heard: Server['heard'] = []
  const server = createServer((request, response) => {
    void readAsked(request, `http://${request.headers.host ?? ''}`).then((asked) => {
      heard.push({ line: `${asked.method} ${asked.url.pathname}`, authorization: asked.header('authorization') })
      const { status, json, form, location } = answer(asked) ?? { status: 404, json: { error: 'not_found' } }
      const type = form === undefined ? 'application/json' : 'application/x-www-form-urlencoded'
      response.writeHead(status, { 'content-type': type, ...(location === undefined ? {} : { location }) })
      response.end(
        status === 204 ? undefined : form === undefined ? JSON.stringify(json) : new URLSearchParams(form).toString(),
      )
    })
  })
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  parts.defer(() => new Promise<void>((resolve) => void (server.closeAllConnections(), server.close(() => resolve()))))
  return { origin: `http://${host}:${(server.address() as AddressInfo).port}`, heard }
}

const api = (vendor: Vendor, path: string) => (asked: Asked) => {
  if (`${asked.method} ${asked.url.pathname}` !== `GET ${path}`) return undefined
  return vendor.live.has(bearerOf(asked)) ? { status: 200, json: [] } : { status: 401, json: { message: 'no' } }
}

/** The same request as the vendor's cloud would have it. */
const at = (asked: Asked, address: string): Asked => ({ ...asked, url: new URL(address) })

interface Product {
  readonly title: string
  readonly provider: string
  readonly host: string
  /** Where the connection points to. */
  readonly path: string
  readonly api: string
  readonly tool: string
  readonly authorize: string
  readonly revokes: string
  vendor(): Vendor
  translate(asked: Asked): Asked
  add(url: string): object
}

const native = (vendor: string) => (url: string) => ({
  ...{ connector: 'native', native: { vendor }, url, private: true, auth: { kind: 'oauth' } },
})

const PRODUCTS: readonly Product[] = [
  {
    title: 'GitLab of one’s own',
    provider: 'gitlab',
    host: '127.0.0.2',
    path: '/git',
    api: '/git/api/v4/groups',
    tool: 'gitlab_list_groups',
    authorize: '/git/oauth/authorize',
    revokes: 'POST /git/oauth/revoke',
    vendor: () => createGitLab('gitlab.com', '/git'),
    translate: (asked) => at(asked, `https://gitlab.com${asked.url.pathname}${asked.url.search}`),
    add: native('gitlab'),
  },
  {
    title: 'GitHub Enterprise Server',
    provider: 'github',
    host: '127.0.0.3',
    path: '/api/v3',
    api: '/api/v3/user/repos',
    tool: 'github_list_repositories',
    authorize: '/login/oauth/authorize',
    revokes: `DELETE /api/v3/applications/${CLIENT.id}/token`,
    vendor: () => createGitHub(),
    translate: ({ url, ...asked }) => {
      const { pathname, search } = url
      const under = /^\/api\/v3(.*)$/.exec(pathname)?.[1]
      return at(
        { url, ...asked },
        under === undefined ? `https://github.com${pathname}${search}` : `https://api.github.com${under}`,
      )
    },
    add: native('github'),
  },
  {
    title: 'Jira Data Center',
    provider: 'jira',
    host: '127.0.0.4',
    path: '/jira',
    api: '/jira/rest/api/2/project',
    tool: 'listProjects',
    authorize: '/jira/rest/oauth2/latest/authorize',
    revokes: 'POST /jira/rest/oauth2/latest/revoke',
    vendor: () => createJiraDataCenter('/jira'),
    translate: (asked) => asked,
    add: (url) => ({
      ...{ url, private: true, auth: { kind: 'oauth', provider: 'jira' } },
      document: JSON.stringify({
        openapi: '3.1.0',
        info: { title: 'Jira', version: '10' },
        paths: {
          '/rest/api/2/project': { get: { operationId: 'listProjects', responses: { 200: { description: 'ok' } } } },
        },
      }),
    }),
  },
]

beforeAll(async () => {
  const settings = Object.fromEntries(
    ['GITHUB', 'GITLAB', 'JIRA', 'MICROSOFT', 'SLACK', 'GOOGLE'].flatMap((family) => [
      [`${family}_CLIENT_ID`, INSTALLATION],
      [`${family}_CLIENT_SECRET`, 'iNsTaLl0123456789sEcReT'],
    ]),
  )
  gateway = parts.use(await startTestGateway({ settings }))
  platform = createAsk(gateway, await addKey(gateway, { role: 'platform_admin' }))
  admin = createAsk(gateway, await addKey(gateway, { role: 'tenant_admin', organization: gateway.organization.id }))
  await addPerson(gateway.db, { email: ADMIN, roles: [[gateway.organization.id, 'tenant_admin']] })
  await addPerson(gateway.db, { email: MEMBER, roles: [[gateway.organization.id, 'tenant_member']] })
  registerRedirect(`${gateway.address}/oauth/callback`)
  // The organization has apps for the clouds, too: they are not for anybody's own server.
  for (const provider of ['github', 'gitlab', 'jira']) {
    const { status, text } = await admin(`POST ${CONFIG}`, { provider, ...CLOUD_APP })
    if (status !== 200) throw new Error(text)
  }
}, 60_000)
beforeEach(() => {
  cloud.asked.length = 0
  cloud.map = (address) => {
    throw new Error(`${address} was asked`)
  }
})
afterAll(() => parts.disposeAsync())

const call = async (alias: string, name: string) =>
  (
    await ask({ url: gateway.connectionUrl(alias), key: gateway.key, era: 'modern' }, 'tools/call', {
      name,
      arguments: {},
    })
  ).answer
/** What the clouds' authorization servers were asked. */
const signIns = () => cloud.asked.filter((address) => /auth|login|token|revoke|applications/.test(address))
const linkOf = async (alias: string) => {
  const link = await platform(`POST ${CONNECTORS}/${alias}/link`, { owner: 'organization' })
  expect(link.status, link.text).toBe(200)
  return String(link.body['url'])
}
const accountsOf = async (alias: string) =>
  ((await platform(`GET ${CONNECTORS}/${alias}/accounts`)).body['items'] ?? []) as { id: string; account: string }[]

describe.each(PRODUCTS)('S3-OAU-05: $title', (product) => {
  const { provider, tool, host } = product
  const alias = `own-${provider}`
  let server: Server
  let vendor: Vendor

  beforeAll(async () => {
    vendor = product.vendor()
    const answerApi = api(vendor, product.api)
    server = await startServer(host, (asked) => answerApi(asked) ?? vendor.answer(product.translate(asked)))
    const to = provider === 'jira' ? `${CONNECTORS}/openapi` : CONNECTORS
    const added = await platform(`POST ${to}`, { alias, ...product.add(server.origin + product.path) })
    if (added.status !== 201) throw new Error(added.text)
    await gateway.settled(alias)
  })

  test('asks for an app of the organization’s own, and leads nobody to the vendor’s cloud', async () => {
    const person = createConnectingPerson(gateway.address, { email: ADMIN })
    const last = await person.open(await linkOf(alias))
    expect(last.html).toContain(new URL(server.origin).host)
    expect(last.html).toContain('name="client_id"')
    expect(person.seen.every(({ url }) => url.origin === gateway.address)).toBe(true)
    expect([signIns(), server.heard.filter(({ line }) => line.includes('oauth'))]).toEqual([[], []])
  })

  test('is connected, called, renewed and taken back at its own host', async () => {
    const app = { provider, client_id: CLIENT.id, client_secret: CLIENT.secret, server: server.origin + product.path }
    const put = await admin(`POST ${CONFIG}`, app)
    expect([put.status, String(put.body['issuer'])]).toEqual([200, expect.stringContaining(server.origin)])

    const person = createConnectingPerson(gateway.address, { email: ADMIN })
    const last = await person.open(await linkOf(alias))
    expect(last.status, last.html).toBe(200)
    const asking = person.seen.find(({ html }) => html.includes('name="step" value="account"'))
    expect(asking?.html.split(new URL(server.origin).host).length).toBeGreaterThan(2)
    expect(person.seen.map(({ url }) => url).filter(({ origin }) => origin !== gateway.address)).toMatchObject([
      { origin: server.origin, pathname: product.authorize },
    ])
    await until('the account is there', async () => (await accountsOf(alias)).length === 1)

    const [first = ''] = vendor.live
    expect((await call(alias, tool)).result, 'the first call').not.toMatchObject({ isError: true })
    expect(server.heard).toContainEqual({ line: `GET ${product.api}`, authorization: `Bearer ${first}` })

    ;(vendor.live as Set<string>).clear()
    expect((await call(alias, tool)).result, 'a call after a renewal').not.toMatchObject({ isError: true })
    const [second = ''] = vendor.live
    expect(second).not.toBe(first)
    expect(server.heard).toContainEqual({ line: `GET ${product.api}`, authorization: `Bearer ${second}` })

    const [account] = await accountsOf(alias)
    const removed = await platform(`DELETE ${CONNECTORS}/${alias}/accounts/${account?.id}`)
    expect(removed.status, removed.text).toBeLessThan(300)
    await until('the token was taken back', async () => Promise.resolve(vendor.live.size === 0))
    expect(server.heard.map(({ line }) => line)).toContain(product.revokes)
    expect(signIns()).toEqual([])
  })

  test('takes its app and its accounts to no other address', async () => {
    const person = createConnectingPerson(gateway.address, { email: ADMIN })
    await person.open(await linkOf(alias))
    await until('the account is there', async () => (await accountsOf(alias)).length === 1)
    const other = await startServer('127.0.0.9', () => undefined)
    const moved = await platform(`PUT ${CONNECTORS}/${alias}`, { url: other.origin + product.path, private: true })
    expect(moved.status, moved.text).toBe(200)
    expect((await call(alias, tool)).result).toMatchObject({ isError: true })
    const again = createConnectingPerson(gateway.address, { email: ADMIN })
    const last = await again.open(await linkOf(alias))
    expect(last.html).toContain('name="client_id"')
    expect([other.heard.filter(({ authorization }) => authorization !== undefined), signIns()]).toEqual([[], []])
  })
})

test('S3-OAU-05: one directory of Microsoft’s is asked with the organization’s app, from the sign-in to the renewal', async () => {
  const tenant = 'contoso.onmicrosoft.com'
  const vendor = createMicrosoft(tenant)
  const graph = api(vendor, '/graph.microsoft.com/v1.0/me/mailFolders')
  const double = await startServer(
    '127.0.0.5',
    (asked) => graph(asked) ?? vendor.answer(at(asked, `https:/${asked.url.pathname}${asked.url.search}`)),
  )
  const map = (address: string) => address.replace(/^https:\//, double.origin)
  cloud.map = map
  const added = await platform(`POST ${CONNECTORS}`, {
    ...{ alias: 'entra', connector: 'native', native: { vendor: 'outlook' } },
    auth: { kind: 'oauth', provider: 'outlook', tenant },
  })
  expect(added.status, added.text).toBe(201)
  const before = createConnectingPerson(gateway.address, { email: ADMIN, route: map })
  // The installation's app belongs to another directory.
  expect((await before.open(await linkOf('entra'))).html).toContain('name="client_id"')
  await admin(`POST ${CONFIG}`, { provider: 'microsoft', client_id: CLIENT.id, client_secret: CLIENT.secret })
  const person = createConnectingPerson(gateway.address, { email: ADMIN, route: map })
  const last = await person.open(await linkOf('entra'))
  expect(last.status, last.html).toBe(200)
  await until('the account is there', async () => (await accountsOf('entra')).length === 1)
  for (const again of [false, true]) {
    if (again) (vendor.live as Set<string>).clear()
    await call('entra', 'outlook_list_folders')
    const [token = ''] = vendor.live
    const sent = double.heard.filter(({ line }) => line.includes('graph.microsoft.com'))
    expect(sent).toContainEqual(expect.objectContaining({ authorization: `Bearer ${token}` }))
  }
  const signIns = double.heard.filter(({ line }) => line.includes('login.microsoftonline.com'))
  expect(signIns.length).toBeGreaterThanOrEqual(3)
  expect(signIns.every(({ line }) => line.includes(`/login.microsoftonline.com/${tenant}/`))).toBe(true)
})

describe('a vendor’s account for an address that is not the vendor’s', () => {
  const oauth = (provider: string) => ({ kind: 'oauth', provider, scopes: ['all'] })

  test.each([
    ['slack', 'https://slack.com.evil.example/mcp'],
    ['slack', 'https://evil.example/slack.com'],
    ['gmail', 'https://gmail.googleapis.com.evil.example/'],
    ['outlook', 'https://graph.microsoft.com:8443/'],
    ['github', 'http://api.github.com/'],
    ['gitlab', 'https://gitlab.com:8443/api/v4/mcp'],
    ['notion', 'https://xn--notin-4ve.com/'],
  ])('%s at %s is refused in words, for an MCP server, a vendor’s tools and a document', async (provider, url) => {
    for (const [to, body] of [
      [CONNECTORS, { url, auth: oauth(provider) }],
      [CONNECTORS, { connector: 'native', native: { vendor: provider }, url, auth: { kind: 'oauth' } }],
      [
        `${CONNECTORS}/openapi`,
        {
          ...{ url, auth: oauth(provider) },
          document: '{"openapi":"3.1.0","info":{"title":"t","version":"1"},"paths":{"/a":{"get":{"responses":{}}}}}',
        },
      ],
    ] as const) {
      const refused = await admin(`POST ${to}`, body)
      expect([refused.status, refused.text]).toEqual([
        422,
        expect.stringMatching(/\/url is no address for accounts at/),
      ])
    }
  })

  test('is refused when a connection is changed, too: its address, its provider, and an import', async () => {
    const made = await admin(`POST ${CONNECTORS}`, {
      ...{ alias: 'talk', connector: 'native', native: { vendor: 'slack' }, enabled: false },
    })
    expect(made.status, made.text).toBe(201)
    const plain = await admin(`POST ${CONNECTORS}`, { alias: 'plain', url: 'https://evil.example/mcp', enabled: false })
    expect(plain.status, plain.text).toBe(201)
    const words = 'is no address for accounts at Slack'
    for (const [request, body] of [
      [`PUT ${CONNECTORS}/talk`, { url: 'https://evil.example' }],
      [`PUT ${CONNECTORS}/plain`, { auth: oauth('slack') }],
    ] as const) {
      const refused = await admin(request, body)
      expect([refused.status, refused.text]).toEqual([422, expect.stringContaining(words)])
    }
  })

  test('of a connection that was stored before is connected by nobody and sent nowhere', async () => {
    const evil = await startServer('127.0.0.6', () => ({ status: 200, json: { ok: true } }))
    const made = await platform(`POST ${CONNECTORS}`, {
      ...{ alias: 'before', connector: 'native', native: { vendor: 'slack' }, url: evil.origin, private: true },
    })
    expect([made.status, made.body['auth']]).toMatchObject([201, { kind: 'key' }])
    await gateway.settled('before')
    await gateway.db.system(
      (sql) => sql(Nothing)`
        update connections
           set settings = jsonb_set(settings, '{auth}', settings->'auth' || '{"kind":"oauth","provider":"slack"}'),
               updated_at = now()
         where alias = 'before'`,
    )
    await gateway.restart()
    evil.heard.length = 0
    const link = await platform(`POST ${CONNECTORS}/before/link`, { owner: 'organization' })
    expect([link.status, link.body['code'], link.text]).toEqual([
      409,
      'flow.unfit',
      expect.stringContaining('its address is no address for accounts at Slack'),
    ])
    const { result } = await call('before', 'slack_conversations_list')
    expect(result).toMatchObject({ isError: true, _meta: { 'dev.toolway/fault': { fault: 'credential.host' } } })
    expect([evil.heard.filter(({ authorization }) => authorization !== undefined), signIns()]).toEqual([[], []])
  })
})
