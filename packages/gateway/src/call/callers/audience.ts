/** Whether a toolset is there for a principal: introduces the audience to who is calling (ledger U-19). */
import type { Role } from '@toolway/contract'
import type { Accounts } from '../../identity/accounts.ts'
import type { Principal } from '../../identity/principal.ts'
import { isFor } from '../../toolsets/audience.ts'
import type { Snapshot } from '../snapshot.ts'
import { principalFacts } from './principal-facts.ts'

/** Of a toolset that is for everybody nobody is looked up. */
export function isThere(
  snapshot: Pick<Snapshot, 'audience' | 'groupsOf'>,
  toolset: string,
  { accounts, principal, role }: { accounts: Pick<Accounts, 'find'>; principal: Principal; role: Role },
): boolean {
  const audience = snapshot.audience(toolset)
  if (audience === undefined) return true
  return isFor(audience, principalFacts(accounts, principal, role, snapshot.groupsOf(principal.userId)))
}
