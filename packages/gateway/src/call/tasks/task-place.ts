/** Where a task is made: at a connection, and with an account where there is a choice, so that whoever asks after it is the same. */
import type { Target } from '../../catalog/tool-listing.ts'
import type { RequestContext } from '../../snapshot/ports/request-context.ts'
import type { Noted } from '../audit-facts.ts'
import type { TaskPlace } from './task-ids.ts'

export interface TaskContext {
  readonly requestContext: Pick<RequestContext, 'toolListing'>
  readonly audit: Noted<'account'>
  readonly target: Pick<Target, 'connectionId' | 'alias'>
}

export function taskPlaceOf({ requestContext, audit, target: { connectionId, alias } }: TaskContext): TaskPlace {
  const { account } = audit.facts
  // A token that came with one call makes no task that another call could ask after by a name.
  if (account === undefined || account.owner === 'caller') return { connectionId, alias }
  const chooses = requestContext.toolListing.offered.some(
    (item) => item.connectionId === connectionId && item.chooses === true,
  )
  return chooses ? { connectionId, alias, acting: account.account } : { connectionId, alias }
}
