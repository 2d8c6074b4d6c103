/**
 * Every part built once, in order, by hand. Read it to see what there is and who knows whom.
 *
 * It decides nothing and holds no flow of its own: what is here is construction, and the handing of one part to another. Each
 * stage is a file of `compose/`; what a stage needs that is only built after it is handed to it as a function, `() => part`.
 */
import { createRunning, type Gateway } from './compose/running.ts'
import { fileURLToPath } from 'node:url'
import { randomUUID } from 'node:crypto'
import type { Store } from './base/open-store.ts'
import { createLookClaims, startCatalogs, type Catalogs, createContacts } from './features/catalog/index.ts'
import { createAuditLog } from './call/audit-entry.ts'
import { createChanges } from './catalog/changes.ts'
import { composeApprovals, composeApprovalsDoor } from './compose/approvals.ts'
import { composeAdmission, type Admission } from './compose/admission.ts'
import { composeCredentials, type Credentials } from './compose/credentials.ts'
import { composeConnect } from './compose/connect.ts'
import { createPlatformOperations } from './operations/platform-operations.ts'
import {
  adminPartsOf,
  composeAdmin,
  composeEventSocket,
  type ComposeAdminParts,
  composeMcpDoors,
} from './compose/doors.ts'
import { composeEvents, type Events } from './compose/events.ts'
import type { BaseWithDatabase } from './base/base.ts'
import { refuseNoPlace } from './compose/external-principals.ts'
import { composeFiles } from './compose/files.ts'
import { composeGateway } from './compose/gateways.ts'
import { OPERATIONS } from './compose/operations.ts'
import { composeOutgoing } from './compose/outgoing.ts'
import { composeIdentity } from './compose/identity.ts'
import { installationOf, intakeOf, openRedis, startLimits } from './limits/start-limits.ts'
import { addressOn } from './http/listeners.ts'
import { createChangesElsewhere } from './operations/changes-elsewhere.ts'
import { hearDatabaseNotifications } from './compose/database-notifications.ts'
import { composeOAuth } from './compose/oauth.ts'
import { composePages, composePeople } from './compose/people.ts'
import type { ProcessPlace } from './lib/process-place.ts'
import { createConsoleDoor } from './http/console/console-door.ts'
import { createDocsDoor } from './http/docs/docs-door.ts'
import { openDocs } from './http/docs/docs-site.ts'
import { readSite } from './http/console/site.ts'
import { composeRecords } from './compose/records.ts'
import { composeResults } from './compose/results.ts'
import { composePageReads, composeSessions, composeSharedStreams } from './compose/sessions.ts'
import { startSecretReferences } from './snapshot/secret-references.ts'
import { composeSnapshots, type Snapshots } from './compose/snapshots.ts'
import { startTelemetry } from './base/start-telemetry.ts'
import { VERSION } from './call/introduce.ts'
import { createKnownAttributes } from './call/trace-attributes.ts'
import { startUpstreams } from './upstreams/start-upstreams.ts'
import { appsOf, isAlone, type Config, type LoadedConfig } from './config.ts'
import { createClients } from './http/client-address.ts'
import { createReadiness, type Health } from './http/health.ts'
import { createConnectionRegistry } from './http/persistent/connection-registry.ts'
import { createDoors } from './http/doors.ts'
import { createChallenge } from './http/oauth/challenge.ts'
import { createWebSession } from './http/sign-in/web-session.ts'
import type { Log } from './lib/log.ts'
import type { CallIntake } from './limits/call-intake.ts'
import { createConnectLinks } from './oauth/outgoing/flows/connect-links.ts'
import { createGlobalApps } from './oauth/outgoing/vendors/global-apps.ts'
import { createServeMetrics } from './telemetry/serve-metrics.ts'
import { identifyAnywhere, recalls } from './identity/recalls.ts'
import { createCounters } from './telemetry/counters.ts'
import { createLogTail, type LogTail } from './telemetry/log-tail.ts'
import { createChildWords } from './upstreams/children/child-words.ts'
import { proofOf } from './vault/identity-proof.ts'

/** Where a build puts the console. */
const SITE = fileURLToPath(new URL('../../console/dist/site', import.meta.url))
const DOCS = fileURLToPath(new URL('../../../docs/.vitepress/docs-site', import.meta.url))

