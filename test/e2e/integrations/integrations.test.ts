/** The integrations interface of a source system, as its own client would use it, on real servers. */
import { createServer, request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { CONNECTORS } from '@toolway/connectors'
import { CONNECTOR_CATALOG } from '@toolway/contract'
import * as shapes from '@toolway/contract/admin'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { OPERATIONS } from '../../../packages/gateway/src/app/operations.ts'
import { startTestGateway, type TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import {
  addKey,
  addMember,
  addUser,
  changesIn,
  createAsk,
  type Answered,
  type Ask,
} from '../peers/people/administrators.ts'
import { startProbe, type ProbeServer } from '../peers/probes/probe-server.ts'
import { probeProcess } from '../peers/servers/real-servers.ts'
import { until } from '../peers/until.ts'

const AT = '/api/v1/integrations'
const API_KEY = 'ntn_very-secret-key-4711'

/** In front of a server: only who brings the key is let in, and everybody's Authorization header is noted. */
async function startGuarded(url: string, key: string) {
  const seen: (string | undefined)[] = []
  const server = createServer((request, response) => {
    seen.push(request.headers.authorization)
    if (request.headers.authorization !== `Bearer ${key}`)
      return void response.writeHead(401, { 'www-authenticate': 'Bearer' }).end()
    const { hostname, port, pathname } = new URL(url)
    const onward = httpRequest(
      { hostname, port, path: pathname, method: request.method, headers: request.headers },
      (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers)
        answer.pipe(response)
      },
    )
    onward.on('error', () => response.destroy())
    request.pipe(onward)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    seen,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const parts = new AsyncDisposableStack()
let gateway: TestGateway
let probe: ProbeServer
/** A platform administrator, who may name loopback addresses; an administrator; a member; somebody of another organization. */
let platform: Ask
let admin: Ask
let member: Ask
let stranger: Ask
beforeAll(async () => {
  probe = parts.use(await startProbe({ era: 'modern' }))
  gateway = parts.use(
    await startTestGateway({ others: [{ slug: 'other', name: 'Other', connections: [], toolsets: [], keys: [] }] }),
  )
  const other = (await createAsk(gateway, gateway.key)('GET /api/v1/admin/tenants/other')).body['id'] as
    | string
    | undefined
  platform = createAsk(gateway, await addKey(gateway, { role: 'platform_admin' }))
  const otherId = other ?? ((await platform('GET /api/v1/admin/tenants/other')).body['id'] as string)
  admin = createAsk(gateway, await addKey(gateway, { role: 'tenant_admin', organization: gateway.organization.id }))
  const user = await addUser(gateway, 'ada@example.com')
  await addMember(gateway, gateway.organization.id, user, 'tenant_member')
  member = createAsk(
    gateway,
    await addKey(gateway, { role: 'tenant_member', organization: gateway.organization.id, user }),
  )
  stranger = createAsk(gateway, await addKey(gateway, { role: 'tenant_admin', organization: otherId }))
})
afterAll(() => parts.disposeAsync())

async function make(body: object): Promise<Answered['body']> {
  const made = await platform(`POST ${AT}`, { auth_type: 'none', ...body })
  expect(made.status, made.text).toBe(201)
  return made.body
}
const look = async (id: unknown) => (await admin(`GET ${AT}/${String(id)}`)).body
const connected = (id: unknown) =>
  until(`${String(id)} is connected`, async () => (await look(id))['connection_status'] === 'connected')

describe('integrations', () => {
  test('S2-DB-01: have the fields of the source system', async () => {
    const { id } = await make({ name: 'Fields', server_url: probe.url })
    await connected(id)
    const found = await look(id)
    expect(Object.keys(found).sort()).toEqual(
      'auth_type connection_status created_at id is_enabled last_connected_at last_error metadata name server_type server_url tool_count updated_at'.split(
        ' ',
      ),
    )
    expect(found).toMatchObject({
      name: 'Fields',
      server_type: 'custom',
      server_url: probe.url,
      auth_type: 'none',
      is_enabled: true,
      connection_status: 'connected',
      last_error: null,
      metadata: { alias: 'fields', connector: 'mcp.http' },
    })
    expect(found['tool_count']).toBeGreaterThan(0)
    expect(Date.parse(found['last_connected_at'] as string)).toBeGreaterThan(0)
    expect(shapes.Integration.parse(found)).toEqual(found)
  })

  test('S2-API-02: are made with 201; a wrong address is answered with 400, a private one where nobody may say so with 403', async () => {
    for (const server_url of [
      'not an address',
      'ftp://x.example/',
      'ws://x.example/',
      'https://me:pw@x.example/',
      '',
    ]) {
      const refused = await admin(`POST ${AT}`, { server_url })
      expect([refused.status, refused.body['code']], server_url).toEqual([400, 'url.malformed'])
      expect(refused.text).not.toContain('me:pw')
    }
    const inside = await admin(`POST ${AT}`, { server_url: probe.url })
    expect([inside.status, inside.body['code']]).toEqual([403, 'private.forbidden'])
    // A name that leads to this machine is found out when it is asked.
    const named = await admin(`POST ${AT}`, { server_url: 'http://localtest.invalid:1/mcp', authType: 'none' })
    expect(named.status, named.text).toBe(201)
    expect(named.body).toMatchObject({
      name: 'localtest.invalid:1',
      auth_type: 'none',
      server_type: 'localtest.invalid',
    })
    expect((await admin(`DELETE ${AT}/${String(named.body['id'])}`)).status).toBe(204)
    expect((await member(`POST ${AT}`, { server_url: 'https://x.example/' })).status).toBe(403)
  })

  test('S2-API-01: are listed without a secret; a key goes in, works, and never comes out', async () => {
    await using guarded = await startGuarded(probe.url, API_KEY)
    const made = await make({ name: 'Keyed', serverUrl: guarded.url, auth_type: 'api_key', apiKey: API_KEY })
    expect(JSON.stringify(made)).not.toContain(API_KEY)
    expect(made).toMatchObject({ auth_type: 'api_key' })
    const listed = await admin(`GET ${AT}`)
    expect(listed.body['items']).toContainEqual(expect.objectContaining({ id: made['id'], auth_type: 'api_key' }))
    for (const { text } of [listed, await admin(`GET ${AT}/${String(made['id'])}`), await admin(`GET ${AT}/tools`)])
      expect(text).not.toContain(API_KEY)
    expect(JSON.stringify(await changesIn(gateway))).not.toContain(API_KEY)
    expect(JSON.stringify(gateway.log)).not.toContain(API_KEY)
    expect((await platform(`DELETE ${AT}/${String(made['id'])}`)).status).toBe(204)
  })

  test('S2-API-05: one of another organization answers as one that is not there', async () => {
    const { id } = await make({ name: 'Mine', server_url: probe.url })
    expect((await admin(`GET ${AT}/${String(id)}`)).status).toBe(200)
    const foreign = await stranger(`GET ${AT}/${String(id)}`)
    const unknown = await stranger(`GET ${AT}/con_0000000000000000000000000`)
    const bare = ({ status, body: { correlation_id: _, ...body } }: Answered) => ({ status, body })
    expect(bare(foreign)).toEqual(bare(unknown))
    expect(foreign.status).toBe(404)
    for (const way of ['PUT', 'DELETE'])
      expect((await stranger(`${way} ${AT}/${String(id)}`, way === 'PUT' ? { name: 'x' } : undefined)).status).toBe(404)
    for (const way of ['test', 'connect', 'disconnect'])
      expect((await stranger(`POST ${AT}/${String(id)}/${way}`)).status, way).toBe(404)
    expect((await stranger(`GET ${AT}`)).body['items']).toEqual([])
  })

  test('S2-API-08: a test connects in earnest, and status and tool count are what it found', async () => {
    await using own = await startProbe({ era: 'modern' })
    const { id } = await make({ name: 'Tried', server_url: own.url })
    await connected(id)
    const before = await look(id)
    // It tells nobody: only who asks finds it.
    own.state.grown.push('late_arrival')
    const good = await platform(`POST ${AT}/${String(id)}/test`)
    expect(good.body).toMatchObject({ success: true, failure: null, tool_count: Number(before['tool_count']) + 1 })
    expect((await look(id))['tool_count']).toBe(Number(before['tool_count']) + 1)
    const bad = await make({ name: 'Nobody there', server_url: 'http://127.0.0.1:9/mcp' })
    const failed = await platform(`POST ${AT}/${String(bad['id'])}/test`)
    expect(failed.body).toMatchObject({
      success: false,
      failure: { code: 'upstream.unreachable' },
      integration: { connection_status: 'error', tool_count: 0 },
    })
    expect(await look(bad['id'])).toMatchObject({ connection_status: 'error', last_error: failed.body['message'] })
    // One that is switched off is asked nothing.
    await platform(`PUT ${AT}/${String(bad['id'])}`, { enabled: false })
    expect((await platform(`POST ${AT}/${String(bad['id'])}/test`)).body).toMatchObject({
      success: false,
      failure: { code: 'upstream.disabled' },
      integration: { connection_status: 'disconnected', is_enabled: false },
    })
  })

  test('S2-QRK-08: a tool that comes or goes is counted as soon as the server says so, whatever the way in', async () => {
    await using own = await startProbe({ era: 'modern' })
    await using guarded = await startGuarded(own.url, API_KEY)
    const open = await make({ name: 'Growing', server_url: own.url })
    const keyed = await make({ name: 'Growing keyed', server_url: guarded.url, api_key: API_KEY, auth_type: 'api_key' })
    const program = await platform('POST /api/v1/admin/tenants/default/connectors', {
      alias: 'growing-program',
      ...processWords(),
    })
    const ids = [open['id'], keyed['id'], program.body['id']]
    for (const id of ids) await connected(id)
    const counts = async () => Promise.all(ids.slice(0, 2).map(async (id) => Number((await look(id))['tool_count'])))
    const before = await counts()
    own.state.grown.push('first_more')
    own.state.onGrow()
    await until('both count it', async () => (await counts()).every((count, at) => count === (before[at] ?? 0) + 1))
    expect(await look(ids[2])).toMatchObject({ server_type: 'custom', server_url: null, auth_type: 'none' })
    expect((await look(ids[2]))['tool_count']).toBeGreaterThan(0)
    // An integration whose access is refused shows the reason, and its previous tools are still counted.
    await platform(`PUT ${AT}/${String(ids[1])}`, { apiKey: 'wrong-key' })
    await until('it is refused', async () => (await look(ids[1]))['last_error'] !== null)
    expect((await look(ids[1]))['connection_status']).not.toBe('connected')
    await platform(`PUT ${AT}/${String(ids[1])}`, { api_key: API_KEY })
    await connected(ids[1])
    expect(await look(ids[1])).toMatchObject({ last_error: null })
  })

  test('S2-QRK-02: the tools of every enabled integration are listed whatever its way in, and each says if it failed', async () => {
    await using guarded = await startGuarded(probe.url, API_KEY)
    const open = await make({ name: 'Tools open', server_url: probe.url })
    const keyed = await make({ name: 'Tools keyed', server_url: guarded.url, api_key: API_KEY, auth_type: 'api_key' })
    const auto = await platform(`POST ${AT}`, { name: 'Tools any', server_url: probe.url })
    const broken = await make({ name: 'Tools broken', server_url: 'http://127.0.0.1:9/mcp' })
    const off = await make({ name: 'Tools off', server_url: probe.url, enabled: false })
    for (const { id } of [open, keyed, auto.body]) await connected(id)
    await until('it failed', async () => (await look(broken['id']))['connection_status'] === 'error')
    const items = (await member(`GET ${AT}/tools`)).body['items'] as Record<string, unknown>[]
    const of = ({ id }: Answered['body']) => items.find((one) => one['integration_id'] === id)
    for (const good of [open, keyed, auto.body]) {
      expect(of(good)).toMatchObject({ connection_status: 'connected', error: null })
      expect(of(good)?.['tools']).toContainEqual(
        expect.objectContaining({ name: 'echo', input_schema: expect.anything() as object }),
      )
    }
    expect(of(keyed)).toMatchObject({ auth_type: 'api_key' })
    expect(of(broken)).toMatchObject({
      connection_status: 'error',
      tools: [],
      error: expect.stringMatching(/./) as string,
    })
    expect(of(off)).toBeUndefined()
  })

  test('S2-API-06: name, address, key and switch are changed; what was given for one address goes to no other', async () => {
    await using guarded = await startGuarded(probe.url, API_KEY)
    await using elsewhere = await startGuarded(probe.url, 'another-key')
    const { id } = await make({ name: 'Moving', server_url: guarded.url, api_key: API_KEY, auth_type: 'api_key' })
    await connected(id)
    const named = await platform(`PUT ${AT}/${String(id)}`, { name: 'Moved' })
    expect(named.body).toMatchObject({ name: 'Moved', server_url: guarded.url })
    const moved = await platform(`PUT ${AT}/${String(id)}`, { url: elsewhere.url })
    expect(moved.body).toMatchObject({ server_url: elsewhere.url })
    await until('the other server was asked', () => elsewhere.seen.length > 0)
    await until('it is not let in', async () => (await look(id))['connection_status'] !== 'connected')
    expect(elsewhere.seen.filter((header) => header?.includes(API_KEY))).toEqual([])
    await platform(`PUT ${AT}/${String(id)}`, { apiKey: 'another-key' })
    await connected(id)
    expect((await platform(`PUT ${AT}/${String(id)}`, { isEnabled: false })).body).toMatchObject({
      is_enabled: false,
      connection_status: 'disconnected',
    })
    expect((await platform(`PUT ${AT}/${String(id)}`, { url: 'nonsense' })).status).toBe(400)
    expect((await member(`PUT ${AT}/${String(id)}`, { name: 'x' })).status).toBe(403)
  })

  test('S2-API-04: the tools of connected integrations are listed as the caller may call them', async () => {
    const { id } = await make({ name: 'Screened', server_url: probe.url })
    await connected(id)
    const namesFor = async (ask: Ask) => {
      const items = (await ask(`GET ${AT}/tools`)).body['items'] as {
        integration_id: string
        tools: { name: string; joined_name: string }[]
      }[]
      return (items.find((one) => one.integration_id === id)?.tools ?? []).map(({ name }) => name)
    }
    const all = await namesFor(admin)
    expect(all.length).toBeGreaterThan(1)
    const [first = ''] = all
    await admin(`PATCH /api/v1/admin/tenants/default/connectors/${String(id)}/tools/${first}`, { enabled: false })
    expect(await namesFor(member)).toEqual(all.slice(1))
  })
})

describe('the catalog', () => {
  test('S2-API-03, S2-DB-04: the registry has the six of the source system, with icon, key page and scopes', async () => {
    const { body } = await member(`GET ${AT}/registry`)
    const items = body['items'] as Record<string, unknown>[]
    expect(items.map(({ id }) => id)).toEqual(['notion', 'github', 'linear', 'slack', 'filesystem', 'memory'])
    expect(items.map(({ auth_type: type }) => type)).toEqual(['oauth', 'oauth', 'api_key', 'oauth', 'none', 'none'])
    for (const { icon, display_order: order, oauth_scopes: scopes } of items) {
      expect(icon).toMatch(/^[a-z]+$/)
      expect(order).toBeGreaterThan(0)
      expect(Array.isArray(scopes)).toBe(true)
    }
    for (const { api_key_url: page, api_key_placeholder: placeholder } of items.slice(0, 4)) {
      expect(page).toMatch(/^https:\/\//)
      expect(placeholder).toMatch(/^(ntn_|ghp_|lin_|xoxp-)/)
    }
    expect(items[1]?.['oauth_scopes']).toContain('repo')
  })

  test('U-30: one catalog for all: each row can be connected as it stands, and none of a kind that is not here yet', async () => {
    const { body } = await member('GET /api/v1/registry/connectors')
    const items = body['items'] as (typeof CONNECTOR_CATALOG)[number][]
    expect(items.filter(({ native }) => native === null)).toEqual(CONNECTOR_CATALOG)
    expect(items.map(({ id }) => id)).toEqual([
      ...Object.keys(CONNECTORS).map((vendor) => `native-${vendor}`),
      ...['notion', 'github', 'linear', 'slack', 'filesystem', 'memory'],
      ...['toolkit', 'edgartools', 'video_audio', 'youtube', 'zai_vision', 'custom_url', 'custom_command'],
      ...['contract', 'n8n', 'composio', 'platform'],
    ])
    for (const { id, connector, url, command, asks, native } of items) {
      const words = [...(command ?? []), url ?? ''].join(' ')
      const blanks = [...words.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
      expect(
        asks.filter((ask) => ask.in === 'args').map(({ name }) => name),
        id,
      ).toEqual(blanks)
      const filled = (command ?? []).map((word) => word.replace(/^\{\w+\}$/, '/srv'))
      const [program, ...args] = filled
      const asked = {
        alias: `cat-${id.replaceAll('_', '-')}`,
        enabled: false,
        connector,
        ...(native === null ? {} : { native: { vendor: native.vendor } }),
        ...(connector === 'mcp.process'
          ? {
              ...{ command: program ?? 'npx', args },
              environment: Object.fromEntries(
                asks.filter((ask) => ask.in === 'environment').map(({ name }) => [name, 'x']),
              ),
            }
          : connector === 'platform'
            ? {}
            : {
                url: url ?? 'https://mcp.example.com/mcp',
                ...(connector === 'composio' ? { composio: { toolkits: ['gmail'] } } : {}),
                headers: Object.fromEntries(asks.filter((ask) => ask.in === 'headers').map(({ name }) => [name, 'x'])),
              }),
      }
      const made = await platform('POST /api/v1/admin/tenants/default/connectors', asked)
      expect(made.status, `${id}: ${made.text}`).toBe(201)
      await platform(`DELETE /api/v1/admin/tenants/default/connectors/${asked.alias}`)
    }
  })
})

test('S2-API-13: without a sign-in every route refuses, but the one that browsers come back to', async () => {
  const nobody = createAsk(gateway, undefined)
  const routes = OPERATIONS.map(({ operation }) => operation).filter(({ path }) => path.startsWith(AT))
  expect(routes.map(({ method, path }) => `${method} ${path.slice(AT.length)}`).sort()).toEqual([
    'DELETE /{connection}',
    'GET ',
    'GET /registry',
    'GET /tools',
    'GET /{connection}',
    'GET /{connection}/oauth-url',
    'POST ',
    'POST /{connection}/connect',
    'POST /{connection}/disconnect',
    'POST /{connection}/test',
    'PUT /{connection}',
  ])
  for (const { method, path } of routes) {
    const filled = path.replace('{connection}', 'con_0000000000000000000000000')
    for (const ask of [nobody, createAsk(gateway, 'uru_wrong'), createAsk(gateway, 'not.a.token')]) {
      const refused = await ask(`${method} ${filled}`, method === 'POST' || method === 'PUT' ? {} : undefined)
      expect(refused.status, `${method} ${path}`).toBe(401)
      expect(refused.headers.get('www-authenticate')).toMatch(/^Bearer/)
    }
  }
  const back = await fetch(`${gateway.address}${shapes.finishOAuth.path}?code=x&state=unknown`, { redirect: 'manual' })
  expect(back.status).toBe(303)
  expect(back.headers.get('location')).toContain('error=invalid_state')
})

const processWords = () => {
  const wire = probeProcess('growing')
  return 'command' in wire ? { command: wire.command, args: wire.args, environment: wire.environment } : {}
}
