/** The addresses of the source system's proxy, asked as its published client asks them. */
import type { ConnectionId, UserId } from '@toolway/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { putCredential } from '../../../packages/gateway/src/credentials/credentials.ts'
import { createTestVault, startTestGateway, type TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { accessTokenSealContext, refreshTokenSealContext } from '../../../packages/gateway/src/vault/sealed-columns.ts'
import { openGateway } from '../peers/open-gateway.ts'
import { startGuarded, type GuardedServer } from '../peers/servers/guarded-server.ts'
import { httpWire, processOf } from '../peers/servers/real-servers.ts'
import { startToolsServer, type ToolsServer } from '../peers/servers/tools-server.ts'
import { until } from '../peers/until.ts'
import { addKey, addMember, keyOf } from './members.ts'
import { createUruClient } from './uru-client.ts'

const vault = createTestVault()
const tool = (name: string, more: object = {}) => ({
  name,
  description: `Does ${name}.`,
  inputSchema: { type: 'object' as const, properties: { id: { type: 'string' } } },
  ...more,
})

let gateway: TestGateway
let servers: ToolsServer
let mail: GuardedServer
const people: Record<string, UserId> = {}

beforeAll(async () => {
  servers = await startToolsServer(
    [
      { alias: 'company', title: 'Company', tools: [tool('client_query'), tool('shared_name'), tool('fails')] },
      { alias: 'slack', title: 'Slack', tools: [tool('SLACK_SEND_MESSAGE'), tool('shared_name')] },
      { alias: 'off', title: 'Off', tools: [tool('hidden')] },
    ],
    ({ name, alias, arguments: given }) => {
      if (name === 'fails') return { content: [{ type: 'text', text: 'the client is not known' }], isError: true }
      return { structuredContent: { did: `${alias} ${name}`, given } }
    },
  )
  mail = await startGuarded('ada-work', 'ada-home', 'bob')
  const one = (alias: string) => ({ alias, wire: httpWire(servers.urlOf(alias)) })
  gateway = await openGateway({
    connections: [
      one('company'),
      one('slack'),
      { ...one('off'), enabled: false },
      { alias: 'everything', wire: processOf('everything') },
    ],
    toolsets: [
      { slug: 'apps', title: 'Apps', settings: { include: ['*'], exclude: [], discovery: 'two-tier' } },
      { slug: 'search', title: 'Search', settings: { include: ['*'], exclude: [], discovery: 'search' } },
    ],
  })
  for (const name of ['ada', 'bob']) people[name] = await addMember(gateway, name)
  await addKey(gateway, 'admin', 'platform_admin', null)
  await addMail()
})
afterAll(async () => {
  await gateway?.[Symbol.asyncDispose]()
  await servers?.[Symbol.asyncDispose]()
  await mail?.[Symbol.asyncDispose]()
})

/** A server with accounts: two of Ada's, one of Bob's. */
async function addMail() {
  const made = await fetch(`${gateway.address}/api/v1/admin/tenants/default/connectors`, {
    method: 'POST',
    headers: { authorization: `Bearer ${keyOf('admin')}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      alias: 'mail',
      title: 'Mail',
      connector: 'mcp.http',
      url: mail.url,
      private: true,
      auth: { accounts: 'many' },
    }),
  })
  expect(made.status, await made.clone().text()).toBe(201)
  const { id } = (await made.json()) as { id: string }
  const plant = (name: string, account: string, token: string) =>
    gateway.db.organization(gateway.organization.id, (sql) =>
      putCredential(sql, {
        organizationId: gateway.organization.id,
        provider: 'mcp',
        connectionId: id as ConnectionId,
        userId: people[name],
        account,
        server: mail.url,
        left: 3600,
        seal: (row) => ({
          access: vault.seal(token, accessTokenSealContext(row)),
          refresh: vault.seal('refresh', refreshTokenSealContext(row)),
        }),
      }),
    )
  await plant('ada', 'work', 'ada-work')
  await plant('ada', 'home', 'ada-home')
  await plant('bob', 'work', 'bob')
  await fetch(`${gateway.address}/api/v1/admin/tenants/default/connectors/mail/test`, {
    method: 'POST',
    headers: { authorization: `Bearer ${keyOf('admin')}` },
  })
  await until('mail is listed', async () => (await as('ada').apps()).includes('Mail'))
}

const as = (name: string, base = '') =>
  createUruClient(gateway.address + base, name === 'operator' ? gateway.key : keyOf(name))
const operator = () => as('operator')

describe('apps', () => {
  test('S0-PRX-04, S0-PRX-11: /list/apps is an array of names of what is configured and switched on; /resources is the same', async () => {
    const apps = await operator().apps()
    expect(apps).toEqual(expect.arrayContaining(['Company', 'Slack', 'Everything']))
    expect(apps).not.toContain('Off')
    expect((await operator().ask('/resources')).body).toEqual(apps)
  })

  test('S0-PRX-05, S0-PRX-07: the tools of an app are MCP definitions, and names are matched without regard to case', async () => {
    const tools = await operator().tools('Company')
    expect(tools.map(({ name }) => name)).toEqual(['company__client_query', 'company__shared_name', 'company__fails'])
    for (const { description, inputSchema } of tools) {
      expect(description).toMatch(/^Does /)
      expect(inputSchema.type).toBe('object')
    }
    expect(await operator().tools('COMPANY')).toEqual(tools)
    expect(await operator().tools('company')).toEqual(tools)
    expect(
      await operator()
        .tools('nothing')
        .catch(() => 'refused'),
    ).toBe('refused')
    expect((await operator().ask('/list/apps/Off/tools')).status).toBe(404)
  })

  test('are listed whole at an endpoint that shows them in two tiers, or by search alone', async () => {
    for (const toolset of ['apps', 'search']) {
      const there = as('operator', `/o/default/t/${toolset}`)
      expect(await there.apps()).toEqual(await operator().apps())
      expect(await there.tools('slack')).toHaveLength(2)
      expect((await there.execute('company__client_query', { id: '7' })).result).toMatchObject({ successful: true })
    }
  })
})

describe('a call', () => {
  test('S0-PRX-01, S0-PRX-06: goes to the server of its slug alone, whichever listed slug it is', async () => {
    const before = servers.called.length
    for (const { name } of [...(await operator().tools('company')), ...(await operator().tools('slack'))])
      expect({ name, status: (await operator().execute(name, { id: 'x' })).status }).toEqual({ name, status: 200 })
    expect(servers.called.slice(before).map(({ alias, name }) => `${alias} ${name}`)).toEqual([
      'company client_query',
      'company shared_name',
      'company fails',
      'slack SLACK_SEND_MESSAGE',
      'slack shared_name',
    ])
    const text = await operator().execute('everything__echo', { message: 'hello' })
    expect(text.result).toMatchObject({ successful: true, error: null })
    expect(String(text.result.data)).toContain('hello')
  })

  test('takes the server’s own name where one app alone has it, and asks which is meant where two have', async () => {
    expect((await operator().execute('SLACK_SEND_MESSAGE', {})).result.data).toMatchObject({
      did: 'slack SLACK_SEND_MESSAGE',
    })
    const both = await operator().execute('shared_name', {})
    expect([both.status, both.result.code]).toEqual([409, 'INVALID_ARGUMENT'])
    expect(JSON.stringify(both.body)).toContain('company__shared_name, slack__shared_name')
    const there = await operator().execute('shared_name', { id: '1' }, { name: 'SLACK' })
    expect(there.result.data).toEqual({ did: 'slack shared_name', given: { id: '1' } })
  })

  test('S0-PRX-06: of an unknown slug is answered with 404, an error code and the nearest names', async () => {
    const unknown = await operator().execute('company__client_qery', {})
    expect([unknown.status, unknown.code, unknown.result.code]).toEqual([404, -32_601, 'TOOL_NOT_FOUND'])
    expect(JSON.stringify(unknown.body)).toContain('company__client_query')
    expect((await operator().execute('off__hidden', {})).status).toBe(404)
    expect((await operator().execute('shared_name', {}, { name: 'nothing' })).status).toBe(404)
  })

  test('that fails says so in the form of the source system', async () => {
    const { status, result } = await operator().execute('company__fails', {})
    expect(status).toBe(200)
    expect(result).toEqual({
      data: null,
      successful: false,
      error: 'the client is not known',
      log_id: expect.any(String),
    })
  })

  test('S0-DSC-07: is answered with a stream or a plain response, as Accept asks', async () => {
    const call = (accept: string) =>
      fetch(`${gateway.address}/execute/everything__trigger-long-running-operation`, {
        method: 'POST',
        headers: { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json', accept },
        body: '{"duration":1,"steps":2}',
      })
    const plain = await call('application/json')
    expect(plain.headers.get('content-type')).toBe('application/json')
    expect(await plain.json()).toMatchObject({ successful: true })
    const stream = await call('text/event-stream')
    expect(stream.headers.get('content-type')).toBe('text/event-stream')
    const events = (await stream.text())
      .split('\n')
      .flatMap((line) => (line.startsWith('data: ') ? [line.slice(6)] : []))
    const said = events.map((event) => JSON.parse(event) as Record<string, unknown>)
    expect(said.slice(0, -1).map(({ method }) => method)).toEqual(['notifications/progress', 'notifications/progress'])
    expect(said.at(-1)).toMatchObject({ successful: true })
  })

  test('without a key, or with one that is not known, is refused with the status that the client reads', async () => {
    const stranger = createUruClient(gateway.address, keyOf('nobody'))
    expect((await stranger.ask('/list/apps')).status).toBe(401)
    const refused = await stranger.execute('company__client_query', {})
    expect([refused.status, refused.code]).toEqual([401, -32_001])
  })
})

describe('accounts', () => {
  test('S0-PRX-13: /namespaces names each account of the caller at each app, and no other', async () => {
    const adas = await as('ada').namespaces()
    expect(adas.filter(({ name }) => name.startsWith('mail'))).toMatchObject([
      { name: 'mail_work', account_label: 'work', connection_status: 'active' },
      { name: 'mail_home', account_label: 'home', connection_status: 'active' },
    ])
    expect(adas.find(({ name }) => name === 'company')).toMatchObject({
      connected_account_id: null,
      displayName: 'company',
    })
    const bobs = (await as('bob').namespaces()).filter(({ name }) => name.startsWith('mail'))
    expect(bobs).toMatchObject([{ name: 'mail', account_label: 'work' }])
    expect((await as('ada').tools('mail_home')).map(({ name }) => name)).toEqual(['mail__who_am_i', 'mail__write_note'])
  })

  test('S0-PRX-14: X-Connected-Account-Id chooses among the caller’s own accounts only, and the refusal is on record', async () => {
    const calledWith = () => mail.requests.findLast(({ method }) => method === 'tools/call')?.authorization
    const adas = await as('ada').namespaces()
    for (const account of ['home', 'work']) {
      const namespace = adas.find(({ name }) => name === `mail_${account}`)
      const { result } = await as('ada').execute('mail__write_note', {}, namespace)
      expect(result).toMatchObject({ successful: true })
      expect(calledWith()).toBe(`Bearer ada-${account}`)
      // The namespace alone names the account, too.
      await as('ada').execute('write_note', {}, { name: `mail_${account}` })
      expect(calledWith()).toBe(`Bearer ada-${account}`)
    }
    const bobs = (await as('bob').namespaces()).find(({ name }) => name === 'mail')
    const called = mail.called.length
    const stolen = await as('ada').execute('mail__write_note', {}, { ...bobs, name: 'mail' })
    expect([stolen.status, stolen.code]).toEqual([404, -32_601])
    const made_up = await as('ada').execute('mail__write_note', {}, { name: 'mail', connected_account_id: 'crd_none' })
    expect({ ...(made_up.body as object), correlation_id: '' }).toEqual({
      ...(stolen.body as object),
      correlation_id: '',
    })
    expect(mail.called.length).toBe(called)
    const id = (stolen.body as { correlation_id: string }).correlation_id
    await until('the refusal is on record', async () => {
      const answer = await fetch(`${gateway.address}/api/v1/admin/tenants/default/audit?correlation_id=${id}`, {
        headers: { authorization: `Bearer ${keyOf('admin')}` },
      })
      return JSON.stringify(await answer.json()).includes('mail__write_note')
    })
  })

  test('a server id of another connection leads nowhere', async () => {
    const { server_id } = (await as('ada').namespaces()).find(({ name }) => name === 'slack') ?? {}
    const answer = await as('ada').ask('/execute/company__client_query', {
      body: {},
      headers: { 'x-server-id': String(server_id) },
    })
    expect(answer.status).toBe(404)
  })
})

describe('versions of the tools', () => {
  test('S0-PRX-13: /tools/sync/version has an ETag, answers 304 while nothing changes, and grows with a new tool', async () => {
    const first = await operator().ask('/tools/sync/version')
    const etag = first.headers.get('etag') ?? ''
    const { version } = first.body as { version: number }
    const again = await operator().ask('/tools/sync/version', { headers: { 'if-none-match': etag } })
    expect([again.status, again.body]).toEqual([304, undefined])
    expect((await operator().ask(`/namespaces?min_version=${version}`)).status).toBe(200)
    const early = await operator().ask(`/namespaces?min_version=${version + 1000}`)
    expect(early.status).toBe(409)
    expect(early.body).toMatchObject({ code: 'TOOLS_NOT_READY', retry_after_ms: 1000 })
    expect((await operator().ask('/namespaces?min_version=soon')).status).toBe(422)
    servers.change('company', [tool('client_query'), tool('shared_name'), tool('fails'), tool('new_one')])
    await until('there is a new version', async () => {
      const now = await operator().ask('/tools/sync/version', { headers: { 'if-none-match': etag } })
      return now.status === 200 && (now.body as { version: number }).version > version
    })
    expect((await operator().tools('company')).map(({ name }) => name)).toContain('company__new_one')
  })

  test('S0-PRX-13: an organization of which no server has answered yet is not ready', async () => {
    await using empty = await startTestGateway({
      connections: [{ alias: 'slow', wire: httpWire('http://127.0.0.1:9/mcp') }],
    })
    const client = createUruClient(empty.address, empty.key)
    const { status, body } = await client.ask('/namespaces')
    // Once it could not be reached, there is nothing to wait for.
    if (status === 409) expect(body).toMatchObject({ code: 'TOOLS_NOT_READY' })
    else expect(body).toMatchObject({ namespaces: [] })
  })
})
