/**
 * Authorization of an operation, the same for every face that calls it: which organization it addresses (by its path, by a connection
 * that its path names, or the caller's own), the caller's role there, and what the caller's credential is good for.
 */
import { Fault, permits, type Permission, type Role } from '@toolway/contract'
import type { Needs, Operation } from '@toolway/contract/admin'
import type { OperationBase } from './serve.ts'
import { admittedIn, roleIn } from '../snapshot/role.ts'
import { refuseSignIn } from '../snapshot/sign-in-rules.ts'
import type { Snapshot } from '../snapshot/snapshot.ts'
import type { Principal } from '../identity/principal.ts'
import { DEFAULT_SLUG, type OrganizationRow } from '../organizations/organizations.ts'
import { boundForbidden, roleForbidden } from '../lib/role-forbidden.ts'

/** Dependencies of the checks. */
export type PlaceParts = Pick<OperationBase, 'accounts'> & {
  readonly snapshots: Pick<OperationBase['snapshots'], 'find' | 'all'>
}
type Params = Readonly<Record<string, string>>
type OrganizationNeeds = Extract<Needs, { of: 'organization' }>

export interface AdminPlace {
  readonly organization: OrganizationRow | undefined
  readonly role: Role | undefined
}

/** Throws `place.unknown` for who has no role there, and `role.forbidden` for who has one that may not. */
export function placeOf(parts: PlaceParts, principal: Principal | undefined, needs: Needs, params: Params): AdminPlace {
  if (principal === undefined || needs.of === 'anyone' || needs.of === 'signed-in')
    return { organization: undefined, role: undefined }
  if (needs.of === 'platform') {
    const role = roleIn(parts.accounts, principal, new Map())
    const account = principal.userId && parts.accounts.find(principal.userId)
    refuseSignIn(principal, { account, settings: {}, now: Date.now() / 1000 })
    return {
      organization: undefined,
      role: checkPermission(role, needs.permission, { only: 'platform_admin', place: 'platform' }),
    }
  }
  const { organization, role } = resolveOrganizationRole(parts, principal, needs, params)
  return { organization, role: checkPermission(role, needs.permission, { place: 'organization' }) }
}

/** The organization that is addressed, for who has a role there: its records name nobody who is a stranger to it. */
export function homeOf(parts: PlaceParts, principal: Principal | undefined, needs: Needs, params: Params) {
  if (principal === undefined || needs.of !== 'organization') return undefined
  try {
    return resolveOrganizationRole(parts, principal, needs, params).organization.id
  } catch {
    return undefined
  }
}

/** Where the principal has a role, and which. Throws `place.unknown` and `place.bound`. */
function resolveOrganizationRole(parts: PlaceParts, principal: Principal, needs: OrganizationNeeds, params: Params) {
  const snapshot = organizationOf(parts, principal, needs, params)
  const bound = principal.organizationId === undefined || principal.organizationId === snapshot?.organization.id
  // Whether another organization exists is not told to a token that is bound to one.
  if (!bound && principal.kind === 'user') throw new Fault('place.bound')
  if (snapshot === undefined || !bound) throw new Fault('place.unknown')
  const role = admittedIn(parts.accounts, principal, snapshot)
  // One that is not active is there for who administers the platform, and for nobody else.
  if (role === undefined || (!snapshot.organization.active && role !== 'platform_admin'))
    throw new Fault('place.unknown')
  return { organization: snapshot.organization, role }
}

function organizationOf(
  { snapshots }: PlaceParts,
  { organizationId }: Principal,
  { by }: OrganizationNeeds,
  params: Params,
): Snapshot | undefined {
  if (by === 'caller')
    return snapshots.find(organizationId === undefined ? { slug: DEFAULT_SLUG } : { id: organizationId })
  if (by === 'connection') {
    const connection = params['connection'] ?? ''
    return snapshots.all().find(({ connections }) => connections.some(({ id }) => id === connection))
  }
  const name = params['organization'] ?? ''
  return snapshots.find({ slug: name }) ?? snapshots.find({ id: name })
}

function checkPermission(
  role: Role | undefined,
  permission: Permission,
  { only, place }: { readonly only?: Role | undefined; readonly place: 'organization' | 'platform' },
): Role {
  if (role === undefined || !permits(role, permission) || (only !== undefined && role !== only))
    throw roleForbidden(role, permission, place)
  return role
}

/**
 * Refuses operations beyond the purpose of the credential, regardless of its holder's role: a credential of a single toolset or
 * endpoint administers nothing, a read-only credential changes nothing, and whoever is here on somebody else's word makes nothing that
 * gives access when that word no longer holds.
 */
export function refuseBeyond(
  principal: Principal | undefined,
  { method, needs, harmless, reads, lasting }: Pick<Operation, 'method' | 'needs' | 'harmless' | 'reads' | 'lasting'>,
): void {
  if (principal === undefined || harmless) return
  if (principal.toolset !== undefined) throw new Fault('key.limit', { limit: `the toolset ${principal.toolset}` })
  if (method !== 'GET' && !reads && principal.limit === 'read') throw new Fault('key.limit', { limit: 'reading' })
  if (lasting && principal.vouched === true) throw new Fault('identity.vouched')
  // A principal bound to one organization has no platform permissions.
  if (needs.of === 'platform' && principal.organizationId !== undefined) throw boundForbidden(needs.permission)
}
