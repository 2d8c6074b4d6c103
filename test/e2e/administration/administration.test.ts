/** Actions of an administrator on connections, their tools and toolsets over HTTP, and their immediate effect on clients. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { addKey, changesIn, createAsk, type Ask } from '../peers/people/administrators.ts'
import { openGateway, toolNames } from '../peers/open-gateway.ts'
import { startProbe, type ProbeServer } from '../peers/probes/probe-server.ts'
import { callTool } from '../peers/clients/raw-client.ts'
import { httpWire, probeProcess } from '../peers/servers/real-servers.ts'
import { until } from '../peers/until.ts'

const CONNECTIONS = '/api/v1/admin/tenants/default/connectors'
const SECRET = 'Bearer very-secret-word-7731'
const parts = new AsyncDisposableStack()
let gateway: TestGateway
let probe: ProbeServer
let platform: Ask
let admin: Ask
beforeAll(async () => {
  probe = parts.use(await startProbe({ era: 'modern' }))
  gateway = parts.use(await openGateway({ connections: [{ alias: 'filed', wire: httpWire(probe.url) }] }))
  platform = createAsk(gateway, await addKey(gateway, { role: 'platform_admin' }))
  admin = createAsk(gateway, await addKey(gateway, { role: 'tenant_admin', organization: gateway.organization.id }))
})
afterAll(() => parts.disposeAsync())

const seen = (alias: string) => toolNames(gateway, gateway.connectionUrl(alias))
const listed = (alias: string) => until(`${alias} lists tools`, async () => (await seen(alias)).length > 0)
/** By a platform administrator, who may name a loopback address. */
const connect = async (alias: string, more: object = {}) => {
  const made = await platform(`POST ${CONNECTIONS}`, { alias, url: probe.url, ...more })
  expect(made.status, made.text).toBe(201)
  return made
}

