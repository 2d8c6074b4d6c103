/**
 * Each query of the dashboards and alert rules, evaluated by a Prometheus that scraped a gateway under load: it parses, and it gives
 * series, or is one of those that are empty while all is well.
 */
// @module-tag long
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { freePort } from '../../../packages/gateway/src/testing/free-port.ts'
import type { TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { startOtlpReceiver } from '../../../packages/gateway/src/testing/otlp-receiver.ts'
import { callTool, openSession } from '../peers/clients/raw-client.ts'
import { openGateway } from '../peers/open-gateway.ts'
import { startProbe } from '../peers/probes/probe-server.ts'
import { httpWire, probeProcess } from '../peers/servers/real-servers.ts'
import { until } from '../peers/until.ts'

const DEPLOY = join(import.meta.dirname, '../../../deploy')
const RULES = join(DEPLOY, 'prometheus/toolway.rules.yml')
const isThere = spawnSync('prometheus', ['--version']).status === 0

const Dashboard = z.object({
  panels: z.array(z.object({ title: z.string(), targets: z.array(z.object({ expr: z.string() })) })),
})
const Rules = z.object({
  groups: z.array(
    z.object({
      rules: z.array(z.object({ alert: z.string().optional(), record: z.string().optional(), expr: z.string() })),
    }),
  ),
})

/** Empty while no rule is in the shadow, while no check of a connection is due, and while no telemetry is lost. */
const EMPTY_WHEN_WELL = ['Rules in the shadow', 'Health checks of connections', 'ToolwayTelemetryDropped']

async function panels(): Promise<{ title: string; expr: string }[]> {
  const files = (await readdir(join(DEPLOY, 'grafana'))).filter((name) => name.endsWith('.json'))
  const all = await Promise.all(
    files.map(async (name) => Dashboard.parse(JSON.parse(await readFile(join(DEPLOY, 'grafana', name), 'utf8')))),
  )
  return all.flatMap((one) => one.panels.flatMap(({ title, targets }) => targets.map(({ expr }) => ({ title, expr }))))
}

async function rules() {
  const { groups } = Rules.parse(parse(await readFile(RULES, 'utf8')))
  return groups.flatMap((group) => group.rules)
}

/** As Grafana fills them in. */
const filled = (expr: string): string =>
  expr
    .replaceAll('$__rate_interval', '1m')
    .replaceAll('$__range', '1m')
    .replaceAll('$job', '.*')
    .replaceAll('$instance', '.*')

/** The two sides of an alert, without their thresholds. */
const measured = (expr: string): string[] =>
  expr.split(' and ').map((side) => side.replace(/^\((.*)\)$/s, '$1').replace(/\s*(?:>|<|==) [\d.e]+$/, ''))

const Answer = z.object({
  status: z.literal('success'),
  data: z.object({ result: z.array(z.object({ value: z.tuple([z.number(), z.string()]) })) }),
})

if (!isThere)
  test('dashboards and alert rules are checked by Prometheus', () => {
    if (process.env['CI'] === 'true') expect.fail('CI has to install the package prometheus')
    console.warn('prometheus is not installed: the queries of dashboards and alert rules were not evaluated')
  })

describe.runIf(isThere)('a Prometheus that scrapes a gateway under load', () => {
  const parts = new AsyncDisposableStack()
  let gateway: TestGateway
  let address: string

  beforeAll(async () => {
    const receiver = parts.use(await startOtlpReceiver())
    const remote = parts.use(await startProbe({ era: 'legacy', name: 'remote' }))
    gateway = parts.use(
      await openGateway({
        connections: [
          { alias: 'remote', wire: httpWire(remote.url) },
          { alias: 'child', wire: probeProcess('child') },
        ],
        settings: { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, TOOLWAY_LIMIT_KEY: '200' },
      }),
    )
    address = await startPrometheus(parts, gateway)
    let isScraped = false
    const loading = load(gateway, () => isScraped)
    await until('several samples', async () => {
      const names = ['toolway_tool_calls_total{status="ok"}', 'toolway_limited_total']
      const counts = await Promise.all(names.map((name) => query(`min(count_over_time(${name}[1m]))`)))
      return counts.every(([samples = '0']) => Number(samples) >= 3)
    })
    isScraped = true
    await loading
  })
  afterAll(() => parts.disposeAsync())

  async function query(expr: string): Promise<string[]> {
    const answer = await fetch(`${address}/api/v1/query?${new URLSearchParams({ query: expr })}`)
    const found = Answer.safeParse(await answer.json())
    if (!found.success) throw new Error(`${answer.status}: ${expr}`)
    return found.data.data.result.map(({ value: [, value] }) => value)
  }

  test('S3-OBS-08: a Grafana dashboard and alert rules are supplied, whose names exist in a gateway', async () => {
    const shown = await panels()
    expect(shown.length).toBeGreaterThan(25)
    const empty: string[] = []
    for (const { title, expr } of shown) if ((await query(filled(expr))).length === 0) empty.push(title)
    expect(empty.filter((title) => !EMPTY_WHEN_WELL.includes(title))).toEqual([])
    const written = await rules()
    // What is recorded is written every half minute, so it is asked for as it is computed.
    const computed = (side: string) =>
      written.reduce(
        (text, { record, expr }) => (record === undefined ? text : text.replaceAll(record, `(${expr})`)),
        side,
      )
    for (const { alert, record, expr } of written) {
      await query(expr)
      if (alert !== undefined && EMPTY_WHEN_WELL.includes(alert)) continue
      for (const side of record === undefined ? measured(expr) : [expr])
        expect([alert ?? record, side, (await query(computed(side))).length > 0]).toEqual([alert ?? record, side, true])
    }
    expect(written.filter(({ alert }) => alert !== undefined).length).toBeGreaterThan(10)
  })

  test('no alert fires while all is well, but the one for refusals by limits', async () => {
    const Alerts = z.object({
      data: z.object({ alerts: z.array(z.object({ labels: z.object({ alertname: z.string() }), state: z.string() })) }),
    })
    const { data } = Alerts.parse(await (await fetch(`${address}/api/v1/alerts`)).json())
    expect(data.alerts.filter(({ state }) => state === 'firing')).toEqual([])
    const names = data.alerts.map(({ labels }) => labels.alertname)
    expect(names.filter((name) => name !== 'ToolwayRefusesByLimits')).toEqual([])
  })

  test('the traces of calls are there as exemplars', async () => {
    const Exemplars = z.object({
      data: z.array(z.object({ exemplars: z.array(z.object({ labels: z.object({ trace_id: z.string() }) })) })),
    })
    const range = { start: String(Date.now() / 1000 - 120), end: String(Date.now() / 1000 + 5) }
    const found = await until('exemplars', async () => {
      const words = new URLSearchParams({ query: 'toolway_tool_call_duration_seconds_bucket', ...range })
      const { data } = Exemplars.parse(await (await fetch(`${address}/api/v1/query_exemplars?${words}`)).json())
      return data.length > 0 ? data : undefined
    })
    expect(found[0]?.exemplars[0]?.labels.trace_id).toMatch(/^[0-9a-f]{32}$/)
  })

  test('promtool accepts the rules, and each alert fires as its test says', () => {
    const folder = join(DEPLOY, 'prometheus')
    for (const words of [
      ['check', 'rules', 'toolway.rules.yml'],
      ['test', 'rules', 'toolway.rules.test.yml'],
    ]) {
      const { status, stdout, stderr } = spawnSync('promtool', words, { cwd: folder, encoding: 'utf8' })
      expect([status, status === 0 ? '' : stdout + stderr]).toEqual([0, ''])
    }
  })
})

async function startPrometheus(parts: AsyncDisposableStack, { address, key }: TestGateway): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'toolway-prometheus-'))
  parts.defer(() => rm(folder, { recursive: true, force: true }))
  await writeFile(join(folder, 'key'), key, { mode: 0o600 })
  const config = {
    global: { scrape_interval: '1s', evaluation_interval: '1s' },
    rule_files: [RULES],
    scrape_configs: [
      {
        job_name: 'toolway',
        authorization: { credentials_file: join(folder, 'key') },
        static_configs: [{ targets: [new URL(address).host] }],
      },
    ],
  }
  await writeFile(join(folder, 'prometheus.yml'), JSON.stringify(config))
  const own = `127.0.0.1:${await freePort()}`
  const words = [
    `--config.file=${join(folder, 'prometheus.yml')}`,
    `--storage.tsdb.path=${join(folder, 'data')}`,
    `--web.listen-address=${own}`,
    '--enable-feature=exemplar-storage',
    '--log.level=error',
  ]
  const running = spawn('prometheus', words, { cwd: folder, stdio: 'ignore' })
  const ended = once(running, 'exit')
  parts.defer(async () => {
    running.kill('SIGKILL')
    await ended
  })
  const isUp = () =>
    fetch(`http://${own}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    )
  await until('Prometheus is ready', isUp)
  return `http://${own}`
}

/** Calls, refusals and a session, until it is enough. */
async function load(gateway: TestGateway, isEnough: () => boolean): Promise<void> {
  const peer = { key: gateway.key, era: 'modern' as const }
  await openSession(gateway.url, gateway.key)
  const one = async () => {
    while (!isEnough()) {
      await callTool({ ...peer, url: gateway.connectionUrl('remote') }, 'echo', { text: 'x' })
      await callTool({ ...peer, url: gateway.connectionUrl('child') }, 'echo', { text: 'x' })
      await callTool({ ...peer, url: gateway.url }, 'nobody', {})
      await new Promise((resolve) => void setTimeout(resolve, 10))
    }
  }
  await Promise.all(Array.from({ length: 4 }, one))
}
