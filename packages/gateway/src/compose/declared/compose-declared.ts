/**
 * The gateway without a database: everything that it is comes from files, everything that it knows is in memory, and what remains of
 * a call is its line on the log (ADR 0035). It is one instance: what it notices it tells nobody else.
 *
 * The stages are those of `compose.ts` wherever they do not store; nothing here decides. It loads no database driver, which a
 * test holds it to.
 */
import { createRunning, type Gateway } from '../running.ts'
import { randomUUID } from 'node:crypto'
import { createConfirmations } from '../../call/approvals/confirmations.ts'
import { createChanges } from '../../catalog/changes.ts'
import type { Config } from '../../config.ts'
import type { Declared } from '../../features/declaration/index.ts'
import { createClients } from '../../http/client-address.ts'
import { createReadiness, type Health } from '../../http/health.ts'
import { createConnectionRegistry } from '../../http/persistent/connection-registry.ts'
import { createDoors } from '../../http/doors.ts'
import { createPolicyDoor } from '../../http/tools/policy-door.ts'
import type { Log } from '../../lib/log.ts'
import type { Identity } from '../../identity/identify.ts'
import { createServeMetrics } from '../../telemetry/serve-metrics.ts'
import { recalls } from '../../identity/recalls.ts'
import { createCounters } from '../../telemetry/counters.ts'
import type { LogTail } from '../../telemetry/log-tail.ts'
import { proofOf } from '../../vault/identity-proof.ts'
import type { Vault } from '../../vault/vault.ts'
import { composeAdmission, type Admission } from '../admission.ts'
import { startCatalogs, type Catalogs, createMemoryContacts } from '../../features/catalog/index.ts'
import { createMcpDoors } from '../../http/mcp-doors.ts'
import type { Base } from '../../base/base.ts'
import { refuseNoPlace, startDeclaredIdentity, createOnBehalfOfAnybody } from '../../features/keys/index.ts'
import { intakeOf, openRedis, startLimits } from '../../limits/start-limits.ts'
import type { Limits } from '../../limits/limits.ts'
import { startTelemetry } from '../../base/start-telemetry.ts'
import { VERSION } from '../../call/introduce.ts'
import { startUpstreams } from '../../upstreams/start-upstreams.ts'
import {
  asksAt,
  bindToProfile,
  curatoreOrganization,
  installationOf,
  isConfirmation,
  placeOfProfile,
  profilesOf,
} from './curatore/curatore.ts'
import { createKeepPolicies, type KeepPolicies } from './curatore/keep-policies.ts'
import { createPolicies } from './curatore/policies.ts'
import { startLogRecords } from '../../features/records/index.ts'
import { createRows } from './rows.ts'
import { startMemorySessions } from '../../features/runtime/index.ts'
import { startSecretReferences } from '../../snapshot/secret-references.ts'
import { composeDeclaredSnapshots } from './snapshots.ts'

export interface ComposeDeclaredParts {
  readonly config: Config
  readonly vault: Vault
  /** The declarations of TOOLWAY_CONFIG; empty without one. */
  readonly declared: readonly Declared[]
  readonly log: Log
  readonly logLine: (json: string) => void
  /** The last lines of the log, where they are kept. */
  readonly tail?: Pick<LogTail, 'recent' | 'follow'> | undefined
  readonly path: string
  readonly lang: string | undefined
  /** Reads a variable that a reference to a secret names. */
  readonly lookup?: ((name: string) => string | undefined) | undefined
  /** Where each setting comes from. */
  readonly origins?: Readonly<Record<string, string>> | undefined
}

