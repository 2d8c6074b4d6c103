/**
 * Server messages beside their answers, and the error that a caller gets when a server could not answer: identity, limits,
 * notices.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { once } from 'node:events'
import { describe, expect, test } from 'vitest'
import { callTool, openSession } from '../peers/clients/raw-client.ts'
import { openGateway } from '../peers/open-gateway.ts'
import { httpWire } from '../peers/servers/real-servers.ts'

const IDENTITY = 'io.modelcontextprotocol/serverInfo'
const META = { [IDENTITY]: { name: 'internal-host-7', version: '1' } }
const TOOLS = ['identity', 'limited', 'garbled', 'flood'].map((name) => ({ name, inputSchema: { type: 'object' } }))
const NOTICES = 12_000

interface Asked {
  readonly id?: unknown
  readonly method: string
  readonly params: { readonly name?: string; readonly _meta?: { readonly progressToken?: unknown } }
}

/** A server of revision 2026-07-28 with a tool for each of these. */
async function startWordy() {
  const server = createServer((request, response) => {
    if (request.method !== 'POST') return void response.writeHead(405).end()
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const asked = JSON.parse(Buffer.concat(chunks).toString()) as Asked
      const whole = (result: object) => ({
        resultType: 'complete',
        ttlMs: 0,
        cacheScope: 'private',
        ...result,
        _meta: META,
      })
      const worded = (result: object) => JSON.stringify({ jsonrpc: '2.0', id: asked.id, result: whole(result) })
      const say = (result: object) =>
        void response.writeHead(200, { 'content-type': 'application/json' }).end(worded(result))
      const { name } = asked.params
      if (asked.method === 'server/discover')
        return say({ supportedVersions: ['2026-07-28'], capabilities: { tools: {} } })
      if (asked.method === 'tools/list') return say({ tools: TOOLS })
      if (name === 'limited') return void response.writeHead(429, { 'retry-after': '7' }).end()
      if (name === 'garbled') return void response.writeHead(200, { 'content-type': 'application/json' }).end('{"jso')
      const done = { content: [{ type: 'text', text: 'done' }] }
      if (name !== 'flood') return say(done)
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const progressToken = asked.params._meta?.progressToken
      const notice = (progress: number) =>
        JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken, progress } })
      const all = Array.from({ length: NOTICES }, (_, at) => `data: ${notice(at + 1)}\n\n`).join('')
      response.end(`${all}data: ${worded(done)}\n\n`)
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

describe('what a server says', () => {
  test('of who it is gives way to the gateway’s own name, which a legacy session heard when it was opened', async () => {
    await using server = await startWordy()
    await using gateway = await openGateway({ connections: [{ alias: 'wordy', wire: httpWire(server.url) }] })
    const url = gateway.connectionUrl('wordy')
    const modern = await callTool({ url, key: gateway.key, era: 'modern' }, 'identity')
    expect(modern.answer.result?.['_meta']).toMatchObject({ [IDENTITY]: { name: 'toolway' } })
    const legacy = await callTool(await openSession(url, gateway.key), 'identity')
    expect(legacy.answer.result?.content).toEqual([{ type: 'text', text: 'done' }])
    expect(`${modern.text} ${legacy.text}`).not.toContain('internal-host-7')
    expect(legacy.text).not.toContain(IDENTITY)
  })

  test('of when to come back reaches the caller, and a broken answer is not called the caller’s request', async () => {
    await using server = await startWordy()
    await using gateway = await openGateway({ connections: [{ alias: 'wordy', wire: httpWire(server.url) }] })
    const peer = { url: gateway.connectionUrl('wordy'), key: gateway.key, era: 'modern' } as const
    const limited = await callTool(peer, 'limited')
    expect(limited.text).toContain('accepts no more requests for now (HTTP 429)')
    expect(limited.text).toContain('Try again in 7 s.')
    expect(limited.text).not.toContain('earlier requests')
    // A client that speaks no MCP reads it where HTTP has it.
    const rest = await fetch(new URL('/rest/tools/wordy__limited/call', gateway.url), {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json' },
      body: '{}',
    })
    expect([rest.status, rest.headers.get('retry-after')]).toEqual([200, '7'])
    expect(await rest.json()).toMatchObject({ isError: true })
    const garbled = await callTool(peer, 'garbled')
    expect(garbled.text).toContain('its response is not JSON')
    expect(garbled.text).not.toContain('request body')
  })

  test('beside the answer of one call is bounded, and the answer comes all the same', async () => {
    await using server = await startWordy()
    await using gateway = await openGateway({ connections: [{ alias: 'wordy', wire: httpWire(server.url) }] })
    const peer = { url: gateway.connectionUrl('wordy'), key: gateway.key, era: 'modern' } as const
    const { messages, answer } = await callTool(peer, 'flood', {}, { meta: { progressToken: 'mine' } })
    expect(answer.result?.content).toEqual([{ type: 'text', text: 'done' }])
    const notices = messages.filter(({ method }) => method === 'notifications/progress')
    expect(notices.length).toBeGreaterThan(0)
    expect(notices.length).toBeLessThanOrEqual(10_000)
  })
})
