/**
 * The audit entry of one request. Doors, verbs and steps note facts; closing the entry makes one counter, one log line and, for
 * requests that act at an upstream, one record from the same object. Closing never throws.
 */
import { randomUUID } from 'node:crypto'
import { newId, type Fault } from '@toolway/contract'
import { metaOf, readTraceparent, type JsonObject } from '@toolway/protocol'
import type { Target } from '../catalog/tool-listing.ts'
import type { Log } from '../lib/log.ts'
import type { Intent } from '../records/outbox/writer.ts'
import { ENDED_BEFORE, type Entry, type Outcome } from '../records/records.ts'
import { knownMethodOf, type CountedTool } from '../telemetry/request-counters.ts'
import type { Answer } from '../upstreams/upstream.ts'
import { NO_FACTS, type AuditFacts, type From } from './audit-facts.ts'
import { entryOf } from './entry-of.ts'
import { outcomeOfFault } from './fault-outcome.ts'
import type { KeptPayload, Payload } from './payload.ts'
import {
  beginTrace,
  timed,
  type RequestTrace,
  type RequestTraces,
  type TracedUpstreamRequest,
  type TracedRequest,
} from './request-trace.ts'

/** Methods whose requests act or read at an upstream, and are on record; lists and pings are counted only. */
const RECORDED: ReadonlySet<string> = new Set([
  'tools/call',
  'resources/read',
  'prompts/get',
  'tasks/update',
  'tasks/cancel',
])

export interface AuditLogParts {
  readonly log: Pick<Log, 'debug' | 'warn' | 'error'>
  /** Writes a line of level info whose facts are a JSON object already. */
  logLine(json: string): void
  /** `trace`: the id of its trace, where that is recorded. */
  count(method: string, outcome: Outcome, seconds: number, trace: string | undefined): void
  /** A tool call. */
  countTool?(call: CountedTool): void
  refuse(code: string): void
  /** A rule that only watches would have done this. */
  shadow?(rule: string, would: string): void
  /** Writes down what remains of a call if nothing more is heard of it. Rejects with `record.unwritable`. */
  intend(entry: Entry): Promise<Intent>
  /** Keeps a record; `json` is the same. */
  write(entry: Entry, json: string, intent: Intent | undefined): void
  /** Seals what is kept of a call besides its record; absent where nothing can be kept. */
  keepPayload?(payload: Payload, id: string): KeptPayload | undefined
  /** Hears of a refusal that is on no organization's record, as it is not known whose it is. */
  refuseStranger(entry: Entry): void
  /** Absent where nothing is traced. */
  readonly traces?: RequestTraces | undefined
}

export interface AuditLog {
  /** A correlation id of the client's own choosing is kept where it is harmless, so that both sides' logs can be joined. */
  begin(bytesIn: number, correlationId?: string, from?: From): AuditEntryBuilder
}

const NOWHERE: From = { address: undefined, userAgent: undefined }
const CORRELATION_FORM = /^[\w.:-]{1,128}$/

export function createAuditLog(parts: AuditLogParts): AuditLog {
  // Unique by the process's own random part; a counter costs a fifth of drawing randomness for each request.
  const process = randomUUID().slice(0, 18)
  let last = 0
  return {
    begin(bytesIn, input, from = NOWHERE) {
      const correlationId =
        input !== undefined && CORRELATION_FORM.test(input) ? input : `${process}-${(++last).toString(36)}`
      return new AuditEntryBuilder(parts, { ...NO_FACTS, bytesIn }, correlationId, from)
    },
  }
}

/** A part of a request's way that takes time. One follows another; the times of one that is entered again are added up. */
export type TimedStep = 'identify' | 'policy' | 'approval' | 'record' | 'credential' | 'queue' | 'upstream' | 'result'

type Writable<T> = { -readonly [Member in keyof T]: T[Member] }

