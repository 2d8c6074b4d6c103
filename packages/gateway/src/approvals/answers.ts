/** The answers of users and webhooks to an approval request: one answer of each, the last one counts. */
import type { ApprovalId, OrganizationId } from '@toolway/contract'
import { z } from 'zod'
import type { OrgSql } from '../db/db.ts'

export const WAYS = ['page', 'api', 'command line', 'webhook', 'client'] as const
export type Way = (typeof WAYS)[number]

export const AnswerRow = z.object({
  approval_id: z.string().transform((id) => id as ApprovalId),
  answered_by: z.string(),
  verdict: z.enum(['grant', 'deny']),
  way: z.enum(WAYS),
  note: z.string().nullable(),
  answered_at: z.date(),
})
export type AnswerRow = z.output<typeof AnswerRow>

export const listAnswers = (sql: OrgSql, approvalId: string) => sql(AnswerRow)`
  select approval_id, answered_by, verdict, way, note, answered_at from approval_answers
   where approval_id = ${approvalId} order by answered_at, answered_by`

export interface NewAnswer {
  readonly organizationId: OrganizationId
  readonly approvalId: ApprovalId
  readonly by: string
  readonly verdict: 'grant' | 'deny'
  readonly way: Way
  readonly note: string | undefined
}

export async function storeAnswer(sql: OrgSql, { organizationId, approvalId, by, verdict, way, note }: NewAnswer) {
  await sql(AnswerRow)`
    insert into approval_answers (organization_id, approval_id, answered_by, verdict, way, note)
    values (${organizationId}, ${approvalId}, ${by}, ${verdict}, ${way}, ${note ?? null})
    on conflict (organization_id, approval_id, answered_by) do update
       set verdict = excluded.verdict, way = excluded.way, note = excluded.note, answered_at = now()
    returning approval_id, answered_by, verdict, way, note, answered_at`
}

/** Whether a webhook's message is taken for the first time. */
export const takeMessage = async (
  sql: OrgSql,
  organizationId: OrganizationId,
  webhookId: string,
  messageId: string,
): Promise<boolean> =>
  (
    await sql(z.object({ message_id: z.string() }))`
      insert into approval_messages (organization_id, webhook_id, message_id)
      values (${organizationId}, ${webhookId}, ${messageId}) on conflict do nothing returning message_id`
  ).length > 0
