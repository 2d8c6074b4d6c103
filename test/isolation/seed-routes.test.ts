/** The 44 routes of the source system that demand a permission (shared connectors list, section 7): each is served here, and demands it too. */
import { PERMISSIONS, type Permission } from '@toolway/contract'
import { expect, test } from 'vitest'
import { OPERATIONS } from '../../packages/gateway/src/app/operations.ts'
import { addressOf } from '../../packages/gateway/src/http/addresses.ts'

/** As the source system writes them, without its prefix `/api/v1`. Names in braces are ours to choose. */
const ROUTES: readonly [number: number, route: string, permission: Permission][] = [
  [1, 'POST /admin/tenants', 'tenant_create'],
  [2, 'GET /admin/tenants', 'tenant_read'],
  [3, 'GET /admin/tenants/{}', 'tenant_read'],
  [4, 'PUT /admin/tenants/{}', 'tenant_update'],
  [5, 'DELETE /admin/tenants/{}', 'tenant_delete'],
  [6, 'POST /admin/tenants/{}/connectors', 'connector_create'],
  [7, 'GET /admin/tenants/{}/connectors', 'connector_read'],
  [8, 'GET /admin/tenants/{}/connectors/{}', 'connector_read'],
  [9, 'PUT /admin/tenants/{}/connectors/{}', 'connector_update'],
  [10, 'DELETE /admin/tenants/{}/connectors/{}', 'connector_delete'],
  [11, 'PATCH /admin/tenants/{}/connectors/{}/toggle', 'connector_update'],
  [12, 'GET /admin/tenants/{}/connectors/{}/tools', 'tool_configure'],
  [13, 'PATCH /admin/tenants/{}/connectors/{}/tools/{}', 'tool_configure'],
  [14, 'POST /admin/tenants/{}/connectors/{}/tools/bulk-update', 'tool_configure'],
  [15, 'POST /admin/tenants/{}/connectors/{}/tools/enable-all', 'tool_configure'],
  [16, 'POST /admin/tenants/{}/connectors/{}/tools/disable-all', 'tool_configure'],
  [17, 'POST /admin/tenants/{}/connectors/{}/tools/sync', 'tool_configure'],
  [18, 'GET /admin/connectors/{}/tools', 'tool_configure'],
  [19, 'GET /admin/connectors/{}/process/status', 'process_manage'],
  [20, 'POST /admin/connectors/{}/process/restart', 'process_manage'],
  [21, 'DELETE /admin/connectors/{}/process', 'process_manage'],
  [22, 'GET /admin/audit', 'audit_view_global'],
  [23, 'GET /admin/tenants/{}/audit', 'audit_view_own'],
  [24, 'GET /admin/logs/recent', 'audit_view_global'],
  [25, 'GET /admin/logs/stream', 'audit_view_global'],
  [26, 'GET /admin/policies/tools', 'policy_manage'],
  [27, 'POST /admin/policies/tools', 'policy_manage'],
  [28, 'PUT /admin/policies/tools/{}', 'policy_manage'],
  [29, 'DELETE /admin/policies/tools/{}', 'policy_manage'],
  [30, 'GET /admin/pool', 'stats_view_global'],
  [31, 'GET /admin/pool/summary', 'stats_view_global'],
  [32, 'DELETE /admin/pool/{}/{}', 'stats_view_global'],
  [33, 'POST /admin/pool/evict-idle', 'stats_view_global'],
  [34, 'GET /admin/sessions', 'stats_view_global'],
  [35, 'DELETE /admin/sessions/{}', 'stats_view_global'],
  [36, 'GET /admin/settings', 'stats_view_global'],
  [37, 'GET /admin/stats', 'stats_view_global'],
  [38, 'POST /auth/keys', 'key_manage'],
  [39, 'GET /auth/keys', 'key_manage'],
  [40, 'DELETE /auth/keys/{}', 'key_manage'],
  [41, 'POST /{}/connectors/{}/mcp', 'tool_call'],
  [42, 'GET /{}/connectors/{}/mcp', 'tool_call'],
  [43, 'GET /{}/connectors/{}/mcp/sse', 'tool_call'],
  // There it was tool_call, so that a viewer could not even look.
  [44, 'GET /{}/connectors/{}/mcp/info', 'connector_read'],
]

/** The MCP endpoints are no operations: their door asks for the permission of what is called (isolation/endpoints.test.ts). */
const isEndpoint = (route: string) => route.includes(' /{}/') && !route.endsWith('/info')
const formOf = (path: string) => path.replaceAll(/\{\w+\}/g, '{}')
const served = new Map(OPERATIONS.map(({ operation }) => [`${operation.method} ${formOf(operation.path)}`, operation]))

test('S3-ADM-06: the 44 routes of the source system exist, and each demands its permission', () => {
  expect(ROUTES).toHaveLength(44)
  const missing = ROUTES.filter(([, route]) => {
    const [method = '', path = ''] = route.split(' ')
    if (isEndpoint(route)) return addressOf(`/api/v1${path.replaceAll('{}', 'x')}`) === undefined
    return !served.has(`${method} /api/v1${path}`)
  })
  expect(missing.map(([number, route]) => `${number} ${route}`)).toEqual([])
  const wrong = ROUTES.filter(([, route, permission]) => {
    const needs = served.get(route.replace(' ', ' /api/v1'))?.needs
    return needs !== undefined && (!('permission' in needs) || needs.permission !== permission)
  })
  expect(wrong.map(([number, route]) => `${number} ${route}`)).toEqual([])
})

test('no operation of the administration is without a permission', () => {
  const open = OPERATIONS.filter(
    ({ operation: { path, needs } }) =>
      path.startsWith('/api/v1/admin/') && !('permission' in needs && PERMISSIONS.includes(needs.permission)),
  )
  expect(open.map(({ operation }) => operation.id)).toEqual([])
})

test('no two operations have one address, and each id is one operation’s', () => {
  expect(served.size).toBe(OPERATIONS.length)
  expect(new Set(OPERATIONS.map(({ operation }) => operation.id)).size).toBe(OPERATIONS.length)
})
