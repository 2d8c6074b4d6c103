/**
 * The last steps of the road that every verb shares: open the upstream, ask in its era, give the answer back in the caller's.
 *
 * Same era: the request goes on as it came, under our own id. Other era: translated. A modern server's questions reach a legacy
 * client by `ask-client.ts`; a legacy server's questions reach a modern client by `suspended-calls.ts`.
 */
import { Fault, kindOf } from '@toolway/contract'
import {
  adaptError,
  adaptResult,
  APPS,
  carriesTask,
  askableOf,
  declares,
  eraOf,
  isObject,
  joinUri,
  reachesLevel,
  readResult,
  keepExtensions,
  MODERN,
  NEWEST_LEGACY,
  rewriteResult,
  TASKS,
  wantsInput,
  withDigits,
  withoutBaggage,
  type McpRequest,
  type Caller,
  type Crossing,
  type Era,
  type HeaderParameter,
  type JsonObject,
  type Notification,
  type Request,
} from '@toolway/protocol'
import { withOwnIdentity } from './introduce.ts'
import { keepsTasks, type Target } from '../catalog/tool-listing.ts'
import { answerRounds } from './questions/ask-client.ts'
import { fileIdOf } from '../snapshot/ports/file-store.ts'
import type { CallerFiles } from '../upstreams/caller-files.ts'
import { OtherEraMissing } from '../upstreams/other-era.ts'
import type { Ask, Answer } from '../upstreams/upstream.ts'
import {
  heardLater,
  notificationWithGatewayTaskIds,
  askWithGatewayTaskIds,
  withGatewayTaskIds,
  URL_FIRST,
} from './own-names.ts'
import type { CallParts } from './call-parts.ts'
import type { ResumableCall, Word } from './questions/question-ports.ts'
import type { ClientChannel } from '../snapshot/ports/client-channel.ts'
import type { RequestContext } from '../snapshot/ports/request-context.ts'
import { askingAsTask, callAsTask, taskForLegacy } from './tasks/task-crossing.ts'
import type { AuditEntryBuilder } from './audit-entry.ts'
import { askAgain, askOnce, askSurely } from './ask-upstream.ts'
import { goesAsLegacy, judgeEra, ROUNDED } from './choose-era.ts'
import { sayAccount, withAccount, type Asking } from './credentials/use-credential.ts'
import { comesBack } from './questions/auth-elicitation.ts'
import { askUrls, refuseUnopened } from './questions/url-first.ts'

export interface Forwarding {
  readonly parts: CallParts
  readonly requestContext: RequestContext
  readonly channel: ClientChannel
  readonly audit: AuditEntryBuilder
  readonly mcpRequest: McpRequest
  readonly target: Target
  /** The params with the upstream's own name or address in them. */
  readonly params: JsonObject
  readonly headerParameters?: readonly HeaderParameter[]
  readonly wraps?: boolean
  /** Its server runs it as a task only. */
  readonly needsTask?: boolean
  /** It may take as long as its caller waits. */
  readonly patient?: boolean
  /** The account that the caller named. */
  readonly account?: string | undefined
  /** The stored files of the caller, for connections that know of them. */
  readonly files?: CallerFiles | undefined
  /** It goes in the legacy era, although its server is known as a modern one. */
  readonly asLegacy?: true
}

const NO_METHOD = -32601
const CAPABILITY = -32021

