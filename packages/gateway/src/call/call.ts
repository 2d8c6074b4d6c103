/**
 * The life of a tool call, top to bottom. Read this file first.
 *
 * By the time it begins, the request is identified, placed and read (`dispatch.ts`). The steps that concern the tool run in their
 * order, then the call is sent, then the steps see the result in the reverse order. A fault of a step that admits the request, and
 * what is wrong with the request itself, is an error; every other fault is told to the model as the tool's result. However the call
 * ends, its audit is closed once, by its door.
 */
import { Fault } from '@toolway/contract'
import { adaptResult, isObject, withDigits, type McpRequest, type JsonObject } from '@toolway/protocol'
import { withoutApproval } from './approvals/own-state.ts'
import { readByTool } from './result-processing/read-result.ts'
import { withAccount } from './credentials/use-credential.ts'
import { listedNameFor } from './page-names.ts'
import { innerCallsOf, runInnerCalls, type Calling } from './inner-calls.ts'
import { outcomeOfFault } from './fault-outcome.ts'
import { callerFiles } from './files/caller-files.ts'
import { callFileTool, fileToolOf } from './files/file-tools.ts'
import { forward } from './forward.ts'
import type { ToolTarget } from '../catalog/tool-listing.ts'
import { isDatabaseFault } from '../db/unreachable.ts'
import type { Answer } from '../upstreams/upstream.ts'
import type { CallParts } from './call-parts.ts'
import { wordsOfResult } from './record-error.ts'
import type { ClientRequest } from './request.ts'
import { stepsOf } from './steps.ts'
import type { Call } from './steps/step.ts'
import type { AuditEntryBuilder } from './audit-entry.ts'

export async function call(request: ClientRequest, parts: CallParts): Promise<Answer> {
  const { requestContext, mcpRequest, audit } = request
  const { name, arguments: input } = mcpRequest.params
  if (typeof name !== 'string') throw new Fault('params.shape', { place: '/name', problem: 'must be a string' })
  if (input !== undefined && !isObject(input))
    throw new Fault('params.shape', { place: '/arguments', problem: 'must be an object' })
  audit.note({ target: name })
  audit.enter('policy')
  const target = requestContext.toolListing.tool(name)
  if (target === undefined && name === requestContext.toolListing.readResult)
    return readByTool(parts, requestContext, mcpRequest, name).catch((thrown: unknown) =>
      told(thrown, mcpRequest, audit),
    )
  const fileTool = target === undefined ? fileToolOf(request, name) : undefined
  if (fileTool !== undefined)
    return callFileTool(request, parts, fileTool).catch((thrown: unknown) => told(thrown, mcpRequest, audit))
  if (target === undefined) return call(withName(request, await listedNameFor(request, parts, name)), parts)
  audit.note({
    found: true,
    connection: target.alias,
    kind: target.connector,
    vendor: target.vendor,
    tool: target.name,
  })
  return run(callOf(request, target, name), parts)
}

const withName = (request: ClientRequest, name: string): ClientRequest => ({
  ...request,
  mcpRequest: { ...request.mcpRequest, params: { ...request.mcpRequest.params, name } },
})

function callOf({ requestContext, mcpRequest, channel, audit }: ClientRequest, target: ToolTarget, name: string): Call {
  const { params } = mcpRequest
  const own = params['requestState'] === undefined ? params : withoutApproval(params)
  return { requestContext, mcpRequest, channel, audit, target, name, params: { ...own, name: target.name } }
}

async function run(call: Call, parts: CallParts): Promise<Answer> {
  const { admission, before, after } = stepsOf(call.target)
  for (const step of admission) await step.before?.(call, parts)
  const { mcpRequest, audit } = call
  try {
    for (const step of before) {
      const first = await step.before?.(call, parts)
      if (first !== undefined) return first
    }
    const { innerCalls } = call.requestContext.upstream(call.target.connectionId)
    const inner = innerCalls && innerCallsOf(call, innerCalls)
    if (inner !== undefined) audit.enter('upstream')
    const answer = await (inner === undefined ? send(call, parts) : runInnerCalls(call, inner, parts, CALLING))
    // A fault that ends the call with a question of ours has said the outcome already.
    if (audit.facts.fault === undefined) audit.note({ outcome: outcomeOf(answer) })
    if ('error' in answer) return keep(audit, answer)
    if (inner !== undefined) audit.enter('result')
    let { result } = answer
    for (const step of after) result = (await step.after?.(call, result, parts)) ?? result
    if (audit.facts.outcome === 'tool_error') audit.note({ errorText: wordsOfResult(result) })
    return exactly(keep(audit, result === answer.result ? answer : { result }), answer.result)
  } catch (thrown) {
    return told(thrown, mcpRequest, audit)
  }
}

