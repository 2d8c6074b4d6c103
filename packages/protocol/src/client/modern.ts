/**
 * A client of revision 2026-07-28: every request stands alone, and its answer is one message or a stream that ends with it.
 * Closing the exchange is the cancellation. Over HTTP here; `channel-call.ts` has the same for pipes.
 */
import { Fault } from '@toolway/contract'
import type { Caller } from '../mcp-request.ts'
import { MODERN } from '../era.ts'
import { SERVER_KEY, writeEnvelope } from '../eras/modern/envelope.ts'
import { headersFor } from '../eras/modern/headers.ts'
import { APPS, APPS_SETTINGS, TASKS } from '../extensions.ts'
import { isObject, type Json, type JsonObject } from '../json.ts'
import { isNotification, metaOf, progressTokenOf, type ErrorBody, type Id, type Notification } from '../message.ts'
import { traceHeaders } from '../trace.ts'
import {
  answerOf,
  errorAnswer,
  cutExcerpt,
  malformedUpstream,
  readAs,
  refuseStatus,
  endedUnanswered,
} from './answer.ts'
import {
  forCaller,
  tokenOf,
  type Answer,
  type ClientRequest,
  type CredentialHeaders,
  type ServerInfo,
} from './request.ts'
import type { Transport } from './transport.ts'

export const OWN_CLIENT: JsonObject = { name: 'toolway', version: '0.1.0' }
/** Lists are asked for as a host that shows apps asks: servers offer their apps to no other (MCP Apps, negotiation). */
export const OWN_CAPABILITIES: JsonObject = { extensions: { [APPS]: APPS_SETTINGS } }
export const NOBODY: Caller = {
  revision: MODERN,
  capabilities: OWN_CAPABILITIES,
  client: OWN_CLIENT,
  logLevel: undefined,
}

const VERSION_UNKNOWN = -32022

type Ids = () => Id

/** Send one request and read what belongs to it. Throws `upstream.*` faults; an error of the server is an answer. */
export async function exchange(transport: Transport, ids: Ids, request: ClientRequest): Promise<Answer> {
  const id = ids()
  const token = progressTokenOf(request.params)
  const ours = token === undefined ? undefined : tokenOf(id)
  const params = writeEnvelope(request.params, request.caller, ours)
  const incoming = await transport.send({
    method: 'POST',
    headers: Object.assign(headersFor(request.method, params, request.headerParameters ?? []), traceHeaders(params)),
    body: JSON.stringify({ jsonrpc: '2.0', id, method: request.method, params }),
    signal: request.signal,
    until: id,
    patient: request.patient === true,
    // A modern server sends no requests; one that does is not answered, and its stream goes on.
    onMessage(message) {
      const notification = isNotification(message) ? forCaller(message, ours, token) : undefined
      if (notification !== undefined) request.onNotification?.(notification)
    },
  })
  const { alias } = transport
  if (incoming.response !== undefined) return checkEnvelope(alias, answerOf(transport, id, incoming.response))
  refuseStatus(transport, incoming)
  if (incoming.stream) throw endedUnanswered(alias, incoming.odd)
  return checkEnvelope(alias, answerOf(transport, id, readAs(transport, incoming.text)))
}

/**
 * A revision that the server refuses is the gateway's choice, and not the client's: its client is told so in other words. Every other
 * error is passed on as it is.
 */
export function checkEnvelope(alias: string, answer: Answer): Answer {
  if (!('error' in answer) || answer.error.code !== VERSION_UNKNOWN) return answer
  const problem = `it refused revision ${MODERN} (${cutExcerpt(answer.error.message)})`
  throw new Fault('upstream.error', { connection: alias, problem }, { cause: new Refused(answer.error) })
}

/** The error with which a server refused a revision, for whoever may try again. */
class Refused extends Error {
  readonly error: ErrorBody
  constructor(error: ErrorBody) {
    super(error.message)
    this.error = error
  }
}

/** Throws `upstream.error` or `upstream.malformed` for what is no answer to discovery, as a legacy server gives to a method that it does not know. */
export async function discover(transport: Transport, ids: Ids, signal: AbortSignal): Promise<ServerInfo> {
  const ask = () => exchange(transport, ids, { method: 'server/discover', params: {}, caller: NOBODY, signal })
  // A server that refuses the revision and names it among its own is asked once more (2026-07-28, version negotiation).
  const answer = await ask().catch((thrown: unknown) => {
    if (speaksOurs(thrown)) return ask()
    throw thrown
  })
  return serverInfoOfDiscovery(answer, transport.alias)
}

/**
 * Reads the server info from an answer to discovery; every server of this era names its revisions in it. Throws `upstream.error`,
 * `upstream.malformed`.
 */
export function serverInfoOfDiscovery(answer: Answer, connection: string): ServerInfo {
  if ('error' in answer) throw errorAnswer(connection, 'server/discover', answer.error)
  if (!includesModern(answer.result['supportedVersions']))
    throw malformedUpstream(connection, `server/discover: it does not declare support for ${MODERN}`)
  return serverInfoOf(answer.result)
}

const includesModern = (versions: Json | undefined): boolean => Array.isArray(versions) && versions.includes(MODERN)

function speaksOurs(thrown: unknown): boolean {
  const refused = thrown instanceof Fault && thrown.cause instanceof Refused ? thrown.cause.error : undefined
  return refused?.code === VERSION_UNKNOWN && isObject(refused.data) && includesModern(refused.data['supported'])
}

function serverInfoOf(result: JsonObject): ServerInfo {
  const { capabilities, instructions } = result
  const server = metaOf({ _meta: result['_meta'] ?? null })[SERVER_KEY]
  return {
    revision: MODERN,
    server: isObject(server) ? server : {},
    capabilities: isObject(capabilities) ? capabilities : {},
    instructions: typeof instructions === 'string' ? instructions : undefined,
  }
}

/** The notifications that a listen stream requests (specification 2026-07-28, subscriptions). */
export interface ListenOptions {
  readonly filter: JsonObject
  /** Whether tasks are among it: an extension is off unless it is declared. */
  readonly tasks: boolean
  readonly signal: AbortSignal
  readonly credential?: CredentialHeaders | undefined
  onNotification(notification: Notification): void
  /** The server has acknowledged, with what it honours of the filter. */
  onOpen(honoured: JsonObject | undefined): void
}

/** One listen stream; returns when it ends. */
export const listen = (transport: Transport, ids: Ids, options: ListenOptions): Promise<Answer> =>
  exchange(transport, ids, listenRequest(options))

export const listenRequest = ({ filter, tasks, signal, onNotification, onOpen }: ListenOptions): ClientRequest => ({
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
