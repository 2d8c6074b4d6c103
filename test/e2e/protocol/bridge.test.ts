/**
 * Tests that a client that starts its servers as processes gets everything that a client over HTTP gets: the official clients, in
 * both eras, with the bundled bridge under the oldest supported Node, against a real gateway and servers of both eras.
 */
// @module-tag long
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { startEverythingServer } from '../../conformance/everything-server.ts'
import { buildBridge, connectByBridge, modern, open, startBridge, type BuiltBridge } from '../peers/clients/bridge.ts'
import { eraOfKind, KINDS, type Kind, textOf } from '../peers/clients/client.ts'
import { openGateway } from '../peers/open-gateway.ts'
import { startProbe, type ProbeServer } from '../peers/probes/probe-server.ts'
import { httpWire } from '../peers/servers/real-servers.ts'
import { startRecorder } from '../peers/recorder.ts'
import { until } from '../peers/until.ts'

const ERAS = ['modern', 'legacy'] as const
const patiently = { interval: 20 }
/** Of ten people: the gateway keeps ten sessions of one. */
const KEYS = Array.from({ length: 10 }, (_, number) => `uru_${String(number).repeat(64)}`)
const parts = new AsyncDisposableStack()
let built: BuiltBridge
let gateway: TestGateway
let probes: Record<(typeof ERAS)[number], ProbeServer>
beforeAll(async () => {
  built = parts.use(await buildBridge())
  probes = {
    modern: parts.use(await startProbe({ era: 'modern' })),
    legacy: parts.use(await startProbe({ era: 'legacy' })),
  }
  const everything = {
    modern: parts.use(await startEverythingServer({ era: 'modern' })),
    legacy: parts.use(await startEverythingServer({ era: 'legacy' })),
  }
  gateway = parts.use(
    await openGateway({
      keys: KEYS.map((value, number) => ({ name: `one of many ${number}`, value, toolset: undefined })),
      connections: [
        { alias: 'modern', wire: httpWire(everything.modern.url) },
        { alias: 'legacy', wire: httpWire(everything.legacy.url) },
        { alias: 'modern_probe', wire: httpWire(probes.modern.url) },
        { alias: 'legacy_probe', wire: httpWire(probes.legacy.url) },
      ],
    }),
  )
})
afterAll(() => parts.disposeAsync())

const at = (alias: string) => ({ url: gateway.connectionUrl(alias), key: gateway.key })
const connect = (kind: Kind, alias: string, answers = false) => connectByBridge(built, at(alias), kind, answers)
describe.each(KINDS)('%s on stdio', (kind) => {
  test.each(ERAS)('lists, calls and hears progress at a %s server', async (alias) => {
    await using client = await connect(kind, alias)
    expect((await client.tools()).map(({ name }) => name)).toContain('test_simple_text')
    expect(textOf(await client.call('test_simple_text'))).toContain('simple text')
    const steps: number[] = []
    await client.call('test_tool_with_progress', {}, { onprogress: ({ progress }) => void steps.push(progress) })
    expect(steps).toEqual([0, 50, 100].slice(0, steps.length))
    expect(steps.length).toBeGreaterThan(0)
    expect((await client.read('test://static-text'))[0]?.text).toBeTypeOf('string')
    expect((await client.prompt('test_simple_prompt')).length).toBeGreaterThan(0)
    await expect(client.call('nothing')).rejects.toThrow(/unknown tool/i)
  })

  test.each(ERAS)('cancels a call at a %s server', async (alias) => {
    await using client = await connect(kind, `${alias}_probe`)
    const label = `${kind} at ${alias}`
    const leaving = new AbortController()
    const calling = client.call('hang', { label }, { signal: leaving.signal })
    const { events } = probes[alias].state
    await until(`hang ${label}`, () => events.includes(`hang ${label}`))
    leaving.abort()
    await expect(calling).rejects.toThrow()
    await until(`cancelled ${label}`, () => events.includes(`cancelled ${label}`))
    expect(textOf(await client.call('echo', { text: 'still here' }))).toBe('still here')
  })

  test.each(ERAS)('answers the questions of a %s server', async (alias) => {
    await using client = await connect(kind, alias, true)
    const [form, sample] =
      alias === 'modern'
        ? ['test_input_required_result_elicitation', 'test_input_required_result_sampling']
        : ['test_elicitation', 'test_sampling']
    expect(textOf(await client.call(form, { message: 'Who?' }))).toMatch(/Hello, Ada!|"username":"ada"/)
    expect(textOf(await client.call(sample, { prompt: 'The capital of France?' }))).toContain('Paris')
    expect(client.asked.map(({ method }) => method)).toEqual(['elicitation/create', 'sampling/createMessage'])
  })

  test.each(ERAS)('hears that the tools of a %s server have changed', async (alias) => {
    await using client = await connect(kind, `${alias}_probe`)
    const isLegacy = eraOfKind(kind) === 'legacy'
    if (!isLegacy) await client.listen({ toolsListChanged: true })
    const name = `grown_for_${kind}_${alias}`.replaceAll(/\W/g, '_')
    await client.call('grow', { name })
    let more = 0
    await until('list_changed', async () => {
      const hears = client.heard.some(({ method }) => method === 'notifications/tools/list_changed')
      // The stream of a legacy session is opened beside its first requests, so that the first change may come too early for it.
      if (!hears && isLegacy) await client.call('grow', { name: `${name}_${++more}` })
      return hears
    })
    await expect.poll(async () => (await client.tools()).map((tool) => tool.name), patiently).toContain(name)
  })
})

