/**
 * The last steps of the road that every verb shares: open the upstream, ask in its era, give the answer back in the caller's.
 *
 * Same era: the request goes on as it came, under our own id. Other era: translated. A modern server's questions reach a legacy
 * client by `ask-client.ts`; a legacy server's questions reach a modern client by `parked-calls.ts`.
 */
import { Fault } from '@toolway/contract'
import {
  adaptError,
  adaptResult,
  askableOf,
  eraOf,
  joinUri,
  reachesLevel,
  rewriteResult,
  type Asked,
  type Caller,
  type Crossing,
  type HeaderParameter,
  type JsonObject,
  type Notification,
  type Request,
} from '@toolway/protocol'
import type { Target } from '../catalog/view.ts'
import { answerRounds, wantsInput } from './ask-client.ts'
import type { Ask } from '../upstreams/upstream.ts'
import type { Answer, Line, Standing, Word } from './ports.ts'
import type { Trail } from './trail.ts'

export interface Forwarding {
  readonly standing: Standing
  readonly line: Line
  readonly trail: Trail
  readonly asked: Asked
  readonly target: Target
  /** The params with the upstream's own name or address in them. */
  readonly params: JsonObject
  readonly headerParameters?: readonly HeaderParameter[]
  readonly wraps?: boolean
}

const NO_METHOD = -32601
const CAPABILITY = -32021

export async function forward(forwarding: Forwarding): Promise<Answer> {
  const { standing, trail, asked, target, wraps = false } = forwarding
  const sameEra = eraOf(asked.caller.revision) === eraOf(target.revision)
  trail.connection = target.alias
  trail.eraUpstream = target.revision
  const answer = await (sameEra ? relay(forwarding) : cross(forwarding))
  if ('question' in answer) return { result: answer.question }
  const crossing: Crossing = { from: target.revision, to: asked.caller.revision, wraps }
  // The server would have asked what this client cannot be asked.
  if ('error' in answer && !sameEra && answer.error.code === CAPABILITY) throw unasked(target)
  if ('error' in answer) return { error: adaptError(asked.method, answer.error, crossing) }
  if (!sameEra && eraOf(target.revision) === 'modern' && wantsInput(answer)) throw unasked(target)
  const adapted = adaptResult(asked.method, answer.result, crossing)
  return { result: standing.view.joined ? rewriteResult(adapted, (uri) => joinUri(target.alias, uri)) : adapted }
}

const notHere = ({ method }: Request): Promise<Answer> =>
  Promise.resolve({ error: { code: NO_METHOD, message: `Not available here: ${method}` } })

/** Same era: as it came, in the client's own session where it has one; a server's state goes out bound and comes back released. */
async function relay(forwarding: Forwarding): Promise<Answer> {
  const { line, asked, params, standing, target } = forwarding
  const bound = params['requestState']
  const rounded = eraOf(target.revision) === 'modern' && ROUNDED.has(asked.method)
  const owner = () => ({ principal: standing.principal.id, digest: digestOf(asked, params, target) })
  const own =
    rounded && bound !== undefined ? { ...params, requestState: standing.states.release(bound, owner()) } : params
  const answer = await exchange(forwarding, own, {
    caller: asked.caller,
    session: line.session,
    signal: line.signal,
    onNotification: (notification) => pass(notification, forwarding),
    onQuestion: (question) => line.question(question),
    onPause: line.pause,
  })
  if (!rounded || 'error' in answer || !wantsInput(answer)) return answer
  const state = answer.result['requestState']
  return typeof state === 'string'
    ? { result: { ...answer.result, requestState: standing.states.bind(state, owner()) } }
    : answer
}

