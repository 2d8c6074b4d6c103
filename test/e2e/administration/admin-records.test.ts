/**
 * Tests that every operation that changes something leaves an audit record, for each operation that the admin interface serves.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { OPERATIONS } from '../../../packages/gateway/src/app/operations.ts'
import type { TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { addKey, createAsk, type Ask } from '../peers/people/administrators.ts'
import { openGateway } from '../peers/open-gateway.ts'
import { startProbe, type ProbeServer } from '../peers/probes/probe-server.ts'
import { httpWire } from '../peers/servers/real-servers.ts'
import { until } from '../peers/until.ts'

const parts = new AsyncDisposableStack()
let gateway: TestGateway
let probe: ProbeServer
let platform: Ask
beforeAll(async () => {
  probe = parts.use(await startProbe({ era: 'modern' }))
  gateway = parts.use(await openGateway({ connections: [{ alias: 'filed', wire: httpWire(probe.url) }] }))
  platform = createAsk(gateway, await addKey(gateway, { role: 'platform_admin' }))
})
afterAll(() => parts.disposeAsync())

/** In the order in which they can be asked: what one makes, the next ones change, and the last ones remove. */
const SAMPLES: readonly (readonly [id: string, path: (made: Made) => string, body: unknown, action: string])[] = [
  ['addOrganization', () => TENANTS, { slug: 'walk', name: 'Walk' }, 'organization.add'],
  ['changeOrganization', () => `${TENANTS}/walk`, { name: 'Walked' }, 'organization.change'],
  ['changeOrganizationSettings', () => `${TENANTS}/walk/settings`, { description: 'x' }, 'organization.change'],
  ['addConnection', () => `${TENANTS}/walk/connectors`, { alias: 'kit', url: 'PROBE' }, 'connection.add'],
  ['changeConnection', () => `${TENANTS}/walk/connectors/kit`, { title: 'Kit' }, 'connection.change'],
  ['toggleConnection', () => `${TENANTS}/walk/connectors/kit/toggle`, { enabled: true }, 'connection.toggle'],
  ['syncTools', () => `${TENANTS}/walk/connectors/kit/tools/sync`, undefined, 'tool.sync'],
  ['toggleTool', () => `${TENANTS}/walk/connectors/kit/tools/echo`, { enabled: false }, 'tool.toggle'],
  [
    'switchTools',
    () => `${TENANTS}/walk/connectors/kit/tools/bulk-update`,
    { tools: [{ name: 'echo', enabled: true }] },
    'tool.bulk-update',
  ],
  ['enableAllTools', () => `${TENANTS}/walk/connectors/kit/tools/enable-all`, undefined, 'tool.enable-all'],
  ['disableAllTools', () => `${TENANTS}/walk/connectors/kit/tools/disable-all`, undefined, 'tool.disable-all'],
  ['putToolset', () => `${TENANTS}/walk/toolsets/few`, { include: ['kit__*'] }, 'toolset.put'],
  ['removeToolset', () => `${TENANTS}/walk/toolsets/few`, undefined, 'toolset.remove'],
  ['removeConnection', () => `${TENANTS}/walk/connectors/kit`, undefined, 'connection.remove'],
  ['addRule', () => RULES, { tool_name_pattern: 'walk', action: 'warn', reason: 'x' }, 'rule.add'],
  ['changeRule', ({ rule }) => `${RULES}/${rule}`, { reason: 'y' }, 'rule.change'],
  ['removeRule', ({ rule }) => `${RULES}/${rule}`, undefined, 'rule.remove'],
  ['removeOrganization', () => `${TENANTS}/walk`, undefined, 'organization.remove'],
]
interface Made {
  readonly rule: string
}
const TENANTS = '/api/v1/admin/tenants'
const RULES = '/api/v1/admin/policies/tools'

const Row = z.object({
  method: z.string(),
  outcome: z.string(),
  principal: z.string(),
  actor_type: z.string(),
  resource_type: z.string().nullable(),
  resource_id: z.string().nullable(),
  ip_address: z.string().nullable(),
  user_agent: z.string().nullable(),
})
const recordsOf = (correlation: string) =>
  gateway.db.system(
    (sql) => sql(Row)`
      select method, outcome, principal, actor_type, resource_type, resource_id, ip_address, user_agent
        from records where correlation_id = ${correlation}`,
  )