export async function forward(forwarding: Forwarding): Promise<Answer> {
  const { parts, requestContext, channel, audit, mcpRequest, params, wraps = false } = forwarding
  const { connectionId, alias, credentials } = forwarding.target
  audit.note({ connection: alias, eraUpstream: forwarding.target.revision })
  // Never called with something else than its caller thinks; whether another connection takes it is said where it is opened.
  if (channel.passThroughToken !== undefined && credentials !== true)
    throw new Fault('credential.brought', { connection: alias })
  const counting = parts.limits.connection(connectionId, alias)
  if (counting !== undefined) await counting
  audit.enter('record')
  await audit.writeAhead()
  audit.enter('upstream')
  const first = params['requestState'] !== undefined && comesBack(params) ? await goOn(forwarding) : forwarding
  const isAskable = declaresQuestions(mcpRequest.caller)
  const isRound = first.params['requestState'] !== undefined || first.params['inputResponses'] !== undefined
  let going = (isAskable || isRound) && goesAsLegacy(first) ? inEra(first, 'legacy') : first
  // A later round belongs to the call that asked: it is never begun anew.
  let isJudged = !isAskable || isRound
  let answer: Word | undefined
  for (let turn = 0; answer === undefined; turn++) {
    try {
      answer = await (isSameEra(going) ? relay(going) : cross(going))
    } catch (thrown) {
      if (thrown instanceof OtherEraMissing && going.asLegacy === true) {
        going = inEra(going, 'modern')
        continue
      }
      const said = await parts.authElicitation.ask(resumableOf(going), thrown, turn)
      if (said !== undefined) return said
    }
    if (isJudged || answer === undefined || 'question' in answer || !isComplaint(answer)) continue
    isJudged = true
    const verdict = judgeEra(going, answer)
    if ('again' in verdict) [going, answer] = [inEra(going, verdict.again), undefined]
    else answer = verdict.answer
  }
  const { target } = going
  const sameEra = isSameEra(going)
  audit.enter('result')
  if ('question' in answer) return sayAccount({ result: answer.question }, audit)
  const crossing: Crossing = { from: target.revision, to: mcpRequest.caller.revision, wraps }
  // The server would have asked what this client cannot be asked.
  if ('error' in answer && !sameEra && answer.error.code === CAPABILITY) throw unasked(target)
  if ('error' in answer) audit.note({ errorText: answer.error.message })
  if ('error' in answer) return { error: adaptError(mcpRequest.method, answer.error, crossing) }
  if (!sameEra && eraOf(target.revision) === 'modern' && wantsInput(answer.result)) throw unasked(target)
  const extended = !requestContext.toolListing.joined || hasOwnExtension(mcpRequest.caller)
  const read = readResult(mcpRequest.method, answer.result, { revision: target.revision, extended })
  const adapted = adaptResult(mcpRequest.method, read, crossing)
  const result = requestContext.toolListing.joined ? rewriteResult(adapted, (uri) => exposed(target, uri)) : adapted
  return {
    result: withAccount(
      withOwnIdentity(withoutOurWords(result), requestContext, mcpRequest.caller.revision),
      audit.facts.account,
    ),
  }
}

/** A client that can be asked nothing is served in the era of the connection, whatever its server speaks. */
const declaresQuestions = ({ capabilities }: Caller): boolean =>
  'elicitation' in capabilities || 'sampling' in capabilities || 'roots' in capabilities

/** A failure, or a question: an answer that may show that its item needs another era. */
const isComplaint = (answer: Answer): boolean =>
  'error' in answer || answer.result['isError'] === true || wantsInput(answer.result)

const isSameEra = ({ mcpRequest, target }: Forwarding): boolean =>
  eraOf(mcpRequest.caller.revision) === eraOf(target.revision)

/** The same request to a server that speaks both eras, in that one. */
function inEra(forwarding: Forwarding, era: Era): Forwarding {
  const { target, audit } = forwarding
  const revision = era === 'legacy' ? NEWEST_LEGACY : MODERN
  audit.note({ eraUpstream: revision })
  const { asLegacy: _, ...same } = forwarding
  return { ...same, target: { ...target, revision }, ...(era === 'legacy' ? { asLegacy: true } : {}) }
}

/** An extension may give blocks of content of its own, which are its client's to read. */
function hasOwnExtension({ capabilities }: Caller): boolean {
  const { extensions } = capabilities
  return isObject(extensions) && Object.keys(extensions).some((name) => name !== APPS && name !== TASKS)
}

/** A stored file keeps its address, where the connection is one that gives them. */
const exposed = ({ alias, usesFiles }: Target, uri: string): string =>
  usesFiles === true && fileIdOf(uri) !== undefined ? uri : joinUri(alias, uri)

/** A modern client is back from the question which account to connect: the request as it was before. */
async function goOn(forwarding: Forwarding): Promise<Forwarding> {
  return { ...forwarding, params: await forwarding.parts.authElicitation.resume(resumableOf(forwarding)) }
}

