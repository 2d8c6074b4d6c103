/**
 * Messages that cross the eras, and those that must not: the rows of the translation table that no other story covers, for each
 * pair of a client's and a server's era.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { startScriptedUpstream } from '../../fault/scripted-upstream.ts'
import type { ScriptedUpstream } from '../../fault/scripted-upstream.ts'
import { openGateway } from '../peers/open-gateway.ts'
import { ask, callTool, openSession } from '../peers/clients/raw-client.ts'
import type { RawPeer } from '../peers/clients/raw-client.ts'
import { httpWire } from '../peers/servers/real-servers.ts'

const ERAS = ['modern', 'legacy'] as const
type Era = (typeof ERAS)[number]
const TRACE = {
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01',
  tracestate: 'vendor=1',
}
/** Of callers; it reaches no server unless the installation lets it. */
const BAGGAGE = { baggage: 'user=ada' }
const HINTS = { ttlMs: 5_000, cacheScope: 'public' }
const ROW = { uri: 'docs://a', text: 'a', 'x-kept': [null], _meta: { k: 1 } }
const schema = { type: 'object' }
const LIST = { type: 'array', items: { $ref: '#/$defs/n' }, $defs: { n: { type: 'integer' } } }

const parts = new AsyncDisposableStack()
let gateway: TestGateway
let upstreams: Record<Era | 'old', ScriptedUpstream>
beforeAll(async () => {
  const server = (era: Era, revision = '2025-11-25') =>
    startScriptedUpstream({
      era,
      revision,
      capabilities: { tools: {}, resources: {}, prompts: {}, completions: {} },
      results: {
        'tools/list': { tools: [{ name: 'good', inputSchema: schema, outputSchema: LIST, 'x-kept': 1 }], ...HINTS },
        'tools/call': { content: [], structuredContent: [1, 2], 'x-kept': { y: [] }, _meta: { 'com.example/k': 1 } },
        'resources/list': { resources: [{ uri: 'docs://a', name: 'a' }], ...HINTS },
        'resources/templates/list': { resourceTemplates: [], ...HINTS },
        'resources/read': { contents: [ROW], ...(era === 'modern' ? HINTS : {}) },
        'prompts/list': { prompts: [{ name: 'p' }], ...HINTS },
        'completion/complete': { completion: { values: ['x'], 'x-kept': 1 } },
      },
      act({ method, id, params }, response) {
        if (method !== 'resources/read' || params['uri'] !== 'docs://gone') return false
        const code = era === 'modern' ? -32602 : -32002
        const body = { jsonrpc: '2.0', id, error: { code, message: 'no such thing', data: { uri: params['uri'] } } }
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
        return true
      },
    })
  upstreams = {
    modern: parts.use(await server('modern')),
    legacy: parts.use(await server('legacy')),
    old: parts.use(await server('legacy', '2025-03-26')),
  }
  const connections = Object.entries(upstreams).map(([alias, { url }]) => ({ alias, wire: httpWire(url) }))
  gateway = parts.use(await openGateway({ connections }))
})
afterAll(() => parts.disposeAsync())

const clientOf = async (era: Era, alias: string, revision?: string): Promise<RawPeer> => {
  const url = gateway.connectionUrl(alias)
  return era === 'modern' ? { url, key: gateway.key, era } : openSession(url, gateway.key, revision)
}
const PAIRS = ERAS.flatMap((client) => ERAS.map((server) => ({ client, server })))

test('baggage goes on where the installation lets it', async () => {
  const url = upstreams.modern.url
  await using passing = await openGateway({
    connections: [{ alias: 'modern', wire: httpWire(url) }],
    settings: { TOOLWAY_TRACE_BAGGAGE: 'on' },
  })
  const peer: RawPeer = { url: passing.connectionUrl('modern'), key: passing.key, era: 'modern' }
  await callTool(peer, 'good', {}, { headers: { ...TRACE, ...BAGGAGE } })
  const sent = upstreams.modern.of('tools/call').at(-1)
  expect(sent).toMatchObject({ headers: { ...TRACE, ...BAGGAGE }, params: { _meta: { ...TRACE, ...BAGGAGE } } })
})

