/** What the database says when something changed, in this process or another: who is told of which change. */
import type { FamilyId } from '@toolway/contract'
import type { Store } from '../admin/installation/open-store.ts'
import type { OpenStreams } from '../http/streams/open-streams.ts'
import type { EndedSignIns } from '../identity/ended-sign-ins.ts'
import type { Identity } from '../identity/identify.ts'
import type { KeepSessions } from '../jobs/keep-sessions.ts'
import type { KeepSnapshots } from '../jobs/keep-snapshots.ts'
import type { Upstreams } from '../upstreams/upstreams.ts'
import { createVaultReload } from '../vault/reload.ts'
import type { Ground } from './ground.ts'

export interface HearNoticesParts {
  readonly upstreams: Pick<Upstreams, 'stop'>
  readonly keepSessions: Pick<KeepSessions, 'endedElsewhere'>
  readonly identity: Pick<Identity, 'forget'>
  readonly ended: Pick<EndedSignIns, 'add'>
  readonly open: Pick<OpenStreams, 'recheck'>
  readonly snapshots: Pick<KeepSnapshots, 'signal'>
  readonly reloadPeople: () => Promise<unknown>
  readonly reloadRules: () => Promise<unknown>
  readonly reloadVault: Store['reloadVault'] | undefined
}

interface Notice {
  readonly organization?: string
  readonly table?: string
  readonly ended?: string
  readonly stop?: string
}

const CHANNEL = 'toolway_changed'

export async function hearNotices({ db, log, opened }: Ground, parts: HearNoticesParts): Promise<void> {
  const { upstreams, keepSessions, identity, ended, open, snapshots, reloadPeople, reloadRules } = parts
  /** Another key seals from now on, or one is to be known: told by `toolway vault`. */
  const loadVault = createVaultReload({ db, reload: parts.reloadVault, log })
  const forgetKeys = () => {
    identity.forget()
    open.recheck()
  }

  function hear({ organization, table, ended: over = '', stop }: Notice): void {
    if (stop !== undefined) return void upstreams.stop(stop)
    if (table === 'vault') return void loadVault()
    if (table === 'sessions') return keepSessions.endedElsewhere(over)
    if (table === 'sign_ins') {
      ended.add(over as FamilyId)
      return open.recheck()
    }
    if (table === 'users') return void reloadPeople()
    if (table === 'rules') return void reloadRules()
    if (table === 'keys') forgetKeys()
    else snapshots.signal(organization)
  }

  const listener = await db.listen(CHANNEL, (notice) => {
    if (notice.kind === 'payload') return hear(JSON.parse(notice.payload) as Notice)
    // What was said while the line was down is lost: everything may have changed.
    forgetKeys()
    void reloadPeople()
    void reloadRules()
    void loadVault()
    snapshots.signal()
  })
  opened.defer(() => listener.close())
}