export interface ComposeParts {
  readonly config: Config
  /** Where each setting comes from, for who may see them. */
  readonly origins?: LoadedConfig['origins'] | undefined
  readonly store: Pick<Store, 'db' | 'vault'> & Partial<Pick<Store, 'reloadVault'>>
  readonly log: Log
  /** Where the line of each call goes, as JSON. */
  readonly logLine: (json: string) => void
  /** The last lines of the log, where they are kept. */
  readonly tail?: Pick<LogTail, 'recent' | 'follow'>
  readonly path: string
  readonly lang: string | undefined
  /** Reads a variable that a reference to a secret names. */
  readonly lookup?: ((name: string) => string | undefined) | undefined
  /** Where it is one of several processes that serve one port. */
  readonly place?: ProcessPlace | undefined
}

export async function compose(parts: ComposeParts): Promise<Gateway> {
  const { config, store, log } = parts
  const health: Health = { started: false, draining: false }
  const drain = new AbortController()
  let local = addressOn(config.TOOLWAY_HOST, config.TOOLWAY_PORT)
  // Resources are closed in the opposite order of their opening: when the gateway closes, and when a later step of this fails.
  await using opened = new AsyncDisposableStack()

  const room = createConnectionRegistry()
  const intake = intakeOf(config, (reason) => counters.shed(reason))
  const counters = createCounters({
    tools: config.TOOLWAY_METRICS_TOOLS,
    inFlight: () => faces.calls.size,
    waitingCalls: () => intake.waiting,
    callBytes: () => intake.bytes,
    processes: () => core.upstreams.runningProcesses,
    openCircuits: () => core.upstreams.openCircuits,
    databaseReachable: () => store.db.presence.awayFor() === 0,
    sessions: () => core.sessions.size,
    channels: () => room.size,
    upstreamSessions: () => core.upstreams.sessions,
    waitingRecords: () => core.records.waiting,
  })
  const telemetry = await startTelemetry({ config, log, counters, opened, version: VERSION, tail: parts.tail })
  const base: BaseWithDatabase = { config, db: store.db, vault: store.vault, log, counters, telemetry, opened }
  const publicUrl = () => config.TOOLWAY_PUBLIC_URL?.replace(/\/$/, '') ?? local
  const core = await composeCore(base, parts, publicUrl)
  const faces = await composeFaces(base, {
    ...parts,
    core,
    room,
    intake,
    health,
    drain,
    publicUrl,
    local: () => local,
  })
  const { clients, limits, offers, admission, approving, snapshots } = core
  return createRunning(base, {
    ...faces,
    ...{ clients, limits, intake, isOneOfMany: parts.place !== undefined },
    health,
    offers,
    admission,
    drain,
    opened,
    onListening(port) {
      local = addressOn(config.TOOLWAY_HOST, port)
      store.db.presence.serve()
    },
    stops: [approving, offers.catalogs, offers.healthy, snapshots],
  })
}