function resumableOf(forwarding: Forwarding): ResumableCall {
  const { requestContext, channel, audit, mcpRequest, target, params, account } = forwarding
  const { organizationId, principal } = requestContext
  return {
    mcpRequest,
    channel,
    params,
    alias: target.alias,
    digest: digestOf(forwarding, params),
    goesOn: !audit.facts.mayHaveActed && !audit.facts.questioned,
    asking: {
      organizationId,
      connectionId: target.connectionId,
      principal,
      account,
      passThroughToken: channel.passThroughToken,
    },
    audit,
  }
}

const notHere = ({ method }: Request): Promise<Answer> =>
  Promise.resolve({ error: { code: NO_METHOD, message: `Not available here: ${method}` } })

/** Same era: as it came, in the client's own session where it has one; a server's state goes out bound and comes back released. */
async function relay(forwarding: Forwarding): Promise<Answer> {
  const { parts, channel, mcpRequest, params, requestContext, audit, target } = forwarding
  const bound = params['requestState']
  const rounded = eraOf(target.revision) === 'modern' && ROUNDED.has(mcpRequest.method)
  const owner = () => ({ principal: requestContext.principal.id, digest: digestOf(forwarding, params) })
  const own =
    rounded && bound !== undefined ? { ...params, requestState: parts.states.release(bound, owner()) } : params
  const ask = askOf(forwarding, own, {
    caller: carried(mcpRequest, requestContext),
    session: channel.session,
    signal: channel.signal,
    onNotification: (notification) => pass(notification, forwarding),
    onQuestion(question) {
      audit.note({ questioned: true })
      return askWithGatewayTaskIds(forwarding, question)
    },
    onPause: channel.pause,
  })
  let answer: Answer
  try {
    answer = await askOnce(forwarding, ask)
  } catch (thrown) {
    answer = await askAgain(forwarding, ask, thrown)
  }
  if ('error' in answer) {
    heardLater(forwarding, answer.error)
    return answer
  }
  const result = carriesTask(answer.result) ? withGatewayTaskIds(forwarding, answer.result) : answer.result
  const state = rounded && wantsInput(answer.result) ? result['requestState'] : undefined
  if (typeof state === 'string') return { result: { ...result, requestState: parts.states.bind(state, owner()) } }
  return result === answer.result ? answer : { result }
}

/** Joined, a server hears only of extensions that the endpoint serves: what it would answer by another could not be followed up. */
function carried({ caller }: McpRequest, { toolListing }: RequestContext): McpRequest['caller'] {
  if (!toolListing.joined || caller.capabilities['extensions'] === undefined) return caller
  return { ...caller, capabilities: keepExtensions(caller.capabilities, isServed) }
}
const isServed = (extension: string) => extension === APPS || extension === TASKS

/**
 * The client capabilities that cross the eras: the questions that it answers, and its extensions; tasks have a bridge of their
 * own.
 */
function crossable(
  { caller: { capabilities } }: McpRequest,
  { toolListing }: RequestContext,
  asks: boolean,
): JsonObject {
  const carries = (extension: string) => extension !== TASKS && (!toolListing.joined || isServed(extension))
  const { extensions } = keepExtensions(capabilities, carries)
  return { ...(asks ? askableOf(capabilities) : {}), ...(isObject(extensions) ? { extensions } : {}) }
}

/** Other era: whoever can be asked is asked, each in the way of its own era. */
async function cross(forwarding: Forwarding): Promise<Word> {
  const { channel, mcpRequest, target, params } = forwarding
  const onNotification = (notification: Notification) => pass(notification, forwarding)
  const quiet = { signal: channel.signal, onNotification, onQuestion: notHere, session: undefined }
  if (eraOf(target.revision) === 'modern') {
    const { task, ...own } = params
    const asTask = isObject(task) && offersTasks(forwarding)
    const able = crossable(mcpRequest, forwarding.requestContext, channel.asks)
    const caller = { ...mcpRequest.caller, capabilities: asTask ? askingAsTask(able) : able }
    const send = (asking: JsonObject) => exchange(forwarding, asking, { ...quiet, caller })
    const first = await send(own)
    if (channel.asks && asksFirst(first)) forwarding.audit.note({ questioned: true })
    const last =
      channel.asks && asksFirst(first) ? await answerRounds({ channel, target, params: own, send }, first) : first
    return asTask && !asksFirst(last) ? taskForLegacy(forwarding, last) : last
  }
  if (forwarding.needsTask === true && declares(mcpRequest.caller.capabilities, TASKS))
    return callAsTask(forwarding, (speaking, task) =>
      exchange(forwarding, { ...params, task }, { ...quiet, ...speaking }),
    )
  const answer = await crossToLegacy(forwarding, quiet)
  return 'error' in answer && answer.error.code === URL_FIRST && ROUNDED.has(mcpRequest.method)
    ? askUrls(mcpRequest, answer.error)
    : answer
}

