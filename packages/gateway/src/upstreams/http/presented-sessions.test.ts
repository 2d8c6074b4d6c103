import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { UserId } from '@toolway/contract'
import type { JsonObject, Revision } from '@toolway/protocol'
import { describe, expect, test } from 'vitest'
import { sayJson, startScriptedUpstream, type Heard } from '../../../../../test/fault/scripted-upstream.ts'
import { until } from '../../../../../test/e2e/peers/until.ts'
import { OPERATOR, type Principal } from '../../identity/principal.ts'
import { fetchCapabilities } from '../capabilities/fetch-capabilities.ts'
import { createFakeCredentials, type FakeAccount } from '../../testing/fake-credentials.ts'
import { createTestContext, type Reached } from '../../testing/request-context.ts'

const member = (id: string): Principal => ({ ...OPERATOR, id, kind: 'user', userId: id as UserId })
const ann = { principal: member('usr_ann') }
const bob = { principal: member('usr_bob') }
const TOOLS: JsonObject[] = [{ name: 'look', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } }]
const at = (url: string, revision: Revision, more: Partial<Reached> = {}): Reached => ({
  alias: 'web',
  url,
  revision,
  tools: TOOLS,
  ...more,
})
const tokenIn = ({ headers }: Pick<Heard, 'headers'>) => headers.authorization?.replace(/^Bearer secret-/, '')
const personal = () =>
  createFakeCredentials([
    { account: 'ann', userId: 'usr_ann' },
    { account: 'bob', userId: 'usr_bob' },
  ])

