/**
 * A message of the legacy era (up to 2025-11-25), top to bottom: its session is found, it is read, entered and answered. What is no
 * request to the servers is in `legacy-session.ts`.
 */
import { Fault } from '@toolway/contract'
import { isRequest, isResponse, responseOf, type Message } from '@toolway/protocol'
import { readLegacy } from '../../call/dispatch.ts'
import { accepts, PASS_THROUGH_HEADER } from '../request-head.ts'
import { createRequestChannel } from './request-channel.ts'
import { receiveNotification, openSession, settleAnswer } from './legacy-session.ts'
import { createReply } from './reply.ts'
import { createSessionReply } from './session-reply.ts'
import {
  keepListenerOpen,
  continueAfterLeave,
  restoreSession,
  refuseCall,
  sessionOf,
  type McpAnswerParts,
  type HttpExchange,
} from './http-exchange.ts'

/** Rejects with what is wrong with the message itself; what fails later is worded on the reply. */
export async function answerLegacy(parts: McpAnswerParts, exchange: HttpExchange, message: Message): Promise<void> {
  const { requestContext, inbound, request, response, header, prefersStream, audit } = exchange
  if (isRequest(message) && message.method === 'initialize') return openSession(parts, exchange, message)
  await restoreSession(parts, exchange)
  if (isResponse(message)) return settleAnswer(parts, exchange, message)
  if (!isRequest(message)) return receiveNotification(parts, exchange, message)

  // The method is recorded first, so that a call with invalid headers is still audited as a call.
  audit.note({ method: message.method })
  const session = sessionOf(parts, exchange)
  const mcpRequest = readLegacy(message, session, header)
  // A call never goes on with another credential than its caller thinks.
  const token = request.headers[PASS_THROUGH_HEADER]
  const passThroughToken = token === undefined ? undefined : parts.readPassThroughToken(token, inbound.authorization)

  const streams = accepts(request.headers.accept, 'text/event-stream')
  const reply =
    session === undefined
      ? createReply(response, { accepts: streams, prefersStream, headers: {} })
      : createSessionReply(response, session, { accepts: streams, prefersStream })
  const channel = createRequestChannel({
    mcpRequest,
    session,
    header: undefined,
    reply,
    passThroughToken,
    audit,
    calls: parts.calls,
  })
  const stay = continueAfterLeave(parts, exchange, () => channel.cancel(new Fault('call.cancelled')))
  const endListening = keepListenerOpen(parts, exchange, mcpRequest, channel)
  try {
    if (endListening !== undefined && !streams) throw new Fault('request.not-acceptable')
    const answer = await parts.dispatcher.dispatch({ requestContext, mcpRequest, channel, audit })
    if ('error' in answer) audit.note({ outcome: 'failed' })
    audit.note({ bytesOut: reply.end(responseOf(message, answer), 200) })
  } catch (thrown) {
    refuseCall(parts, exchange, { thrown, request: message, era: 'legacy', reply })
  } finally {
    stay()
    endListening?.()
    channel.done()
  }
}
