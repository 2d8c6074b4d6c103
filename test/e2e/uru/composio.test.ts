/** Composio behind the gateway, by its three ways: tools, results, users and their accounts. */
import { createHmac, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { askAdmin, createBrowser, PASSWORD } from '../../../packages/gateway/src/testing/people.ts'
import { ask, callTool, openSession } from '../peers/clients/raw-client.ts'
import { API_KEY, startComposio, type ComposioDouble, type DoubleTool } from '../peers/composio/composio-double.ts'
import { openGateway, toolNames } from '../peers/open-gateway.ts'
import { until } from '../peers/until.ts'
import { addKey, addMember, keyOf } from './members.ts'

const TOOLS: DoubleTool[] = [
  { slug: 'GMAIL_SEND_EMAIL', toolkit: 'gmail', tags: ['destructiveHint'] },
  { slug: 'GMAIL_FETCH_EMAILS', toolkit: 'gmail', tags: ['readOnlyHint'] },
  { slug: 'GMAIL_OLD', toolkit: 'gmail', deprecated: true },
  { slug: 'SLACK_SEND_MESSAGE', toolkit: 'slack' },
  { slug: 'HACKERNEWS_TOP', toolkit: 'hackernews', tags: ['readOnlyHint'], noAuth: true },
  { slug: 'OTHER_APP', toolkit: 'other' },
]

/** The response from a multi-execute. */
const Multi = z.object({
  data: z.object({
    results: z.array(
      z.object({
        tool_slug: z.string(),
        response: z.object({ successful: z.boolean(), error: z.string().nullable() }),
      }),
    ),
  }),
  successful: z.boolean(),
})

/** By which Composio signs its events. */
const HOOK = 'hook-secret-of-the-project'
let composio: ComposioDouble
let gateway: TestGateway

const wire = (words: object) => ({
  kind: 'composio' as const,
  url: composio.url,
  headers: { 'x-api-key': API_KEY },
  words: { servers_at: composio.url, ...words },
})

beforeAll(async () => {
  composio = await startComposio(TOOLS, { pageSize: 2 })
  gateway = await openGateway({
    connections: [
      {
        alias: 'gmail',
        wire: { ...wire({ toolkits: ['gmail'] }), headers: { 'x-api-key': API_KEY, 'Webhook-Secret': HOOK } },
      },
      { alias: 'flaky', wire: wire({ toolkits: ['gmail'] }) },
      { alias: 'gmailmcp', wire: wire({ way: 'mcp', server: 'srv-gmail', toolkits: ['gmail'] }) },
      {
        alias: 'slackmcp',
        wire: wire({
          way: 'mcp',
          server: 'srv-slack',
          toolkits: ['slack'],
          servers_at: `${composio.url}/?key=of-a-proxy`,
        }),
      },
      { alias: 'router', wire: wire({ way: 'session', toolkits: ['gmail', 'slack', 'hackernews'] }) },
      { alias: 'news', wire: wire({ toolkits: ['hackernews'], default_user: 'everybody' }) },
    ],
    toolsets: [
      { slug: 'all', title: 'All', settings: { include: ['*'], exclude: [], discovery: 'direct' } },
      { slug: 'search', title: 'Search', settings: { include: ['*'], exclude: [], discovery: 'search' } },
    ],
  })
  for (const name of ['ada', 'bob', 'eve']) await addMember(gateway, name)
  await addKey(gateway, 'admin', 'platform_admin', null)
  await until(
    'the members are known',
    async () => (await toolNames({ key: keyOf('eve') }, gateway.connectionUrl('gmail'))).length > 0,
  )
})
afterAll(async () => {
  await gateway?.[Symbol.asyncDispose]()
  await composio?.[Symbol.asyncDispose]()
})
beforeEach(() => {
  composio.next.length = 0
  composio.accounts.length = 0
  composio.accounts.push(
    { id: 'ca_ada1', user: 'ada@example.com', toolkit: 'gmail', alias: 'work', status: 'ACTIVE' },
    { id: 'ca_bob1', user: 'bob@example.com', toolkit: 'gmail', status: 'ACTIVE' },
    { id: 'ca_ada2', user: 'ada@example.com', toolkit: 'slack', status: 'ACTIVE' },
  )
})

const peer = (alias: string, who = 'ada') =>
  ({ url: gateway.connectionUrl(alias), key: keyOf(who), era: 'modern' }) as const
const call = async (alias: string, tool: string, given: Record<string, unknown> = {}, who = 'ada') =>
  (await callTool(peer(alias, who), tool, given)).answer.result ?? {}
const last = () => composio.executed.at(-1)
const codeOf = (result: Record<string, unknown>) =>
  (result['_meta'] as Record<string, { code: string }> | undefined)?.['dev.toolway/fault']?.code
const admin = (at: `${'GET' | 'POST' | 'PATCH'} /${string}`, body?: unknown) =>
  askAdmin(gateway.address, at, { token: keyOf('admin'), ...(body === undefined ? {} : { body }) })

describe('one app, by its MCP server', () => {
  test('S0-CMP-01, S0-CMP-02, S0-CMP-05: two users use one server at the address of the seed, each with the own account', async () => {
    const ada = await call('gmailmcp', 'GMAIL_SEND_EMAIL', { text: 'hello' })
    const bob = await call('gmailmcp', 'GMAIL_SEND_EMAIL', { text: 'hello' }, 'bob')
    expect([ada['isError'], bob['isError']]).toEqual([undefined, undefined])
    expect(composio.executed.slice(-2)).toEqual([
      {
        way: 'mcp',
        slug: 'GMAIL_SEND_EMAIL',
        user: 'ada@example.com',
        account: 'ca_ada1',
        arguments: { text: 'hello' },
      },
      {
        way: 'mcp',
        slug: 'GMAIL_SEND_EMAIL',
        user: 'bob@example.com',
        account: 'ca_bob1',
        arguments: { text: 'hello' },
      },
    ])
    expect(composio.asked).toContain(
      'POST /composio/server/srv-gmail/mcp?user_id=ada%40example.com&connected_account_id=ca_ada1',
    )
    expect(composio.asked).toContain(
      'POST /composio/server/srv-gmail/mcp?user_id=bob%40example.com&connected_account_id=ca_bob1',
    )
  })

  test('S0-CMP-03: no argument of a caller chooses the user, and no account of another user is taken', async () => {
    const hostile = { text: 'x', user_id: 'bob@example.com', connected_account_id: 'ca_bob1' }
    await call('gmailmcp', 'GMAIL_SEND_EMAIL', hostile)
    expect(last()).toMatchObject({ user: 'ada@example.com', account: 'ca_ada1' })
    await call('gmail', 'GMAIL_SEND_EMAIL', { ...hostile, to: 'x' })
    expect(last()).toMatchObject({ user: 'ada@example.com', account: 'ca_ada1' })
    composio.accounts.push({
      id: 'ca_ada3',
      user: 'ada@example.com',
      toolkit: 'gmail',
      alias: 'home',
      status: 'ACTIVE',
    })
    await gateway.settled('gmail')
    const before = composio.executed.length
    const executing = (accountId: string) =>
      fetch(`${gateway.address}/execute/gmail__GMAIL_SEND_EMAIL`, {
        method: 'POST',
        headers: { authorization: `Bearer ${keyOf('ada')}`, 'content-type': 'application/json' },
        body: JSON.stringify({ text: 'x', _connected_account_id: accountId }),
      })
    expect((await executing('ca_bob1')).status).not.toBe(200)
    expect(composio.executed).toHaveLength(before)
    expect(JSON.stringify(await (await executing('ca_ada1')).json())).toContain('"for":"ada@example.com"')
    expect(last()).toMatchObject({ user: 'ada@example.com', account: 'ca_ada1' })
  })

  test('S0-CMP-07: progress of a long operation reaches the client before its result', async () => {
    const session = await openSession(gateway.connectionUrl('gmailmcp'), keyOf('ada'))
    for (const one of [peer('gmailmcp'), session]) {
      const { messages } = await callTool(one, 'GMAIL_FETCH_EMAILS', { text: 'slow' }, { meta: { progressToken: 'p' } })
      expect(messages.map(({ method }) => method ?? 'answer')).toEqual([
        'notifications/progress',
        'notifications/progress',
        'answer',
      ])
    }
  })

  test('S0-CMP-10: the catalog is the sum of all connections, and every name stands once', async () => {
    const names = await toolNames({ key: keyOf('ada') }, `${gateway.address}/o/default/t/all/mcp`)
    expect(new Set(names).size).toBe(names.length)
    expect(names).toEqual(
      expect.arrayContaining(['gmailmcp__GMAIL_SEND_EMAIL', 'slackmcp__SLACK_SEND_MESSAGE', 'gmail__GMAIL_SEND_EMAIL']),
    )
  })

  test('the address of the servers may have a query of its own, such as the key of a proxy', async () => {
    expect((await call('slackmcp', 'SLACK_SEND_MESSAGE', { text: 'hello' }))['isError']).toBeUndefined()
    const sent = composio.asked.filter((one) => one.includes('/srv-slack/'))
    expect(sent).not.toEqual([])
    for (const one of sent) expect(one).toMatch(/ \/composio\/server\/srv-slack\/mcp\?key=of-a-proxy&user_id=[^&]+/)
  })
})

describe('by the REST interface', () => {
  test('U-11: both ways give the same result for the same call', async () => {
    const bare = ({ structuredContent: said }: Record<string, unknown>) => ({ ...(said as object), log_id: null })
    const given = { text: 'same' }
    const [rest, mcp] = [
      await call('gmail', 'GMAIL_SEND_EMAIL', given),
      await call('gmailmcp', 'GMAIL_SEND_EMAIL', given),
    ]
    expect(bare(rest)).toEqual(bare(mcp))
    expect(bare(rest)).toMatchObject({ successful: true, error: null, data: { did: 'GMAIL_SEND_EMAIL' } })
  })

  test('S0-CMP-11, S4-CMP-08: an unsuccessful result is an error that keeps its error and log id', async () => {
    for (const alias of ['gmail', 'gmailmcp']) {
      const failed = await call(alias, 'GMAIL_SEND_EMAIL', { text: 'fail' })
      expect(failed).toMatchObject({
        isError: true,
        structuredContent: {
          successful: false,
          error: 'the recipient is unknown',
          log_id: expect.stringMatching(/^log_/),
        },
        content: [{ type: 'text', text: 'the recipient is unknown' }],
      })
    }
  })

  test('S0-CMP-08: a read is tried again after two failures, a write is sent once, and what stays broken ends in an error', async () => {
    composio.next.push(503, 'cut')
    const before = composio.executed.length
    expect(await call('flaky', 'GMAIL_FETCH_EMAILS')).toMatchObject({ structuredContent: { successful: true } })
    expect(composio.executed).toHaveLength(before + 1)
    composio.next.push(503)
    const asked = composio.asked.length
    expect(await call('flaky', 'GMAIL_SEND_EMAIL')).toMatchObject({ isError: true })
    expect(composio.asked.slice(asked).filter((one) => one.includes('/execute/'))).toHaveLength(1)
    composio.next.push(...Array.from({ length: 10 }, () => 503))
    expect(await call('flaky', 'GMAIL_FETCH_EMAILS')).toMatchObject({ isError: true })
    expect(composio.next.length).toBeGreaterThan(3)
  })

  test('a list in pages is read whole; what is deprecated is left out', async () => {
    expect(await toolNames({ key: keyOf('ada') }, gateway.connectionUrl('gmail'))).toEqual([
      'COMPOSIO_UPLOAD_FILE',
      'GMAIL_SEND_EMAIL',
      'GMAIL_FETCH_EMAILS',
      'upload_file',
      'download_file',
    ])
    expect(composio.asked).toContain('GET /api/v3.1/tools?toolkit_slug=gmail&limit=500&cursor=2')
  })

  test('S4-CMP-11: a caller who is no member acts as the default user, and without one is refused', async () => {
    const nobodys = { url: gateway.connectionUrl('news'), key: gateway.key, era: 'modern' } as const
    await callTool(nobodys, 'HACKERNEWS_TOP')
    expect(last()).toMatchObject({ user: 'everybody', account: undefined })
    await call('news', 'HACKERNEWS_TOP', {}, 'bob')
    expect(last()).toMatchObject({ user: 'bob@example.com' })
    const { answer } = await callTool({ ...nobodys, url: gateway.connectionUrl('gmail') }, 'GMAIL_FETCH_EMAILS')
    expect(JSON.stringify(answer)).toContain('has no default user')
  })

  test('S0-CMP-06: a result in any spelling is normalised', async () => {
    const spellings: [object, object][] = [
      [
        { data: { a: 1 }, success: true },
        { data: { a: 1 }, successful: true, error: null, log_id: null },
      ],
      [
        { data: { a: 1 }, successfull: true, error: '' },
        { data: { a: 1 }, successful: true, error: null, log_id: null },
      ],
      [
        { data: {}, error: 'no', logId: 'log_1' },
        { data: {}, successful: false, error: 'no', log_id: 'log_1' },
      ],
      [
        { data: null, error: { message: 'bad' } },
        { data: null, successful: false, error: 'bad', log_id: null },
      ],
      [
        { successful: false, error: 'no' },
        { data: null, successful: false, error: 'no', log_id: null },
      ],
      [{ rows: [1] }, { data: { rows: [1] }, successful: true, error: null, log_id: null }],
    ]
    for (const [answer, normal] of spellings) {
      composio.next.push(answer)
      expect((await call('gmail', 'GMAIL_FETCH_EMAILS'))['structuredContent']).toEqual(normal)
    }
  })
})

describe('accounts', () => {
  test('S0-CMP-04: no credential is stored, and no token of a vendor is seen', async () => {
    await call('gmail', 'GMAIL_FETCH_EMAILS')
    const rows = await gateway.db.system((sql) => sql(z.object({ id: z.string() }))`select id from credentials`)
    expect(rows).toEqual([])
  })

  test('a user without an account gets a link, connects on the page of Composio, and the same call goes on', async () => {
    const refused = await call('gmail', 'GMAIL_FETCH_EMAILS', {}, 'eve')
    expect(codeOf(refused)).toBe('NEEDS_AUTH')
    const link = /https?:\/\/\S+\/connect\/[\w-]+/.exec(JSON.stringify(refused))?.[0] ?? ''
    const browser = createBrowser(gateway.address)
    await browser.submit('/sign-in', { email: 'eve@example.com', password: PASSWORD })
    const shown = await (await browser.ask(link)).text()
    expect(shown).toContain('Toolway never sees its tokens')
    const csrf = /name="csrf" value="([^"]+)"/.exec(shown)?.[1] ?? ''
    const sent = await (await browser.submit(link, { csrf, step: 'account' })).text()
    const [token = '', { account, callback } = { account: '', callback: '' }] = [...composio.links].at(-1) ?? []
    expect(sent).toContain(`${composio.url}/link/${token}`)
    expect(callback).toContain('/connect/done?connected=')
    const made = composio.accounts.find(({ id }) => id === account)
    expect(made).toMatchObject({ user: 'eve@example.com', toolkit: 'gmail' })
    if (made !== undefined) made.status = 'ACTIVE'
    await call('gmail', 'GMAIL_FETCH_EMAILS', {}, 'eve')
    expect(last()).toMatchObject({ user: 'eve@example.com', account })
  })

  test('a member lists and removes the own accounts at Composio, and no others', async () => {
    const at = '/admin/tenants/default/connectors/gmail/accounts' as const
    const own = async (who: string) => (await askAdmin(gateway.address, `GET ${at}`, { token: keyOf(who) })).body
    const depart = 'POST /admin/tenants/default/connectors/gmail/accounts/depart' as const
    const away = await askAdmin(gateway.address, depart, { token: keyOf('ada') })
    expect([away.status, new URL(away.body.url).pathname]).toEqual([200, expect.stringMatching(/^\/connect\/./)])
    expect((await own('ada')).items).toMatchObject([
      { id: 'ca_ada1', account: 'work', kind: 'broker', state: 'good', provider: 'gmail', owner: 'member' },
    ])
    const remove = (who: string, id: string) => askAdmin(gateway.address, `DELETE ${at}/${id}`, { token: keyOf(who) })
    expect((await remove('bob', 'ca_ada1')).status).toBe(404)
    expect((await remove('ada', 'ca_ada1')).body).toEqual({ ended: ['ca_ada1'], problems: [] })
    expect((await own('ada')).total).toBe(0)
    expect(composio.accounts.map(({ id }) => id)).not.toContain('ca_ada1')
    expect(codeOf(await call('gmail', 'GMAIL_FETCH_EMAILS'))).toBe('NEEDS_AUTH')
  })

  describe('events of Composio', () => {
    const at = (connection = 'gmail') =>
      `${gateway.address}/api/v1/organizations/default/connections/${connection}/events`
    const expired = (user = 'ada@example.com') => ({
      ...{ type: 'composio.connected_account.expired', timestamp: new Date().toISOString(), metadata: { log_id: 'l' } },
      data: { id: 'ca_ada1', user_id: user, status: 'EXPIRED', status_reason: 'the refresh token was revoked' },
    })
    const send = async (event: object, { secret = HOOK, age = 0, id = randomUUID(), to = at() } = {}) => {
      const body = JSON.stringify(event)
      const timestamp = String(Math.floor(Date.now() / 1000) - age)
      const signature = createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest('base64')
      const headers = {
        ...{ 'content-type': 'application/json', 'webhook-id': id, 'webhook-timestamp': timestamp },
        ...{ 'webhook-signature': `v1,${signature}`, 'x-composio-webhook-version': 'V3' },
      }
      const response = await fetch(to, { method: 'POST', headers, body })
      return { status: response.status, body: (await response.json()) as Record<string, unknown> }
    }
    const alerts = async () => (await admin('GET /admin/tenants/default/alerts?limit=50')).body.items as object[]

    test('an account that expired there is asked for anew at once, on record, and told to its member, once', async () => {
      expect((await call('gmail', 'GMAIL_FETCH_EMAILS'))['isError']).toBeUndefined()
      const [account] = composio.accounts
      if (account !== undefined) account.status = 'EXPIRED'
      const before = (await alerts()).length
      const id = randomUUID()
      expect(await send(expired(), { id })).toEqual({ status: 200, body: { taken: true } })
      // Sent again where its answer was lost.
      expect((await send(expired(), { id })).body).toEqual({ taken: true })
      expect(codeOf(await call('gmail', 'GMAIL_FETCH_EMAILS'))).toBe('NEEDS_AUTH')
      const told = await alerts()
      expect(told).toHaveLength(before + 1)
      expect(told[0]).toMatchObject({ kind: 'credential.lost', detail: { account: 'ca_ada1', owner: 'member' } })
      const { body } = await admin('GET /admin/tenants/default/audit?action=credential.lose&limit=5')
      expect(body.items[0]).toMatchObject({
        resource_id: 'ca_ada1',
        details: { problem: 'the refresh token was revoked' },
      })
    })

    test('triggers are answered, and nothing is done about them', async () => {
      const event = { type: 'composio.trigger.message', metadata: {}, data: { message: 'hello' } }
      expect(await send(event)).toEqual({ status: 200, body: { taken: false } })
    })

    test('what is not signed for this connection is refused alike, whatever there is', async () => {
      const before = (await alerts()).length
      const refusals = [
        await send(expired(), { secret: 'another' }),
        await send(expired(), { to: at('nowhere') }),
        await send(expired(), { to: at('news') }),
        await send(expired(), { to: at('gmail').replace('/default/', '/elsewhere/') }),
      ].map(({ status, body }) => [status, body['code'], body['detail']])
      expect(new Set(refusals.map((one) => JSON.stringify(one))).size).toBe(1)
      expect(refusals[0]?.slice(0, 2)).toEqual([401, 'broker.signature'])
      expect((await send(expired(), { age: 301 })).status).toBe(401)
      expect((await fetch(at(), { method: 'POST', body: '{}' })).status).toBe(401)
      expect(await alerts()).toHaveLength(before)
    })

    test('its secret is never sent', () => {
      expect(composio.headers.length).toBeGreaterThan(0)
      expect(JSON.stringify(composio.headers)).not.toContain(HOOK)
    })
  })

  test('an expired account is told by its name, with a link', async () => {
    composio.accounts.push({ id: 'ca_eve', user: 'eve@example.com', toolkit: 'gmail', alias: 'own', status: 'EXPIRED' })
    const refused = await call('gmailmcp', 'GMAIL_FETCH_EMAILS', {}, 'eve')
    expect(codeOf(refused)).toBe('NEEDS_AUTH')
    expect(JSON.stringify(refused)).toContain('the refresh token was revoked')
  })

  test('S0-CMP-09: a connection without the key of the project is refused, and the answer names COMPOSIO_API_KEY', async () => {
    const add = (more: object) =>
      admin('POST /admin/tenants/default/connectors', {
        ...{ alias: 'more', title: 'More', connector: 'composio', url: composio.url, private: true },
        ...more,
      })
    const { status, body } = await add({ composio: { toolkits: ['gmail'] } })
    expect([status, JSON.stringify(body)]).toEqual([422, expect.stringContaining('COMPOSIO_API_KEY')])
    const headers = { 'x-api-key': API_KEY }
    expect((await add({ headers, composio: { way: 'mcp' } })).status).toBe(422)
    const made = await add({ headers, composio: { way: 'mcp', server: 'srv-gmail', servers_at: composio.url } })
    expect(made.status, JSON.stringify(made.body)).toBe(201)
    expect(JSON.stringify(made.body)).not.toContain(API_KEY)
    await gateway.settled('more')
    await call('more', 'GMAIL_SEND_EMAIL', {}, 'bob')
    expect(last()).toMatchObject({ way: 'mcp', user: 'bob@example.com', account: 'ca_bob1' })
  })
})

