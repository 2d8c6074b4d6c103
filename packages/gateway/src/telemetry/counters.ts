/**
 * Prometheus metrics. Organizations, and tool names chosen by clients, are not used as labels, because their number is unbounded.
 */
import { Counter, Registry, type RegistryContentType } from 'prom-client'
import { addGauges, type GaugeParts } from './gauges.ts'
import {
  createCallCounters,
  createHttpCounters,
  createToolCounters,
  type CallCounters,
  type HttpCounters,
  type ShownTools,
  type ToolCounters,
} from './request-counters.ts'

/** Rules come and go: each that ever watched would be a label for ever. */
const MOST_RULES = 1000

/** The codes of JSON-RPC and of MCP's revisions. */
const CODES: ReadonlySet<unknown> = new Set([
  ...[-32_700, -32_600, -32_601, -32_602, -32_603],
  ...[-32_000, -32_001, -32_002, -32_020, -32_021, -32_022, -32_042],
])

/** The class of a server's error (`error.type`; `_OTHER` is OpenTelemetry's own word for what is not told apart). */
export const errorLabelOf = (code: unknown): string => (CODES.has(code) ? String(code) : '_OTHER')

/** Why a call was not taken in. */
const SHED_REASONS = ['in_flight', 'waiting', 'wait', 'bytes'] as const
type ShedReason = (typeof SHED_REASONS)[number]

export interface Counters {
  readonly registry: Registry
  readonly call: CallCounters['count']
  readonly tool: ToolCounters['count']
  /** An HTTP request was answered. */
  readonly http: HttpCounters['count']
  refuse(code: string): void
  /** A rule that only watches would have done this; administrators choose how many there are. */
  shadow(rule: string, would: string): void
  /** A request was refused because this bucket was empty. */
  limit(bucket: string): void
  /** A batch of so many records is in the database. */
  storeBatch(records: number): void
  /** A call was not taken in, for this reason; it counts as a refusal, too. */
  shed(reason: ShedReason): void
  loseRecords(count: number): void
  check(outcome: string): void
  /** A call found an open session with its server, or had to open one. */
  pool(isHit: boolean): void
  /** Calls to a connection are refused from now on. */
  openCircuit(): void
  crash(): void
  /** An OAuth client renewed its access. */
  renew(): void
  /** An account's access at another server was renewed, or could not be. */
  renewAccount(result: 'renewed' | 'failed'): void
  /** Changes may have been missed: everything is read anew. */
  loseChanges(): void
}

export interface CountersParts extends GaugeParts {
  /** Which names of tools are told apart. */
  readonly tools?: ShownTools
}

export function createCounters(parts: CountersParts): Counters {
  // prom-client takes exemplars in a registry of this form alone; which form is written is decided by the scraper (`exposition.ts`).
  const registry: Registry = new Registry()
  setOpenMetrics(registry)
  addGauges(registry, parts)
  const of = metricsIn(registry)
  // A series that begins with its first failure would hide that failure from an alert.
  for (const result of ['renewed', 'failed']) of.accounts.inc({ result }, 0)
  for (const reason of SHED_REASONS) of.shed.inc({ reason }, 0)
  const watched = new Set<string>()
  const shed = new Map<string, Counter.Internal>()
  const busy = of.refusals.labels({ code: 'gateway.busy' })
  return {
    registry,
    call: createCallCounters(registry).count,
    tool: createToolCounters(registry, parts.tools ?? 'published').count,
    http: createHttpCounters(registry).count,
    refuse: (code) => of.refusals.inc({ code }),
    shadow(rule, would) {
      const label = watched.has(rule) || watched.size < MOST_RULES ? rule : 'other'
      watched.add(label)
      of.shadows.inc({ rule: label, would })
    },
    limit: (bucket) => of.limited.inc({ bucket }),
    storeBatch(records) {
      of.batches.inc()
      of.stored.inc(records)
    },
    shed(reason) {
      // Its label is resolved once: this counts what must cost next to nothing.
      const counted = shed.get(reason) ?? of.shed.labels({ reason })
      shed.set(reason, counted)
      counted.inc()
      busy.inc()
    },
    loseRecords: (count) => of.lost.inc(count),
    check: (outcome) => of.checks.inc({ outcome }),
    pool: (isHit) => (isHit ? of.hits : of.misses).inc(),
    openCircuit: () => of.circuits.inc(),
    crash: () => of.crashes.inc(),
    renew: () => of.renewals.inc(),
    renewAccount: (result) => of.accounts.inc({ result }),
    loseChanges: () => of.changesLost.inc(),
  }
}

function setOpenMetrics(registry: Registry<RegistryContentType>): void {
  registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE)
}

/** The counters, by what they count. */
function metricsIn(registry: Registry) {
  const counter = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new Counter({ name, help, labelNames, registers: [registry] })
  return {
    refusals: counter('toolway_refusals_total', 'Requests refused', 'code'),
    shadows: counter(
      'toolway_policy_shadow_total',
      'Calls that a shadow rule would have refused, changed or marked, by its ID',
      'rule',
      'would',
    ),
    limited: counter('toolway_limited_total', 'Requests refused because a limit was reached, by bucket', 'bucket'),
    batches: counter('toolway_record_batches_total', 'Batches of records written to the database'),
    stored: counter('toolway_records_stored_total', 'Records in these batches'),
    shed: counter('toolway_calls_shed_total', 'Calls refused because the gateway was busy, by reason', 'reason'),
    lost: counter('toolway_records_lost_total', 'Records that could not be written'),
    checks: counter('toolway_health_checks_total', 'Health checks of connections', 'outcome'),
    hits: counter('toolway_pool_hits_total', 'Calls that found an open session with their server'),
    misses: counter('toolway_pool_misses_total', 'Calls that had to open a session with their server'),
    circuits: counter(
      'toolway_circuits_opened_total',
      'Times a connection was marked as down because it did not respond or could not be started',
    ),
    crashes: counter('toolway_child_failures_total', 'Times a local server exited unexpectedly or failed to start'),
    renewals: counter('toolway_oauth_refresh_tokens_total', 'Refresh tokens issued to OAuth clients'),
    accounts: counter(
      'toolway_credential_renewals_total',
      'Renewals of accounts at other servers: renewed, or failed',
      'result',
    ),
    changesLost: counter(
      'toolway_change_feed_losses_total',
      'Times changes may have been missed, after which everything was reloaded',
    ),
  }
}