describe('connections', () => {
  test('S3-ADM-02: are made, listed, looked at by alias or id, changed, switched and removed; an update keeps runtime fields', async () => {
    const made = await connect('docs', {
      title: 'Docs',
      headers: { Authorization: SECRET, 'X-Team': 'red' },
      timeout: 12,
    })
    expect(made.body).toMatchObject({
      alias: 'docs',
      connector: 'mcp.http',
      url: probe.url,
      private: true,
      header_names: ['Authorization', 'X-Team'],
      timeout: 12,
      enabled: true,
      origin: 'administration',
    })
    await listed('docs')
    const id = String(made.body['id'])
    for (const name of ['docs', id]) expect((await admin(`GET ${CONNECTIONS}/${name}`)).body).toMatchObject({ id })
    const changed = await admin(`PUT ${CONNECTIONS}/docs`, { title: 'Documents', headers: { 'x-team': null } })
    expect(changed.body).toMatchObject({
      title: 'Documents',
      url: probe.url,
      private: true,
      header_names: ['Authorization'],
      timeout: 12,
    })
    await listed('docs')
    for (const enabled of [false, false]) {
      const toggled = await admin(`PATCH ${CONNECTIONS}/docs/toggle`, { enabled })
      expect(toggled.body).toMatchObject({ enabled: false, status: 'disabled' })
      expect(await seen('docs')).toEqual([])
    }
    expect((await admin(`PATCH ${CONNECTIONS}/docs/toggle`, { is_enabled: true })).body).toMatchObject({
      enabled: true,
    })
    await listed('docs')
    expect((await admin(`GET ${CONNECTIONS}?search=DOC&connector=mcp.http&enabled=true`)).body).toMatchObject({
      items: [{ alias: 'docs' }],
      total: 1,
    })
    expect((await admin(`DELETE ${CONNECTIONS}/${id}`)).status).toBe(204)
    expect((await admin(`GET ${CONNECTIONS}/docs`)).status).toBe(404)
    expect(await seen('docs')).toEqual([])
  })

  test('never show a secret again, in no answer and in no record', async () => {
    await connect('sealed', { url: `${probe.url}?token=very-secret-word-7731`, headers: { authorization: SECRET } })
    const answers = await Promise.all([
      admin(`GET ${CONNECTIONS}/sealed`),
      admin(`GET ${CONNECTIONS}`),
      admin(`PUT ${CONNECTIONS}/sealed`, { title: 'Still' }),
    ])
    for (const { text } of answers) expect(text).not.toContain('very-secret-word-7731')
    expect(JSON.stringify(await changesIn(gateway))).not.toContain('very-secret-word-7731')
    expect(answers[0]?.body).toMatchObject({ url: `${probe.url}?token=•••`, header_names: ['authorization'] })
    // A masked value may be sent back, and stands for the hidden value.
    const back = await platform(`PUT ${CONNECTIONS}/sealed`, { url: answers[0]?.body['url'], timeout: 9 })
    expect(back.body).toMatchObject({ url: `${probe.url}?token=•••`, timeout: 9 })
    expect(await platform(`PUT ${CONNECTIONS}/sealed`, { url: 'https://other.example/?token=•••' })).toMatchObject({
      status: 422,
      body: { detail: expect.stringContaining('contains a mask') },
    })
  })

  test('do not take what is sealed to another server, unless it is said anew', async () => {
    await platform(`POST ${CONNECTIONS}`, {
      alias: 'moving',
      url: 'https://first.example/mcp',
      headers: { authorization: SECRET },
      enabled: false,
    })
    const move = { url: 'https://second.example/mcp' }
    expect(await admin(`PUT ${CONNECTIONS}/moving`, move)).toMatchObject({
      status: 422,
      body: { detail: expect.stringContaining('set for another server') },
    })
    expect((await admin(`PUT ${CONNECTIONS}/moving`, { url: 'https://first.example/other' })).status).toBe(200)
    const said = await admin(`PUT ${CONNECTIONS}/moving`, { ...move, headers: { Authorization: 'Bearer new' } })
    expect(said.body).toMatchObject({ url: 'https://second.example/mcp', header_names: ['Authorization'] })
  })

  test('that start programs are code: only a platform administrator makes or changes one, unless the platform allows it', async () => {
    const { command, args, environment } = probeProcess('mine', { SECRET: 'very-secret-word-7731' })
    const words = { alias: 'child', command, args, environment }
    for (const body of [
      words,
      { name: 'Child', connector_type: 'custom', runtime_type: 'external_custom', runtime_command: [command, ...args] },
    ])
      expect(await admin(`POST ${CONNECTIONS}`, body)).toMatchObject({
        status: 403,
        body: { code: 'process.forbidden' },
      })
    expect((await platform(`POST ${CONNECTIONS}`, words)).body).toMatchObject({
      connector: 'mcp.process',
      command,
      environment_names: ['SECRET'],
    })
    await listed('child')
    for (const body of [{ title: 'Mine' }, { args: ['-e', '1'] }, { environment: { NODE_OPTIONS: '--inspect' } }])
      expect(await admin(`PUT ${CONNECTIONS}/child`, body)).toMatchObject({
        status: 403,
        body: { code: 'process.forbidden' },
      })
    // A caller that may not start a process may stop one, and then may not start it again.
    expect((await admin(`PATCH ${CONNECTIONS}/child/toggle`, { enabled: false })).status).toBe(200)
    expect((await admin(`PATCH ${CONNECTIONS}/child/toggle`, { enabled: true })).status).toBe(403)
    await platform('PUT /api/v1/admin/tenants/default', { settings: { allow_processes: true } })
    expect((await admin(`PUT ${CONNECTIONS}/child`, { title: 'Mine' })).body).toMatchObject({
      title: 'Mine',
      command,
      environment_names: ['SECRET'],
    })
    expect(await admin(`PUT ${CONNECTIONS}/child`, { command: 'env', args: [] })).toMatchObject({
      status: 422,
      body: { detail: expect.stringContaining('/environment contains values that were set for another server') },
    })
    // A path is of the machine: without folders that the installation names, the platform alone allows one, and it stays.
    const path = { allow_paths: ['/srv/mine:ro'] }
    for (const refused of [
      admin(`PUT ${CONNECTIONS}/child`, path),
      admin(`POST ${CONNECTIONS}`, { ...words, ...path, alias: 'other' }),
    ])
      expect(await refused).toMatchObject({
        status: 403,
        body: { code: 'process.path', detail: expect.stringContaining('/srv/mine:ro') },
      })
    expect((await platform(`PUT ${CONNECTIONS}/child`, path)).body).toMatchObject(path)
    expect((await admin(`PUT ${CONNECTIONS}/child`, { title: 'Yours', ...path })).body).toMatchObject({
      title: 'Yours',
    })
    await platform('PUT /api/v1/admin/tenants/default', { settings: { allow_processes: null } })
  })

  test.each([
    'http://127.0.0.1:1/mcp',
    'http://localhost/mcp',
    'http://[::1]/',
    'http://10.0.0.8/',
    'http://db.internal/',
  ])('reach the private address %s only by the word of a platform administrator', async (url) => {
    const body = { alias: 'inside', url, enabled: false }
    for (const more of [{}, { private: true }])
      expect(await admin(`POST ${CONNECTIONS}`, { ...body, ...more })).toMatchObject({
        status: 403,
        body: { code: 'private.forbidden' },
      })
    expect(
      await admin(`POST ${CONNECTIONS}`, { ...body, url: 'https://public.example/', private: true }),
    ).toMatchObject({
      status: 403,
    })
    await admin(`POST ${CONNECTIONS}`, { ...body, url: 'https://public.example/' })
    expect(await admin(`PUT ${CONNECTIONS}/inside`, { url })).toMatchObject({ status: 403 })
    expect((await platform(`PUT ${CONNECTIONS}/inside`, { url })).body).toMatchObject({ private: true })
    await admin(`DELETE ${CONNECTIONS}/inside`)
  })

  test('of a file are changed in the file', async () => {
    for (const [at, body] of [
      [`PUT ${CONNECTIONS}/filed`, { title: 'x' }],
      [`PATCH ${CONNECTIONS}/filed/toggle`, { enabled: false }],
      [`DELETE ${CONNECTIONS}/filed`, undefined],
    ] as const)
      expect(await platform(at, body), at).toMatchObject({
        status: 409,
        body: { code: 'thing.declared', detail: 'This connection is defined in the TOOLWAY_CONFIG file.' },
      })
  })

  test('can be said in the words of the source system', async () => {
    const said = await platform(`POST ${CONNECTIONS}`, {
      connector_type: 'custom',
      name: 'Péter’s tools',
      description: 'Files',
      is_enabled: false,
      runtime_type: 'external_nodejs',
      package_path: '@acme/server',
      runtime_env: { TOKEN: 'very-secret-word-7731' },
      configuration: { 'base-url': 'https://acme.example', depth: 3 },
    })
    expect(said.body).toMatchObject({
      alias: 'peter-s-tools',
      title: 'Péter’s tools',
      description: 'Files',
      enabled: false,
      connector: 'mcp.process',
      command: 'npx',
      args: ['-y', '@acme/server'],
      environment_names: ['CONFIG_BASE_URL', 'CONFIG_DEPTH', 'TOKEN'],
    })
    const changed = await platform(`PUT ${CONNECTIONS}/peter-s-tools`, { runtime_command: '["uvx","acme"]' })
    expect(changed.body).toMatchObject({
      command: 'uvx',
      args: ['acme'],
      environment_names: ['CONFIG_BASE_URL', 'CONFIG_DEPTH', 'TOKEN'],
    })
  })

  test.each([
    [{ connector_type: 'no-vendor', name: 'x' }, 'connector.unknown'],
    [{ connector_type: 'no-vendor', runtime_type: 'native', name: 'x' }, 'body.shape'],
    [{ connector_type: 'jira', native: { vendor: 'github' }, name: 'x' }, 'body.shape'],
    [{ name: 'x' }, 'body.shape'],
    [{ connector: 'mcp.http' }, 'body.shape'],
    [{ url: 'ftp://x.example' }, 'body.shape'],
    [{ url: 'https://user:word@x.example' }, 'body.shape'],
    [{ url: 'https://x.example', headers: { 'mcp-session-id': '1' } }, 'body.shape'],
    [{ url: 'https://x.example', headers: { 'x-a': 'a\r\nb: c' } }, 'body.shape'],
    [{ url: 'https://x.example', command: 'sh' }, 'body.shape'],
    [{ command: 'sh', runtime_command: 'sh' }, 'body.shape'],
    [{ url: 'https://x.example', alias: 'a__b' }, 'body.shape'],
    [{ url: 'https://x.example', colour: 'red' }, 'body.shape'],
    [{ url: 'https://x.example', title: 'a\0b' }, 'body.shape'],
  ])('described as %j are refused as %s', async (body, code) => {
    expect(await platform(`POST ${CONNECTIONS}`, body)).toMatchObject({ status: 422, body: { code } })
  })

  test('have one alias each', async () => {
    await connect('twice', { enabled: false })
    expect(await platform(`POST ${CONNECTIONS}`, { alias: 'twice', url: probe.url })).toMatchObject({
      status: 409,
      body: { code: 'thing.taken' },
    })
  })
})

