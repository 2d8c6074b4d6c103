/**
 * One call in its four views: the log line, the record, the span and the metrics say the same. Where telemetry goes, what it never
 * has, and what a receiver that fails does to calls: nothing.
 */
// @module-tag long
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { startOtlpReceiver } from '../../../packages/gateway/src/testing/otlp-receiver.ts'
import type { OtlpReceiver } from '../../../packages/gateway/src/testing/otlp-receiver.ts'
import { startScriptedUpstream } from '../../fault/scripted-upstream.ts'
import { callTool, type RawPeer } from '../peers/clients/raw-client.ts'
import { openGateway } from '../peers/open-gateway.ts'
import { httpWire } from '../peers/servers/real-servers.ts'
import { scrape } from '../metrics/scrape.ts'
import { until } from '../peers/until.ts'
import { createTraces } from './received-traces.ts'

const TOKEN = 'pylf_v1_us_abcdefghijk'
const SECRET = 'c4n4ry-of-an-argument'
const FAST = { OTEL_BSP_SCHEDULE_DELAY: '20', OTEL_BLRP_SCHEDULE_DELAY: '20', OTEL_METRIC_EXPORT_INTERVAL: '50' }
const city = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const tool = (name: string, inputSchema: object = { type: 'object' }) => ({ name, inputSchema })

const parts = new AsyncDisposableStack()
const upstreamOf = () =>
  startScriptedUpstream({
    era: 'modern',
    results: {
      'tools/list': { tools: [tool('good'), tool('bad'), tool('weather', city)], ttlMs: 0, cacheScope: 'private' },
    },
    act({ method, params, id }, response) {
      if (method !== 'tools/call' || params['name'] !== 'bad') return false
      const result = { resultType: 'complete', content: [{ type: 'text', text: SECRET }], isError: true, _meta: {} }
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ jsonrpc: '2.0', id, result }))
      return true
    },
  })
let url: string
beforeAll(async () => {
  url = parts.use(await upstreamOf()).url
})
afterAll(() => parts.disposeAsync())

const open = (settings: Record<string, string>) =>
  openGateway({
    connections: [
      {
        alias: 'one',
        checks: 'arguments' as const,
        wire: httpWire(`${url}?key=s3cret-in-the-address`, { authorization: 's3cret-header' }),
      },
    ],
    toolsets: [{ slug: 'chosen', title: 'Chosen', settings: { connections: ['one'], include: ['*'], exclude: [] } }],
    settings: { ...FAST, ...settings },
  })
const peerOf = (gateway: TestGateway): RawPeer => ({
  url: gateway.connectionUrl('one'),
  key: gateway.key,
  era: 'modern',
})

const metricsOf = async ({ address, key }: TestGateway) =>
  (await fetch(`${address}/metrics`, { headers: { authorization: `Bearer ${key}` } })).text()

const Row = z.object({
  id: z.string(),
  correlation_id: z.string(),
  outcome: z.string(),
  code: z.string().nullable(),
  decision: z.string(),
  bytes_in: z.number(),
  bytes_out: z.number(),
  duration_us: z.number(),
  organization_id: z.string(),
  toolset: z.string().nullable(),
  connection: z.string().nullable(),
  tool: z.string().nullable(),
  principal: z.string().nullable(),
  detail: z.record(z.string(), z.unknown()).nullable(),
})

