import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { describe, expect, test } from 'vitest'
import { startEverythingServer } from './everything-server.ts'

type Negotiation = 'legacy' | { pin: '2026-07-28' }

async function connect(url: string, mode: Negotiation) {
  const client = new Client({ name: 'peer', version: '1' }, { versionNegotiation: { mode } })
  await client.connect(new StreamableHTTPClientTransport(new URL(url)))
  return { client, [Symbol.asyncDispose]: () => client.close() }
}

const MODERN: Negotiation = { pin: '2026-07-28' }

describe('the everything server', () => {
  test('lists the same tools to both eras on one endpoint', async () => {
    await using server = await startEverythingServer()
    await using legacy = await connect(server.url, 'legacy')
    await using modern = await connect(server.url, MODERN)
    const names = async (client: Client) => (await client.listTools()).tools.map(({ name }) => name)
    expect(await names(legacy.client)).toEqual(await names(modern.client))
    expect(await names(modern.client)).toContain('test_x_mcp_header')
  })

  test('refuses the era it was not started for', async () => {
    await using legacyOnly = await startEverythingServer({ era: 'legacy' })
    await using modernOnly = await startEverythingServer({ era: 'modern' })
    await expect(connect(legacyOnly.url, MODERN)).rejects.toThrow()
    await expect(connect(modernOnly.url, 'legacy')).rejects.toThrow()
    await using legacy = await connect(legacyOnly.url, 'legacy')
    await using modern = await connect(modernOnly.url, MODERN)
    expect((await legacy.client.listPrompts()).prompts).toHaveLength((await modern.client.listPrompts()).prompts.length)
  })

  test('tells a legacy client about the resource it watches, and about no other', async () => {
    await using server = await startEverythingServer()
    await using watching = await connect(server.url, 'legacy')
    await using idle = await connect(server.url, 'legacy')
    const heard: string[] = []
    const told = new Promise<void>((resolve) => {
      watching.client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
        heard.push(`watching ${params.uri}`)
        resolve()
      })
    })
    idle.client.setNotificationHandler('notifications/resources/updated', () => void heard.push('idle'))
    await watching.client.subscribeResource({ uri: 'test://watched-resource' })
    await idle.client.callTool({ name: 'test_trigger_resource_update', arguments: {} })
    await told
    expect(heard).toEqual(['watching test://watched-resource'])
  })

  test('answers no request for another host', async () => {
    await using server = await startEverythingServer()
    const response = await fetch(server.url, {
      method: 'POST',
      headers: { origin: 'http://evil.example.com' },
      body: '{}',
    })
    expect(response.status).toBe(403)
  })
})