/** Everything behind the doors: records, limits, upstreams, callers, snapshots and the call itself. */
async function composeCore(core: BaseWithDatabase, parts: ComposeParts, publicUrl: () => string) {
  const { config, db, vault, log } = core
  const { store, path, lang, origins } = parts

  // Records and rate limits.
  const recording = composeRecords(core)
  const { records, refusals, checkpoints, payloads, recordsProblem } = recording
  db.presence.watch()
  const auditLog = auditLogOf(core, parts, recording)
  const limits = await startLimits(core, {
    redis: await openRedis(core),
    db: isAlone(config) ? undefined : db,
    onRefuse: core.counters.limit,
  })
  const clients = createClients(config.TOOLWAY_TRUSTED_PROXIES)
  const files = await composeFiles(core, clients)

  // The other ends, the sessions of ours, and who is calling.
  const contacts = createContacts(core)
  const words = createChildWords()
  const upstreams = startUpstreams(core, {
    ...{ path, lang, origins, contacts, words, counters: core.counters },
    again: (id) => catalogs.again(id),
  })
  const { sessions, keepSessions } = composeSessions(core, upstreams, () => admission.calls)
  const sharedStreams = composeSharedStreams(core, keepSessions)
  const changes = createChanges()
  const callers = composeIdentity(core, { publicUrl, snapshots: () => snapshots, open: () => open })
  const { identity, accounts, ended } = callers

  // Snapshots of every organization, and the jobs that keep them current.
  const offers: Catalogs = startCatalogs(core, {
    upstreams,
    contacts,
    changes,
    snapshots: () => snapshots,
    claims: createLookClaims({ db, log }),
  })
  const { catalogs, healthy } = offers
  const outgoing = composeOutgoing(core)
  const globalApps = createGlobalApps(appsOf(config))
  const links = createConnectLinks({ vault, publicUrl, now: Date.now })
  const secrets = startSecretReferences(core, { lookup: parts.lookup, snapshots: () => snapshots })
  const credentials: Credentials = composeCredentials(core, {
    oauth: outgoing,
    reveal: secrets.reveal,
    links,
    accounts,
    snapshots: () => snapshots,
    global: globalApps.of,
    onKept: ({ connectionId }) => {
      if (connectionId !== undefined) catalogs.again(connectionId)
    },
  })
  const known: Snapshots = composeSnapshots(core, {
    references: secrets.ofConnections,
    ...{ upstreams, changes, catalogs, healthy },
    open: () => open,
    credentials: credentials.ownCredentials,
    keepsFiles: files !== undefined,
  })
  const { snapshots, rules } = known
  const approving = composeApprovals(core, {
    accounts,
    snapshots,
    credentials: credentials.callCredentials,
    publicUrl,
  })
  const platform = createPlatformOperations()
  const admission: Admission = composeAdmission(core, {
    identity,
    accounts,
    snapshots,
    limits,
    credentials: credentials.callCredentials,
    links,
    approvals: approving.approvals,
    operate: platform.run,
    files: files?.store,
    results: composeResults(core),
    pages: composePageReads(core, keepSessions),
  })
  const { open } = admission
  const events: Events = composeEvents(core, { accounts, snapshots, reveal: secrets.reveal })
  const feed = await hearDatabaseNotifications(core, {
    stream: streamOf(core),
    ...events,
    outboxOwner: records.owner,
    approvals: approving,
    pages: admission.calls.pages,
    ...{ upstreams, keepSessions, sharedStreams, identity, ended, open, snapshots },
    credentials: credentials.memory,
    reloadPeople: callers.reloadPeople,
    reloadRules: known.reloadRules,
    reloadVault: store.reloadVault,
  })
  await callers.loadPeople()
  await rules.load()
  await snapshots.reload()
  refuseNoPlace(config, snapshots.find)
  return {
    ...{ records, refusals, checkpoints, payloads, recordsProblem, auditLog, limits, clients, words, upstreams },
    ...{ sessions, keepSessions, sharedStreams, changes, callers, offers, outgoing, globalApps, links, credentials },
    ...{ snapshots, rules, approving, admission, told: events, files, secrets, feed, platform },
    ...composeGateway(core),
  }
}

/** The stream of changes, where gateways hear of them through Redis. */
const streamOf = ({ config, vault }: BaseWithDatabase) =>
  config.TOOLWAY_CHANGES === 'redis' && config.REDIS_URL !== undefined
    ? { url: config.REDIS_URL, prefix: `toolway:${installationOf(vault)}` }
    : undefined

const auditLogOf = (
  { log, counters, telemetry }: BaseWithDatabase,
  { logLine }: ComposeParts,
  { records, refusals, keepPayload }: ReturnType<typeof composeRecords>,
) =>
  createAuditLog({
    log,
    logLine,
    count: counters.call,
    countTool: counters.tool,
    refuse: counters.refuse,
    shadow: counters.shadow,
    intend: records.intend.bind(records),
    write: records.write.bind(records),
    ...(keepPayload === undefined ? {} : { keepPayload }),
    refuseStranger: refusals.take,
    traces: telemetry && { ...telemetry, known: createKnownAttributes() },
  })

type Core = Awaited<ReturnType<typeof composeCore>>

interface FacesParts extends ComposeParts {
  readonly core: Core
  readonly room: ReturnType<typeof createConnectionRegistry>
  readonly intake: CallIntake
  readonly health: Health
  readonly drain: AbortController
  readonly publicUrl: () => string
  readonly local: () => string
}

