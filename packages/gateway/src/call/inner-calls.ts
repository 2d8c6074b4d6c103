/**
 * The calls that one call of a tool stands for, such as those of COMPOSIO_MULTI_EXECUTE_TOOL: each goes the whole way of a call under its
 * own name, with its own rules, limits, approval, account and record. One that is refused does not keep the others back.
 */
import { Fault } from '@toolway/contract'
import { adaptResult, eraOf, isObject, MODERN, wantsInput, type JsonObject } from '@toolway/protocol'
import type { InnerCall, InnerCalls, Upstream, Answer } from '../upstreams/upstream.ts'
import { toolOfConnection } from './discovery/tool-of-connection.ts'
import type { CallParts } from './call-parts.ts'
import type { ClientRequest } from './request.ts'
import type { Call } from './steps/step.ts'

/** How a request is called, and how a fault is told to a model. */
export interface Calling {
  call(request: ClientRequest, parts: CallParts): Promise<Answer>
  resultOf(fault: Fault, correlationId: string): JsonObject
}

/** Undefined for a tool that calls no others. Throws `params.shape`. */
export function innerCallsOf(
  { target, params }: Call,
  innerCalls: NonNullable<Upstream['innerCalls']>,
): InnerCalls | undefined {
  return innerCalls(target.name, isObject(params['arguments']) ? params['arguments'] : {})
}

export async function runInnerCalls(
  outer: Call,
  inner: InnerCalls,
  parts: CallParts,
  calling: Calling,
): Promise<Answer> {
  outer.audit.note({ connection: outer.target.alias })
  const results = await Promise.all(inner.calls.map((call) => runOne(outer, call, parts, calling)))
  const { revision } = outer.mcpRequest.caller
  return { result: adaptResult('tools/call', inner.gather(results), { from: MODERN, to: revision }) }
}

async function runOne(
  { requestContext, mcpRequest, channel, audit, target }: Call,
  { tool, arguments: value }: InnerCall,
  parts: CallParts,
  { call, resultOf }: Calling,
): Promise<JsonObject> {
  const own = audit.inner(tool)
  try {
    const { principal, organizationId, requestsPerMinute } = requestContext
    await parts.limits.request(principal.id, organizationId, requestsPerMinute)
    const name = toolOfConnection(requestContext, mcpRequest, target, tool)
    if (name === undefined) throw new Fault('tool.unlisted', { tool: tool.slice(0, 200), nearest: '' })
    const { _meta } = mcpRequest.params
    const params = { ...(_meta === undefined ? {} : { _meta }), name, arguments: value }
    const request = {
      requestContext,
      mcpRequest: { ...mcpRequest, params, caller: unasked(mcpRequest.caller) },
      // Headers and resources of the request belong to the call that it names.
      channel: { ...channel, header: undefined },
      audit: own,
    }
    const answer = await call(request, parts)
    if ('error' in answer) return failed(answer.error.message)
    return wantsInput(answer.result) ? failed('It asks its caller a question: call it directly.') : answer.result
  } catch (thrown) {
    return resultOf(own.fail(Fault.of(thrown)), own.correlationId)
  } finally {
    own.close()
  }
}

/** A modern client answers a question by sending its own call again, which is another one. */
const unasked = (caller: ClientRequest['mcpRequest']['caller']) =>
  eraOf(caller.revision) === 'modern' ? { ...caller, capabilities: {} } : caller

const failed = (text: string): JsonObject => ({ content: [{ type: 'text', text }], isError: true })
