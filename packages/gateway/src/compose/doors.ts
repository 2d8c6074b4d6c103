/** Where requests come in: MCP over its three transports, which share one entrance, and administration. */
import type { RevealSecret } from '../oauth/outgoing/ports.ts'
import { randomUUID } from 'node:crypto'
import { readInitialize } from '@toolway/protocol'
import {
  createAgentQueue,
  createSharedPlaces,
  type AgentLimits,
  type AgentParts,
  type SharedLimits,
} from '../features/agent/index.ts'
import { OPERATIONS, type OperationParts } from './operations.ts'
import type { OperationBase } from '../operations/serve.ts'
import type { Stand } from '../call/admit.ts'
import { createEntrance, type EnterParts } from '../call/enter.ts'
import { createListPreview } from '../call/list-preview.ts'
import type { CallParts } from '../call/call-parts.ts'
import type { RequestContext } from '../snapshot/ports/request-context.ts'
import { answersForms } from '../call/approvals/questions.ts'
import { createListeners } from '../call/listening/listeners.ts'
import type { Config } from '../config.ts'
import { shownSettings } from '../config/shown-settings.ts'
import { createConsoleAuthorization, type ConsoleMcpParts } from '../http/console/console-mcp.ts'
import { createEventSocket, type EventSocketParts } from '../http/events/event-socket.ts'
import { createAdminDoor, type AdminDoorParts } from '../http/admin/admin-door.ts'
import type { Challenge } from '../http/oauth/challenge.ts'
import type { ConnectionRegistry } from '../http/persistent/connection-registry.ts'
import { createSseDoor } from '../http/persistent/sse-door.ts'
import { createWebSocketDoor } from '../http/persistent/websocket-door.ts'
import { createMcpDoor, type McpDoorParts } from '../http/mcp-door.ts'
import { CallsUnderWay } from '../http/streams/calls-under-way.ts'
import type { OpenStreams } from '../http/streams/open-streams.ts'
import { createToolDoor } from '../http/tools/tool-door.ts'
import type { WebSession } from '../http/sign-in/web-session.ts'
import type { Identity } from '../identity/identify.ts'
import type { KeepSnapshots } from '../snapshot/keep-snapshots.ts'
import type { Limits } from '../limits/limits.ts'
import type { Base, BaseWithDatabase } from '../base/base.ts'
import { platformRulesIn } from '../features/rules/index.ts'
import type { PlatformRules } from '../policy/stored/rules-in-force.ts'
import { createMessagesElsewhere } from '../http/mcp/messages-elsewhere.ts'
import type { ProcessPlace } from '../lib/process-place.ts'
import { sandboxStateOf } from '../upstreams/children/sandbox-settings.ts'
import type { People } from './people.ts'

export interface ComposeMcpDoorsParts extends Omit<
  McpDoorParts,
  'entrance' | 'givesSession' | 'bodyLimit' | 'limits' | 'calls' | 'elsewhere'
> {
  /** Other processes of the same port, where there are any. */
  readonly place?: ProcessPlace | undefined
  /** Whether calls at this endpoint may be confirmed by their client; unsaid, none are. */
  readonly confirms?: (requestContext: RequestContext) => boolean
  readonly parts: CallParts
  readonly limits: Limits
  readonly room: ConnectionRegistry
  /** The challenge that shows a client without a token where to get one. */
  readonly challenge: Challenge
  readonly seen?: EnterParts['seen']
  /** The sign-ins of browsers, where there are any. */
  readonly browsers?: ConsoleMcpParts
}

export function composeMcpDoors(
  { config }: Base,
  { browsers, confirms, parts: calls, place, ...parts }: ComposeMcpDoorsParts,
) {
  const { sessions, changes, seen } = parts
  const entrance = createEntrance({ ...calls, sessions, changes, listeners: createListeners(), seen })
  const doors = {
    ...parts,
    elsewhere: place === undefined ? undefined : createMessagesElsewhere(place, sessions),
    entrance,
    givesSession: sessionsFor(config, confirms),
    bodyLimit: config.TOOLWAY_BODY_LIMIT,
    calls: new CallsUnderWay(),
  }
  return {
    calls: doors.calls,
    mcp: createMcpDoor(doors),
    // The console redirects users who are not signed in to the sign-in page; they get no OAuth challenge.
    consoleMcp:
      browsers === undefined
        ? undefined
        : createMcpDoor({ ...doors, challenge: () => undefined, authorize: createConsoleAuthorization(browsers) }),
    sse:
      config.TOOLWAY_SESSIONS === 'on' ? createSseDoor({ ...doors, publicUrl: config.TOOLWAY_PUBLIC_URL }) : undefined,
    webSocket: createWebSocketDoor(doors),
    tools: createToolDoor({
      ...doors,
      flat: config.TOOLWAY_PRESET === 'curatore',
      credentials: calls.credentials,
      publicKey: config.TOOLWAY_OPENAPI === 'public' ? config.MCP_API_KEY : undefined,
    }),
  }
}

/** Decides which clients get a session: all, none, or those that can be asked for a confirmation. */
function sessionsFor(
  { TOOLWAY_SESSIONS: sessions }: Base['config'],
  confirms: ComposeMcpDoorsParts['confirms'],
): McpDoorParts['givesSession'] {
  if (sessions === 'on') return () => true
  if (sessions === 'off' || confirms === undefined) return undefined
  return (requestContext, { params }) =>
    confirms(requestContext) && answersForms({ caller: readInitialize(params ?? {}) })
}

