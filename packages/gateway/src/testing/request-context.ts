/**
 * Somebody who calls connections in this process, with no door, no database and no identity between: the way of a call from where
 * its caller stands to a real server, with credentials of the test's making.
 */
import {
  ConnectionSettings,
  type ConnectionAuthChange,
  type ConnectionId,
  type OrganizationId,
  type Role,
} from '@toolway/contract'
import type { McpRequest, JsonObject, Notification, Revision } from '@toolway/protocol'
import { createBoundStates } from '../call/questions/bound-states.ts'
import { principalFacts } from '../snapshot/role.ts'
import { createAuthElicitation } from '../call/questions/auth-elicitation.ts'
import { createSuspendedCalls } from '../call/questions/suspended-calls.ts'
import { createRequestDispatcher } from '../call/dispatch.ts'
import { createListeners } from '../call/listening/listeners.ts'
import type { Answer } from '../upstreams/upstream.ts'
import type { CallCredentials, OwnCredentials } from '../snapshot/ports/credentials.ts'
import type { CallParts } from '../call/call-parts.ts'
import type { ClientChannel } from '../snapshot/ports/client-channel.ts'
import type { RequestContext } from '../snapshot/ports/request-context.ts'
import { createSnapshot } from '../snapshot/snapshot.ts'
import { createTaskBook } from '../call/tasks/task-book.ts'
import type { AuditFacts } from '../call/audit-facts.ts'
import { createChanges } from '../catalog/changes.ts'
import { OPERATOR, type Principal } from '../identity/principal.ts'
import { createPageReads } from '../sessions/page-reads.ts'
import { createSessions, type Session } from '../sessions/sessions.ts'
import { createServerPlaces } from '../upstreams/server-places.ts'
import { createUpstreams } from '../upstreams/upstreams.ts'
import { createTestAuditLog } from './audit-log.ts'
import { createTestVault } from './gateway.ts'
import { createNoLimits } from './limits.ts'

export interface Reached {
  readonly alias: string
  readonly url: string
  readonly revision: Revision
  readonly tools?: readonly JsonObject[]
  readonly auth?: ConnectionAuthChange
  /** Seconds. */
  readonly timeout?: number
  readonly capabilities?: JsonObject
  /** Whether the revision is found out, and not pinned. */
  readonly finds?: boolean
}

export interface TestContextOptions {
  readonly connections: readonly Reached[]
  readonly credentials?: CallCredentials
  readonly own?: OwnCredentials
}

export interface Calling {
  readonly principal?: Principal
  /** The client's own revision; that of the first connection unless it says otherwise. */
  readonly revision?: Revision
  readonly capabilities?: JsonObject
  readonly session?: Session
  readonly passThroughToken?: string
  readonly signal?: AbortSignal
  readonly question?: ClientChannel['question']
  readonly notify?: (notification: Notification) => void
}

const AT = new Date(0)

