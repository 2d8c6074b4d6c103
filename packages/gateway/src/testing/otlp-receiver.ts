/**
 * A receiver of OTLP over HTTP, for tests: it takes what the specification lets a client send, refuses the rest with the statuses
 * that it names, and keeps spans, log records and metrics. It can be told to fail.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'
import { attributesIn, decode, REQUESTS, type AttributeValue, type Decoded, type Signal } from './otlp-decode.ts'

export interface ReceivedSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | undefined
  readonly tracestate: string | undefined
  readonly name: string
  readonly kind: number
  /** Nanoseconds. */
  readonly start: bigint
  readonly end: bigint
  readonly attributes: Readonly<Record<string, AttributeValue>>
  readonly events: readonly { readonly name: string; readonly attributes: Readonly<Record<string, AttributeValue>> }[]
  readonly failed: boolean
  readonly flags: number
  readonly service: AttributeValue | undefined
}

export interface ReceivedLine {
  readonly traceId: string | undefined
  readonly spanId: string | undefined
  readonly severity: number
  readonly body: string
}

export interface OtlpReceiver extends AsyncDisposable {
  readonly url: string
  readonly spans: ReceivedSpan[]
  readonly lines: ReceivedLine[]
  /** The last export of metrics. */
  metrics: readonly Decoded[]
  readonly requests: { path: string; headers: IncomingMessage['headers']; bytes: number }[]
  /** The bytes as they were received, so that a test can search them. */
  readonly raw: Buffer[]
  /** Why requests were refused as malformed; told again when it closes. */
  readonly problems: string[]
  /** How requests are answered instead, from now on: a status, or never. */
  fails: number | 'never' | undefined
  retryAfter: string | undefined
}

export interface OtlpReceiverOptions {
  /** The Authorization that is wanted; others are refused. */
  readonly authorization?: string
}

const SIGNAL_OF: Readonly<Record<string, Signal>> = {
  '/v1/traces': 'traces',
  '/v1/logs': 'logs',
  '/v1/metrics': 'metrics',
}

export async function startOtlpReceiver({ authorization }: OtlpReceiverOptions = {}): Promise<OtlpReceiver> {
  const received: Omit<OtlpReceiver, 'url' | typeof Symbol.asyncDispose> = {
    ...{ spans: [], lines: [], metrics: [], requests: [], raw: [], problems: [] },
    ...{ fails: undefined, retryAfter: undefined },
  }
  const server = createServer((request, response) => {
    void bodyOf(request).then((body) => answer(request, body, response))
  })
  function answer({ url = '/', method, headers }: IncomingMessage, body: Buffer, response: ServerResponse): void {
    received.requests.push({ path: url, headers, bytes: body.length })
    if (received.fails === 'never') return
    if (received.fails !== undefined) {
      const after = received.retryAfter === undefined ? {} : { 'retry-after': received.retryAfter }
      return void response.writeHead(received.fails, after).end()
    }
    const signal = SIGNAL_OF[url.split('?')[0] ?? '']
    const say = (status: number) => void response.writeHead(status, { 'content-type': 'application/x-protobuf' }).end()
    if (authorization !== undefined && headers.authorization !== authorization) return say(401)
    if (signal === undefined) return say(404)
    if (method !== 'POST') return say(405)
    if (headers['content-type'] !== 'application/x-protobuf') return say(415)
    try {
      const plain = headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body
      received.raw.push(plain)
      keep(received, signal, decode(plain, REQUESTS[signal]))
      say(200)
    } catch (thrown) {
      received.problems.push(String(thrown))
      say(400)
    }
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return Object.assign(received, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      if (received.problems.length > 0) throw new Error(`malformed exports: ${received.problems.join('; ')}`)
    },
  })
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

type Kept = Pick<OtlpReceiver, 'spans' | 'lines' | 'metrics'>

function keep(received: Kept, signal: Signal, decoded: Decoded): void {
  const resources = (decoded['resources'] ?? []) as { resource: Decoded; scopes: { items?: Decoded[] }[] }[]
  for (const { resource, scopes } of resources) {
    const service = attributesIn(resource['attributes'])['service.name']
    const items = scopes.flatMap((scope) => scope.items ?? [])
    if (signal === 'traces') received.spans.push(...items.map((item) => spanOf(item, service)))
    else if (signal === 'logs') received.lines.push(...items.map(lineOf))
    else received.metrics = items
  }
}

function spanOf(item: Decoded, service: AttributeValue | undefined): ReceivedSpan {
  const events = (item['events'] ?? []) as Decoded[]
  return {
    ...(item as unknown as ReceivedSpan),
    parentSpanId: item['parentSpanId'] as string | undefined,
    attributes: attributesIn(item['attributes']),
    events: events.map(({ name, attributes }) => ({ name: name as string, attributes: attributesIn(attributes) })),
    failed: (item['status'] as { code?: number } | undefined)?.code === 2,
    service,
  }
}

const lineOf = ({ traceId, spanId, severity, body }: Decoded): ReceivedLine => ({
  traceId: traceId as string | undefined,
  spanId: spanId as string | undefined,
  severity: severity as number,
  body: (body as { text: string }).text,
})
