/** Reading one resource: its address names its connection, and the server's own address goes upstream. */
import { Fault } from '@toolway/contract'
import { eraOf, type McpRequest } from '@toolway/protocol'
import { PAGE_URI_PREFIX } from '../catalog/own-names.ts'
import type { Offered, Target } from '../catalog/tool-listing.ts'
import { forward } from './forward.ts'
import type { Answer } from '../upstreams/upstream.ts'
import type { CallParts } from './call-parts.ts'
import type { Session } from '../sessions/sessions.ts'
import type { RequestContext } from '../snapshot/ports/request-context.ts'
import type { ClientRequest } from './request.ts'
import { hearSession } from './listening/session-event-sinks.ts'
import { readPage } from './page-names.ts'
import { readByCall } from './resource-by-call.ts'
import { readKept } from './result-processing/read-result.ts'

export function targetOf(requestContext: RequestContext, mcpRequest: McpRequest): Target {
  const { uri } = mcpRequest.params
  if (typeof uri !== 'string') throw new Fault('params.shape', { place: '/uri', problem: 'must be a string' })
  const target = requestContext.toolListing.resource(uri)
  if (target === undefined) throw new Fault('resource.unknown', { uri }, { data: { uri } })
  return target
}

export async function readResource(request: ClientRequest, parts: CallParts): Promise<Answer> {
  const { requestContext, mcpRequest, audit } = request
  const kept = await readKept(parts, requestContext, mcpRequest)
  if (kept !== undefined) {
    audit.note({ target: withoutSecrets(String(mcpRequest.params['uri'])) })
    return kept
  }
  const { uri } = mcpRequest.params
  if (requestContext.toolListing.joined && typeof uri === 'string' && uri.startsWith(PAGE_URI_PREFIX))
    return readPage(request, parts, { uri, read: (target) => readAt(request, parts, target) })
  return readAt(request, parts, targetOf(requestContext, mcpRequest))
}

async function readAt(request: ClientRequest, parts: CallParts, target: Target): Promise<Answer> {
  const { requestContext, mcpRequest, audit } = request
  audit.note({ target: withoutSecrets(target.name) })
  const { callFor } = requestContext.upstream(target.connectionId)
  if (callFor !== undefined) return readByCall({ ...request, target, inner: await callFor(target.name) }, parts)
  return forward({ ...request, parts, target, params: { ...mcpRequest.params, uri: target.name } })
}

/** A session that watches more than this, at all servers together, is refused: each address is kept, stored and told. */
const MOST_WATCHED = 1_000
const LONGEST_WATCHED = 4_096
const MOST_CHARACTERS = 256 * 1024

/** Watching a resource is for clients with a session, at servers that tell of it to one session only; modern clients listen. */
export const subscribeResource = (step: ClientRequest, parts: CallParts): Promise<Answer> =>
  watch(step, parts, (watched, uri) => {
    if (uri.length > LONGEST_WATCHED)
      throw new Fault('params.shape', { place: '/uri', problem: `must be shorter than ${LONGEST_WATCHED} characters` })
    const all = [...(step.channel.session?.watched.values() ?? [])].flatMap((uris) => [...uris])
    const characters = all.reduce((sum, value) => sum + value.length, uri.length)
    if (!watched.has(uri) && (all.length >= MOST_WATCHED || characters > MOST_CHARACTERS))
      throw new Fault('params.shape', {
        place: '/uri',
        problem: `exceeds the limit of ${MOST_WATCHED} subscriptions at once, or of ${MOST_CHARACTERS} characters in them`,
      })
    watched.add(uri)
  })

export const unsubscribeResource = (step: ClientRequest, parts: CallParts): Promise<Answer> =>
  watch(step, parts, (watched, uri) => watched.delete(uri))

/** The parts that listening needs. */
type ListenParts = Pick<CallParts, 'credentials' | 'tasks'>

async function watch(
  { requestContext, mcpRequest, channel }: ClientRequest,
  parts: ListenParts,
  change: (watched: Set<string>, uri: string) => void,
): Promise<Answer> {
  const target = targetOf(requestContext, mcpRequest)
  const { session } = channel
  if (session === undefined) throw new Fault('method.unknown', { method: mcpRequest.method })
  const watched = session.watched.get(target.connectionId) ?? new Set<string>()
  session.watched.set(target.connectionId, watched)
  const before = watched.has(target.name)
  change(watched, target.name)
  session.changed()
  // A subscription that is not in force is not stored: a restored session could not have it either, and would end.
  const giveUp = () => {
    if (watched.delete(target.name)) session.changed()
  }
  const honoured = await hearSession(parts, requestContext, session, target).catch((thrown: unknown) => {
    if (!before) giveUp()
    throw thrown
  })
  if (watched.has(target.name) && !honoured.uris.includes(target.name)) {
    giveUp()
    throw new Fault('resource.unwatched', { uri: String(mcpRequest.params['uri']), connection: target.alias })
  }
  return { result: {} }
}

/** Have the servers of a session that lives again told what it hears. Rejects when one is not there or does not take it. */
export async function watchAgain(parts: ListenParts, requestContext: RequestContext, session: Session): Promise<void> {
  const { offered } = requestContext.toolListing
  for (const [connection, uris] of session.watched)
    if (uris.size > 0 && offered.every(({ connectionId }) => connectionId !== connection))
      throw new Fault('place.unknown')
  await Promise.all(
    offered.map(async (item) => {
      const { connectionId, alias } = item
      const uris = session.watched.get(connectionId) ?? new Set()
      if (uris.size === 0) return logsBeside(item, session) ? hearLogs(parts, requestContext, session, item) : undefined
      const { uris: honoured } = await hearSession(parts, requestContext, session, item)
      for (const uri of uris)
        if (!honoured.includes(uri)) throw new Fault('resource.unwatched', { uri, connection: alias })
    }),
  )
}

/** A failed subscription to log messages does not end the session. */
async function hearLogs(
  parts: ListenParts,
  requestContext: RequestContext,
  session: Session,
  offered: Offered,
): Promise<void> {
  await hearSession(parts, requestContext, session, offered).catch(() => {})
}

/** Whether log lines may come to it beside its calls. */
const logsBeside = ({ capabilities, revision }: Offered, { caller }: Session): boolean =>
  caller.logLevel !== undefined && capabilities['logging'] !== undefined && eraOf(revision) === 'legacy'

/** An address as a record may hold it: user names, passwords and queries stay out. */
function withoutSecrets(uri: string): string {
  const plain = uri.split(/[?#]/, 1)[0] ?? ''
  return plain.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/@]*@/i, '$1')
}
