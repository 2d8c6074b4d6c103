/** A question whether a call may be made, as people and programs are shown it; and who is shown it at all. */
import { permits, type GivenFile, type Role } from '@toolway/contract'
import type { Approval } from '@toolway/contract/admin'
import { listAnswers } from '../../approvals/answers.ts'
import type { ApprovalRow } from '../../approvals/approvals.ts'
import { isOwn, tallyOf, wordsOf, type Approver } from '../../approvals/approvers.ts'
import { callerOf, mayAnswer, rulesOf } from '../../call/approvals/answer-approval.ts'
import type { ApproverLookup } from '../../call/approvals/approver-lookup.ts'
import { isUnreadable } from '../../approvals/stored-rules.ts'
import type { OrgSql } from '../../db/db.ts'
import type { Log } from '../../lib/log.ts'
import { canonicalJson, parseJson, withDigitsAsText, type JsonObject } from '@toolway/protocol'
import { approvalSealContext } from '../../vault/sealed-columns.ts'
import type { ToolEffect } from '../../snapshot/tools-of.ts'
import type { Vault } from '../../vault/vault.ts'

/** The viewer of an approval: an approver where they may answer, otherwise identified by role and principal only. */
export interface Viewer {
  readonly role: Role
  readonly principal: string
  readonly userId: string | undefined
  /** Undefined for keys: they may look, and answer nothing. */
  readonly approver: Approver | undefined
}

/** Returns whether the viewer may see the approval; if not, it is reported as not found. */
export function maySee(row: ApprovalRow, { role, principal, userId, approver }: Viewer): boolean {
  if (permits(role, 'policy_manage')) return true
  if (isOwn(callerOf(row), { id: userId ?? principal })) return true
  return approver !== undefined && mayAnswer(row, approver)
}

/** Whether an answer of theirs counts now: a yes or a no to what is open, a no to what was granted and is still good. */
export function isTheirs(row: ApprovalRow, approver: Approver | undefined): boolean {
  const isOpen = row.state === 'pending' || row.state === 'granted'
  if (!isOpen || (row.good_until ?? row.expires_at).getTime() <= Date.now()) return false
  return approver !== undefined && mayAnswer(row, approver)
}

export interface DescribeParts {
  readonly lookup: ApproverLookup
  /** For people; undefined where it is not there any more. */
  aliasOf(connectionId: string): string | undefined
  effectOf(connectionId: string, tool: string): ToolEffect | undefined
  link(id: string): string
  readonly log: Pick<Log, 'warn'>
}

export async function describeApproval(
  { lookup, aliasOf, effectOf, link, log }: DescribeParts,
  sql: OrgSql,
  row: ApprovalRow,
  approver: Approver | undefined,
): Promise<Approval> {
  const answers = await listAnswers(sql, row.id)
  const approverOf = await lookup.all(
    sql,
    row.organization_id,
    answers.map(({ answered_by: by }) => by),
  )
  const rules = rulesOf(row)
  if (rules.some(isUnreadable)) log.warn({ approval: row.id }, 'a rule of an approval is unreadable')
  const tallies = tallyOf(rules, callerOf(row), answers, approverOf)
  const over = (row.good_until ?? row.expires_at).getTime() <= Date.now()
  const isOpen = row.state === 'pending' || row.state === 'granted'
  const effect = effectOf(row.connection_id, row.tool)
  return {
    id: row.id,
    state: isOpen && over ? (row.uses > 0 ? 'used' : 'expired') : row.state,
    tool: row.tool,
    effect: row.effect,
    effect_from: effect?.from ?? null,
    stated_effect: effect?.stated ?? null,
    connection_id: row.connection_id,
    connection: aliasOf(row.connection_id) ?? null,
    account: row.account,
    caller: row.caller,
    principal: row.principal,
    client: row.client,
    rules: rules.map((rule, at) => ({
      name: rule.name,
      scope: rule.scope,
      reason: rule.reason,
      asks: wordsOf(rule),
      quorum: rule.parameters.quorum,
      granted: tallies[at]?.granted ?? 0,
    })),
    created_at: row.created_at.toISOString(),
    expires_at: row.expires_at.toISOString(),
    decided_at: row.decided_at?.toISOString() ?? null,
    good_until: row.good_until?.toISOString() ?? null,
    repeats: row.repeats,
    used_at: row.used_at?.toISOString() ?? null,
    uses: row.uses,
    answers: answers.map(({ answered_by: by, verdict, way, note, answered_at: at }) => ({
      by: lookup.person(row.organization_id, by)?.email ?? by,
      verdict,
      way,
      note,
      at: at.toISOString(),
    })),
    always: row.lasting_digest !== null,
    yours: isTheirs(row, approver),
    url: link(row.id),
  }
}

/** The arguments of the call as they would be sent; and as they came, where rules changed them. */
export function argumentsOf(vault: Pick<Vault, 'open'>, row: ApprovalRow) {
  const shown = withDigitsAsText(
    parseJson(vault.open(row.sealed_arguments, approvalSealContext(row.id))),
  ) as unknown as ShownArguments
  const { arguments: sent, given = null, files = [] } = shown
  return {
    arguments: sent,
    files,
    given: given === null || canonicalJson(given) === canonicalJson(sent) ? null : given,
  }
}

interface ShownArguments {
  readonly arguments: JsonObject
  readonly given?: JsonObject | null
  readonly files?: GivenFile[]
}