describe('every change over HTTP', () => {
  test('leaves exactly one record, which says who changed what from where', async () => {
    const made = { rule: '' }
    for (const [id, path, body, action] of SAMPLES) {
      const operation = OPERATIONS.find((one) => one.operation.id === id)?.operation
      const correlation = `walk-${id}`
      const said = JSON.parse(JSON.stringify(body ?? null).replace('PROBE', probe.url)) as object | null
      const headers = { 'x-correlation-id': correlation, 'user-agent': 'walker/1' }
      const answered = await platform(`${operation?.method} ${path(made)}`, said ?? undefined, headers)
      expect(answered.status, `${id} ${answered.text}`).toBeLessThan(300)
      if (id === 'addRule') made.rule = String(answered.body['id'])
      if (id === 'addConnection')
        await until('the connection lists tools', async () => {
          const tools = await platform(`GET ${TENANTS}/walk/connectors/kit/tools`)
          return Number(tools.body['total']) > 0
        })
      expect(await recordsOf(correlation), id).toEqual([
        {
          ...{ method: action, outcome: 'ok', principal: expect.stringMatching(/^key_/), actor_type: 'api_key' },
          ...{ resource_type: expect.stringMatching(/./), resource_id: expect.stringMatching(/./) },
          ...{ ip_address: '127.0.0.1', user_agent: 'walker/1' },
        },
      ])
    }
  })

  test('that fails leaves nothing changed, and no record of a change', async () => {
    const correlation = 'failed-change'
    const asked = { slug: 'default', name: 'Again' }
    expect((await platform(`POST ${TENANTS}`, asked, { 'x-correlation-id': correlation })).status).toBe(409)
    expect((await recordsOf(correlation)).filter(({ outcome }) => outcome === 'ok')).toEqual([])
  })

  test('that is refused is on record with whoever asked, the operation and the reason', async () => {
    const member = createAsk(
      gateway,
      await addKey(gateway, { role: 'tenant_member', organization: gateway.organization.id }),
    )
    const correlation = 'refused-change'
    const headers = { 'x-correlation-id': correlation, 'user-agent': 'walker/1' }
    const connectors = `POST ${TENANTS}/default/connectors`
    expect((await member(connectors, { alias: 'x', url: probe.url }, headers)).status).toBe(403)
    await until('the refusal is on record', async () => (await recordsOf(correlation)).length > 0)
    expect(await recordsOf(correlation)).toEqual([
      {
        ...{ method: 'addConnection', outcome: 'refused', principal: expect.stringMatching(/^key_/) },
        ...{ actor_type: 'api_key', resource_type: 'operation', resource_id: 'addConnection' },
        ...{ ip_address: '127.0.0.1', user_agent: 'walker/1' },
      },
    ])
  })
})

describe('a refusal', () => {
  const refusedOf = async (correlation: string) => {
    let found: Awaited<ReturnType<typeof recordsOf>> = []
    await until('it is on record', async () => (found = await recordsOf(correlation)).length > 0)
    return found
  }

  test('of who may look and not change is on record with the organization that was addressed', async () => {
    const { id } = gateway.organization
    const viewer = createAsk(gateway, await addKey(gateway, { role: 'tenant_viewer', organization: id }))
    const path = `${TENANTS}/default/connectors`
    const asked = { alias: 'x', url: 'https://secret.example.com/' }
    const answered = await viewer(`POST ${path}`, asked, { 'x-correlation-id': 'refused-viewer' })
    expect(answered.status).toBe(403)
    expect(await refusedOf('refused-viewer')).toMatchObject([
      {
        method: 'addConnection',
        outcome: 'refused',
        principal: expect.stringMatching(/^key_/),
        ip_address: '127.0.0.1',
      },
    ])
    const own = await platform(`GET ${TENANTS}/default/audit?outcome=refused&limit=1`)
    expect(own.body['items']).toMatchObject([{ action: 'addConnection', code: 'role.forbidden', tenant_id: id }])
    expect(own.text).not.toContain('secret.example')
  })

  test('of who is a stranger there is on record with the platform, and the organization hears of nobody', async () => {
    await platform(`POST ${TENANTS}`, { slug: 'elsewhere', name: 'Elsewhere' })
    const admin = createAsk(
      gateway,
      await addKey(gateway, { role: 'tenant_admin', organization: gateway.organization.id }),
    )
    const headers = { 'x-correlation-id': 'refused-stranger' }
    expect((await admin(`GET ${TENANTS}/elsewhere/members`, undefined, headers)).status).toBe(404)
    expect(await refusedOf('refused-stranger')).toMatchObject([{ method: 'listMembers', outcome: 'refused' }])
    expect((await platform(`GET ${TENANTS}/elsewhere/audit?outcome=refused`)).body['items']).toEqual([])
  })

  test('of a key that nobody knows is on record with the platform', async () => {
    const nobody = createAsk(gateway, `uru_${'e'.repeat(64)}`)
    expect((await nobody(`GET ${TENANTS}`, undefined, { 'x-correlation-id': 'refused-nobody' })).status).toBe(401)
    expect(await refusedOf('refused-nobody')).toMatchObject([
      { method: 'listOrganizations', outcome: 'refused', principal: 'anonymous' },
    ])
  })

  test('is found under an id of ours where the one that came with it is no id', async () => {
    const given = 'x'.repeat(5_000)
    const answered = await platform(`GET ${TENANTS}`, undefined, { 'x-correlation-id': given })
    expect(answered.headers.get('x-correlation-id')).toMatch(/^[\w-]{36}$/)
  })
})
