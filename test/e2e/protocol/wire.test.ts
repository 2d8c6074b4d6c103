/**
 * Messages on the wire between a client and the HTTP handler, tested by hand: opening, sessions, notifications, batches, status
 * codes, and results compared byte for byte with the server's own answers.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { startEverythingServer } from '../../conformance/everything-server.ts'
import type { EverythingServer } from '../../conformance/everything-server.ts'
import { openGateway, toolNames } from '../peers/open-gateway.ts'
import { OWN_TOOL_COUNT } from '../peers/probes/probe.ts'
import { startProbe } from '../peers/probes/probe-server.ts'
import type { ProbeServer } from '../peers/probes/probe-server.ts'
import { ask, callTool, openSession, tell } from '../peers/clients/raw-client.ts'
import type { RawPeer } from '../peers/clients/raw-client.ts'
import { httpWire, processOf } from '../peers/servers/real-servers.ts'
import { startRecorder } from '../peers/recorder.ts'
import type { Recorder } from '../peers/recorder.ts'

const REVISIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'] as const
const LIMITED_KEY = `uru_${'ab'.repeat(32)}`

const parts = new AsyncDisposableStack()
let gateway: TestGateway
let everything: EverythingServer
let probes: ProbeServer[]
let recorder: Recorder
beforeAll(async () => {
  everything = parts.use(await startEverythingServer({ era: 'modern' }))
  probes = [
    parts.use(await startProbe({ era: 'legacy', name: 'one' })),
    parts.use(await startProbe({ era: 'modern', name: 'two' })),
    parts.use(await startProbe({ era: 'modern', name: 'three' })),
  ]
  recorder = parts.use(await startRecorder(probes[0]?.url ?? ''))
  gateway = parts.use(
    await openGateway({
      connections: [
        { alias: 'all', wire: httpWire(everything.url) },
        { alias: 'one', wire: httpWire(recorder.url) },
        { alias: 'two', wire: httpWire(probes[1]?.url ?? '') },
        { alias: 'three', wire: httpWire(probes[2]?.url ?? '') },
        { alias: 'every', wire: processOf('everything') },
      ],
      toolsets: [{ slug: 'few', title: 'Few', settings: { include: ['one__e*'], exclude: ['one__exit'] } }],
      keys: [{ name: 'limited', value: LIMITED_KEY, toolset: 'few' }],
    }),
  )
})
afterAll(() => parts.disposeAsync())

const modern = (url = gateway.url, key = gateway.key): RawPeer => ({ url, key, era: 'modern' })
const initialize = (protocolVersion: string, url = gateway.url) =>
  ask({ url, key: gateway.key, era: 'legacy' }, 'initialize', {
    protocolVersion,
    capabilities: {},
    clientInfo: { name: 'raw', version: '1' },
  })

describe('initialize', () => {
  test.each(REVISIONS)('S1-MCP-01 S3-MCP-06: of %s opens a session of that revision', async (revision) => {
    const { status, headers, answer } = await initialize(revision)
    expect(status).toBe(200)
    expect(headers.get('mcp-session-id')).toMatch(/^[\x21-\x7e]{16,}$/)
    expect(answer.result).toMatchObject({
      protocolVersion: revision,
      serverInfo: { name: 'toolway' },
      capabilities: { tools: { listChanged: true } },
    })
  })

  test('S3-MCP-05: takes the newest revision that is not above one it does not know', async () => {
    const spoken = async (asked: string) => (await initialize(asked)).answer.result?.['protocolVersion']
    expect(await spoken('2025-06-18')).toBe('2025-06-18')
    expect(await spoken('2024-11-05')).toBe('2024-11-05')
    expect(await spoken('2025-07-01')).toBe('2025-06-18')
    expect(await spoken('2025-01-01')).toBe('2024-11-05')
    expect(await spoken('2099-01-01')).toBe('2025-11-25')
  })

  test('never gives two clients the same session', async () => {
    const opened = await Promise.all(Array.from({ length: 50 }, () => openSession(gateway.url, gateway.key)))
    expect(new Set(opened.map(({ session }) => session)).size).toBe(50)
  })
})

describe('a session', () => {
  test('S3-MCP-07: is one session at the server for all that its client asks, and another for another client', async () => {
    const url = gateway.connectionUrl('one')
    const clients = [await openSession(url, gateway.key), await openSession(url, gateway.key)]
    for (const text of ['first', 'second', 'third']) {
      for (const [at, peer] of clients.entries()) await callTool(peer, 'echo', { text: `${text} of ${at}` })
    }
    const upstreamSessions = [0, 1].map((at) => {
      const calls = recorder.of('tools/call').filter(({ body }) => body.includes(` of ${at}"`))
      expect(calls).toHaveLength(3)
      return new Set(calls.map(({ headers }) => headers['mcp-session-id']))
    })
    expect(upstreamSessions.map(({ size }) => size)).toEqual([1, 1])
    expect([...(upstreamSessions[0] ?? [])]).not.toEqual([...(upstreamSessions[1] ?? [])])
  })

  test('S3-MCP-16: ends with DELETE, and is unknown afterwards', async () => {
    const peer = await openSession(gateway.url, gateway.key)
    const end = () =>
      fetch(peer.url, {
        method: 'DELETE',
        headers: { authorization: `Bearer ${gateway.key}`, 'mcp-session-id': peer.session },
      })
    expect((await end()).status).toBe(204)
    expect((await ask(peer, 'tools/list')).status).toBe(404)
    expect((await end()).status).toBe(404)
  })

  test('S2-SES-03: makes one session at the server, however many calls begin at once', async () => {
    const peer = await openSession(gateway.connectionUrl('one'), gateway.key)
    const before = recorder.of('initialize').length
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) => callTool(peer, 'echo', { text: String(at) })),
    )
    expect(answers.map(({ answer }) => answer.result?.content?.[0]?.text)).toEqual(answers.map((_, at) => String(at)))
    expect(recorder.of('initialize').length - before).toBe(1)
  })

  test('is one at the server for a modern caller, who has none: one initialize for ten calls', async () => {
    await callTool(modern(gateway.connectionUrl('one')), 'echo', { text: 'first' })
    const before = recorder.of('initialize').length
    for (let at = 0; at < 10; at++) await callTool(modern(gateway.connectionUrl('one')), 'echo', { text: String(at) })
    expect(recorder.of('initialize')).toHaveLength(before)
  })

  test('that is not there is not needed by a client that only lists and calls', async () => {
    const peer: RawPeer = { url: gateway.url, key: gateway.key, era: 'legacy' }
    expect((await callTool(peer, 'two__echo', { text: 'x' })).answer.result?.content?.[0]?.text).toBe('x')
  })
})

describe('an endpoint', () => {
  test('S3-MCP-01: is there for each organization and connection, by alias', async () => {
    for (const alias of ['one', 'two', 'three']) {
      const url = `${gateway.address}/api/v1/default/connectors/${alias}/mcp`
      const { answer } = await callTool(modern(url), `anything`)
      expect(answer.error?.message, alias).toContain('Unknown tool')
      expect((await callTool(modern(url), 'echo', { text: alias })).answer.result?.content?.[0]?.text).toBe(alias)
      expect((await initialize('2025-11-25', url)).answer.result?.['instructions']).toBe(`This is ${alias}.`)
    }
    expect((await ask(modern(gateway.connectionUrl('four')), 'tools/list')).status).toBe(404)
  })

  test('S1-MCP-02 S3-MCP-08: lists the tools of its connection that the toolset leaves in', async () => {
    expect(await toolNames(gateway, gateway.connectionUrl('one'))).toHaveLength(OWN_TOOL_COUNT)
    expect(await toolNames({ key: LIMITED_KEY }, gateway.connectionUrl('one'))).toEqual([
      'echo',
      'events',
      'environment',
    ])
    expect(await toolNames({ key: LIMITED_KEY }, gateway.url)).toEqual(['one__echo', 'one__events', 'one__environment'])
  })

  test('S3-MCP-15: announces resources and prompts only where its connection has them', async () => {
    const announced = async (alias: string) => {
      const { answer } = await initialize('2025-11-25', gateway.connectionUrl(alias))
      return Object.keys(answer.result?.['capabilities'] as object)
    }
    expect(await announced('all')).toEqual(expect.arrayContaining(['tools', 'resources', 'prompts', 'completions']))
    for (const alias of ['one', 'two']) expect(await announced(alias)).toEqual(['tools'])
    const read = await ask(modern(gateway.connectionUrl('all')), 'resources/read', { uri: 'test://static-text' })
    expect(read.answer.result?.['contents']).toHaveLength(1)
  })

  test('S0-DSC-08: answers every discovery of resources and prompts, be it with nothing', async () => {
    const lists = ['resources/list', 'resources/templates/list', 'prompts/list']
    const members = ['resources', 'resourceTemplates', 'prompts']
    for (const [at, method] of lists.entries()) {
      const found = async (alias: string) =>
        (await ask(modern(gateway.connectionUrl(alias)), method)).answer.result?.[members[at] ?? ''] as unknown[]
      expect((await found('all')).length, method).toBeGreaterThan(0)
      expect(await found('two'), method).toEqual([])
      const joined = (await ask(modern(), method)).answer.result?.[members[at] ?? ''] as unknown[]
      expect(joined.length, method).toBeGreaterThanOrEqual((await found('all')).length)
    }
  })

  test('sends three calls to three servers by the names of the tools alone', async () => {
    const servers = ['one', 'two', 'three']
    const hits = () => probes.map(({ state }) => state.grown.length)
    const before = hits()
    for (const [at, alias] of servers.entries()) {
      await callTool(modern(), `${alias}__grow`, { name: `for_${alias}` })
      expect(hits().map((count, other) => count - (before[other] ?? 0))).toEqual(
        servers.map((_, other) => (other <= at ? 1 : 0)),
      )
    }
    expect(probes.map(({ state }) => state.grown.at(-1))).toEqual(servers.map((alias) => `for_${alias}`))
  })
})

describe('a message', () => {
  test('S0-DSC-07: is answered by an event stream or by plain JSON, as its Accept asks, in both eras', async () => {
    for (const peer of [modern(), await openSession(gateway.url, gateway.key)])
      for (const [accept, type] of [
        ['application/json, text/event-stream', 'application/json'],
        ['text/event-stream, application/json;q=0.9', 'text/event-stream'],
        ['text/event-stream', 'text/event-stream'],
        ['application/json', 'application/json'],
      ] as const) {
        const { status, headers, answer } = await callTool(peer, 'two__echo', { text: 'x' }, { headers: { accept } })
        expect(status).toBe(200)
        expect(headers.get('content-type')).toContain(type)
        expect(answer).toMatchObject({ id: 0, result: { content: [{ text: 'x' }] } })
      }
    // A client that takes neither gets neither.
    expect((await callTool(modern(), 'two__echo', { text: 'x' }, { headers: { accept: 'text/html' } })).status).toBe(
      406,
    )
  })

  test('S1-MCP-03 S1-MCP-08: is answered with its own id, be it a number or a text, in both eras', async () => {
    for (const peer of [modern(), await openSession(gateway.url, gateway.key)]) {
      for (const id of [0, 1, -7, 2 ** 53 - 1, '', 'seven', '7']) {
        const { status, answer } = await callTool(peer, 'two__echo', { text: 'x' }, { id })
        expect({ status, ...answer }).toMatchObject({
          status: 200,
          jsonrpc: '2.0',
          id,
          result: { content: [{ text: 'x' }] },
        })
        const failed = await callTool(peer, 'two__nothing', {}, { id })
        expect(failed.answer).toMatchObject({
          jsonrpc: '2.0',
          id,
          error: { code: -32602, message: expect.any(String) },
        })
      }
    }
  })

  test('S3-MCP-10: that is a notification is taken without an answer', async () => {
    const peer = await openSession(gateway.url, gateway.key)
    for (const method of [
      'notifications/initialized',
      'notifications/cancelled',
      'notifications/roots/list_changed',
      'notifications/made_up',
    ]) {
      expect(await tell(peer, method, { requestId: 99 })).toEqual({ status: 202, text: '' })
    }
  })

  test('of a method that its era does not have is not found', async () => {
    const legacy = await openSession(gateway.url, gateway.key)
    for (const method of ['server/discover', 'subscriptions/listen', 'made/up']) {
      expect((await ask(legacy, method)).answer.error?.code, method).toBe(-32601)
    }
    for (const method of ['ping', 'logging/setLevel', 'resources/subscribe', 'initialize', 'made/up']) {
      const { status, answer } = await ask(modern(), method)
      expect({ status, code: answer.error?.code }, method).toEqual({ status: 404, code: -32601 })
    }
  })

  test('S3-MCP-11: that is not application/json is refused with 415', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonx']) {
      const { status } = await ask(modern(), 'tools/list', {}, { headers: { 'content-type': type } })
      expect(status, type).toBe(415)
    }
    const { status } = await ask(
      modern(),
      'tools/list',
      {},
      { headers: { 'content-type': 'application/json; charset=utf-8' } },
    )
    expect(status).toBe(200)
  })
})

describe('S3-MCP-04: a batch', () => {
  const send = async (messages: unknown, version: string) => {
    const response = await fetch(gateway.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: `Bearer ${gateway.key}`,
        'mcp-protocol-version': version,
      },
      body: JSON.stringify(messages),
    })
    const text = await response.text()
    return { status: response.status, body: text === '' ? undefined : (JSON.parse(text) as unknown) }
  }
  const call = (id: unknown, text: string) => ({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name: 'two__echo', arguments: { text } },
  })

  test('is answered by an array, each item for itself', async () => {
    const { status, body } = await send(
      [
        call(1, 'a'),
        { jsonrpc: '2.0', method: 'notifications/initialized' },
        { jsonrpc: '2.0', id: 2, method: 'made/up' },
        7,
        call('b', 'b'),
      ],
      '2025-03-26',
    )
    expect(status).toBe(200)
    expect(body).toMatchObject([
      { id: 1, result: { content: [{ text: 'a' }] } },
      { id: 2, error: { code: -32601 } },
      { error: { code: -32600 } },
      { id: 'b', result: { content: [{ text: 'b' }] } },
    ])
  })

  test('of notifications alone has no answer', async () => {
    expect(await send([{ jsonrpc: '2.0', method: 'notifications/initialized' }], '2025-03-26')).toEqual({
      status: 202,
      body: undefined,
    })
  })

  test('is refused when it is empty or longer than a hundred', async () => {
    expect((await send([], '2025-03-26')).status).toBe(400)
    expect(
      (
        await send(
          Array.from({ length: 101 }, (_, id) => call(id, 'x')),
          '2025-03-26',
        )
      ).status,
    ).toBe(400)
    expect(
      (
        await send(
          Array.from({ length: 100 }, (_, id) => call(id, 'x')),
          '2025-03-26',
        )
      ).status,
    ).toBe(200)
  })

  test('is refused in revisions that have none', async () => {
    for (const version of ['2025-11-25', '2026-07-28'])
      expect((await send([call(1, 'x')], version)).status, version).toBe(400)
  })
})

describe('what a server says', () => {
  const own = (): RawPeer => ({ url: everything.url, key: undefined, era: 'modern' })

  test('S2-BRG-03: about the input of its tools is passed on unchanged', async () => {
    const schemas = async (peer: RawPeer) => {
      const { answer } = await ask(peer, 'tools/list')
      const tools = answer.result?.['tools'] as { name: string; inputSchema: unknown }[]
      return tools.map(({ name, inputSchema }) => ({ name, schema: JSON.stringify(inputSchema) }))
    }
    const direct = await schemas(own())
    expect(direct.length).toBeGreaterThan(20)
    expect(await schemas(modern(gateway.connectionUrl('all')))).toEqual(direct)
    const session = await openSession(gateway.connectionUrl('all'), gateway.key)
    expect(await schemas(session)).toEqual(direct)
  })

  const tools = [
    'test_simple_text',
    'test_image_content',
    'test_audio_content',
    'test_embedded_resource',
    'test_multiple_content_types',
    'test_error_handling',
  ]
  test.each(tools)('S2-BRG-04: in the result of %s is what the client gets', async (tool) => {
    const [direct, through] = [await callTool(own(), tool), await callTool(modern(gateway.connectionUrl('all')), tool)]
    expect(JSON.stringify(through.answer.result?.content)).toBe(JSON.stringify(direct.answer.result?.content))
    expect(through.answer.result?.isError).toBe(direct.answer.result?.isError)
    const legacy = await callTool(await openSession(gateway.connectionUrl('all'), gateway.key), tool)
    expect(JSON.stringify(legacy.answer.result?.content)).toBe(JSON.stringify(direct.answer.result?.content))
  })

  test('S2-BRG-04: as structured content is what the client gets, with its text', async () => {
    for (const peer of [
      modern(gateway.connectionUrl('every')),
      await openSession(gateway.connectionUrl('every'), gateway.key),
    ]) {
      const { answer } = await callTool(peer, 'get-structured-content', { location: 'Chicago' })
      const structured = { temperature: 36, conditions: 'Light rain / drizzle', humidity: 82 }
      expect(answer.result?.['structuredContent']).toEqual(structured)
      expect(answer.result?.content).toEqual([{ type: 'text', text: JSON.stringify(structured) }])
    }
  })
})

test('S3-MCP-13: a browser may read the session’s name', async () => {
  const peer = { url: gateway.url, key: gateway.key, era: 'legacy' as const }
  const clientInfo = { name: 'browser', version: '1' }
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }
  const { headers } = await ask(peer, 'initialize', params, { headers: { origin: gateway.address } })
  expect(headers.get('access-control-expose-headers')?.split(/,\s*/)).toContain('Mcp-Session-Id')
  expect(headers.get('access-control-allow-origin')).toBe(gateway.address)
})
