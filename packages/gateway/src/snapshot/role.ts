/** The membership of a principal in an organization: its role, the toolsets that are there for it (ledger U-19), and its facts that rules read. */
import { Fault, lesserRole, type PrincipalFacts, type Role, type UserId } from '@toolway/contract'
import type { Accounts } from '../identity/accounts.ts'
import type { Principal } from '../identity/principal.ts'
import { isFor } from '../toolsets/audience.ts'
import { refuseSignIn } from './sign-in-rules.ts'
import type { Snapshot } from './snapshot.ts'

/**
 * The role of a principal: the lesser of its own and of its member's. Undefined where it has none, which is answered like an organization that does not exist. Throws `key.unknown` when whoever
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

/** Throws what a caller is refused with who has no role any more in the organization of these members; undefined: that is gone. */
export function refuseLeaver(
  accounts: Pick<Accounts, 'find'>,
  principal: Principal,
  members: ReadonlyMap<UserId, Role> | undefined,
): void {
  if (members === undefined || roleIn(accounts, principal, members) === undefined) throw new Fault('place.unknown')
}

/** The role where the organization takes the principal's sign-in. Throws as `refuseSignIn`. */
export function admittedIn(
  accounts: Pick<Accounts, 'find'>,
  principal: Principal,
  { organization, members }: Pick<Snapshot, 'organization' | 'members'>,
): Role | undefined {
  const role = roleIn(accounts, principal, members)
  if (role !== undefined && principal.proof !== undefined)
    refuseSignIn(principal, {
      account: principal.userId && accounts.find(principal.userId),
      settings: organization.settings,
      now: Date.now() / 1000,
    })
  return role
}

/** The same for lists of what there is in several organizations: one that does not take the sign-in is left out. */
export function roleIfAdmitted(
  accounts: Pick<Accounts, 'find'>,
  principal: Principal,
  snapshot: Pick<Snapshot, 'organization' | 'members'>,
): Role | undefined {
  try {
    return admittedIn(accounts, principal, snapshot)
  } catch (thrown) {
    if (LEAVES_OUT.has(Fault.of(thrown).code)) return undefined
    throw thrown
  }
}

const LEAVES_OUT: ReadonlySet<string> = new Set(['factor.needed', 'factor.provider', 'login.over', 'token.expired'])

/** Whether a principal may use a toolset. A toolset that is open to all needs no look-up. */
export function isThere(
  snapshot: Pick<Snapshot, 'audience' | 'groupsOf'>,
  toolset: string,
  { accounts, principal, role }: { accounts: Pick<Accounts, 'find'>; principal: Principal; role: Role },
): boolean {
  const audience = snapshot.audience(toolset)
  if (audience === undefined) return true
  return isFor(audience, principalFacts(accounts, principal, role, snapshot.groupsOf(principal.userId)))
}

/** Made when a rule needs them, never stored. */
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
