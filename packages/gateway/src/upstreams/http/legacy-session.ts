/**
 * One session with a legacy upstream over Streamable HTTP (revisions 2025-03-26 to 2025-11-25).
 *
 * The session is opened once, with the capabilities of exactly the one it is held for. What the server sends while it
 * answers arrives on that request's own stream and goes to that request's ears, questions included.
 */
import { Fault } from '@toolway/contract'
import {
  isFailure,
  isNotification,
  isObject,
  isRequest,
  isResponse,
  NEWEST_LEGACY,
  progressTokenOf,
  stripEnvelope,
  type JsonObject,
  type LegacyRevision,
  type Message,
  type Request,
} from '@toolway/protocol'
import { withToken, type Answer, type Ask, type Portrait } from '../upstream.ts'
import { OWN_CLIENT } from './modern.ts'
import { discard, header, isStream, readOne, readStream, send, type Incoming, type Wire } from './post.ts'

export interface LegacySession {
  readonly portrait: Portrait
  ask(ask: Ask): Promise<Answer>
  /** The server's own stream (GET); returns when it ends or where the server has none (false). */
  stream(onMessage: (message: Message) => void, signal: AbortSignal): Promise<boolean>
  close(): Promise<void>
}

/** The session is gone at the server: whoever holds it opens a new one; the request was not processed. */
export class SessionLost extends Error {}

const CLOSE_TIMEOUT = 5_000

export interface OpenOptions {
  readonly revision: LegacyRevision | undefined
  readonly capabilities: JsonObject
  readonly signal: AbortSignal
}

export async function openLegacySession(wire: Wire, ids: () => number, options: OpenOptions): Promise<LegacySession> {
  const { sessionId, portrait } = await initialize(wire, ids, options)
  const headers: Record<string, string> = { 'mcp-protocol-version': portrait.revision }
  if (sessionId !== undefined) headers['mcp-session-id'] = sessionId
  const post = (message: JsonObject, signal?: AbortSignal) =>
    send(wire, { method: 'POST', headers, body: JSON.stringify(message), ...(signal === undefined ? {} : { signal }) })
  const tell = async (message: JsonObject) => discard(await post(message))
  await tell({ jsonrpc: '2.0', method: 'notifications/initialized' })

  async function answerQuestion(question: Request, asked: Ask): Promise<void> {
    const answer = await asked.onQuestion(question)
    await tell({ jsonrpc: '2.0', id: question.id, ...answer } as JsonObject)
  }

  async function ask(asked: Ask): Promise<Answer> {
    const id = ids()
    const token = progressTokenOf(asked.params)
    const params = stripEnvelope(asked.params, token === undefined ? undefined : `p${id}`)
    const { signal } = asked
    const cancel = () => {
      const reason = 'the client cancelled the request'
      tell({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id, reason } }).catch(() => {})
    }
    signal.addEventListener('abort', cancel, { once: true })
    try {
      const response = await post({ jsonrpc: '2.0', id, method: asked.method, params }, signal)
      refuseStatus(wire, response, sessionId !== undefined)
      if (!isStream(response)) return answerOf(wire, id, await readOne(wire, response, signal))
      return await readAnswer(wire, response, { id, signal, resume: (last) => resume(last, signal) }, (message) => {
        if (isNotification(message)) asked.onNotification(withToken(message, token))
        else if (isRequest(message)) answerQuestion(message, asked).catch(() => {})
      })
    } finally {
      signal.removeEventListener('abort', cancel)
    }
  }

  /** A server may close the stream of a request and let its client fetch the rest (2025-11-25, resumability). */
  const resume = (last: string, signal: AbortSignal) =>
    send(wire, { method: 'GET', headers: { ...headers, accept: 'text/event-stream', 'last-event-id': last }, signal })

  async function stream(onMessage: (message: Message) => void, signal: AbortSignal): Promise<boolean> {
    const response = await send(wire, { method: 'GET', headers: { ...headers, accept: 'text/event-stream' }, signal, patient: true })
    if (response.statusCode === 404 && sessionId !== undefined) throw new SessionLost()
    if (response.statusCode !== 200 || !isStream(response)) {
      discard(response)
      return false
    }
    for await (const { message } of readStream(wire, response, signal)) onMessage(message)
    return true
  }

  async function close(): Promise<void> {
    if (sessionId === undefined) return
    const signal = AbortSignal.timeout(CLOSE_TIMEOUT)
    await send(wire, { method: 'DELETE', headers, signal }).then(discard, () => {})
  }

  return { portrait, ask, stream, close }
}

