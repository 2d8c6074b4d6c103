/**
 * Every part built once, in order, by hand. Read it to see what there is and who knows whom.
 *
 * It decides nothing and holds no flow of its own: what is here is construction, and the handing of one part to another. Each
 * stage is a file of `compose/`; what a stage needs that is only built after it is handed to it as a function, `() => part`.
 */
import { fileURLToPath } from 'node:url'
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Fault } from '@toolway/contract'
import type { Store } from './admin/installation/open-store.ts'
import { createLookClaims } from './jobs/look-claims.ts'
import { createAuditLog } from './call/audit-entry.ts'
import { createChanges } from './catalog/changes.ts'
import { composeApprovals, composeApprovalsDoor } from './compose/approvals.ts'
import { composeAdmission, type Admission } from './compose/admission.ts'
import { composeCatalogs, type Catalogs } from './compose/catalogs.ts'
import { composeCredentials, type Credentials } from './compose/credentials.ts'
import { composeConnect } from './compose/connect.ts'
import { composeAdmin, composeEventSocket, composeMcpDoors } from './compose/doors.ts'
import { composeEvents, type Events } from './compose/events.ts'
import type { CoreDependencies } from './compose/core-dependencies.ts'
import { refuseNoPlace } from './compose/external-principals.ts'
import { composeIdentity } from './compose/identity.ts'
import { composeLimits } from './compose/limits.ts'
import { addressOn, listenOn } from './compose/listening.ts'
import { hearDatabaseNotifications } from './compose/database-notifications.ts'
import { composeOAuth } from './compose/oauth.ts'
import { composePages, composePeople } from './compose/people.ts'
import { createConsoleDoor } from './http/console/console-door.ts'
import { readSite } from './http/console/site.ts'
import { composeRecords } from './compose/records.ts'
import { composeResults } from './compose/results.ts'
import { composeSessions } from './compose/sessions.ts'
import { composeSnapshots, type Snapshots } from './compose/snapshots.ts'
import { composeUpstreams, createContacts } from './compose/upstreams.ts'
import { appsOf, type Config, type LoadedConfig } from './config.ts'
import { createClients } from './http/client-address.ts'
import { createGuard } from './http/guard.ts'
import { createReadiness, type Health } from './http/health.ts'
import { createChannelRoom } from './http/lasting/channel-room.ts'
import { createDoors } from './http/doors.ts'
import { createServer } from './http/server.ts'
import { createChallenge } from './http/oauth/challenge.ts'
import { prepareEnd } from './http/server-end.ts'
import { createWebSession } from './http/sign-in/web-session.ts'
import type { Log } from './lib/log.ts'
import { createConnectLinks } from './oauth/outgoing/flows/connect-links.ts'
import { createOutgoingOAuth } from './oauth/outgoing/protocol/outgoing-oauth.ts'
import { createGlobalApps } from './oauth/outgoing/vendors/global-apps.ts'
import { waysOf } from './oauth/outgoing/vendors/ways.ts'
import { createCounters } from './telemetry/counters.ts'
import { createLogTail, type LogTail } from './telemetry/log-tail.ts'
import { createChildWords } from './upstreams/children/child-words.ts'
import { proofOf } from './vault/identity-proof.ts'

/** Where a build puts the console. */
const SITE = fileURLToPath(new URL('../../console/dist/site', import.meta.url))

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
}

export interface Gateway {
  /**
   * Listen; the port that was taken. It counts as started, and this resolves, once every connection has been asked what it
   * offers, or after `patience` ms: whoever calls then finds the tools.
   */
  listen(patience?: number): Promise<number>
  /** Readiness says no from now on; requests are served as before. */
  retire(): void
  /** Let what is under way finish, then end everything. */
  close(): Promise<void>
}

