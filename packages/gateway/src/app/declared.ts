/**
 * The gateway without a database: everything that it is comes from files, everything that it knows is in memory, and what remains of
 * a call is its line on the log (ADR 0035). It is one instance: what it notices it tells nobody else.
 *
 * Its parts are those of `app.ts` wherever they do not store; nothing here decides. It loads no database driver, which a test holds
 * it to.
 */
import { randomUUID } from 'node:crypto'
import type { Base } from '../base/base.ts'
import { createChanges } from '../catalog/changes.ts'
import { composeDeclaredSnapshots } from './declared/snapshots.ts'
import { createRows, type Rows } from './declared/rows.ts'
import type { Declared } from '../features/declaration/index.ts'
import { createMemoryContacts, startCatalogs, type Catalogs } from '../features/catalog/index.ts'
import { startCuratore, type Curatore } from '../features/curatore/index.ts'
import { createOnBehalfOfAnybody, refuseNoPlace, startDeclaredIdentity } from '../features/keys/index.ts'
import { startLogRecords } from '../features/records/index.ts'
import { startMemorySessions } from '../features/runtime/index.ts'
import { createDoors } from '../http/doors.ts'
import { createReadiness, type Health } from '../http/health.ts'
import { createMcpTransports } from '../http/mcp-doors.ts'
import { createRunning, type Gateway } from '../http/running.ts'
import { createPolicyDoor } from '../http/tools/policy-door.ts'
import type { Identity } from '../identity/identify.ts'
import { recalls } from '../identity/recalls.ts'
import type { Limits } from '../limits/limits.ts'
import { openRedis, startLimits } from '../limits/start-limits.ts'
import { startSecretReferences } from '../snapshot/secret-references.ts'
import { createServeMetrics } from '../telemetry/serve-metrics.ts'
import { startUpstreams } from '../upstreams/start-upstreams.ts'
import { proofOf } from '../vault/identity-proof.ts'
import type { Vault } from '../vault/vault.ts'
import { startCalls, stopsOf, type Calls } from './admission.ts'
import { startProcess, type ProcessParts } from './process.ts'

export interface DeclaredAppParts extends ProcessParts {
  readonly vault: Vault
  /** The declarations of TOOLWAY_CONFIG; empty without one. */
  readonly declared: readonly Declared[]
  /** Where each setting comes from. */
  readonly origins?: Readonly<Record<string, string>> | undefined
}

export async function createDeclaredApp(parts: DeclaredAppParts): Promise<Gateway> {
  const { config, vault, log, logLine, declared } = parts
  await using opened = new AsyncDisposableStack()
  const live = () => ({ upstreams, sessions, calls: mcpDoors.calls, waitingRecords: 0 })
  const process = await startProcess(parts, { vault, opened, live })
  const { base, streamQuota, intake, health, clients, drain } = process
  const { counters } = base

  // Declarations, and their changes at run time.
  const rows = createRows(vault)
  const declareAll = () => declareFiles(rows, declared, curatore)
  const onChange = async () => {
    declareAll()
    await snapshots.reload()
  }
  const curatore = config.TOOLWAY_PRESET === 'curatore' ? await startCuratore(base, onChange) : undefined
  declareAll()

  const auditLog = startLogRecords(base, logLine)
  const redis = await openRedis(base, curatore?.installation)
  const limits = await startLimits(base, { redis, onRefuse: counters.limit })
  const contacts = createMemoryContacts(rows)
  const upstreams = startUpstreams(base, {
    ...{ ...parts, contacts, counters, again: (id) => catalogs.again(id) },
    // Elsewhere two gateways of one vault key may ask the same backend with different keys.
    shared: curatore && redis,
  })
  const { sessions, keepSessions } = startMemorySessions(base, upstreams)
  const changes = createChanges()
  const later = { snapshots: () => snapshots }
  const { findKey } = rows
  const { identity, accounts, readPassThroughToken } = startDeclaredIdentity(base, {
    ...later,
    findKey,
    bind: curatore?.bind,
  })
  const offers: Catalogs = startCatalogs(base, { ...later, upstreams, contacts, changes })
  const { catalogs, healthy } = offers
  const { ofConnections: references } = startSecretReferences(base, { ...later, lookup: parts.lookup })
  const stored = { rows, upstreams, changes, catalogs, healthy, references }
  const snapshots = composeDeclaredSnapshots(base, { ...stored, open: () => open })
  const admission: Calls = startCalls(base, {
    ...{ identity, accounts, snapshots, limits, credentials: undefined, links: undefined },
    onBehalf: createOnBehalfOfAnybody(log),
    approvals: curatore?.confirmations(rows.findCatalog),
    placeOf: curatore?.placeOf,
  })
  const { admit, open } = admission
  await snapshots.reload()
  curatore?.watch()
  refuseNoPlace(config, snapshots.find)

  const mcpDoors = createMcpTransports(base, {
    ...{
      open,
      sessions,
      clients,
      limits,
      draining: drain.signal,
      admit,
      readPassThroughToken,
      keepSessions,
      changes,
      auditLog,
    },
    ...{ streamQuota, intake, challenge: () => undefined, parts: admission.calls },
    needsConfirmation: (requestContext) => curatore?.confirms(requestContext) ?? false,
  })
  const again = () => askAll(rows, offers)
  return createRunning(base, {
    ...{ ...process, limits, calls: mcpDoors.calls, tried: catalogs.tried, isOneOfMany: false },
    doors: doorsOf(base, { mcpDoors, curatore, again, admit, health, identity, limits }),
    stops: [...stopsOf(admission), catalogs, healthy, snapshots],
  })
}

/** The files as they are now, all of it before any of it counts. */
function declareFiles(rows: Rows, declared: DeclaredAppParts['declared'], curatore: Curatore | undefined): void {
  const own = curatore === undefined ? [] : [curatore.organization()]
  const platform = declared.flatMap((item) => item.platform?.rules ?? [])
  rows.declare(
    [...own, ...declared.filter(({ slug }) => own.every((organization) => organization.slug !== slug))],
    platform,
  )
}

/** Requests the catalog of every connection again. */
async function askAll(rows: Rows, { syncNow }: Catalogs): Promise<void> {
  const all = rows.organizations().flatMap(({ connections }) => connections)
  await Promise.all(
    all.map(({ organization_id: organization, id }) => syncNow(organization, id).catch(() => undefined)),
  )
}

interface DoorsParts {
  readonly mcpDoors: ReturnType<typeof createMcpTransports>
  readonly admit: Calls['admit']
  /** Requests the catalog of every connection again. */
  again(): Promise<void>
  readonly curatore: Curatore | undefined
  readonly health: Health
  readonly identity: Pick<Identity, 'identify' | 'recall'>
  readonly limits: Limits
}

/** Nothing that stores: no sign-in, no administration and no console. */
function doorsOf({ config, vault, log, counters }: Base, parts: DoorsParts) {
  const { mcpDoors, curatore, again, admit, health, identity, limits } = parts
  const newCorrelationId = randomUUID
  return createDoors({
    ...mcpDoors,
    roles: config.TOOLWAY_ROLES,
    policy: curatore && createPolicyDoor({ admit, limits, policies: curatore.policies(again), newCorrelationId }),
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
      ...(curatore === undefined ? {} : { policy: () => curatore.problem() }),
    }),
    metrics: createServeMetrics(config, counters),
    newCorrelationId,
    log,
  })
}
