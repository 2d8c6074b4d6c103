/**
 * The last steps of the road that every verb shares: open the upstream, ask in its era, give the answer back in the caller's.
 *
 * Same era: the request goes on as it came, under our own id. Other era: translated. A modern server's questions reach a legacy
 * client by `ask-client.ts`; a legacy server's questions do not reach a modern client yet and are refused in words.
 */
import { Fault } from '@toolway/contract'
import {
  adaptError,
  adaptResult,
  askableOf,
  eraOf,
  joinUri,
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
import type { Answer, Line, Standing } from './ports.ts'
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
  const { standing, line, trail, asked, target, params, headerParameters = [], wraps = false } = forwarding
  const sameEra = eraOf(asked.caller.revision) === eraOf(target.revision)
  trail.connection = target.alias
  trail.eraUpstream = target.revision
  const upstream = standing.upstream(target.connectionId)
  const send = (asking: JsonObject) =>
    upstream.ask({
      method: asked.method,
      params: asking,
      caller: sameEra ? asked.caller : callerAcross(asked.caller, target, line),
      session: sameEra && line.session !== undefined ? line.session : undefined,
      owner: standing.principal.id,
      headerParameters,
      signal: line.signal,
      onNotification: (notification) => pass(notification, forwarding, sameEra),
      onQuestion: (question) => (sameEra ? line.question(question) : notHere(question)),
    })
  const first = await send(params)
  const answer =
    !sameEra && line.asks && wantsInput(first) ? await answerRounds({ line, target, params, send }, first) : first
  const crossing: Crossing = { from: target.revision, to: asked.caller.revision, wraps }
  // The server would have asked what this client cannot be asked.
  if ('error' in answer && !sameEra && answer.error.code === CAPABILITY) throw unasked(target)
  if ('error' in answer) return { error: adaptError(asked.method, answer.error, crossing) }
  if (!sameEra && answer.result['resultType'] === 'input_required') throw unasked(target)
  const adapted = adaptResult(asked.method, answer.result, crossing)
  return { result: standing.view.joined ? rewriteResult(adapted, (uri) => joinUri(target.alias, uri)) : adapted }
}

/** Across eras only that is announced which can be carried: a legacy client's session can be asked, a modern client cannot yet. */
const callerAcross = (caller: Caller, target: Target, { asks }: Line): Caller => ({
  ...caller,
  capabilities: asks && eraOf(target.revision) === 'modern' ? askableOf(caller.capabilities) : {},
})

const notHere = ({ method }: Request): Promise<Answer> =>
  Promise.resolve({ error: { code: NO_METHOD, message: `Not available here: ${method}` } })

const unasked = ({ alias, revision }: Target) => new Fault('upstream.question', { connection: alias, revision })

/** Log lines reach a modern caller only when this very request asked for them (specification 2026-07-28, logging). */
function pass(notification: Notification, { line, asked, target, standing }: Forwarding, sameEra: boolean): void {
  const isLog = notification.method === 'notifications/message'
  if (isLog && !sameEra && asked.caller.logLevel === undefined) return
  const uri = notification.params?.['uri']
  if (standing.view.joined && typeof uri === 'string') {
    line.notify({ ...notification, params: { ...notification.params, uri: joinUri(target.alias, uri) } })
  } else line.notify(notification)
}