/** Other era: whoever can be asked is asked, each in the way of its own era. */
async function cross(forwarding: Forwarding): Promise<Word> {
  const { line, asked, target, params, standing } = forwarding
  const onNotification = (notification: Notification) => pass(notification, forwarding)
  const quiet = { signal: line.signal, onNotification, onQuestion: notHere, session: undefined }
  if (eraOf(target.revision) === 'modern') {
    const caller = { ...asked.caller, capabilities: line.asks ? askableOf(asked.caller.capabilities) : {} }
    const send = (asking: JsonObject) => exchange(forwarding, asking, { ...quiet, caller })
    const first = await send(params)
    return line.asks && wantsInput(first) ? answerRounds({ line, target, params, send }, first) : first
  }
  const { capabilities } = capabilitiesAt(target, asked.caller)
  const keeps = standing.view.offered.some(
    ({ connectionId, sessions }) => connectionId === target.connectionId && sessions,
  )
  const asks = keeps && ROUNDED.has(asked.method) && Object.keys(capabilities).length > 0
  if (!asks) return exchange(forwarding, params, { ...quiet, caller: { ...asked.caller, capabilities: {} } })
  const { requestState: _, inputResponses: __, ...own } = params
  const caller = { ...asked.caller, capabilities }
  const round = { principal: standing.principal.id, digest: digestOf(asked, own, target), line, params }
  return standing.parked.round(round, ({ signal, onQuestion, onNotification: hear }) =>
    exchange(forwarding, own, {
      caller,
      session: undefined,
      signal,
      onQuestion,
      onNotification: (notification) => wants(notification, asked) && hear(notification),
    }),
  )
}

/** A caller as a server of that era is told of it: a modern client at a legacy server has a session for what it can be asked. */
export const capabilitiesAt = ({ revision }: Pick<Target, 'revision'>, caller: Caller): Caller =>
  eraOf(revision) === 'modern' ? caller : { ...caller, capabilities: askableOf(caller.capabilities) }

/** The methods that may be answered with a question (specification 2026-07-28, multi round-trip requests). */
const ROUNDED = new Set(['tools/call', 'prompts/get', 'resources/read'])

/** What a retry must say again, to the letter; `_meta`, state and answers are each request's own. */
function digestOf(asked: Asked, params: JsonObject, { connectionId }: Target): string {
  const { _meta: _, requestState: __, inputResponses: ___, ...same } = params
  return JSON.stringify([asked.method, connectionId, same])
}

type Speaking = Pick<Ask, 'caller' | 'session' | 'signal' | 'onNotification' | 'onQuestion' | 'onPause'>

const exchange = (
  { standing, asked, target, headerParameters = [] }: Forwarding,
  params: JsonObject,
  speaking: Speaking,
) =>
  standing
    .upstream(target.connectionId)
    .ask({ method: asked.method, params, owner: standing.principal.id, headerParameters, ...speaking })

const unasked = ({ alias, revision }: Target) => new Fault('upstream.question', { connection: alias, revision })

/** What a modern client is told of on a listen stream and nowhere else (specification 2026-07-28, subscriptions), or not at all. */
const NOT_OF_REQUESTS = new Set([
  'notifications/tools/list_changed',
  'notifications/prompts/list_changed',
  'notifications/resources/list_changed',
  'notifications/resources/updated',
  'notifications/elicitation/complete',
])

/**
 * Log lines reach a caller from the level that it named; a modern one, only when this very request named one (specification
 * 2026-07-28, logging). A question that a server takes back has another name at our door.
 */
function wants({ method, params }: Notification, { caller }: Asked): boolean {
  const legacy = eraOf(caller.revision) === 'legacy'
  if (method === 'notifications/cancelled') return false
  if (method !== 'notifications/message') return legacy || !NOT_OF_REQUESTS.has(method)
  return caller.logLevel === undefined ? legacy : reachesLevel(params?.['level'], caller.logLevel)
}

function pass(notification: Notification, { line, asked, target, standing }: Forwarding): void {
  if (!wants(notification, asked)) return
  const uri = notification.params?.['uri']
  if (standing.view.joined && typeof uri === 'string') {
    line.notify({ ...notification, params: { ...notification.params, uri: joinUri(target.alias, uri) } })
  } else line.notify(notification)
}
