/**
 * Every part built once, in order, by hand. Read it to see what there is and who knows whom.
 *
 * It decides nothing and holds no flow of its own: what is here is construction, and the handing of one part to another.
 */
import { randomUUID } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Server } from 'node:http'
import { Fault, type ConnectionId, type FamilyId, type OrganizationId } from '@toolway/contract'
import { createPasswordFits } from './admin/fresh-sign-in.ts'
import { createTakeOver } from './admin/old-keys.ts'
import { OPERATIONS } from './admin/operations.ts'
import { createEnrolment } from './admin/people/enrolment.ts'
import { createSignIn, type SignInParts } from './admin/people/sign-in.ts'
import { createAdmit } from './call/admit.ts'
import { watchAgain } from './call/read-resource.ts'
import { createEntrance } from './call/enter.ts'
import { createBoundStates } from './call/bound-states.ts'
import { createListeners } from './call/listening/listeners.ts'
import { createOnBehalf } from './call/on-behalf.ts'
import { createParkedCalls } from './call/parked-calls.ts'
import { createSnapshot, versionOf, type Snapshot } from './call/snapshot.ts'
import { createTaskBook } from './call/tasks/task-book.ts'
import { createTrails } from './call/trail.ts'
import { listCatalogs, markStale, storeCatalog } from './catalog/catalogs.ts'
import { createChanges } from './catalog/changes.ts'
import { composeGuests, refuseNoPlace } from './compose-guests.ts'
import { providerOf, tokenLives, type Config } from './config.ts'
import { shownSettings } from './config-shown.ts'
import { listConnections, noteContact } from './connections/connections.ts'
import { listToolStates } from './connections/tool-states.ts'
import { DatabaseUnreachable } from './db/db.ts'
import { createChannelRoom } from './http/lasting/channel-room.ts'
import { addressOf } from './http/addresses.ts'
import { createAdminDoor } from './http/admin-door.ts'
import { createChallenge } from './http/challenge.ts'
import { createClients } from './http/client-address.ts'
import { createGuard } from './http/guard.ts'
import { createReadiness, type Health } from './http/health.ts'
import { createMcpDoor } from './http/mcp-door.ts'
import { createOAuth } from './http/oauth.ts'
import { createOpenStreams } from './http/open-streams.ts'
import { createServer } from './http/server.ts'
import { prepareEnd } from './http/server-end.ts'
import { createSignInDoor } from './http/sign-in-door.ts'
import { createProviderDoor } from './http/provider-door.ts'
import { createSseDoor } from './http/lasting/sse-door.ts'
import { createWebSocketDoor } from './http/lasting/websocket-door.ts'
import { createWebSession } from './http/web-session.ts'
import { createAccounts, listAccounts, type Accounts } from './identity/accounts.ts'
import { findKey, noteUses } from './identity/keys.ts'
import { createSlowHashes } from './identity/slow-keys.ts'
import { createAccessTokens } from './identity/access-tokens.ts'
import { createAttempts } from './identity/attempts.ts'
import { createEndedSignIns } from './identity/ended-sign-ins.ts'
import { createIdentity } from './identity/identify.ts'
import { createIdentityProvider } from './identity/identity-provider.ts'
import { createPasswords } from './identity/passwords.ts'
import { principalOfToken } from './identity/principal.ts'
import { listEnded } from './identity/sign-ins.ts'
import { spendState } from './identity/spent-states.ts'
import { findUser } from './identity/users.ts'
import { removeExpiredClients } from './identity/oauth-clients.ts'
import { removeOldGrants } from './identity/oauth-grants.ts'
import { removeExpiredTokens } from './identity/oauth-tokens.ts'
import { createCleanOAuth } from './jobs/clean-oauth.ts'
import { createKeepCatalogs } from './jobs/keep-catalogs.ts'
import { createKeepCheckpoints } from './jobs/keep-checkpoints.ts'
import { createKeepHealthy, type Watched } from './jobs/keep-healthy.ts'
import { createKeepSnapshots, type KeepSnapshots } from './jobs/keep-snapshots.ts'
import { createKeepSessions } from './jobs/keep-sessions.ts'
import { createKeepUses } from './jobs/keep-uses.ts'
import { createTellChanges } from './jobs/tell-changes.ts'
import { createSyncCatalog, type Offer } from './jobs/sync-catalog.ts'
import { createSyncNow } from './jobs/sync-now.ts'
import type { Log } from './lib/log.ts'
import { createLimits } from './limits/limits.ts'
import { createRedisCount } from './limits/redis-count.ts'
import { listRoles } from './organizations/members.ts'
import { DEFAULT_SLUG, listOrganizations } from './organizations/organizations.ts'
import { createEndpoints } from './oauth/endpoints.ts'
import { createRules, listRules } from './policy/rules.ts'
import { createRecordWriter } from './records/outbox/writer.ts'
import { storeRecords } from './records/records.ts'
import { createRefusals } from './records/refusals.ts'
import {
  findSession,
  removeIdleSessions,
  removeSessions,
  storeSessions,
  touchSessions,
} from './sessions/kept-sessions.ts'
import { createSessions } from './sessions/sessions.ts'
import { createCounters } from './telemetry/counters.ts'
import { createLogTail, type LogTail } from './telemetry/log-tail.ts'
import { listToolsets } from './toolsets/toolsets.ts'
import { createChildren } from './upstreams/children/worker-link.ts'
import { createGuardedFetch } from './upstreams/http/guarded-fetch.ts'
import { createUpstreams } from './upstreams/upstreams.ts'
import { proofOf } from './vault/identity-proof.ts'
import { createVaultReload } from './vault/reload.ts'
import type { Store } from './admin/open-store.ts'

