/**
 * Counts tool calls by the kind of their connection, their tool and how they ended, and the decisions of the rules.
 *
 * Whoever may call may read the metrics of all organizations, so a tool has its name there only where that name is the product's own,
 * unless the operator shows all of them. Their number is bounded in either case; the organization is never a label.
 */
import { Counter, Histogram, type Registry } from 'prom-client'
import { FEW_SECONDS } from './seconds.ts'

/** Which tools have their names: those whose names the product publishes, or all. */
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
  const of = metricsIn(registry)
  const tools = new Set<string>()
  // Resolving labels costs more than observing: each set of them is resolved once.
  const known = new Map<string, Counted>()

  const decided = new Map<string, Counter.Internal>()

  function decidedOf(decision: string): Counter.Internal {
    const held = decided.get(decision) ?? of.decisions.labels({ decision })
    decided.set(decision, held)
    return held
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
    const held = known.get(key)
    if (held !== undefined) return held
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

const metricsIn = (registry: Registry) => ({
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
