/**
 * Approvals of calls: the answer that a caller gets while its call waits for somebody's decision (ledger U-07).
 *
 * A caller is asked itself in the way of its revision where a rule allows that, is sent to a page where its client opens pages, and
 * is given a task where its client keeps tasks. All others are told the id of the question and repeat the call. Nothing is sent to a
 * server before the grant, and a grant is used up before anything is sent.
 */
import { Fault, type OrganizationId } from '@toolway/contract'
import { declares, eraOf, isObject, NEWEST_LEGACY, TASKS, type JsonObject } from '@toolway/protocol'
import { addRound } from '../../approvals/approvals.ts'
import type { Signer } from '../../catalog/page.ts'
import type { Answer } from '../../upstreams/upstream.ts'
import type { ApprovalAsking, Approvals } from './approval-port.ts'
import { createBoundStates, type BoundStates } from '../questions/bound-states.ts'
import { createApprovalTasks, type ApprovalTaskParts } from './approval-tasks.ts'
import { answerApproval, type AnswerParts } from './answer-approval.ts'
import { standingGrantOf } from './standing-grants.ts'
import {
  supportsFormElicitation,
  opensPages,
  pageQuestion,
  putOnLine,
  selfQuestion,
  wordOf,
  type ApprovalReply,
} from './questions.ts'
import {
  actorOf,
  digestOfAsking,
  goesOn,
  personOf,
  resolveApproval,
  type Resolution,
  type ResolveApprovalParts,
} from './resolve-approval.ts'
import { isOurs, KEY, PREFIX } from './own-state.ts'
import type { Waits } from './waiting.ts'
import { newTask } from './task-forms.ts'

export interface ApprovalParts extends ResolveApprovalParts, AnswerParts, ApprovalTaskParts {
  readonly db: ResolveApprovalParts['db']
  readonly vault: ApprovalTaskParts['vault']
  readonly signer: Signer
  link(id?: string): string
  readonly waits: Waits
  readonly now?: () => number
}

type Pending = Extract<Resolution, { kind: 'pending' }>

/** A modern client that comes back from a page is held this long, in milliseconds: clients of the SDK wait 60 s for an answer. */
const RETRY = 40_000
/** A call on a stream waits no longer than this, in milliseconds, however long the question is open. */
const LIVE = 10 * 60_000
/** A notice may be lost: whoever waits looks by itself every so many milliseconds. */
const LOOK = 10_000

interface Patience {
  readonly until: number
  readonly signal: AbortSignal
}

export const createApprovals = (parts: ApprovalParts): Approvals => new CallApprovals(parts)

class CallApprovals implements Approvals {
  readonly task: Approvals['task']
  readonly #parts: ApprovalParts
  readonly #states: BoundStates
  readonly #now: () => number

  constructor(parts: ApprovalParts) {
    this.#parts = parts
    this.#now = parts.now ?? Date.now
    this.#states = createBoundStates(parts.signer, this.#now, 'question of an approval')
    this.task = createApprovalTasks(parts).task
  }

