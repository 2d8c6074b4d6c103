/**
 * A connection gets another address, provider or way in: its credentials were had for what it was before, and end with it, in the
 * same transaction (ledger S2-API-06). Every way of changing a connection goes through here.
 */
import type { ConnectionRow, NewConnection } from '../../connections/connections.ts'
import { changeConnection } from '../../connections/connections.ts'
import type { OrgSql } from '../../db/db.ts'
import { areAlike, factsOf } from '../../oauth/outgoing/credentials/connection-facts.ts'
import type { Ended, Ender } from '../../oauth/outgoing/credentials/revoke-credentials.ts'
import type { Vault } from '../../vault/vault.ts'

export interface ChangeAndEndParts {
  readonly vault: Pick<Vault, 'open' | 'hash'>
  readonly endIn: Ender['endIn']
}

/** The credentials that ended. */
export async function changeAndEnd(
  { vault, endIn }: ChangeAndEndParts,
  sql: OrgSql,
  held: ConnectionRow,
  next: Omit<NewConnection, 'organizationId' | 'alias' | 'importId'>,
): Promise<Ended[]> {
  // Sealing is not the same twice, so it is done once.
  const sealed = next.seal(held.id)
  await changeConnection(sql, held.id, { ...next, seal: () => sealed })
  const after = factsOf(vault, { ...held, settings: next.settings, sealed: sealed ?? null })
  return areAlike(factsOf(vault, held), after) ? [] : endIn(sql, { connectionId: held.id })
}
