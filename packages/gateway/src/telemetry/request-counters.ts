/**
 * Counts what each request costs: MCP requests by method and outcome, HTTP requests by the form of their address, tool calls by the kind
 * of their connection and their tool, with the decisions of the rules. The number of labels is bounded; the organization is never one.
 *
 * Resolving labels costs more than counting: each set of them is resolved once.
 */
import { Counter, Histogram, type Registry } from 'prom-client'
import { FEW_SECONDS, SECONDS } from './seconds.ts'

/**
 * The methods that counters, histograms and names of spans tell apart. A method of a client's own making, and an error code of a
 * server's, share one label: each would grow the metrics without bound.
 */
const COUNTED: ReadonlySet<string> = new Set([
  'tools/call',
  'resources/read',
  'prompts/get',
  'tasks/update',
  'tasks/cancel',
  'initialize',
  'server/discover',
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'completion/complete',
  'ping',
  'logging/setLevel',
  'resources/subscribe',
  'resources/unsubscribe',
  'subscriptions/listen',
  'tasks/get',
  'tasks/list',
  'tasks/result',
])

export const knownMethodOf = (method: string): string => (COUNTED.has(method) ? method : 'other')

export interface CallCounters {
  /** `trace`: the id of its trace, where that is recorded; the histogram then names it as an exemplar. */
  count(method: string, outcome: string, seconds: number, trace?: string): void
}

export function createCallCounters(registry: Registry): CallCounters {
  const calls = new Counter({
    name: 'toolway_calls_total',
    help: 'MCP requests answered',
    labelNames: ['method', 'outcome'],
    registers: [registry],
  })
  const durations = new Histogram<string>({
    name: 'toolway_call_duration_seconds',
    help: 'Time from a request to its response',
    labelNames: ['method'],
    buckets: SECONDS,
    enableExemplars: true,
    registers: [registry],
  })
  const counted = new Map<string, Counter.Internal>()
  const timed = new Map<string, Histogram.Internal<string>>()
  return {
    count(method, outcome, seconds, trace) {
      childOf(counted, `${method} ${outcome}`, () => calls.labels({ method, outcome })).inc()
      if (trace === undefined) childOf(timed, method, () => durations.labels({ method })).observe(seconds)
      else durations.observe({ labels: { method }, value: seconds, exemplarLabels: { trace_id: trace } })
    },
  }
}

export interface HttpCounters {
  count(method: string, template: string, status: number, seconds: number): void
}

const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
/** Forms of addresses are as many as the code has; the bound is for what a mistake would make of them. */
const MOST_FORMS = 2_000

export function createHttpCounters(registry: Registry): HttpCounters {
  const durations = new Histogram({
    name: 'toolway_http_request_duration_seconds',
    help: 'Time from an HTTP request to the end of its response, by route',
    labelNames: ['method', 'path_template', 'status_code'],
    buckets: FEW_SECONDS,
    registers: [registry],
  })
  // Resolving labels costs more than observing: each set of them is resolved once.
  const known = new Map<string, Histogram.Internal<string>>()
  return {
    count(text, template, status, seconds) {
      const key = `${text} ${template} ${status}`
      let timed = known.get(key)
      if (timed === undefined) {
        const method = METHODS.has(text) ? text : 'other'
        const path = known.size < MOST_FORMS ? template : 'other'
        timed = durations.labels({ method, path_template: path, status_code: String(status) })
        if (known.size < MOST_FORMS) known.set(key, timed)
      }
      timed.observe(seconds)
    },
  }
}

/**
 * Whoever may call may read the metrics of all organizations, so a tool has its name there only where that name is the product's own,
 * unless the operator shows all of them.
 *
 * Which tools have their names: those whose names the product publishes, or all.
 */
export type ShownTools = 'published' | 'all'

export interface CountedTool {
  /** The kind of its connection; undefined where the tool is not known. */
  readonly connector: string | undefined
  readonly tool: string | undefined
  /** Its name is the product's own. */
  readonly isPublished: boolean
  readonly outcome: string
  /** What the rules decided; undefined where the call did not come that far. */
  readonly decision: string | undefined
  readonly seconds: number
  /** The id of its trace, where that is recorded. */
  readonly trace: string | undefined
}

export interface ToolCounters {
  count(call: CountedTool): void
}

/** Pairs of kind and tool that are told apart; each further one is `other`. */
const MOST_TOOLS = 300
const OTHER = 'other'
const UNKNOWN = 'unknown'

interface Counted {
  readonly labels: { readonly connector_type: string; readonly tool_name: string; readonly status: string }
  readonly timed: Histogram.Internal<string>
  readonly calls: Counter.Internal
}

export function createToolCounters(registry: Registry, shown: ShownTools): ToolCounters {
  const of = toolMetricsIn(registry)
  const tools = new Set<string>()
  // Resolving labels costs more than observing: each set of them is resolved once.
  const known = new Map<string, Counted>()

  const decided = new Map<string, Counter.Internal>()

  function decidedOf(decision: string): Counter.Internal {
    const counter = decided.get(decision) ?? of.decisions.labels({ decision })
    decided.set(decision, counter)
    return counter
  }

  function toolOf(connector: string, tool: string, isPublished: boolean): string {
    if (!isPublished && shown === 'published') return OTHER
    const pair = `${connector} ${tool}`
    if (!tools.has(pair) && tools.size >= MOST_TOOLS) return OTHER
    tools.add(pair)
    return tool
  }

  function countedOf(connector: string, name: string, status: string): Counted {
    const key = `${connector} ${name} ${status}`
    const before = known.get(key)
    if (before !== undefined) return before
    const labels = { connector_type: connector, tool_name: name, status }
    const made = {
      labels,
      timed: of.durations.labels(labels),
      calls: of.calls.labels({ connector_type: connector, status }),
    }
    known.set(key, made)
    return made
  }

  return {
    count({ connector = UNKNOWN, tool, isPublished, outcome, decision, seconds, trace }) {
      const name = tool === undefined ? OTHER : toolOf(connector, tool, isPublished)
      const { labels, timed, calls } = countedOf(connector, name, outcome)
      if (trace === undefined) timed.observe(seconds)
      else of.durations.observe({ labels, value: seconds, exemplarLabels: { trace_id: trace } })
      calls.inc()
      if (decision !== undefined) decidedOf(decision).inc()
    },
  }
}

const toolMetricsIn = (registry: Registry) => ({
  durations: new Histogram<string>({
    name: 'toolway_tool_call_duration_seconds',
    help: 'Time from a tool call to its result, by the kind of its connection',
    labelNames: ['connector_type', 'tool_name', 'status'],
    buckets: FEW_SECONDS,
    enableExemplars: true,
    registers: [registry],
  }),
  calls: new Counter({
    name: 'toolway_tool_calls_total',
    help: 'Tool calls, by the kind of their connection and how they ended',
    labelNames: ['connector_type', 'status'],
    registers: [registry],
  }),
  decisions: new Counter({
    name: 'toolway_policy_decisions_total',
    help: 'Decisions about tool calls',
    labelNames: ['decision'],
    registers: [registry],
  }),
})

function childOf<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const value = map.get(key)
  if (value !== undefined) return value
  const made = make()
  map.set(key, made)
  return made
}