const asksFirst = (answer: Answer): boolean => 'result' in answer && wantsInput(answer.result)

const offersTasks = ({ mcpRequest, requestContext, target }: Forwarding): boolean =>
  mcpRequest.caller.revision === NEWEST_LEGACY &&
  requestContext.toolListing.offered.some((item) => item.connectionId === target.connectionId && keepsTasks(item))

type Quiet = Pick<Ask, 'signal' | 'onNotification' | 'onQuestion' | 'session'>

async function crossToLegacy(forwarding: Forwarding, quiet: Quiet): Promise<Word> {
  const { parts, channel, mcpRequest, target, params, requestContext, audit } = forwarding
  if (params['requestState'] === undefined) refuseUnopened(target.alias, params['inputResponses'])
  const { capabilities } = callerAt(requestContext, target, mcpRequest)
  const asks = ROUNDED.has(mcpRequest.method) && Object.keys(capabilities).length > 0
  const { requestState: _, inputResponses: __, ...own } = params
  if (!asks) return exchange(forwarding, own, { ...quiet, caller: { ...mcpRequest.caller, capabilities: {} } })
  const caller = { ...mcpRequest.caller, capabilities }
  const round = { principal: requestContext.principal.id, digest: digestOf(forwarding, own), channel, params }
  return parts.suspended.round(round, ({ signal, onQuestion, onNotification: hear }) =>
    exchange({ ...forwarding, channel: { ...channel, signal } }, own, {
      caller,
      session: undefined,
      signal,
      onQuestion(question) {
        audit.note({ questioned: true })
        return onQuestion(question)
      },
      onNotification: (notification) => wants(notification, mcpRequest) && hear(notification),
    }),
  )
}

/** A caller as a server of that era is told of it: a modern client at a legacy server has a session for what it can be asked. */
export const callerAt = (
  requestContext: RequestContext,
  { revision }: Pick<Target, 'revision'>,
  mcpRequest: McpRequest,
): Caller =>
  eraOf(revision) === 'modern'
    ? mcpRequest.caller
    : { ...mcpRequest.caller, capabilities: crossable(mcpRequest, requestContext, true) }

/** The part of a request that a retry must repeat exactly; `_meta`, state and answers belong to each request. */
function digestOf(
  { mcpRequest, target, account }: Pick<Forwarding, 'mcpRequest' | 'target' | 'account'>,
  params: JsonObject,
) {
  const { _meta: _, requestState: __, inputResponses: ___, ...same } = params
  return JSON.stringify([mcpRequest.method, target.connectionId, same, account])
}

/** What a connection to the gateway itself works with. */
function operatingOf(
  { parts, requestContext, audit, target }: Forwarding,
  signal: AbortSignal,
): Pick<Ask, 'operate' | 'approved'> {
  const { operate } = parts
  if (target.connector !== 'platform' || operate === undefined) return {}
  const { principal, organization } = requestContext
  const { correlationId, from } = audit
  return {
    operate: (operation, value) =>
      operate({ operation, given: value, principal, organization, correlationId, from, signal }),
    approved: audit.facts.approval !== undefined,
  }
}

/** Members of `_meta` by which the gateway tells what it did itself; a server that writes them would speak in its name. */
const OUR_WORDS = ['fault', 'account', 'policy', 'budget', 'output', 'error'].map((name) => `dev.toolway/${name}`)

function withoutOurWords(result: JsonObject): JsonObject {
  const { _meta: meta } = result
  if (!isObject(meta) || !OUR_WORDS.some((name) => Object.hasOwn(meta, name))) return result
  return { ...result, _meta: Object.fromEntries(Object.entries(meta).filter(([name]) => !OUR_WORDS.includes(name))) }
}

