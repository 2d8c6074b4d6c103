/**
 * Exports to the OpenTelemetry Collector itself, built from its published modules with one receiver (OTLP) and one exporter (a file).
 * A machine without Go, or without its module proxy, cannot build it: the test then says so and proves nothing.
 */
// @module-tag long
import { spawn, spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { freePort } from '../../../packages/gateway/src/testing/free-port.ts'
import { startScriptedUpstream } from '../../fault/scripted-upstream.ts'
import { callTool } from '../peers/clients/raw-client.ts'
import { openGateway } from '../peers/open-gateway.ts'
import { httpWire } from '../peers/servers/real-servers.ts'
import { until } from '../peers/until.ts'

/** The path of the program; a sentence where it cannot be had. */
function build(folder: string): { program: string } | { problem: string } {
  const program = join(folder, 'collector')
  const cwd = join(import.meta.dirname, 'collector')
  const built = spawnSync('go', ['build', '-mod=mod', '-p', '1', '-o', program, '.'], { cwd, encoding: 'utf8' })
  return built.status === 0 ? { program } : { problem: built.error?.message ?? built.stderr.slice(-500) }
}

test('traces, metrics and logs reach the OpenTelemetry Collector', async () => {
  await using held = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'toolway-collector-'))
  held.defer(() => rm(folder, { recursive: true, force: true }))
  const made = build(folder)
  if ('problem' in made) return console.warn(`the collector cannot be built here: ${made.problem}`)
  const [port, file] = [await freePort(), join(folder, 'out.jsonl')]
  const pipeline = { receivers: ['otlp'], exporters: ['file'] }
  const config = {
    receivers: { otlp: { protocols: { http: { endpoint: `127.0.0.1:${port}` } } } },
    exporters: { file: { path: file, flush_interval: '100ms' } },
    service: {
      telemetry: { metrics: { level: 'none' } },
      pipelines: { traces: pipeline, metrics: pipeline, logs: pipeline },
    },
  }
  // JSON is YAML too.
  await writeFile(join(folder, 'config.yaml'), JSON.stringify(config))
  const child = spawn(made.program, ['--config', join(folder, 'config.yaml')], { stdio: 'ignore' })
  held.defer(() => void child.kill('SIGKILL'))
  const endpoint = `http://127.0.0.1:${port}`
  await until('the collector listens', () =>
    fetch(endpoint).then(
      () => true,
      () => false,
    ),
  )
  const upstream = held.use(await startScriptedUpstream({ era: 'modern' }))
  const gateway = held.use(
    await openGateway({
      connections: [{ alias: 'one', wire: httpWire(upstream.url) }],
      settings: {
        OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
        OTEL_BSP_SCHEDULE_DELAY: '20',
        OTEL_METRIC_EXPORT_INTERVAL: '100',
      },
    }),
  )
  await callTool({ url: gateway.connectionUrl('one'), key: gateway.key, era: 'modern' }, 'good')
  for (const mark of ['"tool_result"', 'mcp.server.operation.duration', '\\"message\\":\\"call\\"'])
    await until(mark, async () => (await readFile(file, 'utf8').catch(() => '')).includes(mark))
  const metrics = await (
    await fetch(`${gateway.address}/metrics`, { headers: { authorization: `Bearer ${gateway.key}` } })
  ).text()
  expect(metrics).toMatch(/toolway_telemetry_items_total\{signal="traces",result="exported"\} [1-9]/)
  expect(metrics).not.toMatch(/result="refused"/)
})
