/**
 * Changes a connection. When its address, provider or auth method changes, its credentials, which were issued for the previous
 * one, end in the same transaction (ledger S2-API-06). Standing grants for its tools end with any change of its settings or
 * secrets. Every change of a connection goes through here.
 */
import { type ConnectionRow, type NewConnection, changeConnection } from '../../connections/connections.ts'
import type { OrgSql } from '../../db/db.ts'
import { areAlike, factsOf } from '../../oauth/outgoing/credentials/connection-facts.ts'
import type { Ended, Ender } from '../../oauth/outgoing/credentials/revoke-credentials.ts'
import { connectionSealContext } from '../../vault/sealed-columns.ts'
import type { Vault } from '../../vault/vault.ts'
import { endLastingGrants } from './lasting-grants.rows.ts'

/**
 * Sealed values (headers, environment) differ each time they are sealed, so the database cannot compare them. It compares
 * settings itself.
 */
async function endLasting(
  sql: OrgSql,
  stored: ConnectionRow,
  { open, sealed }: { open: Vault['open']; sealed: Uint8Array | undefined | null },
): Promise<void> {
  const words = (value: Uint8Array | undefined | null) =>
    value === undefined || value === null ? '' : open(Buffer.from(value), connectionSealContext(stored.id))
  if (words(stored.sealed) === words(sealed)) return
  await endLastingGrants(sql, stored.id)
}

export interface ChangeAndEndParts {
  readonly vault: Pick<Vault, 'open' | 'hash'>
  readonly endIn: Ender['endIn']
}

/** The credentials that ended. */
export async function changeAndEnd(
  { vault, endIn }: ChangeAndEndParts,
  sql: OrgSql,
  stored: ConnectionRow,
  next: Omit<NewConnection, 'organizationId' | 'alias' | 'importId'>,
): Promise<Ended[]> {
  // Sealing is not the same twice, so it is done once.
  const sealed = next.seal(stored.id)
  await changeConnection(sql, stored.id, { ...next, seal: () => sealed })
  await endLasting(sql, stored, { open: vault.open, sealed })
  const after = factsOf(vault, { ...stored, settings: next.settings, sealed: sealed ?? null })
  return areAlike(factsOf(vault, stored), after) ? [] : endIn(sql, { connectionId: stored.id })
}
