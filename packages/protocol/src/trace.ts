/**
 * Trace context on its way through: W3C headers beside a request become the keys of `_meta` that 2026-07-28 keeps for them,
 * and those keys are sent as headers again (W3C Trace Context; specification 2026-07-28, basic: request metadata).
 *
 * What does not have the form is no trace context: it stays where it was in `_meta`, and never becomes a header.
 */
import type { HeaderReader } from './eras/modern/headers.ts'
import type { JsonObject } from './json.ts'
import { metaOf } from './message.ts'

const TRACEPARENT = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/
/** Lists of printable ASCII; the lengths are those that the recommendations make everybody pass on. */
const LIST = /^[\x20-\x7e]+$/
const LONGEST = { tracestate: 512, baggage: 8192 }

const isTraceparent = (value: unknown): value is string => typeof value === 'string' && TRACEPARENT.test(value)
const isList = (value: unknown, longest: number): value is string =>
  typeof value === 'string' && value.length <= longest && LIST.test(value)

/** Params with the headers' trace context in `_meta`, unless the body names one itself. */
export function withTrace(params: JsonObject, header: HeaderReader): JsonObject {
  const traceparent = header('traceparent')
  if (traceparent === undefined || !isTraceparent(traceparent)) return params
  const meta = metaOf(params)
  if ('traceparent' in meta) return params
  const traced: JsonObject = { ...meta, traceparent }
  for (const name of ['tracestate', 'baggage'] as const) {
    const value = header(name)
    if (!(name in meta) && isList(value, LONGEST[name])) traced[name] = value
  }
  return { ...params, _meta: traced }
}

/** The parent that a caller names: ids in small hexadecimal digits. */
export interface TraceParent {
  readonly traceId: string
  readonly spanId: string
  /** Whether the caller may have recorded its span. */
  readonly sampled: boolean
}

const NO_TRACE = '0'.repeat(32)
const NO_SPAN = '0'.repeat(16)

/** Reads a traceparent; undefined for one that is to be treated as absent (W3C Trace Context, section 3.2). */
export function readTraceparent(value: unknown): TraceParent | undefined {
  if (!isTraceparent(value) || value.startsWith('ff')) return undefined
  const [traceId, spanId] = [value.slice(3, 35), value.slice(36, 52)]
  if (traceId === NO_TRACE || spanId === NO_SPAN) return undefined
  return { traceId, spanId, sampled: (Number.parseInt(value.slice(53), 16) & 1) === 1 }
}

/** The list of vendors' own states that params hold, where it has the form of one. */
export function tracestateOf(params: JsonObject): string | undefined {
  const { tracestate } = metaOf(params)
  return isList(tracestate, LONGEST.tracestate) ? tracestate : undefined
}

export const writeTraceparent = ({ traceId, spanId, sampled }: TraceParent): string =>
  `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`

/** Params with another parent in their trace context. `fresh`: the trace begins here, and what a caller said of another is gone. */
export function withTraceparent(params: JsonObject, traceparent: string, fresh = false): JsonObject {
  const meta = metaOf(params)
  if (!fresh || !('tracestate' in meta)) return { ...params, _meta: { ...meta, traceparent } }
  const { tracestate: _, ...rest } = meta
  return { ...params, _meta: { ...rest, traceparent } }
}

/** Params without what callers say of themselves to all that stands behind (W3C Baggage, section 5: it may contain personal data). */
export function withoutBaggage(params: JsonObject): JsonObject {
  const meta = params['_meta'] as JsonObject | undefined
  if (meta === undefined || !Object.hasOwn(meta, 'baggage')) return params
  const { baggage: _, ...rest } = meta
  return { ...params, _meta: rest }
}

/** The headers that say what `_meta` says of the trace. */
export function traceHeaders(params: JsonObject): Record<string, string> | undefined {
  const meta = params['_meta'] as JsonObject | undefined
  const traceparent = meta?.['traceparent']
  if (meta === undefined || !isTraceparent(traceparent)) return undefined
  const headers: Record<string, string> = { traceparent }
  for (const name of ['tracestate', 'baggage'] as const) {
    const value = meta[name]
    if (isList(value, LONGEST[name])) headers[name] = value
  }
  return headers
}
