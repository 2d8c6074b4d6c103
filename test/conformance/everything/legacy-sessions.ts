/**
 * Serves the revisions before 2026-07-28 with sessions: one server and one transport for each `initialize`, until a DELETE or the
 * end of the process.
 *
 * Events are stored per session, so that a client can resume with `Last-Event-ID`; the oldest are dropped first.
 */
import { randomUUID } from 'node:crypto'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'
import type { EventStore, JSONRPCMessage, McpServer, ServerEvent } from '@modelcontextprotocol/server'
import { createEverything } from './everything.ts'
import type { EverythingParts } from './everything.ts'

const RETRY_MS = 200
const EVENTS_KEPT = 1000

/** Serves legacy requests; `close` ends every session. */
export function createLegacySessions(parts: EverythingParts) {
  const open = new Map<string, WebStandardStreamableHTTPServerTransport>()

  async function fetch(request: Request): Promise<Response> {
    const id = request.headers.get('mcp-session-id')
    const transport = id === null ? await connect(parts, open) : open.get(id)
    if (transport === undefined) return gone()
    const response = await transport.handleRequest(request)
    // Only an `initialize` names its transport; anything else without a session was just refused.
    if (transport.sessionId === undefined) await transport.close()
    return response
  }

  async function close(): Promise<void> {
    await Promise.all([...open.values()].map((transport) => transport.close()))
  }

  return { fetch, close }
}

async function connect(parts: EverythingParts, open: Map<string, WebStandardStreamableHTTPServerTransport>) {
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    eventStore: createEventStore(),
    retryInterval: RETRY_MS,
    onsessioninitialized: (id) => void open.set(id, transport),
  })
  const server = createLegacyEverything(parts)
  const forget = server.server.onclose
  server.server.onclose = () => {
    forget?.()
    if (transport.sessionId !== undefined) open.delete(transport.sessionId)
  }
  await server.connect(transport)
  return transport
}

/** One instance for one session, whatever carries it: it tells its client of the changes that it watches. */
export function createLegacyEverything(parts: EverythingParts): McpServer {
  const server = createEverything(parts)
  const watched = new Set<string>()
  server.server.setRequestHandler('resources/subscribe', ({ params }) => {
    watched.add(params.uri)
    return {}
  })
  server.server.setRequestHandler('resources/unsubscribe', ({ params }) => {
    watched.delete(params.uri)
    return {}
  })
  const tell = async (event: ServerEvent) => {
    if (event.kind === 'tools_list_changed') await server.server.sendToolListChanged()
    if (event.kind === 'prompts_list_changed') await server.server.sendPromptListChanged()
    if (event.kind === 'resources_list_changed') await server.server.sendResourceListChanged()
    if (event.kind === 'resource_updated' && watched.has(event.uri))
      await server.server.sendResourceUpdated({ uri: event.uri })
  }
  const stop = parts.bus.subscribe((event) => void tell(event).catch(report))
  server.server.onclose = stop
  return server
}

function report(reason: unknown): void {
  process.stderr.write(`everything server: a notification was not sent: ${String(reason)}\n`)
}

function gone(): Response {
  return Response.json(
    { jsonrpc: '2.0', id: null, error: { code: -32001, message: 'Session not found' } },
    { status: 404 },
  )
}

function createEventStore(): EventStore {
  const kept: { id: string; stream: string; message: JSONRPCMessage }[] = []
  let last = 0
  return {
    storeEvent: async (stream, message) => {
      last += 1
      kept.push({ id: String(last), stream, message })
      if (kept.length > EVENTS_KEPT) kept.shift()
      return String(last)
    },
    getStreamIdForEventId: async (id) => kept.find((event) => event.id === id)?.stream,
    replayEventsAfter: async (id, { send }) => {
      const from = kept.findIndex((event) => event.id === id)
      const stream = kept[from]?.stream
      if (stream === undefined) throw new Error('The event is no longer kept')
      for (const event of kept.slice(from + 1)) {
        // A priming event is stored as an empty message; only real ones are replayed.
        if (event.stream === stream && Object.keys(event.message).length > 0) await send(event.id, event.message)
      }
      return stream
    },
  }
}
