/** n8n's MCP Server Trigger of its first version is HTTP+SSE: one stream that lasts, and that the gateway opens again by itself. */
import { expect, test } from 'vitest'
import { callTool } from '../peers/clients/raw-client.ts'
import { openGateway, toolNames } from '../peers/open-gateway.ts'
import { serveProbe } from '../peers/servers/served.ts'
import { startSseServer } from '../peers/servers/stream-servers.ts'
import { httpWire } from '../peers/servers/real-servers.ts'
import { until } from '../peers/until.ts'

test('S0-PRX-09: the stream to n8n lasts, and comes back by itself; calls meanwhile are told that it is away', async () => {
  await using n8n = await startSseServer(serveProbe('legacy'))
  await using gateway = await openGateway({ connections: [{ alias: 'company', wire: httpWire(n8n.url) }] })
  const url = gateway.connectionUrl('company')
  const echo = async () => (await callTool({ url, key: gateway.key, era: 'modern' }, 'echo', { text: 'hi' })).text
  expect(await echo()).toContain('hi')
  const opened = n8n.opened.length
  // Two calls, one stream.
  await echo()
  expect(n8n.opened.length).toBe(opened)
  expect(n8n.size).toBeGreaterThan(0)

  n8n.cut()
  await until('it is open again', async () => n8n.opened.length > opened)
  expect(await echo()).toContain('hi')

  await n8n.leave()
  const away = await echo()
  expect(away).toMatch(/UNAVAILABLE|EXECUTION_ERROR/)
  expect(away).toContain('company')
  // What it offers is known all the while.
  expect(await toolNames(gateway, url)).toContain('echo')
  await n8n.comeBack()
  await until('calls are served', async () => (await echo()).includes('"text":"hi"'))
  expect(n8n.opened.length).toBeGreaterThan(opened + 1)
})
