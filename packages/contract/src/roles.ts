/**
 * Roles and permissions: four roles, eighteen permissions and their matrix, frozen (ledger S3-RBAC-01, -02).
 *
 * A role is held in one organization; `platform_admin` is held everywhere. Each role has one number whose bits are its
 * permissions, so that a check costs a comparison and allocates nothing.
 */

/** From the one that may most to the one that may least. */
export const ROLES = ['platform_admin', 'tenant_admin', 'tenant_member', 'tenant_viewer'] as const
export type Role = (typeof ROLES)[number]

export const PERMISSIONS = [
  'tenant_create',
  'tenant_read',
  'tenant_update',
  'tenant_delete',
  'connector_create',
  'connector_read',
  'connector_update',
  'connector_delete',
  'tool_call',
  'tool_configure',
  'process_manage',
  'stats_view_own',
  'stats_view_global',
  'audit_view_own',
  'audit_view_global',
  'key_manage',
  'user_manage',
  'policy_manage',
] as const
export type Permission = (typeof PERMISSIONS)[number]

const VIEWER: readonly Permission[] = ['connector_read', 'stats_view_own']
const GLOBAL: ReadonlySet<Permission> = new Set(['stats_view_global', 'audit_view_global'])

export const MATRIX: Readonly<Record<Role, readonly Permission[]>> = Object.freeze({
  platform_admin: Object.freeze([...PERMISSIONS]),
  tenant_admin: Object.freeze(PERMISSIONS.filter((permission) => !GLOBAL.has(permission))),
  tenant_member: Object.freeze([...VIEWER, 'tool_call'] as const),
  tenant_viewer: Object.freeze([...VIEWER]),
})

const bitOf = (permission: Permission): number => 1 << PERMISSIONS.indexOf(permission)
const BIT = Object.freeze(
  Object.fromEntries(PERMISSIONS.map((permission) => [permission, bitOf(permission)])) as Record<Permission, number>,
)
const HELD = Object.freeze(
  Object.fromEntries(
    ROLES.map((role) => [role, MATRIX[role].reduce((bits, permission) => bits | bitOf(permission), 0)]),
  ) as Record<Role, number>,
)

export const permits = (role: Role, permission: Permission): boolean => (HELD[role] & BIT[permission]) !== 0

/** The one of two roles that may less: a key may never do more than the member it belongs to. */
export const lesserRole = (role: Role, other: Role): Role => (ROLES.indexOf(role) > ROLES.indexOf(other) ? role : other)
