/**
 * One session with a legacy server over Streamable HTTP (revisions 2025-03-26 to 2025-11-25).
 *
 * The session is opened once, with exactly the capabilities of its holder. Messages that the server sends while it answers,
 * questions included, arrive on that request's own stream and go to that request.
 */
import { Fault } from '@toolway/contract'
import { isLegacyRevision, NEWEST_LEGACY, type LegacyRevision } from '../era.ts'
import { isObject, type JsonObject } from '../json.ts'
import { type Id, type Message, type Notification } from '../message.ts'
import { errorAnswer, header, malformedUpstream, refuseStatus } from './answer.ts'
import { finish, LegacyCall, type CallSession } from './legacy-call.ts'
import { createLogLevel } from './log-level.ts'
import { OWN_CLIENT } from './modern.ts'
import { type Answer, type CredentialHeaders, type ServerInfo, type SessionRequest } from './request.ts'
import { lossSignOf, SessionLost } from './session-loss.ts'
import type { Incoming, Outgoing, Transport } from './transport.ts'

export interface LegacySession {
  readonly serverInfo: ServerInfo
  /** Whether it finds itself which call is meant by what comes beside the calls. */
  readonly attributes: boolean
  ask(request: SessionRequest): Promise<Answer>
  /** Its credential as it is by now; each ask that brings one presents it, too. */
  present(credential: CredentialHeaders): void
  /** How a ping fails in it, as a sign of `SessionDoubt`; the empty text where it does not, or where that says nothing of the session. */
  probe(signal: AbortSignal): Promise<string>
  /** The server's own stream (GET); returns when it ends or where the server has none (false). */
  stream(onMessage: (message: Message) => void, signal: AbortSignal, onOpen?: () => void): Promise<boolean>
  /** Say something that wants no answer, or is one. */
  tell(message: JsonObject): Promise<unknown>
  /** End it at the server, also when the pool of the calls has ended. */
  close(): Promise<void>
}

/** A session has one stream of its own, and its server has not noticed yet that ours is gone: some notice when they write to it. */
export class StreamTaken extends Error {}

/** The server refuses `initialize` with a status that says it may speak the older transport; `cause` is the fault it is otherwise. */
export class InitializeRefused extends Error {}
/** 2025-11-25, transports, backwards compatibility. */
const SAYS_OLDER = new Set([400, 404, 405])

const CLOSE_TIMEOUT_MS = 5_000
const LEVEL_PATIENCE_MS = 1_000
/** Seconds. */
const PROBE_PATIENCE_SECONDS = 10

export interface OpenOptions {
  readonly revision: LegacyRevision | undefined
  readonly capabilities: JsonObject
  /** The level that the session had before it was lost. */
  readonly logLevel: string | undefined
  readonly signal: AbortSignal
  /** The client's name and version; the gateway's own where it is unsaid. */
  readonly client?: JsonObject | undefined
  /** The session is used under this credential, as it is renewed, and under no other. */
  readonly credential?: CredentialHeaders | undefined
  /** Whoever holds it settles what is in doubt (`SessionLost.doubt`). Otherwise only a 404 means that the session is lost. */
  readonly doubts?: boolean
  /** Servers without a stream of their own say within calls that their lists have changed. */
  onListChanged(notification: Notification): void
}

/** The way to the server with the headers of a credential; without one the plain way. */
export type TransportFor = (credential: CredentialHeaders | undefined) => Transport

export async function openLegacySession(
  transportFor: TransportFor,
  ids: () => number,
  options: OpenOptions,
): Promise<LegacySession> {
  const plain = transportFor(undefined)
  const current = transportFor(options.credential)
  const { revision = NEWEST_LEGACY, capabilities, client = OWN_CLIENT, signal } = options
  const params = { protocolVersion: revision, capabilities, clientInfo: client }
  const opened = await initialize(current, ids(), params, signal)
  const session = new HttpSession({ transportFor, ids, options, plain, current, opened })
  try {
    await session.greet()
  } catch (thrown) {
    // The server has made a session by now, and nobody else would ever end it.
    void session.close()
    throw thrown
  }
  return session
}

interface HttpSessionParts {
  readonly transportFor: TransportFor
  readonly ids: () => number
  readonly options: OpenOptions
  readonly plain: Transport
  readonly current: Transport
  readonly opened: Awaited<ReturnType<typeof initialize>>
}

