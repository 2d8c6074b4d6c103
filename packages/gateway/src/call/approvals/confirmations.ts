/**
 * Confirmations without a database: the user of the calling client is asked by elicitation, and the answer counts for that one call.
 *
 * Nothing is stored, so nobody else can answer, and a question ends with the process. A client that cannot ask its user is refused
 * with the reason. Only rules that `confirms` accepts are answered here; every other approval is refused, as nobody can give it.
 */
import { randomUUID } from 'node:crypto'
import { Fault, type Rule } from '@toolway/contract'
import { eraOf, isObject, type JsonObject } from '@toolway/protocol'
import { digestOf } from '../../approvals/digest.ts'
import type { Signer } from '../../catalog/page.ts'
import type { Answer } from '../../upstreams/upstream.ts'
import type { ApprovalAsking, Approvals } from './approval-port.ts'
import { createBoundStates } from '../questions/bound-states.ts'
import { taskOwner } from '../tasks/task-owner.ts'
import { toolHashOf, type StandingGrantParts } from './standing-grants.ts'
import { isOurs, KEY, PREFIX } from './own-state.ts'
import { supportsFormElicitation, putOnLine, selfQuestion, wordOf, type ApprovalReply } from './questions.ts'

export interface ConfirmationsParts extends Pick<StandingGrantParts, 'definitionOf'> {
  readonly signer: Signer
  confirms(rule: Rule<'approve'>): boolean
}

/** Questions of clients that keep no stream open; one more forgets the oldest, whose call is asked about again. */
const MOST = 1_000
/** A user may take this long to answer on an open stream, in milliseconds. */
const PATIENCE = 10 * 60_000

export function createConfirmations(parts: ConfirmationsParts): Approvals {
  const states = createBoundStates(parts.signer, Date.now, 'question of a confirmation')
  const open = new Set<string>()

  async function settle(asking: ApprovalAsking): Promise<Answer | undefined> {
    const { mcpRequest, channel, rules, target } = asking
    if (!rules.every(parts.confirms))
      throw new Fault('policy.blocked', { tool: target.name, reason: 'nobody can be asked here' })
    const owner = { principal: asking.principal.id, digest: digestOfCall(asking) }
    const answered = isOurs(mcpRequest.params['requestState']) ? answerIn(mcpRequest.params, owner) : undefined
    if (answered !== undefined) return enforce(asking, answered)
    if (!supportsFormElicitation(mcpRequest)) throw unconfirmed(asking, 'this client cannot ask its user (elicitation)')
    if (eraOf(mcpRequest.caller.revision) === 'modern') return question(asking, owner)
    if (!channel.asks)
      throw unconfirmed(asking, 'this client has no session and stream on which its user could be asked')
    return enforce(asking, await putOnLine(channel, selfQuestion(asking, false), PATIENCE))
  }

  const digestOfCall = (asking: ApprovalAsking): string =>
    digestOf({
      tool: toolHashOf(parts, asking),
      name: asking.target.name,
      arguments: asking.arguments,
      account: asking.account ?? null,
      caller: taskOwner(asking.principal),
      connection: asking.target.connectionId,
      rules: asking.rules.map(({ id, parameters }) => ({ id, parameters: parameters as unknown as JsonObject })),
    })

  /** Undefined for an answer that was used before, or whose question another process asked. Throws `state.unknown`. */
  function answerIn(params: JsonObject, owner: { principal: string; digest: string }): ApprovalReply | undefined {
    const { requestState, inputResponses } = params
    const id = states.release(String(requestState).slice(PREFIX.length), owner)
    if (!open.delete(id)) return undefined
    const given = isObject(inputResponses) && Object.hasOwn(inputResponses, KEY) ? inputResponses[KEY] : undefined
    return wordOf(isObject(given) ? given : {})
  }

  function question(asking: ApprovalAsking, owner: { principal: string; digest: string }): Answer {
    const id = randomUUID()
    const [oldest] = open
    if (open.size >= MOST && oldest !== undefined) open.delete(oldest)
    open.add(id)
    asking.audit.refuse(unconfirmed(asking, 'its user is being asked'))
    return {
      result: {
        resultType: 'input_required',
        inputRequests: { [KEY]: { method: 'elicitation/create', params: selfQuestion(asking, false) } },
        requestState: PREFIX + states.bind(id, owner),
      },
    }
  }

  return { settle, asks: () => Promise.resolve(), task: () => Promise.resolve(undefined) }
}

/** Undefined where the user said yes. */
function enforce(asking: ApprovalAsking, { action, note }: ApprovalReply): undefined {
  if (action === 'accept') return undefined
  if (asking.channel.signal.aborted) throw Fault.of(asking.channel.signal.reason)
  if (action === 'unasked') throw unconfirmed(asking, 'nobody answered the question in the client')
  throw new Fault('approval.denied', { tool: asking.target.name, why: note === undefined ? '' : `: ${note}` })
}

const unconfirmed = ({ target }: ApprovalAsking, problem: string): Fault =>
  new Fault('approval.unconfirmed', { tool: target.name, problem })
