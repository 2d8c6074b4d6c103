/** The messages of OTLP as this package writes them, beside those of the official serializer and read by a decoder of its own. */
import { SpanKind, SpanStatusCode, TraceFlags } from '@opentelemetry/api'
import { ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer'
import { resourceFromAttributes } from '@opentelemetry/resources'
import type { ReadableSpan } from '@opentelemetry/sdk-trace'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { SPAN_KIND } from '../../lib/span-scope.ts'
import { decode, REQUESTS, type Decoded } from '../../testing/otlp-decode.ts'
import { createSampler } from '../tracing/sampler.ts'
import { createTracer } from '../tracing/tracer.ts'
import { createFrame, ITEM, SCHEMA_URL } from './envelope.ts'
import { encodeMetrics } from './metric-export.ts'
import { MEDIUM, ProtoWriter } from './proto-writer.ts'

const RESOURCE = { 'service.name': 'gateway', umlaut: 'ü' }
const frame = createFrame(RESOURCE, { name: 'toolway', version: '1' })
const PARENT = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: '00f067aa0ba902b7', sampled: true }

function recorded(record: (tracer: ReturnType<typeof createTracer>) => void): Buffer {
  const to = new ProtoWriter()
  const queue = {
    add(write: (writer: ProtoWriter) => void) {
      const from = to.open(ITEM, MEDIUM)
      write(to)
      to.close(from, MEDIUM)
    },
  }
  record(createTracer({ sampler: createSampler('parentbased_always_on', 1), queue, now: Date.now, content: false }))
  return frame(to.take())
}

const itemsIn = (message: Decoded): Decoded[] => {
  const [resource] = message['resources'] as { scopes: { items: Decoded[] }[] }[]
  return resource?.scopes[0]?.items ?? []
}
/** Fields that one of the two leaves out where they are zero. */
const withoutZeros = (value: Decoded) =>
  Object.fromEntries(Object.entries(value).filter(([name, one]) => !name.startsWith('dropped') && one !== undefined))

test('a span reads as the official serializer writes the same span', () => {
  const attributes = { text: 'ü😀', long: 'x'.repeat(300), size: 70_000, negative: -5, yes: true, no: false }
  const ours = recorded((tracer) => {
    const { span } = tracer.begin({ name: 'n', kind: SPAN_KIND.server, parent: PARENT, tracestate: 'a=1' })
    span?.end(
      (to) => {
        for (const [key, value] of Object.entries(attributes)) {
          if (typeof value === 'string') to.text(key, value)
          else if (typeof value === 'number') to.whole(key, value)
          else to.flag(key, value)
        }
        to.text('absent', undefined)
      },
      { error: 'broken', name: 'tools/call ü' },
    )
  })
  const [item = {}] = itemsIn(decode(ours, REQUESTS.traces))
  const hrTime = (time: unknown): [number, number] => [
    Number((time as bigint) / 1_000_000_000n),
    Number((time as bigint) % 1_000_000_000n),
  ]
  const same = {
    name: 'tools/call ü',
    kind: SpanKind.SERVER,
    spanContext: () => ({
      ...{ traceId: PARENT.traceId, spanId: item['spanId'] as string, traceFlags: TraceFlags.SAMPLED },
      traceState: { serialize: () => 'a=1' },
    }),
    parentSpanContext: { traceId: PARENT.traceId, spanId: PARENT.spanId, traceFlags: 1, isRemote: true },
    startTime: hrTime(item['start']),
    endTime: hrTime(item['end']),
    status: { code: SpanStatusCode.ERROR },
    attributes: { ...attributes, 'error.type': 'broken' },
    ...{ links: [], events: [], ended: true, duration: [0, 0] },
    resource: resourceFromAttributes(RESOURCE),
    instrumentationScope: { name: 'toolway', version: '1', schemaUrl: SCHEMA_URL },
    ...{ droppedAttributesCount: 0, droppedEventsCount: 0, droppedLinksCount: 0 },
  } as unknown as ReadableSpan
  const official = decode(Buffer.from(ProtobufTraceSerializer.serializeRequest([same]) ?? []), REQUESTS.traces)
  const [other = {}] = itemsIn(official)
  expect(withoutZeros(item)).toEqual(withoutZeros(other))
  const resourceOf = (message: Decoded) => (message['resources'] as { resource: Decoded }[])[0]?.resource['attributes']
  expect(resourceOf(decode(ours, REQUESTS.traces))).toEqual(resourceOf(official))
})

