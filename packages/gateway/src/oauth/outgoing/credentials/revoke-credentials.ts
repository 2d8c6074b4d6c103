/**
 * Removal of credentials: deleted from the database at once, then revoked at their authorization server where possible (RFC
 * 7009).
 *
 * An authorization server that does not answer does not delay the removal; the failure is reported. No transaction waits for the
 * revocation.
 */
import { Fault, type CredentialId, type OrganizationId } from '@toolway/contract'
import { takeCredentials, type Ending } from '../../../credentials/take-credentials.ts'
import type { BoundRow } from '../../../credentials/renewal.ts'
import type { OrgSql, SystemSql } from '../../../db/db.ts'
import type { Log } from '../../../lib/log.ts'
import { recordChange, type Actor } from '../../../records/change.ts'
import { accessTokenSealContext, refreshTokenSealContext } from '../../../vault/sealed-columns.ts'
import type { Vault } from '../../../vault/vault.ts'
import type { ClientOf } from './client-of.ts'
import type { ClientIdentity, Egress, OutgoingOAuth } from '../ports.ts'

/** One that is out of the database, with what its authorization server is to be told. */
export interface Ended {
  readonly row: BoundRow
  readonly client: ClientIdentity | undefined
}

export interface Ender {
  /** In the transaction of what ends them, on record by that or with `actor`. */
  endIn(
    sql: OrgSql | SystemSql,
    ending: Ending,
    by?: { readonly actor: Actor; readonly organizationId: OrganizationId },
  ): Promise<Ended[]>
  /** Afterwards; what went wrong, in sentences. Never throws. */
  revoke(ended: readonly Ended[], egressOf: (row: BoundRow) => Egress): Promise<readonly string[]>
}

export interface EnderParts {
  readonly vault: Pick<Vault, 'open'>
  readonly oauth: Pick<OutgoingOAuth, 'revoke'>
  readonly clientOf: ClientOf
  readonly log: Pick<Log, 'warn'>
}

export const idsOf = (ended: readonly Ended[]): CredentialId[] => ended.map(({ row }) => row.id)

export function createEnder({ vault, oauth, clientOf, log }: EnderParts): Ender {
  async function revokeOne({ row, client }: Ended, egress: Egress): Promise<string | undefined> {
    const { authority, sealed_refresh_token: refresh, sealed_access_token: access } = row
    if (row.kind === 'key' || authority === null || client === undefined) return undefined
    const at = { authority, client }
    try {
      // The refresh token first: with it, many a server ends the others.
      if (refresh !== null)
        await oauth.revoke(
          { ...at, token: vault.open(refresh, refreshTokenSealContext(row.id)), hint: 'refresh_token' },
          egress,
        )
      await oauth.revoke(
        { ...at, token: vault.open(access, accessTokenSealContext(row.id)), hint: 'access_token' },
        egress,
      )
      return undefined
    } catch (thrown) {
      const facts = { credential: row.id, connection: row.connection_id, err: thrown }
      log.warn(facts, 'a credential was removed, but its authorization server did not revoke it')
      return `The account "${row.account}" was not revoked at its authorization server: ${Fault.of(thrown).message}`
    }
  }

  return {
    async endIn(sql, ending, by) {
      const ended: Ended[] = []
      for (const row of await takeCredentials(sql, ending)) ended.push({ row, client: await clientOf(sql, row) })
      if (by !== undefined && ended.length > 0) await recordEnd(sql, by, ended)
      return ended
    },
    async revoke(ended, egressOf) {
      const problems = await Promise.all(ended.map((item) => revokeOne(item, egressOf(item.row))))
      return problems.filter((problem) => problem !== undefined)
    },
  }
}

/** Where no authorization server can be asked: before the gateway stands. */
export const endUntold: Ender['endIn'] = async (sql, ending) =>
  (await takeCredentials(sql, ending)).map((row) => ({ row, client: undefined }))

/** One record for all that ended together. */
const recordEnd = (
  sql: OrgSql | SystemSql,
  { actor, organizationId }: { readonly actor: Actor; readonly organizationId: OrganizationId },
  ended: readonly Ended[],
) =>
  recordChange(sql, actor, organizationId, {
    action: 'credential.remove',
    resource: 'credential',
    id: ended[0]?.row.id ?? '',
    detail: {
      connection: ended[0]?.row.connection_id ?? null,
      credentials: idsOf(ended),
      accounts: ended.map(({ row }) => ({ account: row.account, user: row.user_id })),
    },
  })
