import { Registry } from 'prom-client'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { OtlpTarget } from './otlp/otlp-exporter.ts'
import { createTelemetry } from './telemetry.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('the end waits five seconds for a receiver that never answers, whatever its timeout', async () => {
  const target: OtlpTarget = { url: 'http://collector/', headers: {}, timeout: 3_600_000, compression: 'none' }
  const limits = { queue: 10, batch: 10, delay: 1_000 }
  const registry = new Registry()
  const telemetry = createTelemetry({
    targets: { traces: [target], metrics: [target], logs: [target] },
    resource: {},
    version: '1',
    sampler: () => true,
    content: false,
    spans: limits,
    lines: limits,
    interval: 1_000,
    registry,
    log: { recent: () => ['{"level":"info"}'], follow: () => () => {} },
    post: ({ signal }) =>
      new Promise((_, reject) => {
        const cut = () => reject(new DOMException('cut', 'AbortError'))
        if (signal.aborted) cut()
        else signal.addEventListener('abort', cut)
      }),
    warn: () => {},
  })
  await vi.advanceTimersByTimeAsync(1_500)
  const closed = vi.fn()
  const closing = telemetry.close().then(closed)
  await vi.advanceTimersByTimeAsync(4_900)
  expect(closed).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(200)
  expect(closed).toHaveBeenCalled()
  await closing
  const counted = await registry.getSingleMetric('toolway_telemetry_items_total')?.get()
  expect(counted?.values).toContainEqual({ value: 1, labels: { signal: 'logs', result: 'shutdown' } })
})