describe('bare messages on stdio', () => {
  test('let a server know the folders of a client, in each era', async () => {
    await using legacy = startBridge(built, at('modern'))
    await open(legacy, { roots: {} })
    legacy.send({ id: 1, method: 'tools/call', params: { name: 'test_input_required_result_list_roots' } })
    const question = await legacy.heard('roots/list')
    legacy.send({ id: question.id, result: { roots: [{ uri: 'file:///home/ada' }] } })
    expect((await legacy.answerTo(1)).result).toMatchObject({
      content: [{ text: expect.stringContaining('/home/ada') }],
    })

    await using bare = startBridge(built, at('modern'))
    const meta = { 'io.modelcontextprotocol/clientCapabilities': { roots: {} } }
    const name = 'test_input_required_result_list_roots'
    const { result } = await bare.ask({ id: 1, method: 'tools/call', params: modern({ name, arguments: {} }, meta) })
    expect(result).toMatchObject({ resultType: 'input_required', inputRequests: { client_roots: {} } })
    const inputResponses = { client_roots: { roots: [{ uri: 'file:///home/ada' }] } }
    const again = { name, arguments: {}, inputResponses }
    expect((await bare.ask({ id: 2, method: 'tools/call', params: modern(again, meta) })).result).toMatchObject({
      content: [{ text: expect.stringContaining('/home/ada') }],
    })
  })

  test.each(ERAS)('watch a resource of a %s server', async (alias) => {
    await using bridge = startBridge(built, at(alias))
    await open(bridge)
    const uri = 'test://watched-resource'
    expect(await bridge.ask({ id: 1, method: 'resources/subscribe', params: { uri } })).toMatchObject({ result: {} })
    const trigger = { name: 'test_trigger_resource_update', arguments: {} }
    let id = 1
    const update = await until('the update is heard', async () => {
      await bridge.ask({ id: ++id, method: 'tools/call', params: trigger })
      return bridge.lines.find(({ method }) => method === 'notifications/resources/updated')
    })
    expect(update.params).toMatchObject({ uri })
  })

  test('carry what a tool wants in headers, whether its list was asked for before or not', async () => {
    await using recorder = await startRecorder(gateway.connectionUrl('modern'))
    const target = { url: recorder.url, key: gateway.key }
    const call = { name: 'test_x_mcp_header', arguments: { region: 'Zürich', query: 'select 1' } }
    await using fresh = startBridge(built, target)
    expect((await fresh.ask({ id: 0, method: 'tools/call', params: modern(call) })).result).toBeDefined()
    const before = recorder.of('tools/call')
    expect(before.map(({ headers }) => headers['mcp-param-region'])).toEqual([undefined, '=?base64?WsO8cmljaA==?='])

    await using listed = startBridge(built, target)
    await listed.ask({ id: 'list', method: 'tools/list', params: modern() })
    expect((await listed.ask({ id: 'call', method: 'tools/call', params: modern(call) })).result).toBeDefined()
    expect(recorder.of('tools/call').slice(2)).toHaveLength(1)
    expect(fresh.lines.map(({ id }) => id)).toEqual([0])
  })

  test('may be of both eras in one process, and of any id', async () => {
    await using bridge = startBridge(built, at('modern'))
    expect((await bridge.ask({ id: '', method: 'server/discover', params: modern() })).result).toMatchObject({
      supportedVersions: expect.arrayContaining(['2026-07-28']),
    })
    const later = { 'io.modelcontextprotocol/protocolVersion': '2027-01-01' }
    expect(await bridge.ask({ id: 0, method: 'tools/list', params: modern({}, later) })).toMatchObject({
      error: { code: -32022, data: { requested: '2027-01-01' } },
    })
    expect((await open(bridge)).result).toMatchObject({ protocolVersion: '2025-11-25' })
    expect(await bridge.ask({ id: -1, method: 'ping' })).toMatchObject({ result: {} })
    expect(await bridge.ask({ id: 'ünknown/\u2603', method: 'ünknown/\u2603', params: modern() })).toMatchObject({
      error: { code: -32601 },
    })
  })

  test('may be written down beforehand, and piped', async () => {
    await using bridge = startBridge(built, at('modern'))
    const clientInfo = { name: 'script', version: '1' }
    bridge.send({
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo },
    })
    bridge.send({ method: 'notifications/initialized' })
    bridge.send({ id: 2, method: 'tools/call', params: { name: 'test_simple_text' } })
    bridge.child.stdin?.end()
    expect(await bridge.ended).toBe(0)
    expect(bridge.lines).toMatchObject([
      { id: 1, result: { protocolVersion: '2025-06-18' } },
      { id: 2, result: { content: [{ type: 'text' }] } },
    ])
  })

  test('that lack their envelope are told so by the gateway', async () => {
    await using bridge = startBridge(built, at('modern'))
    expect((await bridge.ask({ id: 1, method: 'server/discover' })).error).toMatchObject({ code: -32602 })
  })

  test('come in batches from a client of 2025-03-26', async () => {
    await using bridge = startBridge(built, at('modern'))
    await open(bridge, {}, '2025-03-26')
    const batch = [
      { jsonrpc: '2.0', id: 1, method: 'ping' },
      { jsonrpc: '2.0', method: 'notifications/roots/list_changed' },
      { jsonrpc: '2.0', id: 2, method: 'tools/list' },
    ]
    bridge.write(`${JSON.stringify(batch)}\r\n`)
    expect(await bridge.answerTo(1)).toMatchObject({ result: {} })
    expect((await bridge.answerTo(2)).result).toMatchObject({ tools: expect.any(Array) })
    bridge.write(`${JSON.stringify([batch[1]])}\n`)
    expect(await bridge.ask({ id: 3, method: 'ping' })).toMatchObject({ result: {} })
    expect(bridge.err()).toBe('')
  })

  test('end a session of the gateway with the client', async () => {
    await using recorder = await startRecorder(gateway.connectionUrl('modern'))
    await using bridge = startBridge(built, { url: recorder.url, key: gateway.key })
    await open(bridge)
    await until('its own stream', () => recorder.seen.some(({ method }) => method === 'GET'))
    bridge.child.stdin?.end()
    expect(await bridge.ended).toBe(0)
    const [opened, ended] = ['initialize', undefined].map((method) =>
      recorder.seen.find((one) => (method === undefined ? one.method === 'DELETE' : one.message?.method === method)),
    )
    expect(opened?.headers['mcp-session-id']).toBeUndefined()
    expect(ended?.headers['mcp-session-id']).toMatch(/^\w+$/)
    for (const { headers } of recorder.seen) expect(headers.authorization).toBe(`Bearer ${gateway.key}`)
    expect(bridge.err()).toBe('')
  })
})

test('fifty clients at once each get their own answers, and leave no process', async () => {
  const bridges = Array.from({ length: 50 }, (_, number) =>
    startBridge(built, { ...at('modern_probe'), key: KEYS[number % KEYS.length] }),
  )
  try {
    const answers = await Promise.all(
      bridges.map(async (bridge, number) => {
        const revision = number % 2 === 0 ? 'legacy' : 'modern'
        if (revision === 'legacy') await open(bridge)
        const params = { name: 'echo', arguments: { text: `of ${number}` } }
        return bridge.ask({ id: 1, method: 'tools/call', params: revision === 'legacy' ? params : modern(params) })
      }),
    )
    expect(answers.map(({ result }) => textOf(result as never))).toEqual(bridges.map((_, number) => `of ${number}`))
    for (const { child } of bridges) child.stdin?.end()
    expect(new Set(await Promise.all(bridges.map(({ ended }) => ended)))).toEqual(new Set([0]))
  } finally {
    await Promise.all(bridges.map((bridge) => bridge[Symbol.asyncDispose]()))
  }
})