export interface ComposeParts {
  readonly config: Config
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
  /** Let what is under way finish, then end everything. */
  close(): Promise<void>
}

const CHANNEL = 'toolway_changed'
/** How long calls may go on once the gateway has been told to end. */
const DRAIN_MS = 10_000

export async function compose({
  config,
  store,
  log,
  logLine,
  tail = createLogTail(),
  path,
  lang,
}: ComposeParts): Promise<Gateway> {
  const { db, vault } = store
  const health: Health = { started: false, draining: false }
  const drain = new AbortController()
  // What is opened is ended in the opposite order: when the gateway closes, and when a later step of this fails.
  await using opened = new AsyncDisposableStack()

  const room = createChannelRoom()
  const counters = createCounters({
    sessions: () => sessions.size,
    channels: () => room.size,
    upstreamSessions: () => upstreams.sessions,
    waitingRecords: () => records.waiting,
  })
  const records = createRecordWriter({
    directory: join(config.TOOLWAY_DATA, 'outbox'),
    now: Date.now,
    store: (entries) => db.system((sql) => storeRecords(sql, entries)),
    log,
    onLoss: (count) => counters.loseRecords(count),
  })
  opened.defer(() => records.close())
  const refusals = createRefusals({ write: (entry) => records.write(entry), now: Date.now })
  opened.defer(() => refusals.close())
  const checkpoints = createKeepCheckpoints({
    db,
    vault,
    log,
    now: Date.now,
    minutes: config.TOOLWAY_CHECKPOINT_MINUTES,
    days: config.TOOLWAY_RECORDS_DAYS,
  })
  opened.defer(() => checkpoints.close())

  const redis =
    config.REDIS_URL === undefined
      ? undefined
      : createRedisCount({
          url: config.REDIS_URL,
          prefix: `toolway:${vault.hash('limits').toString('hex').slice(0, 16)}`,
          log,
        })
  opened.defer(() => redis?.close())
  await redis?.open()
  const limits = createLimits({
    rates: {
      address: config.TOOLWAY_LIMIT_ADDRESS,
      organization: config.TOOLWAY_LIMIT_ORGANIZATION,
      key: config.TOOLWAY_LIMIT_KEY,
      connection: config.TOOLWAY_LIMIT_CONNECTION,
    },
    now: () => performance.now(),
    shared: redis,
    onRefuse: counters.limit,
  })
  const clients = createClients(config.TOOLWAY_TRUSTED_PROXIES)

  const children = createChildren({
    log,
    home: join(config.TOOLWAY_DATA, 'children'),
    memoryLimit: config.TOOLWAY_CHILD_MEMORY * 1024 * 1024,
    path,
    ...(lang === undefined ? {} : { lang }),
  })
  opened.defer(() => children.close())
  const upstreams = createUpstreams({
    children,
    pools: config.TOOLWAY_POOL === 'on',
    onRevision: (connectionId, revision) => remember(connectionId, revision),
    onNoise: (alias, line) =>
      log.debug({ connection: alias, line: line.slice(0, 200) }, 'a line on stdout is no message'),
    onTurn: (connectionId, failure) => turn(connectionId, failure),
    onCrash: counters.crash,
  })
  opened.defer(() => upstreams.close())
  const sessions = createSessions({
    now: Date.now,
    mostOfOne: config.TOOLWAY_SESSIONS_PER_PRINCIPAL,
    onEnd(session, why) {
      upstreams.forgetSession(session.id)
      keepSessions.ended(session, why)
    },
    onChange: (session) => keepSessions.changed(session),
  })
  const keepSessions = createKeepSessions({
    now: Date.now,
    log,
    hash: (id) => vault.hash(`session ${id}`),
    sessions,
    store: (all) => db.system((sql) => storeSessions(sql, all)),
    touch: (seen) => db.system((sql) => touchSessions(sql, seen)),
    remove: (hashes) => db.system((sql) => removeSessions(sql, hashes)),
    removeIdle: (since) => db.system((sql) => removeIdleSessions(sql, since)),
    find: (organizationId, wanted) => db.organization(organizationId, (sql) => findSession(sql, wanted)),
    watchAgain,
    isAway: (thrown) => thrown instanceof DatabaseUnreachable,
  })
  opened.defer(() => sessions.close())
  opened.defer(() => keepSessions.close())
  const changes = createChanges()
  const trails = createTrails({
    now: () => new Date(),
    log,
    logLine,
    count: counters.call,
    refuse: counters.refuse,
    intend: records.intend,
    write: records.write,
    refuseStranger: refusals.take,
  })
  const publicUrl = () => config.TOOLWAY_PUBLIC_URL?.replace(/\/$/, '') ?? local
  let local = addressOn(config.TOOLWAY_HOST, config.TOOLWAY_PORT)
  const lives = tokenLives(config)
  const signingKeys = () => vault.signingKeys('access tokens')
  const endpoints = createEndpoints({
    base: publicUrl,
    settled: config.TOOLWAY_PUBLIC_URL !== undefined,
    placeOf: (path) => addressOf(path)?.place,
  })
  const accessTokens = createAccessTokens({
    issuer: publicUrl,
    get keys() {
      return signingKeys()
    },
    lifetime: lives.access,
    now: Date.now,
  })
  const ended = createEndedSignIns({
    list: (since) => db.system((sql) => listEnded(sql, since)),
    lifetime: lives.access,
    now: Date.now,
  })
  const slow = createSlowHashes()
  opened.defer(() => slow.close())
  const takeOver = createTakeOver({ db, hash: vault.hash, slow })
  const uses = createKeepUses({ store: (ids) => db.system((sql) => noteUses(sql, ids)), log })
  opened.defer(() => uses.close())
  const identity = createIdentity({
    hash: vault.hash,
    find: (hash) => db.system((sql) => findKey(sql, hash)).catch(refuseForNow),
    findSlow: (key) => takeOver(key).catch(refuseForNow),
    guests: composeGuests({
      config,
      fetch: createGuardedFetch({ alias: 'identity', allowPrivate: true }),
      publicUrl,
      ownKeyIds: () => signingKeys().map(({ id }) => id),
      accounts: { findByEmail: (email) => accounts.findByEmail(email) },
      find: (name) => snapshots.find(name),
      all: () => snapshots.all(),
    }),
    onUse: uses.note,
    async readToken(text) {
      const claims = await accessTokens.read(text)
      const endpoint = claims.aud === publicUrl() ? undefined : endpoints.find(claims.aud)
      if (endpoint === undefined && claims.aud !== publicUrl()) throw new Fault('token.unknown')
      return { claims, principal: principalOfToken(claims, endpoint) }
    },
    stands: ({ claims }) => accounts.find(claims.sub)?.epoch === claims.epoch && !ended.has(claims.sid),
    open: config.TOOLWAY_AUTH === 'off',
  })

  const accounts = createAccounts({ list: () => db.system(listAccounts) })
  /** After a failure the database says by itself that everything may have changed. */
  const loadPeople = () =>
    Promise.all([accounts.load(), ended.load()]).then(
      () => open.recheck(),
      (thrown: unknown) => log.error({ err: thrown }, 'accounts could not be loaded; they stay as they were'),
    )

  /** What an upstream showed it speaks, until the next contact is stored with it. */
  const revisions = new Map<string, string>()
  const remember = (connectionId: string, revision: string) => void revisions.set(connectionId, revision)
  const eraOf = (connectionId: string) => {
    const revision = revisions.get(connectionId)
    return revision === undefined ? undefined : { revision, at: Date.now() }
  }

  const syncing = {
    log,
    store: (organizationId: OrganizationId, connectionId: ConnectionId, offer: Offer) =>
      db.system(async (sql) => {
        await storeCatalog(sql, organizationId, connectionId, offer)
        await noteContact(sql, connectionId, { status: 'connected', reason: undefined, era: eraOf(connectionId) })
      }),
    fail: (organizationId: OrganizationId, connectionId: ConnectionId, fault: Fault) =>
      db.system(async (sql) => {
        const status = fault.code === 'upstream.needs-auth' ? 'needs_auth' : 'error'
        await markStale(sql, organizationId, connectionId, fault.message)
        await noteContact(sql, connectionId, { status, reason: fault.message, era: undefined })
      }),
  }
  const sync = createSyncCatalog(syncing)
  const catalogs = createKeepCatalogs({
    sync: async (subject, signal) => {
      const good = await sync(subject, signal)
      // The list that is announced as changed must be the one that is then listed.
      if (good) await snapshots.refresh(subject.organizationId)
      return good
    },
    onChange: (organizationId, connectionId, kind) => changes.tell(organizationId, connectionId, kind),
    drop: (connectionId, version) => upstreams.drop(connectionId, version),
    log,
  })

  opened.defer(() => catalogs.close())

  /** What is seen of a connection between two looks at its lists. */
  const note = (connectionId: string, fault: Fault | undefined): Promise<unknown> =>
    db.system((sql) =>
      noteContact(sql, connectionId, {
        status: fault === undefined ? 'connected' : fault.code === 'upstream.needs-auth' ? 'needs_auth' : 'error',
        reason: fault?.message,
        era: undefined,
      }),
    )

  function turn(connectionId: string, failure: Fault | undefined): void {
    const facts = { connectionId, code: failure?.code, problem: failure?.message }
    if (failure === undefined) log.info(facts, 'calls to a connection are let through again')
    else {
      counters.openCircuit()
      log.warn(facts, 'calls to a connection are refused: it does not answer, or is not started any more')
    }
    note(connectionId, failure).catch((thrown: unknown) =>
      log.warn({ connectionId, err: thrown }, 'the state of a connection could not be noted'),
    )
    if (failure === undefined) catalogs.again(connectionId as ConnectionId)
  }

  const healthy = createKeepHealthy({
    now: Date.now,
    random: Math.random,
    note: async (_, connectionId, fault) => void (await note(connectionId, fault)),
    again: (connectionId) => catalogs.again(connectionId),
    count: counters.check,
    log,
  })
  opened.defer(() => healthy.close())

  const rules = createRules({ list: () => db.system(listRules) })
  const tellChanges = createTellChanges(changes.tell)
  const snapshots = createKeepSnapshots({
    log,
    load: (ids) => loadSnapshots(ids),
    onLoad(all) {
      const watched = all.flatMap(watchedOf)
      catalogs.want(watched)
      healthy.want(watched)
      tellChanges(all)
      // An endpoint may be gone, or not be this key's any more.
      open.recheck()
    },
  })

  opened.defer(() => snapshots.close())

  async function loadSnapshots(ids: readonly string[] | undefined): Promise<Snapshot[]> {
    const organizations = (await db.system(listOrganizations)).filter(({ id }) => ids?.includes(id) ?? true)
    return Promise.all(
      organizations.map((organization) =>
        db.organization(organization.id, async (sql) => {
          const [connections, known, toolsets, members, states] = [
            await listConnections(sql),
            await listCatalogs(sql),
            await listToolsets(sql),
            await listRoles(sql),
            await listToolStates(sql),
          ]
          const facts = { organization, connections, catalogs: known, toolsets, members, states, rules: rules.book }
          return createSnapshot({ ...facts, upstreams, unseal: vault.open })
        }),
      ),
    )
  }

  const watchedOf = (snapshot: Snapshot): Watched[] =>
    snapshot.connections
      .filter(({ enabled }) => enabled && snapshot.organization.active)
      .map((connection) => ({
        organizationId: snapshot.organization.id,
        connectionId: connection.id,
        alias: connection.alias,
        version: versionOf(connection),
        kind: connection.settings.connector === 'mcp.process' ? 'child' : 'remote',
        upstream: () => (snapshots.find({ id: snapshot.organization.id }) ?? snapshot).upstream(connection.id),
      }))

  const loadRules = () =>
    rules.load().then(
      () => snapshots.signal(),
      (thrown: unknown) => log.error({ err: thrown }, 'rules could not be loaded; they stay as they were'),
    )
  const syncNow = createSyncNow({
    ...syncing,
    find: (organizationId) => snapshots.findAny({ id: organizationId }),
    refresh: (organizationId) => snapshots.refresh(organizationId),
  })
  /** Another key seals from now on, or one is to be known: told by `toolway vault`. */
  const loadVault = createVaultReload({ db, reload: store.reloadVault, log })

  function onNotice(payload: string): void {
    const {
      organization,
      table,
      ended: over,
      stop,
    } = JSON.parse(payload) as {
      organization?: string
      table?: string
      ended?: string
      stop?: string
    }
    if (stop !== undefined) return void upstreams.stop(stop)
    if (table === 'vault') return void loadVault()
    if (table === 'sessions') return keepSessions.endedElsewhere(over ?? '')
    if (table === 'sign_ins') {
      ended.add((over ?? '') as FamilyId)
      return open.recheck()
    }
    if (table === 'users') return void loadPeople()
    if (table === 'rules') return void loadRules()
    if (table === 'keys') {
      identity.forget()
      open.recheck()
    } else snapshots.signal(organization)
  }
  const parked = createParkedCalls(vault)
  opened.defer(() => parked.close())
  const tasks = createTaskBook(vault)
  opened.defer(() => tasks.close())
  const admit = createAdmit({
    identity,
    accounts,
    organization: snapshots.find,
    defaultOrganization: DEFAULT_SLUG,
    limits,
    resultLimit: config.TOOLWAY_RESULT_LIMIT,
    onBehalf: createOnBehalf({ accounts, log }),
    parked,
    states: createBoundStates(vault),
    tasks,
  })
  const open = createOpenStreams(admit)
  const doors = {
    admit,
    entrance: createEntrance({ sessions, changes, listeners: createListeners(), signer: vault }),
    sessions,
    keepSessions,
    givesSessions: config.TOOLWAY_SESSIONS === 'on',
    changes,
    trails,
    open,
    challenge: createChallenge(endpoints),
    room,
    clients,
    limits,
    bodyLimit: config.TOOLWAY_BODY_LIMIT,
    draining: drain.signal,
  }
  const listener = await db.listen(CHANNEL, (notice) => {
    if (notice.kind === 'payload') return onNotice(notice.payload)
    // What was said while the line was down is lost: everything may have changed.
    identity.forget()
    open.recheck()
    void loadPeople()
    void loadRules()
    void loadVault()
    snapshots.signal()
  })
  opened.defer(() => listener.close())
  await Promise.all([accounts.load(), ended.load()])
  await rules.load()
  await snapshots.reload()
  refuseNoPlace(config, snapshots.find)

  const web = createWebSession({ identify: identity.identify, vault, publicUrl })
  const people = createPeople({ config, db, vault, accessTokens, ended, accounts, snapshots, publicUrl })

  function createPages() {
    const pages = createSignInDoor({
      ...people,
      web,
      shortest: config.TOOLWAY_PASSWORD_LENGTH,
      clients,
      emailOf: (id) => db.system(async (sql) => (await findUser(sql, id))?.email),
      newCorrelationId: randomUUID,
    })
    const { signIn, provider } = people
    if (provider?.browses !== true) return pages
    const spend = (hash: Buffer, until: Date) => db.system((sql) => spendState(sql, hash, until))
    const parts = { provider, signIn, web, vault, spend, publicUrl, clients, newCorrelationId: randomUUID }
    return pages.route('/', createProviderDoor(parts))
  }

  const oauth = createOAuth({
    db,
    vault,
    endpoints,
    accounts,
    keys: signingKeys,
    lifetimes: lives,
    web,
    clients,
    loopbackDocuments: config.TOOLWAY_LOOPBACK_CLIENTS === 'on',
    findOrganization: snapshots.find,
    allOrganizations: snapshots.all,
    onRenew: counters.renew,
    log,
  })
  const cleanOAuth = createCleanOAuth({
    clean: () =>
      db.system(async (sql) => {
        await removeExpiredTokens(sql)
        await removeOldGrants(sql)
        await removeExpiredClients(sql)
      }),
    log,
  })
  opened.defer(() => cleanOAuth.close())

  const runtime = {
    upstreams,
    sessions,
    logs: tail,
    settings: shownSettings(config),
    childMemory: config.TOOLWAY_CHILD_MEMORY,
  }
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
    refused: counters.refuse,
    mcp: createMcpDoor(doors),
    sse: doors.givesSessions ? createSseDoor({ ...doors, publicUrl: config.TOOLWAY_PUBLIC_URL }) : undefined,
    webSocket: createWebSocketDoor(doors),
    oauth,
    admin: createAdminDoor({
      operations: OPERATIONS,
      parts: {
        db,
        vault,
        accounts,
        web,
        ...people,
        forgetKeys: identity.forget,
        snapshots: { ...snapshots, find: snapshots.findAny },
        rules: { refresh: () => rules.load().then(snapshots.reload) },
        sync: syncNow,
        requestsPerMinute: config.TOOLWAY_LIMIT_ORGANIZATION,
        checkpoints,
        runtime,
      },
      streams: { watch: open.watch, draining: drain.signal },
      refusals: { write: (entry) => records.write(entry), refuseStranger: refusals.take },
      identify: identity.identify,
      web,
      publicUrl,
      newCorrelationId: randomUUID,
      clients,
      limits,
      bodyLimit: config.TOOLWAY_BODY_LIMIT,
    }),
    pages: createPages(),
    health,
    async identify(authorization) {
      const { endpoint } = await identity.identify(authorization)
      // A token for one MCP endpoint is good there and nowhere else.
      if (endpoint !== undefined) throw new Fault('token.unknown')
    },
    prove: (challenge, place) => proofOf(vault, challenge, place),
    readiness: createReadiness({ health, ping: () => db.ping(), limits: () => limits.state }),
    metrics: config.TOOLWAY_METRICS === 'on' ? counters.registry : undefined,
    newCorrelationId: randomUUID,
    log,
  })
  const endServer = prepareEnd(server)
  opened.defer(() => endServer(DRAIN_MS))
  const owned = opened.move()

  return {
    async listen(patience = 0) {
      const port = await listenOn(server, config.TOOLWAY_PORT, config.TOOLWAY_HOST)
      local = addressOn(config.TOOLWAY_HOST, port)
      if (patience > 0) await Promise.race([catalogs.tried(), sleep(patience, undefined, { ref: false })])
      health.started = true
      return port
    },
    async close() {
      health.draining = true
      drain.abort()
      // Nothing new begins while what is under way ends; ended once more with the rest, these do nothing.
      open.close()
      catalogs.close()
      healthy.close()
      snapshots.close()
      // Each of the rest, also when one of them fails.
      await owned.disposeAsync()
    },
  }
}

