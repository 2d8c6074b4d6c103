/**
 * Telemetry by OTLP: traces, metrics and log lines, each exported in the background to where the settings say (ADR 0085).
 *
 * Loaded only where it is switched on. Its own losses are counted in the registry that everything else is counted in.
 */
import { Counter, Histogram, type Registry } from 'prom-client'
import { createFrame, type Frame } from './otlp/envelope.ts'
import { createExportQueue, type DropReason, type ExportQueue, type QueueLimits } from './otlp/export-queue.ts'
import { createLogExport, type LogSource } from './otlp/log-export.ts'
import { createMetricExport } from './otlp/metric-export.ts'
import { createOtlpExporter, type OtlpTarget, type Post } from './otlp/otlp-exporter.ts'
import { SECONDS } from './seconds.ts'
import type { Sampler } from './tracing/sampler.ts'
import { createTracer, type Tracer } from './tracing/tracer.ts'

export type Signal = 'traces' | 'metrics' | 'logs'

export interface TelemetryParts {
  readonly targets: Readonly<Record<Signal, readonly OtlpTarget[]>>
  /** Attributes of this gateway. */
  readonly resource: Readonly<Record<string, string>>
  readonly version: string
  readonly sampler: Sampler
  readonly content: boolean
  readonly spans: QueueLimits
  readonly lines: QueueLimits
  /** Milliseconds between two exports of metrics. */
  readonly interval: number
  readonly registry: Registry
  /** The lines of the log. */
  readonly log: LogSource
  readonly post: Post
  warn(facts: Record<string, unknown>, message: string): void
}

export interface Telemetry {
  /** Undefined where no traces are exported. */
  readonly tracer: Tracer | undefined
  /** Counts a request to a server. */
  observe(method: string, error: string | undefined, seconds: number): void
  /** Exports what waits, for a few seconds at most. */
  close(): Promise<void>
}

/** Milliseconds that the end of the process waits for the last exports. */
const LAST_EXPORT_MS = 5_000

export function createTelemetry(parts: TelemetryParts): Telemetry {
  const { targets, resource, version, registry } = parts
  const frame = createFrame(resource, { name: 'toolway', version })
  const metrics = metricsIn(registry)
  const signalExport = (signal: Signal) => createSignal(parts, signal, frame, metrics.items)
  const stops: ((deadline: AbortSignal) => Promise<void>)[] = []
  /** The last to end are the metrics, which count the losses of the others. */
  const add = (stop: (deadline: AbortSignal) => Promise<void>) => void stops.push(stop)

  // Resolving labels costs more than observing: each pair of them is resolved once.
  const observed = new Map<string, Histogram.Internal<string>>()
  const requestsOf = (method: string, error: string): Histogram.Internal<string> => {
    const key = `${method} ${error}`
    const known = observed.get(key) ?? metrics.requests.labels({ method, error_type: error })
    observed.set(key, known)
    return known
  }
  let tracer: Tracer | undefined
  if (targets.traces.length > 0) {
    const queue = queueOf(signalExport('traces'), parts.spans, add)
    tracer = createTracer({ sampler: parts.sampler, queue, now: Date.now, content: parts.content })
  }
  if (targets.logs.length > 0) {
    const queue = queueOf(signalExport('logs'), parts.lines, (stop) => {
      add((deadline) => {
        leave()
        return stop(deadline)
      })
    })
    const leave = createLogExport(parts.log, queue)
  }
  if (targets.metrics.length > 0) {
    const { send, stop } = signalExport('metrics')
    const periodic = createMetricExport({ registry, every: parts.interval, send })
    add(async (deadline) => {
      // Also one that is under way ends with the deadline.
      if (deadline.aborted) stop()
      else deadline.addEventListener('abort', stop, { once: true })
      await periodic.close()
    })
  }
  return {
    tracer,
    observe: (method, error = '', seconds) => requestsOf(method, error).observe(seconds),
    async close() {
      const ending = new AbortController()
      const timer = setTimeout(() => ending.abort(), LAST_EXPORT_MS)
      for (const stop of stops) await stop(ending.signal)
      clearTimeout(timer)
    },
  }
}

interface SignalExport {
  send(items: Buffer, count: number): Promise<void>
  drop(count: number, reason: DropReason): void
  stop(): void
}

function createSignal(
  { targets, post, warn }: TelemetryParts,
  signal: Signal,
  frame: Frame,
  items: Counter<'signal' | 'result'>,
): SignalExport {
  const drop = (count: number, reason: DropReason) => items.inc({ signal, result: reason }, count)
  const exporters = targets[signal].map((target) =>
    createOtlpExporter({
      ...{ target, signal, post, warn, drop },
      exported: (count) => items.inc({ signal, result: 'exported' }, count),
      now: () => performance.now(),
    }),
  )
  return {
    async send(batch, count) {
      const body = frame(batch)
      await Promise.all(exporters.map((exporter) => exporter.export(body, count)))
    },
    drop,
    stop() {
      for (const exporter of exporters) exporter.stop()
    },
  }
}

function queueOf(
  { send, drop, stop }: SignalExport,
  limits: QueueLimits,
  add: (stop: (deadline: AbortSignal) => Promise<void>) => void,
): ExportQueue {
  const queue = createExportQueue({ ...limits, export: send, drop })
  add(async (deadline) => {
    await queue.close(deadline)
    stop()
  })
  return queue
}

const metricsIn = (registry: Registry) => ({
  items: new Counter({
    name: 'toolway_telemetry_items_total',
    help: 'Spans, log lines and metrics exported over OTLP, by outcome',
    labelNames: ['signal', 'result'],
    registers: [registry],
  }),
  requests: new Histogram({
    name: 'toolway_upstream_duration_seconds',
    help: 'Time from a request to a server to its response',
    labelNames: ['method', 'error_type'],
    buckets: SECONDS,
    registers: [registry],
  }),
})