export class AuditEntryBuilder {
  readonly correlationId: string
  readonly from: From
  /** Milliseconds on the process's own clock. */
  readonly begun = performance.now()
  readonly #took: Partial<Record<TimedStep, number>> = {}
  #step: TimedStep = 'identify'
  #stepBegun = this.begun
  readonly #parts: AuditLogParts
  readonly #facts: Writable<AuditFacts>
  #id: string | undefined
  #callId: string | undefined
  #intent: Intent | undefined
  #sent = false
  #trace: RequestTrace | undefined
  /** That of the caller's own context, where nothing is recorded here. */
  #traceId: string | undefined

  constructor(parts: AuditLogParts, facts: AuditFacts, correlationId: string, from: From) {
    this.#parts = parts
    this.#facts = facts
    this.correlationId = correlationId
    this.from = from
  }

  get facts(): AuditFacts {
    return this.#facts
  }

  /** Random, and the same for all attempts of this call: unlike the correlation id, no caller chooses it. */
  get callId(): string {
    this.#callId ??= randomUUID()
    return this.#callId
  }

  /** A record was written before the request left, so its upstream may have seen it, unless it only waited for a place there. */
  get mayHaveLeft(): boolean {
    return this.#intent !== undefined && (this.#sent || this.#step !== 'queue')
  }

  /** Whether anything was sent to a server. */
  get sent(): boolean {
    return this.#sent
  }

  /** Undefined where the trace is not recorded, and before it began. */
  get trace(): RequestTrace | undefined {
    return this.#trace
  }

  /** Begins the trace of the request, in the context that its caller names. */
  beginTrace({ mcpRequest, channel }: TracedRequest): void {
    const { traces } = this.#parts
    const parent = readTraceparent(metaOf(mcpRequest.params)['traceparent'])
    this.#traceId = parent?.traceId
    if (traces?.tracer !== undefined)
      this.#trace = beginTrace(traces, traces.tracer, parent, { mcpRequest, channel }, this.begun)
  }

