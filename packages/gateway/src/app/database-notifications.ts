/** Distributes database notifications about changes, in this process or another, to the parts concerned. */
import type { FamilyId, KeyId, UserId } from '@toolway/contract'
import type { Store } from '../base/open-store.ts'
import type { ChangeFeed, StreamSettings } from '../db/changes/change-feed.ts'
import { openChangeFeed } from '../db/changes/open-change-feed.ts'
import type { Notice as HeardNotice } from '../db/db.ts'
import type { OpenStreams } from '../http/streams/open-streams.ts'
import type { EndedSignIns } from '../identity/ended-sign-ins.ts'
import type { Identity } from '../identity/identify.ts'
import type { EventFeed, EventNotice } from '../features/events/index.ts'
import type { KeepSessions } from '../features/runtime/index.ts'
import type { KeepSnapshots } from '../snapshot/keep-snapshots.ts'
import type { CredentialMemory } from '../oauth/outgoing/credentials/credential-memory.ts'
import type { PageRead, PageReads } from '../sessions/page-reads.ts'
import type { Upstreams } from '../upstreams/upstreams.ts'
import type { StreamReaderNotice } from '../sessions/stream-reader-rows.ts'
import { createVaultReload } from '../vault/reload.ts'
import type { BaseWithDatabase } from '../base/base.ts'

export interface DatabaseNotificationsParts {
  /** The name under which this gateway's outbox is known, alive while it listens. */
  readonly outboxOwner: string
  readonly upstreams: Pick<Upstreams, 'stop'>
  readonly keepSessions: Pick<KeepSessions, 'endedElsewhere'>
  readonly pages: Pick<PageReads, 'hear'>
  /** Undefined where no other gateway is. */
  readonly sharedStreams: { hear(notice: StreamReaderNotice): void; lost(): void } | undefined
  readonly identity: Pick<Identity, 'forget'>
  readonly ended: Pick<EndedSignIns, 'add'>
  readonly open: Pick<OpenStreams, 'recheck'>
  readonly snapshots: Pick<KeepSnapshots, 'signal' | 'settled'>
  readonly credentials: Pick<CredentialMemory, 'changed'>
  readonly events: Pick<EventFeed, 'hear' | 'lost'>
  /** Callers that wait for an answer check again; without an id, all of them. */
  readonly approvals: { hear(id?: string): void }
  /** There may be something to deliver. */
  readonly wakeWebhooks: () => void
  readonly wakeStreams: () => void
  /** Where changes are read; undefined: LISTEN/NOTIFY. */
  readonly stream: StreamSettings | undefined
  /** Without ids: all of them. */
  readonly reloadPeople: (ids?: readonly UserId[]) => Promise<unknown>
  readonly reloadRules: () => Promise<unknown>
  readonly reloadVault: Store['reloadVault'] | undefined
}

interface Notice extends EventNotice, Omit<StreamReaderNotice, 'organization'> {
  readonly table?: string
  /** The rows of the table that changed; absent: any. */
  readonly ids?: readonly string[]
  /** How often the organization was changed, this time included. */
  readonly version?: number
  readonly ended?: string
  /** Table `sessions`: a page of an app that was read. */
  readonly page?: PageRead
  readonly stop?: string
  /** The key that was changed or removed. */
  readonly key?: KeyId
}

/** Rows that no snapshot is made of; whoever holds some of them in memory is told by a line of its own. */
const BESIDE: ReadonlySet<string> = new Set(['alerts', 'oauth_flows'])
const CREDENTIALS: ReadonlySet<string> = new Set(['credentials', 'oauth_apps'])

export interface HeardChanges extends ChangeFeed {
  /** Resolves once this process acts on each change that was committed before; of that organization where one is named. */
  caughtUp(organizationId: string | undefined): Promise<void>
}

function createLoadsUnderWay() {
  const under = new Set<Promise<unknown>>()
  const followed =
    <Words extends readonly unknown[]>(load: (...words: Words) => Promise<unknown>) =>
    (...words: Words) => {
      const loading: Promise<unknown> = load(...words).finally(() => under.delete(loading))
      under.add(loading)
    }
  return { under, followed }
}

export async function hearDatabaseNotifications(
  { db, log, counters, opened }: Pick<BaseWithDatabase, 'db' | 'log' | 'counters' | 'opened'>,
  parts: DatabaseNotificationsParts,
): Promise<HeardChanges> {
  const { upstreams, keepSessions, sharedStreams, identity, ended, open, snapshots, credentials } = parts
  const { under, followed } = createLoadsUnderWay()
  const reloadPeople = followed(parts.reloadPeople)
  const reloadRules = followed(parts.reloadRules)
  /** Another key seals from now on, or one is to be known: told by `toolway vault`. */
  const loadVault = createVaultReload({ db, reload: parts.reloadVault, log })
  const forgetKeys = (id?: KeyId) => {
    identity.forget(id)
    open.recheck()
  }

  function hear(notice: Notice): void {
    const { organization, table = '', ended: over = '', stop } = notice
    if (notice.approval !== undefined) {
      parts.approvals.hear(notice.approval)
      return parts.events.hear(notice)
    }
    if (notice.records === true) parts.wakeStreams()
    if (notice.records === true || notice.seen !== undefined) return parts.events.hear(notice)
    if (notice.alert !== undefined) parts.wakeStreams()
    if (notice.event !== undefined || notice.alert !== undefined) {
      parts.events.hear(notice)
      return parts.wakeWebhooks()
    }
    if (stop !== undefined) return void upstreams.stop(stop)
    if (table === 'vault') return void loadVault()
    if (notice.page !== undefined) return parts.pages.hear(notice.page)
    if (table === 'sessions') return keepSessions.endedElsewhere(over)
    if (table === 'stream_readers') return sharedStreams?.hear(notice)
    if (table === 'sign_ins') {
      ended.add(over as FamilyId)
      return open.recheck()
    }
    if (table === 'users') return reloadPeople(notice.ids as readonly UserId[] | undefined)
    if (table === 'rules') return reloadRules()
    if (CREDENTIALS.has(table)) return credentials.changed(organization)
    if (BESIDE.has(table)) return
    if (table === 'keys') forgetKeys(notice.key)
    else if (table !== '' || notice.version !== undefined)
      snapshots.signal(organization, {
        table: table === '' ? undefined : table,
        ids: notice.ids,
        version: notice.version,
      })
    else snapshots.signal(organization)
  }

  const onNotice = (notice: HeardNotice) => {
    if (notice.kind === 'payload') return hear(JSON.parse(notice.payload) as Notice)
    counters.loseChanges()
    // Notifications sent while the connection was down are lost: everything may have changed.
    forgetKeys()
    reloadPeople()
    reloadRules()
    void loadVault()
    credentials.changed()
    snapshots.signal()
    parts.events.lost()
    sharedStreams?.lost()
    parts.approvals.hear()
    parts.wakeWebhooks()
    parts.wakeStreams()
  }
  const feed = await openChangeFeed({ db, log, onNotice, alive: parts.outboxOwner }, parts.stream)
  opened.defer(() => feed.close())

  /** Where it is not known what was heard, what an operation may have changed is read anew. */
  function readAnew(organizationId: string | undefined): void {
    forgetKeys()
    reloadPeople()
    if (organizationId === undefined) return reloadRules()
    credentials.changed(organizationId)
    snapshots.signal(organizationId)
  }
  return {
    ...feed,
    async caughtUp(organizationId) {
      if (feed.heard === undefined) readAnew(organizationId)
      else await feed.heard()
      await Promise.allSettled(under)
      await snapshots.settled()
    },
  }
}
