/**
 * One session with a legacy server over Streamable HTTP (revisions 2025-03-26 to 2025-11-25).
 *
 * The session is opened once, with exactly the capabilities of its holder. Messages that the server sends while it answers,
 * questions included, arrive on that request's own stream and go to that request.
 */
import { Fault } from '@toolway/contract'
import { isLegacyRevision, NEWEST_LEGACY, type LegacyRevision } from '../era.ts'
import { stripEnvelope } from '../eras/modern/envelope.ts'
import { isObject, type JsonObject } from '../json.ts'
import {
  isNotification,
  isRequest,
  progressTokenOf,
  type Id,
  type Message,
  type Notification,
  type Request,
} from '../message.ts'
import { traceHeaders } from '../trace.ts'
import { answerOf, answers, errorAnswer, header, lost, malformed, readAs, refuseStatus } from './answer.ts'
import { createLogLevel } from './log-level.ts'
import { OWN_CLIENT } from './modern.ts'
import {
  changedList,
  forCaller,
  HUMAN,
  MOST_QUESTIONS,
  REPEATABLE,
  tokenOf,
  type Answer,
  type CredentialHeaders,
  type ServerInfo,
  type SessionRequest,
} from './request.ts'
import type { Incoming, Outgoing, Transport } from './transport.ts'

export interface LegacySession {
  readonly serverInfo: ServerInfo
  /** Whether it finds itself which call is meant by what comes beside the calls. */
  readonly attributes: boolean
  ask(asked: SessionRequest): Promise<Answer>
  /** Its credential as it is by now; each ask that brings one presents it, too. */
  present(credential: CredentialHeaders): void
  /** The server's own stream (GET); returns when it ends or where the server has none (false). */
  stream(onMessage: (message: Message) => void, signal: AbortSignal, onOpen?: () => void): Promise<boolean>
  /** Say something that wants no answer, or is one. */
  tell(message: JsonObject): Promise<unknown>
  /** End it at the server, also when the pool of the calls has ended. */
  close(): Promise<void>
}

/** The session is gone at the server: whoever holds it opens a new one; the request was not processed. */
export class SessionLost extends Error {}

/** A session has one stream of its own, and its server has not noticed yet that ours is gone: some notice when they write to it. */
export class StreamTaken extends Error {}

/** The server refuses `initialize` with a status that says it may speak the older transport; `cause` is the fault it is otherwise. */
export class InitializeRefused extends Error {}
/** 2025-11-25, transports, backwards compatibility. */
const SAYS_OLDER = new Set([400, 404, 405])

const CLOSE_TIMEOUT = 5_000
const LEVEL_PATIENCE = 1_000

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
  const transport = transportFor(options.credential)
  const { revision = NEWEST_LEGACY, capabilities, client = OWN_CLIENT, signal } = options
  const params = { protocolVersion: revision, capabilities, clientInfo: client }
  const initialized = await initialize(transport, ids(), params, signal)
  const session = createHttpSession({ transportFor, transport, ids, options, ...initialized })
  try {
    await session.greet()
  } catch (thrown) {
    // The server has made a session by now, and nobody else would ever end it.
    void session.close()
    throw thrown
  }
  return session
}

interface HttpSessionParts extends Initialized {
  readonly transportFor: TransportFor
  readonly transport: Transport
  readonly ids: () => number
  readonly options: OpenOptions
}

interface HttpSession extends LegacySession {
  /** Completes the opening of a session that its server has created. */
  greet(): Promise<void>
}

const createHttpSession = (parts: HttpSessionParts): HttpSession => new ServerSession(parts)

class ServerSession implements HttpSession {
  readonly serverInfo: ServerInfo
  readonly attributes = false
  readonly #parts: HttpSessionParts
  readonly #headers
  readonly #plain
  readonly #alias
  readonly #timeout
  /** That of the last request that brought its credential: what the session says beside its requests goes out with it. */
  #current
  readonly #logs
  readonly #level
  #asking = 0

