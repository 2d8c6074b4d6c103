import { newId, type OrganizationId, type Role, type UserId } from '@toolway/contract'
import type { GatewayEvent } from '@toolway/contract/admin'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { AlertRow } from '../alerts/list-alerts.rows.ts'
import type { Snapshot } from '../../snapshot/snapshot.ts'
import { OPERATOR, type Principal } from '../../identity/principal.ts'
import { createEventFeed } from './event-feed.ts'
import type { EventFeedParts } from './organization-events.ts'

const ACME = 'org_acme' as OrganizationId
const OTHER = 'org_other' as OrganizationId
const ADA = 'usr_ada' as UserId
const BOB = 'usr_bob' as UserId

const alertFor = (user: UserId | null, kind = 'credential.lost'): AlertRow => ({
  id: newId('alr'),
  kind,
  connection_id: null,
  user_id: user,
  detail: {},
  created_at: new Date(0),
})

function fixture(more: Partial<EventFeedParts> = {}) {
  const roles = new Map<UserId, Role>([
    [ADA, 'tenant_member'],
    [BOB, 'tenant_viewer'],
  ])
  const alerts = new Map<string, AlertRow>()
  const refreshed: string[] = []
  const feed = createEventFeed(
    {
      accounts: { find: (id) => ({ id, platform_admin: false }) as never },
      findOrganization: (id) => ({ organization: { id }, members: roles, version: 7 }) as unknown as Snapshot,
      refresh: async (id) => void refreshed.push(id),
      findAlert: async (_, id) => alerts.get(id),
      log: { warn() {} },
      ...more,
    },
    { ofPrincipal: 2, ofOrganization: 3, together: 4 },
  )
  const follow = (principal: Principal, organizationId = ACME) => {
    const heard: GatewayEvent[] = []
    return { heard, leave: feed.follow({ principal, organizationId, hear: (event) => heard.push(event) }) }
  }
  return { feed, follow, roles, alerts, refreshed }
}
const person = (userId: UserId): Principal => ({ ...OPERATOR, id: userId, kind: 'user', userId })
const key = (id: string): Principal => ({ ...OPERATOR, id, kind: 'key', role: 'tenant_admin' })
const changed = (id: string | null, action: string) => ({ type: 'integrations_changed', id, action, version: 7 })

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())
const settle = () => vi.advanceTimersByTimeAsync(100)

