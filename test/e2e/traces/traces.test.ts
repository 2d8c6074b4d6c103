/**
 * One trace from an instrumented client through the gateway to an instrumented server, in each pair of eras and over each kind of
 * upstream; all three export to one receiver of OTLP.
 */
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { startOtlpReceiver } from '../../../packages/gateway/src/testing/otlp-receiver.ts'
import type { OtlpReceiver, ReceivedSpan } from '../../../packages/gateway/src/testing/otlp-receiver.ts'
import { startScriptedUpstream, type Heard } from '../../fault/scripted-upstream.ts'
import { callTool, openSession, type RawPeer } from '../peers/clients/raw-client.ts'
import { openGateway } from '../peers/open-gateway.ts'
import { httpWire } from '../peers/servers/real-servers.ts'
import { until } from '../peers/until.ts'
import { createPeer, type Peer } from './instrumented-peers.ts'

const ERAS = ['modern', 'legacy'] as const
type Era = (typeof ERAS)[number]
const SCRIPT = join(import.meta.dirname, 'context.script.ts')

const parts = new AsyncDisposableStack()
let receiver: OtlpReceiver
let gateway: TestGateway
let client: Peer
let server: Peer
const heard: Heard[] = []
beforeAll(async () => {
  receiver = parts.use(await startOtlpReceiver())
  client = createPeer('client', receiver.url)
  server = createPeer('server', receiver.url)
  const upstream = async (era: Era) =>
    parts.use(
      await startScriptedUpstream({
        era,
        act(one) {
          if (one.method !== 'tools/call') return false
          heard.push(one)
          server.serve('served', one.params['_meta'] as Record<string, string>)
          server.serve('served by http', { traceparent: String(one.headers['traceparent']) })
          return false
        },
      }),
    )
  const child = (era: Era) => ({
    kind: 'process' as const,
    command: process.execPath,
    args: ['--disable-warning=ExperimentalWarning', SCRIPT, era],
    environment: {},
  })
  gateway = parts.use(
    await openGateway({
      connections: [
        { alias: 'modern', wire: httpWire((await upstream('modern')).url) },
        { alias: 'legacy', wire: httpWire((await upstream('legacy')).url) },
        { alias: 'modern-child', wire: child('modern') },
        { alias: 'legacy-child', wire: child('legacy') },
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

/** The spans of one trace, once one of that name is among them. */
async function traceOf(traceId: string, name: string): Promise<ReceivedSpan[]> {
  const own = () => receiver.spans.filter((span) => span.traceId === traceId)
  await until(`a span ${name}`, () => Promise.resolve(own().some((span) => span.name === name)))
  return own()
}
const named = (spans: readonly ReceivedSpan[], name: string) => {
  const found = spans.filter((span) => span.name === name)
  expect(found.map((span) => span.name)).toEqual([name])
  return found[0] as ReceivedSpan
}
const step = (spans: readonly ReceivedSpan[], which: string) => {
  const found = spans.filter((span) => span.attributes['toolway.step'] === which)
  expect(found.map((span) => span.attributes['toolway.step'])).toEqual([which])
  return found[0] as ReceivedSpan
}

const CELLS = ERAS.flatMap((from) => ERAS.map((to) => ({ from, to })))

describe.each(CELLS)('from a $from client to a $to server', ({ from, to }) => {
  test('S4-TRC-01: S4-TRC-03: the spans of a call are one chain, from the client to the server', async () => {
    const peer = await clientOf(from, to)
    let traceId = ''
    await client.inSpan('iteration', async (words) => {
      traceId = words['traceparent']?.slice(3, 35) ?? ''
      await callTool(peer, 'good', { secret: 'c4n4ry' }, { meta: words })
    })
    await Promise.all([client.flush(), server.flush()])
    const spans = await traceOf(traceId, 'tool_result')
    await traceOf(traceId, 'served by http')
    const [iteration, served, servedByHttp] = [
      named(spans, 'iteration'),
      named(spans, 'served'),
      named(spans, 'served by http'),
    ]
    const [call, request, http, result] = ['tool_call', 'mcp.request', 'http.request', 'tool_result'].map((one) =>
      step(spans, one),
    ) as [ReceivedSpan, ReceivedSpan, ReceivedSpan, ReceivedSpan]
    expect([iteration.service, call.service, served.service]).toEqual(['client', 'toolway', 'server'])
    expect([call, request, http, result, served, servedByHttp].map((span) => span.parentSpanId)).toEqual([
      iteration.spanId,
      call.spanId,
      request.spanId,
      http.spanId,
      request.spanId,
      http.spanId,
    ])
  })
})