describe('tool router sessions', () => {
  test('S4-CMP-01: HTTP MCP with the header x-api-key: a session’s own tools appear under their names beside those of its toolkits', async () => {
    const names = await toolNames({ key: keyOf('ada') }, gateway.connectionUrl('router'))
    expect(names).toEqual(
      expect.arrayContaining([
        'COMPOSIO_SEARCH_TOOLS',
        'COMPOSIO_MULTI_EXECUTE_TOOL',
        'GMAIL_SEND_EMAIL',
        'SLACK_SEND_MESSAGE',
      ]),
    )
    expect(names).not.toContain('OTHER_APP')
    await call('router', 'COMPOSIO_SEARCH_TOOLS')
    expect(last()).toMatchObject({ way: 'session', slug: 'COMPOSIO_SEARCH_TOOLS', user: 'ada@example.com' })
    const address = composio.asked.findLast((one) => /^POST \/tool_router\/.*\/mcp$/.test(one))?.split(' ')[1] ?? ''
    expect(address).not.toBe('')
    for (const headers of [{}, { 'x-api-key': 'another' }, { authorization: `Bearer ${API_KEY}` }])
      expect((await fetch(`${composio.url}${address}`, { method: 'POST', headers, body: '{}' })).status).toBe(401)
    expect(await call('router', 'GMAIL_SEND_EMAIL')).toMatchObject({ structuredContent: { successful: true } })
    expect(last()).toMatchObject({ way: 'session', slug: 'GMAIL_SEND_EMAIL', account: 'ca_ada1' })
  })

  test('a session that Composio ended is made again, and the call is sent once', async () => {
    await call('router', 'SLACK_SEND_MESSAGE')
    composio.endSessions()
    const before = composio.executed.length
    expect(await call('router', 'SLACK_SEND_MESSAGE')).toMatchObject({ structuredContent: { successful: true } })
    composio.endSessions()
    expect(await call('router', 'COMPOSIO_SEARCH_TOOLS')).toMatchObject({ structuredContent: { successful: true } })
    expect(composio.executed.length).toBe(before + 2)
  })

  test('S4-SRV-05: the address of the server is resolved for each session: a new one gets its own, an old one keeps it, an ended one is made anew', async () => {
    composio.endSessions()
    const resolved = () => composio.asked.filter((one) => one === 'POST /api/v3.1/tool_router/session').length
    /** The address at which a call of that user came in, and how many sessions were resolved for it. */
    const reach = async (who: string) => {
      const [asked, before] = [composio.asked.length, resolved()]
      const result = await call('router', 'COMPOSIO_SEARCH_TOOLS', {}, who)
      expect(result).toMatchObject({ structuredContent: { successful: true, data: { for: `${who}@example.com` } } })
      const [address] = composio.asked
        .slice(asked)
        .filter((one) => one.endsWith('/mcp'))
        .slice(-1)
      return { address, resolved: resolved() - before }
    }
    const ada = await reach('ada')
    const bob = await reach('bob')
    expect([ada.resolved, bob.resolved]).toEqual([1, 1])
    expect(ada.address).toMatch(/^POST \/tool_router\/v3\/trs_\d+\/mcp$/)
    expect(bob.address).not.toBe(ada.address)
    expect(await reach('ada')).toEqual({ address: ada.address, resolved: 0 })
    expect(await reach('bob')).toEqual({ address: bob.address, resolved: 0 })
    composio.endSessions()
    const anew = await reach('ada')
    expect(anew.resolved).toBe(1)
    expect([ada.address, bob.address]).not.toContain(anew.address)
    expect(await reach('ada')).toEqual({ address: anew.address, resolved: 0 })
  })

  test('S4-CMP-04: the calls of a multi-execute run in parallel, each has its own rules and record, and one that is refused keeps no other back', async () => {
    const made = await admin('POST /organizations/default/rules', {
      name: 'no-mail',
      action: 'block',
      reason: 'mail is for people',
      match: { tools: ['*GMAIL_SEND_EMAIL'] },
    })
    expect(made.status, JSON.stringify(made.body)).toBe(201)
    const before = composio.executed.length
    // The first is carried out when the second has arrived.
    const arrived = Promise.withResolvers<undefined>()
    let waiting = 0
    composio.gate = () => {
      if (++waiting === 2) arrived.resolve(undefined)
      return arrived.promise
    }
    const correlation = { 'x-correlation-id': `multi-${before}` }
    const { answer } = await callTool(
      peer('router'),
      'COMPOSIO_MULTI_EXECUTE_TOOL',
      {
        tools: [
          { tool_slug: 'SLACK_SEND_MESSAGE', arguments: { text: 'one' } },
          { tool_slug: 'GMAIL_SEND_EMAIL', arguments: { text: 'two' } },
          { slug: 'HACKERNEWS_TOP', params: {} },
          { tool_slug: 'OTHER_APP', arguments: {} },
        ],
      },
      { headers: correlation },
    )
    composio.gate = undefined
    const said = Multi.parse(answer.result?.['structuredContent'])
    expect(said.successful).toBe(false)
    expect(said.data.results.map(({ tool_slug: slug, response }) => [slug, response.successful])).toEqual([
      ['SLACK_SEND_MESSAGE', true],
      ['GMAIL_SEND_EMAIL', false],
      ['HACKERNEWS_TOP', true],
      ['OTHER_APP', false],
    ])
    expect(said.data.results[1]?.response.error).toContain('mail is for people')
    expect(
      composio.executed
        .slice(before)
        .map(({ slug }) => slug)
        .toSorted(),
    ).toEqual(['HACKERNEWS_TOP', 'SLACK_SEND_MESSAGE'])
    const records = async () => {
      const { body } = await admin(`GET /admin/tenants/default/audit?correlation_id=multi-${before}&limit=50`)
      return (body.items as { resource_id: string; outcome: string }[]).map(
        (one) => `${one.resource_id} ${one.outcome}`,
      )
    }
    await until('all are on record', async () => (await records()).length === 5)
    expect((await records()).toSorted()).toEqual([
      'COMPOSIO_MULTI_EXECUTE_TOOL tool_error',
      'GMAIL_SEND_EMAIL refused',
      'HACKERNEWS_TOP ok',
      'OTHER_APP refused',
      'SLACK_SEND_MESSAGE ok',
    ])
    await askAdmin(gateway.address, `DELETE /organizations/default/rules/${made.body.id}`, { token: keyOf('admin') })
  })

  test('S4-CMP-02: 500 tools are searched, and not all listed', async () => {
    await using large = await startComposio(
      Array.from({ length: 500 }, (_, index) => ({ slug: `BIG_TOOL_${index}`, toolkit: 'big' })).concat([
        { slug: 'BIG_INVOICE_CREATE', toolkit: 'big' },
      ]),
    )
    const made = await admin('POST /admin/tenants/default/connectors', {
      ...{ alias: 'big', title: 'Big', connector: 'composio', url: large.url, private: true },
      ...{ headers: { 'x-api-key': API_KEY }, composio: { toolkits: ['big'] } },
    })
    expect(made.status, JSON.stringify(made.body)).toBe(201)
    await gateway.settled('big')
    const searching = { url: `${gateway.address}/o/default/t/search/mcp`, key: keyOf('ada'), era: 'modern' } as const
    const { answer } = await ask(searching, 'tools/list')
    // Those that find, describe and call, and the two for files.
    expect(answer.result?.['tools']).toHaveLength(5)
    const found = await callTool(searching, 'search_tools', { query: 'create an invoice' })
    expect(JSON.stringify(found.answer)).toContain('big__BIG_INVOICE_CREATE')
  })

  test('S4-CMP-07: search by intent, read the schema, call: the slug is found, and not fixed in code', async () => {
    const searching = { url: `${gateway.address}/o/default/t/search/mcp`, key: keyOf('ada'), era: 'modern' } as const
    const step = async (tool: string, given: Record<string, unknown>) =>
      (await callTool(searching, tool, given)).answer.result?.['structuredContent'] as Record<string, unknown>
    const { tools } = (await step('search_tools', { query: 'send a message with slack', limit: 50 })) as {
      tools: { name: string }[]
    }
    const name = tools.find((one) => one.name.startsWith('router__SLACK'))?.name ?? ''
    const { tool } = (await step('describe_tool', { name })) as { tool: { inputSchema: { properties: object } } }
    const [first = ''] = Object.keys(tool.inputSchema.properties)
    expect(await step('call_tool', { name, arguments: { [first]: 'general' } })).toMatchObject({ successful: true })
    expect(last()).toMatchObject({ slug: 'SLACK_SEND_MESSAGE', arguments: { to: 'general' } })
  })
})