/** The digits of the server's numbers go on, whatever the steps have left of its result. */
function exactly(answer: Answer, { structuredContent: original }: JsonObject): Answer {
  if ('error' in answer || original === undefined) return answer
  const { structuredContent: structured } = answer.result
  if (structured === undefined) return answer
  const exact = withDigits(structured, original)
  return exact === structured ? answer : { result: { ...answer.result, structuredContent: exact } }
}

const CALLING: Calling = {
  call: (request, parts) => call(request, parts),
  resultOf: (fault, id) => resultOf(fault, id),
}

function send(call: Call, parts: CallParts): Promise<Answer> {
  const { requestContext, mcpRequest, channel, audit, target, params, account } = call
  const { headerParameters, wraps, needsTask } = target
  return forward({
    parts,
    requestContext,
    channel,
    audit,
    mcpRequest,
    target,
    params,
    headerParameters,
    wraps,
    needsTask,
    account,
    ...(target.usesFiles === true ? { files: callerFiles(call, parts) } : {}),
  })
}

/** Where its connection keeps what came back, and where spans hold content. */
function keep(audit: AuditEntryBuilder, answer: Answer): Answer {
  if (audit.trace?.holdsContent === true && 'result' in answer) audit.note({ traced: answer.result })
  const { payload } = audit.facts
  if (payload !== undefined)
    audit.note({ payload: { ...payload, result: 'error' in answer ? { error: answer.error } : answer.result } })
  return answer
}

/** As the tool's result, for the model; thrown on where it is the request's own affair. */
function told(thrown: unknown, mcpRequest: McpRequest, audit: AuditEntryBuilder): Answer {
  const fault = Fault.of(thrown)
  // An error of the request itself is not a result of the tool.
  if (CLIENT_GONE.has(fault.code) || REQUEST.has(fault.row.phase) || isLimit(fault)) throw fault
  // As long as nothing has been sent, the client may send the whole request again, and HTTP says when.
  if (isDatabaseFault(fault) && !audit.mayHaveLeft) throw fault
  audit.note({ outcome: outcomeOfFault(fault), fault })
  const { revision } = mcpRequest.caller
  const result = withAccount(resultOf(fault, audit.correlationId), audit.facts.account)
  return { result: adaptResult('tools/call', result, { from: revision, to: revision }) }
}

/**
 * The phases of errors of the request itself, which are not results of the tool; a tool that the caller may not see is unknown.
 */
const REQUEST: ReadonlySet<string> = new Set(['check', 'find'])

/** Nothing was asked of the tool: whoever calls is to wait, and not the model to think about it. */
/** The request is over, whatever its tool does. */
const CLIENT_GONE: ReadonlySet<string> = new Set(['call.cancelled', 'session.ended'])
const LIMITS: ReadonlySet<string> = new Set(['limit.connection', 'limit.rule', 'connection.busy'])
const isLimit = ({ code }: Fault): boolean => LIMITS.has(code)

const outcomeOf = (answer: Answer) => {
  if ('error' in answer) return 'failed'
  return answer.result['isError'] === true ? 'tool_error' : 'ok'
}

/** A fault as the model reads it: what happened and what to do, and the same for programs in `_meta`. */
export function resultOf(fault: Fault, correlationId: string): JsonObject {
  const { word, retry, phase } = fault.row
  const detail: JsonObject = {
    code: word,
    fault: fault.code,
    phase,
    message: fault.message,
    retryable: retry,
    correlation_id: correlationId,
    ...(fault.data as JsonObject | undefined),
  }
  return {
    content: [{ type: 'text', text: `${word}: ${fault.message} ${fault.mend}` }],
    isError: true,
    _meta: { 'dev.toolway/fault': detail },
  }
}
