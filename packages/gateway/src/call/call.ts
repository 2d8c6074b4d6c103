/**
 * The life of one tool call, top to bottom. Read this file first.
 *
 * By the time it begins, the request is identified, placed and read (`enter.ts`). Each line asks one part one question; a
 * part that cannot answer throws a Fault. What fails once the tool is known is told to the model as the tool's result; what
 * fails before is a fault of the request. However the call ends, its trail is closed once, by whoever entered it.
 */
import { Fault, reaches, type Hold, type ToolRule } from '@toolway/contract'
import { adaptResult, checkParameterHeaders, isObject, type Asked, type JsonObject } from '@toolway/protocol'
import { cutResult } from './cut-result.ts'
import { takeAccount, withAccount } from './credentials/use-credential.ts'
import { forward } from './forward.ts'
import type { Answer, Line, Standing } from './ports.ts'
import type { Trail } from './trail.ts'

export async function call(standing: Standing, asked: Asked, line: Line, trail: Trail): Promise<Answer> {
  const { name, arguments: given } = asked.params
  if (typeof name !== 'string') throw new Fault('params.shape', { place: '/name', problem: 'must be a string' })
  if (given !== undefined && !isObject(given))
    throw new Fault('params.shape', { place: '/arguments', problem: 'must be an object' })
  trail.target = name

  const target = standing.view.tool(name)
  if (target === undefined) throw new Fault('tool.unknown', { tool: name })
  // Before anything runs, so that the client can ask its person for more (MCP 2026-07-28, scope challenge handling).
  if (!reaches(standing.principal.limit, target.effect))
    throw new Fault('scope.insufficient', { tool: name, needed: target.effect })
  if (line.header !== undefined) checkParameterHeaders(line.header, target.headerParameters, given)

  try {
    if (target.rule !== undefined) obey(target.rule, name, trail)
    const params: JsonObject = { ...asked.params, name: target.name }
    const account = target.account === undefined ? undefined : takeAccount(params, target.account)
    const { headerParameters, wraps, needsTask } = target
    const forwarding = { standing, line, trail, asked, target, params, headerParameters, wraps, needsTask, account }
    const answer = await forward(forwarding)
    // What is to be done first is said by whoever found it.
    if (trail.fault === undefined) trail.outcome = outcomeOf(answer)
    if ('error' in answer) return answer
    const result = cutResult(answer.result, standing.resultLimit)
    return result === answer.result ? answer : { result }
  } catch (thrown) {
    const fault = Fault.of(thrown)
    // What is wrong with the request itself is no result of the tool.
    if (fault.code === 'call.cancelled' || fault.row.phase === 'check' || isLimit(fault)) throw fault
    trail.outcome = fault.row.phase === 'open' || fault.row.phase === 'admit' ? 'refused' : 'failed'
    trail.fault = fault
    const { revision } = asked.caller
    const result = withAccount(resultOf(fault, trail.correlationId), trail.account)
    return { result: adaptResult('tools/call', result, { from: revision, to: revision }) }
  }
}

/** The verdict was found when the view was made; here it is carried out (ledger S3-POLY-02). */
function obey(rule: ToolRule | Hold, tool: string, trail: Trail): void {
  if (rule.action === 'hold') throw new Fault('tool.held', { tool })
  const { id, action, reason } = rule
  trail.rule = id
  if (action === 'block') throw new Fault('policy.blocked', { tool, reason })
  trail.warned = true
}

/** Nothing was asked of the tool: whoever calls is to wait, and not the model to think about it. */
const isLimit = ({ code }: Fault): boolean => code === 'limit.connection'

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