describe('who follows an organization', () => {
  test('hears what changed there once, after it can be looked at, and nothing of another', async () => {
    const { feed, follow, refreshed } = fixture()
    const [here, there] = [follow(person(ADA)), follow(person(ADA), OTHER)]
    for (const action of ['created', 'synced', 'synced'])
      feed.hear({ organization: ACME, event: { id: 'con_1', action } })
    feed.hear({ organization: ACME, event: { id: 'con_2', action: 'synced' } })
    expect(here.heard).toEqual([])
    await settle()
    expect(here.heard).toEqual([changed('con_1', 'created'), changed('con_1', 'synced'), changed('con_2', 'synced')])
    expect(refreshed).toEqual([ACME])
    expect(there.heard).toEqual([])
  })

  test('is told of alerts that concern it, and who administers of all of them', async () => {
    const { feed, follow, alerts } = fixture()
    const [ada, bob, admin] = [follow(person(ADA)), follow(person(BOB)), follow(key('key_admin'))]
    for (const alert of [alertFor(ADA), alertFor(null, 'tool.held')]) {
      alerts.set(alert.id, alert)
      feed.hear({ organization: ACME, alert: alert.id })
    }
    await settle()
    const kinds = ({ heard }: { heard: GatewayEvent[] }) =>
      heard.map((event) => (event.type === 'alert' ? event.alert.kind : event.type))
    expect(kinds(ada)).toEqual(['credential.lost'])
    expect(kinds(bob)).toEqual([])
    expect(kinds(admin)).toEqual(['credential.lost', 'tool.held'])
  })

  test('is told once that approvals are others, and not which: whoever may see them looks', async () => {
    const { feed, follow } = fixture()
    const [ada, there] = [follow(person(ADA)), follow(person(ADA), OTHER)]
    for (const approval of ['apr_1', 'apr_2', 'apr_1']) feed.hear({ organization: ACME, approval })
    await settle()
    expect([ada.heard, there.heard]).toEqual([[{ type: 'approvals_changed' }], []])
    await settle()
    expect(ada.heard).toHaveLength(1)
  })

  test('is told of new records soon, and then no more than once in a second', async () => {
    const { feed, follow } = fixture()
    const [ada, there] = [follow(person(ADA)), follow(person(ADA), OTHER)]
    const told = { type: 'records_changed' }
    for (let batch = 0; batch < 5; batch++) feed.hear({ organization: ACME, records: true })
    await settle()
    expect([ada.heard, there.heard]).toEqual([[told], []])
    for (let batch = 0; batch < 5; batch++) feed.hear({ organization: ACME, records: true })
    await vi.advanceTimersByTimeAsync(900)
    expect(ada.heard).toHaveLength(1)
    await settle()
    expect(ada.heard).toEqual([told, told])
    ada.leave()
    expect(vi.getTimerCount()).toBe(0)
  })

  test('hears nothing any more once it has no role there', async () => {
    const { feed, follow, roles } = fixture()
    const ada = follow(person(ADA))
    feed.hear({ organization: ACME, event: { id: 'con_1', action: 'updated' } })
    roles.delete(ADA)
    await settle()
    expect(ada.heard).toEqual([])
  })

  test('is told to look at everything where too much changed at once, or where it could not be told', async () => {
    const { feed, follow } = fixture()
    const ada = follow(person(ADA))
    for (let at = 0; at <= 100; at++) feed.hear({ organization: ACME, event: { id: `con_${at}`, action: 'created' } })
    await settle()
    expect(ada.heard).toEqual([changed(null, 'changed')])
    feed.lost()
    await settle()
    expect(ada.heard).toHaveLength(3)
    expect(ada.heard).toContainEqual({ type: 'records_changed' })
    const broken = fixture({ refresh: () => Promise.reject(new Error('no database')) })
    const bob = broken.follow(person(BOB))
    broken.feed.hear({ organization: ACME, event: { id: 'con_1', action: 'created' } })
    await settle()
    expect(bob.heard).toEqual([changed(null, 'changed')])
  })

  test('is bounded for each principal, each organization and together, and gives its place back', () => {
    const { feed, follow } = fixture()
    const first = follow(person(ADA))
    follow(person(ADA))
    expect(() => follow(person(ADA))).toThrow(/2 streams and sockets may be open for one key/)
    follow(person(BOB))
    expect(() => follow(key('key_1'))).toThrow(/3 streams and sockets may be open for one organization/)
    follow(key('key_1'), OTHER)
    expect(() => follow(key('key_2'), OTHER)).toThrow(/4 streams and sockets may be open at a time/)
    first.leave()
    first.leave()
    expect(feed.size).toBe(3)
    follow(person(ADA))
    feed.close()
    expect(feed.size).toBe(0)
    expect(vi.getTimerCount()).toBe(0)
  })

  test('hears of a client that is its own; whoever manages keys hears of all', async () => {
    const { feed, follow, roles } = fixture()
    roles.set(BOB, 'tenant_admin')
    const [ada, bob] = [follow(person(ADA)), follow(person(BOB))]
    const seen = {
      step: 'list',
      key_id: 'key_1',
      name: 'c',
      version: '1',
      revision: '2025-11-25',
      at: '2026-01-01T00:00:00+00:00',
    } as const
    feed.hear({ organization: ACME, seen: { ...seen, user_id: ADA } })
    feed.hear({ organization: ACME, seen: { ...seen, user_id: null, name: '' } })
    await settle()
    const told = {
      type: 'client_seen',
      step: 'list',
      key_id: 'key_1',
      revision: '2025-11-25',
      at: '2026-01-01T00:00:00.000Z',
    }
    expect(ada.heard).toEqual([{ ...told, user_id: ADA, client: { name: 'c', version: '1' } }])
    expect(bob.heard).toEqual([ada.heard[0], { ...told, user_id: null, client: null }])
  })
})
