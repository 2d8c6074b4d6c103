/** `/metrics` under both names, as a scraper reads it: every family is there, and each says what was really done. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { startTestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { createCounters } from '../../../packages/gateway/src/telemetry/counters.ts'
import { expose } from '../../../packages/gateway/src/telemetry/exposition.ts'
import { startOtlpReceiver } from '../../../packages/gateway/src/testing/otlp-receiver.ts'
import { startScriptedUpstream } from '../../fault/scripted-upstream.ts'
import { callTool, openSession, type RawPeer } from '../peers/clients/raw-client.ts'
import { openGateway } from '../peers/open-gateway.ts'
import { addKey, createAsk } from '../peers/people/administrators.ts'
import { startProbe } from '../peers/probes/probe-server.ts'
import { httpWire, probeProcess } from '../peers/servers/real-servers.ts'
import { until } from '../peers/until.ts'
import { scrape } from './scrape.ts'

const FAMILIES = [
  'http_request_duration_seconds',
  'tool_call_duration_seconds',
  'tool_calls_total',
  'active_sessions',
  'pool_size',
  'external_processes',
  'memory_usage_bytes',
  'pool_hits_total',
  'pool_misses_total',
  'rate_limited_total',
  'policy_decisions_total',
].map((name) => `sagemcp_${name}`)

const parts = new AsyncDisposableStack()
let gateway: TestGateway
beforeAll(async () => {
  const remote = parts.use(await startProbe({ era: 'legacy', name: 'remote' }))
  gateway = parts.use(
    await openGateway({
      connections: [
        { alias: 'remote', wire: httpWire(remote.url) },
        { alias: 'child', wire: probeProcess('child') },
      ],
      settings: { SAGEMCP_ENABLE_METRICS: 'true', TOOLWAY_LIMIT_KEY: '100' },
    }),
  )
})
afterAll(() => parts.disposeAsync())

const peerOf = (alias: string): RawPeer => ({ url: gateway.connectionUrl(alias), key: gateway.key, era: 'modern' })
const echo = (alias: string) => callTool(peerOf(alias), 'echo', { text: 'x' })

test('S3-OBS-01: /metrics is Prometheus text with the prefix sagemcp_ where SAGEMCP_ENABLE_METRICS=true, and 404 where it is off', async () => {
  const answer = await fetch(`${gateway.address}/metrics`, { headers: { authorization: `Bearer ${gateway.key}` } })
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8'])
  expect((await scrape(gateway)).families.filter((name) => name.startsWith('sagemcp_')).length).toBeGreaterThan(0)
  await using off = await startTestGateway({ settings: { SAGEMCP_ENABLE_METRICS: 'false' } })
  const none = await fetch(`${off.address}/metrics`, { headers: { authorization: `Bearer ${off.key}` } })
  expect(none.status).toBe(404)
})

test('S3-OBS-02: the request metrics rise with a call, and the address is counted by its form', async () => {
  const seen = async () => {
    const { sum } = await scrape(gateway)
    const http = {
      method: 'POST',
      path_template: '/api/v1/{organization}/connectors/{connection}/mcp',
      status_code: '200',
    }
    return [
      sum('sagemcp_http_request_duration_seconds_count', http),
      sum('sagemcp_tool_call_duration_seconds_count', { connector_type: 'mcp.http', tool_name: 'other', status: 'ok' }),
      sum('sagemcp_tool_calls_total', { connector_type: 'mcp.http', status: 'ok' }),
    ]
  }
  const before = await seen()
  await echo('remote')
  await until('all rise', async () => (await seen()).every((value, at) => value === (before[at] ?? 0) + 1))
  await fetch(`${gateway.address}/a/path/of/nobody`)
  const { text } = await scrape(gateway)
  expect(text).not.toContain('/a/path/of/nobody')
  expect(text).not.toContain('/connectors/remote/')
})

test('S3-OBS-03: the gauges have true values', async () => {
  const gauges = async () => {
    const { sum } = await scrape(gateway)
    return ['active_sessions', 'pool_size', 'external_processes'].map((name) => sum(`sagemcp_${name}`))
  }
  await echo('child')
  await echo('remote')
  const [sessions = 0, pool = 0, processes = 0] = await gauges()
  const platform = createAsk(gateway, await addKey(gateway, { role: 'platform_admin' }))
  const held = (await platform('GET /api/v1/admin/pool/summary')).body as { sessions: number }
  expect(held.sessions).toBeGreaterThan(0)
  expect([pool, processes]).toEqual([held.sessions, 1])
  await openSession(gateway.connectionUrl('remote'), gateway.key)
  expect((await gauges())[0]).toBe(sessions + 1)
  const { series } = await scrape(gateway)
  const memory = Object.fromEntries(
    series
      .filter(({ name }) => name === 'sagemcp_memory_usage_bytes')
      .map(({ labels, value }) => [labels['component'], value]),
  )
  const now = process.memoryUsage()
  // The gateway is in this process.
  expect(memory['resident']).toBeGreaterThan(now.rss / 2)
  expect(memory['resident']).toBeLessThan(now.rss * 2)
  expect(Object.keys(memory).toSorted()).toEqual(['array_buffers', 'external', 'heap_total', 'heap_used', 'resident'])
})

test('S3-OBS-04: a call that finds its session open is a pool hit, one that opens it a miss', async () => {
  await using server = await startProbe({ era: 'legacy', name: 'fresh' })
  await using fresh = await openGateway({
    connections: [{ alias: 'fresh', wire: httpWire(server.url) }],
    settings: { TOOLWAY_METRICS_NAMES: 'both' },
  })
  const counts = async () => {
    const { sum } = await scrape(fresh)
    return [sum('sagemcp_pool_hits_total'), sum('sagemcp_pool_misses_total')] as const
  }
  const peer: RawPeer = { url: fresh.connectionUrl('fresh'), key: fresh.key, era: 'modern' }
  await callTool(peer, 'echo', { text: 'x' })
  const [hits, misses] = await counts()
  expect(misses).toBeGreaterThan(0)
  await callTool(peer, 'echo', { text: 'x' })
  expect(await counts()).toEqual([hits + 1, misses])
})

test('S3-OBS-05: eleven families are there and recorded, and no label names a tenant', async () => {
  await openSession(gateway.connectionUrl('remote'), gateway.key)
  await echo('child')
  // A busy machine gets places back while it calls, so calls are made until one is refused.
  const refusals = async () => (await scrape(gateway)).sum('sagemcp_rate_limited_total')
  for (let round = 0; round < 40 && (await refusals()) === 0; round++)
    await Promise.all(Array.from({ length: 25 }, () => echo('remote')))
  const { families, series } = await scrape(gateway)
  expect(families.filter((name) => name.startsWith('sagemcp_')).toSorted()).toEqual(FAMILIES.toSorted())
  for (const family of FAMILIES) {
    const own = series.filter(({ name }) => name === family || name === `${family}_count`)
    expect([family, own.some(({ value }) => value > 0)]).toEqual([family, true])
  }
  const labels = new Set(series.flatMap((one) => Object.keys(one.labels)))
  for (const label of ['tenant', 'tenant_slug', 'organization', 'org_id']) expect(labels).not.toContain(label)
  expect(series.flatMap((one) => Object.values(one.labels))).not.toContain('default')
})

const NONE = () => 0
const QUIET = { sessions: NONE, channels: NONE, upstreamSessions: NONE, waitingRecords: NONE }

test.each([
  ['toolway', true, false],
  ['sagemcp', false, true],
  ['both', true, true],
] as const)('the names are those of TOOLWAY_METRICS_NAMES=%s', async (names, own, seed) => {
  const { text } = await expose(createCounters(QUIET).registry, names)
  const families = [...text.matchAll(/^# TYPE (\w+) /gm)].map(([, name]) => name)
  expect(families.includes('toolway_sessions')).toBe(own)
  expect(families.includes('sagemcp_active_sessions')).toBe(seed)
  // A metric that the source system did not have keeps its own name.
  expect(families).toContain('toolway_calls_in_flight')
  expect(new Set(families).size).toBe(families.length)
})

test('a tool of a server is not named, unless the operator shows all names; how many are named is bounded', async () => {
  const tools = Array.from({ length: 320 }, (_, at) => ({ name: `tool${at}`, inputSchema: { type: 'object' } }))
  await using server = await startScriptedUpstream({
    era: 'modern',
    results: {
      'tools/list': { tools, ttlMs: 0, cacheScope: 'private' },
      'tools/call': { resultType: 'complete', content: [{ type: 'text', text: 'x' }] },
    },
  })
  const connections = [{ alias: 'one', wire: httpWire(server.url) }]
  await using other = await openGateway({ connections, settings: { TOOLWAY_METRICS_TOOLS: 'all' } })
  const peer: RawPeer = { url: other.connectionUrl('one'), key: other.key, era: 'modern' }
  for (const { name } of tools) await callTool(peer, name)
  const named = (await scrape(other)).series.filter(({ name }) => name === 'toolway_tool_call_duration_seconds_count')
  expect(named).toHaveLength(301)
  expect(named.find(({ labels }) => labels['tool_name'] === 'other')?.value).toBe(20)
  expect((await scrape(gateway)).text).not.toContain('tool_name="echo"')
})

test('OpenMetrics is written where it is asked for, with the trace of a call as exemplar', async () => {
  await using receiver = await startOtlpReceiver()
  await using server = await startProbe({ name: 'traced' })
  await using traced = await openGateway({
    connections: [{ alias: 'one', wire: httpWire(server.url) }],
    settings: { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url },
  })
  await callTool({ url: traced.connectionUrl('one'), key: traced.key, era: 'modern' }, 'echo', { text: 'x' })
  const asked =
    'application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;q=0.5'
  const { text, families } = await scrape(traced, asked)
  expect(text.endsWith('# EOF\n')).toBe(true)
  expect(families.filter((name) => name.endsWith('_total'))).toEqual([])
  const trace =
    /^toolway_tool_call_duration_seconds_bucket\{.*\} \d+ # \{trace_id="([0-9a-f]{32})"\} [\d.]+ [\d.]+$/m.exec(text)
  await until('its trace is exported', () =>
    Promise.resolve(receiver.spans.some(({ traceId }) => traceId === trace?.[1])),
  )
  // The other form is as it was.
  const plain = await scrape(traced)
  expect(plain.text).not.toContain('trace_id')
  expect(plain.families).toContain('toolway_tool_calls_total')
})

test('the guide names every metric, with its labels', async () => {
  const guide = await readFile(join(import.meta.dirname, '../../../docs/guides/observability.md'), 'utf8')
  const [, table = ''] = /<!-- metrics:[^\n]*\n(.*)<!-- \/metrics -->/s.exec(guide) ?? []
  const written = [...table.matchAll(/^\| `(\w+)` \| (.*?) \|/gm)].map(([, name, labels = '']) => [
    name,
    [...labels.matchAll(/`(\w+)`/g)].map(([, label = '']) => label).toSorted(),
  ])
  const registry = createCounters({
    ...QUIET,
    databaseReachable: () => true,
  }).registry.getMetricsAsArray() as unknown as { name: string; labelNames: string[] }[]
  const real = registry.map(({ name, labelNames }) => [name, labelNames.toSorted()])
  const byName = (one: unknown[], other: unknown[]) => (String(one[0]) < String(other[0]) ? -1 : 1)
  expect(written.toSorted(byName)).toEqual(real.toSorted(byName))
})
