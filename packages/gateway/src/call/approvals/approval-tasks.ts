/**
 * Polling a call that waits for an approval, as a task. The first poll after the grant makes the call, on that very request; its
 * result is stored, sealed, so that every gateway can answer it later and none makes the call again.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { Fault } from '@toolway/contract'
import { eraOf, legacyTask, parseJson, withRelated, type JsonObject } from '@toolway/protocol'
import {
  findAnswerOfCall,
  findApproval,
  lockApproval,
  storeAnswerOfCall,
  storeDenial,
  storeTold,
  type ApprovalRow,
} from '../../approvals/approvals.ts'
import type { Db } from '../../db/db.ts'
import { recordChange } from '../../records/change.ts'
import { approvalAnswerSealContext, approvalSealContext } from '../../vault/sealed-columns.ts'
import type { Vault } from '../../vault/vault.ts'
import type { Signer } from '../../catalog/page.ts'
import type { Answer } from '../../upstreams/upstream.ts'
import type { ApprovalTasks, TaskAsking } from './approval-port.ts'
import { factsOf, tell } from './answer-approval.ts'
import { questionOf, taskOf } from './task-forms.ts'
import type { Waits } from './waiting.ts'

export interface ApprovalTaskParts {
  readonly db: Pick<Db, 'organization'>
  readonly vault: Pick<Vault, 'seal' | 'open'>
  readonly signer: Signer
  readonly waits: Waits
  link(id: string): string
}

/** Milliseconds that a legacy `tasks/result` waits, and between two looks where no notice comes. */
const HOLD = 10 * 60_000
const LOOK = 5_000
/** A call that was begun and of which nothing was heard for this long was lost, in milliseconds. */
const LOST = 10 * 60_000
/** How long the end of a task is told, in milliseconds. */
const LIFE = 60 * 60_000
/** Characters of a result that are kept. */
const MOST = 4 * 1024 * 1024

interface End {
  readonly status: 'working' | 'completed' | 'failed' | 'cancelled'
  readonly message: string | undefined
  readonly answer: Answer | undefined
}

export function createApprovalTasks(parts: ApprovalTaskParts): ApprovalTasks {
  const { db, vault, signer, waits, link } = parts
  const METHODS = new Set(['tasks/get', 'tasks/result', 'tasks/cancel'])

  return {
    async task(asking, run) {
      const { requestContext, mcpRequest } = asking
      const { organizationId, principal } = requestContext
      const id = questionOf(signer, principal, organizationId, mcpRequest.params['taskId'])
      if (id === undefined || !METHODS.has(mcpRequest.method)) return undefined
      const found = () => db.organization(organizationId, (sql) => findApproval(sql, id))
      const row = await found()
      if (row === undefined) throw new Fault('task.unknown')
      if (mcpRequest.method === 'tasks/cancel') return cancel(parts, asking, row)
      if (mcpRequest.method === 'tasks/get') return say(asking, row, await endOf(asking, row, run))
      return wait(asking, row, run, found)
    },
  }

  /** How the call stands; whoever finds it granted, and nobody else, has it made. */
  async function endOf(asking: TaskAsking, row: ApprovalRow, run: Run): Promise<End> {
    const { id, organization_id: organization, state, tool } = row
    const sealed = await db.organization(organization, (sql) => findAnswerOfCall(sql, id))
    if (sealed !== undefined) return ended(JSON.parse(vault.open(sealed, approvalAnswerSealContext(id))) as Answer)
    if (state === 'pending') return working(`Waiting for approval: ${link(id)}`)
    if (state === 'denied' || state === 'expired') {
      const fault =
        state === 'denied' ? new Fault('approval.denied', { tool, why: '' }) : new Fault('approval.expired', { tool })
      return { status: 'failed', message: fault.message, answer: { result: asking.word(fault) } }
    }
    const claimed = state === 'granted' && (await db.organization(organization, (sql) => storeTold(sql, id)))
    if (!claimed) {
      const since = row.used_at ?? row.decided_at
      if (since === null || Date.now() - since.getTime() < LOST) return working('The call is running.')
      return {
        status: 'failed',
        message: 'The gateway stopped during the call; it is not known whether the tool acted.',
        answer: undefined,
      }
    }
    const { name, given } = parseJson(vault.open(row.sealed_arguments, approvalSealContext(id))) as JsonObject
    const answer = await run({ name: name ?? tool, arguments: given ?? {} })
    const text = JSON.stringify(answer)
    if (text.length <= MOST)
      await db.organization(organization, (sql) =>
        storeAnswerOfCall(sql, id, vault.seal(text, approvalAnswerSealContext(id))),
      )
    return ended(answer)
  }

  /** Until the call is over; a client may be gone without a word, so it is told to ask again after a while. */
  async function wait(asking: TaskAsking, first: ApprovalRow, run: Run, found: () => Promise<ApprovalRow | undefined>) {
    const { channel, mcpRequest } = asking
    for (const until = Date.now() + HOLD; Date.now() < until && !channel.signal.aborted;) {
      const change = waits.change(first.id, LOOK, channel.signal)
      const row = (await found()) ?? first
      const { status, answer, message } = await endOf(asking, row, run)
      if (status !== 'working') {
        if (answer === undefined) throw new Fault('upstream.lost', { connection: message ?? first.tool })
        if ('error' in answer) return answer
        return { result: withRelated(answer.result, String(mcpRequest.params['taskId'])) }
      }
      await change
      // Where it is being made elsewhere, nothing is told of its end.
      if (row.state !== 'pending') await sleep(500, undefined, { signal: channel.signal }).catch(() => {})
    }
    if (channel.signal.aborted) throw Fault.of(channel.signal.reason)
    throw new Fault('upstream.timeout', { connection: first.tool, seconds: HOLD / 1000 })
  }
}