describe('a session with a legacy server', () => {
  test('S2-SES-01: is one for ten calls of each owner and credential', async () => {
    await using server = await startScriptedUpstream({ era: 'legacy' })
    const credentials = createFakeCredentials([
      { account: 'work', userId: 'usr_ann', isDefault: true },
      { account: 'home', userId: 'usr_ann' },
      { account: 'bob', userId: 'usr_bob' },
    ])
    await using house = await createTestContext({
      connections: [at(server.url, '2025-11-25', { auth: { accounts: 'many' } })],
      credentials,
    })
    const ten = <T>(work: () => Promise<T>) => Promise.all(Array.from({ length: 10 }, work))
    await ten(() => house.call('look', {}, ann))
    await ten(() => house.call('look', { account: 'home' }, ann))
    await ten(() => house.call('look', {}, bob))
    expect(server.of('initialize').map(tokenIn)).toEqual(['work-1', 'home-1', 'bob-1'])
    const pairs = server.of('tools/call').map((heard) => `${heard.session} ${tokenIn(heard)}`)
    expect([...new Set(pairs)].toSorted()).toEqual(['session-1 work-1', 'session-2 home-1', 'session-3 bob-1'])
  })

  test('S2-SES-05: carries the current token with every request, and is kept when it is renewed', async () => {
    await using server = await startScriptedUpstream({
      era: 'legacy',
      act(heard, response) {
        if (heard.verb === 'GET') {
          response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
          return true
        }
        if (heard.method !== 'tools/call') return false
        if (heard.params['name'] === 'hang') return true
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        const ask = { jsonrpc: '2.0', id: 'q1', method: 'elicitation/create', params: { message: 'Sure?' } }
        response.write(`data: ${JSON.stringify(ask)}\n\n`)
        answers.push(() => {
          const answer = { jsonrpc: '2.0', id: heard.id, result: { content: [] } }
          response.end(`data: ${JSON.stringify(answer)}\n\n`)
        })
        return true
      },
    })
    const answers: (() => void)[] = []
    const credentials = personal()
    const tools: JsonObject[] = [...TOOLS, { name: 'hang', inputSchema: { type: 'object' } }]
    await using house = await createTestContext({
      connections: [at(server.url, '2025-11-25', { tools })],
      credentials,
    })
    const session = house.session({ elicitation: { form: {} } }, ann.principal)
    const question = async () => {
      await Promise.resolve()
      return { result: { action: 'accept', content: {} } }
    }
    const round = async () => {
      const before = server.heard.length
      const calling = house.call('look', {}, { ...ann, session, question })
      const answered = () => server.heard.slice(before).some(({ id, method }) => id === 'q1' && method === '')
      await until('its question is answered', answered)
      answers.pop()?.()
      return (await calling).audit.outcome
    }
    expect(await round()).toBe('ok')
    const heardOf = (what: string) => server.heard.some(({ verb, method }) => (method || verb) === what)
    await until('it listens', () => heardOf('GET'))
    expect(new Set(server.heard.map(tokenIn))).toEqual(new Set(['ann-1']))

    credentials.accountList[0] = { account: 'ann', userId: 'usr_ann', version: 2 }
    const before = server.heard.length
    expect(await round()).toBe('ok')
    const leaving = new AbortController()
    const hanging = house.call('hang', {}, { ...ann, session, signal: leaving.signal }).catch(() => {})
    await until('it hangs', () => server.of('tools/call').length === 3)
    leaving.abort()
    await hanging
    house.sessions.end(ann.principal.id, session.id)
    await until('the session is ended', () => heardOf('DELETE') && heardOf('notifications/cancelled'))
    const after = server.heard.slice(before)
    expect(new Set(after.map(tokenIn))).toEqual(new Set(['ann-2']))
    expect(after.map(({ verb, method }) => method || verb)).toEqual(
      expect.arrayContaining(['tools/call', 'notifications/cancelled', 'DELETE']),
    )
    expect(server.of('initialize')).toHaveLength(1)
  })

  test('S2-SES-05: of a connection with auth none carries nothing', async () => {
    await using server = await startScriptedUpstream({ era: 'legacy' })
    await using house = await createTestContext({
      connections: [at(server.url, '2025-11-25', { auth: { kind: 'none' } })],
      credentials: personal(),
    })
    await house.call('look', {}, ann)
    await house.upstream('web').check(new AbortController().signal)
    expect(server.heard.length).toBeGreaterThan(2)
    expect(server.heard.filter(({ headers }) => headers.authorization !== undefined)).toEqual([])
  })

  test('ends with its owner, whatever credentials it was opened under', async () => {
    await using server = await startScriptedUpstream({ era: 'legacy' })
    const credentials = createFakeCredentials([
      { account: 'work', userId: 'usr_ann', isDefault: true },
      { account: 'home', userId: 'usr_ann' },
    ])
    await using house = await createTestContext({
      connections: [at(server.url, '2025-11-25', { auth: { accounts: 'many' } })],
      credentials,
    })
    const session = house.session({}, ann.principal)
    await house.call('look', {}, { ...ann, session })
    await house.call('look', { account: 'home' }, { ...ann, session })
    house.sessions.end(ann.principal.id, session.id)
    const ended = () => server.heard.filter(({ verb }) => verb === 'DELETE')
    await until('both are ended', () => ended().length === 2)
    // They are ended side by side.
    const words = ended().map((heard) => `${heard.session} ${tokenIn(heard)}`)
    expect(words.toSorted()).toEqual(['session-1 work-1', 'session-2 home-1'])
  })

  test('is not opened by whom the server refuses, and then by the renewed token', async () => {
    await using server = await startScriptedUpstream({
      era: 'legacy',
      act: (heard, response) =>
        tokenIn(heard) !== 'ann-2' && (sayJson(response, {}, 401, { 'www-authenticate': 'Bearer' }), true),
    })
    await using house = await createTestContext({
      connections: [at(server.url, '2025-11-25')],
      credentials: personal(),
    })
    const { audit } = await house.call('look', {}, ann)
    expect(audit.outcome).toBe('ok')
    expect(server.of('initialize').map(tokenIn)).toEqual(['ann-1', 'ann-2'])
  })
})

describe('what the gateway asks for itself', () => {
  const signal = new AbortController().signal
  const eras = [
    ['modern', '2026-07-28'],
    ['legacy', '2025-11-25'],
  ] as const

  test.each(eras)(
    'of a %s server goes out with its own credential, and once more when that is renewed',
    async (era, revision) => {
      const good = { token: 'default-1' }
      await using server = await startScriptedUpstream({
        era,
        act: (heard, response) =>
          tokenIn(heard) !== good.token && (sayJson(response, {}, 401, { 'www-authenticate': 'Bearer' }), true),
      })
      const credentials = createFakeCredentials([{ account: 'default' }])
      await using house = await createTestContext({
        connections: [at(server.url, revision, { finds: true })],
        credentials,
        own: credentials.own,
      })
      const upstream = house.upstream('web')
      expect(await upstream.introduce(signal)).toMatchObject({ revision })
      good.token = 'default-2'
      expect(await upstream.check(signal)).toBe(true)
      expect(credentials.refusals).toHaveLength(1)
      const dead = credentials.accountList[0]
      if (dead !== undefined) dead.dead = true
      good.token = 'none'
      await expect(upstream.check(signal)).rejects.toMatchObject({ code: 'upstream.needs-auth' })
    },
  )

  test('a server that lets nobody in says nothing of its era by that', async () => {
    const open = { now: false }
    await using server = await startScriptedUpstream({
      era: 'legacy',
      act: (_, response) => !open.now && (sayJson(response, {}, 401), true),
    })
    await using house = await createTestContext({ connections: [at(server.url, '2026-07-28', { finds: true })] })
    const upstream = house.upstream('web')
    await expect(upstream.introduce(signal)).rejects.toMatchObject({ code: 'upstream.needs-auth' })
    expect(server.of('initialize')).toEqual([])
    open.now = true
    expect(await upstream.introduce(signal)).toMatchObject({ revision: '2025-11-25' })
  })

  test('the era of a server that lets in only a caller is found with that caller’s credential, and in its session', async () => {
    await using server = await startScriptedUpstream({
      era: 'legacy',
      act: (heard, response) =>
        tokenIn(heard) !== 'ann-1' && (sayJson(response, {}, 401, { 'www-authenticate': 'Bearer' }), true),
    })
    await using house = await createTestContext({
      connections: [at(server.url, '2025-11-25', { finds: true })],
      credentials: personal(),
    })
    expect((await house.call('look', {}, ann)).audit.outcome).toBe('ok')
    expect(server.of('initialize')).toHaveLength(1)
  })
})

