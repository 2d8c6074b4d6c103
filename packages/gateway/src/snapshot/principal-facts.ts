/** The facts of a caller that rules read: made when a rule needs them, never stored. */
import type { PrincipalFacts, Role } from '@toolway/contract'
import type { Accounts } from '../identity/accounts.ts'
import type { Principal } from '../identity/principal.ts'

export const principalFacts = (
  accounts: Pick<Accounts, 'find'>,
  { id, kind, userId, keyId, keyName, client }: Principal,
  role: Role,
  groups: readonly string[] = [],
): PrincipalFacts => ({
  id,
  kind,
  role,
  email: (userId === undefined ? undefined : accounts.find(userId)?.email) ?? '',
  groups,
  key: keyName ?? '',
  keyId: keyId ?? '',
  client: client ?? '',
  clientRegistered: client !== undefined,
})
