/**
 * One trace from an instrumented client through the gateway to an instrumented server, in each pair of eras and over each transport;
 * all three export to one receiver of OTLP.
 */
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { JSONRPCMessage } from '@modelcontextprotocol/server'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { startOtlpReceiver } from '../../../packages/gateway/src/testing/otlp-receiver.ts'
import type { OtlpReceiver } from '../../../packages/gateway/src/testing/otlp-receiver.ts'
import { startScriptedUpstream } from '../../fault/scripted-upstream.ts'
import { lastingOne } from '../peers/clients/lasting-transports.ts'
import { ask, callTool, openSession, type RawPeer } from '../peers/clients/raw-client.ts'
import { openGateway } from '../peers/open-gateway.ts'
import { httpWire } from '../peers/servers/real-servers.ts'
import { startSocketServer, startSseServer, type Serve } from '../peers/servers/stream-servers.ts'
import { answerOf, type Message } from './context-server.ts'
import { createPeer, type Peer } from './instrumented-peers.ts'
import { createTraces, oneNamed, oneStep, type Traces } from './received-traces.ts'

const ERAS = ['modern', 'legacy'] as const
type Era = (typeof ERAS)[number]
const SCRIPT = join(import.meta.dirname, 'context.script.ts')
const child = (era: Era) => ({
  kind: 'process' as const,
  command: process.execPath,
  args: ['--disable-warning=ExperimentalWarning', SCRIPT, era],
  environment: {},
})
const serveContext: Serve = (transport) => {
  transport.onmessage = (message) => {
    const answer = answerOf('legacy', message as Message)
    if (answer !== undefined) void transport.send(answer as JSONRPCMessage)
  }
  return transport.start()
}

const parts = new AsyncDisposableStack()
let receiver: OtlpReceiver
let traces: Traces
let gateway: TestGateway
let client: Peer
let server: Peer
beforeAll(async () => {
  receiver = parts.use(await startOtlpReceiver())
  traces = createTraces(receiver)
  client = createPeer('client', receiver.url)
  server = createPeer('server', receiver.url)
  const upstream = async (era: Era) =>
    startScriptedUpstream({
      era,
      act({ method, params, headers }) {
        if (method !== 'tools/call') return false
        server.serve('served', params['_meta'] as Record<string, string>)
        server.serve('served by http', { traceparent: String(headers['traceparent']) })
        return false
      },
    })
  const urls = { modern: parts.use(await upstream('modern')).url, legacy: parts.use(await upstream('legacy')).url }
  const streams = {
    sse: parts.use(await startSseServer(serveContext)),
    socket: parts.use(await startSocketServer(serveContext)),
  }
  gateway = parts.use(
    await openGateway({
      connections: [
        ...ERAS.map((era) => ({ alias: era, wire: httpWire(urls[era]) })),
        ...ERAS.map((era) => ({ alias: `${era}-child`, wire: child(era) })),
        { alias: 'sse', wire: httpWire(streams.sse.url) },
        { alias: 'socket', wire: httpWire(streams.socket.url) },
      ],
      settings: {
        OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
        OTEL_BSP_SCHEDULE_DELAY: '20',
        OTEL_BLRP_SCHEDULE_DELAY: '20',
      },
    }),
  )
})
afterAll(() => parts.disposeAsync())

const clientOf = async (era: Era, alias: string): Promise<RawPeer> => {
  const url = gateway.connectionUrl(alias)
  return era === 'modern' ? { url, key: gateway.key, era } : openSession(url, gateway.key)
}

/** Makes a call within a span of the client, and returns the spans of the whole trace with the parent that the server was told. */
async function traced(call: (words: Record<string, string>) => Promise<unknown>) {
  const { traceId, told } = await client.inSpan('iteration', async (words) => ({
    traceId: words['traceparent']?.slice(3, 35) ?? '',
    told: JSON.stringify(await call(words)),
  }))
  await Promise.all([client.flush(), server.flush()])
  const spans = await traces.of(traceId, ['iteration', 'tool_result'])
  return { spans, told: /00-[0-9a-f]{32}-([0-9a-f]{16})-01/.exec(told)?.[1] }
}

const CELLS = ERAS.flatMap((from) => ERAS.map((to) => ({ from, to })))

