/**
 * Tells people that records of calls cannot be stored: readiness and the log at once, an alert of each organization that is
 * concerned after ten seconds, and another one when they are stored again.
 *
 * The records themselves wait in the outbox; nothing here delays, repeats or drops a write. While the database takes no alert
 * either, it is written when the database is back, with the time that it was away.
 */
import type { OrganizationId } from '@toolway/contract'
import { addAlert, hasAlertSince } from '../alerts/index.ts'
import type { Db } from '../../db/db.ts'
import { DatabaseUnreachable } from '../../db/unreachable.ts'
import type { Log } from '../../lib/log.ts'
import { storeRecords, type Entry } from '../../records/records.ts'

export interface TellUnstoredParts {
  readonly db: Pick<Db, 'organization' | 'system'>
  readonly log: Log
  readonly now: () => number
}

export interface TellUnstored {
  /** Stores records in one transaction, and hears how that ends. */
  readonly store: (entries: readonly Entry[]) => Promise<void>
  /** Returns the reason why records cannot be stored, as a sentence for operators; undefined while they can. */
  problem(): string | undefined
}

/** A restart of the database is nobody's concern. Milliseconds. */
const AFTER_MS = 10_000
/** Several gateways meet the same trouble and tell of it once. Milliseconds. */
const ONCE_IN_MS = 10 * 60_000
/** Organizations that are remembered as concerned. */
const MOST = 1_000

interface Trouble {
  readonly since: number
  /** The last one. */
  fault: DatabaseUnreachable
  readonly organizations: Set<OrganizationId>
  /** Alerts that stand in the database. */
  readonly told: Set<OrganizationId>
}

type Kind = 'records.waiting' | 'records.stored'

export function createTellUnstored({ db, log, now }: TellUnstoredParts): TellUnstored {
  let trouble: Trouble | undefined

  const addRecordAlert = (organizationId: OrganizationId, kind: Kind, detail: Readonly<Record<string, string>>) =>
    db.organization(organizationId, async (sql) => {
      if (await hasAlertSince(sql, kind, new Date(now() - ONCE_IN_MS))) return
      await addAlert(sql, { organizationId, kind, detail })
    })

  const detailOf = ({ since, fault }: Trouble) => ({
    since: new Date(since).toISOString(),
    problem: String(fault.facts['problem']),
  })

  async function tellAll(current: Trouble): Promise<void> {
    if (current.told.size === 0)
      log.error({ ...detailOf(current) }, 'records cannot be stored; they wait in the outbox')
    for (const organizationId of current.organizations) {
      if (current.told.has(organizationId)) continue
      // The same database may refuse the alert, too.
      const isTold = await addRecordAlert(organizationId, 'records.waiting', detailOf(current)).then(
        () => true,
        () => false,
      )
      if (!isTold) return
      current.told.add(organizationId)
    }
  }

  async function tellEnd(ended: Trouble): Promise<void> {
    const until = new Date(now()).toISOString()
    log.info({ ...detailOf(ended), until }, 'records are stored again')
    for (const organizationId of ended.organizations) {
      const kind = ended.told.has(organizationId) ? 'records.stored' : 'records.waiting'
      await addRecordAlert(organizationId, kind, { ...detailOf(ended), until })
    }
  }

  async function onFailed(fault: DatabaseUnreachable, entries: readonly Entry[]): Promise<void> {
    trouble ??= { since: now(), fault, organizations: new Set(), told: new Set() }
    trouble.fault = fault
    for (const { org_id: id } of entries) {
      if (id !== undefined && trouble.organizations.size < MOST) trouble.organizations.add(id)
    }
    if (now() - trouble.since >= AFTER_MS) await tellAll(trouble)
  }

  function onStored(): void {
    const ended = trouble
    trouble = undefined
    if (ended === undefined || now() - ended.since < AFTER_MS) return
    tellEnd(ended).catch((thrown: unknown) => log.warn({ err: thrown }, 'an alert about stored records was lost'))
  }

  return {
    async store(entries) {
      try {
        await db.system((sql) => storeRecords(sql, entries))
      } catch (thrown) {
        if (thrown instanceof DatabaseUnreachable) await onFailed(thrown, entries)
        throw thrown
      }
      onStored()
    },
    problem: () =>
      trouble === undefined
        ? undefined
        : `records cannot be stored and are waiting on disk: ${String(trouble.fault.facts['problem'])}`,
  }
}