  async settle(asking: ApprovalAsking): Promise<Answer | undefined> {
    const digest = digestOfAsking(this.#parts, asking)
    const { requestState } = asking.mcpRequest.params
    const back = isOurs(requestState) ? await this.#comesBack(asking, requestState, digest) : undefined
    if (back === undefined && (await goesOn(this.#parts, asking, digest))) return undefined
    const stand = await this.#look(asking, digest)
    if (stand === undefined) return undefined
    if (back === 'page') return this.#held(asking, digest, stand)
    return this.#deliver(asking, digest, stand)
  }

  /** Undefined once it may go. Throws what a call that was refused ends with. */
  async #look(asking: ApprovalAsking, digest: string): Promise<Pending | undefined> {
    const stand = await resolveApproval(this.#parts, asking, digest)
    const tool = asking.target.name
    if (stand.kind === 'limit') {
      const { limit, whose } = stand
      throw new Fault('approval.limit', { limit, whose, link: this.#parts.link() })
    }
    asking.audit.note({ approval: stand.id })
    if (stand.kind === 'denied')
      throw new Fault('approval.denied', { tool, why: stand.why }, { data: dataOf(this.#parts, stand.id) })
    if (stand.kind === 'expired') throw new Fault('approval.expired', { tool }, { data: dataOf(this.#parts, stand.id) })
    return stand.kind === 'go' ? undefined : stand
  }

  /** The answer to the question of a round: given for the person, or only that the page was seen. Throws `state.unknown`. */
  async #comesBack(asking: ApprovalAsking, state: string, digest: string): Promise<'form' | 'page'> {
    const { principal, mcpRequest } = asking
    const [mode, id] = this.#states.release(state.slice(PREFIX.length), { principal: principal.id, digest }).split(' ')
    const { inputResponses } = mcpRequest.params
    const given = isObject(inputResponses) && Object.hasOwn(inputResponses, KEY) ? inputResponses[KEY] : undefined
    if (mode === 'page') return 'page'
    await this.#answerOwn(asking, String(id), wordOf(isObject(given) ? given : {}))
    return 'form'
  }

  /** Said by the person behind the call, in its own client. A question that is over by now is looked at anew. */
  async #answerOwn(asking: ApprovalAsking, id: string, { action, note, always }: ApprovalReply) {
    if (action !== 'accept' && action !== 'decline') return
    const { organizationId, principal } = asking
    const person = personOf(principal)
    const approver = person === undefined ? undefined : this.#parts.lookup.person(organizationId, person)
    if (approver === undefined) return
    const verdict = action === 'accept' ? 'grant' : 'deny'
    // The form offers it only where it may be said; a client that says it all the same answers for the one call.
    const lasts = always && this.#maySayAlways(asking)
    const answering = {
      organizationId,
      id,
      approver,
      verdict,
      always: lasts,
      way: 'client',
      note,
      actor: actorOf(asking),
    } as const
    await answerApproval(this.#parts, answering).catch((thrown: unknown) => {
      if (!(thrown instanceof Fault) || thrown.code !== 'approval.over') throw thrown
    })
  }

  async #deliver(asking: ApprovalAsking, digest: string, pending: Pending): Promise<Answer | undefined> {
    const { mcpRequest, channel, principal } = asking
    const modern = eraOf(mcpRequest.caller.revision) === 'modern'
    const form = asksSelf(asking) && supportsFormElicitation(mcpRequest)
    const page = !form && opensPages(mcpRequest)
    const fault = required(this.#parts, asking, pending)
    if (keepsTask(asking, form)) {
      asking.audit.refuse(fault)
      return newTask(asking, {
        id: pending.id,
        until: pending.until,
        signer: this.#parts.signer,
        now: this.#now(),
        message: fault.message,
      })
    }
    if (!form && !page) throw fault
    if (!modern) {
      if (!channel.asks) throw fault
      return this.#live(asking, digest, pending, form)
    }
    const question = this.#question(asking, pending, form)
    const owner = { principal: principal.id, digest }
    const requestState = PREFIX + this.#states.bind(`${form ? 'form' : 'page'} ${pending.id}`, owner)
    const inputRequests: JsonObject = { [KEY]: { method: 'elicitation/create', params: question } }
    asking.audit.refuse(fault)
    return { result: { resultType: 'input_required', inputRequests, requestState } }
  }

  #question(asking: ApprovalAsking, { id }: Pending, form: boolean): JsonObject {
    return form ? selfQuestion(asking, this.#maySayAlways(asking)) : pageQuestion(asking, this.#parts.link(id))
  }

  /** A grant for later calls outlives the word of whoever says who the caller is. */
  #maySayAlways(asking: ApprovalAsking): boolean {
    return asking.principal.vouched !== true && standingGrantOf(this.#parts, asking) !== undefined
  }

  /** Waits for a while. A caller that is not answered by then comes back with the same call. */
  async #held(asking: ApprovalAsking, digest: string, pending: Pending): Promise<undefined> {
    const place = this.#parts.waits.begin(asking.principal.id)
    if (place === undefined) throw required(this.#parts, asking, pending)
    try {
      if (
        await this.#untilDecided(asking, digest, pending, { until: this.#now() + RETRY, signal: asking.channel.signal })
      )
        return
    } finally {
      place.end()
    }
    throw required(this.#parts, asking, pending)
  }

  /** True once it may go, false when the time is over or the signal came; throws where it was refused. */
  async #untilDecided(asking: ApprovalAsking, digest: string, { id }: Pending, { until, signal }: Patience) {
    for (let looked = false; ; looked = true) {
      const left = until - this.#now()
      if (looked && (left <= 0 || signal.aborted)) return false
      const stop = new AbortController()
      // Listened for before it is looked at, so that nothing is missed between.
      const change = this.#parts.waits.change(
        id,
        Math.max(0, Math.min(left, LOOK)),
        AbortSignal.any([signal, stop.signal]),
      )
      try {
        const stand = await this.#look(asking, digest)
        if (stand === undefined) return true
        // Another call of the same used that grant up: what is open now is another question.
        if (stand.id !== id) return false
        await change
      } finally {
        stop.abort()
      }
    }
  }

  /** Asks on the call's own stream, and waits there for whoever answers first. */
  async #live(asking: ApprovalAsking, digest: string, pending: Pending, form: boolean): Promise<undefined> {
    const place = this.#parts.waits.begin(asking.principal.id)
    if (place === undefined) throw required(this.#parts, asking, pending)
    const stop = new AbortController()
    try {
      const question = this.#question(asking, pending, form)
      const patience = Math.min(LIVE, pending.until.getTime() - this.#now() + 1_000)
      const signal = AbortSignal.any([asking.channel.signal, stop.signal])
      const decided = this.#untilDecided(asking, digest, pending, { until: this.#now() + patience, signal })
      const said = putOnLine(asking.channel, question, patience).then((word) =>
        this.#heard(asking, pending, word, form),
      )
      // A call whose form is closed still waits for the decision of others, except where no answer can come any more.
      const first = await Promise.race([decided, said])
      if (first === 'leave') stop.abort()
      // Also where it was left: a grant that was used meanwhile is this call's.
      if (await decided) return
    } finally {
      stop.abort()
      place.end()
    }
    if (asking.channel.signal.aborted) throw Fault.of(asking.channel.signal.reason)
    throw required(this.#parts, asking, pending)
  }

  /** `wait`: somebody's word is to come; `leave`: not on this line. */
  async #heard(
    asking: ApprovalAsking,
    pending: Pending,
    reply: ApprovalReply,
    form: boolean,
  ): Promise<'wait' | 'leave'> {
    const { action } = reply
    if (!form) return action === 'accept' ? 'wait' : 'leave'
    if (action !== 'accept' && action !== 'decline') return 'leave'
    await this.#answerOwn(asking, pending.id, reply)
    return 'wait'
  }

  async asks(organizationId: OrganizationId, id: string): Promise<void> {
    await this.#parts.db.organization(organizationId, (sql) => addRound(sql, id))
  }
}

const asksSelf = ({ rules, principal }: ApprovalAsking): boolean =>
  personOf(principal) !== undefined && rules.some(({ parameters: { by } }) => by.self)

/**
 * Long waits become a task where the client can poll one: by the extension, or a legacy task that it asked for. A caller that may
 * approve the call itself is asked at once.
 */
function keepsTask({ mcpRequest: { caller, params }, target }: ApprovalAsking, form: boolean): boolean {
  if (target.needsTask) return false
  if (caller.revision === NEWEST_LEGACY) return isObject(params['task'])
  return !form && eraOf(caller.revision) === 'modern' && declares(caller.capabilities, TASKS)
}

const dataOf = ({ link }: Pick<ApprovalParts, 'link'>, id: string) => ({ approval_id: id, approval_url: link(id) })

function required(
  parts: Pick<ApprovalParts, 'link'>,
  { target, rules }: ApprovalAsking,
  { id, until }: Pending,
): Fault {
  const facts = { tool: target.name, reason: reasonOf(rules), approval: id, link: parts.link(id) }
  return new Fault('approval.required', facts, { data: { ...dataOf(parts, id), expires_at: until.toISOString() } })
}

const reasonOf = (rules: ApprovalAsking['rules']): string => rules.map(({ reason }) => reason).join('; ')
