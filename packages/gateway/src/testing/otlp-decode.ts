/**
 * Reads the requests of OTLP, for tests: protocol buffers by the field numbers of opentelemetry-proto 1.x. It shares no code with
 * the writer that it is used to check.
 */

type Kind = 'text' | 'hex' | 'whole' | 'signed' | 'flag' | 'time' | 'double' | 'fixed32' | 'fixed64' | Shape
interface Shape {
  readonly [field: number]: readonly [name: string, kind: Kind, many?: 'many']
}

const ANY: Shape = { 1: ['text', 'text'], 2: ['flag', 'flag'], 3: ['whole', 'signed'], 4: ['double', 'double'] }
const KEY_VALUE: Shape = { 1: ['key', 'text'], 2: ['value', ANY] }
const RESOURCE: Shape = { 1: ['attributes', KEY_VALUE, 'many'], 2: ['dropped', 'whole'] }
const SCOPE: Shape = {
  1: ['name', 'text'],
  2: ['version', 'text'],
  3: ['attributes', KEY_VALUE, 'many'],
  4: ['dropped', 'whole'],
}
const EVENT: Shape = {
  1: ['time', 'time'],
  2: ['name', 'text'],
  3: ['attributes', KEY_VALUE, 'many'],
  4: ['dropped', 'whole'],
}
const LINK: Shape = { 1: ['traceId', 'hex'], 2: ['spanId', 'hex'] }
const STATUS: Shape = { 2: ['message', 'text'], 3: ['code', 'whole'] }
const SPAN: Shape = {
  1: ['traceId', 'hex'],
  2: ['spanId', 'hex'],
  3: ['tracestate', 'text'],
  4: ['parentSpanId', 'hex'],
  5: ['name', 'text'],
  6: ['kind', 'whole'],
  7: ['start', 'time'],
  8: ['end', 'time'],
  9: ['attributes', KEY_VALUE, 'many'],
  10: ['droppedAttributes', 'whole'],
  11: ['events', EVENT, 'many'],
  12: ['droppedEvents', 'whole'],
  13: ['links', LINK, 'many'],
  14: ['droppedLinks', 'whole'],
  15: ['status', STATUS],
  16: ['flags', 'fixed32'],
}
const LINE: Shape = {
  1: ['time', 'time'],
  2: ['severity', 'whole'],
  3: ['severityText', 'text'],
  5: ['body', ANY],
  6: ['attributes', KEY_VALUE, 'many'],
  8: ['flags', 'fixed32'],
  9: ['traceId', 'hex'],
  10: ['spanId', 'hex'],
  11: ['observed', 'time'],
}
const NUMBER: Shape = {
  2: ['start', 'time'],
  3: ['time', 'time'],
  4: ['double', 'double'],
  6: ['whole', 'fixed64'],
  7: ['attributes', KEY_VALUE, 'many'],
}
const HISTOGRAM_POINT: Shape = {
  2: ['start', 'time'],
  3: ['time', 'time'],
  4: ['count', 'fixed64'],
  5: ['sum', 'double'],
  6: ['buckets', 'fixed64', 'many'],
  7: ['bounds', 'double', 'many'],
  9: ['attributes', KEY_VALUE, 'many'],
}
const GAUGE: Shape = { 1: ['points', NUMBER, 'many'] }
const SUM: Shape = { 1: ['points', NUMBER, 'many'], 2: ['temporality', 'whole'], 3: ['monotonic', 'flag'] }
const HISTOGRAM: Shape = { 1: ['points', HISTOGRAM_POINT, 'many'], 2: ['temporality', 'whole'] }
const METRIC: Shape = {
  1: ['name', 'text'],
  2: ['help', 'text'],
  3: ['unit', 'text'],
  5: ['gauge', GAUGE],
  7: ['sum', SUM],
  9: ['histogram', HISTOGRAM],
}
const request = (item: Shape): Shape => ({
  1: [
    'resources',
    {
      1: ['resource', RESOURCE],
      2: ['scopes', { 1: ['scope', SCOPE], 2: ['items', item, 'many'], 3: ['schema', 'text'] }, 'many'],
      3: ['schema', 'text'],
    },
    'many',
  ],
})

export const REQUESTS = { traces: request(SPAN), logs: request(LINE), metrics: request(METRIC) }
export type Signal = keyof typeof REQUESTS

export type Decoded = Record<string, unknown>

/** Throws for what is no message of that shape: an unknown field, a length that leads too far. */
export function decode(bytes: Buffer, shape: Shape): Decoded {
  const message: Decoded = {}
  let at = 0
  const varint = (): bigint => {
    let value = 0n
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++]
      if (byte === undefined || shift > 63n) throw new Error('a varint that does not end')
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return BigInt.asUintN(64, value)
    }
  }
  const piece = (length: number): Buffer => {
    if (at + length > bytes.length) throw new Error('a length that leads beyond the message')
    return bytes.subarray(at, (at += length))
  }
  while (at < bytes.length) {
    const tag = Number(varint())
    const [number, wire] = [tag >> 3, tag & 7]
    const field = shape[number]
    if (field === undefined) throw new Error(`an unknown field ${number}`)
    const [name, kind, many] = field
    const raw = wire === 0 ? varint() : piece(wire === 1 ? 8 : wire === 5 ? 4 : Number(varint()))
    const values = wire === 2 && (kind === 'fixed64' || kind === 'double') ? packed(raw as Buffer) : [raw]
    for (const value of values) {
      const read = valueOf(value, kind)
      message[name] = many === undefined ? read : [...((message[name] as unknown[] | undefined) ?? []), read]
    }
  }
  return message
}

const packed = (bytes: Buffer): Buffer[] =>
  Array.from({ length: bytes.length / 8 }, (_, at) => bytes.subarray(at * 8, at * 8 + 8))

function valueOf(raw: bigint | Buffer, kind: Kind): unknown {
  if (typeof raw === 'bigint') {
    if (kind === 'flag') return raw === 1n
    if (kind === 'signed') return Number(BigInt.asIntN(64, raw))
    if (kind === 'whole') return Number(raw)
    throw new Error(`a number where ${JSON.stringify(kind)} stands`)
  }
  if (typeof kind !== 'string') return decode(raw, kind)
  if (kind === 'text') return new TextDecoder('utf8', { fatal: true }).decode(raw)
  if (kind === 'hex') return raw.toString('hex')
  if (kind === 'double') return raw.readDoubleLE()
  if (kind === 'fixed32') return raw.readUInt32LE()
  if (kind === 'fixed64') return Number(raw.readBigUInt64LE())
  if (kind === 'time') return raw.readBigUInt64LE()
  throw new Error(`bytes where ${kind} stands`)
}

export type AttributeValue = string | number | boolean

/** Attributes as a plain object; a key that stands twice is an error. */
export function attributesIn(list: unknown): Record<string, AttributeValue> {
  const all: Record<string, AttributeValue> = {}
  for (const { key, value } of (list ?? []) as { key: string; value: Record<string, AttributeValue> }[]) {
    if (key in all) throw new Error(`the attribute ${key} stands twice`)
    all[key] = Object.values(value)[0] ?? ''
  }
  return all
}