export interface ComposeAdminParts
  extends
    Pick<AdminDoorParts, 'clients' | 'limits' | 'publicUrl' | 'refusals'>,
    Pick<
      OperationParts,
      | 'accounts'
      | 'approvals'
      | 'checkpoints'
      | 'connect'
      | 'credentials'
      | 'files'
      | 'inForce'
      | 'payloads'
      | 'sync'
      | 'events'
      | 'sendWebhook'
      | 'sendBatch'
    >,
    Pick<OperationParts['runtime'], 'gateway' | 'lastFigures' | 'lastGateways' | 'sessions' | 'logs' | 'words'> {
  readonly upstreams: OperationParts['runtime']['upstreams'] & AgentParts['agent']['upstreams']
  readonly proxyUrl: () => string
  readonly reveal: RevealSecret
  readonly people: People
  readonly identity: Identity
  readonly web: WebSession
  readonly snapshots: KeepSnapshots
  readonly rules: PlatformRules
  readonly open: OpenStreams
  readonly stand: Stand
  readonly calls: CallParts
  readonly draining: AbortSignal
  readonly origins: Parameters<typeof shownSettings>[1]
}

/** Of one member: those of one person, at all places of the console. */
const RUNS_OF_MEMBER = 4

/** The processes behind one port share the places of their gateway. */
export const agentLimitsOf = (config: Config): AgentLimits => ({
  member: RUNS_OF_MEMBER,
  gateway: Math.max(1, Math.floor(config.TOOLWAY_AGENT_RUNS / config.TOOLWAY_PROCESSES)),
  organization: config.TOOLWAY_AGENT_RUNS_PER_ORGANIZATION,
  waiting: config.TOOLWAY_AGENT_QUEUE,
})

const sharedLimitsOf = (config: Config): SharedLimits => ({
  organization: config.TOOLWAY_AGENT_RUNS_PER_ORGANIZATION,
  installation: config.TOOLWAY_AGENT_RUNS_IN_ALL,
})

/** The parts that operations of the administration work with. */
export function adminPartsOf(
  { config, db, log, vault, telemetry }: BaseWithDatabase,
  parts: ComposeAdminParts,
): OperationParts {
  const { people, identity, web, snapshots, rules, publicUrl, origins } = parts
  const { gateway, lastFigures, lastGateways, upstreams, sessions, logs, words, stand, calls } = parts
  const { accounts, approvals, checkpoints, connect, credentials, files, payloads, sync, events } = parts
  const { sendWebhook, sendBatch, inForce } = parts
  return {
    ...{ db, vault, accounts, web, ...people, sync, events, sendWebhook, sendBatch },
    ...{ approvals, checkpoints, connect, credentials },
    forgetKeys: identity.forget,
    inForce,
    snapshots: { ...snapshots, find: snapshots.findAny },
    rules: { refresh: () => rules.load().then(snapshots.reload) },
    platformRules: (organization) => platformRulesIn(rules.inForce.rules, organization),
    previewList: createListPreview({ stand, parts: calls }),
    requestsPerMinute: config.TOOLWAY_LIMIT_ORGANIZATION,
    payloads,
    files,
    publicUrl,
    traceUrl: config.TOOLWAY_TRACE_URL,
    agent: {
      ...{ upstreams, reveal: parts.reveal, proxyUrl: parts.proxyUrl, tracer: telemetry?.tracer },
      queue: createAgentQueue({
        limits: agentLimitsOf(config),
        draining: parts.draining,
        shared: createSharedPlaces({ db, log, limits: sharedLimitsOf(config) }),
      }),
    },
    runtime: {
      ...{ gateway, lastFigures, lastGateways, upstreams, sessions, logs, words },
      settings: shownSettings(config, origins),
      childMemory: config.TOOLWAY_CHILD_MEMORY,
      roots: config.TOOLWAY_SANDBOX_ROOTS,
      sandbox: sandboxStateOf(config),
    },
  }
}

export function composeAdmin(
  { config, log }: BaseWithDatabase,
  parts: ComposeAdminParts,
  own: OperationParts,
): ReturnType<typeof createAdminDoor> {
  const { identity, web, open, draining, refusals, clients, limits, publicUrl } = parts
  return createAdminDoor({
    operations: OPERATIONS,
    parts: own,
    streams: { watch: open.watch, draining },
    ...{ refusals, log, web, publicUrl, clients, limits },
    identify: identity.identify,
    newCorrelationId: randomUUID,
    bodyLimit: config.TOOLWAY_BODY_LIMIT,
  })
}

export interface ComposeEventSocketParts extends Pick<
  EventSocketParts,
  'events' | 'clients' | 'limits' | 'open' | 'draining' | 'publicUrl' | 'web'
> {
  readonly identity: Identity
  readonly accounts: OperationBase['accounts']
  readonly snapshots: KeepSnapshots
}

export const composeEventSocket = ({ identity, accounts, snapshots, ...parts }: ComposeEventSocketParts) =>
  createEventSocket({
    ...parts,
    identify: identity.identify,
    places: { accounts, snapshots: { find: snapshots.findAny, all: snapshots.all } },
  })
