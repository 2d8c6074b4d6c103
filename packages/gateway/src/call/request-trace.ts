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
import { eraOf, metaOf, readTraceparent, withTraceparent, type JsonObject, type McpRequest } from '@toolway/protocol'
import type { Target } from '../catalog/tool-listing.ts'
import { maskedJson } from '../lib/masked-json.ts'
import { inScopeOf, SPAN_KIND, type AttributeSink, type Span } from '../lib/span-scope.ts'
import type { Entry } from '../records/records.ts'
import type { BegunTrace, Tracer } from '../telemetry/tracing/tracer.ts'
import type { Ask, Answer } from '../upstreams/upstream.ts'
import type { PolicyTrace } from './policy/enforce.ts'
import type { ClientChannel } from './ports.ts'

/** The trace id that the caller's own context names, where nothing is traced here. */
export const callerTraceId = (params: JsonObject): string | undefined =>
  readTraceparent(metaOf(params)['traceparent'])?.traceId

/** Told how long each request to a server took, and how it failed. */
export type ObserveRequest = (method: string, error: string | undefined, seconds: number) => void

export interface RequestTraces {
  readonly tracer: Tracer
  readonly observe: ObserveRequest
}

/** Characters of arguments and results, where they are recorded. */
const MOST_CONTENT = 16_384
/** The call of a tool by a model, where its client names it. */
export const TOOL_CALL_KEY = 'dev.toolway/toolCallId'
const LONGEST_ID = 128

export class RequestTrace {
  readonly traceId: string
  /** Undefined where the trace is not recorded. */
  readonly span: Span | undefined
  readonly #parts: RequestTraces
  readonly #begun: BegunTrace
  readonly #request: McpRequest
  readonly #session: string | undefined
  /** From the arrival of the server's answer. */
  #result: Span | undefined

  constructor(parts: RequestTraces, begun: BegunTrace, request: McpRequest, session: string | undefined) {
    this.#parts = parts
    this.#begun = begun
    this.#request = request
    this.#session = session
    this.traceId = begun.traceId
    this.span = begun.span
  }

  get holdsContent(): boolean {
    return this.span !== undefined && this.#parts.tracer.content
  }

