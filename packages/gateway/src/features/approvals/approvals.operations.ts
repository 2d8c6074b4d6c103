/** The operations on questions whether a call may be made. Answers come from people: a key sees, and grants nothing. */
import { Fault, permits } from '@toolway/contract'
import * as shapes from '@toolway/contract/admin'
import type { Operation } from '@toolway/contract/admin'
import { findApproval, listApprovals, type ApprovalRow } from '../../approvals/approvals.ts'
import { answerApproval } from '../../call/approvals/answer-approval.ts'
import { newestPage } from '../../lib/page.ts'
import { operationServers, type OrganizationRequest, type Served } from '../../operations/serve.ts'
import { approverIn } from './admin-approvals.ts'
import { lastingApprovalOperations, type ApprovalParts } from './standing-approvals.operations.ts'
import { argumentsOf, describeApproval, maySee, type Viewer } from './describe-approval.ts'
import { eachInTurn } from '../../lib/unreadable-rows.ts'

const { serveOrganization } = operationServers<ApprovalParts>()

type ApprovalRequest = Pick<
  OrganizationRequest<Operation, ApprovalParts>,
  'parts' | 'organization' | 'principal' | 'role' | 'params'
>

const viewerOf = ({ parts, organization, principal, role }: ApprovalRequest): Viewer => ({
  role,
  principal: principal.id,
  userId: principal.userId,
  approver: approverIn(parts.approvals.lookup, organization.id, principal),
})

const unknownApproval = () => new Fault('thing.unknown', { thing: 'approval' })
const idOf = ({ params }: ApprovalRequest): string => params['approval'] ?? ''

function visibleApproval(row: ApprovalRow | undefined, viewer: Viewer): ApprovalRow {
  if (row === undefined || !maySee(row, viewer)) throw unknownApproval()
  return row
}

const list = serveOrganization(shapes.listApprovals, async (request) => {
  const { read, query, parts, organization } = request
  const viewer = viewerOf(request)
  const describing = parts.approvals.describe(organization.id)
  return read(async (sql) => {
    const { from, of } = newestPage(query)
    const all = permits(viewer.role, 'policy_manage')
    const by = { all, id: viewer.userId ?? viewer.principal, approver: viewer.approver }
    const page = of(await listApprovals(sql, query.state, by, from), (row) => row)
    const describe = (row: ApprovalRow) => describeApproval(describing, sql, row, viewer.approver)
    return { ...page, items: await eachInTurn(page.items, describe) }
  })
})

const get = serveOrganization(shapes.getApproval, async (request) => {
  const { read, parts, organization } = request
  const viewer = viewerOf(request)
  return read(async (sql) => {
    const row = visibleApproval(await findApproval(sql, idOf(request)), viewer)
    const shown = await describeApproval(parts.approvals.describe(organization.id), sql, row, viewer.approver)
    return { ...shown, ...argumentsOf(parts.vault, row) }
  })
})

const answer = serveOrganization(shapes.answerApproval, async (request) => {
  const { read, parts, organization, body, actor, origin } = request
  const viewer = viewerOf(request)
  const row = visibleApproval(await read((sql) => findApproval(sql, idOf(request))), viewer)
  const { approver } = viewer
  if (approver === undefined)
    throw new Fault('approval.forbidden', { problem: 'it is for people who have signed in, not for keys' })
  // A grant for later calls outlives the word of whoever says who this is.
  if (body.answer === 'always' && request.principal?.vouched === true) throw new Fault('identity.vouched')
  return answerApproval(
    { db: parts.db, lookup: parts.approvals.lookup },
    {
      organizationId: organization.id,
      id: row.id,
      approver,
      verdict: body.answer === 'deny' ? 'deny' : 'grant',
      always: body.answer === 'always',
      way: origin === 'command line' ? origin : 'api',
      note: body.note === '' ? undefined : body.note,
      actor,
    },
  )
})

export const approvalOperations: readonly Served<ApprovalParts>[] = [list, get, answer, ...lastingApprovalOperations]
