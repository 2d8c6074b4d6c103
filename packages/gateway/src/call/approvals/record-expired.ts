/** An approval that expired unanswered leaves an alert and a record, whichever gateway noticed it. */
import { randomUUID } from 'node:crypto'
import type { ExpiredApproval } from '../../approvals/approvals.ts'
import type { OrgSql, SystemSql } from '../../db/db.ts'
import { recordChange } from '../../records/change.ts'
import { tell } from './answer-approval.ts'

export async function recordExpired(sql: OrgSql | SystemSql, expired: ExpiredApproval): Promise<void> {
  const { id, organization_id: organizationId, connection_id: connection, tool } = expired
  await tell(sql, 'approval.expired', expired)
  const actor = {
    id: 'time',
    type: 'system' as const,
    keyId: undefined,
    address: undefined,
    userAgent: undefined,
    correlationId: randomUUID(),
  }
  await recordChange(sql, actor, organizationId, {
    action: 'approval.expire',
    resource: 'approval',
    id,
    detail: { tool, connection },
  })
}
