/**
 * Answering a question whether a call may be made: the one way for pages, the admin interface, the command line, webhooks and the
 * caller's own client. An answer, what became of the question by it, its alert and its record are one transaction.
 */
import { Fault, type OrganizationId, type Rule } from '@toolway/contract'
import type { AlertKind } from '@toolway/contract/admin'
import { addAlert } from '../../features/alerts/index.ts'
import { listAnswers, storeAnswer, takeMessage, type Way } from '../../approvals/answers.ts'
import {
  lockApproval,
  storeDenial,
  storeGrant,
  type ApprovalRow,
  type ApprovalState,
} from '../../approvals/approvals.ts'
import {
  fits,
  goodFor,
  isOwn,
  isSatisfied,
  tallyOf,
  wordsOf,
  type Approver,
  type Caller,
} from '../../approvals/approvers.ts'
import { storedRules } from '../../approvals/stored-rules.ts'
import { removeStandingGrantsOf, storeStandingGrant } from '../../approvals/standing-grants.ts'
import type { Db, OrgSql, SystemSql } from '../../db/db.ts'
import { recordChange, type Actor } from '../../records/change.ts'
import type { ApproverLookup } from './approver-lookup.ts'

export interface AnswerParts {
  readonly db: Pick<Db, 'organization'>
  readonly lookup: ApproverLookup
}

export interface Answering {
  readonly organizationId: OrganizationId
  readonly id: string
  readonly approver: Approver
  readonly verdict: 'grant' | 'deny'
  /** A grant for every later call, too. */
  readonly always?: boolean | undefined
  readonly way: Way
  readonly note: string | undefined
  readonly actor: Actor
  /** Of a webhook: good once. */
  readonly message?: string | undefined
}

/** The state of an approval after an answer. */
export interface Answered {
  readonly state: ApprovalState
  /** How many more have to grant it. */
  readonly missing: number
  /** Of the lasting grant that was given with it. */
  readonly lasting?: string
}

export const rulesOf = ({ rules }: { readonly rules?: unknown }): readonly Rule<'approve'>[] => storedRules(rules)

export const callerOf = ({
  principal,
  user_id: userId,
  made_by: maker,
}: Pick<ApprovalRow, 'principal' | 'user_id' | 'made_by'>): Caller => ({
  principal,
  userId: userId ?? undefined,
  maker: maker ?? undefined,
})

/** Whether somebody could answer it, whatever its state. */
export const mayAnswer = (row: ApprovalRow, approver: Approver): boolean =>
  rulesOf(row).some((rule) => fits(rule, callerOf(row), approver))

/** Throws `thing.unknown`, `approval.over`, `approval.forbidden`, and `approval.signature` for a message that came before. */
export const answerApproval = ({ db, lookup }: AnswerParts, answering: Answering): Promise<Answered> =>
  db.organization(answering.organizationId, async (sql) => {
    const { organizationId, approver, verdict, always = false, way, note, actor, message } = answering
    const row = await lockApproval(sql, answering.id)
    if (row === undefined) throw new Fault('thing.unknown', { thing: 'approval' })
    if (message !== undefined && !(await takeMessage(sql, organizationId, approver.id, message)))
      throw new Fault('approval.signature', { problem: 'this message was received before' })
    refuseOver(row, verdict)
    if (!mayAnswer(row, approver)) throw forbidden(row, approver)
    const lasting =
      always && verdict === 'grant'
        ? await storeStandingGrant(sql, { row: mayLast(row), by: approver.id, note })
        : undefined
    await storeAnswer(sql, { organizationId, approvalId: row.id, by: approver.id, verdict, way, note })
    const answered = await (verdict === 'deny' ? deny(sql, row, approver) : grant(sql, row, { approver, lookup }))
    await recordChange(sql, actor, organizationId, {
      action: verdict === 'deny' ? 'approval.deny' : 'approval.grant',
      resource: 'approval',
      id: row.id,
      detail: {
        ...factsOf(row),
        answered_by: approver.id,
        way,
        ...(note === undefined ? {} : { note }),
        state: answered.state,
        ...(lasting === undefined ? {} : { always: lasting }),
        ...(answered.missing === 0 ? {} : { missing: answered.missing }),
      },
    })
    return { ...answered, ...(lasting === undefined ? {} : { lasting }) }
  })

/** Throws `approval.forbidden` where each call is to be asked about. */
function mayLast(row: ApprovalRow) {
  const { lasting_digest: lasting, tool_hash: hash } = row
  if (lasting === null || hash === null)
    throw new Fault('approval.forbidden', { problem: 'this tool needs approval every time' })
  return { ...row, lasting_digest: lasting, tool_hash: hash }
}

/** A grant that is good for a call still can be taken back. */
function refuseOver({ state, expires_at: end, good_until: until }: ApprovalRow, verdict: 'grant' | 'deny'): void {
  const over = (until ?? end).getTime() <= Date.now()
  const isOpen = state === 'pending' || (state === 'granted' && verdict === 'deny')
  if (!isOpen || over) throw new Fault('approval.over', { state: isOpen ? 'expired' : state })
}

function forbidden(row: ApprovalRow, approver: Approver): Fault {
  const [rule] = rulesOf(row)
  const problem = isOwn(callerOf(row), approver)
    ? 'nobody can approve their own call'
    : `the rule requires ${rule === undefined ? 'nobody' : wordsOf(rule)}`
  return new Fault('approval.forbidden', { problem })
}

type Outcome = Omit<Answered, 'lasting'>

/** A no ends what was said for good in answer to the same question. */
async function deny(sql: OrgSql, row: ApprovalRow, { id: by }: Approver): Promise<Outcome> {
  if (!(await storeDenial(sql, row.id, by))) throw new Fault('approval.over', { state: 'expired' })
  await removeStandingGrantsOf(sql, row.id)
  await tell(sql, 'approval.denied', row, { by })
  return { state: 'denied', missing: 0 }
}

async function grant(
  sql: OrgSql,
  row: ApprovalRow,
  { approver, lookup }: { approver: Approver; lookup: ApproverLookup },
): Promise<Outcome> {
  const answers = await listAnswers(sql, row.id)
  const approverOf = await lookup.all(
    sql,
    row.organization_id,
    answers.map(({ answered_by: id }) => id),
  )
  const rules = rulesOf(row)
  const tallies = tallyOf(rules, callerOf(row), answers, approverOf)
  if (!isSatisfied(tallies)) {
    const missing = Math.max(...tallies.map(({ quorum, granted }) => quorum - granted))
    return { state: 'pending', missing }
  }
  if (!(await storeGrant(sql, row.id, approver.id, goodFor(rules))))
    throw new Fault('approval.over', { state: 'expired' })
  await tell(sql, 'approval.granted', row, { by: approver.id })
  return { state: 'granted', missing: 0 }
}

type Told = Pick<ApprovalRow, 'id' | 'organization_id' | 'connection_id' | 'tool'>

/** The facts of an approval for its audit entry: never the arguments. */
export const factsOf = (row: ApprovalRow) => ({
  tool: row.tool,
  connection: row.connection_id,
  caller: row.principal,
  rules: rulesOf(row).map(({ name }) => name),
})

/** Alerts reach followers and webhooks; arguments are in none of them. */
export const tell = (
  sql: OrgSql | SystemSql,
  kind: Extract<AlertKind, `approval.${string}`>,
  { id, organization_id: organizationId, connection_id: connectionId, tool }: Told,
  more: Readonly<Record<string, unknown>> = {},
) => addAlert(sql, { organizationId, kind, connectionId, detail: { approval: id, tool, ...more } })
