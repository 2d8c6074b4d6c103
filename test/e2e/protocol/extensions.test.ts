/**
 * Methods, notifications and fields of extensions that the gateway does not know are passed to the one server that does, and no
 * further. Skills are such an extension, with the official SDK on both sides.
 */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { startExtensionsServer } from '../../conformance/extensions-server.ts'
import { startScriptedUpstream } from '../../fault/scripted-upstream.ts'
import type { ScriptedUpstream } from '../../fault/scripted-upstream.ts'
import { addKey, createAsk } from '../peers/people/administrators.ts'
import { openGateway } from '../peers/open-gateway.ts'
import { ask, callTool, openSession } from '../peers/clients/raw-client.ts'
import type { RawPeer } from '../peers/clients/raw-client.ts'
import { httpWire } from '../peers/servers/real-servers.ts'
import { until } from '../peers/until.ts'

const SOME = `uru_${'a1'.repeat(32)}`
const WHOLE = `uru_${'b2'.repeat(32)}`
const ERAS = ['modern', 'legacy'] as const
type Era = (typeof ERAS)[number]

const parts = new AsyncDisposableStack()
let gateway: TestGateway
let upstreams: Record<Era | 'plain', ScriptedUpstream>
beforeAll(async () => {
  const extended = (era: Era) =>
    startScriptedUpstream({
      era,
      capabilities: { tools: {}, extensions: { 'com.example/look': { deep: { x: 1 } } } },
      results: { 'example/look': { seen: [1, { odd: null }], 'x-more': { y: 'z' } } },
      act: ({ method, id }, response) => {
        if (method !== 'tools/call') return false
        const note = { jsonrpc: '2.0', method: 'notifications/example/note', params: { at: 7, odd: [null] } }
        const content = [{ type: 'hologram', shape: { of: 'a cat' } }]
        const result = { resultType: 'complete', content, 'x-kept': true, _meta: { 'com.example/k': { v: 1 } } }
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.end(`data: ${JSON.stringify(note)}\n\ndata: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`)
        return true
      },
    })
  upstreams = {
    modern: parts.use(await extended('modern')),
    legacy: parts.use(await extended('legacy')),
    plain: parts.use(await startScriptedUpstream({ era: 'modern', results: { 'example/look': { seen: [] } } })),
  }
  const skills = parts.use(await startExtensionsServer())
  gateway = parts.use(
    await openGateway({
      connections: [
        ...Object.entries(upstreams).map(([alias, { url }]) => ({ alias, wire: httpWire(url) })),
        { alias: 'skills', wire: httpWire(skills.url) },
      ],
      toolsets: [
        { slug: 'some', title: 'Some', settings: { include: ['modern__good'], exclude: [] } },
        { slug: 'whole', title: 'Whole', settings: { include: ['modern__*'], exclude: [] } },
      ],
      keys: [
        { name: 'some', value: SOME, toolset: 'some' },
        { name: 'whole', value: WHOLE, toolset: 'whole' },
      ],
    }),
  )
})
afterAll(() => parts.disposeAsync())

const clientOf = async (era: Era, url: string, key = gateway.key): Promise<RawPeer> =>
  era === 'modern' ? { url, key, era } : openSession(url, key)
const PAIRS = ERAS.flatMap((client) => ERAS.map((server) => ({ client, server })))

describe.each(PAIRS)('an extension of a $server server, for a $client client', ({ client, server }) => {
  const own = () => clientOf(client, gateway.connectionUrl(server))

  test('is announced at its own endpoint, with its settings', async () => {
    const peer: RawPeer = { url: gateway.connectionUrl(server), key: gateway.key, era: client }
    const opening = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } }
    const { answer } = await (client === 'modern' ? ask(peer, 'server/discover') : ask(peer, 'initialize', opening))
    expect(answer.result?.['capabilities']).toMatchObject({ extensions: { 'com.example/look': { deep: { x: 1 } } } })
  })

  test('has its methods served, every field kept both ways', async () => {
    const params = { at: { far: [null, 1] }, 'x-odd': '' }
    const { answer, status } = await ask(await own(), 'example/look', params, { meta: { 'com.example/t': 5 } })
    expect(status).toBe(200)
    expect(answer.result).toMatchObject({ seen: [1, { odd: null }], 'x-more': { y: 'z' } })
    // A legacy client is told nothing of the kind, unless its own server is the one that says it.
    if (client !== server) expect(answer.result?.['resultType']).toBe(client === 'modern' ? 'complete' : undefined)
    const heard = upstreams[server].of('example/look').at(-1)
    expect(heard?.params).toMatchObject({ ...params, _meta: { 'com.example/t': 5 } })
    expect(heard?.headers['mcp-method']).toBe(server === 'modern' ? 'example/look' : undefined)
  })

  test('may send its notifications and odd results with a call', async () => {
    const { messages, answer } = await callTool(await own(), 'good')
    expect(messages[0]).toMatchObject({ method: 'notifications/example/note', params: { at: 7, odd: [null] } })
    expect(answer.result).toMatchObject({
      content: [{ type: 'hologram', shape: { of: 'a cat' } }],
      'x-kept': true,
      _meta: { 'com.example/k': { v: 1 } },
    })
  })

  test('is not there on the joined endpoint, where nobody could tell whose it is', async () => {
    const before = upstreams[server].of('example/look').length
    const { answer } = await ask(await clientOf(client, gateway.url), 'example/look')
    expect(answer.error?.code).toBe(-32601)
    expect(upstreams[server].of('example/look')).toHaveLength(before)
  })
})