test('whoever listens at a modern server hears what its own account is told, and nobody else does', async () => {
  const streams = new Map<string | undefined, ServerResponse>()
  await using server = await startScriptedUpstream({
    era: 'modern',
    act(heard, response) {
      if (heard.method !== 'subscriptions/listen') return false
      streams.set(tokenIn(heard), response)
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const params = { notifications: heard.params['notifications'] }
      const said = { jsonrpc: '2.0', method: 'notifications/subscriptions/acknowledged', params }
      response.write(`data: ${JSON.stringify(said)}\n\n`)
      return true
    },
  })
  await using house = await createTestContext({
    connections: [at(server.url, '2026-07-28', { capabilities: { resources: { subscribe: true } } })],
    credentials: personal(),
  })
  const heard: string[] = []
  const leaving = new AbortController()
  const listen = (who: typeof ann) =>
    house.ask(
      'subscriptions/listen',
      { notifications: { resourceSubscriptions: ['file:///a'] } },
      {
        ...who,
        signal: leaving.signal,
        notify: ({ method }) => void heard.push(`${who.principal.id} ${method}`),
      },
    )
  const listening = [listen(ann), listen(bob)]
  await until('both listen', () => heard.length === 2)
  expect(new Set(streams.keys())).toEqual(new Set(['ann-1', 'bob-1']))
  const update = { jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri: 'file:///a' } }
  streams.get('ann-1')?.write(`data: ${JSON.stringify(update)}\n\n`)
  await until('ann hears of it', () => heard.length === 3)
  expect(heard.at(-1)).toBe('usr_ann notifications/resources/updated')
  leaving.abort()
  await Promise.all(listening)
})

test('whoever listens without an account hears nothing of one that somebody connects later', async () => {
  const streams: { token: string | undefined; filter: unknown; response: ServerResponse }[] = []
  await using server = await startScriptedUpstream({
    era: 'modern',
    act(heard, response) {
      if (heard.method !== 'subscriptions/listen') return false
      const filter = heard.params['notifications']
      streams.push({ token: tokenIn(heard), filter, response })
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const method = 'notifications/subscriptions/acknowledged'
      response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', method, params: { notifications: filter } })}\n\n`)
      return true
    },
  })
  const accounts: { account: string; userId: string }[] = []
  const credentials = createFakeCredentials(accounts, { optional: true })
  await using house = await createTestContext({
    connections: [at(server.url, '2026-07-28', { capabilities: { resources: { subscribe: true } } })],
    credentials,
    own: credentials.own,
  })
  const leaving = new AbortController()
  house.upstream('web').watch(() => {}, leaving.signal)
  const heard: string[] = []
  const listening = house.ask(
    'subscriptions/listen',
    { notifications: { resourceSubscriptions: ['file:///a', 'file:///b'] } },
    { ...bob, signal: leaving.signal, notify: ({ method, params }) => void heard.push(`${method} ${params?.['uri']}`) },
  )
  await until('bob listens', () => heard.length === 1)

  // The gateway's own stream, which bob shares, breaks; it comes back with the account that is there by then.
  accounts.push({ account: 'ann', userId: 'usr_ann' })
  const said = (uri: string) =>
    `data: ${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri } })}\n\n`
  const before = streams.length
  for (const { response } of streams) response.end()
  const names = ({ filter }: (typeof streams)[number]) => JSON.stringify(filter).includes('file:///a')
  const own = () => streams.slice(before).findLast(({ token }) => token === 'ann-1')
  const bobs = () => streams.slice(before).findLast((one) => one.token === undefined && names(one))
  await until('both are back', () => own() !== undefined && bobs() !== undefined)
  // He is told to look at both, because something may have been missed.
  await until('bob is told', () => heard.length === 3)
  heard.length = 0
  for (const { token, response } of streams.slice(before)) if (token !== undefined) response.write(said('file:///a'))
  bobs()?.response.write(said('file:///b'))
  await until('bob hears of his own', () => heard.includes('notifications/resources/updated file:///b'))
  expect(heard).toEqual(['notifications/resources/updated file:///b'])
  leaving.abort()
  await listening
})

