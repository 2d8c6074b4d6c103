/**
 * Spans, as the parts of the gateway see them, and the span in whose scope a piece of work runs.
 *
 * The recorder of spans (`telemetry/tracing`) is loaded only where tracing is switched on. Without it there is no span in scope, and
 * `spanInScope` costs one look-up. The scope follows asynchronous work, so that a transport finds the call that it sends for without
 * every layer between them naming it.
 */
import { AsyncLocalStorage } from 'node:async_hooks'

/** The member of `_meta` in which a client names the call of a tool by a model. */
export const TOOL_CALL_KEY = 'dev.toolway/toolCallId'

/** The kinds of spans (OTLP, Span.SpanKind). */
export const SPAN_KIND = { internal: 1, server: 2, client: 3 } as const
export type SpanKind = (typeof SPAN_KIND)[keyof typeof SPAN_KIND]

/** Takes the attributes of a span or of an event. An undefined value is left out. */
export interface AttributeSink {
  text(key: string, value: string | undefined): void
  /** A whole number. */
  whole(key: string, value: number | undefined): void
  flag(key: string, value: boolean | undefined): void
  /** Attributes that many spans have alike. */
  same(attributes: SameAttributes): void
}

export type WriteAttributes = (to: AttributeSink) => void

/** Attributes that are the same in many spans: they are encoded once. */
export interface SameAttributes {
  readonly write: WriteAttributes
  /** Filled in when they are first encoded. */
  encoded?: Uint8Array
}

export interface SpanEnd {
  /** Low-cardinality class of the failure (`error.type`); undefined for success. */
  readonly error?: string | undefined
  /** Milliseconds on the process's own clock; now, unless it is said. */
  readonly at?: number
  /** The name, where it was not known at the beginning. */
  readonly name?: string
}

/** One span that has begun and is recorded when it ends. */
export interface Span {
  readonly traceId: string
  readonly spanId: string
  /** The context that it hands to what it causes elsewhere (W3C Trace Context). */
  readonly traceparent: string
  readonly ended: boolean
  /** The child that began last. */
  readonly lastChild: Span | undefined
  /** `begun`: milliseconds on the process's own clock; now, unless it is said. */
  child(name: string, kind: SpanKind, begun?: number): Span
  /** Something that happened at one moment. At most a few of a span are kept. */
  event(name: string, write: WriteAttributes): void
  /** Records it. Once ended it ignores further ends. */
  end(write: WriteAttributes, ending?: SpanEnd): void
}

const scope = new AsyncLocalStorage<Span>()

/**
 * The span in whose scope the caller runs; undefined where nothing is traced. Work that outlives its span (a stream that is kept, a
 * timer) is no part of it any more.
 */
export function spanInScope(): Span | undefined {
  const span = scope.getStore()
  return span?.ended === false ? span : undefined
}

/** The headers that hand the span in scope to a server; none where nothing is traced. */
export function traceOfScope(): { readonly traceparent?: string } {
  const span = spanInScope()
  return span === undefined ? NOTHING : { traceparent: span.traceparent }
}
const NOTHING = {}

/** Runs the work in the scope of a span. */
export const inScopeOf = <T>(span: Span, work: () => T): T => scope.run(span, work)

/** The attribute that names the class of a failure (OpenTelemetry, general attributes). */
export const ERROR_TYPE = 'error.type'

/** Runs the work in a new child of a span, which ends with it. */
export async function spanned<T>(
  parent: Span,
  name: string,
  errorOf: (thrown: unknown) => string,
  work: () => Promise<T>,
): Promise<T> {
  const span = parent.child(name, SPAN_KIND.internal)
  try {
    const done = await inScopeOf(span, work)
    span.end(NO_ATTRIBUTES)
    return done
  } catch (thrown) {
    span.end(NO_ATTRIBUTES, { error: errorOf(thrown) })
    throw thrown
  }
}
const NO_ATTRIBUTES: WriteAttributes = () => {}
