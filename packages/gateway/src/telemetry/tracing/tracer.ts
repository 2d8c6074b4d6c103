/**
 * The recorder of spans: begins them, decides which are recorded, and encodes each for export when it ends (ADR 0085).
 *
 * A trace that is not recorded costs the decision and nothing else. Ids are random (W3C Trace Context, section 3.2), and times are those
 * of the process's own clock, anchored to the wall clock.
 */
import { randomFillSync } from 'node:crypto'
import { writeTraceparent, type TraceParent } from '@toolway/protocol'
import { ERROR_TYPE, type Span, type SpanEnd, type SpanKind, type WriteAttributes } from '../../lib/span-scope.ts'
import { AttributeWriter } from '../otlp/attributes.ts'
import type { ExportQueue } from '../otlp/export-queue.ts'
import { SMALL, type ProtoWriter } from '../otlp/proto-writer.ts'
import type { Sampler } from './sampler.ts'

export interface TracerParts {
  readonly sampler: Sampler
  readonly queue: Pick<ExportQueue, 'add'>
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Whether arguments and results of calls may stand in spans. */
  readonly content: boolean
}

/** The first span of a request here. */
export interface Beginning {
  readonly name: string
  readonly kind: SpanKind
  readonly parent: TraceParent | undefined
  /** The caller's list of vendors' own states, which stays with the trace. */
  readonly tracestate?: string | undefined
  /** Milliseconds on the process's own clock; now, unless it is said. */
  readonly begun?: number
}

export interface BegunTrace {
  readonly traceId: string
  /** For what this request causes elsewhere. */
  readonly traceparent: string
  /** The trace begins here. */
  readonly fresh: boolean
  /** Undefined where the trace is not recorded. */
  readonly span: Span | undefined
}

export interface Tracer {
  readonly content: boolean
  /** Decides before anything is made of a request: the id of its trace where that is recorded. */
  sample(parent: TraceParent | undefined): string | undefined
  /** `traceId`: as `sample` gave it. */
  begin(beginning: Beginning, traceId?: string): BegunTrace
}

export const createTracer = (parts: TracerParts): Tracer => new Recorder(parts)

/** How far the anchored clock may be from the wall clock before it is anchored anew. Milliseconds. */
const MOST_DRIFT = 50
const MOST_EVENTS = 16
const STATUS_ERROR = 2
const SAMPLED = 1
/** Bits of a span's flags that say whether its parent is in another process (opentelemetry/proto/trace/v1). */
const PARENT_KNOWN = 0x100
const PARENT_REMOTE = 0x200

/** Common parts of all spans of one recorder. */
interface Recording {
  readonly queue: Pick<ExportQueue, 'add'>
  readonly ids: Ids
  /** The difference that is added to a time of the process's own clock to get the time since 1970. Milliseconds. */
  anchor: number
}

class Recorder implements Tracer {
  readonly content
  readonly #parts
  readonly #recording: Recording

  constructor(parts: TracerParts) {
    this.#parts = parts
    this.content = parts.content
    this.#recording = { queue: parts.queue, ids: createIds(), anchor: parts.now() - performance.now() }
  }

  sample(parent: TraceParent | undefined): string | undefined {
    const traceId = parent?.traceId ?? this.#recording.ids.next(32)
    return this.#parts.sampler(traceId, parent) ? traceId : undefined
  }