type Speaking = Pick<Ask, 'caller' | 'session' | 'signal' | 'onNotification' | 'onQuestion' | 'onPause'>

const askOf = (forwarding: Forwarding, params: JsonObject, speaking: Speaking): Asking => {
  const { parts, requestContext, mcpRequest, audit, headerParameters = [], patient = false } = forwarding
  return {
    method: mcpRequest.method,
    params: exactly(forwarding, parts.passesBaggage ? params : withoutBaggage(params)),
    owner: requestContext.principal.id,
    headerParameters,
    patient,
    correlationId: audit.correlationId,
    callId: audit.callId,
    onBehalf: requestContext.principal.behalf,
    ...operatingOf(forwarding, speaking.signal),
    ...(forwarding.files === undefined ? {} : { files: forwarding.files }),
    ...(forwarding.asLegacy === true ? { asLegacy: true } : {}),
    ...speaking,
  }
}

/** A server gets the digits that the client wrote, where nothing has changed a number since and its kind can write them. */
function exactly({ mcpRequest, target }: Forwarding, params: JsonObject): JsonObject {
  const given = params['arguments']
  if (given === undefined) return params
  const exact = withDigits(given, mcpRequest.params['arguments'])
  if (exact === given || kindOf(target.connector ?? '')?.keepsDigits !== true) return params
  return { ...params, arguments: exact }
}

const exchange = (forwarding: Forwarding, params: JsonObject, speaking: Speaking): Promise<Answer> =>
  askSurely(forwarding, askOf(forwarding, params, speaking))

const unasked = ({ alias, revision }: Target) => new Fault('upstream.question', { connection: alias, revision })

/** Notifications that a modern client gets only on a listen stream (specification 2026-07-28, subscriptions), or not at all. */
const NOT_OF_REQUESTS = new Set([
  'notifications/tools/list_changed',
  'notifications/prompts/list_changed',
  'notifications/resources/list_changed',
  'notifications/resources/updated',
  'notifications/elicitation/complete',
  'notifications/tasks/status',
  'notifications/tasks',
])
/** Notifications of modern servers that the legacy revisions do not define. */
const UNKNOWN_TO_LEGACY = new Set(['notifications/tasks'])

/**
 * Log lines reach a caller from the level that it named; a modern one, only when this very request named one (specification
 * 2026-07-28, logging). A question that a server takes back has another name at our door.
 */
function wants({ method, params }: Notification, { caller }: McpRequest): boolean {
  const legacy = eraOf(caller.revision) === 'legacy'
  if (method === 'notifications/cancelled') return false
  if (method !== 'notifications/message') return !(legacy ? UNKNOWN_TO_LEGACY : NOT_OF_REQUESTS).has(method)
  return caller.logLevel === undefined ? legacy : reachesLevel(params?.['level'], caller.logLevel)
}

/** The limits for notifications of one call beside its answer: number and bytes. Notifications beyond them are dropped. */
const MOST_NOTIFICATIONS = { count: 10_000, bytes: 8 * 1024 * 1024 }

/** Whether a call has room for one more. */
function hasRoom(notification: Notification, { audit }: Forwarding): boolean {
  const { count, bytes } = audit.facts.notifications
  if (count >= MOST_NOTIFICATIONS.count || bytes >= MOST_NOTIFICATIONS.bytes) return false
  const passed = { count: count + 1, bytes: bytes + Buffer.byteLength(JSON.stringify(notification)) }
  audit.note({ notifications: passed })
  return passed.bytes <= MOST_NOTIFICATIONS.bytes
}

function pass(received: Notification, forwarding: Forwarding): void {
  const { channel, mcpRequest, target, requestContext } = forwarding
  if (!wants(received, mcpRequest) || !hasRoom(received, forwarding)) return
  const notification = notificationWithGatewayTaskIds(forwarding, received)
  if (notification === undefined) return
  const uri = notification.params?.['uri']
  if (requestContext.toolListing.joined && typeof uri === 'string') {
    channel.notify({ ...notification, params: { ...notification.params, uri: joinUri(target.alias, uri) } })
  } else channel.notify(notification)
}
