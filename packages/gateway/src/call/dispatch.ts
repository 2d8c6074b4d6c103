/**
 * The road that every message walks: read in its era, then handed to the verb that serves its method.
 *
 * Two tables say which methods each era has; a method of the other era does not exist. Identity and place are known by now
 * (`admit.ts`), and nothing here knows which transport the message came by.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { Fault, permits } from '@toolway/contract'
import {
  checkHeaders,
  eraOf,
  hasEnvelope,
  isLegacyRevision,
  isLevel,
  LEVELS,
  MODERN,
  readEnvelope,
  readInitialize,
  REVISIONS,
  strangerOf,
  UNSTATED,
  withTrace,
  type McpRequest,
  type Caller,
  type HeaderReader,
  type JsonObject,
  type LegacyRevision,
  type Request,
} from '@toolway/protocol'
import type { Changes } from '../catalog/changes.ts'
import type { Session, Sessions } from '../sessions/sessions.ts'
import { readApp } from './discovery/apps.ts'
import { call } from './call.ts'
import { callListed } from './discovery/call-listed.ts'
import { askTaskOrCall } from './approvals/ask-task.ts'
import { askExtension } from './extend.ts'
import { complete, getPrompt } from './get-prompt.ts'
import { announcedLists, discovered, initialized, initializedAlone } from './introduce.ts'
import { list } from './list.ts'
import { listen } from './listening/listen.ts'
import type { Listeners } from './listening/listeners.ts'
import type { Answer } from '../upstreams/upstream.ts'
import type { CallParts } from './call-parts.ts'
import type { RequestContext } from '../snapshot/ports/request-context.ts'
import type { ClientRequest } from './request.ts'
import { readResource, subscribeResource, unsubscribeResource } from './read-resource.ts'
import { hearSession } from './listening/session-event-sinks.ts'
import { askTask, listTasks } from './tasks/tasks.ts'
import { forward } from './forward.ts'
import { roleForbidden } from '../lib/role-forbidden.ts'

export interface DispatchParts extends CallParts {
  readonly sessions: Sessions
  readonly changes: Changes
  readonly listeners: Listeners
  /** Hears of every request that is let in; says nothing and waits for nothing. */
  readonly seen?: ((requestContext: RequestContext, request: Pick<McpRequest, 'method' | 'caller'>) => void) | undefined
}

type Verb = (step: ClientRequest, parts: DispatchParts) => Answer | Promise<Answer>

const EMPTY: Answer = { result: {} }

const SHARED_METHODS: Readonly<Record<string, Verb>> = {
  'tools/list': ({ requestContext, mcpRequest }, parts) => list(requestContext, mcpRequest, parts),
  'prompts/list': ({ requestContext, mcpRequest }, parts) => list(requestContext, mcpRequest, parts),
  'resources/list': ({ requestContext, mcpRequest }, parts) => list(requestContext, mcpRequest, parts),
  'resources/templates/list': ({ requestContext, mcpRequest }, parts) => list(requestContext, mcpRequest, parts),
  'tools/call': (request, parts) => (hasOwnTools(request) ? callListed : call)(request, parts),
  'resources/read': (step, parts) =>
    readApp(step.requestContext, step.mcpRequest, step.audit) ?? readResource(step, parts),
  'prompts/get': getPrompt,
  'completion/complete': complete,
  'tasks/get': askTaskOrCall,
  'tasks/cancel': askTaskOrCall,
}

/** Tools of the gateway's own stand only in front of tools that are not listed whole. */
const hasOwnTools = ({ requestContext: { toolListing } }: ClientRequest): boolean =>
  toolListing.discovery.mode === 'search' || toolListing.discovery.mode === 'two-tier'

const METHODS: Readonly<Record<'modern' | 'legacy', Readonly<Record<string, Verb>>>> = {
  modern: {
    ...SHARED_METHODS,
    'server/discover': ({ requestContext }) => discovered(requestContext),
    'subscriptions/listen': ({ requestContext, mcpRequest, channel }, parts) =>
      listen(requestContext, mcpRequest, channel, parts),
    'tasks/update': askTask,
  },
  legacy: {
    ...SHARED_METHODS,
    ping: () => EMPTY,
    'logging/setLevel': setLevel,
    'resources/subscribe': subscribeResource,
    'resources/unsubscribe': unsubscribeResource,
    'tasks/result': askTaskOrCall,
    'tasks/list': listTasks,
  },
}

/** The methods that a viewer may use; every other method reaches an upstream, whatever its name (ledger S3-RBAC-05). */
const LOOKS = new Set([
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'server/discover',
  'subscriptions/listen',
  'ping',
  'logging/setLevel',
])

const PATIENCE = 1_000

/** The level holds for the session; servers that keep a session for this client are told. */
async function setLevel(
  { requestContext, mcpRequest, channel, audit }: ClientRequest,
  parts: DispatchParts,
): Promise<Answer> {
  const { level } = mcpRequest.params
  const { session } = channel
  if (!isLevel(level))
    throw new Fault('params.shape', { place: '/level', problem: `must be one of ${LEVELS.join(', ')}` })
  if (session === undefined) return EMPTY
  session.caller = { ...session.caller, logLevel: level }
  session.changed()
  // A viewer's request reaches no server: the level of its messages is applied here.
  if (!permits(requestContext.role, 'tool_call')) return EMPTY
  const told = requestContext.toolListing.offered.filter(({ capabilities }) => capabilities['logging'] !== undefined)
  const telling = told.map(async (offered) => {
    const target = { ...offered, name: '' }
    await forward({
      parts,
      requestContext,
      channel,
      audit: audit.aside(),
      mcpRequest,
      target,
      params: { level },
    }).catch(() => {})
    // Lines may come beside the calls, too.
    if (eraOf(offered.revision) === 'legacy') await hearSession(parts, requestContext, session, target).catch(() => {})
  })
  // The level is in force when this is answered; a server that is slow to hear of it holds nobody up.
  await Promise.race([Promise.all(telling), sleep(PATIENCE, undefined, { ref: false })])
  return EMPTY
}