test.each(['modern', 'legacy'] as const)(
  'what one member’s account has at a %s server is listed to nobody; what a shared one has is',
  async (era) => {
    await using server = await startScriptedUpstream({
      era,
      capabilities: { tools: {}, resources: {} },
      results: {
        'tools/list': { tools: TOOLS },
        'resources/list': { resources: [{ uri: 'file:///mine/diagnosis.pdf', name: 'diagnosis' }] },
        'resources/templates/list': { resourceTemplates: [] },
      },
    })
    const offerOf = async (account: FakeAccount) => {
      const { own } = createFakeCredentials([account])
      const revision = era === 'modern' ? '2026-07-28' : '2025-11-25'
      await using house = await createTestContext({ connections: [at(server.url, revision)], own })
      return await fetchCapabilities(house.upstream('web'), 'web', AbortSignal.timeout(10_000))
    }
    const one = await offerOf({ account: 'ann', userId: 'usr_ann' })
    expect(one).toMatchObject({ tools: TOOLS, resources: [] })
    expect(server.of('tools/list').map(tokenIn)).toEqual(['ann-1'])
    expect((await offerOf({ account: 'all' })).resources).toHaveLength(1)
  },
)

test('a pair of HTTP+SSE carries the current token, too, and repeats none in an error', async () => {
  const sent: (string | undefined)[] = []
  let stream: ServerResponse | undefined
  const http = createServer((request, response) => {
    sent.push(tokenIn(request))
    if (request.method === 'GET') {
      stream = response.writeHead(200, { 'content-type': 'text/event-stream' })
      return void stream.write('event: endpoint\ndata: /messages\n\n')
    }
    if (request.url !== '/messages') return void response.writeHead(405).end()
    let body = ''
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk))
    request.on('end', () => {
      const { id, method } = JSON.parse(body) as { id?: number; method: string }
      response.writeHead(202).end()
      if (id === undefined) return
      const initialized = { protocolVersion: '2024-11-05', capabilities: {}, serverInfo: { name: 'old', version: '1' } }
      const answer =
        method === 'initialize'
          ? { result: initialized }
          : { error: { code: -32000, message: `no good: ${request.headers.authorization}` } }
      stream?.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', id, ...answer })}\n\n`)
    })
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/sse`
  const credentials = personal()
  await using house = await createTestContext({ connections: [at(url, '2024-11-05')], credentials })
  const first = await house.call('look', {}, ann)
  expect(new Set(sent)).toEqual(new Set(['ann-1']))
  credentials.accountList[0] = { account: 'ann', userId: 'usr_ann', version: 2 }
  sent.length = 0
  const second = await house.call('look', {}, ann)
  expect(sent).toEqual(['ann-2'])
  expect(JSON.stringify([first, second])).toContain('no good: [')
  expect(JSON.stringify([first, second])).not.toContain('secret-ann')
  http.closeAllConnections()
  await new Promise((resolve) => http.close(resolve))
})

test('a server is told the name and the version of its client, in both eras', async () => {
  await using modern = await startScriptedUpstream({ era: 'modern' })
  await using legacy = await startScriptedUpstream({ era: 'legacy' })
  await using house = await createTestContext({
    connections: [
      { ...at(modern.url, '2026-07-28'), alias: 'new' },
      { ...at(legacy.url, '2025-11-25'), alias: 'old' },
    ],
  })
  for (const alias of ['new', 'old']) await house.upstream(alias).introduce(new AbortController().signal)
  const named = { name: 'toolway', version: expect.stringMatching(/^\d+\.\d+\.\d+/) }
  expect(legacy.of('initialize')[0]?.params['clientInfo']).toEqual(named)
  const meta = modern.of('server/discover')[0]?.params['_meta'] as JsonObject
  expect(meta['io.modelcontextprotocol/clientInfo']).toEqual(named)
  expect(modern.heard[0]?.headers['accept']).toBe('application/json, text/event-stream')
})
