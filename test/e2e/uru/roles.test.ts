/** The roles of a process: web, api and mcp, each alone and together behind one address, and two of one role taking turns. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { OPERATIONS } from '../../../packages/gateway/src/app/operations.ts'
import { PATHS } from '../../../packages/gateway/src/oauth/metadata.ts'
import type { Config } from '../../../packages/gateway/src/config.ts'
import { startTestGateway, type TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { addPerson, createBrowser, PASSWORD } from '../../../packages/gateway/src/testing/people.ts'
import { callTool, openSession, ask, type RawPeer } from '../peers/clients/raw-client.ts'
import { startIssuer } from '../peers/people/issuer.ts'
import { httpWire } from '../peers/servers/real-servers.ts'
import { startToolsServer, type ToolsServer } from '../peers/servers/tools-server.ts'
import { until } from '../peers/until.ts'
import { addKey, keyOf } from './members.ts'
import { createUruClient } from './uru-client.ts'

/** A port on which nothing listens. */
const NOWHERE = 'http://127.0.0.1:9/mcp'
type Started = AsyncDisposable & { readonly address: string }

let servers: ToolsServer
let gateway: TestGateway
let roles: Record<'web' | 'api' | 'mcp' | 'second', Started>

beforeAll(async () => {
  const inputSchema = { type: 'object' as const }
  servers = await startToolsServer(
    [
      { alias: 'slack', title: 'Slack', tools: [{ name: 'send', description: 'Sends.', inputSchema }] },
      { alias: 'theirs', title: 'Theirs', tools: [{ name: 'read', description: 'Reads.', inputSchema }] },
    ],
    ({ alias, name, arguments: given }) => ({ structuredContent: { did: `${alias} ${name}`, given } }),
  )
  const one = (alias: string) => ({
    ...{ alias, title: alias, enabled: true, revision: 'auto' as const, timeout: 30 },
    wire: httpWire(servers.urlOf(alias)),
  })
  gateway = await startTestGateway({
    connections: [one('slack'), { ...one('slack'), alias: 'lost', wire: httpWire(NOWHERE) }],
    others: [{ slug: 'other', name: undefined, connections: [one('theirs')], toolsets: [], keys: [] }],
  })
  await addKey(gateway, 'admin', 'platform_admin', null)
  await addPerson(gateway.db, { email: 'ada@example.com', roles: [[gateway.organization.id, 'tenant_admin']] })
  // The tokens of one are good at the others because they have one public address.
  const of = (...names: Config['TOOLWAY_ROLES']) =>
    gateway.another({ TOOLWAY_ROLES: names, TOOLWAY_PUBLIC_URL: gateway.address })
  roles = { web: await of('web'), api: await of('api'), mcp: await of('mcp'), second: await of('mcp') }
  for (const { address } of [roles.mcp, roles.second])
    await until('it lists', async () => (await createUruClient(address, gateway.key).apps()).includes('Slack'))
})
afterAll(async () => {
  for (const one of Object.values(roles ?? {})) await one[Symbol.asyncDispose]()
  await gateway?.[Symbol.asyncDispose]()
  await servers?.[Symbol.asyncDispose]()
})

const ROUTES = {
  web: [
    ['GET', '/sign-in'],
    ['GET', '/tools'],
  ],
  api: [
    ['GET', '/api/v1/auth/me'],
    ['GET', '/.well-known/oauth-authorization-server'],
    ['POST', PATHS.token],
    ['GET', '/connect/done'],
  ],
  mcp: [
    ['POST', '/mcp'],
    ['POST', '/o/default/t/default/mcp'],
    ['GET', '/list/apps'],
    ['POST', '/execute/slack__send'],
    ['GET', '/namespaces'],
  ],
} as const

const statusOf = async (address: string, [method, path]: readonly [string, string]) =>
  (await fetch(address + path, { method, redirect: 'manual' })).status

test.each(['web', 'api', 'mcp'] as const)(
  'S0-ARC-01: %s alone answers /health and its own routes, and those of the other roles are 404',
  async (role) => {
    const { address } = roles[role]
    expect(await statusOf(address, ['GET', '/health'])).toBe(200)
    expect(await statusOf(address, ['GET', '/health/live'])).toBe(200)
    for (const [owner, routes] of Object.entries(ROUTES))
      for (const route of routes) {
        const status = await statusOf(address, route)
        if (owner === role) expect([route, status]).not.toEqual([route, 404])
        else expect([owner, route, status]).toEqual([owner, route, 404])
      }
  },
)

test('S0-ARC-01: one process has every route where no roles are named', async () => {
  for (const route of Object.values(ROUTES).flat())
    expect([route, await statusOf(gateway.address, route)]).not.toEqual([route, 404])
})

test('a person signs in at web, and administers at api with the same session', async () => {
  const browser = createBrowser(roles.web.address)
  const me = () => browser.ask(`${roles.api.address}/api/v1/auth/me`)
  await until('ada is signed in', async () => {
    await browser.submit('/sign-in', { email: 'ada@example.com', password: PASSWORD })
    return (await me()).status === 200
  })
  expect(await (await me()).json()).toMatchObject({ user: { email: 'ada@example.com' } })
})

