/**
 * The cost of the same hop when it is written with the official SDK in the ordinary manner.
 *
 * SDK 2: `createMcpHandler` with a low-level `Server` per request in front, one connected `Client` behind (protocol.md sections
 * 5.2 to 5.4). No key check, no records, no rules. Never tuned: it is the comparison, not a competitor. Exits when its parent
 * goes.
 *
 * Usage: node sdk-proxy.ts <upstream url>
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler, Server } from '@modelcontextprotocol/server'

const [upstream = ''] = process.argv.slice(2)
const name = { name: 'sdk-proxy', version: '1.0.0' }

const client = new Client(name, { versionNegotiation: { mode: { pin: '2026-07-28' } } })
await client.connect(new StreamableHTTPClientTransport(new URL(upstream)))

const mcp = createMcpHandler(() => {
  const server = new Server(name, { capabilities: { tools: {} } })
  server.setRequestHandler('tools/list', () => client.listTools())
  server.setRequestHandler('tools/call', ({ params }) =>
    client.callTool({ name: params.name, arguments: params.arguments }),
  )
  return server
})

const answer = toNodeHandler(mcp)
// The adapter's own type leaves out that node's `url` may be undefined, which exactOptionalPropertyTypes minds.
type Asked = Parameters<typeof answer>[0]
const server = createServer({ keepAliveTimeout: 120_000 }, (asked, response) => void answer(asked as Asked, response))
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }))
process.on('disconnect', () => process.exit(0))
