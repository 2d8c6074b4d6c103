/** A message of the modern era (2026-07-28), top to bottom: read, held open as long as its client stays, entered, answered. */
import { Fault } from '@toolway/contract'
import { isRequest, responseOf, type Notification, type Request } from '@toolway/protocol'
import { readModern } from '../../call/dispatch.ts'
import { accepts, PASS_THROUGH_HEADER } from '../request-head.ts'
import { statusOfError } from '../http-faults.ts'
import { createRequestChannel } from './request-channel.ts'
import { createReply } from './reply.ts'
import { keepListenerOpen, refuseCall, onClientLeft, type McpAnswerParts, type HttpExchange } from './http-exchange.ts'

/** Rejects with what is wrong with the message itself; what fails later is worded on the reply. */
export async function answerModern(
  parts: McpAnswerParts,
  exchange: HttpExchange,
  message: Request | Notification,
): Promise<void> {
  const { requestContext, inbound, request, response, header, prefersStream, audit } = exchange
  // The method is recorded first, so that a call with invalid headers is still audited as a call.
  audit.note({ method: message.method })
  if (!isRequest(message)) return void response.writeHead(202).end()

  const mcpRequest = readModern(message, header)
  // A call never goes on with another credential than its caller thinks.
  const token = request.headers[PASS_THROUGH_HEADER]
  const passThroughToken = token === undefined ? undefined : parts.readPassThroughToken(token, inbound.authorization)

  const streams = accepts(request.headers.accept, 'text/event-stream')
  const reply = createReply(response, { accepts: streams, prefersStream, headers: {} })
  const channel = createRequestChannel({
    mcpRequest,
    session: undefined,
    header,
    reply,
    passThroughToken,
    audit,
    calls: parts.calls,
  })
  const stay = onClientLeft(exchange, () => channel.cancel(new Fault('call.cancelled')))
  const endListening = keepListenerOpen(parts, exchange, mcpRequest, channel)
  try {
    if (endListening !== undefined && !streams) throw new Fault('request.not-acceptable')
    const answer = await parts.dispatcher.dispatch({ requestContext, mcpRequest, channel, audit })
    if ('error' in answer) audit.note({ outcome: 'failed' })
    const status = 'error' in answer ? statusOfError(answer.error.code) : 200
    audit.note({ bytesOut: reply.end(responseOf(message, answer), status) })
  } catch (thrown) {
    refuseCall(parts, exchange, { thrown, request: message, era: 'modern', reply })
  } finally {
    stay()
    endListening?.()
    channel.done()
  }
}
