/** Alerts: warnings to users of an organization about problems ahead. Their recipients and delivery are decided elsewhere. */
import { newId, type AlertId, type ConnectionId, type OrganizationId, type UserId } from '@toolway/contract'
import type { AlertKind } from '@toolway/contract/admin'
import { z } from 'zod'
import type { OrgSql, SystemSql } from '../../db/db.ts'

export interface NewAlert {
  readonly organizationId: OrganizationId
  readonly kind: AlertKind
  readonly connectionId?: ConnectionId | undefined
  /** The user concerned; absent: administrators of the organization. */
  readonly userId?: UserId | undefined
  /** Facts for people, never a secret. */
  readonly detail: Readonly<Record<string, unknown>>
}

const Removed = z.object({ id: z.string() })
/** Removes the alerts of one kind about a connection, because they are no longer true. */
export const removeAlerts = (sql: OrgSql, connection: ConnectionId, kind: AlertKind) =>
  sql(Removed)`delete from alerts where connection_id = ${connection} and kind = ${kind} returning id`

export async function addAlert(
  sql: OrgSql | SystemSql,
  { organizationId, kind, connectionId, userId, detail }: NewAlert,
): Promise<AlertId> {
  const id = newId('alr')
  await sql(z.object({ id: z.string() }))`
    insert into alerts (id, organization_id, kind, connection_id, user_id, detail)
    values (${id}, ${organizationId}, ${kind}, ${connectionId ?? null}, ${userId ?? null}, ${JSON.stringify(detail)})
    returning id`
  return id
}
