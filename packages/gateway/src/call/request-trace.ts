/**
 * The trace of one request: its own span (`tool_call`), the requests to servers that it causes (`mcp.request`), and its result
 * (`tool_result`). Names and attributes are those of OpenTelemetry's conventions for MCP and for generative AI, beside those of the
 * source system Universal Agent (ledger S4-TRC-01).
 *
 * The span is written from the audit entry, so that record, log line and span agree. No argument and no result is in it, unless the
 * operator asked for them.
 */
import { createHash } from 'node:crypto'
import { Fault } from '@toolway/contract'
import {
  metaOf,
  tracestateOf,
  withTraceparent,
  type JsonObject,
  type McpRequest,
  type TraceParent,
} from '@toolway/protocol'
import type { Target } from '../catalog/tool-listing.ts'
import { maskedJson } from '../lib/masked-json.ts'
import { inScopeOf, SPAN_KIND, spanned, TOOL_CALL_KEY, type AttributeSink, type Span } from '../lib/span-scope.ts'
import type { Entry } from '../records/records.ts'
import type { BegunTrace, Tracer } from '../telemetry/tracing/tracer.ts'
import type { Ask, Answer } from '../upstreams/upstream.ts'
import { errorLabelOf } from '../telemetry/counters.ts'
import { knownMethodOf } from '../telemetry/request-counters.ts'
import { namesOf, type KnownAttributes, type Named } from './trace-attributes.ts'
import type { PolicyTrace } from './policy/enforce.ts'
import type { ClientChannel } from '../snapshot/ports/client-channel.ts'

/** Told how long each request to a server took, and how it failed. */
export type ObserveRequest = (method: string, error: string | undefined, seconds: number) => void

export interface RequestTraces {
  /** Undefined where no traces are exported. */
  readonly tracer: Tracer | undefined
  readonly observe: ObserveRequest
  readonly known: KnownAttributes
}

/** A request that is about to leave; the trace is put into its params. */
export interface TracedUpstreamRequest extends Pick<Ask, 'method'> {
  params: JsonObject
}

/** Characters of arguments and results, where they are recorded. */
const MOST_CONTENT = 16_384
const LONGEST_ID = 128

export class RequestTrace {
  readonly traceId: string
  /** Undefined where the trace is not recorded. */
  readonly span: Span | undefined
  readonly #parts: RequestTraces
  readonly #content: boolean
  readonly #begun: BegunTrace
  readonly #request: McpRequest
  readonly #session: string | undefined
  /** From the arrival of the server's answer. */
  #result: Span | undefined

  constructor(parts: RequestTraces, begun: BegunTrace, request: McpRequest, session: string | undefined) {
    this.#parts = parts
    this.#content = parts.tracer?.content === true
    this.#begun = begun
    this.#request = request
    this.#session = session
    this.traceId = begun.traceId
    this.span = begun.span
  }

  get holdsContent(): boolean {
    return this.span !== undefined && this.#content
  }