describe('an unknown method', () => {
  let before = 0
  const reached = () => upstreams.modern.heard.filter(({ method }) => !method.endsWith('/list')).length
  beforeEach(() => {
    before = reached()
  })
  const refused = async (peer: RawPeer, method: string) => {
    const { status, answer } = await ask(peer, method, { name: 'good', arguments: {} })
    expect({ method, status, code: answer.error?.code }).toEqual({ method, status: 404, code: -32601 })
  }

  test('reaches no server through a toolset that picks tools, and does through one that has all of it', async () => {
    const url = gateway.connectionUrl('modern')
    await refused({ url, key: SOME, era: 'modern' }, 'example/look')
    expect(reached()).toBe(before)
    const { answer } = await ask({ url, key: WHOLE, era: 'modern' }, 'example/look')
    expect(answer.result).toMatchObject({ seen: [1, { odd: null }] })
  })

  test('reaches no server of whose tools one is switched off, or which a rule speaks of', async () => {
    const peer: RawPeer = { url: gateway.connectionUrl('modern'), key: gateway.key, era: 'modern' }
    const platform = createAsk(gateway, await addKey(gateway, { role: 'platform_admin' }))
    const tools = '/api/v1/admin/tenants/default/connectors/modern/tools'
    const rules = '/api/v1/admin/policies/tools'
    await platform(`PATCH ${tools}/good`, { enabled: false })
    await refused(peer, 'example/look')
    await platform(`POST ${tools}/enable-all`)
    const rule = await platform(`POST ${rules}`, { tool_name_pattern: 'nothing', action: 'warn', reason: 'x' })
    await refused(peer, 'example/look')
    expect(reached()).toBe(before)
    await platform(`DELETE ${rules}/${String(rule.body['id'])}`)
    expect((await ask(peer, 'example/look')).answer.result).toMatchObject({ seen: [1, { odd: null }] })
  })

  test.each([
    'Tools/call',
    'TOOLS/CALL',
    'tools/call/',
    'tools/call ',
    ' tools/call',
    'tools//call',
    'tools/run',
    'tasks/list',
    'tasks/result',
    'resources/write',
    'initialize',
    'ping',
    'logging/setLevel',
    'rpc.discover',
    'notifications/example',
    'roots/list',
    'constructor',
    '__proto__/x',
    'example',
    'example/',
    '/example',
    `example/${'x'.repeat(200)}`,
  ])('%j of the core’s namespaces or of an odd form reaches no server', async (method) => {
    await refused({ url: gateway.connectionUrl('modern'), key: gateway.key, era: 'modern' }, method).catch((thrown) => {
      // A header cannot carry what begins or ends with a space.
      if (method.trim() === method) throw thrown
    })
    expect(reached()).toBe(before)
  })

  test('reaches no server that announces no extension', async () => {
    await refused({ url: gateway.connectionUrl('plain'), key: gateway.key, era: 'modern' }, 'example/look')
    expect(upstreams.plain.of('example/look')).toEqual([])
  })

  test('that acts at a server is on record', async () => {
    await ask({ url: gateway.connectionUrl('modern'), key: gateway.key, era: 'modern' }, 'example/look')
    const line = await until('its line is there', async () =>
      gateway.log.find(({ facts }) => facts['method'] === 'example/look' && facts['outcome'] === 'ok'),
    )
    expect(line.facts).toMatchObject({ connection: 'modern', kind: 'call', decision: 'allow' })
  })
})

test('skills of a server are listed, fetched and read by the official client', async () => {
  const client = new Client(
    { name: 'skills', version: '1' },
    { versionNegotiation: { mode: { pin: '2026-07-28' } }, capabilities: { extensions: { [SKILLS]: {} } } },
  )
  const headers = { authorization: `Bearer ${gateway.key}` }
  await client.connect(
    new StreamableHTTPClientTransport(new URL(gateway.connectionUrl('skills')), { requestInit: { headers } }),
  )
  expect(client.getServerCapabilities()?.extensions).toHaveProperty([SKILLS])
  const peer: RawPeer = { url: gateway.connectionUrl('skills'), key: gateway.key, era: 'modern' }
  const { answer } = await ask(peer, 'skills/list')
  const [skill] = (answer.result?.['skills'] ?? []) as { uri: string }[]
  expect(skill).toMatchObject({ frontmatter: { name: 'greeting' } })
  const uri = String(skill?.uri)
  expect((await ask(peer, 'skills/get', { uri })).answer.result).toMatchObject({ skill: { uri } })
  const { contents } = await client.readResource({ uri })
  expect(contents[0]).toMatchObject({ uri, text: expect.stringContaining('# Greeting') as string })
  await client.close()
})
const SKILLS = 'io.modelcontextprotocol/skills'