describe('the tools of a connection', () => {
  const tools = (alias: string) => `${CONNECTIONS}/${alias}/tools`
  const grow = (name: string) => {
    probe.state.grown.push(name)
    probe.state.onGrow()
  }

  test('S3-ADM-03: are listed, switched one by one, several or all at once, and asked for anew', async () => {
    await connect('kit')
    await listed('kit')
    const all = (await admin(`GET ${tools('kit')}?limit=200`)).body
    expect(all['items'][0]).toEqual({
      ...{ name: 'echo', joined_name: 'kit__echo', title: null, description: 'Answers with its text' },
      ...{ effect: 'write', effect_from: 'unknown', stated_effect: 'write', approval: 'none' },
      ...{ enabled: true, hidden_by: null, rule: null },
    })
    const off = await admin(`PATCH ${tools('kit')}/echo`, { enabled: false })
    expect(off.body).toMatchObject({ name: 'echo', enabled: false, hidden_by: 'switch' })
    expect(await seen('kit')).not.toContain('echo')
    const peer = { url: gateway.connectionUrl('kit'), key: gateway.key, era: 'modern' } as const
    const refused = await callTool(peer, 'echo', { text: 'x' })
    expect(refused.answer.error).toMatchObject({ message: 'Unknown tool: echo' })
    expect((await admin(`GET ${tools('kit')}?enabled=false`)).body).toMatchObject({ total: 1 })

    const bulk = await admin(`POST ${tools('kit')}/bulk-update`, {
      tools: [
        { name: 'echo', enabled: true },
        { name: 'grow', enabled: false },
        { name: 'fail', enabled: false },
      ],
    })
    expect(bulk.body).toEqual({ changed: 3, enabled: all['total'] - 2, disabled: 2 })
    expect(await seen('kit')).toEqual(expect.arrayContaining(['echo']))
    expect((await seen('kit')).filter((name) => ['grow', 'fail'].includes(name))).toEqual([])
    // One that does not exist, and nothing is switched.
    const missed = {
      updates: [
        { tool_name: 'echo', is_enabled: false },
        { tool_name: 'nope', is_enabled: false },
      ],
    }
    expect(await admin(`POST ${tools('kit')}/bulk-update`, missed)).toMatchObject({ status: 404 })
    expect(await seen('kit')).toContain('echo')

    expect((await admin(`POST ${tools('kit')}/disable-all`)).body).toMatchObject({ enabled: 0, disabled: all['total'] })
    expect(await seen('kit')).toEqual([])
    // Tools that appear later are covered, too.
    grow('late_one')
    expect((await admin(`POST ${tools('kit')}/sync`)).body).toMatchObject({
      ok: true,
      failure: null,
      tools: all['total'] + 1,
    })
    expect((await admin(`GET ${tools('kit')}?search=late_one`)).body['items']).toMatchObject([{ enabled: false }])
    expect(await seen('kit')).toEqual([])
    expect((await admin(`PATCH ${tools('kit')}/late_one`, { is_enabled: true })).body).toMatchObject({ enabled: true })
    expect(await seen('kit')).toEqual(['late_one'])

    for (const _ of [1, 2])
      expect((await admin(`POST ${tools('kit')}/enable-all`)).body).toMatchObject({
        enabled: all['total'] + 1,
        disabled: 0,
      })
    expect(await seen('kit')).toContain('grow')
  })

  test('are told to change to who listens, and stay switched while a server is opened anew', async () => {
    await connect('kept')
    await listed('kept')
    await admin(`PATCH ${tools('kept')}/echo`, { enabled: false })
    await admin(`PUT ${CONNECTIONS}/kept`, { title: 'Kept' })
    await listed('kept')
    expect(await seen('kept')).not.toContain('echo')
  })

  test('are found by the id of the connection alone, and only by its own administrators', async () => {
    const made = await connect('alone')
    const id = String(made.body['id'])
    const at = `GET /api/v1/admin/connectors/${id}/tools`
    expect((await admin(at)).status).toBe(200)
    const other = await platform('POST /api/v1/admin/tenants', { slug: 'elsewhere', name: 'Elsewhere' })
    const stranger = createAsk(
      gateway,
      await addKey(gateway, { role: 'tenant_admin', organization: String(other.body['id']) }),
    )
    const theirs = await stranger(at)
    const nothing = await stranger('GET /api/v1/admin/connectors/con_nothing/tools')
    expect(theirs).toMatchObject({ status: 404, body: { code: 'place.unknown' } })
    expect(theirs.body['detail']).toBe(nothing.body['detail'])
    const viewer = createAsk(
      gateway,
      await addKey(gateway, { role: 'tenant_viewer', organization: gateway.organization.id }),
    )
    expect((await viewer(at)).status).toBe(403)
  })

  test('that cannot be asked for say at which step it failed, and stay', async () => {
    const { url } = await startProbe({ era: 'modern' }).then(async (gone) => {
      await gone[Symbol.asyncDispose]()
      return gone
    })
    await connect('dead', { url })
    const { body } = await admin(`POST ${tools('dead')}/sync`)
    expect(body).toMatchObject({ ok: false, tools: 0, failure: { phase: 'open', code: 'upstream.unreachable' } })
    expect(JSON.stringify(body)).not.toContain(new URL(url).port)
    await admin(`PATCH ${CONNECTIONS}/dead/toggle`, { enabled: false })
    expect((await admin(`POST ${tools('dead')}/sync`)).body).toMatchObject({ failure: { code: 'upstream.disabled' } })
  })

  test('are not there for names that mean nothing', async () => {
    await connect('strict')
    await listed('strict')
    for (const at of [
      `PATCH ${tools('strict')}/nope`,
      `PATCH ${tools('strict')}/${encodeURIComponent('a/b')}`,
      `PATCH ${tools('nowhere')}/echo`,
      `PATCH ${tools('strict')}/a%00b`,
    ])
      expect((await admin(at, { enabled: false })).status, at).toBe(404)
  })
})