interface PeopleParts extends Pick<SignInParts, 'db' | 'accessTokens' | 'ended' | 'publicUrl'> {
  readonly config: Config
  readonly vault: Store['vault']
  readonly accounts: Accounts
  readonly snapshots: Pick<KeepSnapshots, 'find' | 'all' | 'refresh' | 'reload'>
}

/** What signs people in and lets them in. */
function createPeople({ config, db, vault, accessTokens, ended, accounts, snapshots, publicUrl }: PeopleParts) {
  const passwords = createPasswords({ shortest: config.TOOLWAY_PASSWORD_LENGTH })
  const attempts = createAttempts({ now: Date.now })
  const settings = providerOf(config)
  const fetch = createGuardedFetch({ alias: 'identity provider', allowPrivate: true })
  const provider = settings && createIdentityProvider({ ...settings, fetch, now: Date.now })
  const settle = async (organizationId?: OrganizationId) => {
    await Promise.all([accounts.load(), organizationId === undefined ? undefined : snapshots.refresh(organizationId)])
  }
  const shared = { db, hash: vault.hash, seal: vault.seal, passwords, attempts, settle }
  const signIn = createSignIn({
    ...shared,
    accessTokens,
    ended,
    findOrganization: snapshots.find,
    allOrganizations: snapshots.all,
    refreshLifetime: tokenLives(config).refresh,
    bindsAlways: config.TOOLWAY_TOKEN_PRESET === 'uru',
    provider,
    provision: config.TOOLWAY_OIDC_NEW === 'refuse' ? 'existing' : config.TOOLWAY_OIDC_NEW,
    publicUrl,
    now: Date.now,
  })
  return { signIn, enrolment: createEnrolment(shared), provider, passwordFits: createPasswordFits(shared) }
}

/** An address that means every network of this machine is none to reach it by. */
function addressOn(host: string, port: number): string {
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`
}

/** A key that memory does not know cannot be looked up while the database is away: neither known nor unknown. */
function refuseForNow(thrown: unknown): never {
  if (!(thrown instanceof DatabaseUnreachable)) throw thrown
  throw new Fault(
    'gateway.not-ready',
    { problem: 'its database does not answer, so this key cannot be checked' },
    { cause: thrown },
  )
}

const listenOn = (server: Server, port: number, host: string): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.removeListener('error', reject)
      resolve((server.address() as AddressInfo).port)
    })
  })