  /** A call that this one makes: a span within its own. */
  inner(): RequestTrace {
    const span = this.span?.child('tools/call', SPAN_KIND.internal)
    const begun = span === undefined ? this.#begun : { ...this.#begun, span, traceparent: span.traceparent }
    return new RequestTrace(this.#parts, begun, this.#request, this.#session)
  }

  /** Runs the request in the scope of its span. */
  run<T>(work: () => T): T {
    return this.span === undefined ? work() : inScopeOf(this.span, work)
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
  async ask(target: Target, asked: Ask, send: (asked: Ask) => Promise<Answer>): Promise<Answer> {
    const { fresh, traceparent } = this.#begun
    const span = this.span?.child(asked.method, SPAN_KIND.client)
    const params = withTraceparent(asked.params, span?.traceparent ?? traceparent, fresh)
    const traced = { ...asked, params }
    const begun = performance.now()
    const ended = (error: string | undefined) => {
      this.#parts.observe(asked.method, error, (performance.now() - begun) / 1_000)
      if (span !== undefined) this.#endAsk(span, target, asked, error)
    }
    try {
      const answer = await (span === undefined ? send(traced) : inScopeOf(span, () => send(traced)))
      ended(errorOfAnswer(answer))
      this.#result = (span?.lastChild ?? span)?.child('tool_result', SPAN_KIND.internal)
      return answer
    } catch (thrown) {
      ended(Fault.of(thrown).code)
      throw thrown
    }
  }

  #endAsk(span: Span, target: Target, { method, params }: Ask, error: string | undefined): void {
    const { alias, connector, revision, name } = target
    const named = namesOf(method, name)
    span.end(
      (to) => {
        to.text('mcp.method.name', method)
        describe(to, named)
        to.text('mcp.protocol.version', revision)
        to.text('network.transport', connector === 'stdio' ? 'pipe' : 'tcp')
        to.text('server_name', alias)
        to.text('toolway.connection', alias)
        to.text('toolway.era', eraOf(revision))
        to.text('toolway.step', 'mcp.request')
        if (this.#parts.tracer.content) to.text('gen_ai.tool.call.arguments', shownContent(params['arguments']))
      },
      { error, name: named.title },
    )
  }

  /** Ends the span of the request with its audit entry. `at`: milliseconds on the process's own clock. */
  end(entry: Entry, at: number, failed: boolean, result?: JsonObject): void {
    const { span } = this
    if (span === undefined) return
    const { outcome, code } = entry
    const error = outcome === 'ok' ? undefined : outcome === 'tool_error' ? 'tool_error' : (code ?? outcome)
    this.#result?.end(
      (to) => {
        to.whole('content_size', entry.bytes_out)
        to.flag('is_error', failed)
        to.text('toolway.step', 'tool_result')
      },
      { error, at },
    )
    // An address that is read and a tool that does not exist are words of the caller.
    const isNamed = entry.connection !== undefined && entry.era_upstream !== undefined
    const named = namesOf(entry.method, isNamed ? entry.tool_name : undefined)
    span.end(
      (to) => {
        this.#describe(to, entry, named)
        if (this.#parts.tracer.content && result !== undefined)
          to.text('gen_ai.tool.call.result', shownContent(result['structuredContent'] ?? result['content']))
      },
      { error, at, name: named.title },
    )
  }

  #describe(to: AttributeSink, entry: Entry, named: Named): void {
    const { id, params, caller } = this.#request
    const request = String(id).slice(0, LONGEST_ID)
    const toolCall = metaOf(params)[TOOL_CALL_KEY]
    to.text('mcp.method.name', entry.method)
    describe(to, named)
    to.text('mcp.protocol.version', caller.revision)
    to.text('mcp.session.id', this.#session)
    to.text('jsonrpc.request.id', request)
    to.text('tool_id', typeof toolCall === 'string' ? toolCall.slice(0, LONGEST_ID) : request)
    to.text('network.transport', 'tcp')
    to.text('toolway.step', 'tool_call')
    to.text('toolway.record', entry.id)
    to.text('toolway.request_id', entry.request_id)
    to.text('toolway.organization', entry.organization)
    to.text('toolway.principal', entry.principal)
    to.text('toolway.toolset', entry.toolset)
    to.text('toolway.connection', entry.connection)
    to.whole('toolway.bytes_in', entry.bytes_in)
    to.whole('toolway.bytes_out', entry.bytes_out)
    to.text('toolway.outcome', entry.outcome)
    to.text('toolway.code', entry.code)
    to.text('toolway.decision', entry.decision)
    const rule = entry.detail?.['rule']
    if (typeof rule === 'string') to.text('toolway.rule', rule)
  }
}

/** Begins the trace of a request, in the context that its params name. */
export function beginTrace(
  parts: RequestTraces,
  request: McpRequest,
  channel: Pick<ClientChannel, 'session'>,
  begun: number,
): RequestTrace {
  const { traceparent, tracestate } = metaOf(request.params)
  const parent = readTraceparent(traceparent)
  const opened = parts.tracer.begin({
    name: request.method,
    kind: SPAN_KIND.server,
    parent,
    tracestate: parent !== undefined && typeof tracestate === 'string' ? tracestate.slice(0, 512) : undefined,
    begun,
  })
  return new RequestTrace(parts, opened, request, channel.session && shownSession(channel.session))
}

interface Named {
  /** `{method} {target}`, where the target is one of few. */
  readonly title: string
  readonly tool?: string | undefined
  readonly prompt?: string | undefined
}

function namesOf(method: string, target: string | undefined): Named {
  if (target === undefined || target === '') return { title: method }
  if (method === 'tools/call') return { title: `${method} ${target}`, tool: target }
  return method === 'prompts/get' ? { title: `${method} ${target}`, prompt: target } : { title: method }
}

function describe(to: AttributeSink, { tool, prompt }: Named): void {
  if (tool !== undefined) {
    to.text('gen_ai.operation.name', 'execute_tool')
    to.text('gen_ai.tool.name', tool)
    to.text('tool_name', tool)
  }
  to.text('gen_ai.prompt.name', prompt)
}

function errorOfAnswer(answer: Answer): string | undefined {
  if ('error' in answer) return String(answer.error.code)
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
