/**
 * The gateway without a database: everything that it is comes from files, everything that it knows is in memory, and what remains of
 * a call is its line on the log (ADR 0035). It is one instance: what it notices it tells nobody else.
 *
 * The stages are those of `compose.ts` wherever they do not store; nothing here decides. It loads no database driver, which a
 * test holds it to.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { createConfirmations } from '../../call/approvals/confirmations.ts'
import { createAuditLog } from '../../call/audit-entry.ts'
import { createChanges } from '../../catalog/changes.ts'
import type { Gateway } from '../../compose.ts'
import type { Config } from '../../config.ts'
import type { Declared } from '../../config-file.ts'
import { createClients } from '../../http/client-address.ts'
import { createGuard } from '../../http/guard.ts'
import { createReadiness, type Health } from '../../http/health.ts'
import { createChannelRoom } from '../../http/lasting/channel-room.ts'
import { createDoors } from '../../http/doors.ts'
import { createServer } from '../../http/server.ts'
import { prepareEnd } from '../../http/server-end.ts'
import { createPolicyDoor } from '../../http/tools/policy-door.ts'
import type { Log } from '../../lib/log.ts'
import { createCounters } from '../../telemetry/counters.ts'
import { proofOf } from '../../vault/identity-proof.ts'
import type { Vault } from '../../vault/vault.ts'
import { composeAdmission, type Admission } from '../admission.ts'
import { composeCatalogs, type Catalogs } from '../catalogs.ts'
import { composeMcpDoors } from '../doors.ts'
import type { Base } from '../core-dependencies.ts'
import { refuseNoPlace } from '../external-principals.ts'
import { composeLimits } from '../limits.ts'
import { listenOn } from '../listening.ts'
import { composeUpstreams } from '../upstreams.ts'
import { createMemoryContacts } from './contacts.ts'
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
import { composeDeclaredIdentity } from './identity.ts'
import { createOnBehalfOfAnybody } from './on-behalf.ts'
import { composeLogRecords } from './records.ts'
import { createRows } from './rows.ts'
import { composeMemorySessions } from './sessions.ts'
import { composeDeclaredSnapshots } from './snapshots.ts'

export interface ComposeDeclaredParts {
  readonly config: Config
  readonly vault: Vault
  /** The declarations of TOOLWAY_CONFIG; empty without one. */
  readonly declared: readonly Declared[]
  readonly log: Log
  readonly logLine: (json: string) => void
  readonly path: string
  readonly lang: string | undefined
}

