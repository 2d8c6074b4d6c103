/**
 * Items that need attention: calls that wait for an approval, and connections that are down. Counted in the menu, shown on Home,
 * fetched once.
 */
import { listApprovals, listConnections } from '@toolway/contract/admin'
import { ask } from './queries.ts'

export const waitingApprovals = (organization: string) =>
  ask('approvals', listApprovals, { path: { organization }, query: { state: 'pending', limit: 5 } })

/** Only their number is of interest: one row is asked for. */
export const downConnections = (organization: string) =>
  ask('connections', listConnections, { path: { organization }, query: { status: 'error', limit: 1 } })