/** The protocol family of a message: given by the body, or by a header that names a version other than the legacy ones. */
export function isModern(
  { method, params }: { method?: string; params?: Request['params'] },
  header: HeaderReader,
): boolean {
  if (hasEnvelope(params)) return true
  const version = header('mcp-protocol-version')
  return method !== 'initialize' && version !== undefined && !isLegacyRevision(version)
}

export function readModern(request: Request, header: HeaderReader | undefined): McpRequest {
  const version = header?.('mcp-protocol-version')
  if (!hasEnvelope(request.params) && version !== undefined && version !== MODERN) {
    throw new Fault('envelope.version', {}, { data: { supported: [...REVISIONS].reverse(), requested: version } })
  }
  const caller = readEnvelope(request.params, header)
  const params = paramsOf(request)
  if (header === undefined) return { id: request.id, method: request.method, params, caller }
  checkHeaders(header, request.method, params)
  return { id: request.id, method: request.method, params: withTrace(params, header), caller }
}

/** A legacy request speaks as its session does; without one, as its header says, and nothing is known of its client. */
export function readLegacy(request: Request, session: Session | undefined, header: HeaderReader): McpRequest {
  const version = header('mcp-protocol-version')
  const caller: Caller = session?.caller ?? strangerOf(isLegacyRevision(version) ? version : UNSTATED)
  return { id: request.id, method: request.method, params: withTrace(paramsOf(request), header), caller }
}

/** Programs in Go write an empty map of arguments as null; servers in Go and Python take it for no arguments. */
function paramsOf({ params }: Request): JsonObject {
  if (params?.['arguments'] !== null) return params ?? {}
  const { arguments: _, ...others } = params
  return others
}

/** A keep-alive costs nothing and is not counted. */
const UNCOUNTED = 'ping'

/** A stream that is open for hours has no duration that says anything. */
const UNTRACED: ReadonlySet<string> = new Set([UNCOUNTED, 'subscriptions/listen'])

/** One request counts one, whichever door it came by and also in a batch. */
const count = (
  { limits }: Pick<CallParts, 'limits'>,
  { principal, organizationId, requestsPerMinute }: RequestContext,
): Promise<void> | undefined => limits.request(principal.id, organizationId, requestsPerMinute)

export interface RequestDispatcher {
  /** Answer one request. Throws Faults, or rejects with them, which the door words. */
  dispatch(step: ClientRequest): Answer | Promise<Answer>
  /** Open a session for a legacy client; its answer and the session go back together. */
  initialize(requestContext: RequestContext, request: Request): Opened | Promise<Opened>
  /** Answer a legacy client's opening without a session: each of its requests then stands alone. */
  initializeAlone(requestContext: RequestContext, request: Request): OpenedAlone | Promise<OpenedAlone>
}

interface Opened {
  readonly answer: Answer
  readonly session: Session
}

interface OpenedAlone {
  readonly answer: Answer
  readonly revision: LegacyRevision
}

export function createRequestDispatcher(parts: DispatchParts): RequestDispatcher {
  return {
    dispatch(step) {
      const { mcpRequest, audit } = step
      const { method, caller } = mcpRequest
      const name = caller.client?.['name']
      audit.note({
        method,
        eraClient: caller.revision,
        client: typeof name === 'string' ? name.slice(0, 100) : undefined,
      })
      if (!UNTRACED.has(method)) audit.beginTrace(step)
      const counting = method === UNCOUNTED ? undefined : count(parts, step.requestContext)
      return counting === undefined ? serve(step, parts) : counting.then(() => serve(step, parts))
    },
    initialize(requestContext, request) {
      const counting = count(parts, requestContext)
      const opened = () => {
        const opening = readInitialize(request.params ?? {})
        const session = parts.sessions.open(requestContext.owner, opening, requestContext.organizationId)
        session.announced = announcedLists(requestContext, opening.revision)
        parts.seen?.(requestContext, { method: request.method, caller: session.caller })
        return { answer: { result: initialized(requestContext, opening.revision) }, session }
      }
      return counting === undefined ? opened() : counting.then(opened)
    },
    initializeAlone(requestContext, request) {
      const counting = count(parts, requestContext)
      const opened = () => {
        const opening = readInitialize(request.params ?? {})
        const { revision } = opening
        parts.seen?.(requestContext, {
          method: request.method,
          caller: { ...strangerOf(revision), client: opening.client },
        })
        return { answer: { result: initializedAlone(requestContext, revision) }, revision }
      }
      return counting === undefined ? opened() : counting.then(opened)
    },
  }
}

function serve(step: ClientRequest, parts: DispatchParts): Answer | Promise<Answer> {
  const { mcpRequest, requestContext } = step
  if (!permits(requestContext.role, 'tool_call') && !LOOKS.has(mcpRequest.method))
    throw roleForbidden(requestContext.role, 'tool_call')
  parts.seen?.(requestContext, mcpRequest)
  const methods = METHODS[mcpRequest.caller.revision === MODERN ? 'modern' : 'legacy']
  const verb = Object.hasOwn(methods, mcpRequest.method) ? methods[mcpRequest.method] : undefined
  return (verb ?? askExtension)(step, parts)
}
