/** Gauges: what the process holds at this moment. They are read when somebody asks for the metrics. */
import { Gauge, type Aggregator, type Registry } from 'prom-client'

export interface GaugeParts {
  readonly sessions: () => number
  /** Streams of the older pair and WebSockets that are open. */
  readonly channels: () => number
  /** Held with legacy servers. */
  readonly upstreamSessions: () => number
  /** Records in memory that are not stored. */
  readonly waitingRecords: () => number
  /** Client requests in progress. */
  readonly inFlight?: () => number
  /** Calls that wait for their turn. */
  readonly waitingCalls?: () => number
  /** Of the requests of calls in progress. */
  readonly callBytes?: () => number
  /** Running local servers. */
  readonly processes?: () => number
  /** Connections whose calls are currently refused because they do not respond. */
  readonly openCircuits?: () => number
  /** Undefined where there is no database. */
  readonly databaseReachable?: (() => boolean) | undefined
  /** Undefined where there is no feed of changes. Seconds by which the last change heard was late. */
  readonly changeLag?: (() => number) | undefined
}

const NONE = () => 0

export function addGauges(registry: Registry, parts: GaugeParts): void {
  const gauge = (name: string, help: string, read: () => number, aggregator: Aggregator = 'sum') =>
    new Gauge({
      name,
      help,
      aggregator,
      registers: [registry],
      collect() {
        this.set(read())
      },
    })
  const { inFlight = NONE, processes = NONE, openCircuits = NONE, databaseReachable, changeLag } = parts
  gauge('toolway_records_waiting', 'Records in memory that are not in the database yet', parts.waitingRecords)
  gauge('toolway_upstream_sessions', 'Sessions held with legacy servers', parts.upstreamSessions)
  gauge('toolway_sessions', 'Sessions of legacy clients', parts.sessions)
  gauge('toolway_channels', 'Open streams (HTTP+SSE) and WebSockets', parts.channels)
  gauge('toolway_calls_in_flight', 'Client requests in progress', inFlight)
  gauge('toolway_calls_waiting', 'Calls that wait for their turn', parts.waitingCalls ?? NONE)
  gauge('toolway_calls_bytes', 'Bytes of the requests of calls in progress', parts.callBytes ?? NONE)
  gauge('toolway_external_processes', 'Running local servers', processes)
  gauge(
    'toolway_circuits_open',
    'Connections whose calls are currently refused because they do not respond',
    openCircuits,
  )
  if (databaseReachable !== undefined)
    gauge('toolway_database_up', 'Whether the database can be used: 1 or 0', () => Number(databaseReachable()), 'min')
  if (changeLag !== undefined)
    gauge('toolway_change_feed_lag_seconds', 'Delay with which the last change was received', changeLag, 'max')
  gauge('toolway_gateway_processes', 'Processes that these metrics come from', () => 1)
  addMemory(registry)
}

function addMemory(registry: Registry): void {
  new Gauge({
    name: 'toolway_memory_usage_bytes',
    help: 'Memory of the process: resident, and by area of the runtime',
    labelNames: ['component'],
    registers: [registry],
    collect() {
      const { rss, heapUsed, heapTotal, external, arrayBuffers } = process.memoryUsage()
      const parts = { resident: rss, heap_used: heapUsed, heap_total: heapTotal, external, array_buffers: arrayBuffers }
      for (const [component, bytes] of Object.entries(parts)) this.set({ component }, bytes)
    },
  })
}
