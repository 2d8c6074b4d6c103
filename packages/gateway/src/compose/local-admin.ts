/**
 * The operations of an installation without its gateway: what a command or an `apply` needs to carry them out in its own process.
 *
 * Nothing listens, no job is begun and no server is reached before an operation asks for it. A gateway that runs on the same database
 * hears of each change from the database, as it hears of another gateway's. Live state (processes, sessions, logs, events) is the
 * gateway's alone: here it is empty.
 */
import { createAgentQueue } from '../features/agent/index.ts'
import { agentLimitsOf } from './doors.ts'
import { join } from 'node:path'
import type { Store } from '../base/open-store.ts'
import type { Administration } from '../operations/carry-out.ts'
import { createChanges } from '../catalog/changes.ts'
import { appsOf, type Config, type LoadedConfig } from '../config.ts'
import { shownSettings } from '../config/shown-settings.ts'
import { createClients } from '../http/client-address.ts'
import { createWebSession } from '../http/sign-in/web-session.ts'
import { CHECKPOINTS, createKeepCheckpoints } from '../features/records/index.ts'
import { createStreamSender } from '../features/record-streams/index.ts'
import { OPERATIONS, type OperationParts } from './operations.ts'
import { createWebhookSender } from '../features/webhooks/index.ts'
import type { Log } from '../lib/log.ts'
import { createConnectLinks } from '../oauth/outgoing/flows/connect-links.ts'
import { platformRulesIn } from '../features/rules/index.ts'
import { createLastKnown } from '../features/runtime/index.ts'
import { composeOutgoing } from './outgoing.ts'
import { createGlobalApps } from '../oauth/outgoing/vendors/global-apps.ts'
import { createKeptCheckpoints } from '../records/chain/kept-checkpoints.ts'
import { createCounters } from '../telemetry/counters.ts'
import { payloadRow } from '../vault/sealed-columns.ts'
import { composeApprovals } from './approvals.ts'
import { startCatalogs, type Catalogs, createContacts } from '../features/catalog/index.ts'
import { localFiles } from './files.ts'
import { composeConnect } from './connect.ts'
import { composeCredentials, type Credentials } from './credentials.ts'
import type { BaseWithDatabase } from '../base/base.ts'
import { composeIdentity } from './identity.ts'
import { composePeople } from './people.ts'
import { startSecretReferences } from '../snapshot/secret-references.ts'
import { composeSnapshots, type Snapshots } from './snapshots.ts'
import { sandboxStateOf } from '../upstreams/children/sandbox-settings.ts'
import { startUpstreams } from '../upstreams/start-upstreams.ts'

export interface LocalAdminParts {
  readonly store: Pick<Store, 'db' | 'vault'>
  readonly loaded: LoadedConfig
  readonly log: Log
  /** Where clients reach the gateway of this installation, for links. */
  publicUrl(): string
}

export interface LocalAdmin extends AsyncDisposable {
  readonly administration: Administration<OperationParts>
  /** Reads what others changed since. */
  reload(): Promise<void>
}

const NONE = () => 0
const elsewhere = (): never => {
  throw new Error('only a running gateway can do that')
}

/** The facts of the runtime screens where no gateway runs. */
const stillRuntime = (
  config: Config,
  origins: LoadedConfig['origins'],
): Omit<OperationParts['runtime'], 'upstreams'> => ({
  gateway: '',
  lastFigures: createLastKnown(),
  lastGateways: createLastKnown(),
  sessions: { list: () => [], drop: elsewhere },
  logs: { recent: () => [], follow: elsewhere },
  words: { recent: () => [], follow: elsewhere },
  settings: shownSettings(config, origins),
  childMemory: config.TOOLWAY_CHILD_MEMORY,
  roots: config.TOOLWAY_SANDBOX_ROOTS,
  sandbox: sandboxStateOf(config),
})

