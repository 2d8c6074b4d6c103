/** Which role a principal has in an organization: the least of its own and of its member's there. */
import { Fault, lesserRole, type Role, type UserId } from '@toolway/contract'
import type { Accounts } from '../../identity/accounts.ts'
import type { Principal } from '../../identity/principal.ts'

/**
 * Undefined where it has none, which is answered like an organization that does not exist. Throws `key.unknown` when whoever
 * it stands for is not active any more.
 */
export function roleIn(
  accounts: Pick<Accounts, 'find'>,
  { userId, role }: Principal,
  members: ReadonlyMap<UserId, Role>,
): Role | undefined {
  if (userId === undefined) return role
  const account = accounts.find(userId)
  if (account === undefined) throw new Fault('key.unknown')
  const own = account.platform_admin ? 'platform_admin' : members.get(userId)
  return own === undefined ? undefined : lesserRole(role, own)
}
