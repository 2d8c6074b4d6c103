/**
 * A credential serves nobody any more until a person connects it anew: noted, told to those it concerns, and on record. Nothing is
 * sent with it from then on, by any gateway.
 */
import { randomUUID } from 'node:crypto'
import type { CredentialId, OrganizationId, UserId } from '@toolway/contract'
import type { AlertKind } from '@toolway/contract/admin'
import { addAlert } from '../../../features/alerts/index.ts'
import { noteContact } from '../../../connections/connections.ts'
import { hasGood, markProblem, type LostRow } from '../../../credentials/renewal.ts'
import type { Db, OrgSql, SystemSql } from '../../../db/db.ts'
import type { Log } from '../../../lib/log.ts'
import { recordChange, type Actor } from '../../../records/change.ts'

/** The actor of credential changes that the gateway makes by itself. */
export const keeper = (): Actor => ({
  id: 'credentials',
  type: 'system',
  keyId: undefined,
  address: undefined,
  userAgent: undefined,
  correlationId: randomUUID(),
})

interface Concerned {
  readonly id: CredentialId
  readonly organizationId: OrganizationId
  readonly connectionId: LostRow['connection_id']
  readonly userId: UserId | null
  readonly account: string
  readonly provider: string
}

export const concernedBy = (row: LostRow): Concerned => ({
  id: row.id,
  organizationId: row.organization_id,
  connectionId: row.connection_id,
  userId: row.user_id,
  account: row.account,
  provider: row.provider,
})

/** Alerts the owner of a credential; for a shared one, the administrators of the organization. */
export const tell = (
  sql: OrgSql | SystemSql,
  kind: AlertKind & `credential.${string}`,
  { id, organizationId, connectionId, userId, account, provider }: Concerned,
  detail: Readonly<Record<string, unknown>> = {},
) =>
  addAlert(sql, {
    organizationId,
    kind,
    connectionId: connectionId ?? undefined,
    userId: userId ?? undefined,
    detail: { credential: id, account, provider, owner: userId === null ? 'organization' : 'member', ...detail },
  })

export interface LoseParts {
  readonly db: Pick<Db, 'system'>
  readonly log: Pick<Log, 'warn'>
  changed(organizationId: OrganizationId): void
}

export interface Known {
  readonly id: CredentialId
  readonly version: number
  /** Of the one who renews it; undefined for whoever saw it fail. */
  readonly lease: string | undefined
}

/** False when it had moved on. */
export type LoseCredential = (known: Known, problem: string) => Promise<boolean>

export function createLoseCredential({ db, log, changed }: LoseParts): LoseCredential {
  return async (known, problem) => {
    const lost = await db.system(async (sql) => {
      const row = await markProblem(sql, known, problem)
      if (row === undefined) return undefined
      const { organization_id: organizationId, connection_id: connectionId, account } = row
      if (connectionId !== null && !(await hasGood(sql, connectionId)))
        await noteContact(sql, connectionId, { status: 'needs_auth', reason: problem, era: undefined })
      await tell(sql, 'credential.lost', concernedBy(row), { problem })
      await recordChange(sql, keeper(), organizationId, {
        action: 'credential.lose',
        resource: 'credential',
        id: row.id,
        detail: { connection: connectionId, user: row.user_id, account, problem },
        outcome: 'failed',
      })
      return row
    })
    if (lost === undefined) return false
    changed(lost.organization_id)
    log.warn({ credential: lost.id, connection: lost.connection_id, problem }, 'a credential must be reconnected')
    return true
  }
}