export async function composeDeclared(parts: ComposeDeclaredParts): Promise<Gateway> {
  const { config, vault, log, logLine, path, lang } = parts
  const preset = config.TOOLWAY_PRESET === 'curatore'
  const health: Health = { started: false, draining: false }
  const drain = new AbortController()
  await using opened = new AsyncDisposableStack()

  const room = createConnectionRegistry()
  const intake = intakeOf(config, (reason) => counters.shed(reason))
  const counters = createCounters({
    tools: config.TOOLWAY_METRICS_TOOLS,
    inFlight: () => mcpDoors.calls.size,
    waitingCalls: () => intake.waiting,
    callBytes: () => intake.bytes,
    processes: () => upstreams.runningProcesses,
    openCircuits: () => upstreams.openCircuits,
    sessions: () => sessions.size,
    channels: () => room.size,
    upstreamSessions: () => upstreams.sessions,
    waitingRecords: () => 0,
  })
  const telemetry = await startTelemetry({ config, log, counters, opened, version: VERSION, tail: parts.tail })
  const core: Base = { config, vault, log, counters, telemetry, opened }

  // Declarations, and their changes at run time.
  const rows = createRows(vault)
  const declareAll = () => declareFiles(rows, parts, policies)
  const onChange = async () => {
    declareAll()
    await snapshots.reload()
  }
  const policies = preset ? await keepPolicies(core, onChange) : undefined
  declareAll()

  const auditLog = startLogRecords(core, logLine)
  const redis = await openRedis(core, preset ? installationOf(config) : undefined)
  const limits = await startLimits(core, { redis, onRefuse: counters.limit })
  const clients = createClients(config.TOOLWAY_TRUSTED_PROXIES)
  const contacts = createMemoryContacts(rows)
  const upstreams = startUpstreams(core, {
    ...{ path, lang, origins: parts.origins, contacts, counters },
    again: (id) => catalogs.again(id),
    // Elsewhere two gateways of one vault key may ask the same backend with different keys.
    shared: preset ? redis : undefined,
  })
  const { sessions, keepSessions } = startMemorySessions(core, upstreams)
  const changes = createChanges()
  const { identity, accounts, brought } = startDeclaredIdentity(core, {
    findKey: (hash) => rows.findKey(hash),
    snapshots: () => snapshots,
    bind: preset ? bindToProfile : undefined,
  })
  const offers: Catalogs = startCatalogs(core, { upstreams, contacts, changes, snapshots: () => snapshots })
  const { catalogs, healthy } = offers
  const kept = { rows, upstreams, changes, catalogs, healthy }
  const { ofConnections: references } = startSecretReferences(core, { ...parts, snapshots: () => snapshots })
  const snapshots = composeDeclaredSnapshots(core, { ...kept, open: () => open, references })
  const admission: Admission = composeAdmission(core, {
    ...{ identity, accounts, snapshots, limits, credentials: undefined, links: undefined },
    onBehalf: createOnBehalfOfAnybody(log),
    approvals: preset ? confirmationsOf(vault, rows) : undefined,
    placeOf: preset ? placeOfProfile : undefined,
  })
  const { admit, open } = admission
  await snapshots.reload()
  policies?.watch()
  refuseNoPlace(config, snapshots.find)

  const shared = { open, sessions, clients, limits, draining: drain.signal }
  const mcpDoors = createMcpDoors(core, {
    ...shared,
    admit,
    parts: admission.calls,
    brought,
    keepSessions,
    changes,
    auditLog,
    ...{ room, intake },
    challenge: () => undefined,
    confirms: (requestContext) => policies !== undefined && asksAt(policies.profiles(), requestContext),
  })
  const again = () => askAll(rows, offers)
  const doors = declaredDoors(core, { mcpDoors, policies, again, admit, health, identity, limits })
  return createRunning(core, {
    isOneOfMany: false,
    doors,
    calls: mcpDoors.calls,
    ...{ clients, limits, intake },
    health,
    offers,
    admission,
    drain,
    opened,
    stops: [catalogs, healthy, snapshots],
  })
}

/** The files as they are now, all of it before any of it counts. */
function declareFiles(
  rows: Rows,
  { config, declared }: Pick<ComposeDeclaredParts, 'config' | 'declared'>,
  policies: KeepPolicies | undefined,
): void {
  const own = policies === undefined ? [] : [curatoreOrganization(config, policies.profiles())]
  const platform = declared.flatMap((item) => item.platform?.rules ?? [])
  rows.declare(
    [...own, ...declared.filter(({ slug }) => own.every((organization) => organization.slug !== slug))],
    platform,
  )
}

async function keepPolicies({ config, log, opened }: Base, onChange: () => Promise<void>): Promise<KeepPolicies> {
  const policies = await createKeepPolicies({ profiles: profilesOf(config), log, onChange })
  opened.defer(() => policies.close())
  return policies
}

/** Requests the catalog of every connection again. */
async function askAll(rows: Rows, { syncNow }: Catalogs): Promise<void> {
  const all = rows.organizations().flatMap(({ connections }) => connections)
  await Promise.all(
    all.map(({ organization_id: organization, id }) => syncNow(organization, id).catch(() => undefined)),
  )
}

type Rows = ReturnType<typeof createRows>

interface DeclaredDoorsParts {
  readonly mcpDoors: ReturnType<typeof createMcpDoors>
  readonly admit: Admission['admit']
  /** Requests the catalog of every connection again. */
  again(): Promise<void>
  readonly policies: KeepPolicies | undefined
  readonly health: Health
  readonly identity: Pick<Identity, 'identify' | 'recall'>
  readonly limits: Limits
}

/** Nothing that stores: no sign-in, no administration and no console. */
const declaredDoors = (
  { config, vault, log, counters }: Base,
  { mcpDoors, policies, again, admit, health, identity, limits }: DeclaredDoorsParts,
) =>
  createDoors({
    ...mcpDoors,
    roles: config.TOOLWAY_ROLES,
    policy:
      policies === undefined
        ? undefined
        : createPolicyDoor({ admit, limits, policies: createPolicies(policies, again), newCorrelationId: randomUUID }),
    eventSocket: undefined,
    oauth: undefined,
    connect: undefined,
    approvals: undefined,
    admin: undefined,
    pages: undefined,
    console: undefined,
    health,
    identify: identity.identify,
    recalls: (authorization) => recalls(identity, authorization),
    prove: (challenge, place) => proofOf(vault, challenge, place),
    readiness: createReadiness({
      health,
      store: undefined,
      limits: () => limits.state,
      state: config.REDIS_URL === undefined ? 'memory' : 'memory and redis',
      ...(policies === undefined ? {} : { policy: () => policies.problem() }),
    }),
    metrics: createServeMetrics(config, counters),
    newCorrelationId: randomUUID,
    log,
  })

const confirmationsOf = (vault: Vault, rows: Rows) =>
  createConfirmations({
    signer: vault,
    confirms: isConfirmation,
    definitionOf: ({ target }) =>
      rows.findCatalog(target.connectionId)?.tools?.find(({ name }) => name === target.name),
  })