  begin(
    { name, kind, parent, tracestate, begun = performance.now() }: Beginning,
    sampled = this.sample(parent),
  ): BegunTrace {
    const { ids } = this.#recording
    const fresh = parent === undefined
    const traceId = sampled ?? parent?.traceId ?? ids.next(32)
    if (sampled === undefined) {
      const spanId = parent?.spanId ?? ids.next(16)
      return { traceId, traceparent: writeTraceparent({ traceId, spanId, sampled: false }), fresh, span: undefined }
    }
    const drift = this.#parts.now() - performance.now() - this.#recording.anchor
    if (Math.abs(drift) > MOST_DRIFT) this.#recording.anchor += drift
    const origin = { traceId, parentId: parent?.spanId, isRemote: !fresh, tracestate }
    const span = new RecordedSpan(this.#recording, origin, name, kind, begun)
    return { traceId, traceparent: span.traceparent, fresh, span }
  }
}

interface Origin {
  readonly traceId: string
  readonly parentId: string | undefined
  readonly isRemote: boolean
  readonly tracestate: string | undefined
}

interface SpanEvent {
  readonly name: string
  readonly at: number
  readonly write: WriteAttributes
}

class RecordedSpan implements Span {
  readonly spanId
  readonly traceparent
  lastChild: Span | undefined
  readonly #recording
  readonly #anchor
  readonly #origin
  readonly #name
  readonly #kind
  readonly #begun
  #events: SpanEvent[] | undefined
  #ended = false

  constructor(recording: Recording, origin: Origin, name: string, kind: SpanKind, begun: number) {
    this.#recording = recording
    this.#anchor = recording.anchor
    this.#origin = origin
    this.#name = name
    this.#kind = kind
    this.#begun = begun
    this.spanId = recording.ids.next(16)
    this.traceparent = `00-${origin.traceId}-${this.spanId}-01`
  }

  get traceId(): string {
    return this.#origin.traceId
  }

  get ended(): boolean {
    return this.#ended
  }

  child(name: string, kind: SpanKind, begun = performance.now()): Span {
    const { traceId, tracestate } = this.#origin
    const origin = { traceId, parentId: this.spanId, isRemote: false, tracestate }
    return (this.lastChild = new RecordedSpan(this.#recording, origin, name, kind, begun))
  }

  event(name: string, write: WriteAttributes): void {
    this.#events ??= []
    if (this.#events.length < MOST_EVENTS) this.#events.push({ name, at: performance.now(), write })
  }

  end(write: WriteAttributes, { error, at = performance.now(), name = this.#name }: SpanEnd = {}): void {
    if (this.#ended) return
    this.#ended = true
    this.#recording.queue.add((to) => this.#encode(to, name, at, error, write))
  }

  /** opentelemetry/proto/trace/v1/trace.proto, Span. */
  #encode(to: ProtoWriter, name: string, at: number, error: string | undefined, write: WriteAttributes): void {
    const { traceId, parentId, isRemote, tracestate } = this.#origin
    to.hex(1, traceId)
    to.hex(2, this.spanId)
    if (tracestate !== undefined) to.text(3, tracestate)
    if (parentId !== undefined) to.hex(4, parentId)
    to.text(5, name.slice(0, 200))
    to.whole(6, this.#kind)
    to.nanoseconds(7, this.#anchor + this.#begun)
    to.nanoseconds(8, this.#anchor + at)
    const attributes = new AttributeWriter(to, 9)
    write(attributes)
    attributes.text(ERROR_TYPE, error)
    for (const event of this.#events ?? []) {
      const from = to.open(11, SMALL)
      to.nanoseconds(1, this.#anchor + event.at)
      to.text(2, event.name)
      event.write(new AttributeWriter(to, 3))
      to.close(from, SMALL)
    }
    if (error !== undefined) {
      const from = to.open(15, SMALL)
      to.whole(3, STATUS_ERROR)
      to.close(from, SMALL)
    }
    to.fixed32(16, SAMPLED | PARENT_KNOWN | (isRemote ? PARENT_REMOTE : 0))
  }
}

interface Ids {
  /** So many hexadecimal digits, which are not all zero. */
  next(digits: number): string
}

const DRAWN_AT_ONCE = 4_096
const ZEROS = '0'.repeat(32)

/** Randomness is drawn for many ids at once: drawing it for each costs more than the rest of a span. */
function createIds(): Ids {
  const drawn = Buffer.allocUnsafeSlow(DRAWN_AT_ONCE)
  let digits = ''
  let at = 0
  return {
    next(length) {
      if (at + length > digits.length) {
        digits = randomFillSync(drawn).toString('hex')
        at = 0
      }
      const id = digits.slice(at, (at += length))
      return ZEROS.startsWith(id) ? this.next(length) : id
    },
  }
}
