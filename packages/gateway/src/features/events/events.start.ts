/** The stream of what happens in an organization, to those who follow it. */
import type { BaseWithDatabase } from '../../base/base.ts'
import type { Accounts } from '../../identity/accounts.ts'
import type { KeepSnapshots } from '../../snapshot/keep-snapshots.ts'
import { findAlert } from '../alerts/index.ts'
import { createEventFeed, type EventFeed } from './event-feed.ts'

export interface StartEventsParts {
  readonly accounts: Pick<Accounts, 'find'>
  readonly snapshots: Pick<KeepSnapshots, 'find' | 'refresh'>
}

export function startEvents(
  { db, log, opened }: BaseWithDatabase,
  { accounts, snapshots }: StartEventsParts,
): EventFeed {
  const events = createEventFeed({
    accounts,
    findOrganization: (id) => snapshots.find({ id }),
    refresh: snapshots.refresh,
    findAlert: (organization, id) => db.organization(organization, (sql) => findAlert(sql, id)),
    log,
  })
  opened.defer(() => events.close())
  return events
}