export async function composeLocalAdmin({ store, loaded, log, publicUrl }: LocalAdminParts): Promise<LocalAdmin> {
  const { db, vault } = store
  const { config, origins, path, lang } = loaded
  await using opened = new AsyncDisposableStack()
  const counters = createCounters({ sessions: NONE, channels: NONE, upstreamSessions: NONE, waitingRecords: NONE })
  const core: BaseWithDatabase = { config, db, vault, log, counters, telemetry: undefined, opened }
  const open = { recheck() {} }

  const contacts = createContacts(core)
  const changes = createChanges()
  const callers = composeIdentity(core, { publicUrl, snapshots: () => snapshots, open: () => open })
  const { identity, accounts } = callers
  const upstreams = startUpstreams(core, {
    ...{ path, lang, origins, contacts, counters },
    again: (id) => offers.catalogs.again(id),
  })
  const offers: Catalogs = startCatalogs(core, { upstreams, contacts, changes, snapshots: () => snapshots })
  const oauth = composeOutgoing(core)
  const globalApps = createGlobalApps(appsOf(config))
  const links = createConnectLinks({ vault, publicUrl, now: Date.now })
  const { ofConnections, reveal } = startSecretReferences(core, { ...loaded, snapshots: () => snapshots })
  const credentials: Credentials = composeCredentials(core, {
    oauth,
    reveal,
    links,
    accounts,
    snapshots: () => snapshots,
    global: globalApps.of,
    onKept() {},
  })
  // No connection is kept open here: the gateway does that.
  const { snapshots, rules }: Snapshots = composeSnapshots(core, {
    upstreams,
    changes,
    catalogs: { want() {} },
    healthy: { want() {} },
    open: () => open,
    credentials: credentials.ownCredentials,
    references: ofConnections,
  })
  const approvals = composeApprovals(core, {
    accounts,
    snapshots,
    credentials: credentials.callCredentials,
    publicUrl,
  })
  await Promise.all([callers.loadPeople(), rules.load()])
  await snapshots.reload()

  const web = createWebSession({ identify: identity.identify, vault, publicUrl })
  const people = composePeople(core, { ...callers, snapshots, publicUrl })
  const connect = composeConnect(core, {
    oauth,
    reveal,
    globalApps,
    keeping: credentials.keeping,
    links,
    snapshots,
    accounts,
    identity,
    web,
    publicUrl,
    clients: createClients([]),
    limits: { address: () => undefined },
  })
  const parts: OperationParts = {
    ...{ db, vault, accounts, web, ...people, publicUrl, sync: offers.syncNow },
    forgetKeys: identity.forget,
    snapshots: { ...snapshots, find: snapshots.findAny },
    rules: { refresh: () => rules.load().then(snapshots.reload) },
    platformRules: (organization) => platformRulesIn(rules.inForce.rules, organization),
    requestsPerMinute: config.TOOLWAY_LIMIT_ORGANIZATION,
    checkpoints: createKeepCheckpoints({
      ...{ db, vault, log, now: Date.now },
      kept: createKeptCheckpoints(join(config.TOOLWAY_DATA, CHECKPOINTS)),
      minutes: config.TOOLWAY_CHECKPOINT_MINUTES,
      days: undefined,
    }),
    payloads: { days: config.TOOLWAY_PAYLOAD_DAYS, open: (sealed, id) => vault.open(sealed, payloadRow(id)) },
    connect: connect.admin,
    credentials: credentials.admin,
    events: { follow: elsewhere },
    sendWebhook: createWebhookSender(vault),
    sendBatch: createStreamSender({ vault, reveal }),
    approvals: approvals.admin,
    previewList: elsewhere,
    ...{ files: localFiles(core), traceUrl: config.TOOLWAY_TRACE_URL },
    agent: {
      upstreams,
      reveal,
      proxyUrl: publicUrl,
      tracer: undefined,
      queue: createAgentQueue({ limits: agentLimitsOf(config), draining: new AbortController().signal }),
    },
    runtime: { ...stillRuntime(config, origins), upstreams },
  }
  const owned = opened.move()
  return {
    administration: { operations: OPERATIONS, parts },
    reload: snapshots.reload,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}