describe('one call', () => {
  let receiver: OtlpReceiver
  let gateway: TestGateway
  beforeAll(async () => {
    receiver = parts.use(await startOtlpReceiver())
    gateway = parts.use(
      await open({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip' }),
    )
  })

  const counted = async (outcome: string): Promise<number> => {
    const text = await metricsOf(gateway)
    const line = text
      .split('\n')
      .find((one) => one.startsWith(`toolway_calls_total{method="tools/call",outcome="${outcome}"}`))
    return Number(line?.split(' ').at(-1) ?? 0)
  }
  const countedTools = async (outcome: string): Promise<number> => {
    const labels = { connector_type: 'mcp.http', status: outcome }
    return (await scrape(gateway)).sum('toolway_tool_calls_total', labels)
  }
  const recordOf = (id: string) =>
    until('its record', async () => {
      const rows = await gateway.db.organization(
        gateway.organization.id,
        (sql) => sql(Row)`
        select id, correlation_id, outcome, code, decision, bytes_in, bytes_out, duration_us, organization_id, toolset,
               connection, target as tool, principal, detail
          from records where id = ${id}`,
      )
      return rows[0]
    })

  test.each([
    { name: 'good', given: { note: SECRET }, outcome: 'ok', decision: 'allow', error: undefined },
    { name: 'bad', given: {}, outcome: 'tool_error', decision: 'allow', error: 'tool_error' },
    { name: 'weather', given: { town: SECRET }, outcome: 'refused', decision: 'refuse', error: 'arguments.invalid' },
  ])(
    'U-28: $name: log line, record, span and metrics of a call agree',
    async ({ name, given, outcome, decision, error }) => {
      const called = `one__${name}`
      const before = [await counted(outcome), await countedTools(outcome)]
      await callTool({ ...peerOf(gateway), url: `${gateway.address}/o/default/t/chosen/mcp` }, called, given)
      const span = await createTraces(receiver).find(
        ({ attributes }) => attributes['toolway.step'] === 'tool_call' && attributes['tool_name'] === called,
      )
      const { attributes } = span
      const facts =
        gateway.log.find((line) => line.message === 'call' && line.facts['id'] === attributes['toolway.record'])
          ?.facts ?? {}
      const record = await recordOf(String(facts['id']))
      // Also of a call that is refused before it is sent: the connection whose tool it named.
      const connection = 'one'
      const code = error === 'tool_error' ? undefined : error
      expect(facts['code']).toBe(code)
      expect([facts['connection'], attributes['toolway.connection']]).toEqual([connection, connection])
      const view = {
        ...{ outcome, decision, request_id: facts['request_id'], tool_name: called },
        ...{ principal: facts['principal'], toolset: 'chosen', org_id: gateway.organization.id },
        ...{
          bytes_in: facts['bytes_in'],
          bytes_out: facts['bytes_out'],
          trace_id: span.traceId,
          organization: 'default',
        },
      }
      expect(facts).toMatchObject({ ...view, span_id: span.spanId })
      expect(record).toMatchObject({
        ...{
          outcome,
          decision,
          correlation_id: view.request_id,
          connection: connection ?? null,
          tool: called,
          toolset: 'chosen',
          organization_id: view.org_id,
          principal: view.principal,
        },
        ...{ code: code ?? null, bytes_in: view.bytes_in, bytes_out: view.bytes_out },
        ...{ duration_us: Math.round(Number(facts['duration_ms']) * 1000), detail: { trace_id: span.traceId } },
      })
      expect(attributes).toMatchObject({
        ...{ 'toolway.outcome': outcome, 'toolway.decision': decision, 'toolway.request_id': view.request_id },
        ...{ 'toolway.principal': view.principal, 'toolway.organization': 'default' },
        ...{ 'toolway.toolset': 'chosen', tool_name: called },
        ...{ 'toolway.bytes_in': view.bytes_in, 'toolway.bytes_out': view.bytes_out },
      })
      expect([span.failed, attributes['error.type'], attributes['toolway.code']]).toEqual([
        error !== undefined,
        error,
        code,
      ])
      const length = Number(span.end - span.start) / 1e6
      expect(Math.abs(length - Number(facts['duration_ms']))).toBeLessThan(0.001)
      if (error === 'arguments.invalid') expect(facts['detail']).toMatchObject({ invalid: record.detail?.['invalid'] })
      expect([await counted(outcome), await countedTools(outcome)]).toEqual(before.map((count) => count + 1))
      const line = await until('its line by OTLP', () =>
        Promise.resolve(
          receiver.lines.find((one) => one.traceId === span.traceId && one.body.includes('"message":"call"')),
        ),
      )
      expect(line).toMatchObject({ spanId: span.spanId, severity: 9 })
      expect(JSON.parse(line.body)).toMatchObject({ outcome, tool_name: called, trace_id: span.traceId })
      await until('its metric by OTLP', () =>
        Promise.resolve(receiver.metrics.some((metric) => metric['name'] === 'mcp.server.operation.duration')),
      )
    },
  )

  test('no argument, no result and no secret of a connection is exported', () => {
    const all = Buffer.concat(receiver.raw).toString('latin1')
    expect(all).toContain('mcp.request')
    for (const secret of [SECRET, 's3cret-in-the-address', 's3cret-header', gateway.key]) {
      const spans = JSON.stringify(receiver.spans, (_, value: unknown) =>
        typeof value === 'bigint' ? String(value) : value,
      )
      expect(spans).not.toContain(secret)
      if (secret !== SECRET) expect(all).not.toContain(secret)
    }
  })
})

test('arguments and results stand in spans where the operator asks for them, with secrets masked', async () => {
  await using receiver = await startOtlpReceiver()
  await using gateway = await open({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, TOOLWAY_TRACE_CONTENT: 'on' })
  await callTool(peerOf(gateway), 'good', { note: 'plain', password: SECRET })
  const { of, find } = createTraces(receiver)
  const { traceId } = await find(({ name }) => name === 'tool_result')
  const spans = await of(traceId, ['tool_result', 'tools/call good'])
  const told = spans.map(
    ({ attributes }) => attributes['gen_ai.tool.call.arguments'] ?? attributes['gen_ai.tool.call.result'],
  )
  expect(told.join(' ')).toContain('plain')
  expect(told.join(' ')).toContain('no session')
  expect(told.join(' ')).not.toContain(SECRET)
})

test('S4-TRC-02: with LOGFIRE_TOKEN traces, metrics and logs go to Logfire, which refuses another token', async () => {
  await using logfire = await startOtlpReceiver({ authorization: TOKEN })
  await using gateway = await open({ LOGFIRE_TOKEN: TOKEN, LOGFIRE_BASE_URL: logfire.url })
  await callTool(peerOf(gateway), 'good')
  await createTraces(logfire).find(({ name }) => name === 'tool_result')
  await until('metrics and logs', () => Promise.resolve(logfire.metrics.length > 0 && logfire.lines.length > 0))
  expect(new Set(logfire.requests.map(({ path }) => path))).toEqual(new Set(['/v1/traces', '/v1/metrics', '/v1/logs']))
  await using stranger = await open({ LOGFIRE_TOKEN: 'pylf_v1_us_another', LOGFIRE_BASE_URL: logfire.url })
  const before = logfire.spans.length
  await callTool(peerOf(stranger), 'good')
  const told = await until('it is told', () =>
    stranger.log.find(({ message }) => message.startsWith('telemetry could not be exported')),
  )
  expect(JSON.stringify(told)).toContain('it responded with HTTP 401')
  expect(JSON.stringify(stranger.log)).not.toContain('pylf_v1_us_another')
  expect(logfire.spans).toHaveLength(before)
})

test('a receiver that never answers holds up no call, and loses are counted', { tags: 'long' }, async () => {
  await using receiver = await startOtlpReceiver()
  receiver.fails = 'never'
  await using gateway = await open({
    ...{ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_METRICS_EXPORTER: 'none', OTEL_LOGS_EXPORTER: 'none' },
    ...{ OTEL_BSP_MAX_QUEUE_SIZE: '8', OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '4', OTEL_EXPORTER_OTLP_TIMEOUT: '600000' },
  })
  for (let count = 0; count < 30; count++) {
    const { answer } = await callTool(peerOf(gateway), 'good')
    expect(answer.result?.isError).not.toBe(true)
  }
  const metrics = await metricsOf(gateway)
  expect(metrics).toMatch(/toolway_telemetry_items_total\{signal="traces",result="queue_full"\} \d{2,}/)
})

describe('the flag of a caller', () => {
  const TRACE = `00-${'a'.repeat(32)}-${'b'.repeat(16)}`
  test.each([
    { sampler: 'parentbased_always_on', flag: '00', recorded: false, told: '00' },
    { sampler: 'parentbased_always_on', flag: '01', recorded: true, told: '01' },
    { sampler: 'traceidratio', flag: '01', recorded: false, told: '00' },
  ])('$flag with $sampler', async ({ sampler, flag, recorded, told }) => {
    await using receiver = await startOtlpReceiver()
    await using upstream = await upstreamOf()
    await using held = new AsyncDisposableStack()
    const opening = openGateway({
      connections: [{ alias: 'one', wire: httpWire(upstream.url) }],
      settings: {
        ...{ ...FAST, OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_TRACES_SAMPLER: sampler },
        OTEL_TRACES_SAMPLER_ARG: '0',
      },
    })
    const gateway = held.use(await opening)
    await callTool(peerOf(gateway), 'good', {}, { headers: { traceparent: `${TRACE}-${flag}` } })
    const heard = upstream.of('tools/call').at(-1)
    expect(String(heard?.headers['traceparent']).slice(0, 35)).toBe(TRACE.slice(0, 35))
    expect(String(heard?.headers['traceparent']).slice(-2)).toBe(told)
    await held.disposeAsync()
    expect(receiver.spans.some(({ traceId }) => traceId === 'a'.repeat(32))).toBe(recorded)
  })
})

test('a call that is not recorded passes as it came, and servers cannot make metrics grow', async () => {
  await using receiver = await startOtlpReceiver()
  let code = 1_000
  await using upstream = await startScriptedUpstream({
    era: 'modern',
    act({ method, id }, response) {
      if (method !== 'tools/call') return false
      const error = { code: ++code, message: 'of its own' }
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', id, error }))
      return true
    },
  })
  await using gateway = await openGateway({
    connections: [{ alias: 'one', wire: httpWire(upstream.url) }],
    settings: {
      ...FAST,
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_TRACES_SAMPLER: 'traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0',
    },
  })
  const tracestate = 'vendor=1'
  for (let call = 0; call < 5; call++) await callTool(peerOf(gateway), 'good', {}, { meta: { tracestate } })
  const { headers, params } = upstream.of('tools/call').at(-1) ?? {}
  expect(headers?.['traceparent']).toBeUndefined()
  expect(params?.['_meta']).toMatchObject({ tracestate })
  expect(params?.['_meta']).not.toHaveProperty('traceparent')
  const shown = await metricsOf(gateway)
  expect([...shown.matchAll(/^toolway_upstream_duration_seconds_count\{(.*tools\/call.*)\} (\d+)$/gm)]).toEqual([
    expect.objectContaining({ 1: expect.stringContaining('error_type="_OTHER"') as string, 2: '5' }),
  ])
  expect(receiver.spans).toEqual([])
})
