/**
 * The life of one tool call, top to bottom. Read this file first.
 *
 * By the time it begins, the request is identified, placed and read (`enter.ts`). Each line asks one part one question; a
 * part that cannot answer throws a Fault. What fails once the tool is known is told to the model as the tool's result; what
 * fails before is a fault of the request. However the call ends, its trail is closed once, by whoever entered it.
 */
import { Fault, reaches, type Facts, type Verdict } from '@toolway/contract'
import { adaptResult, checkParameterHeaders, isObject, type Asked, type JsonObject } from '@toolway/protocol'
import { withoutApproval } from './approvals/own-state.ts'
import { checkParams } from './arguments/check-arguments.ts'
import { takeOrganization } from './arguments/organization.ts'
import { review } from './arguments/review.ts'
import { checkOutput } from './shape/check-output.ts'
import { readByTool } from './shape/read-result.ts'
import { shapeResult } from './shape/shape-result.ts'
import { takeAccount, withAccount } from './credentials/use-credential.ts'
import { outcomeOfFault } from './fault-outcome.ts'
import { forward } from './forward.ts'
import { wantsInput } from './questions/ask-client.ts'
import type { ToolTarget } from '../catalog/view.ts'
import { isDatabaseFault } from '../db/unreachable.ts'
import { isKeptFrom, judge } from './policy/judge.ts'
import { obey, traceOf, withChanges } from './policy/obey.ts'
import type { Answer, CallParts, Line, Standing } from './ports.ts'
import { wordsOfResult } from './record-error.ts'
import type { ClientRequest } from './request.ts'
import type { Trail } from './trail.ts'

export async function call({ standing, asked, line, trail }: ClientRequest, parts: CallParts): Promise<Answer> {
  const { name, arguments: given } = asked.params
  if (typeof name !== 'string') throw new Fault('params.shape', { place: '/name', problem: 'must be a string' })
  if (given !== undefined && !isObject(given))
    throw new Fault('params.shape', { place: '/arguments', problem: 'must be an object' })
  trail.target = name

  const target = standing.view.tool(name)
  if (target === undefined && name === standing.view.readResult)
    return readByTool(parts, standing, asked, name).catch((thrown: unknown) => told(thrown, asked, trail))
  // What rules keep from this caller is not there, whatever else would speak against a call of it.
  if (target === undefined || isKeptFrom(target, standing, trail)) throw new Fault('tool.unknown', { tool: name })
  // Before anything runs, so that the client can ask its person for more (MCP 2026-07-28, scope challenge handling).
  if (!reaches(standing.principal.limit, target.effect))
    throw new Fault('scope.insufficient', { tool: name, needed: target.effect })
  if (line.header !== undefined) checkParameterHeaders(line.header, target.headerParameters, given)

  try {
    if (target.held !== undefined) throw new Fault('tool.held', { tool: name })
    const params: JsonObject = { ...withoutApproval(asked.params), name: target.name }
    if (target.keepsPayload) trail.payload = { params }
    const account = target.account === undefined ? undefined : takeAccount(params, target.account)
    takeOrganization(params, target, trail)
    const judged = judge(target, standing, trail, isObject(params['arguments']) ? params['arguments'] : undefined)
    const following = { parts, standing, asked, line, trail, target, params, account }
    const limited = judged === undefined ? undefined : follow(following, judged)
    if (limited !== undefined) await limited
    checkParams(target, params, name)
    const reviewing = review(target, standing, trail, params)
    if (reviewing !== undefined) await reviewing
    const first =
      judged === undefined || judged.verdict.approvals.length === 0 ? undefined : await approve(following, judged)
    if (first !== undefined) return first
    const { headerParameters, wraps, needsTask } = target
    const forwarding = {
      parts,
      standing,
      line,
      trail,
      asked,
      target,
      params,
      headerParameters,
      wraps,
      needsTask,
      account,
    }
    const answer = await forward(forwarding)
    const granted = trail.policy?.approval
    if (granted !== undefined && wantsInput(answer)) await parts.approvals?.asks(standing.organizationId, granted)
    // What is to be done first is said by whoever found it.
    if (trail.fault === undefined) trail.outcome = outcomeOf(answer)
    if ('error' in answer) return keep(trail, answer)
    const whole = checkOutput(target, answer.result, trail, asked.caller.revision)
    const shaping = shapeResult(parts, standing, whole, judged?.verdict.sizes ?? [], asked.caller)
    const shaped = shaping instanceof Promise ? await shaping : shaping
    const result = judged === undefined ? shaped : withChanges(shaped, judged.verdict.changes)
    if (trail.outcome === 'tool_error') trail.said = wordsOfResult(result)
    return keep(trail, result === answer.result ? answer : { result })
  } catch (thrown) {
    return told(thrown, asked, trail)
  }
}

