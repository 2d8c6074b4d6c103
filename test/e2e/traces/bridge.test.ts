/**
 * A trace through the programs that clients start: the stdio bridge in both eras, and `uru-mcp`. The gateway's span stands below that of
 * the client, and the server is told of the gateway's.
 */
// @module-tag long
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { startOtlpReceiver } from '../../../packages/gateway/src/testing/otlp-receiver.ts'
import { startScriptedUpstream, type ScriptedUpstream } from '../../fault/scripted-upstream.ts'
import { buildBridge, modern, open, startBridge, type BuiltBridge } from '../peers/clients/bridge.ts'
import { openGateway } from '../peers/open-gateway.ts'
import { httpWire } from '../peers/servers/real-servers.ts'
import { createTraces, oneStep, type Traces } from './received-traces.ts'

const ERAS = ['modern', 'legacy'] as const
const URU_MCP = join(import.meta.dirname, '../../../packages/uru-mcp/bin/uru-mcp.mjs')

const parts = new AsyncDisposableStack()
let upstreams: Record<(typeof ERAS)[number], ScriptedUpstream>
let traces: Traces
let gateway: TestGateway
let built: BuiltBridge
beforeAll(async () => {
  const receiver = parts.use(await startOtlpReceiver())
  traces = createTraces(receiver)
  built = parts.use(await buildBridge())
  upstreams = {
    modern: parts.use(await startScriptedUpstream({ era: 'modern' })),
    legacy: parts.use(await startScriptedUpstream({ era: 'legacy' })),
  }
  gateway = parts.use(
    await openGateway({
      connections: ERAS.map((era) => ({ alias: era, wire: httpWire(upstreams[era].url) })),
      settings: { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_BSP_SCHEDULE_DELAY: '20' },
    }),
  )
})
afterAll(() => parts.disposeAsync())

let made = 0
/** A context of a client of its own. */
function contextOf() {
  const traceId = (++made).toString(16).padStart(32, 'a')
  const spanId = 'b'.repeat(16)
  return { traceId, spanId, meta: { traceparent: `00-${traceId}-${spanId}-01`, tracestate: 'vendor=1' } }
}

/** The span of the call is the client's child, and the server is told of the request's. */
async function expectChain({ traceId, spanId }: ReturnType<typeof contextOf>, to: (typeof ERAS)[number]) {
  const spans = await traces.of(traceId, ['tools/call good'])
  expect(oneStep(spans, 'tool_call').parentSpanId).toBe(spanId)
  const request = oneStep(spans, 'mcp.request')
  const http = oneStep(spans, 'http.request')
  const { params, headers } = upstreams[to].of('tools/call').at(-1) ?? {}
  expect(params?.['_meta']).toMatchObject({
    traceparent: `00-${traceId}-${request.spanId}-01`,
    tracestate: 'vendor=1',
  })
  expect(headers?.['traceparent']).toBe(`00-${traceId}-${http.spanId}-01`)
}

describe.each(ERAS.flatMap((from) => ERAS.map((to) => ({ from, to }))))(
  'a $from client by the bridge',
  ({ from, to }) => {
    test(`continues its trace to a ${to} server`, async () => {
      await using bridge = startBridge(built, { url: gateway.connectionUrl(to), key: gateway.key })
      if (from === 'legacy') await open(bridge)
      const context = contextOf()
      const call = { name: 'good', arguments: {} }
      const params = from === 'modern' ? modern(call, context.meta) : { ...call, _meta: context.meta }
      const { result } = await bridge.ask({ id: 1, method: 'tools/call', params })
      expect(result?.['isError']).not.toBe(true)
      await expectChain(context, to)
    })
  },
)

test('uru-mcp continues the trace of its client', async () => {
  await using held = new AsyncDisposableStack()
  const home = await mkdtemp(join(tmpdir(), 'uru-mcp-traces-'))
  held.defer(() => rm(home, { recursive: true, force: true }))
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    URU_PROXY_URL: gateway.address,
    URU_API_KEY: gateway.key ?? '',
  }
  const client = new Client({ name: 'desktop', version: '1' })
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [URU_MCP], env, stderr: 'ignore' }))
  held.defer(() => client.close())
  const context = contextOf()
  await client.callTool({
    name: 'modern__execute_tool',
    arguments: { tool_name: 'good', parameters: {} },
    _meta: context.meta,
  })
  await expectChain(context, 'modern')
})
