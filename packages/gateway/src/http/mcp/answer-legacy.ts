/**
 * A message of the legacy era (up to 2025-11-25), top to bottom: its session is found, it is read, entered and answered. What is no
 * request to the servers is in `legacy-session.ts`.
 */
import { Fault } from '@toolway/contract'
import { isRequest, isResponse, responseOf, type Message } from '@toolway/protocol'
import { readLegacy } from '../../call/enter.ts'
import { accepts, PASS_THROUGH_HEADER } from '../request-head.ts'
import { createClientLine } from './client-line.ts'
import { hearClient, openSession, settleAnswer } from './legacy-session.ts'
import { createReply } from './reply.ts'
import { createSessionReply } from './session-reply.ts'
import { holdListener, outlive, recallSession, refuseCall, sessionOf, type EraParts, type Visit } from './visit.ts'

/** Rejects with what is wrong with the message itself; what fails later is worded on the reply. */
export async function answerLegacy(parts: EraParts, visit: Visit, message: Message): Promise<void> {
  const { requestContext, inbound, request, response, header, prefers, audit } = visit
  if (isRequest(message) && message.method === 'initialize') return openSession(parts, visit, message)
  await recallSession(parts, visit)
  if (isResponse(message)) return settleAnswer(parts, visit, message)
  if (!isRequest(message)) return hearClient(parts, visit, message)

  // The method is recorded first, so that a call with invalid headers is still audited as a call.
  audit.note({ method: message.method })
  const session = sessionOf(parts, visit)
  const mcpRequest = readLegacy(message, session, header)
  // A call never goes on with another credential than its caller thinks.
  const token = request.headers[PASS_THROUGH_HEADER]
  const brought = token === undefined ? undefined : parts.brought(token, inbound.authorization)

  const streams = accepts(request.headers.accept, 'text/event-stream')
  const reply =
    session === undefined
      ? createReply(response, { accepts: streams, prefers, headers: {} })
      : createSessionReply(response, session, { accepts: streams, prefers })
  const line = createClientLine({ mcpRequest, session, header: undefined, reply, brought, audit, calls: parts.calls })
  const stay = outlive(parts, visit, () => line.cancel(new Fault('call.cancelled')))
  const endListening = holdListener(parts, visit, mcpRequest, line)
  try {
    if (endListening !== undefined && !streams) throw new Fault('request.not-acceptable')
    const answer = await parts.entrance.enter({ requestContext, mcpRequest, channel: line, audit })
    if ('error' in answer) audit.note({ outcome: 'failed' })
    audit.note({ bytesOut: reply.end(responseOf(message, answer), 200) })
  } catch (thrown) {
    refuseCall(parts, visit, { thrown, request: message, era: 'legacy', reply })
  } finally {
    stay()
    endListening?.()
    line.done()
  }
}
