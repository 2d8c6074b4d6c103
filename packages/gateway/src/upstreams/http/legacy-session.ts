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
import { header, readAs, send, type Incoming, type Outgoing, type Wire } from './post.ts'

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
  const post = (message: JsonObject, more: Partial<Outgoing> = {}) =>
    send(wire, { method: 'POST', headers, body: JSON.stringify(message), ...more })
  const tell = (message: JsonObject) => post(message)
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
    const onMessage = (message: Message) => {
      if (isNotification(message)) asked.onNotification(withToken(message, token))
      else if (isRequest(message)) answerQuestion(message, asked).catch(() => {})
    }
    try {
      const first = await post({ jsonrpc: '2.0', id, method: asked.method, params }, { signal, until: id, onMessage })
      if (first.response === undefined) refuseStatus(wire, first, sessionId !== undefined)
      return await finish(wire, id, first, (last) => resume(last, { signal, until: id, onMessage }))
    } finally {
      signal.removeEventListener('abort', cancel)
    }
  }

  /** A server may close the stream of a request and let its client fetch the rest (2025-11-25, resumability). */
  const resume = (last: string, more: Partial<Outgoing>) =>
    send(wire, { method: 'GET', headers: { ...headers, accept: 'text/event-stream', 'last-event-id': last }, ...more })

  async function stream(onMessage: (message: Message) => void, signal: AbortSignal): Promise<boolean> {
    const incoming = await send(wire, {
      method: 'GET',
      headers: { ...headers, accept: 'text/event-stream' },
      signal,
      patient: true,
      onMessage,
    })
    if (incoming.status === 404 && sessionId !== undefined) throw new SessionLost()
    return incoming.status === 200 && incoming.stream
  }

  async function close(): Promise<void> {
    if (sessionId === undefined) return
    const signal = AbortSignal.timeout(CLOSE_TIMEOUT)
    await send(wire, { method: 'DELETE', headers, signal }).catch(() => {})
  }

  return { portrait, ask, stream, close }
}

async function initialize(wire: Wire, ids: () => number, { revision, capabilities, signal }: OpenOptions) {
  const id = ids()
  const params = { protocolVersion: revision ?? NEWEST_LEGACY, capabilities, clientInfo: OWN_CLIENT }
  const incoming = await send(wire, {
    method: 'POST',
    headers: {},
    body: JSON.stringify({ jsonrpc: '2.0', id, method: 'initialize', params }),
    signal,
    until: id,
  })
  if (incoming.response === undefined) refuseStatus(wire, incoming, false)
  const answer = await finish(wire, id, incoming)
  if ('error' in answer) {
    throw new Fault('upstream.malformed', { connection: wire.alias, problem: `initialize: ${answer.error.message}` })
  }
  return { sessionId: header(incoming, 'mcp-session-id'), portrait: portraitOf(answer.result) }
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

const MAX_RESUMES = 10
const RESUME_DELAY = 500

/** From what came back to the answer: the response itself, or the JSON body, or the rest of a stream that was closed early. */
async function finish(
  wire: Wire,
  id: number,
  first: Incoming,
  resume?: (lastEventId: string) => Promise<Incoming>,
): Promise<Answer> {
  let incoming = first
  for (let round = 0; round <= MAX_RESUMES; round++) {
    if (incoming.response !== undefined) return answerOf(wire, id, incoming.response)
    if (!incoming.stream) return answerOf(wire, id, readAs(wire, incoming.text))
    if (incoming.lastEventId === undefined || resume === undefined) break
    await new Promise((resolve) => setTimeout(resolve, RESUME_DELAY))
    incoming = await resume(incoming.lastEventId)
    if (incoming.status !== 200 || !incoming.stream) break
  }
  throw new Fault('upstream.lost', { connection: wire.alias })
}

function answerOf(wire: Wire, id: number, message: Message): Answer {
  if (!isResponse(message) || (message.id !== id && !(isFailure(message) && message.id === undefined))) {
    throw new Fault('upstream.malformed', { connection: wire.alias, problem: 'its answer is for another request' })
  }
  return isFailure(message) ? { error: message.error } : { result: message.result }
}

function refuseStatus(wire: Wire, incoming: Incoming, hasSession: boolean): void {
  const { status } = incoming
  if (status < 300) return
  if (status === 404 && hasSession) throw new SessionLost()
  if (status === 401 || status === 403) {
    throw new Fault('upstream.needs-auth', { connection: wire.alias, problem: `HTTP ${status}` })
  }
  if (header(incoming, 'content-type')?.includes('json') === true && status < 500) return
  throw new Fault('upstream.unreachable', { connection: wire.alias, problem: `it answers HTTP ${status}` })
}
