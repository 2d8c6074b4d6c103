/**
 * The line from one request back to its client: its cancellation, and the questions that its server puts to the client.
 *
 * What belongs to a session's request is found by the client's own id (`cancelled`) or by an id of ours (answers); nothing
 * here is shared between sessions.
 */
import { randomUUID } from 'node:crypto'
import { Fault } from '@toolway/contract'
import type { McpRequest, HeaderReader, JsonObject, Request, Response } from '@toolway/protocol'
import type { Answer } from '../../upstreams/upstream.ts'
import type { ClientChannel } from '../../snapshot/ports/client-channel.ts'
import type { AuditEntryBuilder } from '../../call/audit-entry.ts'
import type { Session } from '../../sessions/sessions.ts'
import type { CallsUnderWay } from '../streams/calls-under-way.ts'
import type { Reply } from './reply.ts'

export interface RequestChannel extends ClientChannel {
  cancel(fault: Fault): void
  /** The answer is out: what still waits for the client ends with it. */
  done(): void
}

export interface RequestChannelParts {
  readonly mcpRequest: McpRequest
  readonly session: Session | undefined
  readonly header: HeaderReader | undefined
  readonly reply: Pick<Reply, 'send' | 'streams' | 'pause'>
  readonly passThroughToken?: string | undefined
  readonly audit: Pick<AuditEntryBuilder, 'mayHaveLeft'>
  /** Where it is known as under way until its answer is out. */
  readonly calls: Pick<CallsUnderWay, 'add'>
}

export function createRequestChannel(parts: RequestChannelParts): RequestChannel {
  const { mcpRequest, session, header, reply, passThroughToken, audit, calls } = parts
  const controller = new AbortController()
  const cancel = (fault: Fault) => controller.abort(fault)
  const release = calls.add({ call: { cancel }, audit })
  const finish = session?.underWay.add({ id: mcpRequest.id, controller })
  return {
    signal: controller.signal,
    session,
    header,
    asks: session !== undefined && reply.streams,
    passThroughToken,
    notify: (notification) => void reply.send(notification),
    question: (question) => askClient(question, session, reply, controller.signal),
    pause: reply.pause,
    cancel,
    done() {
      release()
      if (finish === undefined) return
      finish()
      // Questions that nobody answered end with the request that they belong to.
      controller.abort()
    },
  }
}

/**
 * `notifications/cancelled` ends the request that it names, in its own session and no other. Clients exist that use one id for all
 * their requests: each is answered on its own stream, and `cancelled` means them all.
 */
export function cancelNamedRequest(
  session: Session | undefined,
  message: { method: string; params?: JsonObject },
): void {
  const requestId = message.params?.['requestId']
  const names = typeof requestId === 'string' || typeof requestId === 'number'
  if (message.method !== 'notifications/cancelled' || !names) return
  for (const { id, controller } of session?.underWay ?? [])
    if (id === requestId) controller.abort(new Fault('call.cancelled'))
}

/** A client's answer to a question of ours; false for one that nobody here waits for. */
export function settleQuestion(session: Session | undefined, message: Response): boolean {
  const settle = message.id === undefined ? undefined : session?.questions.get(message.id)
  settle?.(message)
  return settle !== undefined
}

/** Calls of one session may run in several processes, and each of them asks: an id says which one did. */
const PROCESS = randomUUID().slice(0, 8)

const NO_METHOD = -32601
const INTERNAL = -32603

/** Put an upstream's question to the client on the stream of its own request, under an id of ours. */
function askClient(
  question: Request,
  session: Session | undefined,
  reply: Pick<Reply, 'send' | 'streams'>,
  signal: AbortSignal,
): Promise<Answer> {
  if (session === undefined)
    return Promise.resolve({ error: { code: NO_METHOD, message: `Not available here: ${question.method}` } })
  const id = `q${PROCESS}-${++session.nextQuestion}`
  return new Promise((resolve) => {
    const settle = (answer: Answer) => {
      session.questions.delete(id)
      signal.removeEventListener('abort', refuse)
      resolve(answer)
    }
    const refuse = () => settle({ error: { code: INTERNAL, message: 'The client does not support this request.' } })
    session.questions.set(id, (answer) =>
      settle('error' in answer ? { error: answer.error } : { result: answer.result }),
    )
    signal.addEventListener('abort', refuse, { once: true })
    const params = question.params === undefined ? {} : { params: question.params }
    if (!reply.send({ jsonrpc: '2.0', id, method: question.method, ...params })) refuse()
  })
}