/** Where its connection keeps what came back. */
function keep({ payload }: Trail, answer: Answer): Answer {
  if (payload !== undefined) payload.result = 'error' in answer ? { error: answer.error } : answer.result
  return answer
}

/** As the tool's result, for the model; thrown on where it is the request's own affair. */
function told(thrown: unknown, asked: Asked, trail: Trail): Answer {
  const fault = Fault.of(thrown)
  // What is wrong with the request itself is no result of the tool.
  if (fault.code === 'call.cancelled' || REQUEST.has(fault.row.phase) || isLimit(fault)) throw fault
  // As long as nothing has been sent, the client may send the whole request again, and HTTP says when.
  if (isDatabaseFault(fault) && trail.intent === undefined) throw fault
  trail.outcome = outcomeOfFault(fault)
  trail.fault = fault
  const { revision } = asked.caller
  const result = withAccount(resultOf(fault, trail.correlationId), trail.account)
  return { result: adaptResult('tools/call', result, { from: revision, to: revision }) }
}

/** What is wrong with the request itself is no result of the tool; a tool that may not be seen is none. */
const REQUEST: ReadonlySet<string> = new Set(['check', 'find'])

interface Following {
  readonly parts: CallParts
  readonly standing: Standing
  readonly asked: Asked
  readonly line: Line
  readonly trail: Trail
  readonly target: ToolTarget
  readonly params: JsonObject
  readonly account: string | undefined
}

interface Judged {
  readonly verdict: Verdict
  readonly facts: Facts
}

/** The verdict carried out: `params` get the arguments that are to be sent. */
function follow(
  { parts, standing, asked, line, trail, target, params }: Following,
  { verdict, facts }: Judged,
): Promise<void> | undefined {
  trail.policy = traceOf(verdict, target.policy, facts)
  if (verdict.changes.length > 0) params['arguments'] = verdict.arguments ?? {}
  return obey(verdict, String(asked.params['name']), parts.limits, standing, line.session?.id)
}

/** Nobody is asked about arguments that the tool does not take: what is to be answered first, if anything is. */
async function approve(
  { parts, standing, asked, line, trail, target, params, account }: Following,
  { verdict, facts }: Judged,
): Promise<Answer | undefined> {
  const { approvals: rules } = verdict
  const { approvals } = parts
  const { organizationId, organization, principal } = standing
  // Where nobody can be asked nobody grants.
  if (approvals === undefined)
    throw new Fault('policy.blocked', { tool: target.name, reason: 'nobody can be asked here' })
  return approvals.settle({
    organizationId,
    organization,
    principal,
    facts,
    asked,
    line,
    target,
    correlationId: trail.correlationId,
    arguments: isObject(params['arguments']) ? params['arguments'] : {},
    account,
    rules,
    note(fault) {
      trail.fault = fault
      trail.outcome = 'refused'
    },
    about(approval) {
      if (trail.policy !== undefined) trail.policy = { ...trail.policy, approval }
    },
  })
}

/** Nothing was asked of the tool: whoever calls is to wait, and not the model to think about it. */
const isLimit = ({ code }: Fault): boolean => code === 'limit.connection' || code === 'limit.rule'

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