  /** A call that this one makes: a span within its own. */
  inner(): RequestTrace {
    const span = this.span?.child('tools/call', SPAN_KIND.internal)
    const begun = span === undefined ? this.#begun : { ...this.#begun, span, traceparent: span.traceparent }
    return new RequestTrace(this.#parts, begun, this.#request, this.#session)
  }

  /** Runs a part of the request that may take its time in a span of its own. */
  within<T>(name: string, work: () => Promise<T>): Promise<T> {
    return this.span === undefined ? work() : spanned(this.span, name, codeOf, work)
  }

  /** The decision of the rules, at its moment. */
  decide({ action, rule, warned }: PolicyTrace): void {
    this.span?.event('toolway.policy.decision', (to) => {
      to.text('toolway.policy.action', action)
      to.text('toolway.rule', rule)
      to.flag('toolway.policy.warned', warned)
    })
  }

  /** Sends one request to a server, which hears of this trace. */
  ask(target: Target, request: TracedUpstreamRequest, send: () => Promise<Answer>): Promise<Answer> {
    const { fresh, traceparent } = this.#begun
    const span = this.span?.child(request.method, SPAN_KIND.client)
    request.params = withTraceparent(request.params, span?.traceparent ?? traceparent, fresh)
    if (span === undefined) return timed(this.#parts.observe, request.method, send)
    return timed(
      this.#parts.observe,
      request.method,
      () => inScopeOf(span, send),
      (error, isAnswer) => {
        this.#endUpstreamRequest(span, target, request, error)
        if (isAnswer) this.#result = (span.lastChild ?? span).child('tool_result', SPAN_KIND.internal)
      },
    )
  }

  #endUpstreamRequest(
    span: Span,
    target: Target,
    { method: rpcMethod, params }: TracedUpstreamRequest,
    error: string | undefined,
  ): void {
    const method = knownMethodOf(rpcMethod)
    const named = namesOf(method, target.name)
    span.end(
      (to) => {
        to.same(this.#parts.known.requestTo(target, method, named))
        if (this.#content) to.text('gen_ai.tool.call.arguments', shownContent(params['arguments']))
      },
      { error, name: named.title },
    )
  }

  /**
   * Ends the span of the request with its audit entry. `at`: milliseconds on the process's own clock. `found`: its target exists; other
   * names are words of the caller.
   */
  end(entry: Entry, at: number, found: boolean, result?: JsonObject): void {
    const { span } = this
    if (span === undefined) return
    const { outcome, code } = entry
    const error = outcome === 'ok' ? undefined : outcome === 'tool_error' ? 'tool_error' : (code ?? outcome)
    this.#result?.end(
      (to) => {
        to.whole('content_size', entry.bytes_out)
        to.flag('is_error', outcome !== 'ok')
        to.text('toolway.step', 'tool_result')
      },
      { error, at },
    )
    const named = namesOf(entry.method, found ? entry.tool_name : undefined)
    span.end(
      (to) => {
        this.#describe(to, entry, named)
        if (this.#content && result !== undefined)
          to.text('gen_ai.tool.call.result', shownContent(result['structuredContent'] ?? result['content']))
      },
      { error, at, name: named.title },
    )
  }

  #describe(to: AttributeSink, entry: Entry, named: Named): void {
    const { id, params } = this.#request
    const request = String(id).slice(0, LONGEST_ID)
    const toolCall = metaOf(params)[TOOL_CALL_KEY]
    to.same(this.#parts.known.callOf(entry, named))
    to.text('mcp.session.id', this.#session)
    to.text('jsonrpc.request.id', request)
    to.text('tool_id', typeof toolCall === 'string' ? toolCall.slice(0, LONGEST_ID) : request)
    to.text('toolway.record', entry.id)
    to.text('toolway.request_id', entry.request_id)
    to.whole('toolway.bytes_in', entry.bytes_in)
    to.whole('toolway.bytes_out', entry.bytes_out)
    to.text('toolway.code', entry.code)
    const rule = entry.detail?.['rule']
    if (typeof rule === 'string') to.text('toolway.rule', rule)
  }
}

/** A request, as far as its trace depends on it. */
export interface TracedRequest {
  readonly mcpRequest: McpRequest
  readonly channel: Pick<ClientChannel, 'session'>
}

/**
 * Begins the trace of a request, in the context that its params name. Undefined where it is not recorded: then its context passes as
 * it came, unless it promises a record that is not kept.
 */
export function beginTrace(
  parts: RequestTraces,
  tracer: Tracer,
  parent: TraceParent | undefined,
  { mcpRequest, channel }: TracedRequest,
  begun: number,
): RequestTrace | undefined {
  const traceId = tracer.sample(parent)
  if (traceId === undefined && parent?.sampled !== true) return undefined
  const tracestate = parent === undefined ? undefined : tracestateOf(mcpRequest.params)
  const beginning = { name: mcpRequest.method, kind: SPAN_KIND.server, parent, tracestate, begun }
  const opened = tracer.begin(beginning, traceId)
  return new RequestTrace(parts, opened, mcpRequest, channel.session && shownSession(channel.session))
}

/** Sends a request to a server, and counts how long it took. `ended` hears first how it failed, and whether it was answered. */
export function timed(
  observe: ObserveRequest,
  method: string,
  send: () => Promise<Answer>,
  ended?: (error: string | undefined, isAnswer: boolean) => void,
): Promise<Answer> {
  const begun = performance.now()
  const count = (error: string | undefined, isAnswer: boolean) => {
    observe(knownMethodOf(method), error, (performance.now() - begun) / 1_000)
    ended?.(error, isAnswer)
  }
  return send().then(
    (answer) => {
      count(errorOfAnswer(answer), true)
      return answer
    },
    (thrown: unknown) => {
      count(codeOf(thrown), false)
      throw thrown
    },
  )
}

const codeOf = (thrown: unknown): string => Fault.of(thrown).code

function errorOfAnswer(answer: Answer): string | undefined {
  if ('error' in answer) return errorLabelOf(answer.error.code)
  return answer.result['isError'] === true ? 'tool_error' : undefined
}

const shownContent = (value: unknown): string | undefined =>
  value === undefined ? undefined : JSON.stringify(maskedJson(value, MOST_CONTENT).value)

const shownSessions = new WeakMap<object, string>()

/** The id of a session opens it, so spans have a digest of it. */
function shownSession(session: { readonly id: string }): string {
  const known = shownSessions.get(session)
  if (known !== undefined) return known
  const shown = createHash('sha256').update(session.id).digest('hex').slice(0, 32)
  shownSessions.set(session, shown)
  return shown
}