/** The caller wants it no more: the question is withdrawn, and nothing was sent. */
async function cancel({ db }: Pick<ApprovalTaskParts, 'db'>, asking: TaskAsking, row: ApprovalRow): Promise<Answer> {
  const { requestContext } = asking
  await db.organization(row.organization_id, async (sql) => {
    const approval = await lockApproval(sql, row.id)
    if (approval === undefined || !(await storeDenial(sql, row.id, requestContext.principal.id))) return
    await tell(sql, 'approval.denied', row, { by: requestContext.principal.id })
    await recordChange(sql, asking.actor, row.organization_id, {
      action: 'approval.withdraw',
      resource: 'approval',
      id: row.id,
      detail: factsOf(row),
    })
  })
  if (eraOf(asking.mcpRequest.caller.revision) === 'modern') return { result: { resultType: 'complete' } }
  return say(asking, row, { status: 'cancelled', message: undefined, answer: undefined })
}

type Run = (params: JsonObject) => Promise<Answer>

const working = (message: string): End => ({ status: 'working', message, answer: undefined })

function ended(answer: Answer): End {
  const failed = 'error' in answer || answer.result['isError'] === true
  return { status: failed ? 'failed' : 'completed', message: undefined, answer }
}

/** As the client's revision writes a task that it asks after. */
function say({ mcpRequest }: TaskAsking, row: ApprovalRow, { status, message, answer }: End): Answer {
  const modern = eraOf(mcpRequest.caller.revision) === 'modern'
  // A modern task that ended with a tool's own error is completed: the error is its result (extension, `tasks/get`).
  const isResult = answer !== undefined && 'result' in answer
  const told = modern && isResult ? 'completed' : status
  const task = taskOf({
    taskId: String(mcpRequest.params['taskId']),
    status: told,
    message,
    created: row.created_at,
    updated: row.used_at ?? row.decided_at ?? row.created_at,
    ttl: Math.max(row.expires_at.getTime() - row.created_at.getTime(), LIFE),
  })
  if (!modern) return { result: legacyTask(task) }
  if (answer === undefined && status === 'failed')
    return { result: { resultType: 'complete', ...task, error: { code: -32603, message: message ?? 'It failed.' } } }
  const inner: JsonObject =
    answer === undefined ? {} : 'error' in answer ? { error: { ...answer.error } } : { result: answer.result }
  return { result: { resultType: 'complete', ...task, ...inner } }
}