const CATALOG: [ledger: string, slug: string, given: Record<string, unknown>][] = [
  ['S4-CMP-03', 'COMPOSIO_SEARCH_NEWS', { query: 'mcp', num_results: 5 }],
  ['S4-CMP-03', 'COMPOSIO_SEARCH_WEB', { query: 'mcp', num_results: 5 }],
  ['S4-CMP-05', 'COMPOSIO_REMOTE_WORKBENCH', { code_to_execute: 'print(1)', session_id: 's1' }],
  ['S4-CMP-05', 'CODEINTERPRETER_GET_FILE_CMD', { file_path: '/home/user/a.txt' }],
  ['S4-CMP-05', 'CODEINTERPRETER_WRITE_FILE_CMD', { file_path: '/home/user/a.txt', content: 'a' }],
  ['S4-CMP-06', 'GMAIL_SEND_EMAIL', { to: 'a@b.example', subject: 's', body: 'b', attachments: [] }],
  ['S4-CMP-06', 'OUTLOOK_SEND_EMAIL', { to: 'a@b.example', subject: 's', body: 'b', attachments: [] }],
  ['S4-CMP-06', 'SLACK_SEND_MESSAGE', { channel: 'general', text: 't' }],
]

describe('the tools of the source system Universal Agent', () => {
  let double: ComposioDouble
  beforeAll(async () => {
    const typeOf = (value: unknown) =>
      Array.isArray(value) ? 'array' : typeof value === 'number' ? 'integer' : 'string'
    double = await startComposio(
      CATALOG.map(([, slug, given]) => ({
        slug,
        toolkit: 'agent',
        noAuth: true,
        input: {
          type: 'object',
          properties: Object.fromEntries(Object.entries(given).map(([name, value]) => [name, { type: typeOf(value) }])),
          required: Object.keys(given),
          additionalProperties: false,
        },
      })),
    )
    const made = await admin('POST /admin/tenants/default/connectors', {
      ...{ alias: 'agent', title: 'Agent', connector: 'composio', url: double.url, private: true },
      ...{ headers: { 'x-api-key': API_KEY }, composio: { toolkits: ['agent'] } },
    })
    if (made.status !== 201) throw new Error(JSON.stringify(made.body))
    await gateway.settled('agent')
  })
  afterAll(() => double?.[Symbol.asyncDispose]())

  test.each(CATALOG)('%s: %s is called with its arguments, and refused without them', async (_, slug, given) => {
    expect(await call('agent', slug, given)).toMatchObject({ structuredContent: { successful: true } })
    expect(double.executed.at(-1)).toMatchObject({ slug, arguments: given, user: 'ada@example.com' })
    const before = double.executed.length
    expect(JSON.stringify((await callTool(peer('agent'), slug, {})).answer)).toContain('INVALID_ARGUMENT')
    expect(double.executed).toHaveLength(before)
  })
})

