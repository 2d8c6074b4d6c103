/**
 * An upstream of revision 2026-07-28 over Streamable HTTP: every request stands alone, and its answer is one message or
 * a stream that ends with it. Closing the exchange is the cancellation.
 */
import { Fault } from '@toolway/contract'
import {
  APPS,
  APPS_SETTINGS,
  headersFor,
  isFailure,
  isNotification,
  isObject,
  isResponse,
  metaOf,
  MODERN,
  progressTokenOf,
  SERVER_KEY,
  TASKS,
  traceHeaders,
  writeEnvelope,
  type Caller,
  type ErrorBody,
  type HeaderParameter,
  type Json,
  type JsonObject,
  type Message,
  type Notification,
} from '@toolway/protocol'
import { errorAnswer } from '../error-answer.ts'
import { forCaller, type Answer, type Portrait, type Presented } from '../upstream.ts'
import { maskedError, maskedResult, readAs, send, type Wire } from './post.ts'
import { refuseStatus } from './refusal.ts'

export const OWN_CLIENT: JsonObject = { name: 'toolway', version: '0.1.0' }
/** Lists are asked for as a host that shows apps asks: servers offer their apps to no other (MCP Apps, negotiation). */
export const OWN_CAPABILITIES: JsonObject = { extensions: { [APPS]: APPS_SETTINGS } }
export const NOBODY: Caller = {
  revision: MODERN,
  capabilities: OWN_CAPABILITIES,
  client: OWN_CLIENT,
  logLevel: undefined,
}

const HEADER_MISMATCH = -32020
const VERSION_UNKNOWN = -32022

type Ids = () => number

export interface Exchange {
  readonly method: string
  readonly params: JsonObject
  readonly caller: Caller
  readonly headerParameters?: readonly HeaderParameter[]
  readonly signal: AbortSignal
  readonly patient?: boolean
  readonly credential?: Presented | undefined
  onNotification?(notification: { jsonrpc: '2.0'; method: string; params?: JsonObject }): void
}

/** Send one request and read what belongs to it. Throws `upstream.*` faults; an error of the server is an answer. */
export async function exchange(wire: Wire, ids: Ids, asked: Exchange): Promise<Answer> {
  const id = ids()
  const token = progressTokenOf(asked.params)
  const ours = token === undefined ? undefined : `p${id}`
  const params = writeEnvelope(asked.params, asked.caller, ours)
  const incoming = await send(wire, {
    method: 'POST',
    headers: Object.assign(headersFor(asked.method, params, asked.headerParameters ?? []), traceHeaders(params)),
    body: JSON.stringify({ jsonrpc: '2.0', id, method: asked.method, params }),
    signal: asked.signal,
    until: id,
    patient: asked.patient === true,
    // A modern server sends no requests; one that does is not answered, and its stream goes on.
    onMessage(message) {
      const heard = isNotification(message) ? forCaller(message, ours, token) : undefined
      if (heard !== undefined) asked.onNotification?.(heard)
    },
  })
  if (incoming.response !== undefined) return answerOf(wire, id, incoming.response)
  refuseStatus(wire, incoming)
  if (incoming.stream) throw new Fault('upstream.lost', { connection: wire.alias })
  return answerOf(wire, id, readAs(wire, incoming.text))
}

function answerOf(wire: Wire, id: number, message: Message): Answer {
  // An error that the server could not attribute belongs to the only request of this exchange.
  if (!isResponse(message) || (message.id !== id && !(isFailure(message) && message.id === undefined))) {
    throw new Fault('upstream.malformed', { connection: wire.alias, problem: 'its answer is for another request' })
  }
  return isFailure(message) ? failureOf(wire, message.error) : { result: maskedResult(wire, message.result) }
}

/** A server's error as an answer, unless it is about what the gateway itself wrote. */
export function failureOf(wire: Pick<Wire, 'alias' | 'mask'>, error: ErrorBody): Answer {
  const { code } = error
  // These two describe the gateway's own request; the caller's hop was in order.
  if (code === HEADER_MISMATCH || code === VERSION_UNKNOWN) {
    const problem = `it refuses the request's envelope (${code})`
    throw new Fault(
      'upstream.malformed',
      { connection: wire.alias, problem },
      { cause: new Refused(maskedError(wire, error)) },
    )
  }
  return { error: maskedError(wire, error) }
}

