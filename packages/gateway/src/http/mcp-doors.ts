/** The doors of MCP: its three transports and the tool URLs, which share one dispatcher. */
import { readInitialize } from '@toolway/protocol'
import type { Base } from '../base/base.ts'
import { supportsFormElicitation } from '../call/approvals/questions.ts'
import type { CallParts } from '../call/call-parts.ts'
import { createRequestDispatcher, type DispatchParts } from '../call/dispatch.ts'
import { createListeners } from '../call/listening/listeners.ts'
import type { ProcessPlace } from '../lib/process-place.ts'
import type { Limits } from '../limits/limits.ts'
import type { RequestContext } from '../snapshot/ports/request-context.ts'
import { createConsoleAuthorization, type ConsoleMcpParts } from './console/console-mcp.ts'
import { createMcpDoor, type McpDoorParts } from './mcp-door.ts'
import { createProcessMessages } from './mcp/process-messages.ts'
import type { Challenge } from './oauth/challenge.ts'
import type { ConnectionRegistry } from './persistent/connection-registry.ts'
import { createSseDoor } from './persistent/sse-door.ts'
import { createWebSocketDoor } from './persistent/websocket-door.ts'
import { CallsUnderWay } from './streams/calls-under-way.ts'
import { createToolDoor } from './tools/tool-door.ts'

export interface McpTransportsParts extends Omit<
  McpDoorParts,
  'dispatcher' | 'givesSession' | 'bodyLimit' | 'limits' | 'calls' | 'otherProcesses'
> {
  /** Other processes of the same port, where there are any. */
  readonly place?: ProcessPlace | undefined
  /** Whether calls at this endpoint may be confirmed by their client; unsaid, none are. */
  readonly needsConfirmation?: (requestContext: RequestContext) => boolean
  readonly parts: CallParts
  readonly limits: Limits
  readonly streamQuota: ConnectionRegistry
  /** The challenge that shows a client without a token where to get one. */
  readonly challenge: Challenge
  readonly seen?: DispatchParts['seen']
  /** The sign-ins of browsers, where there are any. */
  readonly browsers?: ConsoleMcpParts
  /** Throws the fault that a caller is refused with who has left since its call began; absent where nobody can leave. */
  readonly stands?: (requestContext: RequestContext) => void
}

export function createMcpTransports(
  { config }: Base,
  { browsers, needsConfirmation, stands, parts: calls, place, ...parts }: McpTransportsParts,
) {
  const { sessions, changes, seen } = parts
  const dispatcher = createRequestDispatcher({ ...calls, sessions, changes, listeners: createListeners(), seen })
  const doors = {
    ...parts,
    otherProcesses: place === undefined ? undefined : createProcessMessages(place, sessions),
    dispatcher,
    givesSession: sessionsFor(config, needsConfirmation),
    bodyLimit: config.TOOLWAY_BODY_LIMIT,
    calls: new CallsUnderWay(),
  }
  // Calls are looked through whenever streams are.
  if (stands !== undefined)
    parts.open.watch(
      () => doors.calls.endLeavers(stands),
      () => {},
    )
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
  needsConfirmation: McpTransportsParts['needsConfirmation'],
): McpDoorParts['givesSession'] {
  if (sessions === 'on') return () => true
  if (sessions === 'off' || needsConfirmation === undefined) return undefined
  return (requestContext, { params }) =>
    needsConfirmation(requestContext) && supportsFormElicitation({ caller: readInitialize(params ?? {}) })
}