test('S0-PRX-03: the proxy starts no OAuth and changes no connection: it has no route of the administration or of OAuth', async () => {
  const found = []
  for (const { method, path, id } of OPERATIONS.map(({ operation }) => operation)) {
    const at = path.replaceAll(/\{[^}]+\}/g, 'x')
    const response = await fetch(roles.mcp.address + at, {
      method,
      headers: { authorization: `Bearer ${keyOf('admin')}` },
    })
    if (response.status !== 404) found.push([id, response.status])
    await response.body?.cancel()
  }
  expect(found).toEqual([])
  for (const path of [PATHS.authorize, PATHS.token, PATHS.register, PATHS.revoke, PATHS.consent])
    expect(await statusOf(roles.mcp.address, ['POST', path])).toBe(404)
})

/** Sends each request to the next of the two. */
function inTurns(): () => string {
  let turn = 0
  return () => (turn++ % 2 === 0 ? roles.mcp.address : roles.second.address)
}

test('S0-ARC-04: two proxies that take every other request serve the whole scenario', async () => {
  const next = inTurns()
  const uru = () => createUruClient(next(), gateway.key)
  for (let round = 0; round < 4; round++) {
    expect(await uru().apps()).toEqual(['Slack'])
    expect((await uru().tools('slack')).map(({ name }) => name)).toEqual(['slack__send'])
    const executed = await uru().ask('/execute/slack__send', { body: { arguments: { round } } })
    expect(executed.status, JSON.stringify(executed.body)).toBe(200)
    const modern: RawPeer = { url: `${next()}/mcp`, key: gateway.key, era: 'modern' }
    expect((await callTool(modern, 'slack__send', { round })).answer.result).toMatchObject({
      structuredContent: { did: 'slack send', given: { round } },
    })
  }
  // A session is no state of one of them either.
  const opened = await openSession(`${next()}/mcp`, gateway.key)
  for (let time = 0; time < 6; time++) {
    const { answer } = await ask({ ...opened, url: `${next()}/mcp` }, 'tools/call', {
      name: 'slack__send',
      arguments: { time },
    })
    expect(answer.result).toMatchObject({ structuredContent: { given: { time } } })
  }
})

test('S0-PRX-12: the key of one workspace neither lists nor executes an app of another', async () => {
  const own = createUruClient(roles.mcp.address, gateway.key)
  expect(await own.apps()).toEqual(['Slack'])
  const strange = await own.ask('/list/apps/theirs/tools')
  const invented = await own.ask('/list/apps/invented/tools')
  expect([strange.status, invented.status]).toEqual([404, 404])
  const executed = await own.ask('/execute/theirs__read', { body: { arguments: {} } })
  expect(executed.status).toBe(404)
  expect(servers.called.filter(({ alias }) => alias === 'theirs')).toEqual([])
})

test('S0-ARC-07: no answer of the proxy contains the address of a server behind it, also where that server is away', async () => {
  const { address } = roles.mcp
  const key = gateway.key
  const answers: string[] = []
  const note = async (response: Response) => answers.push(JSON.stringify([...response.headers]), await response.text())
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  for (const path of ['/health', '/list/apps', '/resources', '/list/apps/slack/tools', '/list/apps/lost/tools'])
    await note(await fetch(address + path, { headers }))
  for (const path of ['/namespaces', '/tools/sync/version']) await note(await fetch(address + path, { headers }))
  for (const name of ['slack__send', 'lost__any', 'slack__none'])
    await note(await fetch(`${address}/execute/${name}`, { method: 'POST', headers, body: '{"arguments":{}}' }))
  for (const [method, params] of [
    ['tools/list', {}],
    ['resources/list', {}],
    ['prompts/list', {}],
    ['server/discover', {}],
    ['tools/call', { name: 'slack__send', arguments: {} }],
  ] as const) {
    const { text, headers: said } = await ask({ url: `${address}/mcp`, key, era: 'modern' }, method, params)
    answers.push(text, JSON.stringify([...said]))
  }
  const lost = `${address}/api/v1/default/connectors/lost/mcp`
  for (const method of ['tools/list', 'resources/list'])
    answers.push((await ask({ url: lost, key, era: 'modern' }, method)).text)
  expect(answers.length).toBeGreaterThan(25)
  const places = [servers.urlOf('slack'), NOWHERE].map((url) => new URL(url).host)
  for (const text of answers) for (const place of places) expect(text).not.toContain(place)
})

test('S0-PRX-02: the backend’s answer says user, workspace and scopes; while it is away nobody is let in, and what it revoked ends within 30 s', async () => {
  await using issuer = await startIssuer()
  await using proxy = await gateway.another({ TOOLWAY_ROLES: ['mcp'], TOOLWAY_IDENTITY_URL: issuer.identityUrl })
  const person = { user_id: 'u1', email: null, org_id: 'other', role: 'member' }
  issuer.people.set('theirs-key', person)
  issuer.people.set('reader-key', { ...person, user_id: 'u2', role: 'viewer' })
  const as = (key: string) => createUruClient(proxy.address, key)
  await until('it lists', async () => (await as('theirs-key').apps()).includes('Theirs'))
  expect(await as('theirs-key').apps()).toEqual(['Theirs'])
  const execute = (key: string) => as(key).ask('/execute/theirs__read', { body: { arguments: {} } })
  expect((await execute('theirs-key')).status).toBe(200)
  expect((await execute('reader-key')).status).toBe(403)

  issuer.away = true
  const away = await as('key-of-nobody-yet').ask('/list/apps')
  expect(away.status).toBe(503)
  issuer.away = false
  expect((await as('key-of-nobody-yet').ask('/list/apps')).status).toBe(401)

  issuer.people.set('theirs-key', 401)
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 31_000 })
  expect((await execute('theirs-key').finally(() => vi.useRealTimers())).status).toBe(401)
})
