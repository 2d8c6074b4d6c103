import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { exposeMetrics, type Metric } from './exposition.ts'
import { mergeMetrics } from './merge-metrics.ts'

/** The metrics of one process, as they come out of JSON. */
async function metricsOf(fill: (registry: Registry) => void): Promise<Metric[]> {
  const registry: Registry = new Registry()
  registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE as unknown as typeof registry.contentType)
  fill(registry)
  return JSON.parse(JSON.stringify(await registry.getMetricsAsJSON())) as Metric[]
}

const processOf = (calls: Record<string, number>, up: number, seconds: number) =>
  metricsOf((registry) => {
    const registers = [registry]
    const counter = new Counter({ name: 'calls_total', help: 'Calls', labelNames: ['tool'], registers })
    for (const [tool, count] of Object.entries(calls)) counter.inc({ tool }, count)
    new Gauge({ name: 'database_up', help: 'Up', aggregator: 'min', registers }).set(up)
    new Histogram({ name: 'seconds', help: 'Seconds', buckets: [1, 2], enableExemplars: true, registers }).observe({
      value: seconds,
      exemplarLabels: { trace_id: `of-${seconds}` },
    })
  })

test('counters and buckets are added up, a gauge is merged as it says, and exemplars stay', async () => {
  const merged = mergeMetrics([
    await processOf({ a: 1, b: 2 }, 1, 0.5),
    await processOf({ b: 3, c: 4 }, 0, 1.5),
    await processOf({}, 1, 9),
  ])
  const { text } = exposeMetrics(merged, 'toolway', 'application/openmetrics-text')
  const lines = text.split('\n').map((line) => line.replace(/ [\d.]+$/, (end) => (line.includes('#') ? '' : end)))
  expect(lines.filter((line) => /^[a-z]/.test(line))).toEqual([
    'calls_total{tool="a"} 1',
    'calls_total{tool="b"} 5',
    'calls_total{tool="c"} 4',
    'database_up 0',
    'seconds_bucket{le="1.0"} 1 # {trace_id="of-0.5"} 0.5',
    'seconds_bucket{le="2.0"} 2 # {trace_id="of-1.5"} 1.5',
    'seconds_bucket{le="+Inf"} 3 # {trace_id="of-9"} 9',
    'seconds_sum 11',
    'seconds_count 3',
  ])
})

test('one process alone is as it was', async () => {
  const alone = await processOf({ a: 1 }, 1, 0.5)
  expect(mergeMetrics([alone])).toEqual(alone)
})
