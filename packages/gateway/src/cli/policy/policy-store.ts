/** An organization on the local store, for commands that look at its rules: as gateways have it in memory. */
import type { UserId } from '@toolway/contract'
import { z } from 'zod'
import { callersOf, type Callers } from '../../admin/policy/callers-of.ts'
import type { Snapshot } from '../../call/snapshot.ts'
import { readSnapshot } from '../../compose/snapshots.ts'
import { listGroups } from '../../organizations/groups.ts'
import { Fault } from '@toolway/contract'
import { withStore, type Opened } from '../store.ts'
import { CommandFault, EXIT } from '../terminal/output.ts'

export interface PolicyStore extends Opened {
  readonly snapshot: Snapshot
  readonly callers: Callers
  /** Slugs of its groups. */
  readonly groups: readonly string[]
}

const Id = z.object({ id: z.string() })

export const withPolicy = <T>(slug: string, work: (store: PolicyStore) => Promise<T>): Promise<T> =>
  withStore(slug, async (opened) => {
    const { db, organization } = opened
    const snapshot = await readSnapshot(opened, organization.id)
    const admins = await db.system((sql) => sql(Id)`select id from users where platform_admin`)
    const isPlatformAdmin = (id: UserId) => admins.some((admin) => admin.id === id)
    const [callers, groups] = await db.organization(
      organization.id,
      async (sql) => [await callersOf({ snapshot, sql, isPlatformAdmin }), await listGroups(sql)] as const,
    )
    try {
      return await work({ ...opened, snapshot, callers, groups: groups.map((group) => group.slug) })
    } catch (thrown) {
      throw thrown instanceof Fault && thrown.code !== 'internal' ? wordFault(thrown) : thrown
    }
  })

/** A fault of the admin interface, as a command says it. */
function wordFault({ message, mend, code, facts }: Fault): CommandFault {
  if (code === 'body.shape')
    return new CommandFault(`The ${String(facts['place']).slice(1)} ${facts['problem']}.`, EXIT.usage)
  return new CommandFault(`${message} ${mend}`)
}
