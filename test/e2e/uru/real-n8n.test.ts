/**
 * A real n8n behind the gateway: workflows by their webhooks, found through its public API, and its MCP Server Trigger. A job of its
 * own: `TOOLWAY_TEST_N8N=install npm test -- test/e2e/uru/real-n8n.test.ts`.
 */
// @module-tag long
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { callTool } from '../peers/clients/raw-client.ts'
import { INSTALL_MS, NO_N8N, startRealN8n, type RealN8n } from '../peers/n8n/real-n8n.ts'
import { openGateway, toolNames } from '../peers/open-gateway.ts'
import { httpWire } from '../peers/servers/real-servers.ts'
import { until } from '../peers/until.ts'

const SCHEMA = '```json\n{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}\n```'
const node = (name: string, type: string, typeVersion: number, parameters: object) => ({
  ...{ id: randomUUID(), name, type, typeVersion, parameters, position: [0, 0], webhookId: randomUUID() },
})
const then = (from: string, to: string, kind = 'main') => ({
  [from]: { [kind]: [[{ node: to, type: kind, index: 0 }]] },
})
const answer = node('Set', 'n8n-nodes-base.set', 3.4, {
  assignments: { assignments: [{ id: 'x', name: 'answer', value: "={{ 'hi ' + $json.body.name }}", type: 'string' }] },
  options: {},
})

describe.skipIf(NO_N8N !== undefined)(`a real n8n${NO_N8N === undefined ? '' : ` (${NO_N8N})`}`, () => {
  let n8n: RealN8n
  let gateway: TestGateway
  beforeAll(async () => {
    n8n = await startRealN8n()
    const { id: tag } = await n8n.api('POST', '/tags', { name: 'toolway' })
    const add = async (name: string, nodes: object[], connections: object, tagged: boolean) => {
      const { id } = await n8n.api('POST', '/workflows', { name, nodes, connections, settings: {} })
      if (tagged) await n8n.api('PUT', `/workflows/${String(id)}/tags`, [{ id: tag }] as never)
      await n8n.api('POST', `/workflows/${String(id)}/activate`)
    }
    const hook = (path: string, responseMode: string) =>
      node('Webhook', 'n8n-nodes-base.webhook', 2, { httpMethod: 'POST', path, responseMode, options: {} })
    const note = node('Note', 'n8n-nodes-base.stickyNote', 1, { content: `Greets somebody.\n${SCHEMA}` })
    await add('Greet', [hook('greet', 'lastNode'), answer, note], then('Webhook', 'Set'), true)
    await add('Later', [hook('later', 'onReceived'), answer, note], then('Webhook', 'Set'), true)
    await add('Not shared', [hook('secret', 'lastNode'), answer], then('Webhook', 'Set'), false)
    const trigger = node('MCP', '@n8n/n8n-nodes-langchain.mcpTrigger', 2, { path: 'mytools', authentication: 'none' })
    const calculator = node('Calculator', '@n8n/n8n-nodes-langchain.toolCalculator', 1, {})
    await add('Server', [trigger, calculator], then('Calculator', 'MCP', 'ai_tool'), false)
    gateway = await openGateway({
      connections: [
        {
          alias: 'company',
          wire: { kind: 'n8n', url: n8n.url, headers: { 'X-N8N-API-KEY': n8n.key }, words: { listed_for: 5 } },
        },
        { alias: 'flow', wire: httpWire(`${n8n.url}/mcp/mytools`) },
      ],
    })
  }, INSTALL_MS)
  afterAll(async () => {
    await gateway?.[Symbol.asyncDispose]()
    await n8n?.[Symbol.asyncDispose]()
  })
  const call = async (alias: string, name: string, given: Record<string, unknown>) =>
    (await callTool({ url: gateway.connectionUrl(alias), key: gateway.key, era: 'modern' }, name, given)).answer.result

  test('its tagged, active workflows are tools with the schema of their note, and run by their webhook', async () => {
    expect((await toolNames(gateway, gateway.connectionUrl('company'))).sort()).toEqual(['greet', 'later'])
    expect(await call('company', 'greet', { name: 'Ada' })).toMatchObject({ structuredContent: { answer: 'hi Ada' } })
    expect(await call('company', 'greet', {})).toMatchObject({ isError: true })
  })

  test('a workflow that answers at once is followed by its execution', async () => {
    const result = await call('company', 'later', { name: 'Bob' })
    expect(JSON.stringify(result), JSON.stringify(result)).toContain('hi Bob')
  })

  test('one that is deactivated is gone, and comes back', async () => {
    const { data } = await n8n.api('GET', '/workflows?name=Greet')
    const [{ id }] = data as [{ id: string }]
    const has = async () => (await toolNames(gateway, gateway.connectionUrl('company'))).includes('greet')
    await n8n.api('POST', `/workflows/${id}/deactivate`)
    await until('it is gone', async () => !(await has()))
    await n8n.api('POST', `/workflows/${id}/activate`)
    await until('it is back', has)
  })

  test('its MCP Server Trigger lists and calls', async () => {
    const [name = ''] = await toolNames(gateway, gateway.connectionUrl('flow'))
    expect(name.toLowerCase()).toBe('calculator')
    expect(JSON.stringify(await call('flow', name, { input: '2*21' }))).toContain('42')
  })
})
