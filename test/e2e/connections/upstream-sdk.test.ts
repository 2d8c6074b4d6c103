/** Servers of the official SDK, of both generations, as upstreams over Streamable HTTP: they read who the gateway is, and are called. */
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler, Server } from '@modelcontextprotocol/server'
import { Server as ServerOne } from '@modelcontextprotocol/sdk/server/index.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { expect, test } from 'vitest'
import { openGateway } from '../peers/open-gateway.ts'
import { callTool } from '../peers/clients/raw-client.ts'
import { httpWire } from '../peers/servers/real-servers.ts'

const LIST = { tools: [{ name: 'who', inputSchema: { type: 'object' as const } }] }
const WORDS = [{ name: 'sdk', version: '1.0.0' }, { capabilities: { tools: {} } }] as const
const say = (client: unknown) => ({ content: [{ type: 'text' as const, text: JSON.stringify(client ?? null) }] })

async function listen(answer: (request: IncomingMessage, response: ServerResponse) => unknown) {
  const http = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => void (http.closeAllConnections(), http.close(() => resolve()))),
  }
}

/** Revision 2026-07-28, in the second generation of the SDK. */
function startModern() {
  const handler = createMcpHandler(() => {
    const server = new Server(...WORDS)
    server.setRequestHandler('tools/list', () => LIST)
    server.setRequestHandler('tools/call', () => say(server.getClientVersion()))
    return server
  })
  return listen(toNodeHandler({ fetch: (request: Request) => handler.fetch(request) }) as never)
}

/** Revisions with sessions, in the first generation. */
function startLegacy() {
  const open = new Map<string, StreamableHTTPServerTransport>()
  return listen(async (request, response) => {
    const known = open.get(String(request.headers['mcp-session-id']))
    if (known !== undefined) return known.handleRequest(request, response)
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void open.set(id, transport),
    })
    const server = new ServerOne(...WORDS)
    server.setRequestHandler(ListToolsRequestSchema, () => LIST)
    server.setRequestHandler(CallToolRequestSchema, () => say(server.getClientVersion()))
    await server.connect(transport)
    return transport.handleRequest(request, response)
  })
}

test('a server of the official SDK reads the name and the version of its client over Streamable HTTP', async () => {
  await using modern = await startModern()
  await using legacy = await startLegacy()
  await using gateway = await openGateway({
    connections: [
      { alias: 'modern', wire: httpWire(modern.url) },
      { alias: 'legacy', wire: httpWire(legacy.url) },
    ],
  })
  for (const alias of ['modern', 'legacy']) {
    const peer = { url: gateway.connectionUrl(alias), key: gateway.key, era: 'modern' as const }
    const { answer } = await callTool(peer, 'who')
    const said: unknown = JSON.parse(answer.result?.content?.[0]?.text ?? 'null')
    // The modern era names the client of each request; a session with a legacy server is opened by the gateway.
    const name = alias === 'modern' ? 'raw' : 'toolway'
    expect(said, alias).toEqual({ name, version: expect.stringMatching(/^\d+\.\d+\.\d+$/) })
  }
})