describe.each(PAIRS)('from a $client client to a $server server', ({ client, server }) => {
  const last = (method: string) => upstreams[server].of(method).at(-1)

  test('a trace goes on, said in headers or in _meta, and is said in both', async () => {
    const peer = await clientOf(client, server)
    await callTool(peer, 'good', {}, { headers: TRACE })
    expect(last('tools/call')).toMatchObject({ headers: TRACE, params: { _meta: TRACE } })
    await callTool(peer, 'good', {}, { meta: TRACE })
    expect(last('tools/call')).toMatchObject({ headers: TRACE, params: { _meta: TRACE } })
    await callTool(
      peer,
      'good',
      {},
      { meta: TRACE, headers: { traceparent: TRACE.traceparent.replaceAll('0af7', 'ffff') } },
    )
    expect(last('tools/call')).toMatchObject({ headers: TRACE, params: { _meta: TRACE } })
    await callTool(peer, 'good', {}, { headers: { traceparent: 'nonsense' } })
    expect(last('tools/call')?.headers).not.toHaveProperty('traceparent')
    for (const said of [{ headers: { ...TRACE, ...BAGGAGE } }, { meta: { ...TRACE, ...BAGGAGE } }]) {
      await callTool(peer, 'good', {}, said)
      expect(last('tools/call')).toMatchObject({ headers: TRACE, params: { _meta: TRACE } })
      expect(JSON.stringify(last('tools/call'))).not.toContain('baggage')
    }
  })

  test('unknown fields and keys of _meta reach the other side, those of the envelope do not cross', async () => {
    const peer = await clientOf(client, server)
    const params = { name: 'good', arguments: { deep: [{ a: null }] }, 'x-own': { b: 2 } }
    const { answer } = await ask(peer, 'tools/call', params, { meta: { 'com.example/in': [1] } })
    expect(last('tools/call')?.params).toMatchObject({ ...params, _meta: { 'com.example/in': [1] } })
    expect(answer.result).toMatchObject({ 'x-kept': { y: [] }, _meta: { 'com.example/k': 1 } })
    const envelope = Object.keys(last('tools/call')?.params['_meta'] ?? {}).filter((key) => key.startsWith('io.'))
    if (server === 'legacy') expect(envelope).toEqual([])
    else expect(envelope).toContain('io.modelcontextprotocol/clientCapabilities')
  })

  test('caching hints are kept, made or dropped as the client’s era has them', async () => {
    const { answer } = await ask(await clientOf(client, server), 'resources/read', { uri: 'docs://a' })
    expect(answer.result?.['contents']).toEqual([ROW])
    const { ttlMs, cacheScope } = answer.result ?? {}
    if (client === 'legacy') expect({ ttlMs, cacheScope }).toEqual({})
    else expect({ ttlMs, cacheScope }).toEqual(server === 'modern' ? HINTS : { ttlMs: 0, cacheScope: 'private' })
  })

  test('a list may not be cached longer than the gateway knows, nor for others', async () => {
    const peer = await clientOf(client, server)
    for (const method of ['tools/list', 'resources/list', 'resources/templates/list', 'prompts/list']) {
      const { answer } = await ask(peer, method)
      const { ttlMs, cacheScope } = answer.result ?? {}
      expect({ ttlMs, cacheScope }).toEqual(client === 'modern' ? { ttlMs: 0, cacheScope: 'private' } : {})
    }
  })

  test('a resource that is not there is said in the number of the client’s era', async () => {
    const { answer } = await ask(await clientOf(client, server), 'resources/read', { uri: 'docs://gone' })
    // A legacy client takes -32602 from a modern server: its own number is a recommendation there.
    const crossed = client === 'legacy' && server === 'legacy' ? -32002 : -32602
    expect(answer.error?.code).toBe(crossed)
    expect(answer.error).toMatchObject({ message: 'no such thing', data: { uri: 'docs://gone' } })
  })

  test('a result that is not an object is wrapped for clients whose revision has objects only', async () => {
    const peer = await clientOf(client, server)
    const { answer } = await callTool(peer, 'good')
    const wrapped = client === 'legacy'
    expect(answer.result?.['structuredContent']).toEqual(wrapped ? { result: [1, 2] } : [1, 2])
    if (wrapped) expect(answer.result?.content).toEqual([{ type: 'text', text: '[1,2]' }])
    const tools = (await ask(peer, 'tools/list')).answer.result?.['tools'] as Record<string, unknown>[]
    expect(tools[0]).toMatchObject({ 'x-kept': 1 })
    expect(tools[0]?.['outputSchema']).toMatchObject(wrapped ? { type: 'object', required: ['result'] } : LIST)
  })

  test('completions keep their context', async () => {
    const ref = { type: 'ref/prompt', name: 'p' }
    const context = { arguments: { a: '1' } }
    const given = { ref, argument: { name: 'x', value: '' }, context }
    const { answer } = await ask(await clientOf(client, server), 'completion/complete', given)
    expect(answer.result).toMatchObject({ completion: { values: ['x'], 'x-kept': 1 } })
    expect(last('completion/complete')?.params).toMatchObject(given)
  })
})

test.each(ERAS)('a completion of a %s client has no context at a server that knows none', async (era) => {
  const given = { ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'x', value: '' } }
  await ask(await clientOf(era, 'old'), 'completion/complete', { ...given, context: { arguments: {} } })
  const params = upstreams.old.of('completion/complete').at(-1)?.params
  expect(params).toMatchObject(given)
  expect(params).not.toHaveProperty('context')
})
