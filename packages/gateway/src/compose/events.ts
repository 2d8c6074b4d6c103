/** Events: delivered to followers of an organization and to its webhooks; also the record of clients seen. */
import { findAlert } from '../features/alerts/index.ts'
import { startWebhooks, createWebhookSender, type SendWebhook } from '../features/webhooks/index.ts'
import { createEventFeed, type EventFeed } from '../features/events/index.ts'
import type { KeepSnapshots } from '../snapshot/keep-snapshots.ts'
import { createStreamSender, startRecordStreams, type SendBatch } from '../features/record-streams/index.ts'
import {
  createKeepClientsSeen,
  forgetClientsSeen,
  storeClientsSeen,
  type KeepClientsSeen,
} from '../features/clients-seen/index.ts'
import type { Accounts } from '../identity/accounts.ts'
import type { BaseWithDatabase } from '../base/base.ts'

export interface Events {
  readonly events: EventFeed
  readonly sendWebhook: SendWebhook
  readonly wakeWebhooks: () => void
  readonly sendBatch: SendBatch
  readonly wakeStreams: () => void
  readonly seen: KeepClientsSeen['note']
}

export interface ComposeEventsParts {
  readonly accounts: Pick<Accounts, 'find'>
  readonly snapshots: Pick<KeepSnapshots, 'find' | 'refresh'>
  readonly reveal: Parameters<typeof createStreamSender>[0]['reveal']
}

export function composeEvents(
  { db, vault, log, opened }: BaseWithDatabase,
  { accounts, snapshots, reveal }: ComposeEventsParts,
): Events {
  const events = createEventFeed({
    accounts,
    findOrganization: (id) => snapshots.find({ id }),
    refresh: snapshots.refresh,
    findAlert: (organization, id) => db.organization(organization, (sql) => findAlert(sql, id)),
    log,
  })
  opened.defer(() => events.close())
  const sendWebhook = createWebhookSender(vault)
  const webhooks = startWebhooks({ db, send: sendWebhook, log })
  opened.defer(() => webhooks.close())
  const sendBatch = createStreamSender({ vault, reveal })
  const streams = startRecordStreams({ db, send: sendBatch, log })
  opened.defer(() => streams.close())
  // Resumes deliveries that an earlier run left over.
  webhooks.wake()
  const { note, close } = createKeepClientsSeen({
    now: Date.now,
    store: (seen) => db.system((sql) => storeClientsSeen(sql, seen)),
    forget: () => db.system(forgetClientsSeen),
    log,
  })
  opened.defer(close)
  return {
    ...{ events, sendWebhook, sendBatch, seen: note },
    wakeWebhooks: () => webhooks.wake(),
    wakeStreams: streams.wake.bind(streams),
  }
}
