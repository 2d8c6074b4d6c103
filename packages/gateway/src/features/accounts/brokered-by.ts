import { kindOf, type ConnectionId } from '@toolway/contract'
import type { Brokered } from '../../oauth/outgoing/credentials/brokered-credentials.ts'
import type { Snapshot } from '../../snapshot/snapshot.ts'

/** A connection whose server keeps the accounts of users. */
export function brokeredBy(snapshot: Snapshot | undefined, connectionId: ConnectionId): Brokered | undefined {
  const connection = snapshot?.connection(connectionId)
  if (snapshot === undefined || connection === undefined) return undefined
  if (kindOf(connection.settings.connector).brokersAccounts !== true) return undefined
  const { broker } = snapshot.upstream(connectionId)
  return broker && { alias: connection.alias, broker }
}