export async function compose(parts: ComposeParts): Promise<Gateway> {
  const { config, origins, store, log, logLine, tail = createLogTail(), path, lang } = parts
  const { db, vault } = store
  const health: Health = { started: false, draining: false }
  const drain = new AbortController()
  let local = addressOn(config.TOOLWAY_HOST, config.TOOLWAY_PORT)
  const publicUrl = () => config.TOOLWAY_PUBLIC_URL?.replace(/\/$/, '') ?? local
  // Resources are closed in the opposite order of their opening: when the gateway closes, and when a later step of this fails.
  await using opened = new AsyncDisposableStack()

  const room = createChannelRoom()
  const counters = createCounters({
    sessions: () => sessions.size,
    channels: () => room.size,
    upstreamSessions: () => upstreams.sessions,
    waitingRecords: () => records.waiting,
  })
  const core: CoreDependencies = { config, db, vault, log, counters, opened }

  // Records and rate limits.
  const { records, refusals, checkpoints, payloads, keepPayload, recordsProblem } = composeRecords(core)
  db.presence.watch()
  const auditLog = createAuditLog({
    log,
    logLine,
    count: counters.call,
    refuse: counters.refuse,
    shadow: counters.shadow,
    intend: (entry) => records.intend(entry),
    write: (entry, json, intent) => records.write(entry, json, intent),
    ...(keepPayload === undefined ? {} : { keepPayload }),
    refuseStranger: refusals.take,
  })
  const limits = await composeLimits(core)
  const clients = createClients(config.TOOLWAY_TRUSTED_PROXIES)

  // The other ends, the sessions of ours, and who is calling.
  const contacts = createContacts(core)
  const words = createChildWords()
  const upstreams = composeUpstreams(core, { path, lang, catalogs: () => catalogs, contacts, words })
  const { sessions, keepSessions } = composeSessions(core, upstreams, () => admission.calls)
  const changes = createChanges()
  const callers = composeIdentity(core, { publicUrl, snapshots: () => snapshots, open: () => open })
  const { identity, accounts, accessTokens, ended, endpoints } = callers

  // Snapshots of every organization, and the jobs that keep them current.
  const offers: Catalogs = composeCatalogs(core, {
    upstreams,
    contacts,
    changes,
    snapshots: () => snapshots,
    claims: createLookClaims({ db, log }),
  })
  const { catalogs, healthy } = offers
  const outgoing = createOutgoingOAuth({ now: Date.now, ways: waysOf })
  const globalApps = createGlobalApps(appsOf(config))
  const links = createConnectLinks({ vault, publicUrl, now: Date.now })
  const credentials: Credentials = composeCredentials(core, {
    oauth: outgoing,
    links,
    snapshots: () => snapshots,
    global: globalApps.of,
    onKept: ({ connectionId }) => {
      if (connectionId !== undefined) catalogs.again(connectionId)
    },
  })
  const known: Snapshots = composeSnapshots(core, {
    upstreams,
    changes,
    catalogs,
    healthy,
    open: () => open,
    credentials: credentials.ownCredentials,
  })
  const { snapshots, rules } = known
  const approving = composeApprovals(core, {
    accounts,
    snapshots,
    credentials: credentials.callCredentials,
    publicUrl,
  })
  const admission: Admission = composeAdmission(core, {
    identity,
    accounts,
    snapshots,
    limits,
    credentials: credentials.callCredentials,
    links,
    approvals: approving.approvals,
    results: composeResults(core),
  })
  const { admit, open } = admission
  const told: Events = composeEvents(core, { accounts, snapshots })
  await hearDatabaseNotifications(core, {
    ...told,
    outboxOwner: records.owner,
    approvals: approving,
    upstreams,
    keepSessions,
    identity,
    ended,
    open,
    snapshots,
    credentials: credentials.memory,
    reloadPeople: callers.reloadPeople,
    reloadRules: known.reloadRules,
    reloadVault: store.reloadVault,
  })
  await callers.loadPeople()
  await rules.load()
  await snapshots.reload()
  refuseNoPlace(config, snapshots.find)

  // The doors, and the server in front of them.
  const web = createWebSession({ identify: identity.identify, vault, publicUrl })
  const people = composePeople(core, { accessTokens, ended, accounts, snapshots, publicUrl })
  const shared = { open, sessions, clients, limits, draining: drain.signal }
  const mcpDoors = composeMcpDoors(core, {
    ...shared,
    admit,
    parts: admission.calls,
    brought: callers.brought,
    keepSessions,
    changes,
    auditLog,
    room,
    challenge: createChallenge(endpoints),
    seen: told.seen,
    browsers: { web, publicUrl },
  })
  const oauth = composeOAuth(core, {
    endpoints,
    accounts,
    keys: callers.signingKeys,
    lifetimes: callers.lives,
    web,
    clients,
    snapshots,
  })
  const connect = composeConnect(core, {
    oauth: outgoing,
    globalApps,
    keeping: credentials.keeping,
    links,
    snapshots,
    accounts,
    identity,
    web,
    clients,
    publicUrl,
  })
  const admin = composeAdmin(core, {
    ...shared,
    origins,
    stand: admission.stand,
    calls: admission.calls,
    connect: connect.admin,
    approvals: approving.admin,
    publicUrl,
    identity,
    accounts,
    people,
    web,
    snapshots,
    rules,
    sync: offers.syncNow,
    checkpoints,
    payloads,
    credentials: credentials.admin,
    refusals: { write: (entry) => records.write(entry), refuseStranger: refusals.take },
    upstreams,
    logs: tail,
    words,
    ...told,
  })
  const doors = createDoors({
    ...mcpDoors,
    eventSocket: composeEventSocket({ ...shared, ...told, identity, accounts, web, snapshots, publicUrl }),
    oauth,
    connect: connect.door,
    approvals: composeApprovalsDoor(core, {
      composed: approving,
      accounts,
      snapshots,
      limits,
      clients,
      web,
      publicUrl,
    }),
    admin,
    pages: composePages(core, { people, web, clients, publicUrl }),
    console: createConsoleDoor(await readSite(SITE)),
    health,
    async identify(authorization) {
      const { endpoint } = await identity.identify(authorization)
      // A token for one MCP endpoint is good there and nowhere else.
      if (endpoint !== undefined) throw new Fault('token.unknown')
    },
    prove: (challenge, place) => proofOf(vault, challenge, place),
    readiness: createReadiness({
      health,
      store: { ...db.presence, grace: config.TOOLWAY_DATABASE_GRACE_SECONDS * 1000 },
      limits: () => limits.state,
      state: config.REDIS_URL === undefined ? 'database' : 'database and redis',
      records: recordsProblem,
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

  return {
    async listen(patience = 0) {
      const port = await listenOn(server, config.TOOLWAY_PORT, config.TOOLWAY_HOST)
      local = addressOn(config.TOOLWAY_HOST, port)
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
      // Nothing new begins while what is under way ends; ended once more with the rest, these do nothing.
      open.close()
      admission.calls.connectFirst.close()
      approving.close()
      catalogs.close()
      healthy.close()
      snapshots.close()
      // Each of the rest, also when one of them fails.
      await owned.disposeAsync()
    },
  }
}
