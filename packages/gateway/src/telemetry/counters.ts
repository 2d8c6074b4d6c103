/** What is counted, for Prometheus. Organizations and tools of clients' choosing are no labels: their number has no bound. */
import { Counter, Gauge, Histogram, Registry } from 'prom-client'

/** Rules come and go: each that ever watched would be a label for ever. */
const MOST_RULES = 1000
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

export interface Counters {
  readonly registry: Registry
  call(method: string, outcome: string, seconds: number): void
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

export function createCounters({ sessions, channels, upstreamSessions, waitingRecords }: CountersParts): Counters {
  const registry = new Registry()
  const registers = [registry]
  const calls = new Counter({
    name: 'toolway_calls_total',
    help: 'MCP requests answered',
    labelNames: ['method', 'outcome'],
    registers,
  })
  const durations = new Histogram({
    name: 'toolway_call_duration_seconds',
    help: 'Time from a request to its answer',
    labelNames: ['method'],
    buckets: SECONDS,
    registers,
  })
  const refusals = new Counter({
    name: 'toolway_refusals_total',
    help: 'Requests refused',
    labelNames: ['code'],
    registers,
  })
  const shadows = new Counter({
    name: 'toolway_policy_shadow_total',
    help: 'Calls that a rule in the shadow would have refused, changed or marked, by its id',
    labelNames: ['rule', 'would'],
    registers,
  })
  const limited = new Counter({
    name: 'toolway_limited_total',
    help: 'Requests refused because a limit was reached, by its bucket',
    labelNames: ['bucket'],
    registers,
  })
  const lost = new Counter({ name: 'toolway_records_lost_total', help: 'Records that could not be written', registers })
  const checks = new Counter({
    name: 'toolway_health_checks_total',
    help: 'Times a connection was asked whether it is there',
    labelNames: ['outcome'],
    registers,
  })
  const circuits = new Counter({
    name: 'toolway_circuits_opened_total',
    help: 'Times the calls to a connection came to be refused because it did not answer, or is not started any more',
    registers,
  })
  const crashes = new Counter({
    name: 'toolway_child_failures_total',
    help: 'Times a server that is started here ended by itself or did not start',
    registers,
  })
  const renewals = new Counter({
    name: 'toolway_oauth_refresh_tokens_total',
    help: 'Refresh tokens given to OAuth clients',
    registers,
  })
  new Gauge({
    name: 'toolway_records_waiting',
    help: 'Records in memory that are not in the database yet',
    registers,
    collect() {
      this.set(waitingRecords())
    },
  })
  new Gauge({
    name: 'toolway_upstream_sessions',
    help: 'Sessions held with legacy servers',
    registers,
    collect() {
      this.set(upstreamSessions())
    },
  })
  new Gauge({
    name: 'toolway_sessions',
    help: 'Sessions of legacy clients',
    registers,
    collect() {
      this.set(sessions())
    },
  })
  new Gauge({
    name: 'toolway_channels',
    help: 'Open streams (HTTP+SSE) and WebSockets',
    registers,
    collect() {
      this.set(channels())
    },
  })
  const watched = new Set<string>()
  // Resolving labels costs more than counting: each pair of them is resolved once.
  const counted = new Map<string, Counter.Internal>()
  const timed = new Map<string, Histogram.Internal<string>>()
  const countOf = (method: string, outcome: string) =>
    kept(counted, `${method} ${outcome}`, () => calls.labels({ method, outcome }))
  return {
    registry,
    call(method, outcome, seconds) {
      countOf(method, outcome).inc()
      kept(timed, method, () => durations.labels({ method })).observe(seconds)
    },
    refuse: (code) => refusals.inc({ code }),
    shadow(rule, would) {
      const label = watched.has(rule) || watched.size < MOST_RULES ? rule : 'other'
      watched.add(label)
      shadows.inc({ rule: label, would })
    },
    limit: (bucket) => limited.inc({ bucket }),
    loseRecords: (count) => lost.inc(count),
    check: (outcome) => checks.inc({ outcome }),
    openCircuit: () => circuits.inc(),
    crash: () => crashes.inc(),
    renew: () => renewals.inc(),
  }
}

function kept<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const held = map.get(key)
  if (held !== undefined) return held
  const made = make()
  map.set(key, made)
  return made
}
