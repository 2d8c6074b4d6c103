/**
 * The metrics of the registry, exported at intervals (opentelemetry/proto/metrics/v1/metrics.proto): the numbers are those that
 * `/metrics` shows, so nothing is counted twice.
 *
 * Counters and histograms are cumulative since the start of the process. The histograms that OpenTelemetry has names for go out
 * under those.
 */
import type { MetricObjectWithValues, MetricValue, Registry } from 'prom-client'
import { AttributeWriter } from './attributes.ts'
import { ITEM } from './envelope.ts'
import { MEDIUM, ProtoWriter } from './proto-writer.ts'

export interface MetricExportParts {
  readonly registry: Registry
  /** Milliseconds. */
  readonly every: number
  /** Never rejects. */
  send(items: Buffer, count: number): Promise<void>
}

/** OpenTelemetry, semantic conventions for MCP and for HTTP servers, metrics. */
const CONVENTIONAL: Readonly<Record<string, string>> = {
  toolway_call_duration_seconds: 'mcp.server.operation.duration',
  toolway_upstream_duration_seconds: 'mcp.client.operation.duration',
  toolway_http_request_duration_seconds: 'http.server.request.duration',
}
const ATTRIBUTES: Readonly<Record<string, string>> = {
  method: 'mcp.method.name',
  error_type: 'error.type',
  tool_name: 'gen_ai.tool.name',
}
const HTTP_ATTRIBUTES: Readonly<Record<string, string>> = {
  method: 'http.request.method',
  path_template: 'http.route',
  status_code: 'http.response.status_code',
}
const attributesOf = (metric: string) =>
  metric === 'toolway_http_request_duration_seconds' ? HTTP_ATTRIBUTES : ATTRIBUTES
/** AggregationTemporality. */
const CUMULATIVE = 2

type Metric = MetricObjectWithValues<MetricValue<string>>

export function createMetricExport({ registry, every, send }: MetricExportParts) {
  const started = Date.now()
  const exportNow = async () => {
    const all = await registry.getMetricsAsJSON()
    await send(encodeMetrics(all, started, Date.now()), all.length)
  }
  let underWay: Promise<void> | undefined
  const timer = setInterval(() => {
    underWay ??= exportNow()
      .catch(() => {})
      .finally(() => (underWay = undefined))
  }, every).unref()
  return {
    /** Exports once more. */
    async close() {
      clearInterval(timer)
      await underWay
      await exportNow().catch(() => {})
    },
  }
}

/** Times in milliseconds since 1970. */
export function encodeMetrics(all: readonly Metric[], started: number, now: number): Buffer {
  const to = new ProtoWriter()
  for (const metric of all) {
    if (metric.values.length === 0) continue
    const from = to.open(ITEM, MEDIUM)
    to.text(1, CONVENTIONAL[metric.name] ?? metric.name)
    to.text(2, metric.help)
    if (metric.name.endsWith('_seconds')) to.text(3, 's')
    writePoints(to, metric, started, now)
    to.close(from, MEDIUM)
  }
  return to.take()
}

function writePoints(to: ProtoWriter, metric: Metric, started: number, now: number): void {
  // prom-client names its types with texts at run time, and with numbers in its declarations.
  const type = String(metric.type) as unknown
  if (type === 'histogram') return writeHistograms(to, metric, started, now)
  const isSum = type === 'counter'
  const from = to.open(isSum ? 7 : 5, MEDIUM)
  for (const { value, labels } of metric.values) {
    const point = to.open(1, MEDIUM)
    if (isSum) to.nanoseconds(2, started)
    to.nanoseconds(3, now)
    to.double(4, value)
    writeLabels(to, 7, labels, attributesOf(metric.name))
    to.close(point, MEDIUM)
  }
  if (isSum) {
    to.whole(2, CUMULATIVE)
    to.whole(3, 1)
  }
  to.close(from, MEDIUM)
}

function writeHistograms(to: ProtoWriter, metric: Metric, started: number, now: number): void {
  const from = to.open(9, MEDIUM)
  for (const { labels, buckets, count, sum } of histogramsOf(metric)) {
    const point = to.open(1, MEDIUM)
    to.nanoseconds(2, started)
    to.nanoseconds(3, now)
    to.fixed64(4, count)
    to.double(5, sum)
    const upTo = [0, ...buckets.map((bucket) => bucket.upTo), count]
    to.fixed64s(
      6,
      upTo.slice(1).map((value, at) => value - (upTo[at] ?? 0)),
    )
    to.doubles(
      7,
      buckets.map(({ bound }) => bound),
    )
    writeLabels(to, 9, labels, attributesOf(metric.name))
    to.close(point, MEDIUM)
  }
  to.whole(2, CUMULATIVE)
  to.close(from, MEDIUM)
}

interface HistogramPoint {
  readonly labels: Record<string, string | number | undefined>
  /** Counted up to each bound, all that is below it included; without the last, which has no bound. */
  readonly buckets: { bound: number; upTo: number }[]
  count: number
  sum: number
}

/** The values of a histogram, together for each set of labels. */
function histogramsOf({ name, values }: Metric): HistogramPoint[] {
  const points = new Map<string, HistogramPoint>()
  for (const value of values) {
    const { le, ...labels } = value.labels
    const key = JSON.stringify(labels)
    const point = points.get(key) ?? { labels, buckets: [], count: 0, sum: 0 }
    points.set(key, point)
    const part = (value as { metricName?: string }).metricName
    if (part === `${name}_sum`) point.sum = value.value
    else if (part === `${name}_count`) point.count = value.value
    else if (le !== undefined && le !== '+Inf') point.buckets.push({ bound: Number(le), upTo: value.value })
  }
  return [...points.values()]
}

function writeLabels(
  to: ProtoWriter,
  field: number,
  labels: Partial<Record<string, string | number>>,
  names: Readonly<Record<string, string>>,
): void {
  const attributes = new AttributeWriter(to, field)
  for (const [name, value] of Object.entries(labels))
    if (value !== '') attributes.text(names[name] ?? name, value === undefined ? undefined : String(value))
}
