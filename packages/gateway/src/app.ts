/**
 * The gateway: every part built once, in order. Read it to see what there is and who knows whom.
 *
 * It decides nothing and holds no flow of its own: each feature starts what is its own, and here one is handed to another. What is only
 * built later is handed over as a function, `() => part`.
 */
import { randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import type { UserId } from '@toolway/contract'
import type { BaseWithDatabase } from './base/base.ts'
import type { Store } from './base/open-store.ts'
import { createListPreview } from './call/list-preview.ts'
import { startCalls, stopsOf, type Calls } from './app/admission.ts'
import { hearDatabaseNotifications } from './app/database-notifications.ts'
import { createInstallation } from './app/installation.ts'
import { operationPartsOf } from './app/operation-parts.ts'
import { OPERATIONS, type OperationParts } from './app/operations.ts'
import { startProcess, type ProcessParts } from './app/process.ts'
import { createRunning, type Gateway } from './http/running.ts'
import { isAlone, type LoadedConfig } from './config.ts'
import { startAgent } from './features/agent/index.ts'
import { startAuthorization } from './features/authorization/index.ts'
import { startClientsSeen } from './features/clients-seen/index.ts'
import { startEvents } from './features/events/index.ts'
import { startFiles } from './features/files/index.ts'
import { refuseNoPlace } from './features/keys/index.ts'
import { startRecordStreams } from './features/record-streams/index.ts'
import { startRecords } from './features/records/index.ts'
import { pageReadsOf, runtimeOf, startGateway, startSessions, startSharedStreams } from './features/runtime/index.ts'
import { startWebhooks } from './features/webhooks/index.ts'
import { createAdminDoor } from './http/admin/admin-door.ts'
import { createApprovalAddresses } from './http/approvals/approval-addresses.ts'
import { createConnectAddresses } from './http/connect/connect-addresses.ts'
import { createVisitors } from './http/connect/visitor.ts'
import { createConsoleDoor } from './http/console/console-door.ts'
import { readSite } from './http/console/site.ts'
import { createDocsDoor } from './http/docs/docs-door.ts'
import { openDocs } from './http/docs/docs-site.ts'
import { createDoors } from './http/doors.ts'
import { createEventSocket } from './http/events/event-socket.ts'
import { createFilesDoor } from './http/files/files-door.ts'
import { createReadiness, type Health } from './http/health.ts'
import { addressOn } from './http/listeners.ts'
import { createMcpTransports } from './http/mcp-doors.ts'
import { createChallenge } from './http/oauth/challenge.ts'
import { createOAuth } from './http/oauth/oauth.ts'
import { createScimDoor } from './http/scim/scim-door.ts'
import { createSignInAddresses } from './http/sign-in/sign-in-addresses.ts'
import { identifyAnywhere, recalls } from './identity/recalls.ts'
import { findUser } from './identity/users.ts'
import type { ProcessPlace } from './lib/process-place.ts'
import { installationOf, openRedis, startLimits } from './limits/start-limits.ts'
import { createChangesElsewhere } from './operations/changes-elsewhere.ts'
import { createPlatformOperations } from './operations/platform-operations.ts'
import { startResults } from './results/start-results.ts'
import { refuseLeaver } from './snapshot/role.ts'
import { createLogTail } from './telemetry/log-tail.ts'
import { createServeMetrics } from './telemetry/serve-metrics.ts'
import { createChildWords } from './upstreams/children/child-words.ts'
import { proofOf } from './vault/identity-proof.ts'
import { keptResultSealContext } from './vault/sealed-columns.ts'

/** Where a build puts the console. */
const SITE = fileURLToPath(new URL('../../console/dist/site', import.meta.url))
const DOCS = fileURLToPath(new URL('../../../docs/.vitepress/docs-site', import.meta.url))

export interface AppParts extends ProcessParts {
  /** Where each setting comes from, for who may see them. */
  readonly origins?: LoadedConfig['origins'] | undefined
  readonly store: Pick<Store, 'db' | 'vault'> & Partial<Pick<Store, 'reloadVault'>>
  /** Where it is one of several processes that serve one port. */
  readonly place?: ProcessPlace | undefined
}

/** What is there before everything else, besides the base. */
interface Own extends AppParts, Omit<Awaited<ReturnType<typeof startProcess>>, 'base'> {
  /** Where clients reach it, and where this machine does. */
  readonly publicUrl: () => string
  readonly local: () => string
}

export async function createApp(parts: AppParts): Promise<Gateway> {
  const { config, store } = parts
  const { db, vault } = store
  let local = addressOn(config.TOOLWAY_HOST, config.TOOLWAY_PORT)
  // Resources are closed in the opposite order of their opening: when the gateway closes, and when a later step of this fails.
  await using opened = new AsyncDisposableStack()
  const process = await startProcess(parts, {
    ...{ vault, opened, databaseReachable: () => db.presence.awayFor() === 0 },
    live: () => ({ ...core, calls: faces.calls, waitingRecords: core.records.records.waiting }),
  })
  const base: BaseWithDatabase = { ...process.base, db }
  const publicUrl = () => config.TOOLWAY_PUBLIC_URL?.replace(/\/$/, '') ?? local
  const own: Own = { ...parts, ...process, publicUrl, local: () => local }
  const core = await startCore(base, own)
  const faces = await createFaces(base, own, core)
  const { limits, offers, admission, approvals, snapshots } = core
  return createRunning(base, {
    ...{ ...process, ...faces, limits, tried: offers.catalogs.tried },
    isOneOfMany: parts.place !== undefined,
    onListening(port) {
      local = addressOn(config.TOOLWAY_HOST, port)
      db.presence.serve()
    },
    stops: [...stopsOf(admission), approvals, offers.catalogs, offers.healthy, snapshots],
  })
}

type Core = Awaited<ReturnType<typeof startCore>>

/** Everything behind the doors: records, limits, organizations, sessions and the call itself. */
async function startCore(base: BaseWithDatabase, own: Own) {
  const { config, db, vault, log, counters, opened } = base
  const records = startRecords(base, own.logLine)
  db.presence.watch()
  const redis = await openRedis(base)
  const shared = isAlone(config) ? undefined : db
  const limits = await startLimits(base, { redis, db: shared, onRefuse: counters.limit })
  const files = await startFiles(base)
  const words = createChildWords()
  const installation = createInstallation(base, {
    ...own,
    gateway: { words, keepsFiles: files !== undefined, open: () => admission.open },
  })
  const { callers, upstreams, snapshots, rules, approvals, credentials, reveal } = installation
  const { identity, accounts, ended } = callers
  const { sessions, keepSessions } = startSessions(base, upstreams, () => admission.calls)
  const sharedStreams = startSharedStreams(base, keepSessions)
  const platform = createPlatformOperations()
  const admission: Calls = startCalls(base, {
    ...{ identity, accounts, snapshots, limits, links: installation.links, approvals: approvals.approvals },
    credentials: credentials.callCredentials,
    operate: platform.run,
    files: files?.store,
    results: startResults({
      ...{ db, log, opened, seconds: config.TOOLWAY_RESULTS_SECONDS },
      seal: (text, id) => vault.seal(text, keptResultSealContext(id)),
      open: (sealed, id) => vault.open(sealed, keptResultSealContext(id)),
    }),
    pages: pageReadsOf(base, keepSessions),
  })
  const events = startEvents(base, { accounts, snapshots })
  const webhooks = startWebhooks(base)
  const recordStreams = startRecordStreams(base, { reveal })
  const seen = startClientsSeen(base)
  const feed = await hearDatabaseNotifications(base, {
    ...{ stream: streamOf(base), events, ...webhooks, ...recordStreams, approvals, upstreams, keepSessions },
    ...{ sharedStreams, identity, ended, snapshots, open: admission.open, pages: admission.calls.pages },
    outboxOwner: records.records.owner,
    credentials: credentials.memory,
    reloadPeople: callers.reloadPeople,
    reloadRules: rules.reload,
    reloadVault: own.store.reloadVault,
  })
  await installation.load()
  refuseNoPlace(config, snapshots.find)
  return {
    ...{ ...installation, records, limits, files, words, sessions, keepSessions, sharedStreams, platform },
    ...{ admission, events, webhooks, recordStreams, seen, feed, gateway: startGateway(base) },
  }
}

/** The stream of changes, where gateways hear of them through Redis. */
const streamOf = ({ config, vault }: BaseWithDatabase) =>
  config.TOOLWAY_CHANGES === 'redis' && config.REDIS_URL !== undefined
    ? { url: config.REDIS_URL, prefix: `toolway:${installationOf(vault)}` }
    : undefined

/** The doors: every HTTP handler. */
async function createFaces(base: BaseWithDatabase, own: Own, core: Core) {
  const { config, db, vault, log, counters } = base
  const { streamQuota, intake, health, drain, clients, publicUrl, place } = own
  const { callers, snapshots, admission, limits, sessions, web, people, providers, records, events, changes } = core
  const { identity, accounts, endpoints, readPassThroughToken } = callers
  const { open } = admission
  const newCorrelationId = randomUUID
  const shared = { open, sessions, clients, limits, draining: drain.signal, web, publicUrl, accounts, snapshots }
  const mcpDoors = createMcpTransports(base, {
    ...{
      ...shared,
      readPassThroughToken,
      changes,
      streamQuota,
      intake,
      place,
      seen: core.seen,
      keepSessions: core.keepSessions,
    },
    admit: admission.admit,
    parts: admission.calls,
    remoteStreams: core.sharedStreams?.remote,
    auditLog: records.auditLog,
    challenge: createChallenge(endpoints),
    browsers: { web, publicUrl },
    stands: ({ principal, organizationId: id }) => refuseLeaver(accounts, principal, snapshots.find({ id })?.members),
  })
  startAuthorization(base)
  const oauth = createOAuth({
    ...{ db, vault, endpoints, accounts, web, clients, log, onRenew: counters.renew },
    keys: callers.signingKeys,
    lifetimes: callers.lives,
    loopbackDocuments: config.TOOLWAY_LOOPBACK_CLIENTS === 'on',
    findOrganization: snapshots.find,
    allOrganizations: snapshots.all,
  })
  const emailOf = (id: UserId) => db.system(async (sql) => (await findUser(sql, id))?.email)
  const prefix = () => new URL(publicUrl()).pathname.replace(/\/$/, '')
  const isOpen = config.TOOLWAY_AUTH === 'off'
  const visitors = createVisitors({ web, vault, isOpen, emailOf, clients, newCorrelationId, prefix })
  const pages = { ...shared, db, vault, visitors, prefix, all: snapshots.all, approvals: core.approvals.admin }
  const callerParts = { identify: identity.identify, web, publicUrl }
  const parts = partsOf(base, own, core)
  core.platform.serve({ operations: OPERATIONS, parts })
  const doors = createDoors({
    ...mcpDoors,
    roles: config.TOOLWAY_ROLES,
    eventSocket: createEventSocket({
      ...{ ...shared, ...callerParts, events },
      places: { accounts, snapshots: { find: snapshots.findAny, all: snapshots.all } },
    }),
    files: core.files && createFilesDoor({ transfers: core.files.transfers, clients, log, newCorrelationId }),
    scim: createScimDoor({
      ...{ db, vault, snapshots, accounts, limits, clients, log, publicUrl, newCorrelationId },
      untilApplied: parts.untilApplied,
      credentials: core.credentials.admin,
    }),
    oauth,
    connect: createConnectAddresses(base, { ...pages, connect: core.connect }),
    approvals: createApprovalAddresses(pages),
    admin: createAdminDoor({
      ...{ ...callerParts, operations: OPERATIONS, parts, log, clients, limits, newCorrelationId },
      streams: { watch: open.watch, draining: drain.signal },
      refusals: { write: (entry) => records.records.write(entry), refuseStranger: records.refusals.take },
      bodyLimit: config.TOOLWAY_BODY_LIMIT,
    }),
    pages: createSignInAddresses(base, { people, providers, web, clients, publicUrl }),
    console: createConsoleDoor(await readSite(SITE)),
    docs: createDocsDoor(await openDocs(DOCS)),
    health,
    identify: (authorization) => identifyAnywhere(identity, authorization),
    recalls: (authorization) => recalls(identity, authorization),
    prove: (challenge, at) => proofOf(vault, challenge, at),
    readiness: readinessOf(base, core, health),
    metrics: createServeMetrics(config, counters, place),
    ...{ newCorrelationId, log },
  })
  return { doors, calls: mcpDoors.calls }
}

/** What operations of the administration work with. */
function partsOf(base: BaseWithDatabase, own: Own, core: Core): OperationParts {
  const { config, log } = base
  const { place, publicUrl, drain, origins, tail = createLogTail() } = own
  const { upstreams, sessions, words, records, reveal, admission } = core
  const proxyUrl = config.TOOLWAY_ROLES.includes('mcp') ? own.local : publicUrl
  return {
    ...operationPartsOf(base, core),
    ...{ publicUrl, events: core.events, files: core.files?.admin },
    ...{ checkpoints: records.checkpoints, payloads: records.payloads },
    sendWebhook: core.webhooks.sendWebhook,
    sendBatch: core.recordStreams.sendBatch,
    untilApplied: createChangesElsewhere({ place, log, caughtUp: core.feed.caughtUp }),
    previewList: createListPreview({ stand: admission.stand, parts: admission.calls }),
    agent: startAgent(base, { upstreams, reveal, proxyUrl, draining: drain.signal }),
    runtime: runtimeOf(config, origins, { ...core.gateway, upstreams, sessions, words, logs: tail }),
  }
}

const readinessOf = ({ config, db }: BaseWithDatabase, { limits, records, feed }: Core, health: Health) =>
  createReadiness({
    health,
    store: {
      known: () => db.presence.known(),
      awayFor: () => db.presence.awayFor(),
      grace: config.TOOLWAY_DATABASE_GRACE_SECONDS * 1000,
    },
    limits: () => limits.state,
    state: config.REDIS_URL === undefined ? 'database' : 'database and redis',
    records: records.recordsProblem,
    changes: config.TOOLWAY_CHANGES === 'redis' ? feed.state : undefined,
  })
