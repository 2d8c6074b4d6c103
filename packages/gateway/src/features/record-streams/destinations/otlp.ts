/**
 * OTLP/HTTP log records in protobuf (opentelemetry/proto/logs/v1/logs.proto), as `telemetry/otlp` writes them. A partial success is
 * no delivery: what was rejected is sent again.
 */
import { rejectedIn } from '../../../telemetry/otlp/export-response.ts'
import { AttributeWriter } from '../../../telemetry/otlp/attributes.ts'
import { createFrame, ITEM } from '../../../telemetry/otlp/envelope.ts'
import { LARGE, ProtoWriter } from '../../../telemetry/otlp/proto-writer.ts'
import type { StreamItem } from '../stream-items.rows.ts'
import {
  checkAnswer,
  DeliveryProblem,
  type Deliver,
  type DestinationParts,
  type OfKind,
  type Secrets,
} from './destination.ts'

/** Severity numbers (OpenTelemetry, logs data model). */
const INFO = [9, 'INFO'] as const
const WARN = [13, 'WARN'] as const

const ATTRIBUTES = [
  'id',
  'organization_id',
  'kind',
  'method',
  'outcome',
  'code',
  'connection',
  'correlation_id',
] as const

function logRecords(items: readonly StreamItem[]): Buffer {
  const to = new ProtoWriter()
  const attributes = new AttributeWriter(to, 6)
  for (const item of items) {
    const at = Date.parse(item.at)
    const [severity, name] = item.outcome === 'ok' ? INFO : WARN
    const record = to.open(ITEM, LARGE)
    to.nanoseconds(1, at)
    to.whole(2, severity)
    to.text(3, name)
    const body = to.open(5, LARGE)
    to.text(1, JSON.stringify(item))
    to.close(body, LARGE)
    for (const field of ATTRIBUTES) attributes.text(`toolway.${field}`, item[field] ?? undefined)
    to.nanoseconds(11, at)
    to.close(record, LARGE)
  }
  return to.take()
}

export function toOtlp(
  { fetch, host }: DestinationParts,
  { url }: OfKind<'otlp'>,
  { headers: own = {} }: Secrets,
): Deliver {
  const frame = createFrame(
    { 'service.name': 'toolway', 'service.instance.id': host },
    { name: 'toolway.record-streams', version: '1' },
  )
  const headers = { ...own, 'content-type': 'application/x-protobuf', 'user-agent': 'toolway-record-streams' }
  return async ({ items }, signal) => {
    const answer = await fetch(url, { method: 'POST', headers, body: frame(logRecords(items)), signal })
    checkAnswer(answer)
    const rejected = rejectedIn(new Uint8Array(await answer.arrayBuffer()))
    if (rejected > 0) throw new DeliveryProblem(`it rejected ${rejected} log records`)
  }
}