class HttpSession implements LegacySession {
  readonly attributes = false
  readonly serverInfo: ServerInfo
  readonly #parts: HttpSessionParts
  readonly #sessionId: string | undefined
  readonly #headers: Readonly<Record<string, string>>
  /** That of the last request that brought its credential: what the session says beside its requests goes out with it. */
  #current: Transport
  readonly #logs: boolean
  readonly #level = createLogLevel(undefined, (level) => {
    const message = { jsonrpc: '2.0', id: this.#parts.ids(), method: 'logging/setLevel', params: { level } }
    return this.#send(message, { signal: AbortSignal.timeout(LEVEL_PATIENCE_MS) })
  })
  readonly #callSession: CallSession
  /** The session had a stream of its own once. */
  #streamed = false

  constructor(parts: HttpSessionParts) {
    const { current, opened } = parts
    this.#parts = parts
    this.#current = current
    this.#sessionId = opened.id
    this.#headers = opened.headers
    this.serverInfo = opened.serverInfo
    this.#callSession = {
      id: opened.id,
      headers: opened.headers,
      settlesDoubts: parts.options.doubts === true,
      questions: { waiting: 0 },
      onListChanged: (notification) => parts.options.onListChanged(notification),
      send: (message, more, at) => this.#send(message, more, at),
      probe: (signal) => this.probe(signal),
    }
    this.#logs = isObject(opened.serverInfo.capabilities['logging'])
  }

  /** Completes the opening of a session that its server has created. */
  async greet(): Promise<void> {
    const { signal, logLevel } = this.#parts.options
    await this.#send({ jsonrpc: '2.0', method: 'notifications/initialized' }, { signal })
    if (this.#logs) await this.#level.ensure(logLevel)
  }

  present(credential: CredentialHeaders): void {
    this.#current = this.#parts.transportFor(credential)
  }

  tell(message: JsonObject): Promise<unknown> {
    return this.#send(message)
  }

  async ask(request: SessionRequest): Promise<Answer> {
    if (request.credential !== undefined) this.present(request.credential)
    const at = this.#current
    // A client's own session has the level that the client set; in a principal's, each request says what it wants.
    if (this.#logs && request.session === undefined) await this.#level.ensure(request.caller.logLevel)
    return new LegacyCall({ request, at, id: this.#parts.ids(), session: this.#callSession }).answer()
  }

  async stream(onMessage: (message: Message) => void, signal: AbortSignal, onOpen?: () => void): Promise<boolean> {
    const at = this.#current
    const incoming = await at.send({
      method: 'GET',
      headers: { ...this.#headers, accept: 'text/event-stream' },
      signal,
      patient: true,
      onMessage,
      onHead: (status) => status === 200 && onOpen?.(),
    })
    const { status } = incoming
    if (status === 404 && this.#sessionId !== undefined) throw new SessionLost()
    if (status === 409) throw new StreamTaken()
    if (status >= 400 && (await this.#isStreamLost(incoming, signal))) throw new SessionLost()
    this.#streamed ||= status === 200 && incoming.stream
    const mayBeRenewed = status === 401 && this.#current !== this.#parts.plain
    if (mayBeRenewed || status === 429 || (status >= 500 && status !== 501)) throw this.#current.refusal(incoming)
    return status === 200 && incoming.stream
  }

  /** A server without such streams says so at the first one; what refuses a later one may not know the session any more. */
  async #isStreamLost(incoming: Incoming, signal: AbortSignal): Promise<boolean> {
    if (this.#sessionId === undefined || this.#parts.options.doubts !== true) return false
    const sign = lossSignOf(incoming)
    if (sign === undefined || !(this.#streamed || sign.speaks || sign.status === 410)) return false
    return (await this.probe(signal)) !== ''
  }

  async close(): Promise<void> {
    if (this.#sessionId === undefined) return
    const signal = AbortSignal.timeout(CLOSE_TIMEOUT_MS)
    await this.#current.sendLast({ method: 'DELETE', headers: this.#headers, signal }).catch(() => {})
  }

  #send(message: JsonObject, more?: Partial<Outgoing>, at = this.#current): Promise<Incoming> {
    return at.send({ method: 'POST', headers: this.#headers, body: JSON.stringify(message), ...more })
  }

  async probe(signal: AbortSignal): Promise<string> {
    const id = this.#parts.ids()
    const seconds = Math.min(this.#current.timeout, PROBE_PATIENCE_SECONDS)
    const ping = { jsonrpc: '2.0', id, method: 'ping' }
    const incoming = await this.#send(ping, { until: id, signal, seconds }).catch(() => undefined)
    return (incoming && lossSignOf(incoming)?.key) ?? ''
  }
}

/** Opens a session with these words of a client; what is said in it goes out with its headers. */
export async function initialize(transport: Transport, id: Id, params: JsonObject, signal?: AbortSignal) {
  const incoming = await transport.send({
    method: 'POST',
    // A server that speaks the modern era, too, may look for it on every POST (2026-07-28, transports: standard headers).
    headers: { 'mcp-method': 'initialize' },
    body: JSON.stringify({ jsonrpc: '2.0', id, method: 'initialize', params }),
    until: id,
    ...(signal === undefined ? {} : { signal }),
  })
  try {
    const serverInfo = await readInitialized(transport, id, incoming)
    return { serverInfo, ...sessionOf(incoming, serverInfo.revision) }
  } catch (thrown) {
    throw thrown instanceof Fault && SAYS_OLDER.has(incoming.status)
      ? new InitializeRefused('', { cause: thrown })
      : thrown
  }
}

/** The session that the head of an answer to `initialize` names, and the headers of every message in it. */
export function sessionOf(incoming: Pick<Incoming, 'headers'>, revision: string) {
  const id = header(incoming, 'mcp-session-id')
  const headers: Record<string, string> = { 'mcp-protocol-version': revision }
  if (id !== undefined) headers['mcp-session-id'] = id
  return { id, headers }
}

async function readInitialized(transport: Transport, id: Id, incoming: Incoming): Promise<ServerInfo> {
  if (incoming.response === undefined) refuseStatus(transport, incoming)
  return serverInfoOfInitialize(transport.alias, await finish(transport, id, incoming))
}

/**
 * Reads the server info from an answer to `initialize`. Throws `upstream.error`, and `upstream.malformed` for a revision without
 * sessions.
 */
export function serverInfoOfInitialize(alias: string, answer: Answer): ServerInfo {
  if ('error' in answer) throw errorAnswer(alias, 'initialize', answer.error)
  const serverInfo = serverInfoOf(answer.result)
  if (!isLegacyRevision(serverInfo.revision)) throw malformedUpstream(alias, 'it names an unknown protocol revision')
  return serverInfo
}

function serverInfoOf(result: JsonObject): ServerInfo {
  const { protocolVersion, serverInfo, capabilities, instructions } = result
  return {
    revision: protocolVersion as LegacyRevision,
    server: isObject(serverInfo) ? serverInfo : {},
    capabilities: isObject(capabilities) ? capabilities : {},
    instructions: typeof instructions === 'string' ? instructions : undefined,
  }
}