test('a child knows its parent, an event its moment, and what ended twice is recorded once', () => {
  const message = recorded((tracer) => {
    const { span } = tracer.begin({ name: 'outer', kind: SPAN_KIND.server, parent: undefined })
    const child = span?.child('inner', SPAN_KIND.client)
    child?.event('decided', (to) => to.text('rule', 'r1'))
    for (let times = 0; times < 2; times++) child?.end(() => {})
    span?.end(() => {})
  })
  const [inner, outer, ...rest] = itemsIn(decode(message, REQUESTS.traces))
  expect(rest).toEqual([])
  expect(inner).toMatchObject({
    name: 'inner',
    parentSpanId: outer?.['spanId'],
    traceId: outer?.['traceId'],
    flags: 0x101,
  })
  expect(outer).not.toHaveProperty('parentSpanId')
  expect(inner?.['events']).toMatchObject([{ name: 'decided', attributes: [{ key: 'rule', value: { text: 'r1' } }] }])
  const time = (span: Decoded | undefined, name: string) => span?.[name] as bigint
  expect(time(outer, 'start') <= time(inner, 'start') && time(inner, 'end') <= time(outer, 'end')).toBe(true)
})

test('times keep their nanoseconds, and texts of every length their bytes', () => {
  const writer = new ProtoWriter(4)
  for (const length of [0, 1, 63, 64, 65, 127, 128, 20_000]) writer.text(5, 'ä'.repeat(length))
  writer.nanoseconds(7, 1_795_593_600_000.123)
  const { start, name } = decode(writer.take(), { 5: ['name', 'text', 'many'], 7: ['start', 'time'] })
  expect((name as string[]).map((one) => one.length)).toEqual([0, 1, 63, 64, 65, 127, 128, 20_000])
  expect(start).toBe(1_795_593_600_000_123_047n)
})

test('metrics are those of the registry, under the names that OpenTelemetry has for them', async () => {
  const registry = new Registry()
  const registers = [registry]
  new Counter({ name: 'toolway_calls_total', help: 'calls', labelNames: ['method'], registers }).inc(
    { method: 'ping' },
    3,
  )
  new Gauge({ name: 'toolway_sessions', help: 'sessions', registers }).set(2.5)
  const histogram = new Histogram({
    ...{ name: 'toolway_call_duration_seconds', help: 'time', labelNames: ['method'], buckets: [0.1, 1], registers },
  })
  for (const seconds of [0.05, 0.5, 0.7, 5]) histogram.observe({ method: 'tools/call' }, seconds)
  const encoded = frame(encodeMetrics(await registry.getMetricsAsJSON(), 1_000, 2_000))
  const [calls, sessions, duration] = itemsIn(decode(encoded, REQUESTS.metrics))
  const point = { start: 1_000_000_000n, time: 2_000_000_000n }
  expect(calls).toMatchObject({
    name: 'toolway_calls_total',
    sum: { monotonic: true, temporality: 2, points: [{ ...point, double: 3 }] },
  })
  expect(sessions).toMatchObject({ name: 'toolway_sessions', gauge: { points: [{ double: 2.5 }] } })
  expect(duration).toMatchObject({
    name: 'mcp.server.operation.duration',
    unit: 's',
    histogram: {
      temporality: 2,
      points: [
        {
          ...point,
          count: 4,
          sum: 6.25,
          buckets: [1, 2, 1],
          bounds: [0.1, 1],
          attributes: [{ key: 'mcp.method.name', value: { text: 'tools/call' } }],
        },
      ],
    },
  })
})
