/** The probe of SDK 1 over Streamable HTTP on a free loopback port, with sessions. */
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { createProbeOne } from './probe-one.ts'
import { createProbeState, type ProbeState } from './probe.ts'

export interface ProbeOneServer extends AsyncDisposable {
  readonly url: string
  readonly state: ProbeState
}

export async function startProbeOne(): Promise<ProbeOneServer> {
  const state = createProbeState('SDK 1')
  const open = new Map<string, StreamableHTTPServerTransport>()

  async function connect(): Promise<StreamableHTTPServerTransport> {
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void open.set(id, transport),
      onsessionclosed: (id) => void open.delete(id),
    })
    await createProbeOne(state).connect(transport)
    return transport
  }

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const id = request.headers['mcp-session-id']?.toString()
    const transport = id === undefined ? await connect() : open.get(id)
    if (transport === undefined) return void response.writeHead(404).end()
    await transport.handleRequest(request, response)
    // Only an `initialize` names its transport; anything else without a session was just refused.
    if (transport.sessionId === undefined) await transport.close()
  }

  const http = createServer((request, response) => {
    take(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve, reject) => http.once('error', reject).listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`,
    state,
    async [Symbol.asyncDispose]() {
      const closed = new Promise<void>((resolve) => http.close(() => resolve()))
      await Promise.all([...open.values()].map((transport) => transport.close()))
      http.closeAllConnections()
      await closed
    },
  }
}