  constructor(parts: HttpSessionParts) {
    this.#parts = parts
    this.serverInfo = parts.serverInfo
    this.#headers = parts.headers
    this.#plain = this.#parts.transportFor(undefined)
    const { alias, timeout } = this.#plain
    this.#alias = alias
    this.#timeout = timeout
    this.#current = this.#parts.transport
    this.#logs = isObject(this.#parts.serverInfo.capabilities['logging'])
    this.#level = createLogLevel(undefined, (wanted) => {
      const message = { jsonrpc: '2.0', id: this.#parts.ids(), method: 'logging/setLevel', params: { level: wanted } }
      return this.tell(message, AbortSignal.timeout(LEVEL_PATIENCE))
    })
  }

  #post(message: JsonObject, more: Partial<Outgoing> = {}, at: Transport = this.#current) {
    return at.send({ method: 'POST', headers: this.#headers, body: JSON.stringify(message), ...more })
  }

  tell(message: JsonObject, signal?: AbortSignal, at: Transport = this.#current) {
    return this.#post(message, signal === undefined ? {} : { signal }, at)
  }

  present(credential: CredentialHeaders): void {
    this.#current = this.#parts.transportFor(credential)
  }

  async greet(): Promise<void> {
    await this.tell({ jsonrpc: '2.0', method: 'notifications/initialized' }, this.#parts.options.signal)
    if (this.#logs) await this.#level.ensure(this.#parts.options.logLevel)
  }

  /** A server that never stops asking is cut off where it asks: what waits for an answer is bounded. */
  async #answerQuestion(question: Request, asked: SessionRequest, at: Transport): Promise<void> {
    this.#asking++
    try {
      const answer = await asked.onQuestion(question)
      await this.tell({ jsonrpc: '2.0', id: question.id, ...answer } as JsonObject, undefined, at)
    } finally {
      this.#asking--
    }
  }

  #refuseFlood(): void {
    const problem = `more than ${MOST_QUESTIONS} of its questions wait for an answer`
    if (this.#asking >= MOST_QUESTIONS) throw malformed(this.#alias, problem)
  }

  async ask(asked: SessionRequest): Promise<Answer> {
    if (asked.credential !== undefined) this.present(asked.credential)
    const at = this.#current
    // A client's own session has the level that the client set; in a principal's, each request says what it wants.
    if (this.#logs && asked.session === undefined) await this.#level.ensure(asked.caller.logLevel)
    const id = this.#parts.ids()
    let began = Date.now()
    let questions = 0
    const token = progressTokenOf(asked.params)
    const ours = token === undefined ? undefined : tokenOf(id)
    const params = stripEnvelope(asked.params, ours)
    const { signal } = asked
    const cancel = (reason: string) => {
      const params = { requestId: id, reason }
      this.tell({ jsonrpc: '2.0', method: 'notifications/cancelled', params }, undefined, at).catch(() => {})
    }
    const onAbort = () => cancel('the client cancelled the request')
    signal.addEventListener('abort', onAbort, { once: true })
    const onMessage = (message: Message) => {
      const heard = isNotification(message) ? forCaller(message, ours, token) : undefined
      if (heard !== undefined) {
        if (changedList(heard.method) !== undefined) this.#parts.options.onListChanged(heard)
        asked.onNotification(heard)
      } else if (isRequest(message)) {
        this.#refuseFlood()
        questions++
        const answered = () => {
          questions--
          began = Date.now()
        }
        this.#answerQuestion(message, asked, at).then(answered, answered)
      }
    }
    const { hold, method, patient = false } = asked
    if (hold !== undefined) hold.token = ours
    let isAskedBeside = false
    const onDeadline = (extend: () => void) => {
      if (hold === undefined) return
      hold.extend = () => {
        isAskedBeside = true
        extend()
      }
    }
    try {
      const traced = { ...this.#headers, ...traceHeaders(params) }
      const heard = { headers: traced, signal, until: id, onMessage, onDeadline, patient }
      const first = await this.#post({ jsonrpc: '2.0', id, method, params }, heard, at)
      if (first.response === undefined) {
        if (this.#parts.id !== undefined) refuseLost(at, first, id)
        refuseStatus(at, first)
      }
      // A request that is fetched in several streams has one time limit, which is suspended while a user is being asked.
      const left = () => {
        if (isAskedBeside) return HUMAN.question
        return questions > 0 ? this.#timeout : this.#timeout - (Date.now() - began) / 1000
      }
      return await finish(at, id, first, async (last, wait) => {
        asked.onPause?.()
        await pause(wait)
        return this.#resume(last, { signal, until: id, onMessage, onDeadline, patient, seconds: left() }, at)
      })
    } catch (thrown) {
      // The server would work on for nobody (2025-11-25, lifecycle: timeouts).
      if (thrown instanceof Fault && thrown.code === 'upstream.timeout') cancel(thrown.message)
      if (!(thrown instanceof SessionLost) || REPEATABLE.has(asked.method) || (await this.#isGone(at))) throw thrown
      throw lost(this.#alias, thrown)
    } finally {
      signal.removeEventListener('abort', onAbort)
    }
  }

  /** A server may say "not found" of what a call wanted, after it acted; of a ping it says so only when the session is gone. */
  async #isGone(at: Transport): Promise<boolean> {
    const id = this.#parts.ids()
    const answer = await this.#post({ jsonrpc: '2.0', id, method: 'ping' }, { until: id }, at).catch(() => undefined)
    return answer?.status === 404 && !answers(at, answer.text, id)
  }

  /** A server may close the stream of a request and let its client fetch the rest (2025-11-25, resumability). */
  #resume(last: string, more: Partial<Outgoing>, at: Transport) {
    const again = { ...this.#headers, accept: 'text/event-stream', 'last-event-id': last }
    // The request itself was sent, whatever prevents the rest from arriving: it may have taken effect.
    return at.send({ method: 'GET', headers: again, ...more }).catch((thrown: unknown) => {
      const isUnsent = thrown instanceof Fault && thrown.code === 'upstream.unreachable'
      throw isUnsent ? lost(this.#alias, thrown) : thrown
    })
  }

  async stream(onMessage: (message: Message) => void, signal: AbortSignal, onOpen?: () => void): Promise<boolean> {
    const incoming = await this.#current.send({
      method: 'GET',
      headers: { ...this.#headers, accept: 'text/event-stream' },
      signal,
      patient: true,
      onMessage,
      onHead: (status) => status === 200 && onOpen?.(),
    })
    const { status } = incoming
    if (status === 404 && this.#parts.id !== undefined) throw new SessionLost()
    if (status === 409) throw new StreamTaken()
    const mayBeRenewed = status === 401 && this.#current !== this.#plain
    if (mayBeRenewed || status === 429 || (status >= 500 && status !== 501)) throw this.#current.refusal(incoming)
    return status === 200 && incoming.stream
  }

  async close(): Promise<void> {
    if (this.#parts.id === undefined) return
    const signal = AbortSignal.timeout(CLOSE_TIMEOUT)
    await this.#current.sendLast({ method: 'DELETE', headers: this.#headers, signal }).catch(() => {})
  }
}

type Initialized = Awaited<ReturnType<typeof initialize>>

/** Opens a session with these words of a client; what is said in it goes out with its headers. */
export async function initialize(transport: Transport, id: Id, params: JsonObject, signal?: AbortSignal) {
  const incoming = await transport.send({
    method: 'POST',
    headers: {},
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
  return initialized(transport.alias, await finish(transport, id, incoming))
}

/**
 * Reads the server info from an answer to `initialize`. Throws `upstream.error`, and `upstream.malformed` for a revision without
 * sessions.
 */
export function initialized(alias: string, answer: Answer): ServerInfo {
  if ('error' in answer) throw errorAnswer(alias, 'initialize', answer.error)
  const serverInfo = serverInfoOf(answer.result)
  if (!isLegacyRevision(serverInfo.revision)) throw malformed(alias, 'it names an unknown protocol revision')
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

const MAX_RESUMES = 10
/** How long to wait before the rest is fetched, in milliseconds: what the server says, within what a call can bear. */
const RESUME_DELAY = { unsaid: 500, most: 10_000 }

/** From what came back to the answer: the response itself, or the JSON body, or the rest of a stream that was closed early. */
async function finish(
  transport: Transport,
  id: Id,
  first: Incoming,
  resume?: (lastEventId: string, wait: number) => Promise<Incoming>,
): Promise<Answer> {
  let incoming = first
  let { lastEventId, retry } = first
  for (let round = 0; round <= MAX_RESUMES; round++) {
    if (incoming.response !== undefined) return answerOf(transport, id, incoming.response)
    if (!incoming.stream) return answerOf(transport, id, readAs(transport, incoming.text))
    // A server that has nothing to say yet may close again without an event: what was said before still counts.
    lastEventId = incoming.lastEventId ?? lastEventId
    retry = incoming.retry ?? retry
    if (lastEventId === undefined || resume === undefined) break
    incoming = await resume(lastEventId, Math.min(retry ?? RESUME_DELAY.unsaid, RESUME_DELAY.most))
    if (incoming.status !== 200 || !incoming.stream) break
  }
  throw lost(transport.alias)
}

/** A 404 that does not answer this very request means that the session is gone. */
function refuseLost(transport: Transport, incoming: Incoming, id: number): void {
  if (incoming.status === 404 && !answers(transport, incoming.text, id)) throw new SessionLost()
}

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds))
