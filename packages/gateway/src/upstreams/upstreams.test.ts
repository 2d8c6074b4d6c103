import { ConnectionSettings, type ConnectionId, type OrganizationId } from '@toolway/contract'
import { expect, test } from 'vitest'
import { createSnapshot } from '../snapshot/snapshot.ts'
import type { ConnectionRow } from '../connections/connections.ts'
import { createUpstreams } from './upstreams.ts'

const connection: ConnectionRow = {
  id: 'con_1' as ConnectionId,
  organization_id: 'org_1' as OrganizationId,
  alias: 'web',
  title: 'Web',
  settings: ConnectionSettings.parse({
    connector: 'mcp.http',
    url: 'http://127.0.0.1:9/mcp',
    timeout: 1,
    private: true,
  }),
  sealed: Buffer.from('sealed'),
  enabled: true,
  origin: 'test',
  era: null,
  status: 'connected',
  status_reason: null,
  description: null,
  tools_default: true,
  tool_lock: 'off',
  trusted: false,
  keep_payloads: false,
  oauth_repairs: null,
  created_at: new Date(0),
  updated_at: new Date('2026-11-20T00:00:00Z'),
}

const organization = {
  id: 'org_1' as OrganizationId,
  slug: 'default',
  name: 'Default',
  description: null,
  contact_email: null,
  active: true,
  settings: {},
  egress: { networks: [], hosts: [] },
  created_at: new Date(0),
  updated_at: new Date(0),
}

test('S3-POOL-04: a hit is a look-up in a map: what a connection is gets read and unsealed once, however often it is asked', async () => {
  const children = { start: () => Promise.reject(new Error('nothing is started here')) }
  const upstreams = createUpstreams({ children, onRevision: () => {}, onNoise: () => {} })
  let unsealed = 0
  // Made of values: it has no way to a database.
  const snapshotOf = (row: ConnectionRow) =>
    createSnapshot({
      organization,
      connections: [row],
      catalogs: [],
      toolsets: [],
      members: new Map(),
      upstreams,
      unseal: () => {
        unsealed++
        return '{}'
      },
    })
  const snapshot = snapshotOf(connection)
  const first = snapshot.upstream(connection.id)
  for (let asked = 0; asked < 1_000; asked++) expect(snapshot.upstream(connection.id)).toBe(first)
  // Another snapshot of the same state, as every change of anything makes one.
  expect(snapshotOf(connection).upstream(connection.id)).toBe(first)
  expect(unsealed).toBe(1)

  const changed = { ...connection, updated_at: new Date('2026-11-20T00:00:01Z') }
  const second = snapshotOf(changed).upstream(connection.id)
  expect(second).not.toBe(first)
  expect(unsealed).toBe(2)
  // A caller that began before the change gets the new upstream.
  expect(snapshot.upstream(connection.id)).toBe(second)
  await upstreams.close()
})