async function initialize(wire: Wire, ids: () => number, { revision, capabilities, signal }: OpenOptions) {
  const id = ids()
  const params = { protocolVersion: revision ?? NEWEST_LEGACY, capabilities, clientInfo: OWN_CLIENT }
  const response = await send(wire, {
    method: 'POST',
    headers: {},
    body: JSON.stringify({ jsonrpc: '2.0', id, method: 'initialize', params }),
    signal,
  })
  refuseStatus(wire, response, false)
  const answer = isStream(response)
    ? await readAnswer(wire, response, { id, signal }, () => {})
    : answerOf(wire, id, await readOne(wire, response, signal))
  if ('error' in answer) {
    throw new Fault('upstream.malformed', { connection: wire.alias, problem: `initialize: ${answer.error.message}` })
  }
  return { sessionId: header(response, 'mcp-session-id'), portrait: portraitOf(answer.result) }
}

/** Who a legacy server says it is in its answer to `initialize`. */
export function portraitOf(result: JsonObject): Portrait {
  const { protocolVersion, serverInfo, capabilities, instructions } = result
  return {
    revision: protocolVersion as LegacyRevision,
    server: isObject(serverInfo) ? serverInfo : {},
    capabilities: isObject(capabilities) ? capabilities : {},
    instructions: typeof instructions === 'string' ? instructions : undefined,
  }
}

interface Reading {
  readonly id: number
  readonly signal: AbortSignal
  readonly resume?: (lastEventId: string) => Promise<Incoming>
}

const MAX_RESUMES = 10
const RESUME_DELAY = 500

/** Read a request's stream to its answer; everything before goes to `onMessage`. */
async function readAnswer(wire: Wire, first: Incoming, reading: Reading, onMessage: (message: Message) => void): Promise<Answer> {
  let response = first
  let last: string | undefined
  for (let round = 0; round <= MAX_RESUMES; round++) {
    for await (const event of readStream(wire, response, reading.signal)) {
      last = event.id ?? last
      if (isResponse(event.message)) return answerOf(wire, reading.id, event.message)
      onMessage(event.message)
    }
    if (last === undefined || reading.resume === undefined) break
    await new Promise((resolve) => setTimeout(resolve, RESUME_DELAY))
    response = await reading.resume(last)
    if (response.statusCode !== 200 || !isStream(response)) {
      discard(response)
      break
    }
  }
  throw new Fault('upstream.lost', { connection: wire.alias })
}

function answerOf(wire: Wire, id: number, message: Message): Answer {
  if (!isResponse(message) || (message.id !== id && !(isFailure(message) && message.id === undefined))) {
    throw new Fault('upstream.malformed', { connection: wire.alias, problem: 'its answer is for another request' })
  }
  return isFailure(message) ? { error: message.error } : { result: message.result }
}

function refuseStatus(wire: Wire, response: Incoming, hasSession: boolean): void {
  const status = response.statusCode
  if (status < 300) return
  const isJson = header(response, 'content-type')?.includes('json') === true
  if (status === 404 && hasSession) {
    discard(response)
    throw new SessionLost()
  }
  if (status === 401 || status === 403) {
    discard(response)
    throw new Fault('upstream.needs-auth', { connection: wire.alias, problem: `HTTP ${status}` })
  }
  if (isJson && status < 500) return
  discard(response)
  throw new Fault('upstream.unreachable', { connection: wire.alias, problem: `it answers HTTP ${status}` })
}
