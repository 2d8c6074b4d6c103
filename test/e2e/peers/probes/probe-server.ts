/** The probe over Streamable HTTP on a free loopback port: 2026-07-28 without sessions, or the revisions before with them. */
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { toNodeHandler } from '@modelcontextprotocol/node'
import type { NodeIncomingMessageLike } from '@modelcontextprotocol/node'
import { createMcpHandler, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'
import { createProbe, createProbeState } from './probe.ts'
import type { ProbeState } from './probe.ts'

export interface ProbeServer extends AsyncDisposable {
  readonly url: string
  readonly state: ProbeState
  /** Sessions that are open now; a modern probe has none. */
  readonly sessions: ReadonlySet<string>
}

export interface ProbeOptions {
  readonly era?: 'legacy' | 'modern'
  readonly name?: string
  readonly padding?: number
}

export async function startProbe({ era = 'modern', name, padding }: ProbeOptions = {}): Promise<ProbeServer> {
  const state = createProbeState(name, padding)
  const sessions = new Set<string>()
  const endpoint = era === 'modern' ? modernEndpoint(state) : legacyEndpoint(state, sessions)
  const serve = toNodeHandler(endpoint)
  const http = createServer((request, response) => {
    // The SDK's type leaves out that Node's optional fields may also be present and undefined.
    void serve(request as NodeIncomingMessageLike, response)
  })
  await new Promise<void>((resolve, reject) => http.once('error', reject).listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`,
    state,
    sessions,
    async [Symbol.asyncDispose]() {
      const closed = new Promise<void>((resolve) => http.close(() => resolve()))
      await endpoint.close()
      http.closeAllConnections()
      await closed
    },
  }
}

function modernEndpoint(state: ProbeState) {
  const handler = createMcpHandler(() => createProbe(state), { legacy: 'reject' })
  state.onGrow = () => handler.notify.toolsChanged()
  return { fetch: (request: Request) => handler.fetch(request), close: () => handler.close() }
}

function legacyEndpoint(state: ProbeState, sessions: Set<string>) {
  const open = new Map<string, WebStandardStreamableHTTPServerTransport>()
  const announce: (() => Promise<void>)[] = []
  state.onGrow = () => void Promise.allSettled(announce.map((tell) => tell()))

  async function connect(): Promise<WebStandardStreamableHTTPServerTransport> {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => {
        open.set(id, transport)
        sessions.add(id)
      },
    })
    const server = createProbe(state)
    announce.push(() => server.sendToolListChanged())
    server.onclose = () => {
      open.delete(transport.sessionId ?? '')
      sessions.delete(transport.sessionId ?? '')
    }
    await server.connect(transport)
    return transport
  }

  return {
    async fetch(request: Request): Promise<Response> {
      const id = request.headers.get('mcp-session-id')
      const transport = id === null ? await connect() : open.get(id)
      if (transport === undefined) return new Response(null, { status: 404 })
      const response = await transport.handleRequest(request)
      // Only an `initialize` names its transport; anything else without a session was just refused.
      if (transport.sessionId === undefined) await transport.close()
      return response
    },
    async close() {
      await Promise.all([...open.values()].map((transport) => transport.close()))
    },
  }
}
