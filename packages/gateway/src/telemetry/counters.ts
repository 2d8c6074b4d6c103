/**
 * Prometheus metrics. Organizations, and tool names chosen by clients, are not used as labels, because their number is unbounded.
 */
import { Counter, Gauge, Histogram, Registry } from 'prom-client'

/** Rules come and go: each that ever watched would be a label for ever. */
const MOST_RULES = 1000
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

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

export const labelOf = (method: string): string => (COUNTED.has(method) ? method : 'other')

/** The codes of JSON-RPC and of MCP's revisions. */
const CODES: ReadonlySet<unknown> = new Set([
  ...[-32_700, -32_600, -32_601, -32_602, -32_603],
  ...[-32_000, -32_001, -32_002, -32_020, -32_021, -32_022, -32_042],
])

/** The class of a server's error (`error.type`; `_OTHER` is OpenTelemetry's own word for what is not told apart). */
export const errorLabelOf = (code: unknown): string => (CODES.has(code) ? String(code) : '_OTHER')

export interface Counters {
  readonly registry: Registry
  call(method: string, outcome: string, seconds: number): void
  /** A call of a tool begins; the answer is called when it has ended. */
  enter(): () => void
  refuse(code: string): void
  /** A rule that only watches would have done this; administrators choose how many there are. */
  shadow(rule: string, would: string): void
  /** A request was refused because this bucket was empty. */
  limit(bucket: string): void
  loseRecords(count: number): void
  check(outcome: string): void
  /** Calls to a connection are refused from now on. */
  openCircuit(): void
  crash(): void
  /** An OAuth client renewed its access. */
  renew(): void
}

export interface CountersParts {
  readonly sessions: () => number
  /** Streams of the older pair and WebSockets that are open. */
  readonly channels: () => number
  /** Held with legacy servers. */
  readonly upstreamSessions: () => number
  /** Records in memory that are not stored. */
  readonly waitingRecords: () => number
}

export function createCounters(parts: CountersParts): Counters {
  const registry = new Registry()
  let inFlight = 0
  addGauges(registry, parts, () => inFlight)
  const of = metricsIn(registry)
  const watched = new Set<string>()
  // Resolving labels costs more than counting: each pair of them is resolved once.
  const counted = new Map<string, Counter.Internal>()
  const timed = new Map<string, Histogram.Internal<string>>()
  const countOf = (method: string, outcome: string) =>
    kept(counted, `${method} ${outcome}`, () => of.calls.labels({ method, outcome }))
  return {
    registry,
    call(method, outcome, seconds) {
      countOf(method, outcome).inc()
      kept(timed, method, () => of.durations.labels({ method })).observe(seconds)
    },
    enter() {
      inFlight++
      return () => void inFlight--
    },
    refuse: (code) => of.refusals.inc({ code }),
    shadow(rule, would) {
      const label = watched.has(rule) || watched.size < MOST_RULES ? rule : 'other'
      watched.add(label)
      of.shadows.inc({ rule: label, would })
    },
    limit: (bucket) => of.limited.inc({ bucket }),
    loseRecords: (count) => of.lost.inc(count),
    check: (outcome) => of.checks.inc({ outcome }),
    openCircuit: () => of.circuits.inc(),
    crash: () => of.crashes.inc(),
    renew: () => of.renewals.inc(),
  }
}

/** The counters and the histogram, by what they count. */
function metricsIn(registry: Registry) {
  const counter = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new Counter({ name, help, labelNames, registers: [registry] })
  return {
    calls: counter('toolway_calls_total', 'MCP requests answered', 'method', 'outcome'),
    durations: new Histogram({
      name: 'toolway_call_duration_seconds',
      help: 'Time from a request to its answer',
      labelNames: ['method'],
      buckets: SECONDS,
      registers: [registry],
    }),
    refusals: counter('toolway_refusals_total', 'Requests refused', 'code'),
    shadows: counter(
      'toolway_policy_shadow_total',
      'Calls that a rule in the shadow would have refused, changed or marked, by its id',
      'rule',
      'would',
    ),
    limited: counter('toolway_limited_total', 'Requests refused because a limit was reached, by its bucket', 'bucket'),
    lost: counter('toolway_records_lost_total', 'Records that could not be written'),
    checks: counter('toolway_health_checks_total', 'Times a connection was asked whether it is there', 'outcome'),
    circuits: counter(
      'toolway_circuits_opened_total',
      'Times the calls to a connection came to be refused because it did not answer, or is not started any more',
    ),
    crashes: counter(
      'toolway_child_failures_total',
      'Times a server that is started here ended by itself or did not start',
    ),
    renewals: counter('toolway_oauth_refresh_tokens_total', 'Refresh tokens given to OAuth clients'),
  }
}

/** Gauges are read when somebody asks for the metrics. */
function addGauges(registry: Registry, parts: CountersParts, callsInFlight: () => number): void {
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(read())
      },
    })
  gauge(
    'toolway_calls_in_flight',
    'Calls of tools that are not answered yet, calls inside of others too',
    callsInFlight,
  )
  gauge('toolway_records_waiting', 'Records in memory that are not in the database yet', parts.waitingRecords)
  gauge('toolway_upstream_sessions', 'Sessions held with legacy servers', parts.upstreamSessions)
  gauge('toolway_sessions', 'Sessions of legacy clients', parts.sessions)
  gauge('toolway_channels', 'Open streams (HTTP+SSE) and WebSockets', parts.channels)
}

function kept<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const held = map.get(key)
  if (held !== undefined) return held
  const made = make()
  map.set(key, made)
  return made
}
