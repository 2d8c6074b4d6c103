/** The asker over Streamable HTTP with sessions, on a free loopback port. */
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { createAsker } from './asker.ts'

export interface AskerServer extends AsyncDisposable {
  readonly url: string
}

export async function startAsker(): Promise<AskerServer> {
  const open = new Map<string, StreamableHTTPServerTransport>()

  async function connect(): Promise<StreamableHTTPServerTransport> {
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void open.set(id, transport),
      onsessionclosed: (id) => void open.delete(id),
    })
    await createAsker().connect(transport)
    return transport
  }

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const id = request.headers['mcp-session-id']?.toString()
    const transport = id === undefined ? await connect() : open.get(id)
    if (transport === undefined) response.writeHead(404).end()
    else await transport.handleRequest(request, response)
  }

  const http = createServer((request, response) => {
    take(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve, reject) => http.once('error', reject).listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`,
    async [Symbol.asyncDispose]() {
      const closed = new Promise<void>((resolve) => http.close(() => resolve()))
      await Promise.all([...open.values()].map((transport) => transport.close()))
      http.closeAllConnections()
      await closed
    },
  }
}
