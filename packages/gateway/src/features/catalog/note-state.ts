/**
 * Stores the result of the last contact with a connection in its row; administrators are notified of an outage and its end, in
 * the same transaction. If several gateways see an outage, one of them reports it.
 */
import type { ConnectionId } from '@toolway/contract'
import { addAlert } from '../alerts/index.ts'
import { noteContact, type Seen } from '../../connections/connections.ts'
import type { SystemSql } from '../../db/db.ts'

/** Characters of the reason that go into an alert and out to webhooks. */
const LONGEST = 500

export async function noteState(sql: SystemSql, id: string, seen: Seen): Promise<void> {
  const noted = await noteContact(sql, id, seen)
  if (noted?.turn === undefined) return
  const { organizationId, alias, turn } = noted
  const connectionId = id as ConnectionId
  const problem = seen.reason?.replaceAll('\0', '\uFFFD').slice(0, LONGEST).toWellFormed()
  await (turn === 'down'
    ? addAlert(sql, { organizationId, connectionId, kind: 'connection.down', detail: { alias, problem } })
    : addAlert(sql, { organizationId, connectionId, kind: 'connection.up', detail: { alias } }))
}
