import { expect, test } from 'vitest'
import { lesserRole, MATRIX, PERMISSIONS, permits, ROLES } from './roles.ts'

/** The table as the source system has it: permission, then platform_admin, tenant_admin, tenant_member, tenant_viewer. */
const TABLE = `
tenant_create     | x x . .
tenant_read       | x x . .
tenant_update     | x x . .
tenant_delete     | x x . .
connector_create  | x x . .
connector_read    | x x x x
connector_update  | x x . .
connector_delete  | x x . .
tool_call         | x x x .
tool_configure    | x x . .
process_manage    | x x . .
stats_view_own    | x x x x
stats_view_global | x . . .
audit_view_own    | x x . .
audit_view_global | x . . .
key_manage        | x x . .
user_manage       | x x . .
policy_manage     | x x . .`

const rows = TABLE.trim()
  .split('\n')
  .map((line) => {
    const [permission = '', marks = ''] = line.split('|').map((part) => part.trim())
    return { permission, held: marks.split(' ').map((mark) => mark === 'x') }
  })

test('S3-RBAC-01: there are four roles, from the one that may most to the one that may least', () => {
  expect(ROLES).toEqual(['platform_admin', 'tenant_admin', 'tenant_member', 'tenant_viewer'])
  expect(ROLES.map((role) => MATRIX[role].length)).toEqual([18, 16, 3, 2])
  for (const [place, role] of ROLES.entries())
    for (const other of ROLES.slice(place)) {
      expect(lesserRole(role, other)).toBe(other)
      expect(lesserRole(other, role)).toBe(other)
    }
})

test('S3-RBAC-02: eighteen permissions are held by the four roles exactly as the table says, and nothing can change it', () => {
  expect(rows.map(({ permission }) => permission)).toEqual([...PERMISSIONS])
  expect(rows).toHaveLength(18)
  const asked = PERMISSIONS.map((permission) => ({ permission, held: ROLES.map((role) => permits(role, permission)) }))
  expect(asked).toEqual(rows)
  for (const role of ROLES) expect(() => (MATRIX[role] as string[]).push('tool_call')).toThrow(TypeError)
  expect(() => Object.assign(MATRIX, { tenant_viewer: PERMISSIONS })).toThrow(TypeError)
})