  /** Sends one request to a server, which hears of the trace. */
  ask(target: Target, request: TracedUpstreamRequest, send: () => Promise<Answer>): Promise<Answer> {
    this.#sent = true
    if (this.#trace !== undefined) return this.#trace.ask(target, request, send)
    const { traces } = this.#parts
    return traces === undefined ? send() : timed(traces.observe, request.method, send)
  }

  /** From now on the time of the request goes to this step. */
  enter(step: TimedStep, now = performance.now()): void {
    this.#took[this.#step] = (this.#took[this.#step] ?? 0) + now - this.#stepBegun
    this.#step = step
    this.#stepBegun = now
  }

  note(facts: Partial<AuditFacts>): void {
    Object.assign(this.#facts, facts)
  }

  /** The fault that ends the request. A fault that was noted before says more and stays. */
  fail(fault: Fault): Fault {
    this.note({ fault: this.#facts.fault ?? fault, outcome: outcomeOfFault(fault) })
    return fault
  }

  /** The fault that a client is told in other words than an error: the call waits for somebody, or the model is to mend it. */
  refuse(fault: Fault): void {
    this.note({ fault, outcome: 'refused' })
  }

  /** An entry for a request that the gateway makes beside this one. It is never closed. */
  aside(): AuditEntryBuilder {
    return new AuditEntryBuilder(this.#parts, { ...this.#facts }, this.correlationId, this.from)
  }

  /** An entry of its own for a call that this one makes. */
  inner(target: string): AuditEntryBuilder {
    const { requestContext, method, eraClient, client } = this.#facts
    const arrival = { requestContext, method, eraClient, client }
    const inner = new AuditEntryBuilder(this.#parts, { ...NO_FACTS, ...arrival, target }, this.correlationId, this.from)
    inner.#trace = this.#trace?.inner()
    inner.#traceId = this.#traceId
    return inner
  }

  /** Writes down the request before it leaves for its upstream. Rejects with `record.unwritable`. */
  async writeAhead(): Promise<void> {
    if (this.#intent === undefined && this.#isRecorded)
      this.#intent = await this.#parts.intend(this.#withPayload(this.#entry(0, ENDED_BEFORE)))
  }

  close(): void {
    try {
      const now = performance.now()
      this.enter(this.#step, now)
      this.#close((now - this.begun) / 1000)
    } catch (thrown) {
      this.#parts.log.error({ err: thrown, request_id: this.correlationId }, 'an audit entry could not be written')
    }
  }

  #close(seconds: number): void {
    const { count, refuse, shadow, log } = this.#parts
    const { method, outcome, fault, policy } = this.#facts
    const trace = this.#trace?.span === undefined ? undefined : this.#trace.traceId
    count(knownMethodOf(method), outcome, seconds, trace)
    if (method === 'tools/call') this.#countTool(seconds, trace)
    if (fault !== undefined) refuse(fault.code)
    if (policy?.shadows !== undefined) for (const [rule, would] of Object.entries(policy.shadows)) shadow?.(rule, would)
    if (this.#isRecorded || fault !== undefined) this.#write(seconds)
    else {
      log.debug({ request_id: this.correlationId, method: method.slice(0, 100), duration_ms: seconds * 1000 }, 'call')
      if (this.#trace?.span !== undefined) this.#endTrace(this.#entry(seconds, { outcome, code: undefined }))
    }
  }

  #countTool(seconds: number, trace: string | undefined): void {
    const { found, kind, vendor, tool, policy, outcome } = this.#facts
    const decision = policy === undefined ? 'allow' : policy.warned ? 'warn' : policy.action
    this.#parts.countTool?.({
      ...{ connector: vendor ?? kind, tool, isPublished: vendor !== undefined, outcome, seconds, trace },
      decision: found ? decision : undefined,
    })
  }

  /** The log line and the record. They are one object, so that the log and the database cannot differ. */
  #write(seconds: number): void {
    const { log, logLine, write, refuseStranger } = this.#parts
    const { outcome, fault } = this.#facts
    const entry = this.#entry(seconds, { outcome, code: fault?.code }, timingsOf(this.#took))
    const json = JSON.stringify(entry)
    if (this.#trace !== undefined) this.#endTrace(entry)
    if (fault?.cause === undefined) logLine(json)
    else if (fault.code === 'internal') log.error({ ...entry, err: fault.cause }, 'call')
    else log.warn({ ...entry, err: fault.cause }, 'call')
    if (this.#isRecorded) {
      const whole = this.#withPayload(entry)
      write(whole, whole === entry ? json : JSON.stringify(whole), this.#intent)
    } else if (this.#facts.requestContext === undefined) refuseStranger(entry)
  }

  #endTrace(entry: Entry): void {
    const method = knownMethodOf(entry.method)
    this.#trace?.end(
      method === entry.method ? entry : { ...entry, method },
      this.begun + entry.duration_ms,
      this.#facts.found || entry.era_upstream !== undefined,
      this.#facts.traced,
    )
  }

  get #isRecorded(): boolean {
    const { requestContext, recorded, method } = this.#facts
    return requestContext !== undefined && (recorded || RECORDED.has(method))
  }

  /** Payloads are added after the log line is made: no line has them. */
  #withPayload(entry: Entry): Entry {
    const { payload } = this.#facts
    const kept = payload === undefined ? undefined : this.#parts.keepPayload?.(payload, entry.id)
    if (kept === undefined) return entry
    return { ...entry, detail: { ...entry.detail, payload: kept.hash }, payload: kept.sealed }
  }

  #entry(seconds: number, { outcome, code }: Pick<Entry, 'outcome' | 'code'>, timings?: JsonObject): Entry {
    const at = new Date()
    this.#id ??= newId('rec', at.getTime())
    const { correlationId, from } = this
    const trace = { id: this.#trace?.traceId ?? this.#traceId, span: this.#trace?.span?.spanId }
    return entryOf(this.#facts, { id: this.#id, at, seconds, outcome, code, timings, correlationId, from, trace })
  }
}

/** Milliseconds, to the tenth; only steps that took as much. */
function timingsOf(took: Partial<Record<TimedStep, number>>): JsonObject {
  const timings: Record<string, number> = {}
  for (const step in took) {
    const rounded = Math.round((took[step as TimedStep] ?? 0) * 10) / 10
    if (rounded > 0) timings[step] = rounded
  }
  return timings
}
