/** What a gateway process has before everything else, with a database or without: its base, how much it takes in, and its state. */
import { startTelemetry } from '../base/start-telemetry.ts'
import type { Base } from '../base/base.ts'
import { VERSION } from '../call/introduce.ts'
import type { Config } from '../config.ts'
import { createClients } from '../http/client-address.ts'
import type { Health } from '../http/health.ts'
import { createConnectionRegistry } from '../http/persistent/connection-registry.ts'
import type { Log } from '../lib/log.ts'
import { intakeOf } from '../limits/start-limits.ts'
import { createCounters } from '../telemetry/counters.ts'
import type { LogTail } from '../telemetry/log-tail.ts'
import type { Upstreams } from '../upstreams/upstreams.ts'
import type { Vault } from '../vault/vault.ts'

export interface ProcessParts {
  readonly config: Config
  readonly log: Log
  /** Where the line of each call goes, as JSON. */
  readonly logLine: (json: string) => void
  /** The last lines of the log, where they are kept. */
  readonly tail?: Pick<LogTail, 'recent' | 'follow'> | undefined
  readonly path: string
  readonly lang: string | undefined
  /** Reads a variable that a reference to a secret names. */
  readonly lookup?: ((name: string) => string | undefined) | undefined
}

/** What is counted of the gateway when somebody asks; it is there by then. */
interface Live {
  readonly calls: { readonly size: number }
  readonly upstreams: Upstreams
  readonly sessions: { readonly size: number }
  readonly waitingRecords: number
}

export interface ProcessState {
  readonly vault: Vault
  readonly opened: AsyncDisposableStack
  readonly live: () => Live
  /** Absent without a database. */
  readonly databaseReachable?: () => boolean
}

export async function startProcess({ config, log, tail }: ProcessParts, state: ProcessState) {
  const { vault, opened, live, ...gauges } = state
  const streamQuota = createConnectionRegistry()
  const intake = intakeOf(config, (reason) => counters.shed(reason))
  const counters = createCounters({
    ...gauges,
    tools: config.TOOLWAY_METRICS_TOOLS,
    inFlight: () => live().calls.size,
    waitingCalls: () => intake.waiting,
    callBytes: () => intake.bytes,
    processes: () => live().upstreams.runningProcesses,
    openCircuits: () => live().upstreams.openCircuits,
    sessions: () => live().sessions.size,
    channels: () => streamQuota.size,
    upstreamSessions: () => live().upstreams.sessions,
    waitingRecords: () => live().waitingRecords,
  })
  const telemetry = await startTelemetry({ config, log, counters, opened, version: VERSION, tail })
  const base: Base = { config, vault, log, counters, telemetry, opened }
  const health: Health = { started: false, draining: false }
  const clients = createClients(config.TOOLWAY_TRUSTED_PROXIES)
  return { base, streamQuota, intake, health, clients, opened, drain: new AbortController() }
}
