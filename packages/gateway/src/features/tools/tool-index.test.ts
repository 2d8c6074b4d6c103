/** The index of all tools of an organization, over the snapshots that changes make. */
import { ConnectionSettings, type ConnectionId, type OrganizationId } from '@toolway/contract'
import type { JsonObject } from '@toolway/protocol'
import { expect, test } from 'vitest'
import { createSnapshot, type SnapshotParts } from '../../snapshot/snapshot.ts'
import type { CatalogRow } from '../../catalog/catalogs.ts'
import type { ConnectionRow } from '../../connections/connections.ts'
import { toolIndexOf } from './tool-index.ts'

const ID = 'org_1' as OrganizationId
const organization = {
  ...{ id: ID, slug: 'acme', name: 'Acme', description: null, contact_email: null, active: true, settings: {} },
  ...{ egress: { networks: [], hosts: [] }, created_at: new Date(0), updated_at: new Date(0) },
}
const connectionOf = (alias: string): ConnectionRow => ({
  ...{ id: `con_${alias}` as ConnectionId, organization_id: ID, alias, title: alias, sealed: null, enabled: true },
  settings: ConnectionSettings.parse({ connector: 'mcp.http', url: 'https://mcp.example/mcp' }),
  ...{ origin: 'test', era: null, status: 'connected', status_reason: null, description: null, tools_default: true },
  ...{ tool_lock: 'off', trusted: false, keep_payloads: false, oauth_repairs: null },
  ...{ created_at: new Date(0), updated_at: new Date(0) },
})
const tool = (name: string): JsonObject => ({ name, description: 'Works.', inputSchema: { type: 'object' } })
const catalogOf = ({ id }: ConnectionRow, names: readonly string[]): CatalogRow => ({
  ...{ connection_id: id, digest: null, revision: '2025-11-25', server: null, tools: names.map(tool), resources: [] },
  ...{ templates: [], prompts: [], fetched_at: null, stale_since: null, stale_reason: null, held: [], names: [] },
  left_out: null,
})

const [web, crm] = [connectionOf('web'), connectionOf('crm')]
const catalogs = [catalogOf(web, ['list', 'search']), catalogOf(crm, ['search'])]
const rows: SnapshotParts = {
  ...{ organization, connections: [web, crm], catalogs, toolsets: [], states: [], members: new Map() },
  upstreams: { open: () => expect.unreachable() },
  unseal: () => '{}',
}
const indexOf = (changed: Partial<SnapshotParts> = {}) => toolIndexOf(createSnapshot({ ...rows, ...changed }))

test('a change of one connection describes the tools of that connection again, and of no other', async () => {
  const before = await indexOf()
  const changed = { ...crm, title: 'CRM' }
  const after = await indexOf({ connections: [web, changed] })
  expect(after).not.toBe(before)
  expect(after.joined('web__list')).toBe(before.joined('web__list'))
  expect(after.joined('crm__search')).not.toBe(before.joined('crm__search'))
  expect(after.joined('crm__search')?.connection).toBe(changed)
})

test('a change of what tools are described by is seen in all of them', async () => {
  const before = await indexOf()
  const off = { connection_id: web.id, tool: 'list', enabled: false, effect: null }
  expect((await indexOf({ states: [off] })).joined('web__list')?.tool).toMatchObject({ enabled: false })
  expect(before.joined('web__list')?.tool).toMatchObject({ enabled: true })
  const asking = { ...organization, settings: { approvals: 'ask-writes' as const } }
  expect((await indexOf({ organization: asking })).joined('web__list')?.tool.approval).not.toEqual(
    before.joined('web__list')?.tool.approval,
  )
  const fewer = await indexOf({ catalogs: [catalogOf(web, ['search']), catalogs[1] as CatalogRow] })
  expect(fewer.all.map(({ tool: { joined_name: name } }) => name)).toEqual(['crm__search', 'web__search'])
})

test('a name that another connection has is marked for as long as that one has it', async () => {
  const marksIn = async (changed: Partial<SnapshotParts>) =>
    (await indexOf(changed)).all.map(({ tool: { joined_name: name, marks } }) => [name, marks.includes('duplicate')])
  expect(await marksIn({})).toEqual([
    ['crm__search', true],
    ['web__list', false],
    ['web__search', true],
  ])
  expect(await marksIn({ connections: [web] })).toEqual([
    ['web__list', false],
    ['web__search', false],
  ])
})
