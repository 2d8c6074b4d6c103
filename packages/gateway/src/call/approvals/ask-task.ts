/** Requests about tasks, where a task may stand for a call that waits for an approval: made once that is granted. */
import { isObject, TASKS, type McpRequest, type JsonObject } from '@toolway/protocol'
import { actorTypeOf } from '../../records/change.ts'
import { call, resultOf } from '../call.ts'
import type { Answer } from '../../upstreams/upstream.ts'
import type { CallParts } from '../call-parts.ts'
import type { ClientRequest } from '../request.ts'
import { askTask } from '../tasks/tasks.ts'

export async function askTaskOrCall(step: ClientRequest, parts: CallParts): Promise<Answer> {
  const { requestContext, mcpRequest, channel, audit } = step
  const { principal } = requestContext
  const actor = {
    id: principal.id,
    type: actorTypeOf(principal),
    keyId: principal.keyId,
    address: audit.from.address,
    userAgent: audit.from.userAgent,
    correlationId: audit.correlationId,
  }
  const asking = {
    requestContext,
    mcpRequest,
    channel,
    actor,
    word: (fault: Parameters<typeof resultOf>[0]) => resultOf(fault, audit.correlationId),
  }
  const own = await parts.approvals?.task(asking, (params) => {
    // It is this call that goes on record, by whoever asked for its end.
    audit.note({ method: 'tools/call' })
    const made = { ...quiet(mcpRequest), params }
    return call({ ...step, mcpRequest: made, channel: { ...channel, asks: false, header: undefined } }, parts)
  })
  return own ?? askTask(step, parts)
}

/** Made while nobody listens for questions: it gives its result, or says what is missing. */
function quiet(mcpRequest: McpRequest): McpRequest {
  const { elicitation: _, extensions, ...rest } = mcpRequest.caller.capabilities
  const { [TASKS]: __, ...kept } = isObject(extensions) ? extensions : ({} as JsonObject)
  const capabilities = { ...rest, ...(Object.keys(kept).length === 0 ? {} : { extensions: kept }) }
  return { ...mcpRequest, method: 'tools/call', caller: { ...mcpRequest.caller, capabilities } }
}
