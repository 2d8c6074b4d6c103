/** How many tools of a connection will ask for an approval: what a person meets with the first calls, told before they are made. */
import { z } from 'zod'
import { CONNECTION } from './connections.ts'
import { inOrganization, operation } from '../../admin/operation.ts'

/**
 * Numbers of tools. Counted are calls without arguments: a rule that asks only for some arguments is not in them, and neither is an
 * answer "always for this tool".
 */
export const ApprovalForecast = z.strictObject({
  /** Tools that can be called: switched on, and not held by the lock. */
  tools: z.int(),
  /** Of these, the ones whose calls need an approval as rules stand. */
  asking: z.int(),
  /** Of `asking`, the ones that the server marks read-only without being trusted, so that the mark does not count. */
  marked: z.int(),
  /** The number of `asking` if the server were trusted. */
  asking_if_trusted: z.int(),
  trusted: z.boolean(),
})
export type ApprovalForecast = z.output<typeof ApprovalForecast>

export const getApprovalForecast = operation({
  id: 'getApprovalForecast',
  at: `GET ${CONNECTION}/approval-forecast`,
  summary:
    'Count the tools of a connection whose calls need an approval as rules stand, and as they would stand if its server were trusted.',
  needs: inOrganization('tool_configure'),
  answer: ApprovalForecast,
})