/** The error with which a server refused an envelope, for whoever may try again. */
class Refused extends Error {
  readonly error: ErrorBody
  constructor(error: ErrorBody) {
    super(error.message)
    this.error = error
  }
}

/** Throws `upstream.error` or `upstream.malformed` for what is no answer to discovery, as a legacy server gives to a method that it does not know. */
export async function discover(wire: Wire, ids: Ids, signal: AbortSignal): Promise<Portrait> {
  const ask = () => exchange(wire, ids, { method: 'server/discover', params: {}, caller: NOBODY, signal })
  // A server that refuses the revision and names it among its own is asked once more (2026-07-28, version negotiation).
  const answer = await ask().catch((thrown: unknown) => {
    if (speaksOurs(thrown)) return ask()
    throw thrown
  })
  return discovered(answer, wire.alias)
}

/** What an answer to discovery says; every server of this era names its revisions in it. Throws `upstream.error`, `upstream.malformed`. */
export function discovered(answer: Answer, connection: string): Portrait {
  const refuse = (problem: string) =>
    new Fault('upstream.malformed', { connection, problem: `server/discover: ${problem}` })
  if ('error' in answer) throw errorAnswer(connection, 'server/discover', answer.error)
  if (!includesModern(answer.result['supportedVersions'])) throw refuse(`it does not say that it speaks ${MODERN}`)
  return portraitOf(answer.result)
}

const includesModern = (versions: Json | undefined): boolean => Array.isArray(versions) && versions.includes(MODERN)

function speaksOurs(thrown: unknown): boolean {
  const refused = thrown instanceof Fault && thrown.cause instanceof Refused ? thrown.cause.error : undefined
  return refused?.code === VERSION_UNKNOWN && isObject(refused.data) && includesModern(refused.data['supported'])
}

function portraitOf(result: JsonObject): Portrait {
  const { capabilities, instructions } = result
  const server = metaOf({ _meta: result['_meta'] ?? null })[SERVER_KEY]
  return {
    revision: MODERN,
    server: isObject(server) ? server : {},
    capabilities: isObject(capabilities) ? capabilities : {},
    instructions: typeof instructions === 'string' ? instructions : undefined,
  }
}

/** What a listen stream is asked to tell of (specification 2026-07-28, subscriptions). */
export interface ListenOptions {
  readonly filter: JsonObject
  /** Whether tasks are among it: an extension is off unless it is declared. */
  readonly tasks: boolean
  readonly signal: AbortSignal
  readonly credential?: Presented | undefined
  onNotification(notification: Notification): void
  /** The server has acknowledged, with what it honours of the filter. */
  onOpen(honoured: JsonObject | undefined): void
}

/** One listen stream; returns when it ends. */
export const listen = (wire: Wire, ids: Ids, options: ListenOptions): Promise<Answer> =>
  exchange(wire, ids, listening(options))

export const listening = ({ filter, tasks, signal, onNotification, onOpen }: ListenOptions): Exchange => ({
  method: 'subscriptions/listen',
  params: { notifications: filter },
  caller: tasks ? TASKED : NOBODY,
  signal,
  patient: true,
  onNotification: hearAcknowledged(onOpen, onNotification),
})

/** The gateway itself, for whom it relays the state of tasks. */
export const TASKED: Caller = {
  ...NOBODY,
  capabilities: { extensions: { [APPS]: APPS_SETTINGS, [TASKS]: {} } },
}

/** The first message of a listen stream is its acknowledgement. */
export const hearAcknowledged =
  (onOpen: ListenOptions['onOpen'], onNotification: ListenOptions['onNotification']) =>
  (notification: Notification): void => {
    if (notification.method !== 'notifications/subscriptions/acknowledged') return onNotification(notification)
    const honoured = notification.params?.['notifications']
    onOpen(isObject(honoured) ? honoured : undefined)
  }
