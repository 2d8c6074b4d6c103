/**
 * A client and a server that are instrumented with the official SDK of OpenTelemetry and export to the same place as the gateway.
 */
import { context, defaultTextMapGetter, defaultTextMapSetter, ROOT_CONTEXT, SpanKind, trace } from '@opentelemetry/api'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { AlwaysOnSampler, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'

type Carrier = Record<string, string>

export interface Peer {
  /** Runs the work in a span of its own and with the words that tell others of it. */
  inSpan<T>(name: string, work: (words: Carrier, spanId: string) => Promise<T>): Promise<T>
  /** Records a span as a server does that was sent these words. */
  serve(name: string, words: Carrier): void
  flush(): Promise<void>
}

/** `url`: of a receiver of OTLP. */
export function createPeer(service: string, url: string): Peer {
  const provider = new TracerProvider({
    sampler: new AlwaysOnSampler(),
    resource: resourceFromAttributes({ 'service.name': service }),
    spanProcessors: [new SimpleSpanProcessor({ exporter: new OTLPTraceExporter({ url: `${url}/v1/traces` }) })],
  })
  const tracer = provider.getTracer(service)
  const propagator = new W3CTraceContextPropagator()
  return {
    async inSpan(name, work) {
      const span = tracer.startSpan(name, { kind: SpanKind.CLIENT }, ROOT_CONTEXT)
      const words: Carrier = {}
      propagator.inject(trace.setSpan(ROOT_CONTEXT, span), words, defaultTextMapSetter)
      try {
        return await work(words, span.spanContext().spanId)
      } finally {
        span.end()
      }
    },
    serve(name, words) {
      const parent = propagator.extract(context.active(), words, defaultTextMapGetter)
      tracer.startSpan(name, { kind: SpanKind.SERVER }, parent).end()
    },
    flush: () => provider.forceFlush(),
  }
}
