/**
 * The addresses of all source systems in one gateway: the tools that they list and the answer that they give to one call are the same
 * as at the canonical endpoint, because they lead to the same code.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { ask, callTool } from '../peers/clients/raw-client.ts'
import { openGateway } from '../peers/open-gateway.ts'
import { httpWire } from '../peers/servers/real-servers.ts'
import { startToolsServer, type ToolsServer } from '../peers/servers/tools-server.ts'
import { addKey, keyOf } from '../uru/members.ts'

const parts = new AsyncDisposableStack()
let gateway: TestGateway
let servers: ToolsServer
beforeAll(async () => {
  const inputSchema = { type: 'object' as const, properties: { id: { type: 'string' } } }
  servers = parts.use(
    await startToolsServer(
      [{ alias: 'web', title: 'Web', tools: [{ name: 'find', description: 'Finds.', inputSchema }] }],
      ({ name, arguments: given }) => ({ structuredContent: { did: name, given } }),
    ),
  )
  gateway = parts.use(
    await openGateway({ connections: [{ alias: 'web', title: 'Web', wire: httpWire(servers.urlOf('web')) }] }),
  )
  await addKey(gateway, 'admin', 'platform_admin', null)
})
afterAll(() => parts.disposeAsync())

const GIVEN = { id: '7' }
const RESULT = { did: 'find', given: GIVEN }

async function send(method: 'GET' | 'POST', path: string, body?: object, key = gateway.key) {
  const answer = await fetch(`${gateway.address}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return { status: answer.status, body: (await answer.json().catch(() => undefined)) as Record<string, unknown> }
}

/** By address: what it calls the tool, and the structured result of the call. */
const MCP: [path: string, tool: string][] = [
  ['/o/default/t/default/mcp', 'web__find'],
  ['/mcp', 'web__find'],
  ['/api/v1/default/connectors/web/mcp', 'find'],
]
const CALLS: [path: string, body: object, resultIn: (body: Record<string, unknown>) => unknown][] = [
  ['/mcp/tools/call', { name: 'web__find', arguments: GIVEN }, (body) => body['structuredContent']],
  ['/o/default/t/default/mcp/tools/call', { name: 'web__find', arguments: GIVEN }, (body) => body['structuredContent']],
  ['/rest/tools/web__find/call', { arguments: GIVEN }, (body) => body['structuredContent']],
  ['/openai/tools/web__find', GIVEN, (body) => body['structuredContent']],
  ['/o/default/t/default/web__find', GIVEN, (body) => body['structuredContent']],
  ['/execute/find', GIVEN, (body) => body['data']],
]

describe('U-10: each address of a source system', () => {
  test.each(MCP)('%s lists and calls the tool', async (path, tool) => {
    const peer = { url: `${gateway.address}${path}`, key: gateway.key, era: 'modern' as const }
    const { answer: listed } = await ask(peer, 'tools/list')
    expect(listed.result).toMatchObject({ tools: [{ name: tool, description: 'Finds.' }] })
    const { answer } = await callTool(peer, tool, GIVEN)
    expect(answer.result).toMatchObject({ structuredContent: RESULT })
  })

  test.each(CALLS)('POST %s gives the same answer', async (path, body, resultIn) => {
    const before = servers.called.length
    const answered = await send('POST', path, body)
    expect([answered.status, resultIn(answered.body)], JSON.stringify(answered.body)).toEqual([200, RESULT])
    expect(servers.called.slice(before)).toMatchObject([{ name: 'find', arguments: GIVEN }])
  })

  test('that lists tools or apps shows the same ones', async () => {
    const list = await send('POST', '/mcp/tools/list', {})
    const { answer } = await ask({ url: `${gateway.address}/mcp`, key: gateway.key, era: 'legacy' }, 'tools/list')
    expect(list.body['tools']).toEqual(answer.result?.['tools'])
    const names = async (path: string) => JSON.stringify((await send('GET', path)).body)
    for (const path of ['/rest/tools', '/openai/tools', '/openapi.json', '/list/apps/Web/tools'])
      expect(await names(path), path).toContain('web__find')
    for (const path of ['/list/apps', '/resources']) expect((await send('GET', path)).body, path).toEqual(['Web'])
    const integrations = await send('GET', '/api/v1/integrations', undefined, keyOf('admin'))
    expect(JSON.stringify(integrations.body)).toContain(servers.urlOf('web'))
  })

  test('that is flat is below an endpoint, and at the root only of the gateway in front of one contract backend', async () => {
    expect((await send('POST', '/web__find', GIVEN)).status).toBe(404)
    const { body } = await send('GET', '/o/default/t/default/openapi.json')
    expect(Object.keys(body['paths'] ?? {})).toContain('/web__find')
  })
})
