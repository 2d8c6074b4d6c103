/** Questions that wait for somebody's word: counted in the menu and shown at home, and asked once for both. */
import { listApprovals } from '@toolway/contract/admin'
import { ask } from './queries.ts'

export const waitingApprovals = (organization: string) =>
  ask('approvals', listApprovals, { path: { organization }, query: { state: 'pending', limit: 5 } })
