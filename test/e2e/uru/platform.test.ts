/** Toolway itself as a connection: operations of the administration as tools, for their caller and with a record. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { askAdmin } from '../../../packages/gateway/src/testing/people.ts'
import { ask, callTool } from '../peers/clients/raw-client.ts'
import { API_KEY, startComposio, type ComposioDouble } from '../peers/composio/composio-double.ts'
import { openGateway, toolNames } from '../peers/open-gateway.ts'
import { httpWire } from '../peers/servers/real-servers.ts'
import { startToolsServer, type ToolsServer } from '../peers/servers/tools-server.ts'
import { until } from '../peers/until.ts'
import { addKey, addMember, keyOf } from './members.ts'
import { createUruClient } from './uru-client.ts'

let gateway: TestGateway
let servers: ToolsServer
let composio: ComposioDouble

beforeAll(async () => {
  const tools = [{ name: 'client_query', description: 'Query.', inputSchema: { type: 'object' as const } }]
  servers = await startToolsServer([{ alias: 'company', title: 'Company', tools }])
  composio = await startComposio([{ slug: 'GMAIL_SEND_EMAIL', toolkit: 'gmail' }])
  gateway = await openGateway({
    connections: [
      { alias: 'company', wire: httpWire(servers.urlOf('company')) },
      { alias: 'platform', wire: { kind: 'platform' } },
      {
        alias: 'gmail',
        wire: {
          kind: 'composio',
          url: composio.url,
          headers: { 'x-api-key': API_KEY },
          words: { toolkits: ['gmail'] },
        },
      },
    ],
    toolsets: [{ slug: 'tiers', title: 'Tiers', settings: { include: ['*'], exclude: [], discovery: 'two-tier' } }],
  })
  await addMember(gateway, 'ada')
  await addMember(gateway, 'root', 'tenant_admin')
  await addKey(gateway, 'admin', 'platform_admin', null)
  await until('the members are known', async () => (await names('ada')).length > 0)
})
afterAll(async () => {
  await gateway?.[Symbol.asyncDispose]()
  await servers?.[Symbol.asyncDispose]()
  await composio?.[Symbol.asyncDispose]()
})

const names = (who: string) => toolNames({ key: keyOf(who) }, gateway.connectionUrl('platform'))
const call = async (who: string, tool: string, given: Record<string, unknown> = {}, headers = {}) => {
  const peer = { url: gateway.connectionUrl('platform'), key: keyOf(who), era: 'modern' } as const
  const { answer } = await callTool(peer, tool, given, { headers })
  return { ...answer.result, said: answer.result?.['structuredContent'] as Record<string, unknown>, answer }
}
const codeOf = (result: Record<string, unknown>) =>
  (result['_meta'] as Record<string, { code: string; fault: string }> | undefined)?.['dev.toolway/fault']

describe('platform tools', () => {
  test('S0-DSC-06: they are carried out in the process: nothing is sent anywhere', async () => {
    const before = servers.asked.length
    const { said } = await call('ada', 'who_am_i')
    expect(JSON.stringify(said)).toContain('ada@example.com')
    const listed = await call('ada', 'list_connections', { limit: 10 })
    expect(JSON.stringify(listed.said)).toContain('company')
    expect(servers.asked).toHaveLength(before)
    // No address is known of it, so none could be asked.
    const shown = await askAdmin(gateway.address, 'GET /admin/tenants/default/connectors/platform', {
      token: keyOf('admin'),
    })
    expect(shown.body).toMatchObject({ connector: 'platform', url: null, command: null, header_names: [] })
  })

  test('S0-PRX-10: a call at /platform/… is carried out for its caller, and is on record with the tool', async () => {
    const asked = await fetch(`${gateway.address}/platform/who_am_i`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${keyOf('ada')}`,
        'content-type': 'application/json',
        'x-correlation-id': 'platform-1',
      },
      body: '{}',
    })
    const answer = (await asked.json()) as { data: object; successful: boolean; log_id: string }
    expect([asked.status, answer.successful, answer.log_id]).toEqual([200, true, 'platform-1'])
    expect(JSON.stringify(answer.data)).toContain('ada@example.com')
    const records = async () => {
      const at = 'GET /admin/tenants/default/audit?correlation_id=platform-1' as const
      return (await askAdmin(gateway.address, at, { token: keyOf('admin') })).body.items as { resource_id: string }[]
    }
    await until('it is on record', async () => (await records()).length === 1)
    expect((await records())[0]?.resource_id).toContain('who_am_i')
    const unknown = await fetch(`${gateway.address}/platform/client_query`, {
      method: 'POST',
      headers: { authorization: `Bearer ${keyOf('ada')}`, 'content-type': 'application/json' },
      body: '{}',
    })
    expect(unknown.status).toBe(404)
    expect((await fetch(`${gateway.address}/platform/who_am_i`, { method: 'POST' })).status).toBe(401)
  })

  test('the role of the caller decides, and what it may not do is said', async () => {
    expect((await call('root', 'search_audit_log', { limit: 5 })).isError).toBeUndefined()
    const refused = await call('ada', 'search_audit_log', { limit: 5 })
    expect(refused).toMatchObject({ isError: true })
    expect(codeOf(refused)?.fault).toBe('role.forbidden')
    expect((await call('ada', 'my_keys')).said).toMatchObject({ items: [{ name: 'ada' }] })
    expect(JSON.stringify(await call('ada', 'my_keys'))).not.toContain(keyOf('ada'))
  })

  test('a change that could widen rights is carried out only after a person approved it', async () => {
    const wanted = { toolset: 'wide', include: ['*'], exclude: [] }
    const refused = await call('root', 'change_toolset', wanted)
    expect(['platform.person', 'approval.required']).toContain(codeOf(refused)?.fault)
    const there = await call('root', 'list_toolsets')
    expect(JSON.stringify(there.said)).not.toContain('wide')
  })

  test('arguments are checked before anything is carried out', async () => {
    const wrong = await call('ada', 'connection_health', { connection: 7 })
    expect(JSON.stringify(wrong)).toContain('INVALID_ARGUMENT')
    const missing = await call('ada', 'connection_health')
    expect(JSON.stringify(missing)).toContain('connection')
    const good = await call('ada', 'connection_health', { connection: 'company' })
    expect(good.said).toMatchObject({ alias: 'company', status: 'connected' })
  })

  test('S0-DSC-02: tier one is the list of apps as resources', async () => {
    const tiers = { url: `${gateway.address}/o/default/t/tiers/mcp`, key: keyOf('ada'), era: 'modern' } as const
    const { answer } = await ask(tiers, 'resources/list')
    const resources = answer.result?.['resources'] as { name: string; uri: string }[]
    expect(resources.map(({ name, uri }) => [name, uri])).toEqual([
      ['COMPANY', 'app://company'],
      ['GMAIL', 'app://gmail'],
      ['PLATFORM', 'app://platform'],
    ])
  })

  test('S0-ARC-03: company, personal and platform tools stand in one catalog, and one call to each succeeds', async () => {
    composio.accounts.push({ id: 'ca_ada', user: 'ada@example.com', toolkit: 'gmail', status: 'ACTIVE' })
    const client = createUruClient(gateway.address, keyOf('ada'))
    expect(await client.apps()).toEqual(['Company', 'Gmail', 'Platform'])
    expect((await client.tools('PLATFORM')).map(({ name }) => name)).toContain('platform__who_am_i')
    for (const slug of ['company__client_query', 'GMAIL_SEND_EMAIL', 'platform__who_am_i']) {
      const { status, result } = await client.execute(slug, {})
      expect([status, result.successful], slug).toEqual([200, true])
    }
  })
})