/** The doors: every HTTP handler. */
async function composeFaces(base: BaseWithDatabase, parts: FacesParts) {
  const { config, vault, log, counters } = base
  const { core, origins, tail = createLogTail(), room, health, drain, publicUrl } = parts
  const { callers, snapshots, approving, admission, credentials, told, limits, clients, sessions } = core
  const { identity, accounts, accessTokens, ended, endpoints } = callers
  const { open } = admission
  const web = createWebSession({ identify: identity.identify, vault, publicUrl })
  const people = composePeople(base, { accessTokens, ended, accounts, snapshots, publicUrl })
  const shared = { open, sessions, clients, limits, draining: drain.signal }
  const mcpDoors = composeMcpDoors(base, {
    ...shared,
    admit: admission.admit,
    parts: admission.calls,
    brought: callers.brought,
    keepSessions: core.keepSessions,
    changes: core.changes,
    remoteStreams: core.sharedStreams?.remote,
    place: parts.place,
    auditLog: core.auditLog,
    ...{ room, intake: parts.intake },
    challenge: createChallenge(endpoints),
    seen: told.seen,
    browsers: { web, publicUrl },
  })
  const oauth = composeOAuth(base, {
    endpoints,
    accounts,
    keys: callers.signingKeys,
    lifetimes: callers.lives,
    web,
    clients,
    snapshots,
  })
  const connect = composeConnect(base, {
    oauth: core.outgoing,
    reveal: core.secrets.reveal,
    globalApps: core.globalApps,
    keeping: credentials.keeping,
    links: core.links,
    ...{ snapshots, accounts, identity, web, clients, limits, publicUrl },
  })
  const administration: ComposeAdminParts = {
    ...shared,
    origins,
    stand: admission.stand,
    calls: admission.calls,
    connect: connect.admin,
    approvals: approving.admin,
    publicUrl,
    reveal: core.secrets.reveal,
    proxyUrl: config.TOOLWAY_ROLES.includes('mcp') ? parts.local : publicUrl,
    ...{ identity, accounts, people, web, snapshots },
    rules: core.rules,
    sync: core.offers.syncNow,
    checkpoints: core.checkpoints,
    payloads: core.payloads,
    ...{ credentials: credentials.admin, files: core.files?.admin },
    refusals: { write: (entry) => core.records.write(entry), refuseStranger: core.refusals.take },
    upstreams: core.upstreams,
    logs: tail,
    inForce: createChangesElsewhere({ place: parts.place, log, caughtUp: core.feed.caughtUp }),
    ...{ gateway: core.gateway, lastFigures: core.lastFigures, lastGateways: core.lastGateways, words: core.words },
    ...told,
  }
  const adminParts = adminPartsOf(base, administration)
  core.platform.serve({ operations: OPERATIONS, parts: adminParts })
  const admin = composeAdmin(base, administration, adminParts)
  const doors = createDoors({
    ...mcpDoors,
    roles: config.TOOLWAY_ROLES,
    eventSocket: composeEventSocket({ ...shared, ...told, identity, accounts, web, snapshots, publicUrl }),
    ...{ files: core.files?.door, oauth },
    connect: connect.door,
    approvals: composeApprovalsDoor(base, {
      composed: approving,
      accounts,
      snapshots,
      limits,
      clients,
      web,
      publicUrl,
    }),
    admin,
    pages: composePages(base, { people, web, clients, publicUrl }),
    console: createConsoleDoor(await readSite(SITE)),
    docs: createDocsDoor(await openDocs(DOCS)),
    health,
    identify: (authorization) => identifyAnywhere(identity, authorization),
    recalls: (authorization) => recalls(identity, authorization),
    prove: (challenge, place) => proofOf(vault, challenge, place),
    readiness: readinessOf(base, core, health),
    metrics: createServeMetrics(config, counters, parts.place),
    newCorrelationId: randomUUID,
    log,
  })
  return { doors, calls: mcpDoors.calls }
}

const readinessOf = ({ config, db }: BaseWithDatabase, { limits, recordsProblem, feed }: Core, health: Health) =>
  createReadiness({
    health,
    store: {
      known: () => db.presence.known(),
      awayFor: () => db.presence.awayFor(),
      grace: config.TOOLWAY_DATABASE_GRACE_SECONDS * 1000,
    },
    limits: () => limits.state,
    state: config.REDIS_URL === undefined ? 'database' : 'database and redis',
    records: recordsProblem,
    changes: config.TOOLWAY_CHANGES === 'redis' ? feed.state : undefined,
  })
