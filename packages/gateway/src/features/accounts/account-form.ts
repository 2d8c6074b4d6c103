/** Accounts as people and programs are shown them; no token and no key is in them. */
import type { UserId } from '@toolway/contract'
import type * as shapes from '@toolway/contract/admin'
import type { ConnectionRow } from '../../connections/connections.ts'
import type { AccountRow, PlaceOfAccounts } from '../../credentials/credentials.ts'
import { factsOf } from '../../oauth/outgoing/credentials/connection-facts.ts'
import type { Vault } from '../../vault/vault.ts'

const DAY_MS = 86_400_000

/** With the alias of its connection. */
export type PlacedAccount = AccountRow & { readonly connection: string }

/** Why it serves nobody; of one that has run out, nobody may have noted it yet. */
function problemOf({ problem, expires_at: ends, renewable }: AccountRow): string | null {
  return problem ?? (ends !== null && !renewable && ends.getTime() <= Date.now() ? 'it has expired' : null)
}

export function stateOf(row: AccountRow): shapes.Account['state'] {
  if (problemOf(row) !== null || !row.active) return 'lost'
  if (row.failures > 0) return 'failing'
  const ends = row.expires_at !== null && row.expires_at.getTime() - Date.now() < DAY_MS
  return ends && !row.renewable ? 'expiring' : 'good'
}

export const toAccount = (row: AccountRow): shapes.Account => ({
  id: row.id,
  account: row.account,
  owner: row.user_id === null ? 'organization' : 'member',
  user_id: row.user_id,
  kind: row.kind,
  is_default: row.is_default,
  provider: row.provider,
  name: row.provider_username,
  scopes: row.scopes,
  state: stateOf(row),
  problem: problemOf(row),
  problem_at: row.problem_at?.toISOString() ?? null,
  renewable: row.renewable,
  expires_at: row.expires_at?.toISOString() ?? null,
  renewed_at: row.renewed_at.toISOString(),
  used_at: row.used_at?.toISOString() ?? null,
  created_at: row.created_at.toISOString(),
})

export const inPlace = (row: PlacedAccount, emailOf: (id: UserId) => string | undefined): shapes.AccountInPlace => ({
  ...{ ...toAccount(row), connection: row.connection },
  email: row.user_id === null ? null : (emailOf(row.user_id) ?? row.user_id),
})

/** By whose accounts lists go. */
export const placeOf = ({ vault }: { readonly vault: Vault }, row: ConnectionRow): PlaceOfAccounts => ({
  ...{ alias: row.alias, connectionId: row.id, provider: factsOf(vault, row).provider },
})
