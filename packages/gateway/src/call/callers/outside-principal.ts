/**
 * The principal of an external identity: a member where the address is known, else the facts that were passed on, in one
 * organization (ledger S1-ORG-06).
 *
 * An external identity never makes a platform administrator, and a user who is disabled here stays disabled.
 */
import { Fault, ROLES, type OrganizationId, type Role, type UserId } from '@toolway/contract'
import { createHash } from 'node:crypto'
import type { Accounts } from '../../identity/accounts.ts'
import type { Vouched } from '../../identity/federated/external-principals.ts'
import type { Principal } from '../../identity/principal.ts'
import type { Snapshot } from '../../snapshot/snapshot.ts'

export interface OutsideParts {
  readonly accounts: Pick<Accounts, 'findByEmail'>
  find(name: { id?: string; slug?: string }): Snapshot | undefined
  all(): readonly Snapshot[]
}

/** Other systems' words for ours. */
const WORDS: Readonly<Record<string, Role>> = {
  admin: 'tenant_admin',
  member: 'tenant_member',
  user: 'tenant_member',
  tenant_user: 'tenant_member',
  viewer: 'tenant_viewer',
  // Of Supabase's tokens: whoever has signed in.
  authenticated: 'tenant_member',
}
const MOST: Role = 'tenant_admin'

export function placeOutside({ accounts, find, all }: OutsideParts, vouched: Vouched): Principal {
  const { email, organization, role } = vouched
  const account = email === undefined ? undefined : accounts.findByEmail(email)
  if (account !== undefined && !account.active) throw new Fault('token.unknown')
  const named = organization === undefined ? undefined : (find({ id: organization }) ?? find({ slug: organization }))
  if (organization !== undefined && named === undefined) throw new Fault('token.unknown')
  if (account !== undefined) {
    const only = named?.organization.id ?? onlyOne(all(), account.id)
    return principalOf(account.id, account.id, only, role === undefined ? MOST : roleOf(role))
  }
  if (named === undefined) throw new Fault('token.unknown')
  return principalOf(idOf(vouched), undefined, named.organization.id, roleOf(role ?? 'member'))
}

/** The organization of who is in one alone; whoever is in several says which by the address. */
function onlyOne(all: readonly Snapshot[], user: UserId): OrganizationId | undefined {
  const own = all.filter(({ members }) => members.has(user))
  return own.length === 1 ? own[0]?.organization.id : undefined
}

/** A word that is not known means nothing, and nothing is no role. */
function roleOf(word: string): Role {
  const role = ROLES.find((item) => item === word) ?? (Object.hasOwn(WORDS, word) ? WORDS[word] : undefined)
  if (role === undefined) throw new Fault('token.unknown')
  return role === 'platform_admin' ? MOST : role
}

/** Readable in a record where it is short and plain, and never the id of anything of ours. */
function idOf({ source, subject }: Vouched): string {
  if (/^[\w.@-]{1,128}$/.test(subject)) return `${source}:${subject}`
  return `${source}:sha256-${createHash('sha256').update(subject).digest('base64url')}`
}

const principalOf = (
  id: string,
  userId: UserId | undefined,
  organizationId: OrganizationId | undefined,
  role: Role,
): Principal => ({
  id,
  kind: 'user',
  userId,
  organizationId,
  keyId: undefined,
  role,
  limit: 'execute',
  toolset: undefined,
  resource: undefined,
  endpoint: undefined,
  client: undefined,
  signInId: undefined,
  vouched: true,
})
