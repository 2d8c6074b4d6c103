/**
 * Telemetry by OTLP, where the settings name a place for it: the one place that loads it. Without a place nothing is loaded, and every
 * other part does without it.
 *
 * The address is the operator's own, so it may be a private one; link-local addresses stay refused. Exports leave by the same guarded
 * agent as everything else.
 */
import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { exportTargets, resourceOf, SIGNALS, type ExportTarget, type Signal } from '../config/telemetry.ts'
import type { LogTail } from '../telemetry/log-tail.ts'
import type { OtlpTarget, Post } from '../telemetry/otlp/otlp-exporter.ts'
import { createSampler } from '../telemetry/tracing/sampler.ts'
import type { Telemetry } from '../telemetry/telemetry.ts'
import { createPool } from '../upstreams/http/agent.ts'
import type { Base } from './base.ts'

export interface StartTelemetryParts extends Pick<Base, 'config' | 'log' | 'counters' | 'opened'> {
  /** Of this gateway. */
  readonly version: string
  readonly tail: Pick<LogTail, 'recent' | 'follow'> | undefined
}

/** The whole of a request and its answer is bounded by the exporter's own deadline. Milliseconds. */
const HEADERS_TIMEOUT = 60_000
const CONNECTIONS = 4
/** Bytes of an answer, of which only the number of rejected items is read. */
const MOST_ANSWER = 64 * 1024

export async function startTelemetry(parts: StartTelemetryParts): Promise<Telemetry | undefined> {
  const { config, log, counters, opened, version, tail } = parts
  const targets = exportTargets(config)
  if (SIGNALS.every((signal) => targets[signal].length === 0)) return undefined
  const { createTelemetry } = await import('../telemetry/telemetry.ts')
  const { post, close } = createPost()
  opened.defer(close)
  const telemetry = createTelemetry({
    targets: timedTargets(config, targets),
    resource: {
      'service.version': version,
      'service.instance.id': randomUUID(),
      'host.name': hostname(),
      'process.pid': String(process.pid),
      'telemetry.sdk.language': 'nodejs',
      'telemetry.sdk.name': 'toolway',
      'telemetry.sdk.version': version,
      ...resourceOf(config),
    },
    version,
    sampler: createSampler(config.OTEL_TRACES_SAMPLER, config.OTEL_TRACES_SAMPLER_ARG),
    content: config.TOOLWAY_TRACE_CONTENT === 'on' || config.TOOLWAY_TRACE_CONTENT === 'true',
    spans: {
      queue: config.OTEL_BSP_MAX_QUEUE_SIZE,
      batch: Math.min(config.OTEL_BSP_MAX_EXPORT_BATCH_SIZE, config.OTEL_BSP_MAX_QUEUE_SIZE),
      delay: config.OTEL_BSP_SCHEDULE_DELAY,
    },
    lines: {
      queue: config.OTEL_BLRP_MAX_QUEUE_SIZE,
      batch: Math.min(config.OTEL_BLRP_MAX_EXPORT_BATCH_SIZE, config.OTEL_BLRP_MAX_QUEUE_SIZE),
      delay: config.OTEL_BLRP_SCHEDULE_DELAY,
    },
    interval: config.OTEL_METRIC_EXPORT_INTERVAL,
    registry: counters.registry,
    log: tail ?? { recent: () => [], follow: () => () => undefined },
    post,
    warn: (facts, message) => log.warn(facts, message),
  })
  opened.defer(() => telemetry.close())
  log.info(
    Object.fromEntries(SIGNALS.map((signal) => [signal, targets[signal].map(({ url }) => shownUrl(url))])),
    'telemetry is exported over OTLP',
  )
  return telemetry
}

function timedTargets(
  config: Base['config'],
  targets: Readonly<Record<Signal, readonly ExportTarget[]>>,
): Record<Signal, OtlpTarget[]> {
  const most = {
    traces: config.OTEL_BSP_EXPORT_TIMEOUT,
    metrics: config.OTEL_METRIC_EXPORT_TIMEOUT,
    logs: config.OTEL_BLRP_EXPORT_TIMEOUT,
  }
  const of = (signal: Signal) =>
    targets[signal].map((target) => ({
      ...target,
      timeout: Math.min(most[signal], config.OTEL_EXPORTER_OTLP_TIMEOUT),
      compression: config.OTEL_EXPORTER_OTLP_COMPRESSION,
    }))
  return { traces: of('traces'), metrics: of('metrics'), logs: of('logs') }
}

/** Without its query, which may hold a key. */
const shownUrl = (url: string): string => {
  const { origin, pathname } = new URL(url)
  return origin + pathname
}

function createPost(): { post: Post; close: () => Promise<void> } {
  const pools = new Map<string, ReturnType<typeof createPool>>()
  const poolOf = (origin: string) => {
    const options = {
      alias: 'telemetry',
      allowPrivate: true,
      headersTimeout: HEADERS_TIMEOUT,
      connections: CONNECTIONS,
    }
    const pool = pools.get(origin) ?? createPool(origin, options)
    pools.set(origin, pool)
    return pool
  }
  return {
    async post({ url, headers, body, signal }) {
      const path = url.pathname + url.search
      const answer = await poolOf(url.origin).request({ path, method: 'POST', headers, body, signal })
      const chunks: Buffer[] = []
      let size = 0
      for await (const chunk of answer.body as AsyncIterable<Buffer>) {
        size += chunk.length
        // Leaving the loop ends the exchange.
        if (size > MOST_ANSWER) break
        chunks.push(chunk)
      }
      const after = answer.headers['retry-after']
      return {
        status: answer.statusCode,
        retryAfter: typeof after === 'string' ? after : undefined,
        body: Buffer.concat(chunks),
      }
    },
    async close() {
      await Promise.all([...pools.values()].map((pool) => pool.destroy()))
    },
  }
}