describe('toolsets', () => {
  const TOOLSETS = '/api/v1/admin/tenants/default/toolsets'

  test('are put, listed and removed, and have an endpoint at once', async () => {
    await connect('chosen')
    await listed('chosen')
    const endpoint = `${gateway.address}/o/default/t/few/mcp`
    for (const _ of [1, 2]) {
      const put = await admin(`PUT ${TOOLSETS}/few`, { include: ['chosen__echo'], exclude: [] })
      expect(put.body).toMatchObject({
        ...{ slug: 'few', title: 'few', origin: 'administration', tools: 1 },
        settings: { include: ['chosen__echo'], exclude: [] },
      })
    }
    expect(await toolNames(gateway, endpoint)).toEqual(['chosen__echo'])
    expect((await admin(`GET ${TOOLSETS}`)).body['items']).toMatchObject(
      ['admin', 'few', 'read-only', 'standard'].map((slug) => ({ slug })),
    )
    expect((await admin(`PUT ${TOOLSETS}/Few`, {})).status).toBe(422)
    expect((await admin(`DELETE ${TOOLSETS}/few`)).status).toBe(204)
    expect((await admin(`DELETE ${TOOLSETS}/few`)).status).toBe(404)
    expect(await toolNames(gateway, endpoint)).toEqual([])
  })
})