export async function createTestContext({ connections, credentials, own }: TestContextOptions) {
  const vault = createTestVault()
  const opened = new AsyncDisposableStack()
  const upstreams = createUpstreams({ children: { start: () => never() }, onRevision() {}, onNoise() {} })
  opened.defer(() => upstreams.close())
  const sessions = createSessions({
    now: Date.now,
    onEnd: ({ id }) => upstreams.forgetSession(id),
    onChange() {},
  })
  opened.defer(() => sessions.close())
  const suspended = createSuspendedCalls(vault)
  const tasks = createTaskBook(vault)
  const authElicitation = createAuthElicitation({
    credentials: credentials ?? { credentialArrived: async () => false },
    signer: vault,
    wishOf: () => undefined,
  })
  opened.defer(() => (suspended.close(), tasks.close(), authElicitation.close()))
  const parts: CallParts = {
    signer: vault,
    limits: createNoLimits(),
    places: createServerPlaces(256),
    argumentDepth: 64,
    argumentMembers: 10_000,
    passesBaggage: false,
    resultLimit: 1_000_000,
    fileFrom: 5_242_880,
    suspended,
    states: createBoundStates(vault),
    credentials,
    authElicitation,
    tasks,
    pages: createPageReads({ now: Date.now, hash: (text) => text, log: { warn() {} } }),
    approvals: undefined,
    results: undefined,
    files: undefined,
  }
  const auditLog = createTestAuditLog()
  const dispatcher = createRequestDispatcher({
    sessions,
    changes: createChanges(),
    listeners: createListeners(),
    ...parts,
  })
  const snapshot = createSnapshot({
    organization: {
      id: 'org_test' as OrganizationId,
      slug: 'test',
      name: 'Test',
      description: null,
      contact_email: null,
      active: true,
      settings: {},
      egress: { networks: [], hosts: [] },
      created_at: AT,
      updated_at: AT,
    },
    connections: connections.map(rowOf),
    catalogs: connections.map(catalogOf),
    toolsets: [],
    members: new Map(),
    upstreams,
    unseal: () => '{}',
    credentials: own,
  })
  const [first] = connections
  const toolListing = snapshot.toolListing('default', connections.length === 1 ? first?.alias : undefined, 'execute')
  if (first === undefined || toolListing === undefined) throw new Error('there is no connection')
  const role: Role = 'platform_admin'

  const requestContextOf = (principal: Principal): RequestContext => ({
    principal,
    role,
    who: () => principalFacts({ find: () => undefined }, principal, role),
    organizationId: snapshot.organization.id,
    organization: 'test',
    version: 0,
    requestsPerMinute: undefined,
    toolset: 'default',
    connection: undefined,
    owner: principal.id,
    toolListing,
    sees: () => true,
    upstream: (id) => snapshot.upstream(id),
    now: () => ({ toolListing, upstream: (id) => snapshot.upstream(id) }),
  })
  let last = 0

  async function ask(method: string, params: JsonObject, calling: Calling = {}) {
    const { principal = OPERATOR, revision = first?.revision ?? '2026-07-28', capabilities = {}, session } = calling
    const mcpRequest: McpRequest = {
      id: ++last,
      method,
      params,
      caller: session?.caller ?? { revision, capabilities, client: undefined, logLevel: undefined },
    }
    const never = new AbortController().signal
    const channel: ClientChannel = {
      signal: calling.signal ?? never,
      session,
      header: undefined,
      asks: calling.question !== undefined,
      ...(calling.passThroughToken === undefined ? {} : { passThroughToken: calling.passThroughToken }),
      notify: calling.notify ?? (() => {}),
      question: calling.question ?? (() => Promise.reject(new Error('nobody is asked here'))),
    }
    const audit = auditLog.begin(0, `call-${last}`)
    const answer: Answer = await dispatcher.dispatch({
      requestContext: requestContextOf(principal),
      mcpRequest,
      channel,
      audit,
    })
    return { ...answer, audit: audit.facts } as Answer & {
      audit: AuditFacts
      result?: JsonObject
      error?: { message: string }
    }
  }

  return {
    upstreams,
    sessions,
    requestContextOf,
    upstream: (alias: string) => snapshot.upstream(idOf(alias)),
    ask,
    call: (name: string, given: JsonObject = {}, calling: Calling = {}) =>
      ask('tools/call', { name, arguments: given }, calling),
    /** A session of a legacy client. */
    session: (capabilities: JsonObject = {}, principal: Principal = OPERATOR): Session =>
      sessions.open(principal.id, {
        revision: '2025-11-25',
        capabilities,
        client: undefined,
      }),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

const never = () => Promise.reject(new Error('no process is started here'))
const idOf = (alias: string) => `con_${alias}` as ConnectionId

const rowOf = ({ alias, url, revision, auth = {}, timeout = 10, finds = false }: Reached) => ({
  id: idOf(alias),
  organization_id: 'org_test' as OrganizationId,
  alias,
  title: alias,
  description: null,
  settings: ConnectionSettings.parse({
    connector: 'mcp.http',
    url,
    private: true,
    timeout,
    revision: finds ? 'auto' : revision,
    auth,
  }),
  sealed: null,
  enabled: true,
  origin: 'test',
  era: null,
  status: 'connected',
  status_reason: null,
  tools_default: true,
  tool_lock: 'off' as const,
  trusted: true,
  keep_payloads: false,
  oauth_repairs: null,
  created_at: AT,
  updated_at: AT,
})

const catalogOf = ({
  alias,
  revision,
  tools = [],
  capabilities = { tools: {}, prompts: {}, resources: {} },
}: Reached) => ({
  connection_id: idOf(alias),
  revision,
  server: { server: {}, capabilities },
  tools: [...tools],
  resources: [],
  templates: [],
  prompts: [],
  fetched_at: AT,
  stale_since: null,
  stale_reason: null,
  digest: null,
  held: [],
  names: [],
  left_out: null,
})