describe.each(CELLS)('from a $from client to a $to server', ({ from, to }) => {
  test('S4-TRC-01: S4-TRC-03: the spans of a call are one chain, from the client to the server', async () => {
    const peer = await clientOf(from, to)
    const { spans } = await traced((words) => callTool(peer, 'good', {}, { meta: words }))
    const [iteration, served, byHttp] = ['iteration', 'served', 'served by http'].map((name) => oneNamed(spans, name))
    const [call, request, http, result] = ['tool_call', 'mcp.request', 'http.request', 'tool_result'].map((step) =>
      oneStep(spans, step),
    )
    expect([iteration, call, served].map((span) => span?.service)).toEqual(['client', 'toolway', 'server'])
    expect([call, request, http, result, served, byHttp].map((span) => span?.parentSpanId)).toEqual(
      [iteration, call, request, http, request, http].map((span) => span?.spanId),
    )
    expect([call, request, http, result].map((span) => span?.name)).toEqual([
      'tools/call good',
      'tools/call good',
      'POST',
      'tool_result',
    ])
    expect([call, request, http].map((span) => span?.kind)).toEqual([2, 3, 3])
    expect(call?.attributes).toMatchObject({ tool_name: 'good', tool_id: '0', 'gen_ai.tool.name': 'good' })
    expect(call?.attributes).toMatchObject({ 'mcp.method.name': 'tools/call', 'gen_ai.operation.name': 'execute_tool' })
    expect(request?.attributes).toMatchObject({ server_name: to, tool_name: 'good', 'network.transport': 'tcp' })
    expect(http?.attributes).toMatchObject({ 'http.request.method': 'POST', 'http.response.status_code': 200 })
    expect(result?.attributes['is_error']).toBe(false)
    expect(result?.attributes['content_size']).toBe(call?.attributes['toolway.bytes_out'])
  })

  test('S4-TRC-03: a context in headers is continued as one in _meta is', async () => {
    const peer = await clientOf(from, to)
    const { spans } = await traced((words) => callTool(peer, 'good', {}, { headers: words }))
    expect(oneStep(spans, 'tool_call').parentSpanId).toBe(oneNamed(spans, 'iteration').spanId)
    expect(oneNamed(spans, 'served').parentSpanId).toBe(oneStep(spans, 'mcp.request').spanId)
  })
})

describe.each(
  ERAS.flatMap((from) => ['modern-child', 'legacy-child', 'sse', 'socket'].map((alias) => ({ from, alias }))),
)('from a $from client to $alias', ({ from, alias }) => {
  test('S4-TRC-03: the server is told of the request that it serves', async () => {
    const peer = await clientOf(from, alias)
    const { spans, told } = await traced((words) => callTool(peer, 'context', {}, { meta: words }))
    const [call, request, result] = ['tool_call', 'mcp.request', 'tool_result'].map((step) => oneStep(spans, step))
    expect(told).toBe(request?.spanId)
    expect(request?.parentSpanId).toBe(call?.spanId)
    expect(result?.attributes['is_error']).toBe(false)
    expect(request?.attributes['network.transport']).toBe(alias.endsWith('child') ? 'pipe' : 'tcp')
  })
})

describe.each(['sse', 'socket'] as const)('a client over %s', (way) => {
  test('S4-TRC-03: continues its trace through the gateway', async () => {
    await using made = new AsyncDisposableStack()
    const own = new Client({ name: 'lasting', version: '1' })
    await own.connect(lastingOne(way, gateway.connectionUrl('legacy-child'), gateway.key, () => {}))
    made.defer(() => own.close())
    const { spans, told } = await traced((words) => own.callTool({ name: 'context', _meta: words }))
    expect(oneStep(spans, 'tool_call').parentSpanId).toBe(oneNamed(spans, 'iteration').spanId)
    expect(told).toBe(oneStep(spans, 'mcp.request').spanId)
  })
})

test('a call by the address of its tool continues the trace of its headers', async () => {
  const { spans } = await traced((words) =>
    fetch(`${gateway.address}/rest/tools/modern__good/call`, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json', ...words },
      body: '{}',
    }).then((response) => response.text()),
  )
  expect(oneStep(spans, 'tool_call').parentSpanId).toBe(oneNamed(spans, 'iteration').spanId)
})

test('lists and prompts have spans, and a call without a context begins a trace of its own', async () => {
  const peer = await clientOf('modern', 'modern')
  await ask(peer, 'tools/list')
  const list = await traces.find((span) => span.name === 'tools/list' && span.parentSpanId === undefined)
  expect(list.attributes).not.toHaveProperty(['toolway.step'])
  await callTool(peer, 'nothing-of-the-kind')
  const lost = await traces.find((span) => span.attributes['toolway.code'] === 'tool.unknown')
  expect(lost).toMatchObject({ name: 'tools/call', failed: true, attributes: { 'error.type': 'tool.unknown' } })
})