export async function composeDeclared(parts: ComposeDeclaredParts): Promise<Gateway> {
  const { config, vault, declared, log, logLine, path, lang } = parts
  const preset = config.TOOLWAY_PRESET === 'curatore'
  const health: Health = { started: false, draining: false }
  const drain = new AbortController()
  await using opened = new AsyncDisposableStack()

  const room = createChannelRoom()
  const counters = createCounters({
    sessions: () => sessions.size,
    channels: () => room.size,
    upstreamSessions: () => upstreams.sessions,
    waitingRecords: () => 0,
  })
  const core: Base = { config, vault, log, counters, opened }

  // Declarations, and their changes at run time.
  const rows = createRows(vault)
  const policies = preset ? await keepPolicies() : undefined
  declareAll()

  const auditLog = createAuditLog({
    log,
    logLine,
    count: counters.call,
    refuse: counters.refuse,
    ...composeLogRecords(core),
  })
  const limits = await composeLimits(core, preset ? installationOf(config) : undefined)
  const clients = createClients(config.TOOLWAY_TRUSTED_PROXIES)
  const contacts = createMemoryContacts(rows)
  const upstreams = composeUpstreams(core, { path, lang, catalogs: () => catalogs, contacts })
  const { sessions, keepSessions } = composeMemorySessions(core, upstreams)
  const changes = createChanges()
  const { identity, accounts, brought } = composeDeclaredIdentity(core, {
    rows,
    snapshots: () => snapshots,
    bind: preset ? bindToProfile : undefined,
  })
  const offers: Catalogs = composeCatalogs(core, { upstreams, contacts, changes, snapshots: () => snapshots })
  const { catalogs, healthy } = offers
  const snapshots = composeDeclaredSnapshots(core, {
    rows,
    upstreams,
    changes,
    catalogs,
    healthy,
    open: () => open,
  })
  const admission: Admission = composeAdmission(core, {
    identity,
    accounts,
    snapshots,
    limits,
    credentials: undefined,
    links: undefined,
    onBehalf: createOnBehalfOfAnybody(log),
    approvals: preset
      ? createConfirmations({
          signer: vault,
          confirms: isConfirmation,
          definitionOf: ({ target }) =>
            rows.findCatalog(target.connectionId)?.tools?.find(({ name }) => name === target.name),
        })
      : undefined,
    placeOf: preset ? placeOfProfile : undefined,
  })
  const { admit, open } = admission
  await snapshots.reload()
  policies?.watch()
  refuseNoPlace(config, snapshots.find)

  const shared = { open, sessions, clients, limits, draining: drain.signal }
  const mcpDoors = composeMcpDoors(core, {
    ...shared,
    admit,
    parts: admission.calls,
    brought,
    keepSessions,
    changes,
    auditLog,
    room,
    challenge: () => undefined,
    confirms: (requestContext) => policies !== undefined && asksAt(policies.profiles(), requestContext),
  })
  const doors = createDoors({
    ...mcpDoors,
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
    prove: (challenge, place) => proofOf(vault, challenge, place),
    readiness: createReadiness({
      health,
      store: undefined,
      limits: () => limits.state,
      state: config.REDIS_URL === undefined ? 'memory' : 'memory and redis',
      ...(policies === undefined ? {} : { policy: () => policies.problem() }),
    }),
    metrics: config.TOOLWAY_METRICS === 'on' ? counters.registry : undefined,
    newCorrelationId: randomUUID,
    log,
  })
  const server = createServer({
    guard: createGuard({
      host: config.TOOLWAY_HOST,
      publicUrl: config.TOOLWAY_PUBLIC_URL,
      allowedHosts: config.TOOLWAY_ALLOWED_HOSTS,
      allowedOrigins: config.TOOLWAY_ALLOWED_ORIGINS,
    }),
    clients,
    limits,
    https: config.TOOLWAY_PUBLIC_URL?.startsWith('https:') ?? false,
    health,
    refused: counters.refuse,
    newCorrelationId: randomUUID,
    ...doors,
  })
  const endServer = prepareEnd(server, mcpDoors.calls)
  opened.defer(() => endServer(config.TOOLWAY_DRAIN_SECONDS * 1000))
  const owned = opened.move()

  /** The files as they are now, all of it before any of it counts. */
  function declareAll(): void {
    const own = policies === undefined ? [] : [curatoreOrganization(config, policies.profiles())]
    const platform = declared.flatMap((one) => one.platform?.rules ?? [])
    rows.declare([...own, ...declared.filter(({ slug }) => own.every((one) => one.slug !== slug))], platform)
  }

  async function keepPolicies(): Promise<KeepPolicies> {
    const kept = await createKeepPolicies({
      profiles: profilesOf(config),
      log,
      async onChange() {
        declareAll()
        await snapshots.reload()
      },
    })
    opened.defer(() => kept.close())
    return kept
  }

  /** Ask every connection again what it offers. */
  async function again(): Promise<void> {
    const all = rows.organizations().flatMap(({ connections }) => connections)
    await Promise.all(
      all.map(({ organization_id: organization, id }) => offers.syncNow(organization, id).catch(() => undefined)),
    )
  }

  return {
    async listen(patience = 0) {
      const port = await listenOn(server, config.TOOLWAY_PORT, config.TOOLWAY_HOST)
      if (patience > 0) await Promise.race([catalogs.tried(), sleep(patience, undefined, { ref: false })])
      health.started = true
      return port
    },
    retire() {
      health.draining = true
    },
    async close() {
      health.draining = true
      drain.abort()
      open.close()
      admission.calls.connectFirst.close()
      catalogs.close()
      healthy.close()
      snapshots.close()
      await owned.disposeAsync()
    },
  }
}
