/**
 * The accounts that the owner of a connect request has already: what a person is asked before one of them is replaced.
 *
 * Nobody knows beforehand who will sign in, so an account that works is in the way wherever there is a place for one only, or its name
 * is taken (`replacedBy`). It reads the database once and decides nothing that is kept: `putCredential` judges anew.
 */
import type { CredentialId } from '@toolway/contract'
import { listAccountStates } from '../../../credentials/account-states.ts'
import { replacedBy } from '../../../credentials/credentials.ts'
import type { Db } from '../../../db/db.ts'
import type { ConnectRequest, Target } from './target.ts'

/** An account as its owner may see it. */
export interface ExistingAccount {
  readonly id: CredentialId
  readonly account: string
  /** The identity at the server, where that is known. */
  readonly name: string | undefined
  /** Why it serves nobody any more. */
  readonly problem: string | null
  readonly kind: string
  /** The address that it is bound to, and its authorization server. */
  readonly server: string | null
  readonly issuer: string | null
}

type Reading = Pick<Db, 'organization'>

export async function listExistingAccounts(
  db: Reading,
  { connectRequest, connection, vendor }: Target,
): Promise<readonly ExistingAccount[]> {
  const { userId, organizationId } = connectRequest
  const rows = await db.organization(organizationId, (sql) => listAccountStates(sql, userId))
  return rows
    .filter(
      (row) =>
        row.user_id === (userId ?? null) &&
        row.connection_id === (connection?.id ?? null) &&
        (connection !== undefined || row.provider === vendor?.authority.provider),
    )
    .map(({ id, account, provider_username: name, problem, kind, server, issuer }) => {
      return { id, account, name: name ?? undefined, problem, kind, server, issuer }
    })
}

/** Returns the account that works and would be replaced; undefined where nothing is, or its owner lets it. */
export async function findInTheWay(
  db: Reading,
  { account, replaces }: Pick<ConnectRequest, 'account' | 'replaces'>,
  target: Target,
): Promise<ExistingAccount | undefined> {
  const only = target.auth?.accounts === 'one'
  if (!only && account === undefined) return undefined
  const there = (await listExistingAccounts(db, target)).map((accountThere) => ({
    ...accountThere,
    provider_user_id: null,
  }))
  const { server, vendor, auth } = target
  const kind = auth?.kind === 'key' ? 'key' : 'oauth'
  const arriving = { kind, server, onlyIssuer: vendor?.authority.issuer } as const
  const replaced = replacedBy(there, { account, only, replaces, ...arriving })
  return replaced?.may === false ? replaced.row : undefined
}