describe('the double of Composio', () => {
  const good = { user_id: 'u', arguments: {} }
  const wrong: [what: string, path: string, body: unknown, headers?: Record<string, string>][] = [
    ['no key', '/tools/execute/HACKERNEWS_TOP', good, { 'x-api-key': '' }],
    ['a consumer key', '/tools/execute/HACKERNEWS_TOP', good, { 'x-api-key': 'ck_test' }],
    ['an unknown tool', '/tools/execute/NOTHING', good],
    ['an unknown member', '/tools/execute/HACKERNEWS_TOP', { ...good, entity: 'x' }],
    ['arguments that are a list', '/tools/execute/HACKERNEWS_TOP', { ...good, arguments: [] }],
    ['arguments that are a text', '/tools/execute/HACKERNEWS_TOP', { ...good, arguments: '{}' }],
    ['an account that is no id', '/tools/execute/HACKERNEWS_TOP', { ...good, connected_account_id: 'ada' }],
    ['neither a user nor an account', '/tools/execute/HACKERNEWS_TOP', { arguments: {} }],
    ['a user without an account', '/tools/execute/GMAIL_SEND_EMAIL', good],
    ['the account of somebody else', '/tools/execute/GMAIL_SEND_EMAIL', { ...good, connected_account_id: 'ca_ada1' }],
    ['a query', '/tools/execute/HACKERNEWS_TOP?user_id=u', good],
    ['no JSON', '/tools/execute/HACKERNEWS_TOP', 'user_id=u'],
    ['another media type', '/tools/execute/HACKERNEWS_TOP', good, { 'content-type': 'text/plain' }],
    ['a link without a user', '/connected_accounts/link', { auth_config_id: 'ac_gmail' }],
    [
      'a link to what is no address',
      '/connected_accounts/link',
      { auth_config_id: 'ac_gmail', user_id: 'u', callback_url: 'x' },
    ],
    ['a link of a toolkit', '/connected_accounts/link', { toolkit: 'gmail', user_id: 'u' }],
    ['an auth config without a toolkit', '/auth_configs', { toolkit: 'gmail' }],
    ['a session without a user', '/tool_router/session', { toolkits: { enable: ['gmail'] } }],
    ['a session with a list of toolkits', '/tool_router/session', { user_id: 'u', toolkits: ['gmail'] }],
    ['a session with the members of the echo', '/tool_router/session', { user_id: 'u', toolkits: { enabled: [] } }],
    ['a call in no session', '/tool_router/session/trs_none/execute', { tool_slug: 'HACKERNEWS_TOP' }],
    ['a call without a slug', '/tool_router/session/trs_none/execute', { slug: 'HACKERNEWS_TOP' }],
    ['an unknown address', '/tools/run', good],
  ]

  test.each(wrong)('refuses %s', async (_, path, body, headers = {}) => {
    const before = composio.executed.length
    const answer = await fetch(`${composio.url}/api/v3.1${path}`, {
      method: 'POST',
      headers: { 'x-api-key': API_KEY, 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
    expect(answer.status).toBeGreaterThanOrEqual(400)
    expect(await answer.json()).toMatchObject({ error: { message: expect.stringMatching(/./), status: answer.status } })
    expect(composio.executed).toHaveLength(before)
  })
})
